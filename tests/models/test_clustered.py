"""Examples in clusters: quadrature, limits, design effect, and what ignoring clusters does."""

import warnings
from functools import partial

import arviz as az
import numpy as np
import pytest
from scipy import integrate, special, stats

import betterthan as bt
from betterthan.exact.laplace.tables import Shares
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.exact.wins import clusters
from betterthan.models import clustered as model
from betterthan.models import importance
from betterthan.models.sampling import Sampling
from betterthan.posterior.from_draws import diagnose


@pytest.fixture(scope="module")
def data():
    return model.simulate(25, size=6, pairs=3, rng=8)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data["counts"], sampler="nuts", rng=1)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert diagnose(tree).passed, diagnose(tree).failures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    again = tree["posterior_predictive"]["y"].values
    assert (again.sum(-1) == 6).all()


@pytest.mark.sampled
def test_agrees_with_quadrature(tree, data):
    exact = model.closed_form(data["counts"]).values
    found = (tree["posterior"]["p"] > 0.5).mean(("chain", "draw")).values
    assert np.abs(probability_z(exact, found, np.full(3, 2000.0))).max() < 4


def test_quadrature_agrees_with_plain_integration():
    wins, losses = np.array([3, 0, 2, 5]), np.array([1, 2, 2, 0])

    def density(p, rho):
        kappa = 1 / rho - 1
        a, b = p * kappa, (1 - p) * kappa
        log = sum(
            special.betaln(a + w, b + x) - special.betaln(a, b)
            for w, x in zip(wins, losses, strict=True)
        )
        return np.exp(log) * stats.beta.pdf(rho, *clusters.CORRELATION)

    def half(low, high):
        return integrate.dblquad(density, 1e-9, 1 - 1e-9, low, high, epsabs=1e-10, epsrel=1e-8)[0]

    above, below = half(0.5, 1 - 1e-12), half(1e-12, 0.5)
    found = clusters.prob_above_half(wins, losses, 1.0, 1.0)
    assert found[0] == pytest.approx(above / (above + below), abs=1e-6)
    assert sum(found) == pytest.approx(1.0)


def test_clusters_of_one_are_independent_examples():
    """One example a cluster says nothing of the correlation, and the answer is the closed form."""
    wins, losses = np.array([1] * 9 + [0] * 4), np.array([0] * 9 + [1] * 4)
    assert clusters.prob_above_half(wins, losses, 1.0, 1.0)[0] == pytest.approx(
        stats.beta(10, 5).sf(0.5), abs=1e-9
    )


@pytest.mark.sampled
@pytest.mark.parametrize("sampler", ["laplace", "nuts"])
def test_clusters_that_are_all_alike_say_no_more_than_as_many_examples(sampler):
    counts = model.simulate(12, size=5, pairs=3, rng=1)["counts"]
    values = np.zeros(counts.shape, dtype=int)
    values[:8, :, 0] = values[8:, :, 1] = 5
    tree = model.fit(counts.copy(data=values), sampler=sampler, rng=1, predictive=False)
    found = (tree["posterior"]["difference"] > 0).mean(("chain", "draw")).values
    exact, _ = clusters.prob_above_half(
        np.array([5] * 8 + [0] * 4), np.array([0] * 8 + [5] * 4), 1.0, 1.0
    )
    assert found == pytest.approx(np.full(3, exact), abs=0.03)


def test_held_correlation_pools(data):
    counts = data["counts"]
    tree = model.fit(counts, correlation=1e-7, rng=1, predictive=False)
    exact = bt.prob_better(counts.sum("cluster")).values
    found = (tree["posterior"]["difference"] > 0).mean(("chain", "draw")).values
    assert np.abs(probability_z(exact, found, np.full(3, 1000.0))).max() < 4
    assert tree["posterior"]["design_effect"].values == pytest.approx(1.0, abs=1e-5)


def test_outcome_correlation_is_that_of_simulated_clusters():
    random = np.random.default_rng(3)
    p, s, win, decisive = 0.7, 0.4, 0.3, 0.15
    p_c = clusters.draw_shares(np.array([p]), np.array([win]), 400_000, random)[:, 0]
    s_c = clusters.draw_shares(np.array([s]), np.array([decisive]), 400_000, random)[:, 0]
    pair = []
    for _ in range(2):
        decided = random.random(400_000) < s_c
        pair.append(np.where(decided, np.where(random.random(400_000) < p_c, 1, -1), 0))
    seen = np.corrcoef(*pair)[0, 1]
    assert clusters.outcome_correlation(p, s, win, decisive) == pytest.approx(seen, abs=0.006)


def test_ignoring_clusters_is_too_certain():
    """Between equal systems, verdicts at 0.95 are wrong more often when clusters are taken as
    independent.
    """
    random = np.random.default_rng(5)
    wrong = np.zeros(2)
    for _ in range(200):
        share = random.beta(1, 1, 20)  # correlation 1/3
        wins = random.binomial(5, share)
        naive = stats.beta(1 + wins.sum(), 1 + (5 - wins).sum()).sf(0.5)
        known, _ = clusters.prob_above_half(wins, 5 - wins, 1.0, 1.0)
        wrong += [max(p, 1 - p) >= 0.95 for p in (naive, known)]
    assert wrong[0] / 200 > 0.2
    assert wrong[1] / 200 < 0.16  # 0.1, both sides together, and 3 standard errors


def test_moments_of_the_design_effect():
    random = np.random.default_rng(2)
    # clusters of five that always agree
    outcome = np.repeat(random.choice([-1, 1], 400), 5)[:, None]
    seen = np.ones_like(outcome, dtype=bool)
    assert clusters.design_effect(outcome, seen, np.repeat(np.arange(400), 5))[0] == pytest.approx(
        5, rel=0.02
    )
    alone = random.choice([-1, 0, 1], 2000)[:, None]
    assert clusters.design_effect(alone, seen, np.repeat(np.arange(400), 5))[0] == pytest.approx(
        1, abs=0.25
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.sum("cluster"), "give a dim 'cluster'"),
        (lambda c: c.isel(cluster=[0]), "there is 1 cluster"),
        (lambda c: c.sel(outcome=["win", "loss"]), "needs the number of ties"),
    ],
)
def test_bad_counts(data, change, message):
    with pytest.raises(ValueError, match=message):
        model.build(change(data["counts"]))


FEW = Sampling(draws=3, chains=2)
UNEVEN = (0.5, 2.0, 3.0)


@pytest.mark.sampled
@pytest.mark.parametrize("correlation", [None, 0.2])
def test_the_density_of_clusters_is_that_of_the_model(correlation, density, log_density):
    counts = model.simulate(8, size=6, pairs=2, prior=UNEVEN, rng=3)["counts"]
    form = {"prior": UNEVEN, "correlation": correlation}
    tree = model.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    posterior = model.Clusters(counts.values, form["prior"], correlation)
    found = importance.drawn(posterior, "laplace", FEW, 1)
    halves = zip(posterior.shares, np.hsplit(found.v, 2), np.hsplit(found.x, 2), strict=True)
    own = sum(log_density(half, r, t[..., None]) for half, r, t in halves)
    apart = density(model.build(counts, **form), tree["posterior"].to_dataset()) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
def test_clusters_by_weights_are_as_by_nuts(roads_agree):
    roads_agree(partial(model.fit, model.simulate(20, size=5, pairs=3, rng=4)["counts"]))


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
def test_corners_of_clusters_are_within_reach(groups_in_corner, prior):
    counts = groups_in_corner
    tree = model.fit(counts, prior=prior, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert np.isfinite(posterior["difference"].values).all()
    exact = model.closed_form(counts, prior=prior).values
    found = (posterior["p"] > 0.5).mean(("chain", "draw")).values
    assert np.abs(probability_z(exact, found, np.full(exact.shape, 3500.0))).max() < 4


def test_shares_of_clusters_are_those_of_a_grid():
    """Mean and spread of p, s and both correlations, from sums over a grid of each half."""
    counts = model.simulate(12, size=5, rng=6)["counts"]
    posterior = model.Clusters(counts.values, (1.0, 1.0, 1.0), None)
    tree = model.fit(counts, rng=1, predictive=False)["posterior"].to_dataset()
    t, r = np.meshgrid(np.linspace(-12, 12, 1201), np.linspace(-3.5, 3.5, 701), indexing="ij")
    of = np.zeros(t.size, int)
    for half, mean, alike in zip(posterior.shares, ("p", "s"), model.CORRELATIONS, strict=True):
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
    far_tails_go_to_nuts(model, Shares)


@pytest.mark.usefixtures("no_nuts")
def test_steps_that_would_lead_too_far_are_shortened_for_clusters(of_groups):
    counts = of_groups([[5, 7111, 1414], [2, 0, 0]])
    assert model.fit(counts, rng=1, predictive=False)["posterior"].attrs["pareto_k"] <= 0.7
