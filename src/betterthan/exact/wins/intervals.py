"""Quantiles and intervals of d = theta_win - theta_loss under Dirichlet(a, b, t)."""

from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric import limits
from betterthan.exact.wins import inverse_laplace
from betterthan.exact.wins.dirichlet import (
    density,
    flat,
    mean_difference,
    prob_above,
    prob_below,
    sd_difference,
)

_Array = Any  # an array of floats
# a step below this share of the sd is the last: the error left is about its square
_CONTOUR_STEP, _CONTOUR_ROUNDS = 1e-6, 12


def narrowest(a: _Array, b: _Array, t: _Array, prob: float) -> tuple[_Array, _Array, _Array]:
    """Bounds of the narrowest interval of mass `prob` under Dirichlet(a, b, t), and where they
    converged.

    They do not for a parameter below 1, or where the contour fails: see `intervals.hdi`.
    """
    mean, sd, skew = shape(a, b, t)

    def beyond(rows: _Array, now: _Array) -> tuple[_Array, _Array, _Array]:
        masses, heights, slopes, converged = _tails(a[rows], b[rows], t[rows], now)
        return np.where(converged, masses, np.nan), heights, slopes / heights

    start = edgeworth(mean, sd, skew, prob)
    (lower, upper), converged = limits.equal_heights(
        beyond, start, 1 - prob, _CONTOUR_STEP * sd, _CONTOUR_ROUNDS, squares=True
    )
    return lower, upper, converged


def _tails(
    a: _Array, b: _Array, t: _Array, points: _Array
) -> tuple[_Array, _Array, _Array, _Array]:
    """Masses beyond both points, densities and slopes there, (2, rows), and where valid."""
    if not t.any():
        return _untied_tails(a, b, points)
    both = np.concatenate([b, a]), np.concatenate([a, b]), np.concatenate([t, t])
    tail = inverse_laplace.beyond(*both, np.concatenate([-points[0], points[1]]))
    mass, density, slope, converged = (z.reshape(2, -1) for z in tail)
    return mass, density, slope * [[-1.0], [1.0]], converged.all(0)


def _untied_tails(a: _Array, b: _Array, points: _Array) -> tuple[_Array, _Array, _Array, _Array]:
    """The same where no pair ties, so that (1 + d) / 2 is Beta(a, b)."""
    share, rest = (1 + points) / 2, (1 - points) / 2
    masses = np.stack([special.betainc(a, b, share[0]), special.betainc(b, a, rest[1])])
    logs = special.xlogy(a - 1, share) + special.xlogy(b - 1, rest) - special.betaln(a, b)
    densities = np.exp(logs) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = densities * ((a - 1) / share - (b - 1) / rest) / 2
    return masses, densities, slopes, (a > 1) & (b > 1)


def shape(a: _Array, b: _Array, t: _Array) -> tuple[_Array, _Array, _Array]:
    """Mean, sd and skewness, from the moments of G_win - G_loss = N d."""
    n, net, sum_ = a + b + t, a - b, a + b
    mean = net / n
    second = (sum_ + net**2) / (n * (n + 1))
    third = (2 * net + 3 * sum_ * net + net**3) / (n * (n + 1) * (n + 2))
    sd = np.sqrt((4 * a * b + sum_ * t) / (n * n * (n + 1)))
    return mean, sd, (third - 3 * mean * second + 2 * mean**3) / sd**3


def edgeworth(mean: _Array, sd: _Array, skew: _Array, prob: float) -> _Array:
    """Where Edgeworth's density of that skewness has equal heights, well inside (-1, 1)."""
    z = special.ndtri((1 + prob) / 2)
    shift = np.clip(skew, -2, 2) * (z * z - 3) / 6
    lower, upper = mean + sd * (shift - z), mean + sd * (shift + z)
    return np.stack(
        [np.maximum(lower, mean - 0.95 * (1 + mean)), np.minimum(upper, mean + 0.95 * (1 - mean))]
    )


_QUANTILE_STEP = 1e-7  # likewise of quantiles
_SECANT_STEP = 1e-9  # likewise where slopes are secants
_GRID = 65  # masses below an interval at which the shortest one is first looked for


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
    shape, (a, b, t, prob) = flat(a, b, t, prob)
    upper = prob > 0.5
    # -d has its lower tail where d has its upper
    a, b = np.where(upper, b, a), np.where(upper, a, b)
    x = _lower_quantile(a, b, t, np.where(upper, 1 - prob, prob))
    return np.where(upper, -x, x).reshape(shape)[()]


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
    shape, (a, b, t) = flat(a, b, t)
    lower, upper, converged = narrowest(a, b, t, prob)
    modes = np.ones(a.shape, dtype=np.int64)
    rows = np.flatnonzero(~converged & _unimodal(a, b, t))
    lower[rows], upper[rows], converged[rows] = _equal_heights(a[rows], b[rows], t[rows], prob)
    for row in np.flatnonzero(~converged):
        lower[row], upper[row], modes[row] = _shortest(a[row], b[row], t[row], prob)
    return lower.reshape(shape)[()], upper.reshape(shape)[()], modes.reshape(shape)[()]


def _unimodal(a: _Array, b: _Array, t: _Array) -> _Array:
    """Where d has one mode, away from the ends: log-concave, or at most one parameter small
    (checked in the tests).
    """
    untied = (t == 0) & (a > 1) & (b > 1)
    enough = (a >= 1.5).astype(int) + (b >= 1.5) + (t >= 1.5) >= 2
    return untied | ((t > 0) & (enough | ((t >= 1) & (a >= 1) & (b >= 1))))


def _lower_quantile(a: _Array, b: _Array, t: _Array, prob: _Array) -> _Array:
    """The x with P(d < x) = prob, prob <= 1/2."""
    result = np.where(prob == 0, -1.0, _guess(a, b, t, prob))
    untied = t == 0
    result[untied] = 2 * special.betaincinv(a[untied], b[untied], prob[untied]) - 1
    open_ = np.flatnonzero((prob > 0) & ~untied)
    sd = sd_difference(a, b, t)

    def below(rows: _Array, x: _Array) -> tuple[_Array, _Array, _Array]:
        three, last = (a[open_[rows]], b[open_[rows]], t[open_[rows]]), sd[open_[rows]]
        return prob_below(*three, x), density(*three, x), _QUANTILE_STEP * np.minimum(last, 1 + x)

    result[open_] = limits.quantile(below, result[open_], prob[open_])
    return result


def _guess(a: _Array, b: _Array, t: _Array, prob: _Array) -> _Array:
    """Quantile of the scaled Beta with the mean and spread of d."""
    return limits.beta_quantile(mean_difference(a, b, t), sd_difference(a, b, t), prob)


def _equal_heights(a: _Array, b: _Array, t: _Array, prob: float) -> tuple[_Array, _Array, _Array]:
    """Newton for "the mass is prob, the heights are equal"; slopes of the log density by
    secants.
    """
    start = np.stack([_guess(a, b, t, p) for p in ((1 - prob) / 2, (1 + prob) / 2)])
    sd = sd_difference(a, b, t)
    slopes = (mean_difference(a, b, t) - start) / sd**2
    before = np.full((2, *start.shape), np.nan)  # limits, and log heights there

    def beyond(rows: _Array, now: _Array) -> tuple[_Array, _Array, _Array]:
        three = a[rows], b[rows], t[rows]
        heights = np.stack([density(*three, x) for x in now])
        here = np.stack([now, np.log(heights)])
        run, rise = here - before[..., rows]
        slopes[:, rows], before[..., rows] = _secant(slopes[:, rows], rise, run), here
        masses = np.stack([prob_below(*three, now[0]), prob_above(*three, now[1])])
        return masses, heights, slopes[:, rows]

    (lower, upper), converged = limits.equal_heights(beyond, start, 1 - prob, _SECANT_STEP * sd)
    return lower, upper, converged


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
    grid = np.linspace(0, 1 - prob, _GRID)
    widths = _upper_end(a, b, t, grid, prob) - quantile(a, b, t, grid)
    best = int(np.argmin(widths))
    if _has_rival(widths, best):
        low, high = eti(a, b, t, prob)
        return float(low), float(high), modes
    left, right = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    below = _balanced(a, b, t, prob, left, right)
    below = grid[best] if below is None else below
    return float(quantile(a, b, t, below)), float(_upper_end(a, b, t, below, prob)), modes


def _has_rival(widths: _Array, best: int) -> bool:
    """Whether another interval, not beside the best one, is as short."""
    local = (widths <= np.roll(widths, 1)) & (widths <= np.roll(widths, -1))
    local[[0, -1]] = [widths[0] <= widths[1], widths[-1] <= widths[-2]]
    rivals = np.flatnonzero(local & (widths <= widths[best] + 1e-9))
    return bool(rivals.size and rivals[-1] - rivals[0] > 1)


def _balanced(a: float, b: float, t: float, prob: float, left: float, right: float) -> float | None:
    """The mass below, between left and right, at which the ends are equally high, if any."""

    def lean(below: float) -> float:  # log height at the upper end minus that at the lower
        low, high = quantile(a, b, t, below), _upper_end(a, b, t, below, prob)
        with np.errstate(divide="ignore"):
            return float(np.log(density(a, b, t, high)) - np.log(density(a, b, t, low)))

    inner = (1 - prob) * 1e-12
    left, right = max(left, inner), min(right, 1 - prob - inner)
    lean_left, lean_right = lean(left), lean(right)
    if lean_left * lean_right > 0 or not np.isfinite(lean_left + lean_right):
        return None
    from scipy import optimize  # rarely needed, and slow to import

    root: Any = optimize.toms748(lean, left, right, xtol=1e-15)
    return float(root)


def _upper_end(a: float, b: float, t: float, below: _Array | float, prob: float) -> _Array:
    """The upper end that goes with the mass left below the lower end; exact near the top."""
    return -quantile(b, a, t, np.maximum((1 - prob) - np.asarray(below), 0.0))


def _count_modes(a: float, b: float, t: float) -> int:
    """Number of modes of the density of d, poles at -1, 0 and 1 included."""
    if t == 0:
        return 1 + int(a < 1 and b < 1)
    inner = np.geomspace(1e-9, 0.5, 60)
    right = np.concatenate([inner, 1 - inner[::-1][1:]])
    heights = density(a, b, t, np.concatenate([-right[::-1], right]))
    first, last = heights[0] if b + t <= 1 else 0, heights[-1] if a + t <= 1 else 0
    padded = np.concatenate([[first], heights, [last]])
    rise = np.diff(padded)
    turns = np.sign(np.where(np.abs(rise) > 1e-9 * padded[:-1], rise, 0))
    turns = turns[turns != 0]
    peaks = int(((turns[:-1] > 0) & (turns[1:] < 0)).sum())
    return max(1, peaks + int(b + t < 1) + int(a + t < 1))


def interval(
    right: np.ndarray, size: np.ndarray, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the interval of a share: its posterior is Beta(1 + right, 1 + size - right).

    Parameters
    ----------
    right, size : numpy.ndarray of int
        How many are right, of how many.
    prob : float
        Mass of the interval.
    kind : {"hdi", "eti"}

    Returns
    -------
    lower, upper : numpy.ndarray
        NaN where there is no example.

    Examples
    --------
    >>> lower, upper = interval(np.array([20, 0]), np.array([20, 0]), 0.95, "hdi")
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.8671, nan], [1.0, nan])
    """
    a, b = 1.0 + right, 1.0 + size - right
    # 2 p - 1 is the difference of a pair that never ties
    both = hdi(a, b, 0.0, prob)[:2] if kind == "hdi" else eti(a, b, 0.0, prob)
    lower, upper = ((1 + np.where(size > 0, limit, np.nan)) / 2 for limit in both)
    return lower, upper
