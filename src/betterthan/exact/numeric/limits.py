"""Limits of intervals by Newton's method, many rows at once, for any law of a difference d.

A law is a function of rows and points. One between -1 and 1 has all its mass there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

_Array = Any  # an array of floats
_ROUNDS = 60
_MEETING = 1e-15  # brackets this narrow hold the root
_SHORT, _LITTLE = 0.005, 0.02  # of the width of an interval, and of a step


def beta_quantile(mean: _Array, sd: _Array, prob: _Array) -> _Array:
    """Quantile of the Beta on (-1, 1) with this mean and standard deviation, to start from."""
    centre, spread = (1 + mean) / 2, sd / 2
    weight = centre * (1 - centre) / spread**2 - 1
    start = 2 * special.betaincinv(centre * weight, (1 - centre) * weight, prob) - 1
    # the inverse gives up on huge parameters
    return np.clip(np.where(np.isfinite(start), start, mean), -1 + 1e-15, 1 - 1e-15)


def quantile(
    below: Callable[[_Array, _Array], tuple[_Array, _Array, _Array]], start: _Array, prob: _Array
) -> _Array:
    """The x of each row with P(d < x) = prob: Newton on log P, bracketed.

    Parameters
    ----------
    below : callable
        From rows and their x to P(d < x), the density of d there, and how long the last step may
        be.
    start : numpy.ndarray, (row,)
    prob : numpy.ndarray, (row,)
    """
    root, low, high = start.copy(), np.full(start.shape, -1.0), np.full(start.shape, 1.0)
    rows = np.arange(start.size)
    for _ in range(_ROUNDS):
        if not rows.size:
            break
        x = root[rows]
        mass, height, last = below(rows, x)
        short = mass < prob[rows]
        low[rows[short]], high[rows[~short]] = x[short], x[~short]
        least, most = low[rows], high[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = x - np.log(mass / prob[rows]) * mass / height
        inside = (moved >= least) & (moved <= most)
        root[rows] = np.where(inside, moved, (least + most) / 2)
        done = np.abs(root[rows] - x) <= last
        rows = rows[~done & (most - least > _MEETING)]
    return root


def half_way(rows: _Array, limits: _Array, moved: _Array) -> _Array:
    """The moved limits, at most half way to -1 and 1."""
    return np.clip(moved, (limits - 1) / 2, (limits + 1) / 2)


def equal_heights(
    beyond: Callable[[_Array, _Array], tuple[_Array, _Array, _Array]],
    limits: _Array,
    outside: float,
    last: _Array,
    rounds: int = _ROUNDS,
    within: Callable[[_Array, _Array, _Array], _Array] = half_way,
    *,
    squares: bool = False,
) -> tuple[_Array, _Array]:
    """Limits at which the density is equal and beyond which there is a mass of `outside`.

    Parameters
    ----------
    beyond : callable
        From rows and their limits (2, row) to the masses beyond both, the densities there and the
        slopes of the log densities, all (2, row); NaN where they are not known.
    limits : numpy.ndarray, (2, row)
        To start from.
    outside : float
    last : numpy.ndarray, (row,)
        How long the last step may be: the error is about its square.
    rounds : int, default 60
        Steps after which a row is given up.
    within : callable, default `half_way`
        From rows, their limits and the moved ones to limits that the law allows.
    squares : bool, default False
        Whether steps are also taken with their squares, for a density of one mode or nearly so.

    Returns
    -------
    limits : numpy.ndarray, (2, row)
    converged : numpy.ndarray of bool, (row,)
    """
    limits, converged = limits.copy(), np.zeros(limits.shape[1], dtype=bool)
    rows = np.arange(limits.shape[1])
    for _ in range(rounds):
        if not rows.size:
            break
        now = limits[:, rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            step = _step(now, *beyond(rows, now), outside, squares)
        limits[:, rows] = within(rows, now, now + step)
        finite, done = np.isfinite(step).all(0), np.abs(step).max(0) < last[rows]
        converged[rows[finite & done]] = True
        rows = rows[finite & ~done]
    return limits, converged


def _step(
    limits: _Array, mass: _Array, height: _Array, slope: _Array, outside: float, squares: bool
) -> _Array:
    """Newton's step of both limits. If `squares` are wanted, they are used where the step is short
    and they change it little: the slope of the log density is taken to change evenly between them.
    """
    (f, g), (low, up) = height, slope
    width = limits[1] - limits[0]
    bend, scale = (up - low) / width, f * up - g * low

    def solved(miss: _Array, gap: _Array) -> _Array:
        """The steps with  f dx - g dy = -miss ;  up dy - low dx = -gap."""
        return np.stack([-miss * up - g * gap, -f * gap - low * miss]) / scale

    miss, gap = mass.sum(0) - outside, np.log(g) - np.log(f)
    dx, dy = step = solved(miss, gap)
    if squares:
        second = (f * low * dx * dx - g * up * dy * dy) / 2, bend * (dy * dy - dx * dx) / 2
        change = solved(*second)
        far, more = np.abs(step).max(0), np.abs(change).max(0)
        dx, dy = np.where((far < _SHORT * width) & (more < _LITTLE * far), step + change, step)
    most = 0.5 * width
    return np.stack([np.clip(dx, -most, most / 2), np.clip(dy, -most / 2, most)])


def fewest(
    reached: Callable[[_Array], _Array],
    low: _Array,
    high: _Array,
    most: float = np.inf,
    close: float = 0.0,
) -> tuple[_Array, _Array]:
    """The least whole numbers above `low` at which `reached` turns true, by doubling from `high` on
    and halving, to within a share `close` of them; and where it is not true even at `most`.
    """
    while (open_ := (never := ~reached(high)) & (high < most)).any():
        low, high = np.where(open_, high, low), np.where(open_, np.maximum(1, 2 * high), high)
    while (high - low > np.maximum(1, close * high)).any():
        middle = np.floor((low + high) / 2)
        done = reached(middle)
        low, high = np.where(done, low, middle), np.where(done, middle, high)
    return high, never
