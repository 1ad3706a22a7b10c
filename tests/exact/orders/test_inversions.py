"""Inversions, tied pairs and the three taus against enumeration and scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.exact import rankings

ranks = st.lists(st.integers(1, 6), min_size=2, max_size=12)


def by_pairs(order):
    return sum(a > b for a, b in itertools.combinations(order, 2))


@pytest.mark.parametrize("n", range(1, 9))
def test_every_permutation_is_counted(n):
    orders = np.array(list(itertools.permutations(range(n)))[:5040])
    assert rankings.inversions(orders).tolist() == [by_pairs(order) for order in orders]


def test_long_orders_and_many_dims():
    random = np.random.default_rng(1)
    orders = random.permuted(np.broadcast_to(np.arange(67), (3, 4, 67)), axis=-1)
    found = rankings.inversions(orders)
    assert found.shape == (3, 4)
    assert found[2, 1] == by_pairs(orders[2, 1])
    assert rankings.inversions(np.arange(1000)[::-1].copy()) == 999 * 500


@given(ranks, st.randoms(use_true_random=False))
def test_taus_are_scipys(x, random):
    y = [random.randint(1, 5) for _ in x]
    a, b = np.array(x, float), np.array(y, float)
    n = len(x)
    wrong = rankings.inversions(rankings.permutations(a, b))
    tied_a, tied_b, both = (
        rankings.tied_pairs(a),
        rankings.tied_pairs(b),
        rankings.tied_in_both(a, b),
    )
    right = n * (n - 1) // 2 - tied_a - tied_b + both - wrong
    fewest = min(rankings.distinct(a), rankings.distinct(b))
    for kind in "bc":
        found = float(rankings.tau(right, wrong, tied_a, tied_b, np.array(n), kind, fewest))
        expected = stats.kendalltau(x, y, variant=kind).statistic
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert right + wrong == sum(
        (x[i] - x[j]) * (y[i] - y[j]) != 0 for i in range(n) for j in range(i)
    )


def test_nan_is_tied_with_nothing():
    values = np.array([[1.0, 1.0, np.nan, np.nan], [1.0, 2.0, 3.0, np.nan]])
    assert rankings.tied_pairs(values).tolist() == [1, 0]
    assert rankings.distinct(values).tolist() == [1, 3]
