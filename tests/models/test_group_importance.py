"""Models of clusters and of data sets, drawn by weights.

Draws by weights of clusters: the density is the model's own, draws are those of NUTS and of a
grid, and where weights cannot be trusted it says so.

Draws by weights of data sets: the density is the model's own, draws are those of NUTS and of a
grid, and where weights cannot be trusted it says so.
"""

from functools import partial

import numpy as np
import pytest
from scipy import special

from betterthan.exact.laplace.tables import Alike, Shares, Thirds
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import clustered, group_importance, hierarchical, importance
from betterthan.models.group_importance import DataSets
from betterthan.models.sampling import Sampling
from betterthan.posterior.convergence import diagnose
from validation import of_hierarchical

FEW = Sampling(draws=3, chains=2)
UNEVEN = (0.5, 2.0, 3.0)


@pytest.mark.sampled
@pytest.mark.parametrize("correlation", [None, 0.2])
def test_the_density_of_clusters_is_that_of_the_model(correlation, density, log_density):
    counts = clustered.simulate(8, size=6, pairs=2, prior=UNEVEN, rng=3)["counts"]
    form = {"prior": UNEVEN, "correlation": correlation}
    tree = clustered.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    posterior = group_importance.Clusters(counts.values, form["prior"], correlation)
    found = importance.drawn(posterior, "laplace", FEW, 1)
    halves = zip(posterior.shares, np.hsplit(found.v, 2), np.hsplit(found.x, 2), strict=True)
    own = sum(log_density(half, r, t[..., None]) for half, r, t in halves)
    apart = density(clustered.build(counts, **form), tree["posterior"].to_dataset()) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
def test_clusters_by_weights_are_as_by_nuts(roads_agree):
    roads_agree(partial(clustered.fit, clustered.simulate(20, size=5, pairs=3, rng=4)["counts"]))


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
def test_corners_of_clusters_are_within_reach(groups_in_corner, prior):
    counts = groups_in_corner
    tree = clustered.fit(counts, prior=prior, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert np.isfinite(posterior["difference"].values).all()
    exact = clustered.closed_form(counts, prior=prior).values
    found = (posterior["p"] > 0.5).mean(("chain", "draw")).values
    assert np.abs(probability_z(exact, found, np.full(exact.shape, 3500.0))).max() < 4


def test_shares_of_clusters_are_those_of_a_grid():
    """Mean and spread of p, s and both correlations, from sums over a grid of each half."""
    counts = clustered.simulate(12, size=5, rng=6)["counts"]
    posterior = group_importance.Clusters(counts.values, (1.0, 1.0, 1.0), None)
    tree = clustered.fit(counts, rng=1, predictive=False)["posterior"].to_dataset()
    t, r = np.meshgrid(np.linspace(-12, 12, 1201), np.linspace(-3.5, 3.5, 701), indexing="ij")
    of = np.zeros(t.size, int)
    for half, mean, alike in zip(
        posterior.shares, ("p", "s"), group_importance.CORRELATIONS, strict=True
    ):
        log = half.log(t.reshape(-1, 1), half.alike.kappa(r).ravel(), of).reshape(t.shape)
        log += half.alike.log_prior(r)
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        for name, value in ((mean, special.expit(t)), (alike, special.expit(6 * np.sinh(r)))):
            exact = (weight * value).sum()
            sd = np.sqrt((weight * (value - exact) ** 2).sum())
            draws = tree[name].values.ravel()
            assert abs(draws.mean() - exact) < 4 * sd / np.sqrt(3500), name
            assert draws.std() == pytest.approx(sd, rel=0.06), name


def test_clusters_that_cannot_be_trusted_go_to_nuts(far_tails_go_to_nuts):
    far_tails_go_to_nuts(clustered, Shares)


@pytest.mark.usefixtures("no_nuts")
def test_steps_that_would_lead_too_far_are_shortened(of_groups):
    counts = of_groups([[5, 7111, 1414], [2, 0, 0]])
    assert clustered.fit(counts, rng=1, predictive=False)["posterior"].attrs["pareto_k"] <= 0.7


@pytest.mark.sampled
@pytest.mark.parametrize("concentration", [None, 4.0])
def test_the_density_of_data_sets_is_that_of_the_model(concentration, density, log_density):
    counts = hierarchical.simulate(4, n=[5, 0, 40, 9], pairs=2, prior=UNEVEN, rng=3)["counts"]
    form = {"prior": UNEVEN, "concentration": concentration}
    tree = hierarchical.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    alike = Alike(hierarchical.CORRELATION, held=concentration)
    found = importance.drawn(DataSets(counts.values, UNEVEN, alike), "laplace", FEW, 1)
    own = log_density(DataSets(counts.values, UNEVEN, alike).thirds, found.v, found.x)
    own = own - (np.log(np.cosh(found.v)).sum(1) if concentration is None else 0)  # logit, not r
    apart = density(hierarchical.build(counts, **form), tree["posterior"].to_dataset()) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
def test_data_sets_by_weights_are_as_by_nuts(roads_agree):
    data = hierarchical.simulate(5, n=[20, 30, 60, 200, 15], pairs=2, rng=4)
    roads_agree(partial(hierarchical.fit, data["counts"]))


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
def test_corners_of_data_sets_are_within_reach(groups_in_corner, prior):
    check(groups_in_corner.rename(cluster="dataset"), prior)


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
    check(of_groups(cells).rename(cluster="dataset"), prior)


def check(counts, prior):
    tree = hierarchical.fit(counts, prior=prior, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert all(np.isfinite(own.values).all() for own in posterior.data_vars.values())
    assert posterior["theta"].sum("outcome").values == pytest.approx(1.0)


@pytest.mark.parametrize("n", [[20, 35], [3, 0, 8, 5, 2]])
def test_data_sets_are_those_of_a_grid(n):
    """Mean and spread of the difference of the common mean, from sums over a grid."""
    counts = hierarchical.simulate(len(n), n=n, rng=6)["counts"]
    mu = hierarchical.fit(counts, rng=1, predictive=False)["posterior"]["mu"].values
    draws = (mu[..., 0] - mu[..., 1]).ravel()
    value, weight = of_hierarchical.common_mean(counts.values[:, 0])
    exact = weight @ value
    sd = np.sqrt(weight @ (value - exact) ** 2)
    assert abs(draws.mean() - exact) < 4 * sd / np.sqrt(3500)
    assert draws.std() == pytest.approx(sd, rel=0.05)


def test_crossed_factors_are_for_nuts(no_nuts):
    counts = hierarchical.simulate((2, 2), n=5, rng=1)["counts"]
    with pytest.raises(ValueError, match="crossed factors, and a centre that is held"):
        hierarchical.fit(counts, sampler="laplace")
    with pytest.raises(ValueError, match="sampler is 'mcmc'"):
        hierarchical.fit(counts, sampler="mcmc")
    with pytest.raises(no_nuts):
        hierarchical.fit(counts)


def test_data_sets_that_cannot_be_trusted_go_to_nuts(far_tails_go_to_nuts):
    far_tails_go_to_nuts(hierarchical, Thirds)


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
    check(of_groups(cells).rename(cluster="dataset"), prior)


@pytest.mark.usefixtures("no_nuts")
def test_an_outcome_that_never_comes_has_a_likelihood_under_a_prior_near_0(of_groups):
    counts = of_groups([[0, 10, 20], [0, 12, 23], [0, 9, 30]]).rename(cluster="dataset")
    tree = hierarchical.fit(counts, prior="haldane", rng=1)
    assert (tree["posterior"]["mu"].values[..., 0] == 0).any()
    log = tree["log_likelihood"]["y"].values
    assert np.isfinite(log).all()
    assert (log < 0).all()


@pytest.mark.usefixtures("no_nuts")
def test_one_draw_is_a_draw(of_groups):
    counts = of_groups([[20, 10, 20], [15, 12, 23]]).rename(cluster="dataset")
    one = Sampling(draws=1, chains=1)
    tree = hierarchical.fit(counts, sampling=one, rng=1, predictive=False)
    assert tree["posterior"]["mu"].shape == (1, 1, 1, 3)
