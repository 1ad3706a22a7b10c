"""Distances of orders: against breadth-first search, known numbers of permutations, and S4."""

from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.exact import rankings
from betterthan.exact import rankings as moves


def every(n):
    return np.array(list(permutations(range(n))))


def searched(n, neighbors):
    """Fewest moves from the sorted order to every permutation."""
    start = tuple(range(n))
    steps, front = {start: 0}, [start]
    while front:
        reached = []
        for order in front:
            for other in neighbors(order):
                if other not in steps:
                    steps[other] = steps[order] + 1
                    reached.append(other)
        front = reached
    return np.array([steps[tuple(order)] for order in every(n).tolist()])


def exchanged(order):
    for i in range(len(order)):
        for j in range(i):
            other = list(order)
            other[i], other[j] = other[j], other[i]
            yield tuple(other)


def moved(order):
    for i in range(len(order)):
        rest = order[:i] + order[i + 1 :]
        for j in range(len(order)):
            yield (*rest[:j], order[i], *rest[j:])


@pytest.mark.parametrize(
    ("distance", "neighbors"), [(moves.cayley, exchanged), (moves.ulam, moved)]
)
def test_distances_are_the_fewest_moves(distance, neighbors):
    for n in (1, 2, 3, 5, 6):
        np.testing.assert_array_equal(distance(every(n)), searched(n, neighbors))


def test_so_many_permutations_are_so_far_away():
    """Stirling numbers of the first kind, and those of longest rising subsequences."""
    assert np.bincount(moves.cayley(every(5))).tolist() == [1, 10, 35, 50, 24]
    assert np.bincount(moves.ulam(every(5))).tolist() == [1, 16, 61, 41, 1]
    far = np.bincount(moves.cayley(every(8)))
    assert far.sum() == factorial(8)
    assert far[7] == factorial(7)  # of one cycle


def test_distances_of_the_published_orders():
    lists = {
        "reference": list("ABCDEFGHIJ"),
        "system 1": list("BADECFGIHJ"),
        "system 2": list("JBCDEFGHIA"),
    }
    found = bt.orders.distances(lists, "reference")
    assert found["kendall"].values.tolist() == [4, 17]
    assert found["cayley"].values.tolist() == [4, 1]
    assert found["ulam"].values.tolist() == [3, 2]
    np.testing.assert_array_equal(
        found["kendall"], bt.orders.kendall_tau(lists, "reference")["inversions"]
    )


def test_distances_are_symmetric_and_bound_each_other():
    random = np.random.default_rng(1)
    a, b = random.permuted(np.tile(np.arange(9), (2, 300, 1)), axis=2)
    one, other = rankings.permutations(a, b), rankings.permutations(b, a)
    for distance in (moves.cayley, moves.ulam, rankings.inversions):
        np.testing.assert_array_equal(distance(one), distance(other))
    kendall = rankings.inversions(one)
    assert (moves.cayley(one) <= kendall).all()
    assert (moves.ulam(one) <= kendall).all()


def test_documents_references_ties_and_other_items():
    lists = {"r": list("abc"), "s": list("acb"), "A": list("cab")}
    documents = {"d1": lists, "d2": {"r": list("abcd"), "s": list("dcba"), "A": list("bacd")}}
    found = bt.orders.distances(documents, ["r", "s"])
    assert found["ulam"].sel(system="A", document="d1").values.tolist() == [1, 1]
    assert found["n_items"].sel(system="A", reference="r").values.tolist() == [3, 4]
    lacking = {"d1": lists, "d2": {"r": list("abcd"), "s": list("dcba")}}
    assert np.isnan(bt.orders.distances(lacking, ["r", "s"])["cayley"].sel(document="d2")).all()
    other = {"r": list("abcd"), "A": list("dxa")}
    with pytest.raises(ValueError, match="different items"):
        bt.orders.distances(other, "r")
    assert bt.orders.distances(other, "r", restrict="common")["cayley"].item() == 1
    ranks = bt.orders.from_ranks(pd.DataFrame([[1, 2, 3], [1, 1, 3]], ["r", "A"], list("abc")))
    assert np.isnan(bt.orders.distances(ranks, "r")["kendall"].item())
    with pytest.raises(ValueError, match="restrict is 'all'"):
        bt.orders.distances(lists, "r", restrict="all")
