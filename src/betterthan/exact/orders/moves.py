"""Distances of permutations by the moves that undo them: exchanges of two items, moves of one.

Diaconis (1988), Group Representations in Probability and Statistics, chapter 6.
"""

import numpy as np


def cayley(orders: np.ndarray) -> np.ndarray:
    """Fewest exchanges of any two items that sort each permutation of 0 to n - 1: items less
    cycles, (..., n) -> (...).
    """
    ahead, least = orders, np.broadcast_to(np.arange(orders.shape[-1]), orders.shape)
    for _ in range(int(orders.shape[-1]).bit_length()):  # doubles how far along its cycle each sees
        least = np.minimum(least, np.take_along_axis(least, ahead, -1))
        ahead = np.take_along_axis(ahead, ahead, -1)
    return (least != np.arange(orders.shape[-1])).sum(-1)


def ulam(orders: np.ndarray) -> np.ndarray:
    """Fewest items that must be moved to sort each permutation of 0 to n - 1, (..., n) -> (...):
    items less the longest rising subsequence.
    """
    n = orders.shape[-1]
    rows = orders.reshape(-1, n)
    last = np.full((len(rows), n), n)  # least last item of rising subsequences of each length
    for item in rows.T:
        length = (last < item[:, None]).sum(1)
        last[np.arange(len(rows)), length] = item
    return (last == n).sum(1).reshape(orders.shape[:-1])
