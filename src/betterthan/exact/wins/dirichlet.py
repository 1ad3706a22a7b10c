"""The difference d = theta_win - theta_loss of a Dirichlet(a, b, t) variable (win, loss, tie).

Every probability of d is one integral along a line of the complex plane, of a dozen nodes
(`inverse_laplace`). What that does not settle, and what has a parameter below 1, is an integral
over the share s of decisive items: d = s (2 p - 1), where s ~ Beta(a + b, t) and p ~ Beta(a, b),
independent of s, is the probability that a decisive item is a win.

With y > 0, |d| < y is the same as: s < y, or the log odds L of p lie within -w(s) .. w(s), where
w(s) = log((s + y) / (s - y)). The integral runs over v = log((s - y) / (1 - s)), in which
w = w_min + log1p(k e^-v). It is centred on an anchor: s at the top of its log odds or, where that
is not well above y, 2.5 standard deviations above y.

Throughout, t = 0 means that there are no ties: s = 1 and d = 2 p - 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import bisect, integrate, log_mix, panel_masses
from betterthan.exact.wins import inverse_laplace
from betterthan.exact.wins.beta import (
    LOG_ZERO,
    log_density_of_log_odds,
    log_fall,
    log_top,
    odds_mass,
)

# Growth of log density per width up to which three, or six, points a panel are exact enough.
_GENTLE, _MILD = 0.5, 5.0
# y and n of a long flat integrand, on which the rules of equal steps may agree and be off by 1e-8
_NEXT_TO_0, _SLOW = 1e-9, 2.0
_FEW = 0.001  # of ties
_HUGE, _HARDLY = 5e10, 100.0  # counts of one outcome, and of all others, whose integrals fail
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
        _refuse_beyond_precision(a, b, t)
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


def _refuse_beyond_precision(*counts: _Array) -> None:
    """Refuse what is so close to 1 or -1 that double precision has no digits of the rest left."""
    largest = np.maximum.reduce(counts)
    if (rows := (largest > _HUGE) & (sum(counts) - largest < _HARDLY)).any():
        largest = largest[rows][0]
        raise ArithmeticError(
            f"{largest:,.0f} items with one outcome and hardly one with another are beyond double "
            "precision; check the counts, of which up to 50,000,000,000 are compared"
        )


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


_NO_TIES = 1e-13  # a parameter of tie that moves no probability by 1e-11, where a + b is 1
_CANCELLED = 0.01  # a difference of tails below this share of them is integrated on its own


def mean_difference(a: _Array, b: _Array, t: _Array) -> _Array:
    """Mean of d under Dirichlet(a, b, t)."""
    return (a - b) / (a + b + t)


def sd_difference(a: _Array, b: _Array, t: _Array) -> _Array:
    """Standard deviation of d under Dirichlet(a, b, t)."""
    n = a + b + t
    # a + b - (a - b)^2 / n, written without cancellation
    return np.sqrt((4 * a * b + (a + b) * t) / (n * n * (n + 1)))


def prob_above(a: _Array, b: _Array, t: _Array, x: _Array) -> _Array:
    """P(d > x) under Dirichlet(a, b, t).

    Parameters
    ----------
    a, b : array_like of positive float
        Dirichlet parameters of win and loss, posterior ones as a rule.
    t : array_like of float, at least 0
        Dirichlet parameter of tie; 0 means that there are no ties.
    x : array_like of float
        All four broadcast.

    Returns
    -------
    numpy.ndarray
        Relative error below 1e-9 for parameters from 0.01 to 1e6, also where the probability is
        tiny.

    Examples
    --------
    >>> float(prob_above(13, 3, 987, 0.0))
    0.996307373046875
    """
    shape, (a, b, t, x) = flat(a, b, t, x)
    up = x >= 0
    first, second, y = np.where(up, a, b), np.where(up, b, a), np.abs(x)
    result = np.empty(x.shape)
    for kind, rows in (("beyond", np.flatnonzero(up)), ("below", np.flatnonzero(~up))):
        result[rows] = _mass(first[rows], second[rows], t[rows], y[rows], kind)
    return result.reshape(shape)[()]


def prob_below(a: _Array, b: _Array, t: _Array, x: _Array) -> _Array:
    """P(d < x) under Dirichlet(a, b, t); see `prob_above`."""
    return prob_above(b, a, t, -np.asarray(x, dtype=float))


def prob_within(a: _Array, b: _Array, t: _Array, rope: _Array) -> _Array:
    """P(-rope < d < rope) under Dirichlet(a, b, t), a sum of positive terms; see `prob_above`."""
    shape, (a, b, t, rope) = flat(a, b, t, rope)
    return _mass(np.maximum(a, b), np.minimum(a, b), t, rope, "within").reshape(shape)[()]


def density(a: _Array, b: _Array, t: _Array, x: _Array) -> _Array:
    """Density of d at x under Dirichlet(a, b, t); infinite at 0 where a + b <= 1 and t > 0.

    Examples
    --------
    >>> density(1, 1, 1, [-0.5, 0.0, 0.25]).round(12).tolist()
    [0.5, 1.0, 0.75]
    """
    shape, (a, b, t, x) = flat(a, b, t, x)
    a, b, x = np.where(x < 0, b, a), np.where(x < 0, a, b), np.abs(x)
    result = np.where(x == 0, _zero_density(a, b, t), 0.0)
    inside = (x > 0) & (x < 1)
    rows = np.flatnonzero(inside & _no_ties(a, b, t))
    d = x[rows]  # 2 p - 1
    result[rows] = np.exp(log_density_of_log_odds(a[rows], b[rows], 2 * np.arctanh(d))) * 2
    result[rows] /= 1 - d**2
    rows = np.flatnonzero(inside & ~_no_ties(a, b, t))
    if rows.size:
        result[rows] = _density_with_ties(a[rows], b[rows], t[rows], x[rows])
    return result.reshape(shape)[()]


def _no_ties(a: _Array, b: _Array, t: _Array) -> _Array:
    return t <= _NO_TIES * np.minimum(a + b, 1)


def _zero_density(a: _Array, b: _Array, t: _Array) -> _Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        ties = np.where(t > 0, (a + b + t - 1) / (a + b - 1), 1)  # mean of 1 / s
    height = 2 * np.exp(log_density_of_log_odds(a, b, np.zeros_like(a))) * ties
    return np.where((t > 0) & (a + b <= 1), np.inf, height)


def _density_with_ties(a: _Array, b: _Array, t: _Array, x: _Array) -> _Array:
    """Density of d at 0 < x < 1 by the contour, and where that does not settle over s."""
    tail = inverse_laplace.beyond(a, b, t, x, parts=2)
    result = np.where(tail.converged, tail.density, 0.0)
    four = a, b, t, x
    bound = np.minimum(_log_bound(*four, "beyond"), _log_bound(*four, "below"))
    # a density is the slope of a mass: leave room for it
    rows = np.flatnonzero(~tail.converged & (bound > LOG_ZERO - 120))
    if rows.size:
        result[rows] = Split.anchored(*(z[rows] for z in four)).density()
    return result


def flat(*values: _Array) -> tuple[tuple[int, ...], list[_Array]]:
    """The shape of floats broadcast against each other, and these in one dimension."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
    return arrays[0].shape, [v.ravel() for v in arrays]


def _mass(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """P(d > y), P(d < y) or P(|d| < y) for y >= 0: "beyond", "below", "within"."""
    result = np.zeros(y.shape)
    edge = (y == 0) | (y >= 1) | _no_ties(a, b, t)
    rows = np.flatnonzero(edge)  # where s does not matter
    w = 2 * np.arctanh(np.minimum(y[rows], 1 - 1e-16))
    beyond_all = 0.0 if kind == "beyond" else 1.0
    result[rows] = np.where(y[rows] >= 1, beyond_all, odds_mass(a[rows], b[rows], w, kind))
    rows = np.flatnonzero(~edge)
    if not rows.size:
        return result
    by_contour, converged = _on_contour(a[rows], b[rows], t[rows], y[rows], kind)
    result[rows[converged]] = by_contour[converged]
    rows = rows[~converged]
    rows = rows[_log_bound(a[rows], b[rows], t[rows], y[rows], kind) > LOG_ZERO]
    if rows.size:
        split = Split.anchored(a[rows], b[rows], t[rows], y[rows])
        result[rows] = split.mass(kind)
        if kind != "beyond":
            result[rows] += special.betainc(split.n, split.t, split.y)  # s < y
    return result


def _on_contour(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> tuple[_Array, _Array]:
    """`_mass` for y > 0 by the contour, and where it converged."""
    if kind == "beyond":
        tail = inverse_laplace.beyond(a, b, t, y, parts=1)
        return tail.mass, tail.converged
    if kind == "below":
        tail = inverse_laplace.beyond(b, a, t, -y, parts=1)
        return tail.mass, tail.converged
    # |d| < y as the difference of the smaller tails: with a >= b the mean is not below -y
    middle = (a - b) < y * (a + b + t)
    sign = np.where(middle, 1.0, -1.0)
    inner = inverse_laplace.beyond(
        np.where(middle, a, b), np.where(middle, b, a), t, sign * y, parts=1
    )
    outer = inverse_laplace.beyond(b, a, t, y, parts=1)
    largest = np.where(middle, 1.0, inner.mass)
    within = np.where(middle, 1 - inner.mass - outer.mass, inner.mass - outer.mass)
    return within, inner.converged & outer.converged & (within > _CANCELLED * largest)


def _log_bound(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """Chernoff's upper bound of the log of `_mass`, a >= b for "within".

    The cumulant function of `contour` at its minimum.
    """
    up, down = 1 - y, 1 + y
    tilt = inverse_laplace.tilt(a, b, t, y)
    bound = -a * np.log1p(-tilt * up) - b * np.log1p(tilt * down) - t * np.log1p(tilt * y)
    return np.where((tilt > 0) == (kind == "beyond"), bound, 0.0)
