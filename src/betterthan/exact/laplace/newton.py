"""Largest values of many log densities at once, by Newton's method, with their curvature there."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_STEPS = 100
_LONGEST = 30.0  # of a step: beside these log odds a share is 0 to a dozen digits
_HALVINGS = 30
_ROUNDING = 1e-9  # of the height, relative
_FLAT = 1e-8  # of the largest curvature: a direction that bends less is taken to bend so much


class Curved(NamedTuple):
    """Log densities at points, one each, with slope and less the second derivatives."""

    height: np.ndarray  # (point,)
    slope: np.ndarray  # (point, parameter)
    down: np.ndarray  # (point, parameter, parameter)


Derivatives = Callable[
    [np.ndarray, np.ndarray], Curved
]  # of points, and the index of each point's density


def largest(
    derivatives: Derivatives, start: np.ndarray, tolerance: float = 1e-4
) -> tuple[np.ndarray, Curved]:
    """Points (density, parameter) where each density is largest, and what it is there.

    Parameters
    ----------
    derivatives : function of points and of the index of the density of each
    start : numpy.ndarray, (density, parameter)
    tolerance : float
        Of a step, in widths of the density: the next one would be about its square.

    Raises
    ------
    ValueError
        If one has no largest value within 100 steps.
    """
    x = start.copy()
    left = np.arange(len(x))
    values = derivatives(x, left)
    for _ in range(_STEPS):
        now = Curved(*(part[left] for part in values))
        step = np.linalg.solve(_upwards(now.down), now.slope[..., None])[..., 0]
        far = np.sqrt((now.slope * step).sum(1))
        step *= np.minimum(1, _LONGEST / np.maximum(np.abs(step).max(1), 1e-300))[:, None]
        moved = _uphill(derivatives, x[left], step, now.height, left)
        for part, new in zip(values, moved[1], strict=True):
            part[left] = new
        x[left] = moved[0]
        left = left[far > tolerance]
        if not len(left):
            return x, values
    raise ValueError(f"{len(left)} of {len(x)} log densities have no largest value near by")


def lower(down: np.ndarray) -> np.ndarray:
    """Lower triangular roots of curvatures; where one is none, it is bent until it is."""
    try:
        return np.linalg.cholesky(down)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(_bent(down))


def _upwards(down: np.ndarray) -> np.ndarray:
    """Curvatures, with which a step leads up."""
    try:
        np.linalg.cholesky(down)
    except np.linalg.LinAlgError:
        return _bent(down)
    return down


def _bent(down: np.ndarray) -> np.ndarray:
    value, axes = np.linalg.eigh(down)
    value = np.maximum(np.abs(value), _FLAT * np.abs(value).max(-1, keepdims=True))
    return (axes * value[..., None, :]) @ axes.swapaxes(-1, -2)


def _uphill(
    derivatives: Derivatives, x: np.ndarray, step: np.ndarray, before: np.ndarray, which: np.ndarray
) -> tuple[np.ndarray, Curved]:
    """Points after steps that are halved until none decreases the density, with values there."""
    slack = _ROUNDING * np.maximum(np.abs(before), 1.0)
    after = derivatives(x + step, which)
    for _ in range(_HALVINGS):
        down = np.flatnonzero(~((after.height >= before - slack) & (after.height < np.inf)))
        if not len(down):
            break
        step[down] /= 2
        again = derivatives((x + step)[down], which[down])
        for part, new in zip(after, again, strict=True):
            part[down] = new
    return x + step, after
