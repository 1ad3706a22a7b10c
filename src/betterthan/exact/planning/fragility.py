"""Fragility index: the fewest items whose removal or flip overturns a verdict.

How few items a verdict hangs on: the fewest that would have to be dropped, or to turn out
otherwise, for it to go.

Of all mixes of wins, losses and ties, those with as many decisive items left are looked at where
wins are fewest and where they are most: between these every verdict is an interval (`edges`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.exact.planning.edges import Rule, fewest, wins_needed
from betterthan.exact.wins.beta import prob_above_half
from betterthan.exact.wins.dirichlet import prob_within

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
