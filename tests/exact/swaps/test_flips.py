"""Swaps of whole clusters against all sign vectors, one by one."""

import itertools

import numpy as np
import pytest
from scipy import stats

from betterthan.exact.swaps import flips
from betterthan.exact.swaps.rank_tests import normal_rank_sum_p


def one_by_one(column):
    sums = [np.dot(signs, column) for signs in itertools.product([1, -1], repeat=len(column))]
    observed = abs(column.sum()) - 1e-9 * np.abs(column).sum()
    return np.mean(np.abs(sums) >= observed)


@pytest.mark.parametrize("clusters", [1, 2, 3, 6, 11])
def test_exact_p_values_count_all_sign_vectors(clusters):
    random = np.random.default_rng(clusters)
    each = random.normal(size=(clusters, 6))
    each[:, 1] = random.integers(-2, 3, clusters)  # ties of sums
    each[:, 2] = 0.1 * random.integers(-1, 2, clusters)  # sums that are equal but for rounding
    each[:, 3], each[:, 4] = 0, 1
    found, extreme = flips.flips(each, 0, 0)
    np.testing.assert_array_equal(found, [one_by_one(column) for column in each.T])
    assert (extreme == -1).all()


def test_twenty_clusters_are_exact_and_more_are_sampled():
    random = np.random.default_rng(3)
    each = random.normal(0.2, 1, (20, 2))
    exact = flips.flips(each, 0, 0)[0]
    np.testing.assert_allclose(exact * 2**20, np.round(exact * 2**20))
    more = np.concatenate([each, 1e-9 * random.normal(size=(1, 2))])
    sampled, extreme = flips.flips(more, 40_000, 1)
    error = np.sqrt(exact * (1 - exact) / 40_000)
    assert (np.abs(sampled - exact) < 4 * error + 1e-4).all()
    np.testing.assert_allclose(sampled, (1 + extreme) / 40_001)


def test_many_clusters_take_the_normal_limit():
    each = np.random.default_rng(4).normal(0.05, 1, (1500, 1))
    by_normal, extreme = flips.flips(each, 100, 1)
    by_draws = flips._sampled(each, 40_000, 1) / 40_000
    assert extreme[0] == -1
    assert by_normal[0] == pytest.approx(by_draws[0], abs=0.01)


def test_one_chunk_of_draws_is_as_good_as_many(monkeypatch):
    each = np.random.default_rng(5).normal(0.3, 1, (25, 3))
    whole = flips.flips(each, 5000, 7)[0]
    monkeypatch.setattr(flips, "_HELD", 400)
    np.testing.assert_array_equal(flips.flips(each, 5000, 7)[0], whole)
    apart = [flips.flips(each[:, [k]], 5000, 7)[0][0] for k in range(3)]
    np.testing.assert_array_equal(apart, whole)


@pytest.mark.parametrize(("won", "lost"), [(5, 1), (4, 1), (6, 0)])
def test_unit_differences_are_the_sign_test(won, lost):
    from scipy import stats

    p = flips.flips(np.array([[1.0]] * won + [[-1.0]] * lost), 0, 0)[0][0]
    assert p == pytest.approx(stats.binomtest(won, won + lost).pvalue, rel=1e-12)
    assert min(1.0, 2 * 0.5 ** (won + lost)) <= p


def test_clusters_with_unequal_runs_swap_totals_and_sizes():
    random = np.random.default_rng(6)
    size_a, size_b = (random.integers(1, 6, (5, 1)).astype(float) for _ in range(2))
    total_a, total_b = size_a * random.random((5, 1)), size_b * random.random((5, 1))

    def difference(swapped):
        first = np.where(swapped, total_b[:, 0], total_a[:, 0]).sum()
        second = np.where(swapped, total_a[:, 0], total_b[:, 0]).sum()
        one = np.where(swapped, size_b[:, 0], size_a[:, 0]).sum()
        other = np.where(swapped, size_a[:, 0], size_b[:, 0]).sum()
        return first / one - second / other

    every = [difference(np.array(s)) for s in itertools.product([False, True], repeat=5)]
    expected = np.mean(np.abs(every) >= abs(every[0]) - 1e-9)
    found, _ = flips.swaps(total_a, size_a, total_b, size_b, 100, 1)
    assert found[0] == pytest.approx(expected)


def test_whole_sums_are_sampled_as_fractions_are():
    random = np.random.default_rng(5)
    whole = random.integers(-6, 7, (30, 40)).astype(float)
    _, extreme = flips.flips(whole, 2_500, 8)
    np.testing.assert_array_equal(flips.flips(0.1 * whole, 2_500, 8)[1], extreme)
    large = whole * 2**22  # sums too large for single precision
    np.testing.assert_array_equal(flips.flips(large, 2_500, 8)[1], extreme)


def test_normal_rank_sum_with_ties_is_that_of_scipy():
    some, others = [0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1, 0]
    expected = stats.mannwhitneyu(some, others, method="asymptotic").pvalue
    np.testing.assert_allclose(normal_rank_sum_p(some, others), expected, rtol=1e-12)
