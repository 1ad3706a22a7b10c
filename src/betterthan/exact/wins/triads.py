"""Circular triads of paired comparisons: A beats B, B beats C, C beats A.

Kendall & Babington Smith (1940), On the method of paired comparisons, Biometrika 31, 324-345.
"""

import numpy as np


def net_wins(counts: np.ndarray, a: np.ndarray, b: np.ndarray, systems: int) -> np.ndarray:
    """Wins less losses of every ordered pair (draw, system, system), from counts (draw, row,
    outcome).
    """
    wins = np.zeros((len(counts), systems, systems))
    net = (counts[..., 0] - counts[..., 1]).astype(float)
    by_pair = np.moveaxis(wins, 0, -1)  # a view
    np.add.at(by_pair, (a, b), net.T)
    np.add.at(by_pair, (b, a), -net.T)
    return wins


def circular(margins: np.ndarray) -> np.ndarray:
    """Number of circular triads of each of many tables (draw, system, system); even pairs make
    none.

    Examples
    --------
    >>> circular(np.array([[[0, 1, -1], [-1, 0, 2], [1, -2, 0]]]))
    array([1.])
    """
    beats = (margins > 0).astype(float)
    return np.einsum("dij,dji->d", beats @ beats, beats) / 3
