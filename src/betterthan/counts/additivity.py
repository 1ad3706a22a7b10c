"""Wins and losses of systems that are right or wrong on the same items: they add up, and tell how
errors go together.

A's wins less losses against C are those of A against B plus those of B against C, for all three are
differences of numbers of right items. Wins and losses together are squared distances, which give
the covariance of all differences.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import systems_of

_ROUNDING = 1e-9  # of the largest squared distance


def triple_that_does_not_add_up(counts: xr.DataArray) -> str:
    """The pair that most other pairs contradict, with two that do; empty where all add up.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome)

    Examples
    --------
    >>> from betterthan.counts.tables import from_table
    >>> wins = {("A", "B"): (12, 10), ("B", "C"): (10, 60), ("A", "C"): (14, 50)}
    >>> triple_that_does_not_add_up(from_table(wins))
    'A - C -36 and C - B +50 make A - B +14, and it is +2'
    """
    square = counts.transpose(*names.SQUARE, names.OUTCOME).values
    net = np.where(square.any(-1), square[..., 0] - square[..., 1], np.nan).astype(float)
    np.fill_diagonal(net, 0)
    broken = np.array([_off(net, k).sum(0) for k in range(len(net))])
    if not broken.any():
        return ""
    a, c = np.unravel_index(int(broken.argmax()), broken.shape)
    b = int(_off(net, int(a))[:, c].argmax())
    systems = systems_of(counts)
    first, second, third = systems[a], systems[b], systems[c]
    return (
        f"{first} - {second} {net[a, b]:+.0f} and {second} - {third} {net[b, c]:+.0f} make "
        f"{first} - {third} {net[a, b] + net[b, c]:+.0f}, and it is {net[a, c]:+.0f}"
    )


def _off(net: np.ndarray, k: int) -> np.ndarray:
    """Whether the way from system k over b to c is another number than from k to c, (b, c)."""
    return np.abs(np.nan_to_num(net[k][:, None] + net - net[k])) > 0


def both_right(counts: xr.DataArray) -> tuple[np.ndarray, int] | str:
    """On how many items both of two systems are right, (system, system), and the number of items;
    or why counts do not tell it.

    How many items are right for all systems is in no table of wins and losses: it is put in the
    middle of what is possible. No difference between systems depends on it.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome)
        Wins, losses and ties on the same items.

    Examples
    --------
    >>> import betterthan as bt
    >>> both_right(bt.counts.from_contingency(698, 12, 2, 288))
    (array([[505., 493.],
           [493., 495.]]), 1000)
    """
    if counts.attrs.get("graded"):
        return "wins of graded scores do not tell how errors go together"
    if counts.attrs.get("dependent"):
        return "items come in clusters or runs, which counts do not tell; give the scores"
    square = counts.transpose(*names.SQUARE, names.OUTCOME).values.astype(float)
    win, loss, tie = np.moveaxis(square, -1, 0)
    pairs = ~np.eye(len(win), dtype=bool)
    number = (win + loss + tie)[pairs]
    if not number.all():
        return "not every pair was compared"
    items, net = int(number[0]), win - loss
    if counts.attrs.get("missing") == "pairwise" and (number != counts.attrs.get("n_items")).any():
        return (
            "scores are missing, and pairs are then on different items; count those that all have, "
            "by missing='complete'"
        )
    if (number != items).any():
        return "pairs are of different numbers of items"
    if triple := triple_that_does_not_add_up(counts):
        return f"wins less losses do not add up, as those of right and wrong items do ({triple})"
    np.fill_diagonal(win, 0)
    np.fill_diagonal(loss, 0)
    right = net[:, 0]  # more than the first system
    low, high = (win - right[:, None]).max(), (items - loss - right[:, None]).min()
    distance = win + loss
    centred = distance - distance.mean(0) - distance.mean(1)[:, None] + distance.mean()
    impossible = np.linalg.eigvalsh(-centred)[0] < -_ROUNDING * distance.max(initial=1.0)
    if low > high or impossible:
        return "no right and wrong answers lead to these wins and losses"
    return right[:, None] + (low + high) / 2 - win, items
