"""Pairwise posteriors in the form that the joint model uses.

A chart of the posterior of a difference d has u = F^-1(P(difference < d)), where F is the
distribution function of a standard normal, or of Student's t. So u is the difference in errors from
the middle, and whatever the joint model says of u is a statement about d that stays within the
range of d, and is the pair's own posterior where systems are not drawn together.
"""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy import special

from betterthan.exact.joint.student import Student, distribution, heights, quantile
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.wins import contour, dirichlet, intervals
from betterthan.exact.wins.beta import prob_above_half
from betterthan.exact.wins.ends import edgeworth, shape

_Array = Any  # an array of floats, (pair,)
_TINY = 1e-300
_SLOPE_STEP = 1e-4  # of a standard deviation: neighbors from which a slope is taken


class PairPosterior(Protocol):
    """Posteriors of differences A - B, one a pair."""

    @property
    def z(self) -> _Array:
        """How many errors the middle lies above d = 0."""
        ...

    @property
    def df(self) -> _Array | None:
        """Degrees of freedom of F; None of a normal."""
        ...

    @property
    def skewed(self) -> bool:
        """Whether skewness is corrected for."""
        ...

    def take(self, index: Any) -> Self:
        """Some of the pairs."""
        ...

    def score(self, d: float) -> _Array:
        """The u of one difference."""
        ...

    def place(self, u: _Array, *, hall: bool = False) -> _Array:
        """The difference at u; by Hall's t where skewness is corrected for."""
        ...

    def chart(self, d: _Array) -> tuple[_Array, _Array, _Array]:
        """u, du/dd, and the slope of its log."""
        ...

    def guess(self, middle: _Array, sd: _Array, prob: float) -> _Array:
        """About where the narrowest interval (2, pair) ends, if u is normal with these."""
        ...

    def inside(self, limits: _Array, moved: _Array) -> _Array:
        """The moved ends, at most half way to the end of what is possible."""
        ...

    def mean(self, middle: _Array, variance: _Array) -> _Array:
        """Mean of the differences, where u has this mean and variance."""
        ...


@dataclass(frozen=True)
class Wins:
    """Dirichlet(a, b, t) of wins, losses and ties: d is the difference of two accuracies."""

    a: _Array
    b: _Array
    t: _Array
    df = None
    skewed = False

    @property
    def z(self) -> _Array:
        """Exactly 0 where wins and losses are as many."""
        return -_normal_score(prob_above_half(self.b, self.a), prob_above_half(self.a, self.b))

    def take(self, index: Any) -> "Wins":
        """Some of the pairs."""
        return Wins(self.a[index], self.b[index], self.t[index])

    def score(self, d: float) -> _Array:
        """The u of one difference, from the smaller tail."""
        three = self.a, self.b, self.t
        return _normal_score(dirichlet.prob_below(*three, d), dirichlet.prob_above(*three, d))

    def place(self, u: _Array, *, hall: bool = False) -> _Array:
        """The difference at u."""
        return intervals.quantile(self.a, self.b, self.t, special.ndtr(u))

    def chart(self, d: _Array) -> tuple[_Array, _Array, _Array]:
        """u, du/dd, and the slope of its log; nan at the ends of the range."""
        tail = contour.beyond(self.a, self.b, self.t, d)
        mass, density, slope = (np.array(z) for z in (tail.mass, tail.density, tail.slope))
        left = np.flatnonzero(~tail.converged)
        if left.size:  # a parameter below 1
            mass[left], density[left], slope[left] = self.take(left)._density_and_slope(d[left])
        inner = (mass > 0) & (mass < 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(inner, -special.ndtri(mass), np.nan)
            steep = density * np.sqrt(2 * np.pi) * np.exp(0.5 * u * u)
            return u, steep, slope / density + u * steep

    def _density_and_slope(self, d: _Array) -> tuple[_Array, _Array, _Array]:
        """P(difference > d), the density, and its slope from two neighbors."""
        three = self.a, self.b, self.t
        step = _SLOPE_STEP * np.minimum(shape(*three)[1], 1 - np.abs(d))
        low, high = (dirichlet.density(*three, x) for x in (d - step, d + step))
        return (
            dirichlet.prob_above(*three, d),
            dirichlet.density(*three, d),
            (high - low) / 2 / step,
        )

    def guess(self, middle: _Array, sd: _Array, prob: float) -> _Array:
        """By Edgeworth's series."""
        mean, size, skew = shape(self.a, self.b, self.t)
        return edgeworth(mean + size * middle, size * sd, skew, prob)

    def inside(self, limits: _Array, moved: _Array) -> _Array:
        """Within -1 and 1."""
        return np.clip(moved, (limits - 1) / 2, (limits + 1) / 2)

    def mean(self, middle: _Array, variance: _Array) -> _Array:
        """By the series of Cornish and Fisher up to the skewness: exact where u is standard."""
        mean, size, skew = shape(self.a, self.b, self.t)
        return mean + size * (middle + skew * (middle**2 + variance - 1) / 6)


@dataclass(frozen=True)
class Averages:
    """Differences of means on units, by Student's t."""

    means: PairMeans

    @property
    def law(self) -> Student:
        """Of the differences."""
        return self.means.law

    @property
    def df(self) -> _Array:
        """Of t."""
        return self.law.df

    @property
    def skewed(self) -> bool:
        """Whether skewness is corrected for."""
        return self.means.skewness is not None

    @property
    def z(self) -> _Array:
        """From P(better), which follows from units won and lost where there is no error."""
        law = self.law
        if law.unbounded and law.skewness is None and (law.error > 0).all():
            return law.mean / law.error
        return -self._score(self.means.prob_below(), self.means.prob_above())

    def take(self, index: Any) -> "Averages":
        """Some of the pairs."""
        return Averages(self.means.take(index))

    def score(self, d: float) -> _Array:
        """The u of one difference, from the smaller tail; nan without an error."""
        law = self.law
        return self._score(law.prob_below(d), law.prob_above(d))

    def place(self, u: _Array, *, hall: bool = False) -> _Array:
        """The difference at u."""
        law = self.law
        if law.unbounded:
            with np.errstate(invalid="ignore"):  # without an error there is no place
                return np.where(law.error > 0, law.place(u, hall=hall), np.nan)
        return law.quantile(distribution(u, self.df), hall=hall)

    def chart(self, d: _Array) -> tuple[_Array, _Array, _Array]:
        """u, du/dd, and the slope of its log."""
        law = self.law
        error = np.where(law.error > 0, law.error, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            y = (d - law.mean) / error
            if law.unbounded:
                return y, 1 / error, np.zeros(d.shape)
            below, above, inside = law.tails(d)
            u = np.where(law.error > 0, self._score(below, above), np.nan)
            height, fall = heights(y, self.df)
            height_u, fall_u = heights(u, self.df)
            steep = height / (error * inside * height_u)
            return u, steep, fall_u * steep - fall / error

    def guess(self, middle: _Array, sd: _Array, prob: float) -> _Array:
        """As of t."""
        far = quantile((1 + prob) / 2, self.df) * sd
        law = self.law
        limits = law.mean + law.error * np.stack([middle - far, middle + far])
        low, high = law.mean - 0.95 * (law.mean - law.low), law.mean + 0.95 * (law.high - law.mean)
        return np.stack([np.maximum(limits[0], low), np.minimum(limits[1], high)])

    def inside(self, limits: _Array, moved: _Array) -> _Array:
        """Within the range of the mean."""
        law = self.law
        return np.clip(moved, (limits + law.low) / 2, (limits + law.high) / 2)

    def mean(self, middle: _Array, variance: _Array) -> _Array:
        """Exact but for the truncation."""
        law = self.law
        return np.clip(law.mean + law.error * middle, law.low, law.high)

    def _score(self, below: _Array, above: _Array) -> _Array:
        u = quantile(np.maximum(np.fmin(below, above), _TINY), self.df)
        return np.where(below < above, u, np.where(below > above, -u, below - above))


def _normal_score(below: _Array, above: _Array) -> _Array:
    """From the smaller of two tails that sum to 1; exactly 0 where they are equal."""
    u = special.ndtri(np.maximum(np.minimum(below, above), _TINY))
    return np.where(below < above, u, np.where(below > above, -u, 0.0))
