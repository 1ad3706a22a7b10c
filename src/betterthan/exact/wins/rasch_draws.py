"""Successes of all systems on all items, drawn for many values of the parameters at once: a uniform
number a trial, and no function of a cell where abilities and difficulties are factors of its odds.
"""

import numpy as np
from scipy import special

from betterthan.exact.wins import rasch

_LARGEST = 700.0  # of a logarithm of odds: beyond, what happens is certain
_MANY = 16  # trials of a cell, from which two draws are faster than one a trial


def solved(
    place: np.ndarray,
    difficulty: np.ndarray,
    slope: np.ndarray | None,
    tried: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """Whether each trial succeeds, (draw, item, system).

    Parameters
    ----------
    place : numpy.ndarray, (draw, system)
        Ability, their mean counted in.
    difficulty : numpy.ndarray, (draw, item)
    slope : numpy.ndarray, (draw, item), or None
        None: 1.
    tried : numpy.ndarray of bool, (item, system)
    random : numpy.random.Generator
    """
    odds = _odds(place, difficulty, slope)
    u = random.random(odds.shape)
    odds *= 1 - u  # u < odds / (1 + odds)
    return (u < odds) & tried


def succeeded(
    place: np.ndarray,
    difficulty: np.ndarray,
    correlation: np.ndarray,
    trials: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """How many trials succeed, (draw, item, system), correlated in a cell.

    Parameters
    ----------
    place, difficulty
        See `solved`.
    correlation : numpy.ndarray, (draw,)
    trials : numpy.ndarray of int, (item, system)
    random : numpy.random.Generator

    Notes
    -----
    By Polya's urn, trial by trial: after y successes of j the next succeeds with probability
    (kappa p + y) / (kappa + j), which is Beta-binomial without a draw of Beta.
    """
    most, rho = int(trials.max(initial=0)), correlation[:, None, None]
    if most > _MANY:
        eta = place[:, None, :] - difficulty[:, :, None]
        return rasch.draw_successes(eta, trials, rho, random)
    chance = special.expit(place[:, None, :] - difficulty[:, :, None])
    # times the correlation, which is 1 / (kappa + 1): may be 0
    total = np.zeros(chance.shape)
    chance *= 1 - rho
    for j in range(most):
        u = random.random(chance.shape)
        u *= 1 - rho + rho * j
        total += (u < chance + rho * total) & (trials > j)
    return total


def _odds(place: np.ndarray, difficulty: np.ndarray, slope: np.ndarray | None) -> np.ndarray:
    if slope is None and rasch.factors(place, difficulty):
        return np.exp(place)[:, None, :] * np.exp(-difficulty)[:, :, None]
    eta = place[:, None, :] - difficulty[:, :, None]
    if slope is not None:
        eta *= slope[:, :, None]
    return np.exp(np.clip(eta, -_LARGEST, _LARGEST))
