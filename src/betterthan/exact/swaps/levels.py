"""From counted exceedances to p-values, and how sure shuffles make us of them.

With b of n shuffles at least as extreme, the true p has the posterior Beta(1 + b, 1 + n - b) under
a uniform prior: the confidence in a level is its mass at or below the level.
"""

import numpy as np
from scipy.special import betainc

_MORE_MAX = 2**50


def monte_carlo_p(exceedances: np.ndarray, shuffles: np.ndarray) -> np.ndarray:
    """(b + 1) / (n + 1), never 0 (Davison & Hinkley 1997, Bootstrap Methods and their Application,
    sec. 4.2).
    """
    return (exceedances + 1) / (shuffles + 1)


def monte_carlo_error(exceedances: np.ndarray, shuffles: np.ndarray) -> np.ndarray:
    """Standard error of a sampled p: the standard deviation of the posterior of the true one."""
    a, b = exceedances + 1.0, shuffles - exceedances + 1.0
    return np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))


def confidence_below(
    exceedances: np.ndarray, shuffles: np.ndarray, cutoff: np.ndarray | float
) -> np.ndarray:
    """Posterior probability that the true p is at or below the cutoff."""
    return betainc(exceedances + 1.0, shuffles - exceedances + 1.0, cutoff)


def more_shuffles(
    exceedances: np.ndarray, shuffles: np.ndarray, cutoff: float, confidence: float
) -> np.ndarray:
    """How many more shuffles would settle on which side of the cutoff p lies, if they go on as they
    have.

    0 where it is settled; inf where the share of exceedances is the cutoff itself.
    """
    b, n = (z.astype(float) for z in np.broadcast_arrays(exceedances, shuffles))
    rate = (b + 1) / (n + 2)

    def decided(more: np.ndarray) -> np.ndarray:
        sure = confidence_below(b + rate * more, n + more, cutoff)
        return (sure >= confidence) | (sure <= 1 - confidence)

    low, high = np.zeros(b.shape), np.zeros(b.shape)
    while (open_ := (never := ~decided(high)) & (high < _MORE_MAX)).any():
        low, high = np.where(open_, high, low), np.where(open_, np.maximum(1, 2 * high), high)
    while (high - low > np.maximum(1, 0.005 * high)).any():  # two digits are enough of a forecast
        middle = np.floor((low + high) / 2)
        done = decided(middle)
        low, high = np.where(done, low, middle), np.where(done, middle, high)
    return np.where(never, np.inf, np.ceil(high))


def stopping_points(exceeds: np.ndarray, before: np.ndarray, stop_after: int) -> np.ndarray:
    """The shuffle (from 1) at which each pair reaches `stop_after` exceedances, 0 where it does
    not.

    `exceeds` is (pair, shuffle); `before` are the exceedances of earlier chunks (Besag & Clifford
    1991, Biometrika 78, 301-304).
    """
    total = before[:, None] + np.cumsum(exceeds, axis=1, dtype=np.int64)
    reached = total >= stop_after
    return np.where(reached.any(1), reached.argmax(1) + 1, 0)
