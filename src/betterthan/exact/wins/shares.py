"""The share of examples that are right, with its interval."""

import numpy as np

from betterthan.exact.wins import intervals


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
    limits = intervals.hdi(a, b, 0.0, prob)[:2] if kind == "hdi" else intervals.eti(a, b, 0.0, prob)
    lower, upper = ((1 + np.where(size > 0, end, np.nan)) / 2 for end in limits)
    return lower, upper
