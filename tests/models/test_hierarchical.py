"""Partial pooling over data sets against its limits, against counting, and against the truth."""

import warnings

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import hierarchical as model
from betterthan.models import simplex
from betterthan.models.sampling import Sampling
from betterthan.posterior.convergence import diagnose

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


@pytest.fixture(scope="module")
def crossed():
    data = model.simulate((3, 4), n=30, rng=6)
    return data, model.fit(data["counts"], rng=1, predictive=False)


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


@pytest.mark.sampled
def test_held_concentration_and_centre_pool_nothing(data):
    counts = data["counts"]
    tree = model.fit(
        counts,
        concentration=3.0,
        centre=(1, 1, 1),
        rng=1,
        predictive=False,
        sampling=Sampling(draws=500),
    )
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "dataset", "pair", "outcome")
    exact = model.closed_form(counts, pooling="none")
    z = probability_z(
        exact.values, share(theta[..., 0] - theta[..., 1]), np.full(exact.shape, 1000.0)
    )
    assert np.abs(z).max() < 4
    each = bt.prob_better(counts.isel(dataset=2))
    assert exact.isel(dataset=2).values == pytest.approx(each.values, rel=1e-12)


@pytest.mark.sampled
def test_crossed_factors(crossed):
    data, tree = crossed
    assert diagnose(tree).passed, diagnose(tree).failures
    posterior = tree["posterior"].to_dataset()
    theta = posterior["theta"].transpose("chain", "draw", *data["theta"].dims)
    z = (theta.mean(("chain", "draw")) - data["theta"]) / theta.std(("chain", "draw"))
    assert float(np.abs(z).max()) < 4.5
    assert posterior["theta_new"].sum("outcome").values == pytest.approx(1.0)
    wide = posterior["theta_new"].std(("chain", "draw")).values
    # a cell not seen is less certain
    assert (wide > theta.std(("chain", "draw")).mean().item()).all()
    with pytest.raises(ValueError, match="crossed factors have no closed form"):
        model.closed_form(data["counts"])


def test_crossed_factors_predict():
    """What a fit with predictive=True adds, on draws from the prior."""
    quick = {"mode": "FAST_COMPILE"}
    built = model.build(model.simulate((2, 3), n=30, pairs=2, rng=6)["counts"])
    prior = pm.sample_prior_predictive(draws=20, random_seed=1, compile_kwargs=quick, model=built)
    y = prior["prior_predictive"]["y"]
    assert list(y.sizes.values()) == [1, 20, 2, 3, 2, 3]
    assert (y.sum("outcome") == 30).all()
    tree = xr.DataTree.from_dict({"posterior": prior["prior"].to_dataset()})
    with built:
        pm.compute_log_likelihood(tree, progressbar=False, compile_kwargs=quick)
    assert list(tree["log_likelihood"]["y"].sizes.values()) == [1, 20, 2, 3, 2]
    assert np.isfinite(tree["log_likelihood"]["y"]).all()


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
    with pytest.raises(ValueError, match="concentration holds -1"):
        model.build(data["counts"], concentration=-1)
    with pytest.raises(ValueError, match="are for one factor"):
        model.build(model.simulate((2, 2), rng=1)["counts"], concentration=3)


def test_draws_of_small_parameters_are_probabilities():
    random = np.random.default_rng(1)
    theta = simplex.draw(random, np.array([1e-6, 1e-6, 1e-6]), (2000,))
    assert theta.sum(-1) == pytest.approx(1.0)
    assert theta.mean(0) == pytest.approx(1 / 3, abs=0.05)
    assert isinstance(model.simulate(2, rng=1), xr.Dataset)
