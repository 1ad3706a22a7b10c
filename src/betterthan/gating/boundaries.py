"""Counts at which the gate passes, its error rates, and how many more items it takes.

Fewest wins that pass, and fewest losses that are worse, of m decisive items among n: exact.

Both probabilities of the rule grow with each win that takes the place of a loss, so that for each m
one number says where they reach the threshold.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.planning.edges import fewest
from betterthan.exact.swaps.corrections import binomial_tail
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half

_PRIOR_WIN, _PRIOR_LOSS, _PRIOR_TIE = names.PRIOR
_NODES, _STEPS = 16, 2
_EDGE = 0.9  # wins and losses above -1, which the prior still makes a posterior


def chance_to_pass(
    wins: np.ndarray, losses: np.ndarray, ties: np.ndarray, margin: float
) -> np.ndarray:
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

    def enough(wins: np.ndarray) -> np.ndarray:
        return chance_to_pass(wins, np.maximum(m - wins, 0), n - m, margin) >= threshold

    return fewest(enough, 0, m + 1)


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


@dataclass(frozen=True)
class Rates:
    """Probabilities of the three verdicts.

    Attributes
    ----------
    passes, worse, inconclusive : float
    """

    passes: float
    worse: float
    inconclusive: float


def binomial(k: np.ndarray, n: int | np.ndarray, p: float) -> np.ndarray:
    """P(K = k) for K ~ Binomial(n, p)."""
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return np.exp(ways + special.xlogy(k, p) + special.xlog1py(n - k, -p))


TARGET = 0.8
MOST = 100_000  # more items than that are not looked for
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class Further:
    """So many more units of evidence, and the probability of a pass with them.

    Attributes
    ----------
    units : int or None
        None if more than `MOST` would be needed.
    prob : float
    """

    units: int | None
    prob: float


def further_items(counts: tuple[int, int, int], margin: float, threshold: float) -> Further:
    """Items more that give a pass with a probability of at least `TARGET`, if the two are equal.

    Parameters
    ----------
    counts : three int
        Wins, losses and ties of the candidate so far, which stay.
    margin, threshold : float

    Returns
    -------
    Further
        The number is looked for as if posteriors were normal, its probability is of those there
        are; a few items fewer may do, too.

    Examples
    --------
    >>> result = further_items((4, 6, 40), 0.05, 0.95)
    >>> result.units, round(result.prob, 3)
    (563, 0.802)
    """
    how = margin, threshold
    further = _first(lambda more: prob_of_pass(counts, more, *how, guessed_wins_to_pass))
    if further.units is None:
        return further
    units, prob = further.units, prob_of_pass(counts, further.units, *how)
    while prob < TARGET:  # by a step or two: the normal is close
        units += max(1, units // 50)
        prob = prob_of_pass(counts, units, *how)
    return Further(units, prob)


def prob_of_pass(
    counts: tuple[int, int, int],
    more: int,
    margin: float,
    threshold: float,
    boundary: Callable[..., np.ndarray] = approximate_wins_to_pass,
) -> float:
    """Probability that `more` items lead to a pass, if the two are equal.

    The share of decisive items is as uncertain as the items so far leave it; of these the
    candidate wins half.
    """
    won, lost, tied = counts
    a, b = won + lost + sum(names.PRIOR[:2]), tied + names.PRIOR[2]
    m = np.arange(more + 1)
    ways = special.gammaln(more + 1.0) - special.gammaln(m + 1.0) - special.gammaln(more - m + 1.0)
    weight = np.exp(ways + special.betaln(a + m, b + more - m) - special.betaln(a, b))
    likely = weight > _NEGLIGIBLE
    m, weight = m[likely], weight[likely]
    needed = boundary(m + won + lost, sum(counts) + more, margin, threshold)
    return float(weight @ binomial_tail(np.ceil(needed) - won, m, 0.5))


def further_units(
    difference: float,
    spread: float,
    units: int,
    margin: float,
    threshold: float,
    *,
    worth: float | None = None,
) -> Further:
    """The same of means on units, by Student's t with the spread of the units so far.

    Parameters
    ----------
    difference : float
        The mean of the units so far, which stay.
    spread : float
        The standard deviation of a unit.
    units : int
    margin, threshold : float
    worth : float, optional
        How many units of equal size they are worth, by default their number.

    Examples
    --------
    >>> further_units(-0.02, 0.3, 60, 0.05, 0.95).units
    191
    """
    effective = units if worth is None else worth

    def prob(more: int) -> float:
        fresh = more * effective / units
        total = effective + fresh
        needed = special.stdtrit(total - 1, threshold) * spread / np.sqrt(total) - margin
        # least mean of the new units that passes; its expectation is 0
        needed_mean = (total * needed - effective * difference) / fresh
        return float(special.ndtr(-needed_mean * np.sqrt(fresh) / spread))

    return _first(prob)


def _first(prob: Callable[[int], float]) -> Further:
    """The first number that reaches `TARGET`, found by doubling and halving."""
    low, high = 0, 1
    while high < MOST and prob(high) < TARGET:
        low, high = high, 2 * high
    high = min(high, MOST)
    if prob(high) < TARGET:
        return Further(None, prob(high))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if prob(middle) >= TARGET else (middle, high)
    return Further(high, prob(high))
