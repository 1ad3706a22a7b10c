"""The vertical line on which M(t) / t is integrated: through its lowest point right of 0."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

_STEPS = 30  # of Newton, on the way to the lowest point
_NEAR = 1e-2  # relative; the line need not go through it


@dataclass(frozen=True)
class Line:
    """Of each row: x, where the line crosses the axis, the width of the hump on it, log M there."""

    x: np.ndarray
    cross: np.ndarray
    width: np.ndarray
    log: np.ndarray

    def at(self, rows: np.ndarray) -> "Line":
        """Of these rows."""
        return Line(self.x[rows], self.cross[rows], self.width[rows], self.log[rows])

    @classmethod
    def of(cls, law: Any, x: np.ndarray) -> Self:
        """The line of each row, found by Newton's method within bounds."""
        h = law.node - x[:, None, None]
        end = 1 / (1 - x)
        t, low, high = np.minimum(_normal(law, h), end / 2), np.zeros(x.size), end
        for _ in range(_STEPS):
            slope, bend, _ = _cumulants(law, h, t)
            slope, bend = slope - 1 / t, bend + 1 / t**2
            low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
            moved = t - slope / bend
            moved = np.where((moved <= low) | (moved >= high), (low + high) / 2, moved)
            near = np.abs(moved - t) < _NEAR * t
            t = moved
            if near.all():
                break
        _, bend, log = _cumulants(law, h, t)
        return cls(x, t, 1 / np.sqrt(bend + 1 / t**2), log)


def tilted(law: Any, factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the points times factor^-A, to sum one, and the log of their sum."""
    logs = np.log(np.maximum(law.weight, 1e-300)) - law.size[..., None] * np.log(factor)
    top = logs.max(-1, keepdims=True)
    heights = np.exp(logs - top)
    total = heights.sum(-1, keepdims=True)
    return heights / total, (np.log(total) + top)[..., 0]


def _normal(law: Any, h: np.ndarray) -> np.ndarray:
    """Where it would be lowest if T were normal."""
    mean, square = (law.weight * h).sum(-1), (law.weight * h**2).sum(-1)
    spread = np.maximum(square - mean**2, 0)
    mu = (law.size * mean).sum(-1)
    var = (law.size * square + law.size**2 * spread).sum(-1)
    return 2 / (np.hypot(mu, 2 * np.sqrt(var)) + mu)


def _cumulants(law: Any, h: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second derivative of log M at real t, and log M."""
    factor = 1 - t[:, None, None] * h
    weight, log = tilted(law, factor)
    inverse, size = h / factor, law.size
    first = size * (weight * inverse).sum(-1)
    second = size * (size + 1) * (weight * inverse**2).sum(-1) - first**2
    return first.sum(-1), second.sum(-1), log.sum(-1)
