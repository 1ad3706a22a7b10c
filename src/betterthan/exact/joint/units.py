"""Means of systems on units of evidence: items, or clusters and repeated runs taken together.

A unit c has for each system s a total T_cs and a size n_cs (its scored items or runs). The mean of
a system is sum T / sum n; what a unit adds to its error is K (T_cs - n_cs mean_s) / sum n, for K
units.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.joint.shrinkage import Moments, moments
from betterthan.exact.wins.beta import prob_above_half

_ULPS = 8  # a spread of fewer units in the last place is rounding
_HELD = 2**22  # numbers held at once for one system against all others


@dataclass(frozen=True)
class Means:
    """Of S systems on K units."""

    mean: np.ndarray  # (system,)
    rows: np.ndarray  # (unit, system): what each unit adds to the error of a mean
    scored: np.ndarray  # (system,): units that a system has a score on

    @property
    def units(self) -> int:
        """Their number."""
        return len(self.rows)

    @property
    def vary(self) -> bool:
        """Whether units say anything else than the means."""
        return bool((self.rows != 0).any())

    def moments(self) -> Moments:
        """Of the contrasts of all systems."""
        return moments(self.rows)

    def half_width(self, prob: float) -> np.ndarray:
        """Of the interval of each mean by itself, (system,); nan of one unit, or without spread."""
        return half_width((self.rows**2).sum(0), self.scored, self.units, prob)


@dataclass(frozen=True)
class PairMeans:
    """Differences A - B on the units that both systems have, one number a pair, in the order of a
    square's upper triangle.

    The posterior is ``difference`` + ``error`` times Student's t of ``units`` - 1 degrees of
    freedom. Where all units say the same there is no error, and who is better is told by how many
    units were won and lost.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    won: np.ndarray
    lost: np.ndarray

    def prob_above(self, delta: float = 0.0) -> np.ndarray:
        """P(d > delta); nan for fewer than two units, or without error beside a delta."""
        apart = self.difference - delta
        at = np.divide(apart, self.error, out=np.zeros_like(apart), where=self.error > 0)
        by_t = special.stdtr(np.maximum(self.units - 1, 1), at)
        none = prob_above_half(1.0 + self.won, 1.0 + self.lost) if delta == 0 else np.nan
        return np.where(self.units < 2, np.nan, np.where(self.error > 0, by_t, none))

    def prob_below(self, delta: float = 0.0) -> np.ndarray:
        """P(d < delta), as exact in its tail."""
        return PairMeans(-self.difference, self.error, self.units, self.lost, self.won).prob_above(
            -delta if delta else 0.0
        )

    def interval(self, prob: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the narrowest, which is also the equal-tailed one; nan where none can be told."""
        half = special.stdtrit(np.maximum(self.units - 1, 1), (1 + prob) / 2) * self.error
        half = np.where((self.units > 1) & (self.error > 0), half, np.nan)
        return self.difference - half, self.difference + half


def half_width(squares: np.ndarray, scored: np.ndarray, units: int, prob: float) -> np.ndarray:
    """Of the interval of each mean, from the sum of squares of its rows; see `Means`."""
    k = np.maximum(scored, 2)
    se = np.sqrt(k / (k - 1) * squares) / units
    half = special.stdtrit(k - 1, (1 + prob) / 2) * se
    return np.where((se > 0) & (scored > 1), half, np.nan)


def means(totals: np.ndarray, sizes: np.ndarray) -> Means:
    """Of totals and sizes (unit, system); a size of 0 is a missing cell.

    Examples
    --------
    >>> found = means(np.array([[1.0, 0], [1, 1], [0, 0]]), np.ones((3, 2)))
    >>> found.mean.round(3).tolist(), found.rows[:, 0].round(3).tolist()
    ([0.667, 0.333], [0.333, 0.333, -0.667])
    """
    number = sizes.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals.sum(0) / number
        rows = len(totals) * (totals - sizes * mean) / number
    return Means(mean, rows, (sizes > 0).sum(0))


def summed(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Sums (unit, ...) of rows (item, ...) whose unit is numbered from 0."""
    found = np.zeros((int(unit.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(found, unit, values)
    return found


def pair_means(totals: np.ndarray, sizes: np.ndarray, unit: np.ndarray) -> PairMeans:
    """Differences of means on the cells that both systems have.

    Parameters
    ----------
    totals, sizes : numpy.ndarray, (item, system)
        Sum of the scores of an item, and how many they are; 0 where there is none.
    unit : numpy.ndarray of int, (item,)
        Which unit an item belongs to, numbered from 0.

    Examples
    --------
    >>> score = np.array([[0.9, 0.7], [0.8, 0.9], [0.4, 0.1], [0.7, 0.6], [1, 0.5], [0.6, 0.4]])
    >>> found = pair_means(score, np.ones((6, 2)), np.arange(6))
    >>> found.prob_above().round(10).tolist()
    [0.9710136132]
    """
    systems = totals.shape[1]
    single = len(np.unique(unit)) == len(unit)

    def alone(x: np.ndarray) -> np.ndarray:
        return x if single else summed(x, unit)

    parts = [
        _against(totals, sizes, k, slice(start, start + _columns(len(totals))), alone)
        for k in range(systems - 1)
        for start in range(k + 1, systems, _columns(len(totals)))
    ]
    empty = [np.empty(0)] * 5
    return PairMeans(*(np.concatenate(p) for p in zip(*parts, strict=True)) if parts else empty)


def _columns(items: int) -> int:
    return max(1, _HELD // max(items, 1))


def _against(
    totals: np.ndarray,
    sizes: np.ndarray,
    k: int,
    others: slice,
    alone: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, ...]:
    """One system against others, on the cells that both have."""
    both = (sizes[:, k : k + 1] > 0) & (sizes[:, others] > 0)
    of_a = alone(np.where(both, totals[:, k : k + 1], 0.0)), alone(sizes[:, k : k + 1] * both)
    of_b = alone(np.where(both, totals[:, others], 0.0)), alone(sizes[:, others] * both)
    return differences(*of_a, *of_b)


def differences(
    total_a: np.ndarray, size_a: np.ndarray, total_b: np.ndarray, size_b: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Difference, error, units, units won and units lost of pairs, from totals and sizes (unit,
    pair) of both.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        n_a, n_b = size_a.sum(0), size_b.sum(0)
        mean_a, mean_b = total_a.sum(0) / n_a, total_b.sum(0) / n_b
        apart = (total_a - size_a * mean_a) / n_a - (total_b - size_b * mean_b) / n_b
        units = (size_a > 0).sum(0)
        error = np.sqrt(units / np.maximum(units - 1, 1) * (apart**2).sum(0))
        here_a, here_b = total_a / size_a, total_b / size_b
    largest = np.nanmax(np.maximum(np.abs(here_a), np.abs(here_b)), axis=0, initial=0.0)
    slack = _ULPS * np.finfo(float).eps * largest
    won, lost = ((here_a - here_b) > slack).sum(0), ((here_b - here_a) > slack).sum(0)
    difference = np.where(np.abs(mean_a - mean_b) > slack, mean_a - mean_b, 0.0)
    return difference, np.where(error > slack, error, 0.0), units, won, lost
