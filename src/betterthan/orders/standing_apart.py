"""Which judges stand apart: whether one agrees with the others less, document after document, than
one of them drawn at random for each document would.
"""

import numpy as np

from betterthan.exact.swaps.corrections import holm

_CELLS = 20_000  # of the grid on which sums of taus stand


def outlying(tau: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, dict[str, float | str]]:
    """One-sided p of each judge, Holm's over all of them; of what unit, and the smallest there can
    be.

    If judges are alike, each is as likely to have given any of a document's orders. What a judge's
    order has in common with all the others' then has a known distribution, that of a sum of draws,
    one a document: no shape is assumed, and no judge is held against a mean that holds its own
    order. Of one document the items are what is drawn, each with the ranks that judges gave it.

    Parameters
    ----------
    tau : numpy.ndarray, (document, judge, judge)
        NaN on the diagonal, and where a judge gave no order.
    ranks : numpy.ndarray, (document, judge, item)
        NaN where a document or an order has no such item.
    """
    unit = "document" if len(tau) > 1 else "item"
    found = _by_document(tau) if len(tau) > 1 else _by_item(ranks[0])
    there = ~np.isnan(found)
    enough = there.sum(1) > 2
    found, there = found[enough], there[enough]
    if len(found) < 2 or tau.shape[1] < 4:
        return np.full(tau.shape[1], np.nan), {"outlier_unit": unit, "least_p": np.nan}
    place = _on_grid(found, there)
    units = there.sum(0)
    each = [_below(place, there, k) if n > 1 else np.nan for k, n in enumerate(units)]
    least = (units > 1).sum() / np.prod(there.sum(1), dtype=float)
    return holm(np.array(each)), {"outlier_unit": unit, "least_p": float(min(least, 1.0))}


def _by_document(tau: np.ndarray) -> np.ndarray:
    """Mean tau of each judge with the others, (document, judge)."""
    given = ~np.isnan(tau)
    with np.errstate(invalid="ignore"):
        return np.where(given, tau, 0).sum(2) / given.sum(2)


def _by_item(ranks: np.ndarray) -> np.ndarray:
    """Less the mean distance of each judge's rank from the others', (item, judge); nothing where
    judges ranked different items, for then ranks are no measure.
    """
    ranks = ranks[:, ~np.isnan(ranks).all(0)]
    apart = np.abs(ranks[:, None] - ranks).sum(1) / max(len(ranks) - 1, 1)
    return -apart.T if not np.isnan(ranks).any() else np.full(apart.T.shape, np.nan)


def _on_grid(found: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Whole numbers of steps, as many for all units together as the grid has."""
    widths = [np.ptp(m[t]) for m, t in zip(found, there, strict=True)]
    step = max(sum(widths) / _CELLS, 1e-9)
    return np.rint(np.where(there, found, 0.0) / step).astype(np.int64)


def _below(place: np.ndarray, there: np.ndarray, judge: int) -> float:
    """The share of draws of one judge a unit whose sum is that of this judge or lower."""
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
