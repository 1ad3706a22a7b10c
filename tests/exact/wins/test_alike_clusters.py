"""Clusters whose examples are all alike say no more than as many examples."""

import itertools

import numpy as np
import pytest
from scipy import special, stats

from betterthan.exact.wins import clusters
from betterthan.models import priors


def pure(won, lost, size):
    """P(A better) of clusters in which one system wins every example."""
    return clusters.prob_above_half(
        np.array([size] * won + [0] * lost), np.array([0] * won + [size] * lost), 1.0, 1.0
    )[0]


def test_twelve_items_in_five_identical_runs():
    """Eight to four: .867 of twelve examples; it was .955 of sixty."""
    twelve = stats.beta(9, 5).sf(0.5)
    assert twelve == pytest.approx(0.8666, abs=1e-4)
    assert pure(8, 4, 5) == pytest.approx(twelve, abs=0.01)
    assert pure(8, 4, 50) == pytest.approx(twelve, abs=0.01)


@pytest.mark.parametrize("count", [3, 5, 10])
def test_verdicts_between_equal_systems_whose_clusters_are_all_alike(count):
    """Exactly, over how many clusters of two in five are won and lost: near to one tenth; of a
    prior Beta(1, 9) it was up to .6.
    """
    rate = 0.0
    for won, lost in itertools.product(range(count + 1), repeat=2):
        if won + lost <= count and pure(won, lost, 5) >= 0.95:
            chance = stats.multinomial.pmf([won, lost, count - won - lost], count, [0.2, 0.2, 0.6])
            rate += 2 * chance
    assert rate <= 0.13


def test_verdicts_between_equal_systems_whose_clusters_differ():
    random = np.random.default_rng(3)
    theta = random.dirichlet((1 / 0.6 - 1) * np.array([0.2, 0.2, 0.6]), size=(100, 5))
    counts = random.multinomial(20, theta)
    rate = np.mean([decided(table) for table in counts])
    assert rate <= 0.13 + 2 * np.sqrt(0.13 * 0.87 / 100)


def test_independent_examples_keep_four_fifths_of_the_power():
    random = np.random.default_rng(4)
    counts = random.multinomial(20, [0.28, 0.12, 0.6], size=(100, 10))
    found = np.mean([decided(table) for table in counts])
    win, loss, _ = counts.sum(1).T
    plain = np.mean(special.betainc(1 + loss, 1 + win, 0.5) >= 0.95)
    assert 0.5 < plain < 0.99
    assert found / plain >= 0.8


def decided(table):
    return max(clusters.prob_above_half(table[:, 0], table[:, 1], 1.0, 1.0)) >= 0.95


def test_no_digit_is_lost_where_clusters_are_alike():
    """Kappa to infinity is the binomial; a difference of log gamma functions was rounding there."""
    p, rows, repeats = np.array([[0.3], [0.6]]), np.array([[400, 600], [3, 1]]), np.array([1, 2])
    found = clusters._log_likelihood(p, np.array([1e14]), rows, repeats)
    binomial = 406 * np.log(p) + 602 * np.log1p(-p)
    assert found == pytest.approx(binomial, rel=1e-10)
    exact = clusters._log_likelihood(p, np.array([50.0]), rows, repeats)
    by_beta = sum(
        times
        * (special.betaln(50 * p + w, 50 * (1 - p) + x) - special.betaln(50 * p, 50 * (1 - p)))
        for (w, x), times in zip(rows, repeats, strict=True)
    )
    assert exact == pytest.approx(by_beta, rel=1e-12)


def test_prior_as_it_is_sampled_is_the_prior():
    """The coordinate that NUTS moves on: its density and its draws."""
    raw = np.linspace(-3, 3, 8001)
    log = np.asarray(priors._raw_log_density(raw, *clusters.CORRELATION).eval(mode="FAST_COMPILE"))
    mass = np.exp(log) / np.exp(log).sum()
    logit = 6 * np.sinh(raw)
    for level in (0.1, 0.5, 0.9):
        below = mass[special.expit(logit) < level].sum()
        assert below == pytest.approx(stats.beta.cdf(level, *clusters.CORRELATION), abs=0.002)
    random = np.random.default_rng(1)
    drawn = priors._draw_raw(*clusters.CORRELATION, rng=random, size=(4000,))
    share = special.expit(6 * np.sinh(drawn))
    assert stats.kstest(share, stats.beta(*clusters.CORRELATION).cdf).pvalue > 0.001
