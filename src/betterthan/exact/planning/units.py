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
    """Evidence on each pair, (rows,): its mean difference, the standard error, and the number of
    units.

    For units of unequal size, ``df`` are the degrees of freedom; ``law`` is the posterior behind
    the current verdict, where it is more than Student's t.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    df: np.ndarray | None = None
    law: Student | None = None

    @classmethod
    def from_pairs(cls, means: PairMeans, sign: float = 1.0) -> Self:
        """From means of pairs; a `sign` of -1 exchanges the systems."""
        law = means.law if sign > 0 else means.law.mirrored()
        return cls(sign * means.difference, means.error, means.units, means.df, law)

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

    def take(self, rows: np.ndarray) -> "Units":
        """Some of the rows."""
        df = None if self.df is None else self.df[rows]
        law = None if self.law is None else self.law.take(rows)
        return Units(self.difference[rows], self.error[rows], self.units[rows], df, law)

    def today(self, rope: float, threshold: float) -> np.ndarray:
        """Indicator of the current verdict: A better, B better, equivalent, (rows, 3)."""
        posterior = self.posterior
        ahead, behind = posterior.prob_above(0.0), posterior.prob_below(0.0)
        equal = np.zeros(len(ahead), dtype=bool)
        if rope:
            equal = 1 - posterior.prob_above(rope) - posterior.prob_below(-rope) >= threshold
        sides = (ahead >= threshold) & ~equal, (behind >= threshold) & ~equal, equal
        return np.stack(sides, axis=1).astype(float)


def after_units(
    evidence: Units, more: Any, rope: float, threshold: float, *, kept: bool = True
) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` units, (rows, 4); nan at 2 degrees
    of freedom or fewer, or without a spread.

    Parameters
    ----------
    evidence : Units
    more : int or numpy.ndarray of int, (rows,)
    rope, threshold : float
    kept : bool, default True
        Whether the verdict uses the observed units too, or only the new ones.

    Examples
    --------
    >>> evidence = Units(np.array([0.02]), np.array([0.015]), np.array([50]))
    >>> after_units(evidence, 100, 0.0, 0.95).round(4).tolist()
    [[0.6755, 0.0029, 0.0, 0.3216]]
    """
    # of units of unequal size so many of equal size
    more = (
        np.broadcast_to(more, evidence.difference.shape) * (evidence.freedom + 1) / evidence.units
    )
    good = evidence.predicts
    enough = more > (0 if kept else 1)
    probabilities = np.where(
        enough[:, None], _predicted(evidence, more, rope, threshold, kept), 0.0
    )
    if kept:
        probabilities = np.where(enough[:, None], probabilities, evidence.today(rope, threshold))
    undecided = np.clip(1 - probabilities.sum(1, keepdims=True), 0.0, 1.0)
    return np.where(good[:, None], np.concatenate([probabilities, undecided], axis=1), np.nan)


def _predicted(
    evidence: Units, more: np.ndarray, rope: float, threshold: float, kept: bool
) -> np.ndarray:
    """Predictive probabilities of the three verdicts, (rows, 3)."""
    good = evidence.predicts
    units = np.where(good, evidence.freedom + 1, 2.0)[:, None]
    s = np.where(good, evidence.error, 1.0)[:, None] * np.sqrt(units)
    k = np.where(more > 0, more, 1.0)[:, None]
    node, weight = legendre(_POINTS)
    step = special.stdtrit(units - 1, (1 + node) / 2) * s * np.sqrt(1 / k + 1 / units)
    # the sum of squares of the new units, over this one, is an F variable
    observed = (units - 1) * s**2 + step**2 / (1 / k + 1 / units)
    total, part = (units + k, k / (units + k)) if kept else (k, 1.0)

    def below(error: np.ndarray) -> np.ndarray:
        """P(the standard error of all units used is at most this)."""
        squares = error**2 * np.maximum(total - 1, 1) * total
        df = np.where(k > 1, k - 1, 1.0)
        new = (squares / observed - (1.0 if kept else 0.0)) * units / df
        single = (new >= 0).astype(float)  # one unit has no spread of its own
        spread = special.fdtr(df, units, np.maximum(new, 0))
        return np.where(k > 1, spread, single)

    mean = evidence.difference[:, None] + part * step
    verdicts = _verdicts(mean, np.maximum(total, 2), rope, threshold, below)
    return (verdicts * (weight / 2)).sum(-1).T


def _verdicts(
    mean: np.ndarray, total: np.ndarray, rope: float, threshold: float, below: Any
) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) given the mean of all, (3, rows, nodes)."""
    quantile = special.stdtrit(total - 1, threshold)
    largest = np.abs(mean) / quantile  # the error with which the sign is just sure
    ahead = below(largest)
    equal = np.zeros_like(ahead)
    if rope:
        narrow = _narrowest(mean, total, rope, threshold)
        equal = below(narrow)
        ahead = np.maximum(ahead - equal, 0.0)
    return np.stack([np.where(mean > 0, ahead, 0), np.where(mean < 0, ahead, 0), equal])


def _narrowest(mean: np.ndarray, total: np.ndarray, rope: float, threshold: float) -> np.ndarray:
    """Largest error at which P(|d| <= rope) reaches the threshold; 0 if the mean is outside."""
    room = rope - np.abs(mean)
    low, high = np.zeros_like(mean), np.full_like(mean, 4 * rope)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        sure = _within(mean, middle, total, rope) >= threshold
        low, high = np.where(sure, middle, low), np.where(sure, high, middle)
    return np.where(room > 0, low, 0.0)


def _within(mean: Any, error: Any, total: Any, rope: float) -> np.ndarray:
    up, down = (special.stdtr(total - 1, (end - mean) / error) for end in (rope, -rope))
    return up - down


def limit_units(evidence: Units, rope: float) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) with ever more units, (rows, 3)."""
    error = np.where(evidence.predicts, evidence.error, np.nan)
    freedom = evidence.freedom
    above = special.stdtr(freedom, (evidence.difference - rope) / error)
    below = special.stdtr(freedom, (-rope - evidence.difference) / error)
    return np.stack([above, below, np.clip(1 - above - below, 0, 1) * (rope > 0)], axis=1)
