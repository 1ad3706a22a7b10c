"""About how many more items it takes: the first of some round numbers."""

from collections.abc import Callable

import numpy as np

_LEADING = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
ROUND = np.array([5] + [int(x * 10**k) for k in (1, 2, 3) for x in _LEADING] + [10_000])


_Prob = Callable[[np.ndarray, np.ndarray], np.ndarray]


def soonest(
    prob: _Prob, sure: _Prob, ceiling: np.ndarray, target: float
) -> tuple[np.ndarray, np.ndarray]:
    """For each row a round number at which a probability reaches the target, as it did not at the
    one before, and what it is there; nan where none does up to 10,000.

    Parameters
    ----------
    prob, sure : callable
        Of some rows (their places) at a number of items each: at a glance, and exactly.
    ceiling : numpy.ndarray, (rows,)
        What no number can pass.
    target : float

    Examples
    --------
    >>> rate = np.array([0.01, 0.2, 0.5])
    >>> curve = lambda rows, n: 1 - np.exp(-rate[rows] * n)
    >>> soonest(curve, curve, np.array([1.0, 1.0, 0.5]), 0.8)[0].tolist()
    [200.0, 10.0, nan]
    """
    items, reached = (np.full(len(ceiling), np.nan) for _ in range(2))
    rows = np.flatnonzero(ceiling >= target)
    at = _halved(prob, rows, target)
    while (open_ := np.flatnonzero(np.isnan(items[rows]) & (at < len(ROUND)))).size:
        there = sure(rows[open_], ROUND[at[open_]])
        met = there >= target
        items[rows[open_[met]]], reached[rows[open_[met]]] = ROUND[at[open_[met]]], there[met]
        at[open_[~met]] += 1
    return items, reached


def _halved(prob: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """The place among the round numbers, past the last where none will do."""
    low, high = np.zeros(len(rows), np.int64), np.full(len(rows), len(ROUND))
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        met = prob(rows[open_], ROUND[middle]) >= target
        high[open_] = np.where(met, middle, high[open_])
        low[open_] = np.where(met, low[open_], middle + 1)
    return low
