"""Draws by weights of clusters: the density is the model's own, draws are those of NUTS and of a
grid, and where weights cannot be trusted it says so.
"""

from functools import partial

import numpy as np
import pytest
from scipy import special

from betterthan.exact.laplace.shares import Shares
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.models import by_weights, clustered, clusters_by_weights
from betterthan.models.sampling import Sampling
from betterthan.posterior.gate import diagnose

FEW = Sampling(draws=3, chains=2)
UNEVEN = (0.5, 2.0, 3.0)


@pytest.mark.sampled
@pytest.mark.parametrize("correlation", [None, 0.2])
def test_the_density_of_clusters_is_that_of_the_model(correlation, density, log_density):
    counts = clustered.simulate(8, size=6, pairs=2, prior=UNEVEN, rng=3)["counts"]
    form = {"prior": UNEVEN, "correlation": correlation}
    tree = clustered.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    posterior = clusters_by_weights.Clusters(counts.values, form["prior"], correlation)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
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
    posterior = clusters_by_weights.Clusters(counts.values, (1.0, 1.0, 1.0), None)
    tree = clustered.fit(counts, rng=1, predictive=False)["posterior"].to_dataset()
    t, r = np.meshgrid(np.linspace(-12, 12, 1201), np.linspace(-3.5, 3.5, 701), indexing="ij")
    of = np.zeros(t.size, int)
    for half, mean, alike in zip(
        posterior.shares, ("p", "s"), clusters_by_weights.CORRELATIONS, strict=True
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
