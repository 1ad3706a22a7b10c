"""The null distribution of inversions against enumeration, scipy, a published figure and itself."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from betterthan.exact import rankings

# Lapata 2006, Figure 1
EIGHT = [1, 7, 27, 76, 174, 343, 602, 961, 1415, 1940, 2493, 3017, 3450, 3736, 3836]


@pytest.mark.parametrize("n", range(1, 9))
def test_every_order_is_enumerated(n):
    counts = np.bincount(
        [
            sum(a > b for a, b in itertools.combinations(order, 2))
            for order in itertools.permutations(range(n))
        ]
    )
    assert rankings.orders_by_inversions(n) == tuple(counts.tolist())


@pytest.mark.parametrize("n", [2, 8, 33, 120, 200])
def test_symmetry_and_total(n):
    counts = rankings.orders_by_inversions(n)
    assert counts == counts[::-1]
    assert sum(counts) == math.factorial(n)
    assert len(counts) == n * (n - 1) // 2 + 1


def test_published_figure():
    assert list(rankings.orders_by_inversions(8)[:15]) == EIGHT


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [3, 10, 40])
def test_p_is_scipys(n, alternative):
    random = np.random.default_rng(n)
    for _ in range(8):
        order = random.permutation(n)
        k = sum(a > b for a, b in itertools.combinations(order, 2))
        p, error = rankings.p_value(np.array([k]), np.array([n]), alternative)
        expected = stats.kendalltau(
            np.arange(n), order, method="exact", alternative=alternative
        ).pvalue
        assert p[0] == pytest.approx(expected, rel=1e-9)
        assert error[0] == 0


def test_tails_keep_their_digits():
    p, _ = rankings.p_value(np.array([0]), np.array([100]), "greater")
    assert p[0] == pytest.approx(1 / math.factorial(100), rel=1e-12)


def test_normal_beyond_the_exact_range_is_as_near_as_it_says():
    n = rankings.EXACT_MAX
    exact = np.cumsum(rankings.probabilities(n))
    worst = np.abs(rankings.normal_tail(np.arange(len(exact)), n) - exact).max()
    _, told = rankings.p_value(np.array([12_000]), np.array([n + 1]), "greater")
    assert 1e-8 < worst < told[0] < 2e-6
    fewer = np.cumsum(rankings.probabilities(100))
    # it falls with n
    assert np.abs(rankings.normal_tail(np.arange(len(fewer)), 100) - fewer).max() > worst


def test_sum_over_documents_is_that_of_all_their_orders():
    sizes = np.array([3, 4, 3])
    null, weight, steps = rankings.sum_null(sizes)
    found = np.zeros(len(null))
    for orders in itertools.product(*[list(itertools.permutations(range(n))) for n in sizes]):
        k = [sum(a > b for a, b in itertools.combinations(order, 2)) for order in orders]
        found[int(np.dot(k, weight))] += 1
    assert null == pytest.approx(found / found.sum(), abs=1e-15)
    assert steps == 6
    assert rankings.sum_null(np.arange(5, 30)) is None


@pytest.mark.parametrize("n", [2, 9, 230])
def test_drawn_inversions_have_the_moments_of_the_null(n):
    drawn = rankings.draw(np.array([n]), 20_000, np.random.default_rng(n))[:, 0]
    mean, variance = n * (n - 1) / 4, n * (n - 1) * (2 * n + 5) / 72
    assert abs(drawn.mean() - mean) < 4 * np.sqrt(variance / len(drawn))
    assert drawn.var() == pytest.approx(variance, rel=0.05)
