"""The vertical line on which M(t) / t is integrated: through its lowest point right of 0."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.exact.judged.law import Law
from betterthan.exact.judged.series import cumulants

_STEPS = 30  # of Newton, on the way to the lowest point
_TOLERANCE = 3e-2  # relative; the line need not go through it


@dataclass(frozen=True)
class Line:
    """Of each row: x, where the line crosses the axis, the width of the hump on it, log M there."""

    x: np.ndarray
    cross: np.ndarray
    width: np.ndarray
    log: np.ndarray

    def select(self, rows: np.ndarray) -> "Line":
        """Select rows."""
        return Line(self.x[rows], self.cross[rows], self.width[rows], self.log[rows])

    @classmethod
    def through_saddle(cls, law: Law, x: np.ndarray) -> Self:
        """The line through the saddle point of each row, by bracketed Newton."""
        end = 1 / (1 - x)
        t, low, high = np.minimum(_normal(law, x), end / 2), np.zeros(x.size), end
        slope, bend, log = _hollow(law, x, t)
        for _ in range(_STEPS):
            low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
            moved = t - slope / bend
            moved = np.where((moved <= low) | (moved >= high), (low + high) / 2, moved)
            if (np.abs(moved - t) < _TOLERANCE * t).all():
                break
            t = moved
            slope, bend, log = _hollow(law, x, t)
        return cls(x, t, 1 / np.sqrt(bend), log)


def _hollow(law: Law, x: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second derivative of log M(t) / t, and log M."""
    slope, bend, log = cumulants(law.cells, law.unlabeled, x, t)
    return slope - 1 / t, bend + 1 / t**2, log


def _normal(law: Law, x: np.ndarray) -> np.ndarray:
    """Where it would be lowest if T = sum_y G_y (g_y - x) were normal."""
    size, (mean, spread) = law.size, law.signal_moments()
    mean = mean - x[:, None]
    square = mean**2 + spread
    mu = (size * mean).sum(-1)
    var = (size * square + size**2 * spread).sum(-1)
    return 2 / (np.hypot(mu, 2 * np.sqrt(var)) + mu)
