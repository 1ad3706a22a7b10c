"""Find how many more items would let a candidate pass that equals the baseline."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.gating.boundaries import approximate_wins_to_pass, guessed_wins_to_pass
from betterthan.gating.characteristics import binomial_tail

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


def further_items(
    counts: tuple[int, int, int], margin: float, threshold: float, target: float = TARGET
) -> Further:
    """Items more that give a pass with a probability of at least `target`, if the two are equal.

    Parameters
    ----------
    counts : three int
        Wins, losses and ties of the candidate so far, which stay.
    margin, threshold : float
    target : float, default 0.8

    Returns
    -------
    Further
        The number is looked for as if posteriors were normal, its probability is of those there
        are; a few items fewer may do, too.

    Examples
    --------
    >>> found = further_items((4, 6, 40), 0.05, 0.95)
    >>> found.units, round(found.prob, 3)
    (563, 0.802)
    """
    how = margin, threshold
    further = _first(lambda more: prob_of_pass(counts, more, *how, guessed_wins_to_pass), target)
    if further.units is None:
        return further
    units, prob = further.units, prob_of_pass(counts, further.units, *how)
    while prob < target:  # by a step or two: the normal is close
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
    m, weight = _decisive(more, a, b)
    needed = boundary(m + won + lost, sum(counts) + more, margin, threshold)
    return float(weight @ binomial_tail(np.ceil(needed) - won, m, 0.5))


def _decisive(n: int, a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the possible numbers of decisive items among n, and their Beta-binomial
    probabilities.
    """
    m = np.arange(n + 1)
    ways = special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0)
    weight = np.exp(ways + special.betaln(a + m, b + n - m) - special.betaln(a, b))
    likely = weight > _NEGLIGIBLE
    return m[likely], weight[likely]


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

    return _first(prob, TARGET)


def _first(prob: Callable[[int], float], target: float) -> Further:
    """The first number that reaches the target, found by doubling and halving."""
    low, high = 0, 1
    while high < MOST and prob(high) < target:
        low, high = high, 2 * high
    high = min(high, MOST)
    if prob(high) < target:
        return Further(None, prob(high))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if prob(middle) >= target else (middle, high)
    return Further(high, prob(high))
