"""Partial pooling over data sets against its limits, against counting, and against the truth."""

import warnings
from functools import partial

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import special, stats

import betterthan as bt
from betterthan.exact.laplace.tables import Alike, Thirds
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import hierarchical as model
from betterthan.models import importance, priors, sampling
from betterthan.models.sampling import Sampling
from betterthan.posterior.from_draws import diagnose
from validation import of_hierarchical

GROUPS = {
    "posterior",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
    "constant_data",
}


@pytest.fixture(scope="module")
def data():
    return model.simulate(5, n=[20, 30, 60, 200, 15], pairs=2, rng=4)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data["counts"], rng=1)


def share(margin):
    return (margin > 0).mean(("chain", "draw")).values


def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert set(tree.children) >= GROUPS
    assert diagnose(tree).passed, diagnose(tree).failures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a data set left out leaves its prior: Pareto k is high
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    assert {"system_a", "system_b"} <= set(tree["posterior"].coords)


def test_truth_is_within_reach(tree, data):
    posterior = tree["posterior"].to_dataset()
    for name in ("mu", "correlation", "theta"):
        found = posterior[name].transpose("chain", "draw", *data[name].dims)
        z = (found.mean(("chain", "draw")).values - data[name].values) / found.std(
            ("chain", "draw")
        ).values
        assert np.abs(z).max() < 4.5, name


def test_probabilities_of_a_data_set_lie_between_its_own_and_the_mean(tree, data):
    counts = data["counts"]
    own = (counts / counts.sum("outcome")).values
    posterior = tree["posterior"].to_dataset()
    shrunk = (
        posterior["theta"]
        .transpose("chain", "draw", "dataset", "pair", "outcome")
        .mean(("chain", "draw"))
        .values
    )
    centre = posterior["mu"].mean(("chain", "draw")).values
    low, high = np.minimum(own, centre), np.maximum(own, centre)
    assert ((shrunk > low - 0.01) & (shrunk < high + 0.01)).mean() > 0.9
    # the largest is drawn least
    assert np.abs(shrunk - own)[3].mean() < np.abs(shrunk - own)[4].mean()


def test_held_concentration_pools_completely(data):
    counts = data["counts"]
    tree = model.fit(
        counts, concentration=1e7, rng=1, predictive=False, sampling=Sampling(draws=500)
    )
    mu = tree["posterior"]["mu"]
    z = probability_z(
        model.closed_form(counts).values, share(mu[..., 0] - mu[..., 1]), np.full(2, 1000.0)
    )
    assert np.abs(z).max() < 4
    theta = tree["posterior"]["theta"]
    assert float(np.abs(theta - mu).max()) < 0.01
    pooled = bt.prob_better(counts.sum("dataset"))
    assert model.closed_form(counts).values == pytest.approx(pooled.values, rel=1e-12)


@pytest.mark.usefixtures("prior_for_nuts")
def test_held_concentration_and_centre_pool_nothing(data):
    """Each data set has the density of its own Dirichlet posterior, uniform times multinomial."""
    counts, held = data["counts"], {"concentration": 3.0, "centre": (1, 1, 1)}
    draws = model.fit(counts, **held, rng=1, predictive=False)["posterior"].to_dataset()
    built = model.build(counts, **held)
    with sampling.without_compiler():
        prior = sampling.log_density(built, draws, "log_prior")["theta"]
        likelihood = sampling.log_density(built, draws, "log_likelihood")["y"]
    np.testing.assert_allclose(prior, np.log(2))
    theta = draws["theta"].transpose("chain", "draw", *counts.dims).values
    expected = stats.multinomial.logpmf(counts.values, counts.values.sum(-1), theta)
    np.testing.assert_allclose(likelihood, expected, rtol=1e-9)
    exact = model.closed_form(counts, pooling="none")
    each = bt.prob_better(counts.isel(dataset=2))
    assert exact.isel(dataset=2).values == pytest.approx(each.values, rel=1e-12)


@pytest.fixture(scope="module")
def crossed():
    """Counts, their model, and draws from its prior."""
    counts = model.simulate((2, 3), n=30, pairs=2, rng=6)["counts"]
    built = model.build(counts)
    quick = {"mode": "FAST_COMPILE"}
    prior = pm.sample_prior_predictive(draws=20, random_seed=1, compile_kwargs=quick, model=built)
    return counts, built, prior


def test_crossed_factors_predict(crossed):
    _, _, prior = crossed
    y = prior["prior_predictive"]["y"]
    assert list(y.sizes.values()) == [1, 20, 2, 3, 2, 3]
    assert (y.sum("outcome") == 30).all()


def test_the_density_of_crossed_factors_is_that_of_scipy(crossed):
    counts, built, prior = crossed
    draws = prior["prior"].to_dataset()
    mu, sigma, row, column, cell = (
        draws[name].values[0] for name in ("mu", "sigma", "row_raw", "column_raw", "cell_raw")
    )
    eta = mu[:, None, None] + np.einsum("dp,dpro->drpo", sigma[:, 0], row)[:, :, None]
    eta = eta + np.einsum("dp,dpco->dcpo", sigma[:, 1], column)[:, None]
    eta = eta + np.einsum("dp,dprco->drcpo", sigma[:, 2], cell)
    theta = special.softmax(eta, axis=-1)
    np.testing.assert_allclose(draws["theta"].values[0], theta, rtol=1e-12)
    for effect in (mu, row, column, cell):
        for axis in (*range(2, effect.ndim), -1):
            assert np.abs(effect.sum(axis)).max() < 1e-12
    with sampling.without_compiler():
        likelihood, densities = (
            sampling.log_density(built, draws, group) for group in ("log_likelihood", "log_prior")
        )
    own = stats.multinomial.logpmf(counts.values, 30, theta)
    np.testing.assert_allclose(likelihood["y"].values[0], own, rtol=1e-9)
    expected = {"mu": mu / 1.5, "row_raw": row, "column_raw": column, "cell_raw": cell}
    for name, effect in expected.items():  # normal, on what sums to zero
        log = densities[name].values[0].reshape(20, -1).sum(1)
        assert np.ptp(log + np.square(effect).reshape(20, -1).sum(1) / 2) < 1e-9, name
    spread = stats.halfnorm.logpdf(sigma, scale=model.SPREAD)
    np.testing.assert_allclose(
        densities["sigma"].values[0], spread, atol=1e-8
    )  # PyMC rounds a constant


@pytest.mark.usefixtures("prior_for_nuts")
def test_a_fit_of_crossed_factors_is_whole(crossed):
    counts, *_ = crossed
    posterior = model.fit(counts, rng=1, predictive=False)["posterior"].to_dataset()
    assert posterior["theta_new"].sum("outcome").values == pytest.approx(1.0)
    new = np.log(posterior["theta_new"]) - np.log(posterior["theta_new"]).mean("outcome")
    wide = np.sqrt(np.square(posterior["sigma"]).sum("factor"))
    moved = (new - posterior["mu"]) / wide
    assert np.abs(moved.sum("outcome")).max() < 1e-9
    assert float(np.square(moved).mean()) == pytest.approx(2 / 3, abs=0.2)
    with pytest.raises(ValueError, match="crossed factors have no closed form"):
        model.closed_form(counts)


def test_square_and_pairs_agree(data):
    square = bt.counts.to_square(data["counts"].isel(pair=[0]))
    by_pair, as_square = model.closed_form(data["counts"].isel(pair=[0])), model.closed_form(square)
    assert as_square.values[0, 1] == pytest.approx(by_pair.values[0])
    assert as_square.values.sum() == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.sum("dataset"), "give one dim more"),
        (lambda c: c.sel(outcome=["win", "loss"]), "needs the number of ties"),
        (lambda c: c.assign_coords(dataset=list("aabcd")), "dataset 'a' occurs more than once"),
    ],
)
def test_bad_counts(data, change, message):
    with pytest.raises(ValueError, match=message):
        model.build(change(data["counts"]))


def test_bad_choices(data):
    with pytest.raises(ValueError, match="concentration is -1"):
        model.build(data["counts"], concentration=-1)
    with pytest.raises(ValueError, match="are for one factor"):
        model.build(model.simulate((2, 2), rng=1)["counts"], concentration=3)


def test_draws_of_small_parameters_are_probabilities():
    random = np.random.default_rng(1)
    theta = priors.draw_dirichlet(random, np.array([1e-6, 1e-6, 1e-6]), (2000,))
    assert theta.sum(-1) == pytest.approx(1.0)
    assert theta.mean(0) == pytest.approx(1 / 3, abs=0.05)
    assert isinstance(model.simulate(2, rng=1), xr.Dataset)


FEW = Sampling(draws=3, chains=2)
UNEVEN = (0.5, 2.0, 3.0)


@pytest.mark.sampled
@pytest.mark.parametrize("concentration", [None, 4.0])
def test_the_density_of_data_sets_is_that_of_the_model(concentration, density, log_density):
    counts = model.simulate(4, n=[5, 0, 40, 9], pairs=2, prior=UNEVEN, rng=3)["counts"]
    form = {"prior": UNEVEN, "concentration": concentration}
    tree = model.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    alike = Alike(model.CORRELATION, held=concentration)
    found = importance.drawn(model.DataSets(counts.values, UNEVEN, alike), "laplace", FEW, 1)
    own = log_density(model.DataSets(counts.values, UNEVEN, alike).thirds, found.v, found.x)
    own = own - (np.log(np.cosh(found.v)).sum(1) if concentration is None else 0)  # logit, not r
    apart = density(model.build(counts, **form), tree["posterior"].to_dataset()) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
def test_data_sets_by_weights_are_as_by_nuts(roads_agree):
    data = model.simulate(5, n=[20, 30, 60, 200, 15], pairs=2, rng=4)
    roads_agree(partial(model.fit, data["counts"]))


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
def test_corners_of_data_sets_are_within_reach(groups_in_corner, prior):
    within_reach(groups_in_corner.rename(cluster="dataset"), prior)


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
@pytest.mark.parametrize(
    "cells",
    [
        [[0, 803, 197], [0, 996, 4]],
        [[65, 0, 935], [909, 0, 91]],
        [[30, 0, 0], [0, 30, 0], [30, 0, 0]],
    ],
    ids=["no win", "against each other", "no tie"],
)
def test_data_sets_without_an_outcome_are_within_reach(cells, prior, of_groups):
    within_reach(of_groups(cells).rename(cluster="dataset"), prior)


def within_reach(counts, prior):
    tree = model.fit(counts, prior=prior, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert all(np.isfinite(own.values).all() for own in posterior.data_vars.values())
    assert posterior["theta"].sum("outcome").values == pytest.approx(1.0)


@pytest.mark.parametrize("n", [[20, 35], [3, 0, 8, 5, 2]])
def test_data_sets_are_those_of_a_grid(n):
    """Mean and spread of the difference of the common mean, from sums over a grid."""
    counts = model.simulate(len(n), n=n, rng=6)["counts"]
    mu = model.fit(counts, rng=1, predictive=False)["posterior"]["mu"].values
    draws = (mu[..., 0] - mu[..., 1]).ravel()
    value, weight = of_hierarchical.common_mean(counts.values[:, 0])
    exact = weight @ value
    sd = np.sqrt(weight @ (value - exact) ** 2)
    assert abs(draws.mean() - exact) < 4 * sd / np.sqrt(3500)
    assert draws.std() == pytest.approx(sd, rel=0.05)


def test_crossed_factors_are_for_nuts(no_nuts):
    counts = model.simulate((2, 2), n=5, rng=1)["counts"]
    with pytest.raises(ValueError, match="crossed factors, and a centre that is held"):
        model.fit(counts, sampler="laplace")
    with pytest.raises(ValueError, match="sampler is 'mcmc'"):
        model.fit(counts, sampler="mcmc")
    with pytest.raises(no_nuts):
        model.fit(counts)


def test_data_sets_that_cannot_be_trusted_go_to_nuts(far_tails_go_to_nuts):
    far_tails_go_to_nuts(model, Thirds, n=20)


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize(
    ("cells", "prior"),
    [
        ([[1, 0, 0], [0, 0, 100], [0, 4, 0]], None),
        ([[0, 0, 21], [4, 0, 6], [0, 1567, 134]], None),
        ([[2, 0, 0], [5, 7111, 1414]], None),
        ([[8005, 0, 1], [3, 0, 25], [0, 0, 2]], None),
        ([[0, 20, 0], [0, 11, 0]], (1, 1, 20)),
        ([[0, 10, 1], [0, 28, 42], [0, 42, 40]], (1, 1, 200)),
        ([[0, 85, 0], [0, 3, 0], [0, 31, 0], [0, 13, 0], [0, 2, 0], [0, 100, 2]], (0.2, 0.2, 20)),
        ([[20, 10, 20, 0, 5, 5], [5, 5, 5, 0, 9, 4]], "haldane"),
    ],
)
def test_steps_that_would_lead_too_far_are_shortened_for_data_sets(cells, prior, of_groups):
    """Beyond some 700 a share is 0 to all digits, where a density must not seem to rise."""
    within_reach(of_groups(cells).rename(cluster="dataset"), prior)


@pytest.mark.usefixtures("no_nuts")
def test_an_outcome_that_never_comes_has_a_likelihood_under_a_prior_near_0(of_groups):
    counts = of_groups([[0, 10, 20], [0, 12, 23], [0, 9, 30]]).rename(cluster="dataset")
    tree = model.fit(counts, prior="haldane", rng=1)
    assert (tree["posterior"]["mu"].values[..., 0] == 0).any()
    log = tree["log_likelihood"]["y"].values
    assert np.isfinite(log).all()
    assert (log < 0).all()


@pytest.mark.usefixtures("no_nuts")
def test_one_draw_is_a_draw(of_groups):
    counts = of_groups([[20, 10, 20], [15, 12, 23]]).rename(cluster="dataset")
    one = Sampling(draws=1, chains=1)
    tree = model.fit(counts, sampling=one, rng=1, predictive=False)
    assert tree["posterior"]["mu"].shape == (1, 1, 1, 3)
