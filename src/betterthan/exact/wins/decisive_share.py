"""Integrals over the share s of decisive examples: the masses and the density of d = s (2 p - 1).

With y > 0, |d| < y is the same as: s < y, or the log odds L of p lie within -w(s) .. w(s), where
w(s) = log((s + y) / (s - y)). The integral runs over v = log((s - y) / (1 - s)), in which
w = w_min + log1p(k e^-v). It is centred on an anchor: s at the top of its log odds or, where that
is not well above y, 2.5 standard deviations above y.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.adaptive import bisect
from betterthan.exact.numeric.quadrature import integrate, log_mix, panel_masses
from betterthan.exact.wins.beta import log_density_of_log_odds, log_fall, log_top, odds_mass

# Growth of log density per width up to which three, or six, points a panel are exact enough.
_GENTLE, _MILD = 0.5, 5.0
# y and n of a long flat integrand, on which the rules of equal steps may agree and be off by 1e-8
_NEXT_TO_0, _SLOW = 1e-9, 2.0
_FEW = 0.001  # of ties
_ROWS = 256  # bisected at once: bounds the memory
_COUNTS = 16.0  # the integrand counts down to e^-16 of its top
# relative error allowed of its kernel at the left edge, the top, the right edge
_EXACT = np.array([1e-7, 1e-11, 1e-7])
_Array = Any  # an array of floats


@dataclass(frozen=True)
class Split:
    """The integrals for arrays of (a, b, t, y), all y in (0, 1) and t > 0, with their anchors."""

    a: _Array
    b: _Array
    t: _Array
    y: _Array
    e: _Array  # exp(v) at the anchor
    odds: _Array  # against s there
    log_height: _Array  # log density of v there
    width: _Array  # of the integrand in v

    @classmethod
    def anchored(cls, a: _Array, b: _Array, t: _Array, y: _Array) -> "Split":
        """Find the anchors."""
        n = a + b
        p, q = n / (n + t), t / (n + t)  # s and 1 - s where the log odds of s have their top
        sd = np.sqrt(p * q / (n + t + 1))
        inside = p - y > 2.5 * sd
        lift = np.where(inside, (1 - y) - q, np.minimum(2.5 * sd, 0.5 * (1 - y)))  # s - y
        s = np.where(inside, p, y + lift)
        t_share = np.where(inside, q, (1 - y) - lift)  # 1 - s
        fall = np.where(
            inside, 0.0, n * np.log1p((q - t_share) / p) + t * np.log1p((t_share - q) / q)
        )
        log_height = log_top(n, t) + fall + np.log(lift / s) - np.log1p(-y)
        width = np.where(inside, sd * (1 / lift + 1 / t_share), 1.0)
        return cls(a, b, t, y, lift / t_share, t_share / s, log_height, width)

    @cached_property
    def n(self) -> _Array:
        """Of s ~ Beta(n, t)."""
        return self.a + self.b

    @cached_property
    def anchor(self) -> _Array:
        """In v."""
        return np.log(self.e)

    @cached_property
    def k(self) -> _Array:
        """In w = w_min + log1p(k e^-v)."""
        return 2 * self.y / (1 + self.y)

    @cached_property
    def w_min(self) -> _Array:
        """The least w, at s = 1."""
        return 2 * np.arctanh(self.y)

    def log_density_v(self, v: _Array, r: _Array) -> _Array:
        """Of the rows r."""
        e, y, n, t, odds = (z[r][:, None] for z in (self.e, self.y, self.n, self.t, self.odds))
        x = v - self.anchor[r][:, None]
        log_fallen = log_mix(e / (1 + e), 1 / (1 + e), x)  # 1 - s has fallen by this
        rise = -odds * np.expm1(-log_fallen)
        # by logs where s is small: y may be far below the rounding of e, even subnormal
        log_s = np.where(
            rise > -0.5,
            np.log1p(np.maximum(rise, -0.5)),
            np.logaddexp(np.log(y), np.log(e) + x) - np.log(y + e) - log_fallen,
        )
        gain = x - log_fallen
        if (t < _FEW).any():  # x goes to 1 / t, where the difference cancels
            gain = np.where(t < _FEW, -log_mix(1 / (1 + e), e / (1 + e), -x), gain)
        return self.log_height[r][:, None] + (n - 1) * log_s + gain - t * log_fallen

    def w(self, v: _Array, r: _Array) -> _Array:
        """The log odds of p at which |d| is y, for the rows r."""
        k = self.k[r][:, None]
        return self.w_min[r][:, None] + np.where(
            v > -30, np.log1p(k * np.exp(-np.maximum(v, -30))), np.logaddexp(0, np.log(k) - v)
        )

    def mass(self, kind: str) -> _Array:
        """P(s > y and L > w), and so for "below" and "within"."""
        grow = self._growth()
        long = (self.y < _NEXT_TO_0) & (self.n < _SLOW)
        gentle, mild = grow < _GENTLE, grow < _MILD
        kernels = (
            (partial(_by_panels, points=3), gentle & ~long),
            (partial(_by_panels, points=6), mild & ~gentle & ~long),
            (_by_tails, ~mild & ~long),
        )
        result = np.empty(self.a.shape)
        with np.errstate(divide="ignore", under="ignore"):
            for kernel, group in kernels:
                rows = np.flatnonzero(group)
                if rows.size:
                    result[rows] = self._integrate(kernel, rows, kind)
            # the integrand lies flat from log y to 0, with a bend at each end
            for block in _blocks(np.flatnonzero(long)):
                integrand = self._log_integrand(_by_tails, block, kind)
                index = np.arange(block.size)
                result[block] = bisect(integrand, index, self.anchor[block], self.width[block])
        return result

    def _growth(self) -> _Array:
        """Of the log density of L per width of v, near the anchor; infinite where it has poles."""
        w = self.w(self.anchor[:, None], np.arange(self.a.size))[:, 0]
        step = self.width * self.k / (self.k + self.e)  # change of w per width of v
        slope = np.maximum(np.abs(self._slope(w)), np.abs(self._slope(-w)))
        steepest = slope + np.sqrt(self.a * self.b / self.n)
        return np.where(np.minimum(self.a, self.b) >= 1, steepest * step, np.inf)

    def _slope(self, w: _Array) -> _Array:
        """Slope of the log density of L at w."""
        return self.a - self.n * special.expit(w)

    def _integrate(self, kernel: Callable[..., _Array], rows: _Array, kind: str) -> _Array:
        fast, careful = (self._log_integrand(k, rows, kind) for k in (kernel, _by_tails))
        return integrate(fast, self.anchor[rows], self.width[rows], careful)

    def _log_integrand(
        self, kernel: Callable[..., _Array], rows: _Array, kind: str
    ) -> Callable[[_Array, _Array], _Array]:
        def log_integrand(v: _Array, r: _Array) -> _Array:
            i = rows[r]
            log_density = self.log_density_v(v, i)
            return kernel(self.a[i], self.b[i], self.w(v, i), log_density, kind)

        return log_integrand

    def density(self) -> _Array:
        """Density of d at y."""

        def log_integrand(v: _Array, r: _Array) -> _Array:
            a, b, y = (z[r][:, None] for z in (self.a, self.b, self.y))
            log_rise = np.log1p(-y) - np.logaddexp(0, -v)  # of s - y
            s = y + np.exp(log_rise)
            jacobian = np.log(2 * s / (s + y)) - log_rise  # |dw/dy| = 2 s / (s^2 - y^2)
            return self.log_density_v(v, r) + log_density_of_log_odds(a, b, self.w(v, r)) + jacobian

        with np.errstate(divide="ignore", under="ignore", over="ignore"):  # infinite at a pole
            return integrate(log_integrand, self.anchor, self.width)


def _blocks(rows: _Array) -> list[_Array]:
    return [rows[k : k + _ROWS] for k in range(0, rows.size, _ROWS)]


def _by_tails(a: _Array, b: _Array, w: _Array, log_density: _Array, kind: str) -> _Array:
    """Log integrand with the kernel at every node from the incomplete Beta function."""
    return log_density + np.log(_kernel(a, b, w, kind))


def _kernel(a: _Array, b: _Array, w: _Array, kind: str) -> _Array:
    """Mass of the log odds L beyond, below or within w, (rows, nodes)."""
    shape = w.shape
    aa, bb = (np.broadcast_to(z[:, None], shape).ravel() for z in (a, b))
    return odds_mass(aa, bb, w.ravel(), kind).reshape(shape)


def _by_panels(
    a: _Array, b: _Array, w: _Array, log_density: _Array, kind: str, points: int
) -> _Array:
    """Log integrand with the kernel at every node by adding up the mass between nodes; w falls
    along a row.

    The kernel is compared with the incomplete Beta function where it matters; rows in which the
    panels were too wide are done by `_by_tails`.
    """
    limits = _kernel(a, b, w[:, [0, -1]], kind)
    sums = _cumulated(_panels(a, b, w, kind, points), limits, kind)
    logs = log_density + np.log(np.maximum(sums, 0.0))  # a sum of rounding errors may be below 0
    # and with no hump overlooked, the sum comes out about right at the far end too
    overlooked = (np.abs(sums[:, [0, -1]] - limits) > 0.5 * limits).any(1)
    wrong = _too_wide(a, b, w, logs, sums, kind) | overlooked
    if wrong.any():
        logs[wrong] = _by_tails(a[wrong], b[wrong], w[wrong], log_density[wrong], kind)
    return logs


def _panels(a: _Array, b: _Array, w: _Array, kind: str, points: int) -> _Array:
    """Mass of the log odds L between neighbouring nodes w, and between -w for "within"."""
    a, b = a[:, None, None], b[:, None, None]
    top = np.exp(log_top(a, b))

    def density(u: _Array) -> _Array:
        return np.exp(log_fall(a, b, u)) * top

    masses = -panel_masses(density, w, points)
    if kind == "within":
        masses = masses - panel_masses(lambda u: density(-u), w, points)
    return masses


def _cumulated(masses: _Array, limits: _Array, kind: str) -> _Array:
    """The kernel at every node, summed from the end where it is smallest: all terms positive."""
    if kind == "beyond":
        return np.concatenate([limits[:, :1], masses], axis=1).cumsum(1)
    return np.concatenate([masses, limits[:, 1:]], axis=1)[:, ::-1].cumsum(1)[:, ::-1]


def _too_wide(a: _Array, b: _Array, w: _Array, logs: _Array, sums: _Array, kind: str) -> _Array:
    """Rows whose kernel is not exact at the top of the integrand or at the edges of what counts."""
    matters = logs > logs.max(1, keepdims=True) - _COUNTS
    last = logs.shape[1] - 1
    spots = np.stack([matters.argmax(1), logs.argmax(1), last - matters[:, ::-1].argmax(1)], axis=1)
    exact = _kernel(a, b, np.take_along_axis(w, spots, 1), kind)
    summed = np.take_along_axis(sums, spots, 1)
    return ~(np.abs(summed - exact) <= _EXACT * exact).all(1)
