"""Evidence that may be looked at after every item: e-values of counts.

Whoever bets x, from 0 to 1 / (1 + rho), on A each time multiplies what is staked by 1 + x (X - rho)
with each item, X being 1, -1 or 0 for win, loss and tie. Where d = E[X] is at most rho this gains
nothing on average, so that what it has grown to is evidence for d > rho, whenever one looks. The
mean over all x is taken, an integral of one hump.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

_FALLEN = 45.0  # log units below the top at which the hump is cut
_HALVINGS = 60
_PANELS = np.array([0.0, 0.02, 0.05, 0.1, 0.17, 0.26, 0.37, 0.5, 0.65, 0.82, 1.0])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True)
class Stake:
    """What a bet of x has grown to, in logs; counts and rho (rows, 1), x (rows, k)."""

    w: np.ndarray
    l: np.ndarray
    t: np.ndarray
    rho: np.ndarray

    def grown(self, x: np.ndarray) -> np.ndarray:
        """After all items."""
        up, down = 1 - self.rho, 1 + self.rho
        lost = special.xlogy(self.l, np.maximum(1 - x * down, 0.0))
        return self.w * np.log1p(x * up) + lost + self.t * np.log1p(-x * self.rho)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """By x."""
        up, down = 1 - self.rho, 1 + self.rho
        lost = self.l * down / np.maximum(1 - x * down, 1e-300)
        return self.w * up / (1 + x * up) - lost - self.t * self.rho / (1 - x * self.rho)


def log_e_value(w: Any, l: Any, t: Any, rho: Any) -> np.ndarray:
    """Log of the e-value for d > rho, against d <= rho.

    Parameters
    ----------
    w, l, t : array_like
        Wins, losses and ties of A; they broadcast with `rho`.
    rho : array_like of float in (-1, 1)

    Returns
    -------
    numpy.ndarray

    References
    ----------
    I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by betting,
    Journal of the Royal Statistical Society B 86(1), 1-27, doi:10.1093/jrsssb/qkad009.

    Examples
    --------
    >>> float(np.exp(log_e_value(12, 2, 986, 0.0)).round(9))
    23.917216117
    """
    arguments = np.broadcast_arrays(*(np.asarray(x, float) for x in (w, l, t, rho)))
    stake = Stake(*(x.reshape(-1, 1) for x in arguments))
    end = 1 / (1 + stake.rho)
    top = _edge(lambda x: stake.slope(x) > 0, np.zeros_like(end), end)
    height = stake.grown(top)
    right = _edge(lambda x: stake.grown(x) > height - _FALLEN, top, end)
    left = top - _edge(lambda x: stake.grown(top - x) > height - _FALLEN, 0 * top, top)
    total = sum(_area(lambda x: stake.grown(x) - height, top, other) for other in (left, right))
    log = np.log(total * (1 + stake.rho[:, 0])) + height[:, 0]
    return log.reshape(arguments[0].shape)[()]


def _edge(inside: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Last point at which `inside`, true from `low` on, holds; `high` if it holds throughout."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        mask = inside(middle)
        low, high = np.where(mask, middle, low), np.where(mask, high, middle)
    return high


def _area(log_height: Any, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Integral between the two, (rows, 1) each, on panels that are narrower near the start."""
    half = np.diff(_PANELS)[:, None] / 2
    places = ((_PANELS[:-1, None] + half) + half * _NODES).ravel()
    weights = (half * _WEIGHTS).ravel()
    x = start + (end - start) * places
    return (np.exp(log_height(x)) @ weights) * np.abs(end - start)[:, 0]


def confidence_limits(
    w: np.ndarray, l: np.ndarray, t: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the differences against which no e-value reaches 1 / error, (rows,).

    Examples
    --------
    >>> low, high = confidence_limits(np.array([12]), np.array([2]), np.array([986]), 0.05)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([-0.000799], [0.024349])
    """
    n = np.maximum(w + l + t, 1)
    centre = (w - l) / n

    def inside(delta: np.ndarray) -> np.ndarray:
        both = log_e_value(w, l, t, delta), log_e_value(l, w, t, -delta)
        return np.logaddexp(*both) - np.log(2) < -np.log(error)

    inner = 1 - 1e-12
    low = -_edge(lambda x: inside(-x), -centre, np.full(centre.shape, inner))
    high = _edge(inside, np.clip(centre, -inner, inner), np.full(centre.shape, inner))
    return np.where(low <= -inner, -1.0, low), np.where(high >= inner, 1.0, high)
