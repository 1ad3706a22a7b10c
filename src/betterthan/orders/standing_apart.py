"""Which judges stand apart: whether one agrees with the others less, document after document, than
one of them drawn at random for each document would.
"""

import numpy as np

from betterthan.exact.swaps.corrections import holm

_CELLS = 20_000  # of the grid on which sums of taus stand


def outlying(tau: np.ndarray) -> tuple[np.ndarray, float]:
    """One-sided p of each judge, Holm's over all of them, and the smallest that there can be.

    If judges are alike, each is as likely to have given any of a document's orders. What a judge's
    order has in common with all the others' then has a known distribution, that of a sum of draws,
    one a document: no shape is assumed, and no judge is held against a mean that holds its own
    order.

    Parameters
    ----------
    tau : numpy.ndarray, (document, judge, judge)
        NaN on the diagonal, and where a judge gave no order.
    """
    mean, there = _with_the_others(tau)
    if len(mean) < 2 or tau.shape[1] < 4:
        return np.full(tau.shape[1], np.nan), np.nan
    widths = [np.ptp(m[t]) for m, t in zip(mean, there, strict=True)]
    place = np.rint(mean / max(sum(widths) / _CELLS, 1e-9)).astype(np.int64)
    orders = there.sum(0)
    each = [_below(place, there, k) if n > 1 else np.nan for k, n in enumerate(orders)]
    least = (orders > 1).sum() / np.prod(there.sum(1), dtype=float)
    return holm(np.array(each)), float(min(least, 1.0))


def _with_the_others(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean tau of each judge with the others, (document, judge), and where there is one; documents
    with three judges or more.
    """
    given = ~np.isnan(tau)
    number = given.sum(2)
    mean = np.where(given, tau, 0).sum(2) / np.where(number, number, 1)
    enough = (number > 0).sum(1) > 2
    return mean[enough], (number > 0)[enough]


def _below(place: np.ndarray, there: np.ndarray, judge: int) -> float:
    """The share of draws of one judge a document whose sum is that of this judge or lower."""
    chance, low, own = np.ones(1), 0, 0
    for at, known in zip(place, there, strict=True):
        if not known[judge]:
            continue
        shift = at[known] - at[known].min()
        wider = np.zeros(len(chance) + shift.max())
        for s in shift:
            wider[s : s + len(chance)] += chance / len(shift)
        chance, low, own = wider, low + at[known].min(), own + at[judge]
    same = there[
        :, judge
    ].sum()  # sums that are equal lie no further apart, by rounding to the grid
    return float(min(chance[: own - low + 1 + same].sum(), 1.0))
