"""Verdicts to come of differences of means on units, by Student's t.

K units have the mean difference x and its error s / sqrt(K). The mean of k more is x + D, D about
Student's t of K - 1 degrees of freedom; given D, the spread of those k is that of an F variable.
So the verdict on all K + k, or on the k alone, which looks at a mean and a spread, has a
probability that is one integral over D. Units of unequal size count as df + 1, and units to come,
of like sizes, in the same proportion. At 2 degrees of freedom or fewer t has no variance, and
nothing is predicted.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import special

from betterthan.exact.joint.student import DF_MIN, Student
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.numeric.nodes import legendre

_POINTS = 400
_HALVINGS = 50


@dataclass(frozen=True)
class Units:
    """What was seen of each pair, (rows,): its mean difference, the error of that, and on how many
    units.

    Of units of unequal size ``df`` are the degrees of freedom; ``law`` is the posterior of which
    today's verdict is, where it is more than Student's t.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    df: np.ndarray | None = None
    law: Student | None = None

    @classmethod
    def of(cls, found: PairMeans, sign: float = 1.0) -> Self:
        """From means of pairs; a `sign` of -1 exchanges the systems."""
        law = found.law if sign > 0 else found.law.mirrored()
        return cls(sign * found.difference, found.error, found.units, found.df, law)

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom, at least 1."""
        df = self.units - 1.0 if self.df is None else self.df
        return np.maximum(np.nan_to_num(df), 1.0)

    @property
    def posterior(self) -> Student:
        """Of the mean differences."""
        return self.law or Student(self.difference, self.error, self.freedom)

    @property
    def predicts(self) -> np.ndarray:
        """Whether units to come can be predicted, (rows,)."""
        return (self.freedom > DF_MIN) & (self.error > 0)

    def take(self, at: np.ndarray) -> "Units":
        """Some of the rows."""
        df = None if self.df is None else self.df[at]
        law = None if self.law is None else self.law.take(at)
        return Units(self.difference[at], self.error[at], self.units[at], df, law)

    def today(self, rope: float, threshold: float) -> np.ndarray:
        """Of A better, B better and equivalent, 1 for that which is today's verdict, (rows, 3)."""
        of = self.posterior
        ahead, behind = of.prob_above(0.0), of.prob_below(0.0)
        equal = np.zeros(len(ahead), dtype=bool)
        if rope:
            equal = 1 - of.prob_above(rope) - of.prob_below(-rope) >= threshold
        sides = (ahead >= threshold) & ~equal, (behind >= threshold) & ~equal, equal
        return np.stack(sides, axis=1).astype(float)


def after_units(
    seen: Units, more: Any, rope: float, threshold: float, *, kept: bool = True
) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` units, (rows, 4); nan at 2 degrees
    of freedom or fewer, or without a spread.

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
    # of units of unequal size so many of equal size
    more = np.broadcast_to(more, seen.difference.shape) * (seen.freedom + 1) / seen.units
    good = seen.predicts
    enough = more > (0 if kept else 1)
    told = np.where(enough[:, None], _told(seen, more, rope, threshold, kept), 0.0)
    if kept:
        told = np.where(enough[:, None], told, seen.today(rope, threshold))
    rest = np.clip(1 - told.sum(1, keepdims=True), 0.0, 1.0)
    return np.where(good[:, None], np.concatenate([told, rest], axis=1), np.nan)


def _told(seen: Units, more: np.ndarray, rope: float, threshold: float, kept: bool) -> np.ndarray:
    """Of the three verdicts, (rows, 3)."""
    good = seen.predicts
    units = np.where(good, seen.freedom + 1, 2.0)[:, None]
    s = np.where(good, seen.error, 1.0)[:, None] * np.sqrt(units)
    k = np.where(more > 0, more, 1.0)[:, None]
    node, weight = legendre(_POINTS)
    step = special.stdtrit(units - 1, (1 + node) / 2) * s * np.sqrt(1 / k + 1 / units)
    known = (units - 1) * s**2 + step**2 / (1 / k + 1 / units)  # and of the new ones, an F variable
    whole, part = (units + k, k / (units + k)) if kept else (k, 1.0)

    def below(error: np.ndarray) -> np.ndarray:
        """P(the error of all that is looked at is at most this)."""
        squares = error**2 * np.maximum(whole - 1, 1) * whole
        own = np.where(k > 1, k - 1, 1.0)
        new = (squares / known - (1.0 if kept else 0.0)) * units / own
        alone = (new >= 0).astype(float)  # one unit has no spread of its own
        spread = special.fdtr(own, units, np.maximum(new, 0))
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


def limit_units(seen: Units, rope: float) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) with ever more units, (rows, 3)."""
    error = np.where(seen.predicts, seen.error, np.nan)
    freedom = seen.freedom
    above = special.stdtr(freedom, (seen.difference - rope) / error)
    below = special.stdtr(freedom, (-rope - seen.difference) / error)
    return np.stack([above, below, np.clip(1 - above - below, 0, 1) * (rope > 0)], axis=1)
