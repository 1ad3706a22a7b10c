"""The consensus of a few items against all orders of them."""

import itertools

import numpy as np
import pytest

from betterthan.exact import rankings


@pytest.mark.parametrize("seed", range(25))
def test_best_of_all_orders(seed):
    random = np.random.default_rng(seed)
    n, judges = random.integers(2, 7), random.integers(1, 6)
    ranks = np.stack([random.permutation(n) + 1.0 for _ in range(judges)])
    if seed % 3 == 0:
        ranks[0] = np.ceil(ranks[0] / 2)  # a judge with ties
    if seed % 4 == 0:
        ranks[-1, 0] = np.nan  # a judge who left one out
    before = rankings.preferences(ranks)
    distances = [
        rankings.distance(before, list(order)) for order in itertools.permutations(range(n))
    ]
    found = rankings.kemeny(before)
    assert found.distance == min(distances)
    assert found.n_best == sum(abs(d - min(distances)) < 1e-9 for d in distances)
    assert sorted(found.order) == list(range(n))
    assert (
        rankings.least_distance(before)
        <= found.distance
        <= rankings.distance(before, rankings.borda(ranks))
    )


def test_parts_are_searched_one_by_one():
    block = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]], dtype=float)  # a circle of three items
    ranks = np.concatenate([block + 3 * k for k in range(10)], axis=1)
    before = rankings.preferences(ranks)
    assert rankings.largest_part(before) == 3
    found = rankings.kemeny(before)
    assert found.n_best == 3**10
    assert [item // 3 for item in found.order] == sorted(item // 3 for item in found.order)


def test_distance_counts_pairs():
    ranks = np.array([[1.0, 2, 3], [3.0, 2, 1], [1.0, 1, 2]])
    before = rankings.preferences(ranks)
    assert rankings.distance(before, [0, 1, 2]) == 3 + 0.5
