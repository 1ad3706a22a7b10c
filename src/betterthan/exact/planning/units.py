"""Verdicts to come of differences of means on units, by Student's t.

K units have the mean difference x and its error s / sqrt(K). The mean of k more is x + D, D about
Student's t of K - 1 degrees of freedom; given D, the spread of those k is that of an F variable.
So the verdict on all K + k, or on the k alone, which looks at a mean and a spread, has a
probability that is one integral over D.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.nodes import legendre

_POINTS = 400
_HALVINGS = 50


@dataclass(frozen=True)
class Units:
    """What was seen of each pair, (rows,): its mean difference, the error of that, and on how many
    units.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray


def after_units(
    seen: Units, more: Any, rope: float, threshold: float, *, kept: bool = True
) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` units, (rows, 4); nan of fewer than
    two units, or without a spread.

    Parameters
    ----------
    seen : Units
    more : int or numpy.ndarray of int, (rows,)
    rope, threshold : float
    kept : bool, default True
        Whether the verdict looks at the units seen, too; or at those to come alone.

    Examples
    --------
    >>> seen = Units(np.array([0.02]), np.array([0.015]), np.array([50]))
    >>> after_units(seen, 100, 0.0, 0.95).round(4).tolist()
    [[0.6755, 0.0029, 0.0, 0.3216]]
    """
    more = np.broadcast_to(more, seen.difference.shape)
    good = (seen.units > 1) & (seen.error > 0)
    enough = more > (0 if kept else 1)
    told = np.where(enough[:, None], _told(seen, more, rope, threshold, kept), 0.0)
    if kept:
        told = np.where(enough[:, None], told, _today(seen, rope, threshold))
    rest = np.clip(1 - told.sum(1, keepdims=True), 0.0, 1.0)
    return np.where(good[:, None], np.concatenate([told, rest], axis=1), np.nan)


def _told(seen: Units, more: np.ndarray, rope: float, threshold: float, kept: bool) -> np.ndarray:
    """Of the three verdicts, (rows, 3)."""
    good = (seen.units > 1) & (seen.error > 0)
    units = np.where(good, seen.units, 2).astype(float)[:, None]
    s = np.where(good, seen.error, 1.0)[:, None] * np.sqrt(units)
    k = np.maximum(more, 1).astype(float)[:, None]
    node, weight = legendre(_POINTS)
    step = special.stdtrit(units - 1, (1 + node) / 2) * s * np.sqrt(1 / k + 1 / units)
    known = (units - 1) * s**2 + step**2 / (1 / k + 1 / units)  # and of the new ones, an F variable
    whole, part = (units + k, k / (units + k)) if kept else (k, 1.0)

    def below(error: np.ndarray) -> np.ndarray:
        """P(the error of all that is looked at is at most this)."""
        squares = error**2 * np.maximum(whole - 1, 1) * whole
        new = (squares / known - (1.0 if kept else 0.0)) * units / np.maximum(k - 1, 1)
        alone = (new >= 0).astype(float)  # one unit has no spread of its own
        spread = special.fdtr(np.maximum(k - 1, 1), units, np.maximum(new, 0))
        return np.where(k > 1, spread, alone)

    mean = seen.difference[:, None] + part * step
    found = _verdicts(mean, np.maximum(whole, 2), rope, threshold, below)
    return (found * (weight / 2)).sum(-1).T


def _verdicts(
    mean: np.ndarray, whole: np.ndarray, rope: float, threshold: float, below: Any
) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) given the mean of all, (3, rows, nodes)."""
    quantile = special.stdtrit(whole - 1, threshold)
    largest = np.abs(mean) / quantile  # the error with which the sign is just sure
    ahead = below(largest)
    equal = np.zeros_like(ahead)
    if rope:
        narrow = _narrowest(mean, whole, rope, threshold)
        equal = below(narrow)
        ahead = np.maximum(ahead - equal, 0.0)
    return np.stack([np.where(mean > 0, ahead, 0), np.where(mean < 0, ahead, 0), equal])


def _narrowest(mean: np.ndarray, whole: np.ndarray, rope: float, threshold: float) -> np.ndarray:
    """The largest error with which |d| <= rope is sure enough; 0 where the mean is outside."""
    room = rope - np.abs(mean)
    low, high = np.zeros_like(mean), np.full_like(mean, 4 * rope)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        sure = _within(mean, middle, whole, rope) >= threshold
        low, high = np.where(sure, middle, low), np.where(sure, high, middle)
    return np.where(room > 0, low, 0.0)


def _within(mean: Any, error: Any, whole: Any, rope: float) -> np.ndarray:
    up, down = (special.stdtr(whole - 1, (end - mean) / error) for end in (rope, -rope))
    return up - down


def _today(seen: Units, rope: float, threshold: float) -> np.ndarray:
    """Of each verdict but undecided, 1 where it is that of today, (rows, 3)."""
    error = np.where(seen.error > 0, seen.error, 1.0)
    freedom = np.maximum(seen.units - 1, 1)
    ahead = special.stdtr(freedom, seen.difference / error)
    equal = np.zeros(len(error), bool)
    if rope:
        equal = _within(seen.difference, error, freedom + 1, rope) >= threshold
    behind = special.stdtr(freedom, -seen.difference / error)
    sides = (ahead >= threshold) & ~equal, (behind >= threshold) & ~equal, equal
    return np.stack(sides, axis=1).astype(float)


def limit_units(seen: Units, rope: float) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) with ever more units, (rows, 3)."""
    error = np.where(seen.error > 0, seen.error, np.nan)
    freedom = np.maximum(seen.units - 1, 1)
    above = special.stdtr(freedom, (seen.difference - rope) / error)
    below = special.stdtr(freedom, (-rope - seen.difference) / error)
    return np.stack([above, below, np.clip(1 - above - below, 0, 1) * (rope > 0)], axis=1)
