"""Fewest wins that pass, and fewest losses that are worse, of m decisive items among n: exact.

Both probabilities of the rule grow with each win that takes the place of a loss, so that for each m
one number says where they reach the threshold.
"""

from collections.abc import Callable

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half

_PRIOR_WIN, _PRIOR_LOSS, _PRIOR_TIE = names.PRIOR
_NODES, _STEPS = 16, 2
_EDGE = 0.9  # wins and losses above -1, which the prior still makes a posterior


def chance_to_pass(wins: np.ndarray, losses: np.ndarray, ties: np.ndarray, margin: float):
    """P(d > -margin) of counts, prior uniform."""
    a, b, t = wins + _PRIOR_WIN, losses + _PRIOR_LOSS, ties + _PRIOR_TIE
    return dirichlet.prob_above(a, b, t, -margin)


def chance_behind(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """P(d < 0) of counts, prior uniform; ties do not move it."""
    return prob_above_half(np.asarray(losses + _PRIOR_LOSS), np.asarray(wins + _PRIOR_WIN))


def wins_to_pass(m: np.ndarray, n: int, margin: float, threshold: float) -> np.ndarray:
    """Fewest wins of m decisive items among n with which P(d > -margin) reaches the threshold;
    m + 1 where none do.

    Examples
    --------
    >>> wins_to_pass(np.array([0, 10, 20]), 100, 0.05, 0.95).tolist()
    [0, 6, 12]
    """

    def holds(wins: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return chance_to_pass(wins, m[rows] - wins, n - m[rows], margin) >= threshold

    return fewest(holds, guessed_wins_to_pass(m, n, margin, threshold), m)


def approximate_wins_to_pass(m: np.ndarray, n: int, margin: float, threshold: float) -> np.ndarray:
    """The same, between some of the m by interpolation: where m is some tens or more, few are off
    by a win, in a fraction of the time.
    """
    if m.size <= 2 * _NODES:
        return wins_to_pass(m, n, margin, threshold)
    index = np.unique(np.linspace(0, m.size - 1, _NODES).astype(np.int64))
    nodes, guess = m[index], guessed_wins_to_pass(m, n, margin, threshold)
    wins = np.clip(guess[index], -_EDGE, nodes + _EDGE)
    for _ in range(_STEPS):  # Newton's, on the scale on which this is close to a line
        prob = chance_to_pass(wins, nodes - wins, n - nodes, margin)
        miss = special.ndtri(np.clip(prob, 1e-15, 1 - 1e-15)) - special.ndtri(threshold)
        wins = np.clip(wins - miss * np.sqrt(nodes + 2) / 2, -_EDGE, nodes + _EDGE)
    wanted = guess + np.interp(m, nodes, wins - guess[index])
    return np.clip(np.ceil(wanted), 0, m + 1).astype(np.int64)


def guessed_wins_to_pass(m: np.ndarray, n: int, margin: float, threshold: float) -> np.ndarray:
    """As if the posterior of d were normal."""
    return (m - margin * (n + 3) + special.ndtri(threshold) * np.sqrt(m + 2)) / 2


def losses_to_be_worse(m: np.ndarray, threshold: float) -> np.ndarray:
    """Fewest losses of m decisive items with which P(d < 0) reaches the threshold; m + 1 where none
    do.

    Examples
    --------
    >>> losses_to_be_worse(np.array([3, 5, 10, 20]), 0.95).tolist()
    [4, 5, 8, 14]
    """
    guess = (m + special.ndtri(threshold) * np.sqrt(m + 2)) / 2

    def holds(losses: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return chance_behind(m[rows] - losses, losses) >= threshold

    return fewest(holds, guess, m)


def fewest(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray], guess: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """The smallest whole number from 0 to `most` that holds, `most` + 1 where none does.

    Parameters
    ----------
    holds : callable
        Of numbers and of the places they belong to; what holds for a number holds for all above.
    guess, most : numpy.ndarray, (m,)
    """
    smallest = np.clip(np.nan_to_num(np.ceil(guess)), 0, most + 1).astype(np.int64)
    rows = np.arange(smallest.size)
    low = rows[smallest > 0]
    while low.size and (low := low[holds(smallest[low] - 1, low)]).size:
        smallest[low] -= 1
        low = low[smallest[low] > 0]
    high = rows[smallest <= most]
    while high.size and (high := high[~holds(smallest[high], high)]).size:
        smallest[high] += 1
        high = high[smallest[high] <= most[high]]
    return smallest
