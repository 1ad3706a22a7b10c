"""The difference d = theta_win - theta_loss of a Dirichlet(a, b, t) variable (win, loss, tie),
without draws.

d = s (2 p - 1), where s ~ Beta(a + b, t) is the share of decisive examples and p ~ Beta(a, b),
independent of s, is the probability that a decisive example is a win. So every probability of d is
one integral over s. With y > 0, |d| < y is the same as: s < y, or the log odds L of p lie within
-w(s) .. w(s), where w(s) = log((s + y) / (s - y)). The integral runs over v = log((s - y) / (1 -
s)), in which w = w_min + log1p(k e^-v).

Throughout, t = 0 means that there are no ties: s = 1 and d = 2 p - 1.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import integrate, log_mix, panel_masses
from betterthan.exact.wins.beta import LOG_ZERO, log_density_of_log_odds, log_top

# Growth of log density per width up to which three, or six, points a panel are exact enough.
_GENTLE, _MILD = 0.5, 5.0
_COUNTS = 16.0  # the integrand counts down to e^-16 of its top
# relative error allowed of its kernel at the left edge, the top, the right edge
_EXACT = np.array([1e-7, 1e-11, 1e-7])
_Array = Any  # a float or an array of floats, broadcast against the others


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
    shape, (a, b, t, x) = _flat(a, b, t, x)
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
    shape, (a, b, t, rope) = _flat(a, b, t, rope)
    return _mass(np.maximum(a, b), np.minimum(a, b), t, rope, "within").reshape(shape)[()]


def density(a: _Array, b: _Array, t: _Array, x: _Array) -> _Array:
    """Density of d at x under Dirichlet(a, b, t); infinite at 0 where a + b <= 1 and t > 0.

    Examples
    --------
    >>> density(1, 1, 1, [-0.5, 0.0, 0.25]).round(12).tolist()
    [0.5, 1.0, 0.75]
    """
    shape, (a, b, t, x) = _flat(a, b, t, x)
    a, b, x = np.where(x < 0, b, a), np.where(x < 0, a, b), np.abs(x)
    result = np.zeros(x.shape)
    zero = np.zeros_like(x)
    with np.errstate(divide="ignore"):
        at_zero = (
            2
            * np.exp(log_density_of_log_odds(a, b, zero))
            * np.where(t > 0, (a + b + t - 1) / (a + b - 1), 1)
        )
    result = np.where(x == 0, np.where((t > 0) & (a + b <= 1), np.inf, at_zero), result)
    alone = np.flatnonzero((t == 0) & (x > 0) & (x < 1))
    w = 2 * np.arctanh(x[alone])
    result[alone] = np.exp(log_density_of_log_odds(a[alone], b[alone], w)) * 2 / (1 - x[alone] ** 2)
    rows = np.flatnonzero((t > 0) & (x > 0) & (x < 1))
    far = np.minimum(
        *(_log_bound(a[rows], b[rows], t[rows], x[rows], kind) for kind in ("beyond", "below"))
    )
    rows = rows[far > LOG_ZERO - 120]  # a density is the slope of a mass: leave room for the slope
    if rows.size:
        result[rows] = _Split(a[rows], b[rows], t[rows], x[rows]).density()
    return result.reshape(shape)[()]


def _flat(*values: _Array) -> tuple[tuple[int, ...], list[_Array]]:
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
    return arrays[0].shape, [v.ravel() for v in arrays]


def _mass(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """P(d > y), P(d < y) or P(|d| < y) for y >= 0: "beyond", "below", "within"."""
    result = np.zeros(y.shape)
    edge = (y == 0) | (y >= 1) | (t == 0)
    rows = np.flatnonzero(edge)
    if rows.size:
        w = 2 * np.arctanh(np.minimum(y[rows], 1 - 1e-16))
        inside = np.where(
            y[rows] >= 1, 0.0 if kind == "beyond" else 1.0, _odds_mass(a[rows], b[rows], w, kind)
        )
        result[rows] = inside
    rows = np.flatnonzero(~edge)
    rows = rows[_log_bound(a[rows], b[rows], t[rows], y[rows], kind) > LOG_ZERO]
    if rows.size:
        split = _Split(a[rows], b[rows], t[rows], y[rows])
        result[rows] = split.mass(kind)
        if kind != "beyond":
            result[rows] += special.betainc(split.n, split.t, split.y)  # s < y
    return result


def _log_bound(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """Chernoff's upper bound of the log of `_mass`, a >= b for "within".

    With independent Gamma variables G, d > y is the same as (1 - y) G_win - (1 + y) G_loss - y
    G_tie > 0; the cumulant function of that sum has its minimum at the larger root of a quadratic.
    """
    up, down = 1 - y, 1 + y
    square = (a + b + t) * up * down * y
    linear = a * up * (1 + 2 * y) - b * down * (2 * y - 1) - 2 * t * y * y
    constant = a * up - b * down - t * y
    root = np.sqrt(np.maximum(linear * linear - 4 * square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        tilt = np.where(linear > 0, -2 * constant / (linear + root), (root - linear) / (2 * square))
    tilt = np.clip(np.nan_to_num(tilt), (1e-15 - 1) / down, (1 - 1e-15) / up)
    bound = -a * np.log1p(-tilt * up) - b * np.log1p(tilt * down) - t * np.log1p(tilt * y)
    return np.where((tilt > 0) == (kind == "beyond"), bound, 0.0)


def _odds_mass(a: _Array, b: _Array, w: _Array, kind: str) -> _Array:
    """P(L > w), P(L < w) or P(|L| < w) for the log odds L of Beta(a, b), w >= 0."""
    if kind == "beyond":
        return special.betainc(b, a, special.expit(-w))
    if kind == "below":
        return special.betaincc(b, a, special.expit(-w))
    return _odds_within(a, b, w)


def _odds_within(a: _Array, b: _Array, w: _Array) -> _Array:
    """P(|L| < w), a >= b: a difference of lower tails, or Gauss-Legendre where these would
    cancel.
    """
    below = special.expit(-w)
    result = special.betaincc(b, a, below) - special.betainc(a, b, below)
    narrow = np.abs(a - b) * w + (a + b) * w * w < 2
    if narrow.any():
        aa, bb = a[narrow], b[narrow]
        nodes = np.stack([-w[narrow], np.zeros_like(aa), w[narrow]], axis=-1)
        sums = panel_masses(
            lambda u: np.exp(log_density_of_log_odds(aa[:, None, None], bb[:, None, None], u)),
            nodes,
        )
        result[narrow] = sums.sum(-1)
    return result


class _Split:
    """The integrals over s for one array of (a, b, t, y), all y in (0, 1) and t > 0."""

    def __init__(self, a: _Array, b: _Array, t: _Array, y: _Array):
        self.a, self.b, self.t, self.y = a, b, t, y
        self.n = n = a + b
        p, q = n / (n + t), t / (n + t)  # where the log odds of s have their top
        sd = np.sqrt(p * q / (n + t + 1))
        well_inside = p - y > 2.5 * sd
        # of s above y, at the anchor
        lift = np.where(well_inside, (1 - y) - q, np.minimum(2.5 * sd, 0.5 * (1 - y)))
        s = np.where(well_inside, p, y + lift)
        rest = np.where(well_inside, q, (1 - y) - lift)
        self.k = 2 * y / (1 + y)
        self.w_min = 2 * np.arctanh(y)
        # exp(v) and the odds against s at the anchor, and the log density of v there
        self.e = lift / rest
        self.odds = rest / s
        self.anchor = np.log(self.e)
        shift = np.where(
            well_inside, 0.0, n * np.log1p((q - rest) / p) + t * np.log1p((rest - q) / q)
        )
        self.log_height = log_top(n, t) + shift + np.log(lift / s) - np.log1p(-y)
        self.width = np.where(well_inside, sd * (1 / lift + 1 / rest), 1.0)

    def log_density_of_v(self, v: _Array, r: _Array) -> _Array:
        e, y, n, t, odds = (z[r][:, None] for z in (self.e, self.y, self.n, self.t, self.odds))
        x = v - self.anchor[r][:, None]
        log_rest = log_mix(e / (1 + e), 1 / (1 + e), x)  # 1 - s has fallen by this
        rise = -odds * np.expm1(-log_rest)
        log_s = np.where(
            rise > -0.5,
            np.log1p(np.maximum(rise, -0.5)),
            log_mix(e / (y + e), y / (y + e), x) - log_rest,
        )
        return self.log_height[r][:, None] + (n - 1) * log_s + x - (t + 1) * log_rest

    def w(self, v: _Array, r: _Array) -> _Array:
        k = self.k[r][:, None]
        return self.w_min[r][:, None] + np.where(
            v > -30, np.log1p(k * np.exp(-np.maximum(v, -30))), np.log(k) - v
        )

    def mass(self, kind: str) -> _Array:
        w = self.w(self.anchor[:, None], np.arange(self.a.size))[:, 0]
        step = self.width * self.k / (self.k + self.e)  # change of w per width of v
        steepest = np.maximum(np.abs(self.slope(w)), np.abs(self.slope(-w))) + np.sqrt(
            self.a * self.b / self.n
        )
        grow = np.where(np.minimum(self.a, self.b) >= 1, steepest * step, np.inf)
        gentle, mild = grow < _GENTLE, grow < _MILD
        kernels = (
            (partial(_by_panels, points=3), gentle),
            (partial(_by_panels, points=6), mild & ~gentle),
            (_by_tails, ~mild),
        )
        result = np.empty(self.a.shape)
        with np.errstate(divide="ignore", under="ignore"):
            for kernel, group in kernels:
                rows = np.flatnonzero(group)
                if rows.size:
                    result[rows] = self._integrate(kernel, rows, kind)
        return result

    def _integrate(self, kernel: Callable[..., _Array], rows: _Array, kind: str) -> _Array:
        def log_integrand(v: _Array, r: _Array) -> _Array:
            i = rows[r]
            return kernel(self.a[i], self.b[i], self.w(v, i), self.log_density_of_v(v, i), kind)

        def careful(v: _Array, r: _Array) -> _Array:
            i = rows[r]
            return _by_tails(self.a[i], self.b[i], self.w(v, i), self.log_density_of_v(v, i), kind)

        return integrate(log_integrand, self.anchor[rows], self.width[rows], careful)

    def slope(self, w: _Array) -> _Array:
        """Slope of the log density of L at w."""
        return self.a - self.n * special.expit(w)

    def density(self) -> _Array:
        def log_integrand(v: _Array, r: _Array) -> _Array:
            a, b, y = (z[r][:, None] for z in (self.a, self.b, self.y))
            log_rise = np.log1p(-y) - np.logaddexp(0, -v)  # of s - y
            s = y + np.exp(log_rise)
            jacobian = np.log(2 * s / (s + y)) - log_rise  # |dw/dy| = 2 s / (s^2 - y^2)
            return (
                self.log_density_of_v(v, r) + log_density_of_log_odds(a, b, self.w(v, r)) + jacobian
            )

        with np.errstate(divide="ignore", under="ignore"):
            return integrate(log_integrand, self.anchor, self.width)


def _by_tails(a: _Array, b: _Array, w: _Array, log_density: _Array, kind: str) -> _Array:
    """Log integrand with the kernel at every node from the incomplete Beta function."""
    return log_density + np.log(_kernel(a, b, w, kind))


def _kernel(a: _Array, b: _Array, w: _Array, kind: str) -> _Array:
    shape = w.shape
    aa, bb = (np.broadcast_to(z[:, None], shape).ravel() for z in (a, b))
    return _odds_mass(aa, bb, w.ravel(), kind).reshape(shape)


def _by_panels(
    a: _Array, b: _Array, w: _Array, log_density: _Array, kind: str, points: int
) -> _Array:
    """Log integrand with the kernel at every node by adding up the mass between nodes; w falls
    along a row.

    The sum starts where the kernel is least, so that its terms are all positive. It is compared
    with the incomplete Beta function where it matters; rows in which the panels were too wide are
    done by `_by_tails`.
    """
    top = np.exp(log_top(a, b))

    def density(u: _Array) -> _Array:
        p, q = (a / (a + b))[:, None, None], (b / (a + b))[:, None, None]
        x = u - np.log(a / b)[:, None, None]
        return (
            np.exp(a[:, None, None] * x - (a + b)[:, None, None] * log_mix(p, q, x))
            * top[:, None, None]
        )

    masses = -panel_masses(density, w, points)
    if kind == "within":
        masses = masses - panel_masses(lambda u: density(-u), w, points)
    ends = _kernel(a, b, w[:, [0, -1]], kind)
    if kind == "beyond":
        sums = np.concatenate([ends[:, :1], masses], axis=1).cumsum(1)
    else:
        sums = np.concatenate([masses, ends[:, 1:]], axis=1)[:, ::-1].cumsum(1)[:, ::-1]
    logs = log_density + np.log(np.maximum(sums, 0.0))  # a sum of rounding errors may be below 0
    # and with no hump overlooked, the sum comes out about right at the far end too
    wrong = _too_wide(a, b, w, logs, sums, kind) | (
        np.abs(sums[:, [0, -1]] - ends) > 0.5 * ends
    ).any(1)
    if wrong.any():
        logs[wrong] = _by_tails(a[wrong], b[wrong], w[wrong], log_density[wrong], kind)
    return logs


def _too_wide(a: _Array, b: _Array, w: _Array, logs: _Array, sums: _Array, kind: str) -> _Array:
    """Rows whose kernel is not exact at the top of the integrand or at the edges of what counts."""
    matters = logs > logs.max(1, keepdims=True) - _COUNTS
    last = logs.shape[1] - 1
    spots = np.stack([matters.argmax(1), logs.argmax(1), last - matters[:, ::-1].argmax(1)], axis=1)
    exact = _kernel(a, b, np.take_along_axis(w, spots, 1), kind)
    found = np.take_along_axis(sums, spots, 1)
    return ~(np.abs(found - exact) <= _EXACT * exact).all(1)
