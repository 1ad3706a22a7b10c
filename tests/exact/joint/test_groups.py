"""One, two or three groups of systems, and how far abilities spread within."""

import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats

from betterthan.exact.joint.groups import fit_groups
from tests.exact.joint.tables import REFERENCE, SCORES, evidence

OMEGA, SCALE = (0.4, 1.0), 0.25


@pytest.mark.parametrize("name", SCORES)
def test_published_values_of_spread_and_groups(name):
    of, expected = evidence(SCORES[name]), REFERENCE[name]
    found = fit_groups(of.score, of.variance, of.scale)
    assert of.variance == pytest.approx(expected["variance"], abs=6e-10)
    assert found.spread == pytest.approx(expected["spread"], abs=6e-7)
    assert found.mean_k == pytest.approx(expected["kept"], abs=6e-7)
    np.testing.assert_allclose(found.prob_groups, expected["groups"], atol=6e-7)
    np.testing.assert_allclose(found.mean(), expected["mean"], atol=6e-7)


def log_likelihood(score, blocks, tau, omega, variance):
    """Of scores under these groups, by matrices: covariance within and between groups, and a mean
    with a flat prior.
    """
    n = len(score)
    group = np.zeros(n, dtype=int)
    for k, block in enumerate(blocks):
        group[list(block)] = k
    same = group[:, None] == group
    shared = (omega * SCALE) ** 2 if len(blocks) > 1 else 0.0
    covariance = (tau**2 + variance) * np.eye(n) + shared * same
    inverse = np.linalg.inv(covariance)
    precision = inverse.sum()
    middle = inverse.sum(0) @ score / precision
    square = (score - middle) @ inverse @ (score - middle)
    determinant = np.linalg.slogdet(covariance)[1]
    return -0.5 * (determinant + square + np.log(precision) + (n - 1) * np.log(2 * np.pi))


def log_prior(blocks, systems):
    """Dirichlet(1, .., 1) shares: of each way to give systems to numbered groups, contiguous ones
    stand for all orders of their groups.
    """
    c, sizes = len(blocks), [len(block) for block in blocks]
    log = special.gammaln
    ways = log(c + 1) + log(c) - log(systems + c) + sum(log(size + 1) for size in sizes)
    return ways - (np.log(2) if c > 1 else 0.0)  # two values of omega


def contiguous(order, groups):
    for cuts in itertools.combinations(range(1, len(order)), groups - 1):
        edges = (0, *cuts, len(order))
        yield [order[a:b] for a, b in itertools.pairwise(edges)]


def test_probabilities_of_groups_are_those_of_matrices_and_an_adaptive_integral():
    score, variance = np.array([0.31, 0.35, 0.4, 0.58, 0.6]), 0.004
    order = list(np.argsort(score))

    def total(angle, groups):
        tau = SCALE * np.tan(angle)
        return sum(
            np.exp(log_prior(blocks, 5) + log_likelihood(score, blocks, tau, omega, variance) - 4.0)
            for blocks in contiguous(order, groups)
            for omega in (OMEGA if groups > 1 else (0.0,))
        )

    each = [integrate.quad(total, 0, np.pi / 2, args=(c,), epsabs=1e-10)[0] for c in (1, 2, 3)]
    found = fit_groups(score, variance, SCALE)
    np.testing.assert_allclose(found.prob_groups, np.array(each) / sum(each), atol=2e-4)


def test_contiguous_groups_stand_for_all_where_groups_are_apart():
    """All 2^7 ways of two groups, beside the six contiguous ones."""
    score, variance, tau = np.array([0.3, 0.33, 0.36, 0.62, 0.64, 0.67, 0.7]), 0.001, 0.02
    ways = [blocks for blocks in _two(7) if all(blocks)]
    weigh = [log_prior(b, 7) + log_likelihood(score, b, tau, 1.0, variance) for b in ways]
    alike = list(contiguous(list(range(7)), 2))
    of_contiguous = [log_prior(b, 7) + log_likelihood(score, b, tau, 1.0, variance) for b in alike]
    # each way once: the prior of a contiguous one counts both orders of its groups
    missed = 1 - np.exp(special.logsumexp(of_contiguous) - special.logsumexp(weigh))
    assert missed < 1e-3


def _two(systems):
    for inside in itertools.product((0, 1), repeat=systems - 1):
        inside = (0, *inside)
        yield [[k for k in range(systems) if inside[k] == g] for g in (0, 1)]


def test_the_better_of_two_is_never_less_probable_in_an_upper_group():
    random = np.random.default_rng(0)
    score = random.normal(0.5, 0.1, 12)
    for part in fit_groups(score, 0.002, SCALE).parts[1:]:
        upper = part.label[:, ::-1].cumsum(1)[:, :-1]  # from the least score on
        upwards = part.centre[:, 0] < part.centre[:, -1]
        assert (np.diff(upper[upwards]) > -1e-12).all()


def test_members_of_two_groups_that_are_far_apart():
    found = fit_groups(np.array([0.2, 0.8, 0.21, 0.79, 0.22]), 0.0005, SCALE)
    assert found.members(2).tolist() == [0, 1, 0, 1, 0]
    assert found.prob_groups[1] > 0.7


def test_draws_of_abilities_have_the_means_of_the_posterior():
    of = evidence(SCORES["c"])
    found = fit_groups(of.score, of.variance, of.scale)
    random = np.random.default_rng(2)
    drawn = found.draws(of.errors(100_000, random), random)
    error = drawn.std(0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(0) - found.mean()) < 5 * error).all()


def test_shuffled_systems_have_shuffled_answers():
    score = np.array([0.4, 0.52, 0.47, 0.61, 0.3])
    order = [3, 1, 4, 0, 2]
    here, there = fit_groups(score, 0.002, SCALE), fit_groups(score[order], 0.002, SCALE)
    np.testing.assert_allclose(here.mean()[order], there.mean(), atol=1e-13)
    assert here.spread == pytest.approx(there.spread, abs=1e-14)


@pytest.mark.sampled
def test_pymc_draws_the_same_posterior():
    """The eight schools of Rubin (1981), with one error for all, in one group."""
    import pymc as pm

    effect, variance = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]) / 100, 0.125**2
    exact = fit_groups(effect, variance, SCALE, most=1)
    with pm.Model():
        tau = pm.HalfCauchy("tau", SCALE)
        middle = pm.Flat("middle", initval=0.1)
        raw = pm.Normal("raw", 0, 1, shape=8)
        ability = pm.Deterministic("ability", middle + tau * raw)
        pm.Normal("seen", ability, np.sqrt(variance), observed=effect)
        tree = pm.sample(
            draws=1000,
            tune=500,
            chains=2,
            cores=1,
            random_seed=1,
            progressbar=False,
            target_accept=0.95,
        )
    ability = tree["posterior"]["ability"].values.reshape(-1, 8)
    tau = tree["posterior"]["tau"].values.ravel()
    # 2,000 draws of some autocorrelation: four standard errors of 500 independent ones
    assert (np.abs(ability.mean(0) - exact.mean()) < 4 * ability.std(0) / 500**0.5).all()
    assert tau.mean() == pytest.approx(exact.spread, abs=4 * tau.std() / 500**0.5)
    (part,) = exact.parts
    first, second = np.triu_indices(8, 1)
    apart = part.k[:, None] * (effect[first] - effect[second])
    closed = part.weight @ stats.norm.cdf(apart / np.sqrt(2 * part.k * variance)[:, None])
    sampled = (ability[:, first] > ability[:, second]).mean(0)
    np.testing.assert_allclose(sampled, closed, atol=4 * 0.5 / 500**0.5)


def test_a_number_of_groups_may_be_impossible():
    score = np.concatenate([side + np.arange(10) * 1e-5 for side in (0.1, 0.9)])
    found = fit_groups(score, 1e-9, SCALE)
    assert found.prob_groups == pytest.approx([0, 1, 0])
    assert found.draws(np.zeros((50, 20)), np.random.default_rng(0)).shape == (50, 20)
