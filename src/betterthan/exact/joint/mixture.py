"""The difference of each pair as a mixture of its own posterior, drawn towards other systems.

Everything is in errors of a pair, from the middle of its own posterior: u = 0 where that has half
of its probability below. The own posterior is then a standard normal or a standard Student's t.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.joint.own import Own
from betterthan.exact.joint.student import distribution, heights, log_rise
from betterthan.exact.wins.ends import move

_Array = Any  # an array of floats
_STEP, _ROUNDS = 1e-9, 60  # of a standard deviation: a shorter step is the last
_HELD = 2**14  # numbers (component, pair) at once, which the processor's cache holds
_SHORT, _TURNS = 1e-6, 8  # likewise of Newton's steps of both ends, whose error is the square


@dataclass(frozen=True)
class Mixture:
    """Weights, centres and standard deviations (component, pair), those of a pair together in
    memory.
    """

    weight: _Array
    centre: _Array
    sd: _Array
    df: _Array | None  # (pair,), of t; None of normals

    def below(self, u: _Array) -> _Array:
        """P(difference < u), (pair,)."""
        return self.sides(u)[0]

    def above(self, u: _Array) -> _Array:
        """P(difference > u), precise where it is small."""
        return self.sides(u)[1]

    def sides(self, u: _Array) -> tuple[_Array, _Array]:
        """Both of these at once."""
        below, above = np.empty(u.shape), np.empty(u.shape)
        for at in self._blocks():
            weight, z, df = self._standard(u, at)
            less = z < 0
            near = distribution(-np.abs(z, out=z), df)  # the smaller tail
            rest = 1 - near
            for found, tail in (
                (below, np.where(less, near, rest)),
                (above, np.where(less, rest, near)),
            ):
                tail *= weight
                tail.sum(0, out=found[at])
        # rounding must not lift them above 1
        return np.minimum(below, 1.0), np.minimum(above, 1.0)

    def around(self, u: _Array, sign: float) -> tuple[_Array, _Array, _Array]:
        """P(difference < u), or with sign -1 P(difference > u); the density at u, and its slope."""
        tails, densities, slopes = (np.empty(u.shape) for _ in range(3))
        for at in self._blocks():
            (weight, z, df), sd = self._standard(u, at), self.sd[:, at]
            rise = None if df is None else log_rise(z, df)
            tail = distribution(sign * z, df, rise)
            tail *= weight
            tail.sum(0, out=tails[at])
            height, fall = heights(z, df, rise)
            height *= weight
            height /= sd
            height.sum(0, out=densities[at])
            height *= fall
            height /= sd
            slopes[at] = -height.sum(0)
        return tails, densities, slopes

    def _blocks(self) -> Iterator[slice]:
        """Some pairs at a time."""
        step = max(1, _HELD // max(len(self.weight), 1))
        for start in range(0, self.weight.shape[1], step):
            yield slice(start, start + step)

    def _standard(self, u: _Array, at: slice) -> tuple[_Array, _Array, _Array | None]:
        """Weights, and how far u lies from the centres, (component, pair); degrees of freedom."""
        z = u[at] - self.centre[:, at]
        z /= self.sd[:, at]
        return self.weight[:, at], z, None if self.df is None else self.df[at]

    @cached_property
    def moments(self) -> tuple[_Array, _Array]:
        """Mean and variance, as of normals."""
        mean = (self.weight * self.centre).sum(0)
        square = (self.weight * (self.sd**2 + (self.centre - mean) ** 2)).sum(0)
        return mean, np.maximum(square, 1e-300)

    def quantile(self, prob: float | _Array) -> _Array:
        """By Newton on the normal scale, bracketed, for a mixture may have several modes."""
        wanted, (found, variance) = special.ndtri(prob), self.moments
        sd = np.sqrt(variance)
        found = found + wanted * sd
        low, high = found - 40 * sd, found + 40 * sd
        for _ in range(_ROUNDS):
            below, density, _ = self.around(found, 1.0)
            low, high = np.where(below < prob, found, low), np.where(below < prob, high, found)
            score = special.ndtri(np.clip(below, 1e-15, 1 - 1e-15))
            # the slope of the normal score of P is the density over the normal one there
            slope = density * np.sqrt(2 * np.pi) * np.exp(0.5 * score * score)
            moved = found - np.clip((score - wanted) / np.maximum(slope, 1e-300), -sd, sd)
            moved = np.where((moved < low) | (moved > high), (low + high) / 2, moved)
            done = np.abs(moved - found) <= _STEP * sd
            found = moved
            if done.all():
                break
        return found


def interval(mixture: Mixture, own: Own, prob: float, kind: str) -> tuple[_Array, _Array]:
    """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval of the differences.

    Where skewness is corrected for, it is the union with the equal-tailed one of Hall's t.
    """
    lower, upper = (_narrowest if kind == "hdi" else _equal_tailed)(mixture, own, prob)
    if not own.skewed:
        return lower, upper
    ends = (mixture.quantile(p) for p in ((1 - prob) / 2, (1 + prob) / 2))
    low, high = (own.place(u, hall=True) for u in ends)
    return np.minimum(lower, low), np.maximum(upper, high)


def _equal_tailed(mixture: Mixture, own: Own, prob: float) -> tuple[_Array, _Array]:
    return own.place(mixture.quantile((1 - prob) / 2)), own.place(mixture.quantile((1 + prob) / 2))


def _narrowest(mixture: Mixture, own: Own, prob: float) -> tuple[_Array, _Array]:
    """By Newton towards equal heights; from an end of the range where there are none."""
    mean, variance = mixture.moments
    ends = own.guess(mean, np.sqrt(variance), prob)
    settled, size = np.zeros(mean.shape, dtype=bool), np.diff(ends, axis=0)[0]
    rows = np.arange(len(mean))
    for _ in range(_TURNS):
        now = ends[:, rows]
        step = _newton(_some(mixture, rows), own.take(rows), now, prob)
        known = np.isfinite(step).all(0)
        ends[:, rows] = own.inside(now, now + np.where(known, step, 0.0))
        done = np.abs(step).max(0) < _SHORT * size[rows]
        settled[rows[known & done]] = True
        rows = rows[known & ~done]
        if not rows.size:
            break
    left = np.flatnonzero(~settled)
    if left.size:
        ends[:, left] = _from_an_end(_some(mixture, left), own.take(left), prob)
    return ends[0], ends[1]


def _from_an_end(mixture: Mixture, own: Own, prob: float) -> _Array:
    """The narrowest of the equal-tailed interval and those from an end of what is possible."""
    number, far = len(own.z), np.full(len(own.z), np.inf)
    probs = np.array([(1 - prob) / 2, (1 + prob) / 2, prob, 1 - prob])
    four = _some(mixture, np.tile(np.arange(number), len(probs)))
    low, high, up, down = four.quantile(np.repeat(probs, number)).reshape(len(probs), number)
    ends = (low, high), (-far, up), (down, far)
    tried = np.stack([[own.place(u) for u in both] for both in ends])
    width = np.nan_to_num(tried[:, 1] - tried[:, 0], nan=np.inf)
    return np.take_along_axis(tried, width.argmin(0)[None, None], 0)[0]


def _newton(mixture: Mixture, own: Own, ends: _Array, prob: float) -> _Array:
    """The step of both ends towards equal heights around `prob`, (2, pair)."""
    tails, height, slope = [], [], []
    for end, sign in zip(ends, (1.0, -1.0), strict=True):
        u, steep, bend = own.chart(end)
        tail, at, change = mixture.around(u, sign)
        tails.append(tail)
        with np.errstate(divide="ignore", invalid="ignore"):
            height.append(at * steep)
            slope.append(change / at * steep + bend)
    heights_, slopes = np.stack(height), np.stack(slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.log(heights_[1] / heights_[0])
        return move(ends, heights_, slopes, tails[0] + tails[1] - (1 - prob), gap)


def _some(mixture: Mixture, rows: _Array) -> Mixture:
    if len(rows) == mixture.weight.shape[1]:
        return mixture
    df = None if mixture.df is None else mixture.df[rows]
    weight, centre, sd = (x.T[rows].T for x in (mixture.weight, mixture.centre, mixture.sd))
    return Mixture(weight, centre, sd, df)
