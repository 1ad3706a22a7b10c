"""Which counts give which verdict: for each number of decisive items the wins that do.

With the decisive items held fixed, every verdict is an interval of the wins: P(d > 0) rises with
them, and P(|d| <= rope) has one hump, whose top is where wins and losses, prior in, are the same
(the density of log odds is totally positive in wins, so a region that is one hump stays one).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.wins.beta import prob_above_half
from betterthan.exact.wins.dirichlet import mean_difference, prob_within, sd_difference


@dataclass(frozen=True)
class Rule:
    """When a verdict is given: the prior of the analysis, the threshold, the rope."""

    prior: tuple[float, ...] = names.PRIOR
    threshold: float = names.VERDICT_PROB
    rope: float = names.ROPE
    rough: bool = False  # the rope by the normal distribution, where a glance is enough

    @property
    def tie(self) -> float:
        """Of the prior; 0 where there are no ties."""
        return self.prior[2] if len(self.prior) == 3 else 0.0

    def swapped(self) -> "Rule":
        """As system B sees it."""
        win, loss, *tie = self.prior
        return replace(self, prior=(loss, win, *tie))


@dataclass(frozen=True)
class Edges:
    """The verdicts among 0 to m wins: B better below ``b``, A better from ``a`` on, equivalent from
    ``low`` to below ``high``; undecided elsewhere.
    """

    a: np.ndarray
    b: np.ndarray
    low: np.ndarray
    high: np.ndarray


def fewest(holds: Callable[[np.ndarray], np.ndarray], least: Any, most: Any) -> np.ndarray:
    """The smallest whole number from `least` to below `most` from which `holds` is true; `most`
    where it is true of none.

    Examples
    --------
    >>> fewest(lambda k: k * k >= np.array([10, 50]), 0, np.array([9, 6])).tolist()
    [4, 6]
    """
    low, high = (x.astype(np.int64) for x in np.broadcast_arrays(least, most))
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = np.where(open_, (low + high) // 2, low)
        met = holds(np.where(open_, middle, np.maximum(low - 1, 0))) & open_
        high = np.where(met, middle, high)
        low = np.where(open_ & ~met, middle + 1, low)
    return low


def wins_needed(
    decisive: Any,
    prior: tuple[float, ...] = names.PRIOR,
    threshold: float = names.VERDICT_PROB,
) -> np.ndarray:
    """Fewest wins of so many decisive items for the verdict "A better", without a rope.

    Parameters
    ----------
    decisive : array_like of int
        Wins and losses together.
    prior : tuple of float
        Parameters of win and loss first.
    threshold : float

    Returns
    -------
    numpy.ndarray of int
        One more than there are items where not even all would do.

    Examples
    --------
    >>> wins_needed([3, 4, 5, 10, 100, 1000]).tolist()
    [4, 4, 5, 8, 59, 527]
    """
    m = np.asarray(decisive, np.int64)
    most = int(m.max(initial=0))
    if most > _TABLED:
        distinct, back = np.unique(m, return_inverse=True)
        return _needed(distinct, prior, threshold)[back].reshape(m.shape)
    return _table(max(256, 1 << most.bit_length()), tuple(prior[:2]), threshold)[m]


_TABLED = 1 << 16  # decisive items up to which the numbers for all are kept


@lru_cache(maxsize=16)
def _table(size: int, prior: tuple[float, ...], threshold: float) -> np.ndarray:
    needed = _needed(np.arange(size), prior, threshold)
    needed.flags.writeable = False  # shared by all callers
    return needed


def _needed(m: np.ndarray, prior: tuple[float, ...], threshold: float) -> np.ndarray:
    def won(wins: np.ndarray, m: np.ndarray = m) -> np.ndarray:
        losses = np.maximum(m - wins, 0)
        return prob_above_half(prior[0] + wins, prior[1] + losses) >= threshold

    # by the normal distribution: nearly always right, or one off
    z, n = special.ndtri(threshold), m + prior[0] + prior[1]
    about = np.rint(n * (1 + z / np.sqrt(n + 1 + z**2)) / 2 - prior[0])
    about = np.clip(about, 1, np.maximum(m, 1)).astype(np.int64)
    enough = won(about)
    needed = np.where(enough, about, about + 1)
    neighbor = np.where(enough, about - 1, about + 1)
    wrong = np.flatnonzero((won(neighbor) == enough) | (neighbor > m))
    needed[wrong] = fewest(lambda wins: won(wins, m[wrong]), 0, m[wrong] + 1)
    return needed


def edges(total: Any, decisive: Any, rule: Rule, wanted: Any = True) -> Edges:
    """The verdicts at `total` items of which `decisive` were won or lost; they broadcast. Where
    not `wanted`, nothing is looked for within the rope.
    """
    total, decisive, wanted = np.broadcast_arrays(total, decisive, wanted)
    swapped = rule.swapped()
    a = wins_needed(decisive, rule.prior, rule.threshold)
    b = decisive + 1 - wins_needed(decisive, swapped.prior, rule.threshold)
    if not rule.rope:
        return Edges(a, b, b, b)
    cells = np.stack([total[wanted], decisive[wanted]])
    both, back = np.unique(cells, axis=1, return_inverse=True)
    low, high = b.copy(), b.copy()
    low[wanted], high[wanted] = (x[back.ravel()] for x in _equivalent(both[0], both[1], rule))
    some = high > low
    low, high = np.where(some, low, b), np.where(some, high, b)
    return Edges(np.where(some, np.maximum(a, high), a), np.minimum(b, low), low, high)


def _equivalent(n: np.ndarray, m: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """Wins from and below which the two are equivalent; the same number where they never are."""
    win, loss = rule.prior[:2]
    middle = np.clip(np.rint((loss - win + m) / 2), 0, m).astype(np.int64)
    some = np.flatnonzero(_within(middle, n, m, rule))
    high, low = middle.copy(), middle.copy()
    high[some] = _last(middle[some], n[some], m[some], rule) + 1
    if win == loss:
        low[some] = m[some] - high[some] + 1
    else:
        mirrored = m[some] - middle[some]
        low[some] = m[some] - _last(mirrored, n[some], m[some], rule.swapped())
    return low, high


def _within(wins: np.ndarray, n: np.ndarray, m: np.ndarray, rule: Rule) -> np.ndarray:
    if rule.rough:
        return _nearly(wins, n, m, rule)
    win, loss = rule.prior[:2]
    prob = prob_within(win + wins, loss + m - wins, rule.tie + n - m, rule.rope)
    return prob >= rule.threshold


def _last(inside: np.ndarray, n: np.ndarray, m: np.ndarray, rule: Rule) -> np.ndarray:
    """The most wins that are still equivalent, from some that are: guessed by the normal
    distribution, and told by the integral itself.
    """
    low, high = inside.copy(), m + 1
    guess = fewest(lambda w: ~_nearly(w, n, m, rule), inside + 1, high) - 1
    step = 0
    while (open_ := np.flatnonzero(high - low > 1)).size:
        if step < 4:  # look at the guess and on either side of it, then halve
            up = low[open_] >= guess[open_]
            probe = np.where(up, low[open_] + 1 + step // 2, guess[open_])
            probe = np.where(high[open_] <= guess[open_], high[open_] - 1 - step // 2, probe)
            probe = np.clip(probe, low[open_] + 1, high[open_] - 1)
        else:
            probe = (low[open_] + high[open_]) // 2
        met = _within(probe, n[open_], m[open_], rule)
        low[open_] = np.where(met, probe, low[open_])
        high[open_] = np.where(met, high[open_], probe)
        step += 1
    return low


def _nearly(wins: np.ndarray, n: np.ndarray, m: np.ndarray, rule: Rule) -> np.ndarray:
    """Whether P(|d| <= rope) reaches the threshold if d were normal."""
    win, loss = rule.prior[:2]
    parameters = win + wins, loss + np.maximum(m - wins, 0), rule.tie + n - m
    mean, sd = mean_difference(*parameters), sd_difference(*parameters)
    held = special.ndtr((rule.rope - mean) / sd) - special.ndtr((-rule.rope - mean) / sd)
    return held >= rule.threshold
