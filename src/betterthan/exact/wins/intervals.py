"""Quantiles and intervals of d = theta_win - theta_loss under Dirichlet(a, b, t), by root finding
on its exact CDF.
"""

from typing import Any

import numpy as np
from scipy import optimize, special

from betterthan.exact.wins.dirichlet import (
    density,
    mean_difference,
    prob_above,
    prob_below,
    sd_difference,
)

_Array = Any  # a float or an array of floats, broadcast against the others
# a Newton step below this share of the sd is the last: the error left is about its square
_STEP = 1e-7
_SECANT_STEP = 1e-9  # likewise where slopes are secants
_ROUNDS = 60


def quantile(a: _Array, b: _Array, t: _Array, prob: _Array) -> _Array:
    """Quantile of d under Dirichlet(a, b, t): the x with P(d < x) = prob.

    Parameters
    ----------
    a, b, t : array_like of float
        Dirichlet parameters of win, loss and tie; t = 0 means that there are no ties.
    prob : array_like of float in [0, 1]
        All four broadcast.

    Returns
    -------
    numpy.ndarray
        Within 1e-10.

    Examples
    --------
    >>> float(quantile(1, 1, 1, 0.98).round(12))  # d is triangular: (1 - x)^2 / 2 = 0.02
    0.8
    """
    a, b, t, prob = np.broadcast_arrays(*(np.asarray(z, dtype=float) for z in (a, b, t, prob)))
    shape = a.shape
    a, b, t, prob = (z.ravel() for z in (a, b, t, prob))
    upper = prob > 0.5
    # -d has its lower tail where d has its upper
    a, b = np.where(upper, b, a), np.where(upper, a, b)
    found = _lower_quantile(a, b, t, np.where(upper, 1 - prob, prob))
    return np.where(upper, -found, found).reshape(shape)[()]


def eti(a: _Array, b: _Array, t: _Array, prob: float) -> tuple[_Array, _Array]:
    """Equal-tailed interval of mass `prob` of d under Dirichlet(a, b, t)."""
    tail = (1 - prob) / 2
    a, b, t = (np.asarray(z, dtype=float) for z in (a, b, t))
    return quantile(a, b, t, tail), -quantile(b, a, t, tail)


def hdi(a: _Array, b: _Array, t: _Array, prob: float) -> tuple[_Array, _Array, _Array]:
    """Narrowest interval of mass `prob` of d under Dirichlet(a, b, t).

    Parameters
    ----------
    a, b, t : array_like of float
        Dirichlet parameters of win, loss and tie; t = 0 means that there are no ties. They
        broadcast.
    prob : float in (0, 1)

    Returns
    -------
    lower, upper : numpy.ndarray
        Within 1e-10. Where the narrowest interval is not unique, the equal-tailed one.
    modes : numpy.ndarray of int
        Number of modes of the density: 1, or more where some parameter is below 1 and data are few.

    Notes
    -----
    With all parameters at least 1 the density of d is log-concave, so it has one mode, and the ends
    are where the density is equal. Elsewhere the shortest of all intervals of that mass is looked
    for.

    Examples
    --------
    >>> lower, upper, _ = hdi(1, 1, 1, 0.96)
    >>> round(float(lower), 12), round(float(upper), 12)
    (-0.8, 0.8)
    """
    a, b, t = np.broadcast_arrays(*(np.asarray(z, dtype=float) for z in (a, b, t)))
    shape = a.shape
    a, b, t = (z.ravel() for z in (a, b, t))
    tail = (1 - prob) / 2
    lower, upper = _guess(a, b, t, tail), _guess(a, b, t, 1 - tail)
    modes = np.ones(a.shape, dtype=np.int64)
    regular = _one_mode(a, b, t)
    rows = np.flatnonzero(regular)
    lower[rows], upper[rows], settled = _equal_heights(
        a[rows], b[rows], t[rows], lower[rows], upper[rows], prob
    )
    for row in [*np.flatnonzero(~regular), *rows[~settled]]:
        lower[row], upper[row], modes[row] = _shortest(a[row], b[row], t[row], prob)
    return lower.reshape(shape)[()], upper.reshape(shape)[()], modes.reshape(shape)[()]


def _one_mode(a: _Array, b: _Array, t: _Array) -> _Array:
    """Where d has one mode, away from the ends: log-concave, or at most one parameter small
    (checked in the tests).
    """
    alone = (t == 0) & (a > 1) & (b > 1)
    enough = (a >= 1.5).astype(int) + (b >= 1.5) + (t >= 1.5) >= 2
    return alone | ((t > 0) & (enough | ((t >= 1) & (a >= 1) & (b >= 1))))


def _lower_quantile(a: _Array, b: _Array, t: _Array, prob: _Array) -> _Array:
    """The x with P(d < x) = prob, prob <= 1/2: Newton on log P, bracketed."""
    result = np.where(prob == 0, -1.0, _guess(a, b, t, prob))
    low, high = np.full(a.shape, -1.0), np.full(a.shape, 1.0)
    sd = sd_difference(a, b, t)
    alone = t == 0
    result[alone] = 2 * special.betaincinv(a[alone], b[alone], prob[alone]) - 1
    open_ = np.flatnonzero((prob > 0) & ~alone)
    for _ in range(_ROUNDS):
        if not open_.size:
            break
        aa, bb, tt, x = a[open_], b[open_], t[open_], result[open_]
        below, height = prob_below(aa, bb, tt, x), density(aa, bb, tt, x)
        short = below < prob[open_]
        low[open_], high[open_] = np.where(short, x, low[open_]), np.where(short, high[open_], x)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(below / prob[open_]) * below / height
        step = np.where(np.isfinite(step), step, np.inf)
        moved = x - step
        last = np.abs(step) <= _STEP * np.minimum(sd[open_], 1 + x)
        outside = ~last & ((moved <= low[open_]) | (moved >= high[open_]))
        result[open_] = np.where(
            outside, (low[open_] + high[open_]) / 2, np.clip(moved, low[open_], high[open_])
        )
        open_ = open_[~last & (high[open_] - low[open_] > 1e-15)]
    return result


def _guess(a: _Array, b: _Array, t: _Array, prob: _Array) -> _Array:
    """Quantile of the scaled Beta with the mean and spread of d."""
    centre = (1 + mean_difference(a, b, t)) / 2
    spread = sd_difference(a, b, t) / 2
    weight = centre * (1 - centre) / spread**2 - 1
    guess = 2 * special.betaincinv(centre * weight, (1 - centre) * weight, prob) - 1
    # the inverse gives up on huge parameters
    guess = np.where(np.isfinite(guess), guess, 2 * centre - 1)
    return np.clip(guess, -1 + 1e-15, 1 - 1e-15)


def _equal_heights(
    a: _Array, b: _Array, t: _Array, lower: _Array, upper: _Array, prob: float
) -> tuple[_Array, _Array, _Array]:
    """Newton for "the mass is prob, the heights are equal"; slopes of the log density by
    secants.
    """
    lower, upper, settled = lower.copy(), upper.copy(), np.zeros(a.shape, dtype=bool)
    sd = sd_difference(a, b, t)
    mean = mean_difference(a, b, t)
    slope_low, slope_up = (mean - lower) / sd**2, (mean - upper) / sd**2
    before: tuple[_Array, ...] | None = None
    open_ = np.arange(a.size)
    for _ in range(_ROUNDS):
        if not open_.size:
            break
        aa, bb, tt, x, y = a[open_], b[open_], t[open_], lower[open_], upper[open_]
        f, g = density(aa, bb, tt, x), density(aa, bb, tt, y)
        if before is not None:
            slope_low = _secant(slope_low, np.log(f) - before[2], x - before[0])
            slope_up = _secant(slope_up, np.log(g) - before[3], y - before[1])
        miss = prob_below(aa, bb, tt, x) + prob_above(aa, bb, tt, y) - (1 - prob)
        gap = np.log(g) - np.log(f)
        # solve  f dx - g dy = -miss ;  slope_up dy - slope_low dx = -gap
        scale = f * slope_up - g * slope_low
        dx, dy = (-miss * slope_up - g * gap) / scale, (-f * gap - slope_low * miss) / scale
        limit = 0.5 * (y - x)
        dx, dy = np.clip(dx, -limit, limit / 2), np.clip(dy, -limit / 2, limit)
        lower[open_], upper[open_] = (
            np.maximum(x + dx, (x - 1) / 2),
            np.minimum(y + dy, (y + 1) / 2),
        )
        done = np.maximum(np.abs(dx), np.abs(dy)) < _SECANT_STEP * sd[open_]
        settled[open_[done]] = True
        keep = ~done & np.isfinite(dx) & np.isfinite(dy)
        before = (x[keep], y[keep], np.log(f)[keep], np.log(g)[keep])
        slope_low, slope_up, open_ = slope_low[keep], slope_up[keep], open_[keep]
    return lower, upper, settled


def _secant(slope: _Array, rise: _Array, run: _Array) -> _Array:
    """The secant slope, where it is trustworthy and of the old slope's sign."""
    with np.errstate(divide="ignore", invalid="ignore"):
        fresh = rise / run
    return np.where((np.abs(run) > 1e-9) & np.isfinite(fresh) & (fresh * slope > 0), fresh, slope)


def _shortest(a: float, b: float, t: float, prob: float) -> tuple[float, float, int]:
    """Shortest interval of one d of any shape, from the mass left below it; ETI where two are
    equally short.
    """
    modes = _count_modes(a, b, t)
    grid = np.linspace(0, 1 - prob, 65)
    widths = _upper_end(a, b, t, grid, prob) - quantile(a, b, t, grid)
    best = int(np.argmin(widths))
    local = (widths <= np.roll(widths, 1)) & (widths <= np.roll(widths, -1))
    local[[0, -1]] = [widths[0] <= widths[1], widths[-1] <= widths[-2]]
    rivals = np.flatnonzero(local & (widths <= widths[best] + 1e-9))
    if rivals.size and rivals[-1] - rivals[0] > 1:
        low, high = eti(a, b, t, prob)
        return float(low), float(high), modes

    def lean(below: float) -> float:  # log height at the upper end minus that at the lower
        low, high = quantile(a, b, t, below), _upper_end(a, b, t, below, prob)
        with np.errstate(divide="ignore"):
            return float(np.log(density(a, b, t, high)) - np.log(density(a, b, t, low)))

    left, right = grid[max(best - 1, 0)], grid[min(best + 1, 64)]
    inner = (1 - prob) * 1e-12
    left, right = max(left, inner), min(right, 1 - prob - inner)
    if lean(left) * lean(right) > 0 or not np.isfinite(lean(left) + lean(right)):
        below = grid[best]
    else:
        below = optimize.toms748(lean, left, right, xtol=1e-15)
    return float(quantile(a, b, t, below)), float(_upper_end(a, b, t, below, prob)), modes


def _upper_end(a: float, b: float, t: float, below: _Array | float, prob: float) -> _Array:
    """The upper end that goes with the mass left below the lower end; exact near the top."""
    return -quantile(b, a, t, np.maximum((1 - prob) - np.asarray(below), 0.0))


def _count_modes(a: float, b: float, t: float) -> int:
    """Number of modes of the density of d, poles at -1, 0 and 1 included."""
    if t == 0:
        return 1 + int(a < 1 and b < 1)
    inner = np.geomspace(1e-9, 0.5, 60)
    right = np.concatenate([inner, 1 - inner[::-1][1:]])
    grid = np.concatenate([-right[::-1], right])
    heights = density(a, b, t, grid)
    padded = np.concatenate(
        [[heights[0] if b + t <= 1 else 0], heights, [heights[-1] if a + t <= 1 else 0]]
    )
    rising = np.diff(padded) > 1e-9 * padded[:-1]
    falling = np.diff(padded) < -1e-9 * padded[:-1]
    turns = np.where(rising, 1, np.where(falling, -1, 0))
    turns = turns[turns != 0]
    peaks = int(((turns[:-1] == 1) & (turns[1:] == -1)).sum())
    return max(1, peaks + int(b + t < 1) + int(a + t < 1))
