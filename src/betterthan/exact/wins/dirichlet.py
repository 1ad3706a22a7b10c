"""The difference d = theta_win - theta_loss of a Dirichlet(a, b, t) variable (win, loss, tie),
without draws.

Every probability of d is one integral along a line of the complex plane (`contour`), of a dozen
nodes. What that does not settle, and what has a parameter below 1, is an integral over s: d = s (2
p - 1), where s ~ Beta(a + b, t) is the share of decisive examples and p ~ Beta(a, b), independent
of s, is the probability that a decisive example is a win (`decisive_share`).

Throughout, t = 0 means that there are no ties: s = 1 and d = 2 p - 1.
"""

from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.wins import contour
from betterthan.exact.wins.beta import LOG_ZERO, log_density_of_log_odds, odds_mass
from betterthan.exact.wins.decisive_share import Split

_Array = Any  # a float or an array of floats, broadcast against the others
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
    result[rows] = _density_without_ties(a[rows], b[rows], x[rows])
    rows = np.flatnonzero(inside & ~_no_ties(a, b, t))
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
    tail = contour.beyond(a, b, t, x)
    result = np.where(tail.converged, tail.density, 0.0)
    four = a, b, t, x
    bound = np.minimum(_log_bound(*four, "beyond"), _log_bound(*four, "below"))
    # a density is the slope of a mass: leave room for it
    rows = np.flatnonzero(~tail.converged & (bound > LOG_ZERO - 120))
    if rows.size:
        result[rows] = Split.anchored(*(z[rows] for z in four)).density()
    return result


def _density_without_ties(a: _Array, b: _Array, x: _Array) -> _Array:
    """Density of d = 2 p - 1 at 0 < x < 1."""
    return np.exp(log_density_of_log_odds(a, b, 2 * np.arctanh(x))) * 2 / (1 - x**2)


def flat(*values: _Array) -> tuple[tuple[int, ...], list[_Array]]:
    """The shape of floats broadcast against each other, and these in one dimension."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
    return arrays[0].shape, [v.ravel() for v in arrays]


def _mass(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """P(d > y), P(d < y) or P(|d| < y) for y >= 0: "beyond", "below", "within"."""
    result = np.zeros(y.shape)
    edge = (y == 0) | (y >= 1) | _no_ties(a, b, t)
    rows = np.flatnonzero(edge)
    result[rows] = _odds_mass(a[rows], b[rows], y[rows], kind)
    rows = np.flatnonzero(~edge)
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
        tail = contour.beyond(a, b, t, y, shape=False)
        return tail.mass, tail.converged
    if kind == "below":
        tail = contour.beyond(b, a, t, -y, shape=False)
        return tail.mass, tail.converged
    # |d| < y as the difference of the smaller tails: with a >= b the mean is not below -y
    middle = (a - b) < y * (a + b + t)
    sign = np.where(middle, 1.0, -1.0)
    inner = contour.beyond(np.where(middle, a, b), np.where(middle, b, a), t, sign * y, shape=False)
    outer = contour.beyond(b, a, t, y, shape=False)
    largest = np.where(middle, 1.0, inner.mass)
    within = np.where(middle, 1 - inner.mass - outer.mass, inner.mass - outer.mass)
    return within, inner.converged & outer.converged & (within > _CANCELLED * largest)


def _odds_mass(a: _Array, b: _Array, y: _Array, kind: str) -> _Array:
    """`_mass` where s does not matter: at y = 0, from y = 1 on, and without ties."""
    w = 2 * np.arctanh(np.minimum(y, 1 - 1e-16))
    return np.where(y >= 1, 0.0 if kind == "beyond" else 1.0, odds_mass(a, b, w, kind))


def _log_bound(a: _Array, b: _Array, t: _Array, y: _Array, kind: str) -> _Array:
    """Chernoff's upper bound of the log of `_mass`, a >= b for "within".

    The cumulant function of `contour` at its minimum.
    """
    up, down = 1 - y, 1 + y
    tilt = contour.tilt(a, b, t, y)
    bound = -a * np.log1p(-tilt * up) - b * np.log1p(tilt * down) - t * np.log1p(tilt * y)
    return np.where((tilt > 0) == (kind == "beyond"), bound, 0.0)
