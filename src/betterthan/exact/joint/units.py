"""Means of systems on units of analysis (items, clusters, items with their runs), with errors.

A unit c, such as a cluster of items, has a size s_c and a share w_c = s_c / sum s. For each system
s it has a total T_cs and a size n_cs (scored items or runs). The mean of a system is sum T / sum n.
Leaving the unit out moves the mean by r_c. The sharp jackknife estimates the variance of the mean
by sum r_c^2 / J, where J is the largest constant with which it is never too small on average,
whatever the variances of independent units. With units of equal size this is the variance of a
mean, with K - 1 degrees of freedom.

Where scores are missing, a difference is known only to lie between two numbers. The bounds are the
least and the most that Student's t can say of it, whatever the missing scores are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from betterthan.exact.joint.student import Student, too_skewed
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half


@dataclass(frozen=True)
class Shares:
    """Shares of K units in a mean, each array (unit, column)."""

    share: np.ndarray
    others: np.ndarray  # 1 - share, without loss of digits where one unit has nearly all
    equal: np.ndarray  # (column,): all units have one size
    units: np.ndarray  # (column,): units of a size above 0

    @classmethod
    def from_sizes(cls, sizes: np.ndarray) -> Self:
        """From sizes (unit, column); a unit of size 0 does not count.

        Examples
        --------
        >>> shares = Shares.from_sizes(np.array([[3.0], [5], [1], [8], [4], [2]]))
        >>> shares.constant.round(11).tolist(), shares.df.round(11).tolist()
        ([1.15511823395], [2.86235372765])
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            total = sizes.sum(0)
            share, others = sizes / total, leave_out(sizes) / total
        present = sizes > 0
        smallest = np.where(present, sizes, np.inf).min(0, initial=np.inf)
        return cls(share, others, sizes.max(0, initial=0.0) <= smallest, present.sum(0))

    def averaged(self, other: "Shares") -> "Shares":
        """The mean of the shares in two systems whose units have sizes of their own."""
        share, others = (self.share + other.share) / 2, (self.others + other.others) / 2
        return Shares(share, others, self.equal & other.equal, self.units)

    @property
    def constant(self) -> np.ndarray:
        """J (column,): 1 + sum over all but the largest unit of (w / (1 - w))^2."""
        small, _ = _split(self._over(self.share), self.share)
        even = self.units / np.maximum(self.units - 1, 1)
        return np.where(self.equal, even, 1 + (small**2).sum(0))

    @property
    def df(self) -> np.ndarray:
        """Degrees of freedom (column,): K - 1 for units of one size, else at least 1.

        The harmonic mean of those of Bell and McCaffrey for independent items, and the smaller of
        these and those for units whose items are all alike.
        """
        df = self.units - 1.0
        if not self.equal.all():
            independent, alike = self._df_independent(), self._df_alike()
            between = 2 / (1 / independent + 1 / np.minimum(independent, alike))
            df = np.where(self.equal, df, np.maximum(between, 1.0))
        return np.where(self.units > 1, df, np.nan)

    def _over(self, values: np.ndarray) -> np.ndarray:
        """Values divided by 1 - w."""
        return np.divide(values, self.others, out=np.zeros_like(values), where=self.others > 0)

    def _df_independent(self) -> np.ndarray:
        w = self.share
        small, large = _split(self._over(w**2), w)
        sums = small.sum(0)
        with np.errstate(divide="ignore"):
            return 1 / ((w**2).sum(0) + 2 * large * sums + sums**2 - (small**2).sum(0))

    def _df_alike(self) -> np.ndarray:
        """tr(M)^2 / tr(M^2) for totals whose variances are as the squares of the sizes."""
        w = self.share
        small, large = _split(w, w)
        a, a_large = _split(self._over(w**2), w)
        others = (small**2).sum(0)  # squares of all but the largest
        q = others + large**2
        without = np.where(np.arange(len(w))[:, None] == w.argmax(0), others, q - w**2)  # than c
        diagonal = self._over(w**2) * (self.others**2 + without)
        gap = others - large * (1 - large) - small  # q - w_c - w_d for d the largest
        sums = [(a * small**k).sum(0) for k in range(3)]
        across = 2 * a_large * (a * gap**2).sum(0)
        across += q**2 * sums[0] ** 2 - 4 * q * sums[0] * sums[1]
        across += 2 * sums[0] * sums[2] + 2 * sums[1] ** 2 - (a**2 * (q - 2 * small) ** 2).sum(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return diagonal.sum(0) ** 2 / ((diagonal**2).sum(0) + across)


def leave_out(values: np.ndarray) -> np.ndarray:
    """The sum of all other units, (unit, column); of the largest without cancellation."""
    others = values.sum(0) - values
    if len(values):
        top, column = values.argmax(0), np.arange(values.shape[1])
        others[top, column] = _without(values, top).sum(0)
    return others


def changes(totals: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How far the mean moves when each unit is left out, (unit, column); 0 for a unit of size 0.

    Parameters
    ----------
    totals, sizes : numpy.ndarray, (unit, column)

    Examples
    --------
    >>> changes(np.array([[2.0], [1.0]]), np.array([[2.0], [2.0]])).tolist()
    [[-0.25], [0.25]]
    """
    number = sizes.sum(0)
    others = leave_out(sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals.sum(0) / number
        moved = -(totals - sizes * mean) / others
        top, column = sizes.argmax(0), np.arange(sizes.shape[1])
        # from the other units: its own total would leave few digits
        moved[top, column] = _without(totals, top).sum(0) / others[top, column] - mean
    return np.where(sizes > 0, moved, 0.0)


def _without(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The values with one of each column, at `place` (column,), set to 0."""
    others = values.copy()
    others[place, np.arange(values.shape[1])] = 0.0
    return others


def _split(values: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values with that of the largest unit set to 0, and that of the largest, (column,)."""
    place = share.argmax(0)
    return _without(values, place), values[place, np.arange(values.shape[1])]


_ULPS = 8  # a spread of fewer units in the last place is rounding
_ROUNDING = 1e-12  # the same of units of unequal size, beside the largest mean of a unit
_ALIKE = 1e-13  # of a sum of squares: what is left of means that differ by a constant
_HELD = 2**22  # numbers held at once for one system against all others
_BLOCK = 2**16  # the same where no score is missing: they stay in the processor's cache


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
    units won and lost. Beside a difference other than 0, other units may differ from these by as
    much as scores can, and so many have not: a uniform Dirichlet prior, as in the gate.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    df: np.ndarray
    skewness: np.ndarray | None = None  # of the differences of units, where these are items
    most: float = np.inf
    width: float = np.nan  # between the least and the largest score, where ``most`` is infinite

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
        some = replace(self, **held)
        vars(some)["law"] = self.law.take(index)
        if "_sides" in vars(self):  # they are known
            vars(some)["_sides"] = tuple(side[index] for side in self._sides)
        return some

    def prob_above(self, delta: float = 0.0) -> np.ndarray:
        """P(d > delta); nan for fewer than two units, or without an error and a width."""
        return self._tail(delta, above=True) if delta else self._sides[1]

    def prob_below(self, delta: float = 0.0) -> np.ndarray:
        """P(d < delta), as exact in its tail."""
        return self._tail(delta, above=False) if delta else self._sides[0]

    @cached_property
    def _sides(self) -> tuple[np.ndarray, np.ndarray]:
        """P(d < 0) and P(d > 0), which tables and the joint model share."""
        return self._tail(0.0, above=False), self._tail(0.0, above=True)

    def _tail(self, delta: float, *, above: bool) -> np.ndarray:
        prob = self.law.prob_above(delta) if above else self.law.prob_below(delta)
        rows = np.flatnonzero(~((self.units > 1) & (self.error > 0)))
        if not rows.size:
            return prob
        units = self.units[rows]
        if delta:
            beyond = dirichlet.prob_above if above else dirichlet.prob_below
            width = self.most if np.isfinite(self.most) else self.width
            alike = beyond(1.0, 1.0, 1.0 + units, (delta - self.difference[rows]) / width)
            alike = alike if width > 0 else np.nan
        else:
            sides = 1.0 + self.won[rows], 1.0 + self.lost[rows]
            alike = prob_above_half(*(sides if above else sides[::-1]))
        prob[rows] = np.where(units > 1, alike, np.nan)
        return prob

    def expected(self) -> np.ndarray:
        """The difference that is reported next to the interval."""
        return self.difference

    def interval(self, prob: float, kind: str = "hdi") -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest or the equal-tailed interval; nan where there is none."""
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
        largest = np.nanmax(np.abs(totals / sizes), axis=0, initial=0.0)
    scored = (sizes > 0).sum(0)
    shares, df = Shares.from_sizes(sizes), float(k - 1)
    part = np.maximum(scored, 2)
    skewness = _skewness(moved, moved * moved, scored, shares.equal) if skewed else None
    parts = np.sqrt(part / (part - 1)) * moved
    if not shares.equal.all():
        left_out = -changes(totals, sizes) / np.sqrt(shares.constant)
        average = Shares.from_sizes(np.nanmean(shares.share, axis=1, keepdims=True))
        parts, df = np.where(shares.equal, parts, left_out), float(average.df[0])
    error = np.nan_to_num(np.sqrt((parts**2).sum(0)))
    rounding = np.where(shares.equal, _ULPS * np.finfo(float).eps, _ROUNDING) * largest
    error = np.where((scored > 1) & (error > rounding), error, 0.0)
    freedom = np.where(scored > 1, shares.df, 1.0)
    law = Student(mean, error, freedom, *limits, skewness, np.maximum(scored, 1))
    return Means(mean, parts, scored, df, law)


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
    pairs = joined([differences(*columns, most=most, skewed=skewed) for columns in sums])
    if np.isfinite(most) or pairs.error.all():
        return pairs
    scores = totals[sizes > 0] / sizes[sizes > 0]
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    return replace(pairs, width=width_of(float(low), float(high)))


def width_of(low: float, high: float) -> float:
    """By how much scores can differ: 1 where all are within 0 and 1, else by as much as these do;
    nan where they are all alike.
    """
    if 0 <= low <= high <= 1 or -1 <= low <= high <= 0:
        return 1.0
    return high - low if high > low else np.nan


def pair_sums(
    totals: np.ndarray, sizes: np.ndarray, unit: np.ndarray, *, each_once: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Totals and sizes (unit, pair) of the first and of the second system of each pair, on the
    cells that both have, some pairs at a time; with `each_once` means of units, of size 1.
    """
    systems = totals.shape[1]
    single = np.bincount(unit).max(initial=0) <= 1

    def sums(x: np.ndarray) -> np.ndarray:
        return x if single else summed(x, unit)

    if (sizes > 0).all():  # then all pairs share the sums of the systems
        system_sums = sums(totals), sums(sizes)
        system_sums = once(*system_sums) if each_once else system_sums
        pairs = np.triu_indices(systems, 1)
        total, size = system_sums
        step = max(1, _BLOCK // max(len(total), 1))
        alike = bool(size.size) and size.min() == size.max()
        for start in range(0, max(len(pairs[0]), 1), step):
            a, b = (side[start : start + step] for side in pairs)
            if alike:
                same = np.broadcast_to(size[0, 0], (len(size), len(a)))
                yield total[:, a], same, total[:, b], same
            else:
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
    arrays = [k for k, v in vars(parts[0]).items() if isinstance(v, np.ndarray)]
    columns: dict[str, Any] = {
        k: np.concatenate([getattr(part, k) for part in parts]) for k in arrays
    }
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
    size = size_a.flat[0] if size_a.size else 0
    if size and (size_a == size).all() and (size_b == size).all():
        means = (total_a, total_b) if size == 1 else (total_a / size, total_b / size)
        return _differences_alike(*means, most, skewed=skewed)
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


def _differences_alike(a: np.ndarray, b: np.ndarray, most: float, *, skewed: bool) -> PairMeans:
    """The same of means of units (unit, pair) of one size, in few passes over them."""
    number, pairs = a.shape
    units = np.full(pairs, number)
    largest = np.max([a.max(0), -a.min(0), b.max(0), -b.min(0)], axis=0)
    slack = _ULPS * np.finfo(float).eps * largest
    mean = (a.sum(0) - b.sum(0)) / number
    deviation = a - b
    won, lost = (np.count_nonzero(x, axis=0) for x in (deviation > slack, deviation < -slack))
    deviation -= mean
    deviation /= number
    squares = deviation * deviation
    error = np.sqrt(number / max(number - 1, 1) * squares.sum(0))
    return PairMeans(
        difference=np.where(np.abs(mean) > slack, mean, 0.0),
        error=np.where(error > slack, error, 0.0),
        units=units,
        won=won,
        lost=lost,
        df=units - 1.0,
        skewness=_skewness(deviation, squares, units, units > 0) if skewed else None,
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


@dataclass(frozen=True)
class Spans:
    """Of each pair, between which numbers the mean difference lies, and its standard error.

    No values of the missing scores lead to less than the least, or to more than the most: each
    takes the worst mean and the worst spread that there can be, which no one set of values need
    have both of. With bounds of the skewness they hold for Hall's t, too, which rises with t and
    is quadratic in the skewness.
    """

    low: np.ndarray
    high: np.ndarray
    least_error: np.ndarray
    most_error: np.ndarray
    units: int
    df: float
    most: float = np.inf
    skewness: tuple[np.ndarray, np.ndarray] | None = None  # of the items; infinite without a spread

    def least_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or more."""
        return self._least(self.low, delta, self.skewness)

    def most_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or less."""
        return 1 - self.least_below(delta)

    def least_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or more."""
        mirrored = None if self.skewness is None else (-self.skewness[1], -self.skewness[0])
        return self._least(-self.high, -delta, mirrored)

    def most_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or less."""
        return 1 - self.least_above(delta)

    def _least(
        self, mean: np.ndarray, delta: float, skewness: tuple[np.ndarray, np.ndarray] | None
    ) -> np.ndarray:
        """Smallest P(d > delta) by Student's t of these means."""
        if self.units < 2:
            return np.zeros_like(mean)
        least = np.ones_like(mean)
        # where all units show one difference, they are counted as won
        alike = np.where(mean == delta, 0.5, np.where(mean > delta, 1 - _HALF**self.units / 2, 0.0))
        for error in (self.least_error, self.most_error):
            t = self._above(mean, error, delta, None)
            for value in () if skewness is None else self._skewnesses(mean, error, delta, skewness):
                t = np.minimum(t, self._above(mean, error, delta, value))
            least = np.minimum(least, np.where(error > 0, t, alike))
        return least

    def _above(
        self, mean: np.ndarray, error: np.ndarray, delta: float, skewness: np.ndarray | None
    ) -> np.ndarray:
        df, units = np.full_like(mean, self.df), np.full_like(mean, self.units)
        law = Student(mean, error, df, -self.most, self.most, skewness, units)
        with np.errstate(invalid="ignore"):
            return law.prob_above(delta)

    def _skewnesses(
        self,
        mean: np.ndarray,
        error: np.ndarray,
        delta: float,
        limits: tuple[np.ndarray, np.ndarray],
    ) -> Iterator[np.ndarray]:
        """Both bounds of the skewness, and the value between that minimizes Hall's t."""
        with np.errstate(invalid="ignore", divide="ignore"):
            t = (mean - delta) / error
            lowest = -(t**2 / 3 + 1 / 6) * 27 * np.sqrt(self.units) / (2 * t**3)
        low, high = (np.clip(end, -_FAR, _FAR) for end in limits)
        yield low
        yield high
        yield np.clip(np.nan_to_num(lowest), low, high)


_HALF, _FAR = 0.5, 1e3  # a skewness: further out is as far


def spans(
    low: np.ndarray,
    high: np.ndarray,
    unit: np.ndarray,
    *,
    most: float = np.inf,
    skewed: bool = False,
) -> Spans:
    """Of differences on items that each lie between two numbers.

    Parameters
    ----------
    low, high : numpy.ndarray, (item, pair)
    unit : numpy.ndarray of int, (item,)
    most : float, default infinite
        The largest mean that there can be.
    skewed : bool, default False
        Whether skewed units are corrected for, where they have one size.

    Examples
    --------
    >>> ends = np.array([[0.1, 0.1], [0.2, 0.2], [-1, 1]])[..., None]
    >>> of = spans(ends[:, 0], ends[:, 1], np.arange(3))
    >>> of.low.round(3).tolist(), of.high.round(3).tolist()
    ([-0.233], [0.433])
    """
    first, last = low.mean(0), high.mean(0)
    size = summed(np.ones((len(low), 1)), unit)
    # of each unit, how far its sum may and must be from as many times the mean, which moves too
    above, below = summed(high, unit) - size * first, size * last - summed(low, unit)
    furthest = np.maximum(above, below)
    nearest = np.maximum(0.0, np.maximum(-above, -below))
    k, shares = len(size), Shares.from_sizes(size)

    def error(far: np.ndarray) -> np.ndarray:
        if k < 2:
            return np.zeros(far.shape[1])
        return np.sqrt(((far / leave_out(size)) ** 2).sum(0) / shares.constant)

    df = float(shares.df[0]) if k > 1 else 1.0
    result = Spans(first, last, error(nearest), error(furthest), k, df, most)
    equal = k > 1 and (size == size[0]).all()
    return (
        replace(result, skewness=_skewness_range(result, low, high)) if skewed and equal else result
    )


def _skewness_range(
    bounds: Spans, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the skewness of the items."""
    third = ((low - bounds.high) ** 3).mean(0), ((high - bounds.low) ** 3).mean(0)
    least, most = (
        (error * np.sqrt(bounds.units - 1)) ** 3
        for error in (bounds.least_error, bounds.most_error)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        lower = third[0] / np.where(third[0] < 0, least, most)
        upper = third[1] / np.where(third[1] > 0, least, most)
    return np.nan_to_num(lower, neginf=-_FAR), np.nan_to_num(upper, posinf=_FAR)
