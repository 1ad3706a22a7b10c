"""The order that disagrees least with many orders: Kemeny's, exactly; and Borda's, by mean rank.

Kemeny (1959), Mathematics without numbers, Daedalus 88, 577-591; Truchon (1998), An extension of
the Condorcet criterion and Kemeny orders: what all of one part beat, stands after that part in
every Kemeny order.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

PART_MAX = 16  # items of a majority cycle up to which all orders are searched


@dataclass(frozen=True)
class Consensus:
    """Items in order, how many pairs of the given orders disagree with it, and how many orders are
    as good.
    """

    order: list[int]
    distance: float
    n_best: int


def preferences(ranks: np.ndarray) -> np.ndarray:
    """How many orders put i before j, ties half, from ranks (order, item) with NaN where an item is
    not ranked.
    """
    differences = ranks[:, None, :] - ranks[:, :, None]
    return ((differences > 0) + (differences == 0) / 2).sum(0) * (1 - np.eye(ranks.shape[1]))


def distance(before: np.ndarray, order: list[int]) -> float:
    """Pairs of the given orders that disagree with this one."""
    inner = before[np.ix_(order, order)]
    return float(np.tril(inner, -1).sum())


def least_distance(before: np.ndarray) -> float:
    """No order can disagree with fewer pairs: each pair on its own goes with the majority."""
    return float(np.triu(np.minimum(before, before.T), 1).sum())


def largest_part(before: np.ndarray) -> int:
    """Items in the largest cycle of majorities, which is what the exact search takes time for."""
    return int(np.bincount(_parts(before)).max())


def kemeny(before: np.ndarray) -> Consensus:
    """An order of least distance; of several, one that puts items listed later at the end."""
    part = _parts(before)
    wins = (before > before.T).sum(1)
    firsts = [np.flatnonzero(part == p) for p in range(part.max() + 1)]
    outside = [
        wins[items[0]] - (before[items[0], items] > before[items, items[0]]).sum()
        for items in firsts
    ]
    order: list[int] = []
    n_best = 1
    for p in np.argsort(outside, kind="stable")[::-1]:
        items = firsts[p]
        inner, ways = _search(before[np.ix_(items, items)])
        order += items[inner].tolist()
        n_best *= ways
    return Consensus(order, distance(before, order), n_best)


def borda(ranks: np.ndarray) -> list[int]:
    """Items by their mean share of the way down the orders; of equal ones the first listed comes
    first.
    """
    length = (~np.isnan(ranks)).sum(1, keepdims=True)
    return np.argsort(
        np.nanmean((ranks - 0.5) / np.maximum(length, 1), axis=0), kind="stable"
    ).tolist()


def _parts(before: np.ndarray) -> np.ndarray:
    """Which items can reach each other along "at least as many orders put it first"."""
    return connected_components(before >= before.T, directed=True, connection="strong")[1]


def _search(before: np.ndarray) -> tuple[list[int], int]:
    """Best order of a few items and the number of them: the last item of every subset, in subsets
    of growing size.
    """
    n = len(before)
    behind = _behind(before)
    cost, ways = np.full(1 << n, np.inf), np.zeros(1 << n, dtype=object)
    last = np.zeros(1 << n, dtype=np.int8)
    cost[0], ways[0] = 0.0, 1
    subsets = np.arange(1 << n)
    size = np.bitwise_count(subsets.astype(np.uint32))
    for layer in [subsets[size == k] for k in range(1, n + 1)]:
        for i in range(n):
            sets = layer[layer >> i & 1 == 1]
            without = sets ^ (1 << i)
            total = cost[without] + behind[i, without]
            better, equal = total < cost[sets] - 1e-9, np.abs(total - cost[sets]) <= 1e-9
            ways[sets] = np.where(
                better, ways[without], ways[sets] + np.where(equal, ways[without], 0)
            )
            last[sets] = np.where(better | equal, i, last[sets])
            cost[sets] = np.where(better, total, cost[sets])
    return _from_the_end(last), int(ways[-1])


def _behind(before: np.ndarray) -> np.ndarray:
    """Disagreement when item i follows all of a subset, (item, subset)."""
    n = len(before)
    behind = np.zeros((n, 1 << n))
    for j in range(n):
        behind[:, 1 << j : 2 << j] = behind[:, : 1 << j] + before[:, j : j + 1]
    return behind


def _from_the_end(last: np.ndarray) -> list[int]:
    """The order whose last items these are, subset by subset."""
    order: list[int] = []
    left = len(last) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return order[::-1]
