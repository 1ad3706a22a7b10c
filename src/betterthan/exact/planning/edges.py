"""The counts that give each verdict, and the fewest items whose removal or flip overturns one.

With the decisive items held fixed, every verdict is an interval of the wins: P(d > 0) rises with
them, and P(|d| <= rope) has one hump, whose top is where wins and losses, prior in, are the same
(the density of log odds is totally positive in wins, so a region that is one hump stays one).

For the fragility index, of all mixes of wins, losses and ties, those with as many decisive items
left are looked at where wins are fewest and where they are most: between these every verdict is an
interval.
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


A, B, EQUIVALENT, UNDECIDED = range(4)


@dataclass(frozen=True)
class MinimalChange:
    """The fewest items of each row, and by how much wins, losses and ties fall with them."""

    fewest: np.ndarray  # (rows,), nan where no number does
    mix: np.ndarray  # (rows, 3)


def verdicts(counts: np.ndarray, rule: Rule) -> np.ndarray:
    """A, B, EQUIVALENT or UNDECIDED of counts (rows, 3)."""
    win, loss = counts[:, 0] + rule.prior[0], counts[:, 1] + rule.prior[1]
    verdict = np.full(len(counts), UNDECIDED)
    verdict[prob_above_half(win, loss) >= rule.threshold] = A
    verdict[prob_above_half(loss, win) >= rule.threshold] = B
    if rule.rope:
        held = prob_within(win, loss, counts[:, 2] + rule.tie, rule.rope) >= rule.threshold
        verdict[held] = EQUIVALENT
    return verdict


def fewest_dropped(counts: np.ndarray, rule: Rule, *, other: bool = False) -> MinimalChange:
    """The fewest items without which the verdict is gone, or is for the other system.

    Examples
    --------
    >>> fewest_dropped(np.array([[2, 2, 96]]), Rule(rope=0.1)).mix.tolist()
    [[2.0, 0.0, 47.0]]
    """
    return _search(counts, rule, other, _dropped_over if other else _dropped)


def fewest_flips(counts: np.ndarray, rule: Rule, *, other: bool = False) -> MinimalChange:
    """The fewest items whose outcome would have to flip.

    Examples
    --------
    >>> fewest_flips(np.array([[12, 2, 986]]), Rule()).fewest.tolist()
    [2.0]
    """
    return _search(counts, rule, other, _flipped)


def fewest_from_wins(w: np.ndarray, l: np.ndarray, rule: Rule) -> tuple[np.ndarray, ...]:
    """Of the verdict "A better" without a rope, in closed form: wins to drop, and to turn into
    losses, until it goes; and until B is better. nan where no number does.

    No other mix is smaller: a win that is lost lowers P(A better) more than any other change.

    Examples
    --------
    >>> [x.tolist() for x in fewest_from_wins(np.array([60]), np.array([30]), Rule())]
    [[16.0], [8.0], [42.0], [23.0]]
    """
    m = w + l
    behind = rule.swapped()

    def gone(k: np.ndarray) -> np.ndarray:
        return w - k < wins_needed(m - k, rule.prior, rule.threshold)

    def over(k: np.ndarray) -> np.ndarray:
        return l >= wins_needed(m - k, behind.prior, rule.threshold)

    drop, drop_over = fewest(gone, 1, w + 1), fewest(over, 1, w + 1)
    turn = w - wins_needed(m, rule.prior, rule.threshold) + 1
    turn_over = wins_needed(m, behind.prior, rule.threshold) - l
    return tuple(np.where(k <= w, k, np.nan) for k in (drop, turn, drop_over, turn_over))


def _dropped(c: np.ndarray, k: np.ndarray, now: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """What is left if k are dropped, for each number of decisive items: rows, wins, losses, ties
    with the fewest and with the most wins.
    """
    del now
    w, l, t, k, step = _grid(c, k, c[:, 0] + c[:, 1])
    left = w + l + t - k
    m = np.maximum(left - t, 0) + step
    valid = m <= np.minimum(w + l, left)
    return [_cells(valid, wins, m, left) for wins in (np.minimum(w, m), m - np.minimum(l, m))]


def _dropped_over(c: np.ndarray, k: np.ndarray, now: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """What is left if k are dropped so that the system that is behind is better: items that it did
    not win, for one that it won speaks for it, and the fewer ties, the larger the difference.
    """
    w, l, t, k, step = _grid(c, k, c[:, 0] + c[:, 1])
    first = now[:, None] == A
    ahead = np.where(first, w, l)
    valid = step <= np.minimum(ahead, k)
    wins = np.where(first, w - step, w)
    m, ties = w + l - step, t - np.minimum(t, k - step)
    return [_cells(valid, wins, m, m + ties)]


def _flipped(c: np.ndarray, k: np.ndarray, now: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """`_dropped` for at most k flipped items."""
    del now
    w, l, t, k, step = _grid(c, k, c[:, 0] + c[:, 1] + k)
    m = np.maximum(w + l - k, 0) + step
    valid = m <= np.minimum(w + l + k, w + l + t)
    flips = k - np.maximum(m - w - l, 0)  # ties that became decisive turned, too
    wins = m - np.maximum(l - flips, 0), np.maximum(w - flips, 0)
    return [_cells(valid, x, m, w + l + t) for x in wins]


def _grid(c: np.ndarray, k: np.ndarray, widest: np.ndarray) -> tuple[np.ndarray, ...]:
    """Wins, losses, ties and k (rows, 1), and steps (width,)."""
    w, l, t = (c[:, j, None] for j in range(3))
    return w, l, t, k[:, None], np.arange(int(widest.max()) + 1)


def _cells(valid: np.ndarray, wins: Any, m: Any, total: Any) -> tuple[np.ndarray, ...]:
    """Row and counts of each valid cell."""
    row, column = np.nonzero(valid)
    wins, m, total = (np.broadcast_to(x, valid.shape)[row, column] for x in (wins, m, total))
    return row, np.stack([wins, m - wins, total - m], axis=1)


_Mixes = Callable[[np.ndarray, np.ndarray, np.ndarray], list[tuple[np.ndarray, ...]]]


def _search(counts: np.ndarray, rule: Rule, other: bool, mixes: _Mixes) -> MinimalChange:
    """The least k with which the verdict goes: doubled until it does, and then halved; one by one
    under a prior that is for one system, where more may bring a verdict back.
    """
    even = rule.prior[0] == rule.prior[1]
    now, most = verdicts(counts, rule), counts.sum(1)
    wanted = (now == A) | (now == B) if other else now != UNDECIDED
    low, high = np.zeros(len(counts), np.int64), np.ones(len(counts), np.int64)
    gone, mix = np.zeros(len(counts), bool), np.full((len(counts), 3), np.nan)
    open_ = wanted & (most > 0)
    while open_.any():
        rows = np.flatnonzero(open_)
        k = np.where(gone[rows], (low[rows] + high[rows]) // 2, np.minimum(high, most)[rows])
        met, these = _goes(counts[rows], rule, now[rows], other, mixes(counts[rows], k, now[rows]))
        mix[rows[met]] = these[met]
        high[rows] = np.where(met, k, np.where(gone[rows], high[rows], 2 * k if even else k + 1))
        low[rows] = np.where(met, low[rows], k)
        gone[rows] |= met
        open_ = wanted & np.where(gone, high - low > 1, low < most)
    return MinimalChange(np.where(gone & wanted, high, np.nan), mix)


def _goes(
    counts: np.ndarray,
    rule: Rule,
    now: np.ndarray,
    other: bool,
    cells: list[tuple[np.ndarray, ...]],
) -> tuple[np.ndarray, np.ndarray]:
    """Whether some mix overturns the verdict, and one that does, (rows,) and (rows, 3)."""
    met, mix = np.zeros(len(counts), bool), np.full((len(counts), 3), np.nan)
    for row, left in cells:
        changed = verdicts(left, rule)
        undone = changed == 1 - now[row] if other else changed != now[row]
        met[row[undone]] = True
        mix[row[undone][::-1]] = (counts[row] - left)[undone][::-1]
    return met, mix
