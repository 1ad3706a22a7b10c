"""Means of systems on units of analysis: items, or clusters and repeated runs taken together.

A unit c has for each system s a total T_cs and a size n_cs (its scored items or runs). The mean of
a system is sum T / sum n; its error is the sharp jackknife's (`jackknife`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from betterthan.exact.joint.jackknife import Shares, changes
from betterthan.exact.joint.student import Student, too_skewed
from betterthan.exact.wins.beta import prob_above_half

_ULPS = 8  # a spread of fewer units in the last place is rounding
_ROUNDING = 1e-12  # the same of units of unequal size, beside the largest mean of a unit
_ALIKE = 1e-13  # of a sum of squares: what is left of means that differ by a constant
_HELD = 2**22  # numbers held at once for one system against all others
_BLOCK = 2**18  # numbers (unit, pair) held at once where no score is missing


@dataclass(frozen=True)
class Means:
    """Of S systems on K units."""

    mean: np.ndarray  # (system,)
    parts: np.ndarray  # (unit, system): what each unit adds to an error; their products sum to the
    # covariance of the means
    scored: np.ndarray  # (system,): units that a system has a score on
    df: float  # of the means of all systems together
    law: Student  # of each mean by itself

    @property
    def units(self) -> int:
        """Their number."""
        return len(self.parts)

    @property
    def vary(self) -> bool:
        """Whether units say anything else than the means."""
        return bool((self.parts != 0).any())

    @property
    def covariance(self) -> np.ndarray:
        """Of the means, (system, system)."""
        return self.parts.T @ self.parts


@dataclass(frozen=True)
class PairMeans:
    """Differences A - B on the units that both systems have, one number a pair, in the order of a
    square's upper triangle.

    The posterior is ``difference`` + ``error`` times Student's t of ``df`` degrees of freedom,
    truncated to differences of at most ``most``; `Student` adds the correction for skewness. Where
    all units show the same difference there is no error: P(better) then follows from the numbers of
    units won and lost.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    df: np.ndarray
    skewness: np.ndarray | None = None  # of the differences of units, where these are items
    most: float = np.inf

    @cached_property
    def law(self) -> Student:
        """The posterior of the differences; nan where there is no error."""
        error = np.where(self.units > 1, self.error, 0.0)
        df = np.where(self.units > 1, self.df, 1.0)
        limits = -self.most, self.most
        return Student(
            self.difference, error, df, *limits, self.skewness, np.maximum(self.units, 1)
        )

    def take(self, index: Any) -> "PairMeans":
        """Some of the pairs."""
        held = {k: v[index] for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **held)

    def prob_above(self, delta: float = 0.0) -> np.ndarray:
        """P(d > delta); nan for fewer than two units.

        Where all units differ by the same, there is no error, and units above and below delta are
        counted.
        """
        prob = self.law.prob_above(delta)
        above, below = self.won, self.lost
        if delta:
            equal = np.isclose(self.difference, delta, rtol=1e-12, atol=0.0)
            above = self.units * ((self.difference > delta) & ~equal)
            below = self.units * ((self.difference < delta) & ~equal)
        counted = np.where(self.units > 1, prob_above_half(1.0 + above, 1.0 + below), np.nan)
        return np.where((self.units > 1) & (self.error > 0), prob, counted)

    def prob_below(self, delta: float = 0.0) -> np.ndarray:
        """P(d < delta), as exact in its tail."""
        skewness = None if self.skewness is None else -self.skewness
        mirror = replace(
            self, difference=-self.difference, won=self.lost, lost=self.won, skewness=skewness
        )
        return mirror.prob_above(-delta if delta else 0.0)

    def expected(self) -> np.ndarray:
        """The difference that is reported next to the interval."""
        return self.difference

    def interval(self, prob: float, kind: str = "hdi") -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest or the equal-tailed interval; nan where none can be told."""
        return self.law.interval(prob, kind)

    def too_skewed(self) -> np.ndarray:
        """Pairs of which t may be far off: skewed differences of few items, or few but zeros."""
        if self.skewness is None:
            return np.zeros(len(self.units), dtype=bool)
        return too_skewed(self.skewness, self.units, self.won + self.lost) & (self.error > 0)


def means(
    totals: np.ndarray,
    sizes: np.ndarray,
    *,
    limits: tuple[float, float] = (-np.inf, np.inf),
    skewed: bool = False,
) -> Means:
    """Of totals and sizes (unit, system); a size of 0 is a missing cell.

    Parameters
    ----------
    totals, sizes : numpy.ndarray, (unit, system)
    limits : two float
        The range that a mean can have.
    skewed : bool, default False
        Whether skewed units are corrected for, where they have one size.

    Examples
    --------
    >>> of = means(np.array([[1.0, 0], [1, 1], [0, 0]]), np.ones((3, 2)))
    >>> of.mean.round(3).tolist(), of.parts[:, 0].round(3).tolist()
    ([0.667, 0.333], [0.136, 0.136, -0.272])
    """
    number, k = sizes.sum(0), len(totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals.sum(0) / number
        moved = (totals - sizes * mean) / number
    scored = (sizes > 0).sum(0)
    shares, df = Shares.from_sizes(sizes), float(k - 1)
    part = np.maximum(scored, 2)
    skewness = _skewness(moved, moved * moved, scored, shares.equal) if skewed else None
    parts = np.sqrt(part / (part - 1)) * moved
    if not shares.equal.all():
        left_out = -changes(totals, sizes) / np.sqrt(shares.constant)
        parts, df = np.where(shares.equal, parts, left_out), float(_averaged(shares).df[0])
    error = np.where(scored > 1, np.nan_to_num(np.sqrt((parts**2).sum(0))), 0.0)
    freedom = np.where(scored > 1, shares.df, 1.0)
    law = Student(mean, error, freedom, *limits, skewness, np.maximum(scored, 1))
    return Means(mean, parts, scored, df, law)


def _averaged(shares: Shares) -> Shares:
    """Mean of the shares of all systems, as one column."""
    return Shares.from_sizes(np.nanmean(shares.share, axis=1, keepdims=True))


def _skewness(
    rows: np.ndarray, squares: np.ndarray, units: np.ndarray, equal: np.ndarray
) -> np.ndarray:
    """Skewness of the units' contributions, (column,); 0 where units are of unequal size."""
    third = np.einsum("uc,uc->c", squares, rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = third / units / (squares.sum(0) / units) ** 1.5
    return np.where(equal & np.isfinite(skewness), skewness, 0.0)


def summed(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Sums (unit, ...) of rows (item, ...) whose unit is numbered from 0."""
    sums = np.zeros((int(unit.max(initial=-1)) + 1, *values.shape[1:]))
    if len(values):
        order = np.argsort(unit, kind="stable")
        rows, start = np.unique(unit[order], return_index=True)
        sums[rows] = np.add.reduceat(values[order], start, axis=0)
    return sums


def pair_means(
    totals: np.ndarray,
    sizes: np.ndarray,
    unit: np.ndarray,
    *,
    most: float = np.inf,
    skewed: bool = False,
    each_once: bool = False,
) -> PairMeans:
    """Differences of means on the cells that both systems have.

    Parameters
    ----------
    totals, sizes : numpy.ndarray, (item, system)
        Sum of the scores of an item, and how many they are; 0 where there is none.
    unit : numpy.ndarray of int, (item,)
        Which unit an item belongs to, numbered from 0.
    most : float, default infinite
        The largest difference that there can be: 1 of accuracies.
    skewed : bool, default False
        Whether skewed differences are corrected for, where units have one size.
    each_once : bool, default False
        Whether each unit counts once, by its mean; else each item does.

    Examples
    --------
    >>> score = np.array([[0.9, 0.7], [0.8, 0.9], [0.4, 0.1], [0.7, 0.6], [1, 0.5], [0.6, 0.4]])
    >>> of = pair_means(score, np.ones((6, 2)), np.arange(6))
    >>> of.prob_above().round(10).tolist()
    [0.9710136132]
    """
    sums = pair_sums(totals, sizes, unit, each_once=each_once)
    return joined([differences(*columns, most=most, skewed=skewed) for columns in sums])


def pair_sums(
    totals: np.ndarray, sizes: np.ndarray, unit: np.ndarray, *, each_once: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Totals and sizes (unit, pair) of the first and of the second system of each pair, on the
    cells that both have, some pairs at a time; with `each_once` means of units, of size 1.
    """
    systems = totals.shape[1]
    single = len(np.unique(unit)) == len(unit)

    def sums(x: np.ndarray) -> np.ndarray:
        return x if single else summed(x, unit)

    if (sizes > 0).all():  # then all pairs share the sums of the systems
        system_sums = sums(totals), sums(sizes)
        system_sums = once(*system_sums) if each_once else system_sums
        pairs = np.triu_indices(systems, 1)
        step = max(1, _BLOCK // max(len(system_sums[0]), 1))
        for start in range(0, max(len(pairs[0]), 1), step):
            a, b = (side[start : start + step] for side in pairs)
            total, size = system_sums
            yield total[:, a], size[:, a], total[:, b], size[:, b]
        return
    step = max(1, _HELD // max(len(totals), 1))
    for k in range(max(systems - 1, 1)):
        for start in range(k + 1, max(systems, 2), step):
            column, others = slice(k, k + 1), slice(start, start + step)
            both = (sizes[:, column] > 0) & (sizes[:, others] > 0)
            first = sums(np.where(both, totals[:, column], 0.0)), sums(sizes[:, column] * both)
            second = sums(np.where(both, totals[:, others], 0.0)), sums(sizes[:, others] * both)
            yield once(*first) + once(*second) if each_once else (*first, *second)


def once(totals: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of units as totals of size 1, and 0 where there is nothing."""
    some = sizes > 0
    return np.divide(totals, sizes, out=np.zeros_like(totals), where=some), some.astype(float)


def pairs_from_means(means: Means, most: float) -> PairMeans:
    """Differences of all pairs of systems scored on every unit, with the pooled degrees of freedom.

    Parameters
    ----------
    means : Means
    most : float
        The largest difference that there can be.
    """
    first, second = np.triu_indices(len(means.mean), 1)
    difference = means.mean[first] - means.mean[second]
    square = means.parts.T @ means.parts
    diagonal = np.diag(square)
    both = diagonal[first] + diagonal[second]
    left = both - 2 * square[first, second]
    error = np.sqrt(np.where(left > _ALIKE * both, left, 0.0))
    units = np.full(len(first), means.units)
    # only read where there is no error, and all units show the same difference
    won, lost = units * (difference > 0), units * (difference < 0)
    df = np.full(len(first), means.df)
    return PairMeans(difference, error, units, won, lost, df, most=most)


def joined(parts: list[PairMeans]) -> PairMeans:
    """Concatenate the pairs of several parts."""
    held = [k for k, v in vars(parts[0]).items() if isinstance(v, np.ndarray)]
    columns = {k: np.concatenate([getattr(part, k) for part in parts]) for k in held}
    return replace(parts[0], **columns)


def differences(
    total_a: np.ndarray,
    size_a: np.ndarray,
    total_b: np.ndarray,
    size_b: np.ndarray,
    *,
    most: float = np.inf,
    skewed: bool = False,
) -> PairMeans:
    """Differences of means from totals and sizes (unit, pair) of both systems; see `pair_means`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        n_a, n_b = size_a.sum(0), size_b.sum(0)
        mean_a, mean_b = total_a.sum(0) / n_a, total_b.sum(0) / n_b
        deviation = (total_a - size_a * mean_a) / n_a - (total_b - size_b * mean_b) / n_b
        units = (size_a > 0).sum(0)
        squares = deviation * deviation
        error = np.sqrt(units / np.maximum(units - 1, 1) * squares.sum(0))
        unit_a, unit_b = total_a / size_a, total_b / size_b
    largest = np.nanmax(np.maximum(np.abs(unit_a), np.abs(unit_b)), axis=0, initial=0.0)
    slack = _ULPS * np.finfo(float).eps * largest
    equal, rounding, df = _equal_sizes(size_a) & _equal_sizes(size_b), slack, units - 1.0
    if not equal.all():
        uneven = ~equal
        error[uneven], df[uneven] = _unequal(
            *(x[:, uneven] for x in (total_a, size_a, total_b, size_b))
        )
        rounding = np.where(uneven, _ROUNDING * largest, slack)
    return PairMeans(
        difference=np.where(np.abs(mean_a - mean_b) > slack, mean_a - mean_b, 0.0),
        error=np.where(error > rounding, error, 0.0),
        units=units,
        won=((unit_a - unit_b) > slack).sum(0),
        lost=((unit_b - unit_a) > slack).sum(0),
        df=df,
        skewness=_skewness(deviation, squares, units, equal) if skewed else None,
        most=most,
    )


def _equal_sizes(sizes: np.ndarray) -> np.ndarray:
    """Whether all units of nonzero size have the same size, (pair,)."""
    if sizes.size and sizes.min() == sizes.max():
        return np.ones(sizes.shape[1], dtype=bool)
    return ((sizes == 0) | (sizes == sizes.max(0, initial=0.0))).all(0)


def _unequal(
    total_a: np.ndarray, size_a: np.ndarray, total_b: np.ndarray, size_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Error and degrees of freedom (pair,) of units of unequal size.

    Where all pairs have the same sizes, these are looked at once.
    """
    alike = all((x == x[:, :1]).all() for x in (size_a, size_b)) and (size_a == size_b).all()
    if alike:
        shares = Shares.from_sizes(size_a[:, :1])
    else:
        shares = Shares.from_sizes(size_a).averaged(Shares.from_sizes(size_b))
    moved = changes(total_a, size_a) - changes(total_b, size_b)
    with np.errstate(invalid="ignore"):
        error = np.sqrt((moved**2).sum(0) / shares.constant)
    pairs = total_a.shape[1]
    return np.nan_to_num(error), np.broadcast_to(np.nan_to_num(shares.df, nan=1.0), (pairs,))
