"""The Rasch model: integrals over the difficulty of an item, and successes drawn given it.

Successes of all systems on all items, drawn for many values of the parameters at once: a uniform
number a trial, and no function of a cell where abilities and difficulties are factors of its odds.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

_REACH = 6.0  # standard deviations of difficulty on either side
# spread of difficulties for which the nodes are chosen; in the middle they suffice for twice as
# much
_WIDE = 4.0
_CLOSER = 2.5
_STEP = 1.2  # of the posterior width of a difficulty: the rule is then off by 1e-6 of it
_LARGEST = 300.0
_ALIKE = 0.1  # correlation of repeated trials for which the nodes are chosen


def nodes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and log weights of a standard normal: the trapezoid rule, whose error falls
    exponentially in the step.

    They stand closer in the middle: where difficulties are spread widely, what systems do differs
    there alone.

    Gauss-Hermite nodes spread far beyond the mass: for the narrow integrands of many systems it
    takes several times as many of them.
    """
    t = np.linspace(-1, 1, count)
    x = _REACH * np.sinh(_CLOSER * t) / np.sinh(_CLOSER)
    log = -(x**2) / 2 + np.log(np.cosh(_CLOSER * t))
    return x, log - np.log(np.exp(log).sum())


def hermite(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Hermite nodes and log weights of a standard normal, for smooth and wide integrands."""
    x, weight = np.polynomial.hermite_e.hermegauss(count)
    return x, np.log(weight / weight.sum())


def nodes_needed(trials: np.ndarray) -> int:
    """Number of nodes for the most informative item: a step of 1.2 of its posterior
    widths.
    """
    effective = trials / (1 + _ALIKE * np.maximum(trials - 1, 0))
    information = effective.sum(1).max() / 4 * _WIDE**2
    return max(41, math.ceil(2 * _REACH * math.sqrt(1 + information) / _STEP))


def expected_score(
    ability: np.ndarray, mean: np.ndarray, spread: np.ndarray, slope: np.ndarray | None
) -> np.ndarray:
    """Share of all items that a system solves, (..., system), given abilities (..., system) and the
    rest (...).
    """
    x, log_weight = nodes(61)
    total, odds = np.zeros_like(ability), mean[..., None] + ability
    if slope is None and factors(odds, _REACH * spread):
        against = np.exp(-odds)
        for node, weight in zip(x, np.exp(log_weight), strict=True):
            total += weight / (1 + against * np.exp(node * spread[..., None]))
        return total
    steep = [(0.0, 0.0)] if slope is None else list(zip(*hermite(9), strict=True))
    for z, w in steep:
        factor = 1.0 if slope is None else np.exp(slope * z)[..., None]
        for node, weight in zip(x, np.exp(log_weight + w), strict=True):
            total += weight * special.expit(factor * (odds - node * spread[..., None]))
    return total


def all_succeed(
    log_odds: np.ndarray, spread: np.ndarray, correlation: np.ndarray, runs: Sequence[int]
) -> np.ndarray:
    """Probability that all of so many runs of a new item succeed, (number of runs, ..., system).

    Parameters
    ----------
    log_odds : numpy.ndarray, (..., system)
        Of one run on an item of difficulty 0.
    spread : numpy.ndarray, (...)
        Standard deviation of difficulties.
    correlation : numpy.ndarray, (..., system)
        Of the runs of one item, given its difficulty.
    runs : sequence of int
        Numbers of runs, each at least 1.

    Notes
    -----
    After j successes the next run succeeds with probability (a + j) / (a + b + j), a and b the
    parameters of the Beta of an item. Their product is integrated over difficulties.
    """
    total = np.zeros((len(runs), *log_odds.shape))
    for node, log_weight in zip(*nodes(61), strict=True):
        chance = special.expit(log_odds - node * spread[..., None])
        product, share = chance.copy(), (1 - correlation) * chance
        for j in range(1, max(runs) + 1):
            for k, number in enumerate(runs):
                if number == j:
                    total[k] += np.exp(log_weight) * product
            product *= (share + correlation * j) / (1 - correlation + correlation * j)
    return total


def factors(*logs: np.ndarray) -> bool:
    """Whether odds may be taken for products, of numbers with these logarithms."""
    return all(np.abs(log).max(initial=0.0) < _LARGEST for log in logs)


def draw_successes(
    eta: np.ndarray, trials: np.ndarray, correlation: Any, random: np.random.Generator
) -> np.ndarray:
    """Successes of these trials at log odds eta, the trials of one cell correlated."""
    chance = special.expit(eta)
    if np.any(np.asarray(correlation) > 0):
        kappa = 1 / np.asarray(correlation) - 1
        chance = random.beta(
            np.maximum(kappa * chance, 1e-12), np.maximum(kappa * (1 - chance), 1e-12)
        )
    return random.binomial(trials, chance)


_LARGEST_LOG_ODDS = 700.0  # of a logarithm of odds: beyond, what happens is certain
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
        return draw_successes(eta, trials, rho, random)
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
    if slope is None and factors(place, difficulty):
        return np.exp(place)[:, None, :] * np.exp(-difficulty)[:, :, None]
    eta = place[:, None, :] - difficulty[:, :, None]
    if slope is not None:
        eta *= slope[:, :, None]
    return np.exp(np.clip(eta, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS))
