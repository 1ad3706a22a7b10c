"""Differences of pairs in the joint model: pairwise posteriors, drawn towards other systems.

A chart of the posterior of a difference d has u = F^-1(P(difference < d)), where F is the
distribution function of a standard normal, or of Student's t. So u is measured in errors of the
pair from the middle, where half of the probability lies below. What the joint model says of u is a
statement about d that stays within the range of d. Without pooling it is the pairwise posterior.

The joint model makes u a mixture of normals or t distributions, one for each tau and each pair of
groups.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.averages import AveragedPairs
from betterthan.exact.joint.student import Student, distribution, heights, log_rise, quantile
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.numeric import limits
from betterthan.exact.wins import dirichlet, intervals, inverse_laplace
from betterthan.exact.wins.beta import prob_above_half
from betterthan.exact.wins.intervals import edgeworth, shape
from betterthan.exact.wins.repeated import Distinct, Windows

_Array = Any  # an array of floats, (pair,)
_TINY = 1e-300
_SLOPE_STEP = 1e-4  # of a standard deviation: neighbors from which a slope is taken


# posteriors of differences A - B, one a pair: in each case of the same form as of `Wins`
type PairPosterior = Wins | Averages | AveragedPairs


@dataclass(frozen=True)
class Wins:
    """Dirichlet(a, b, t) of wins, losses and ties: d is the difference of two accuracies."""

    a: _Array
    b: _Array
    t: _Array
    df = None  # degrees of freedom of F; None of a normal
    skewed = False  # whether skewness is corrected for

    @cached_property
    def z(self) -> _Array:
        """How many errors the middle lies above d = 0; 0 where wins and losses are as many."""
        smaller = prob_above_half(np.minimum(self.a, self.b), np.maximum(self.a, self.b))
        return np.sign(self.b - self.a) * special.ndtri(np.maximum(smaller, _TINY))

    def take(self, index: Any) -> "Wins":
        """Some of the pairs."""
        return Wins(self.a[index], self.b[index], self.t[index])

    def score(self, d: float) -> _Array:
        """The u of one difference, from the smaller tail; nan where there is no error."""
        three = self.a, self.b, self.t
        return _normal_score(dirichlet.prob_below(*three, d), dirichlet.prob_above(*three, d))

    def outside(self, rope: float) -> tuple[_Array, _Array]:
        """P(d < -rope) and P(d > rope)."""
        three = self.a, self.b, self.t
        return dirichlet.prob_below(*three, -rope), dirichlet.prob_above(*three, rope)

    def place(self, u: _Array, *, hall: bool = False) -> _Array:
        """The difference at u; by Hall's t where skewness is corrected for."""
        return intervals.quantile(self.a, self.b, self.t, special.ndtr(u))

    def chart(self, d: _Array) -> tuple[_Array, _Array, _Array]:
        """u, du/dd, and the slope of its log; nan at the ends of the range."""
        tail = inverse_laplace.beyond(self.a, self.b, self.t, d)
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
        """About where the narrowest interval (2, pair) ends, if u is normal with these.

        By Edgeworth's series.
        """
        mean, size, skew = shape(self.a, self.b, self.t)
        return edgeworth(mean + size * middle, size * sd, skew, prob)

    def inside(self, limits: _Array, moved: _Array) -> _Array:
        """The moved ends, at most half way to the end of what is possible, -1 or 1."""
        return np.clip(moved, (limits - 1) / 2, (limits + 1) / 2)

    def mean(self, middle: _Array, variance: _Array) -> _Array:
        """Mean of the differences, where u has this mean and variance.

        By the series of Cornish and Fisher up to the skewness: exact where u is standard.
        """
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

    @cached_property
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

    def outside(self, rope: float) -> tuple[_Array, _Array]:
        """P(d < -rope) and P(d > rope), also without an error."""
        return self.means.prob_below(-rope), self.means.prob_above(rope)

    def place(self, u: _Array, *, hall: bool = False) -> _Array:
        """The difference at u."""
        law = self.law
        if law.within(hall):
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


# of a standard deviation: a shorter step is the last, with an error below a third of its cube
_STEP, _STEP_ROUGH, _MEETING, _ROUNDS = 3e-5, 0.004, 1e-9, 60
_BENT = 0.5  # most that the square changes a step by
_HELD = 2**14  # numbers (component, pair) at once, which the processor's cache holds
# pairs, and the share of distinct ones, from which charts are interpolated
_MANY, _ALIKE = 500, 0.7
_TURNS = 8  # of Newton's method for both ends
_SHARES = 17  # from which the narrowest interval is looked for where these do not suffice
_SHORT, _SHORT_ROUGH = 1e-6, 1e-3  # their last step, of the width: an error of 1e-12, and of 1e-5


@dataclass(frozen=True)
class Mixture:
    """Weights, centres and standard deviations (component, pair), those of a pair together in
    memory.
    """

    weight: _Array
    centre: _Array
    sd: _Array
    df: _Array | None  # (pair,), of t; None of normals
    rough: bool = False  # components are merged: ends of intervals need few digits

    def below(self, u: _Array) -> _Array:
        """P(difference < u), (pair,)."""
        return self.sides(u)[0]

    def above(self, u: _Array) -> _Array:
        """P(difference > u), precise where it is small."""
        return self.sides(u)[1]

    def sides(self, u: _Array) -> tuple[_Array, _Array]:
        """`below` and `above` at once."""
        below, above = np.empty(u.shape), np.empty(u.shape)
        for block in self._blocks():
            weight, z, df = self._standard(u, block)
            less = z < 0
            smaller = distribution(-np.abs(z, out=z), df)  # the smaller tail
            larger = 1 - smaller
            for result, tail in (
                (below, np.where(less, smaller, larger)),
                (above, np.where(less, larger, smaller)),
            ):
                tail *= weight
                tail.sum(0, out=result[block])
        # rounding must not lift them above 1
        return np.minimum(below, 1.0), np.minimum(above, 1.0)

    def around(self, u: _Array, sign: float) -> tuple[_Array, _Array, _Array]:
        """P(difference < u), or with sign -1 P(difference > u); the density at u, and its slope."""
        tails, densities, slopes = (np.empty(u.shape) for _ in range(3))
        for block in self._blocks():
            (weight, z, df), sd = self._standard(u, block), self.sd[:, block]
            rise = None if df is None else log_rise(z, df)
            tail = distribution(sign * z, df, rise)
            tail *= weight
            tail.sum(0, out=tails[block])
            height, fall = heights(z, df, rise)
            height *= weight
            height /= sd
            height.sum(0, out=densities[block])
            height *= fall
            height /= sd
            slopes[block] = -height.sum(0)
        return tails, densities, slopes

    def _blocks(self) -> Iterator[slice]:
        """Slices of pairs, so that arrays stay small."""
        step = max(1, _HELD // max(len(self.weight), 1))
        for start in range(0, self.weight.shape[1], step):
            yield slice(start, start + step)

    def _standard(self, u: _Array, block: slice) -> tuple[_Array, _Array, _Array | None]:
        """Weights, and how far u lies from the centres, (component, pair); degrees of freedom."""
        z = u[block] - self.centre[:, block]
        z /= self.sd[:, block]
        return self.weight[:, block], z, None if self.df is None else self.df[block]

    @cached_property
    def moments(self) -> tuple[_Array, _Array]:
        """Mean and variance of a mixture of normals."""
        mean = (self.weight * self.centre).sum(0)
        square = (self.weight * (self.sd**2 + (self.centre - mean) ** 2)).sum(0)
        return mean, np.maximum(square, 1e-300)

    @cached_property
    def shape(self) -> tuple[_Array, _Array]:
        """Skewness and excess of a mixture of normals, as far as series to start from bear them."""
        mean, variance = self.moments
        far, square = self.centre - mean, self.sd * self.sd
        squares, weighed = far * far, self.weight * far
        third = (weighed * (squares + 3 * square)).sum(0)
        fourth = (weighed * far * (squares + 6 * square) + 3 * self.weight * square * square).sum(0)
        return np.clip(third / variance**1.5, -1, 1), np.clip(fourth / variance**2 - 3, -2, 2)

    def quantile(self, prob: float | _Array) -> _Array:
        """By Newton on the normal scale, with the squares of its steps, bracketed, for a mixture
        may have several modes.
        """
        (x, variance), sd_last = self.moments, _STEP_ROUGH if self.rough else _STEP
        prob = np.broadcast_to(prob, x.shape)
        wanted, sd = special.ndtri(prob), np.sqrt(variance)
        skewness, excess = self.shape  # by the series of Cornish and Fisher
        change = skewness * (wanted**2 - 1) / 6 + excess * (wanted**3 - 3 * wanted) / 24
        x = x + (wanted + change - skewness**2 * (2 * wanted**3 - 5 * wanted) / 36) * sd
        low, high = x - 40 * sd, x + 40 * sd
        rows = np.arange(x.size)
        for _ in range(_ROUNDS):
            if not rows.size:
                break
            now, spread = x[rows], sd[rows]
            below, density, change = _some(self, rows).around(now, 1.0)
            short_of = below < prob[rows]
            low[rows] = np.where(short_of, now, low[rows])
            high[rows] = np.where(short_of, high[rows], now)
            score = special.ndtri(np.clip(below, 1e-15, 1 - 1e-15))
            # the slope of the normal score of P is the density over the normal one there
            per_normal = np.sqrt(2 * np.pi) * np.exp(0.5 * score * score)
            slope = np.maximum(density * per_normal, 1e-300)
            step = (wanted[rows] - score) / slope
            bend = (change * per_normal + score * slope**2) / slope
            step *= 1 - np.clip(step * bend / 2, -_BENT, _BENT)
            moved, last = now + np.clip(step, -spread, spread), np.abs(step) <= sd_last * spread
            # at an end of the bracket it could go to and fro between both
            inside = last | ((low[rows] < moved) & (moved < high[rows]))
            x[rows] = moved = np.where(inside, moved, (low[rows] + high[rows]) / 2)
            rows = rows[~last & (np.abs(moved - now) > _MEETING * spread)]
        return x


def interval(
    mixture: Mixture, pairwise: PairPosterior, prob: float, kind: str
) -> tuple[_Array, _Array]:
    """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval of the differences.

    Where skewness is corrected for, it is the union with the equal-tailed one of Hall's t. Ends of
    "hdi" of a rough mixture are within 2e-5 of the width.
    """
    if kind == "hdi" and not pairwise.skewed:
        return _narrowest(mixture, pairwise, prob)
    ends = [mixture.quantile(p) for p in ((1 - prob) / 2, (1 + prob) / 2)]
    # the narrowest interval lies about so much nearer to the mode: where Newton's method starts
    lean = mixture.shape[0] * np.sqrt(mixture.moments[1]) / 7 if kind == "hdi" else 0.0
    lower, upper = (pairwise.place(u - lean) for u in ends)
    if kind == "hdi":
        lower, upper = _narrowest(mixture, pairwise, prob, np.stack([lower, upper]))
    if not pairwise.skewed:
        return lower, upper
    low, high = (pairwise.place(u, hall=True) for u in ends)
    return np.minimum(lower, low), np.maximum(upper, high)


def _narrowest(
    mixture: Mixture, pairwise: PairPosterior, prob: float, start: _Array | None = None
) -> tuple[_Array, _Array]:
    """Newton's method for equal heights, where it does not end at once from the best of several
    intervals; or from an end of the range.
    """
    if start is None:
        mean, variance = mixture.moments
        start = pairwise.guess(mean, np.sqrt(variance), prob)
    windows = _windows(pairwise, start) if mixture.rough else None
    both, converged = _equal_heights(mixture, pairwise, prob, start, windows)
    left = np.flatnonzero(~converged)
    if left.size:
        mixture, pairwise = _some(mixture, left), pairwise.take(left)
        start = _best_of_several(mixture, pairwise, prob)
        ends, converged = _equal_heights(mixture, pairwise, prob, start, None)
        narrower = converged & (ends[1] - ends[0] < start[1] - start[0])
        both[:, left] = np.where(narrower, ends, start)
    return both[0], both[1]


def _equal_heights(
    mixture: Mixture,
    pairwise: PairPosterior,
    prob: float,
    start: _Array,
    windows: Windows | None,
) -> tuple[_Array, _Array]:
    """Ends (2, pair) of equal heights, and where they were reached."""

    def beyond(rows: _Array, now: _Array) -> tuple[_Array, _Array, _Array]:
        chart = partial(_charted, pairwise, windows, rows)
        return _beyond(_some(mixture, rows), chart, now)

    return limits.equal_heights(
        beyond,
        start,
        1 - prob,
        (_SHORT_ROUGH if mixture.rough and mixture.df is None else _SHORT)
        * np.diff(start, axis=0)[0],
        _TURNS,
        lambda rows, now, moved: _pairs(pairwise, rows).inside(now, moved),
        squares=True,
    )


def _best_of_several(mixture: Mixture, pairwise: PairPosterior, prob: float) -> _Array:
    """The narrowest of intervals that leave a share of the rest below them, from none to all."""
    number, far = len(pairwise.z), np.full((1, len(pairwise.z)), np.inf)
    below = (1 - prob) * np.linspace(0, 1, _SHARES)
    probs = np.concatenate([below[1:], below[:-1] + prob])
    repeated = _some(mixture, np.tile(np.arange(number), len(probs)))
    scores = repeated.quantile(np.repeat(probs, number)).reshape(2, -1, number)
    low, high = np.concatenate([-far, scores[0]]), np.concatenate([scores[1], far])
    tried = np.stack([[pairwise.place(u) for u in ends] for ends in zip(low, high, strict=True)])
    width = np.nan_to_num(tried[:, 1] - tried[:, 0], nan=np.inf)
    return np.take_along_axis(tried, width.argmin(0)[None, None], 0)[0]


def _windows(pairwise: PairPosterior, start: _Array) -> Windows | None:
    """Interpolants around these ends of right and wrong items, where many pairs are alike."""
    if not isinstance(pairwise, Wins) or len(pairwise.a) < _MANY:
        return None
    distinct = Distinct(pairwise.a, pairwise.b, pairwise.t)
    if len(distinct.parameters[0]) > _ALIKE * len(pairwise.a):
        return None
    return Windows.near(start, distinct, shape(*distinct.parameters)[1])


def _charted(
    pairwise: PairPosterior, windows: Windows | None, rows: _Array, end: int, d: _Array
) -> tuple[_Array, ...]:
    """The chart of some pairs, interpolated where that is exact."""
    if windows is None:
        return _pairs(pairwise, rows).chart(d)
    parts = windows.chart(rows, end, d)
    left = np.flatnonzero(np.isnan(parts[0]))
    if left.size:
        for part, exact in zip(parts, pairwise.take(rows[left]).chart(d[left]), strict=True):
            part[left] = exact
    return parts


def _beyond(
    mixture: Mixture, chart: Callable[[int, _Array], tuple[_Array, ...]], points: _Array
) -> tuple[_Array, _Array, _Array]:
    """Mass beyond both points, height there, and slope of the log height: (2, pair)."""
    parts = []
    for end, (point, sign) in enumerate(zip(points, (1.0, -1.0), strict=True)):
        u, steep, bend = chart(end, point)
        tail, density, change = mixture.around(u, sign)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append((tail, density * steep, change / density * steep + bend))
    mass, height, slope = map(np.stack, zip(*parts, strict=True))
    return mass, height, slope


def _pairs(pairwise: PairPosterior, rows: _Array) -> PairPosterior:
    return pairwise if len(rows) == len(pairwise.z) else pairwise.take(rows)


def _some(mixture: Mixture, rows: _Array) -> Mixture:
    if len(rows) == mixture.weight.shape[1]:
        return mixture
    df = None if mixture.df is None else mixture.df[rows]
    weight, centre, sd = (x[:, rows] for x in (mixture.weight, mixture.centre, mixture.sd))
    return Mixture(weight, centre, sd, df, mixture.rough)
