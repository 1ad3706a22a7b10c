"""The ends of the narrowest interval of d = theta_win - theta_loss, by Newton with exact slopes."""

from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.wins import contour

_Array = Any  # an array of floats
# a step below this share of the sd is the last: the error left is about its square
_STEP = 1e-6
_ROUNDS = 12


def narrowest(a: _Array, b: _Array, t: _Array, prob: float) -> tuple[_Array, _Array, _Array]:
    """Bounds of the narrowest interval of mass `prob` under Dirichlet(a, b, t), and where they
    converged.

    They do not for a parameter below 1, or where the contour fails: see `intervals.hdi`.
    """
    mean, sd, skew = shape(a, b, t)
    limits, converged = edgeworth(mean, sd, skew, prob), np.zeros(a.shape, dtype=bool)
    open_ = np.flatnonzero(np.minimum(np.minimum(a, b), t) >= 1)
    for _ in range(_ROUNDS):
        now = limits[:, open_]
        step, finite = _step(a[open_], b[open_], t[open_], now, prob)
        limits[0, open_] = np.maximum(now[0] + step[0], (now[0] - 1) / 2)
        limits[1, open_] = np.minimum(now[1] + step[1], (now[1] + 1) / 2)
        done = np.abs(step).max(0) < _STEP * sd[open_]
        converged[open_[done & finite]] = True
        open_ = open_[~done & finite]
        if not open_.size:
            break
    return limits[0], limits[1], converged


def _step(a: _Array, b: _Array, t: _Array, now: _Array, prob: float) -> tuple[_Array, _Array]:
    """Newton's step of both bounds, and where it is valid."""
    masses, heights, slopes, converged = _tails(a, b, t, now)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.log(heights[1] / heights[0])
        step = move(now, heights, slopes / heights, masses.sum(0) - (1 - prob), gap)
    return step, converged & np.isfinite(step).all(0)


def move(limits: _Array, heights: _Array, slopes: _Array, miss: _Array, gap: _Array) -> _Array:
    """Newton step of both bounds, from the missing mass and the gap of the log heights."""
    (f, g), (slope_low, slope_up) = heights, slopes
    # solve  f dx - g dy = -miss ;  slope_up dy - slope_low dx = -gap
    scale = f * slope_up - g * slope_low
    dx, dy = (-miss * slope_up - g * gap) / scale, (-f * gap - slope_low * miss) / scale
    limit = 0.5 * (limits[1] - limits[0])
    return np.stack([np.clip(dx, -limit, limit / 2), np.clip(dy, -limit / 2, limit)])


def _tails(
    a: _Array, b: _Array, t: _Array, limits: _Array
) -> tuple[_Array, _Array, _Array, _Array]:
    """Masses beyond both bounds, densities and slopes there, (2, rows), and where valid."""
    both = np.concatenate([b, a]), np.concatenate([a, b]), np.concatenate([t, t])
    tail = contour.beyond(*both, np.concatenate([-limits[0], limits[1]]))
    mass, density, slope, converged = (z.reshape(2, -1) for z in tail)
    return mass, density, slope * [[-1.0], [1.0]], converged.all(0)


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
