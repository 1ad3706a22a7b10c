"""Correlations of ranks among few pairs of values: p over all arrangements, and what to say of a
perfect order.
"""

from functools import cache
from math import factorial
from typing import Any

import numpy as np
from scipy import special, stats

EXACT = 9  # pairs of values up to which all arrangements are gone through: 362,880
_PERFECT = 1 - 1e-12
_LEAST_P = float(np.finfo(float).tiny)


def perfect(r: np.ndarray) -> np.ndarray:
    """Whether a correlation is 1 or -1, but for rounding."""
    return np.abs(r) >= _PERFECT


def exact_p(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Two-sided p of Spearman's r and of Kendall's tau-b: the share of all arrangements of y that
    go with x as far or further, up or down. Compared in whole numbers.
    """
    a, b = (np.rint(2 * stats.rankdata(v)).astype(np.int64) for v in (x, y))
    arranged = b[_arrangements(len(b))]
    products = len(a) * (arranged @ a) - a.sum() * b.sum()
    first, second = np.triu_indices(len(a), 1)
    sign = np.sign(a[second] - a[first])
    signs = np.zeros(len(arranged), dtype=np.int64)
    for i, j, s in zip(first, second, sign, strict=True):
        signs += s * np.sign(arranged[:, j] - arranged[:, i])
    # the first arrangement is the one observed
    spearman, kendall = (float((np.abs(v) >= abs(v[0])).mean()) for v in (products, signs))
    return spearman, kendall


def perfect_p(y: np.ndarray) -> float:
    """Two-sided p of a perfect order of these values, however many: the share of arrangements that
    are one.
    """
    ties = np.unique(y, return_counts=True)[1]
    log = special.gammaln(ties + 1).sum() - special.gammaln(len(y) + 1)
    ways = 2 if np.array_equal(ties, ties[::-1]) else 1  # the reverse is perfect as well
    return max(float(ways * np.exp(log)), _LEAST_P)


def next_to_perfect(y: np.ndarray) -> tuple[float, float]:
    """Return the largest Spearman's r and Kendall's tau-b below 1 with these ties."""
    ordered = np.sort(y)
    correlations = []
    for k in np.flatnonzero(np.diff(ordered)):
        swapped = ordered.copy()
        swapped[[k, k + 1]] = ordered[[k + 1, k]]
        tests: list[Any] = [stats.spearmanr(ordered, swapped), stats.kendalltau(ordered, swapped)]
        correlations.append([float(test[0]) for test in tests])
    spearman, kendall = np.max(correlations, axis=0)
    return float(spearman), float(kendall)


@cache
def _arrangements(n: int) -> np.ndarray:
    """Return all permutations of n, (n!, n); the first is the identity."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.int8)
    shorter = _arrangements(n - 1)
    permutations = np.empty((factorial(n), n), dtype=np.int8)
    for k in range(n):
        others = np.delete(np.arange(n, dtype=np.int8), k)
        part = permutations[k * len(shorter) : (k + 1) * len(shorter)]
        part[:, 0], part[:, 1:] = k, others[shorter]
    return permutations
