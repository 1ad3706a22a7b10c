"""About how many more items it takes: the first of some round numbers."""

from collections.abc import Callable

import numpy as np

_LEADING = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
ROUND = np.array([5] + [int(x * 10**k) for k in (1, 2, 3) for x in _LEADING] + [10_000])


_Prob = Callable[[np.ndarray, np.ndarray], np.ndarray]


def soonest(prob: _Prob, sure: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """For each row a round number at which a probability reaches the target, as it did not at the
    one before; nan where none does up to 10,000.

    Parameters
    ----------
    prob, sure : callable
        Of some rows (their places) at a number of items each: at a glance, and exactly. The last
        number that `sure` is asked of a row is the one that is returned, or 10,000.
    rows : numpy.ndarray of int
        Places of the rows.
    target : float

    Examples
    --------
    >>> rate = np.array([0.01, 0.2, 0])
    >>> curve = lambda rows, n: 1 - np.exp(-rate[rows] * n)
    >>> soonest(curve, curve, np.arange(3), 0.8).tolist()
    [200.0, 10.0, nan]
    """
    items = np.full(len(rows), np.nan)
    place = np.minimum(_halved(prob, rows, target), len(ROUND) - 1)
    while (open_ := np.flatnonzero(np.isnan(items) & (place < len(ROUND)))).size:
        met = sure(rows[open_], ROUND[place[open_]]) >= target
        items[open_[met]] = ROUND[place[open_[met]]]
        place[open_[~met]] += 1
    return items


def _halved(prob: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """The place among the round numbers, past the last where none will do."""
    low, high = np.zeros(len(rows), np.int64), np.full(len(rows), len(ROUND))
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        met = prob(rows[open_], ROUND[middle]) >= target
        high[open_] = np.where(met, middle, high[open_])
        low[open_] = np.where(met, low[open_], middle + 1)
    return low
