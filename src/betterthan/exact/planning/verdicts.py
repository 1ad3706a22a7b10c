"""How probable each verdict is after n more items: at one n, and along all of them.

The verdict is the same function of the counts as it is today; the next items are Dirichlet-
multinomial, or multinomial where their probabilities are given. Ties and decisive items part
first, wins and losses then, so that each n is one sum over the decisive items among n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.exact.planning.edges import Edges, Rule, edges, wins_needed
from betterthan.exact.planning.urns import Urn
from betterthan.exact.wins.dirichlet import prob_above, prob_below, prob_within

VERDICTS = ("a_better", "b_better", "equivalent", "undecided")  # in the order of every last axis
_HELD = 2**20  # numbers of an array that is held at once
_NONE = 1e-17  # a probability that changes no sum


@dataclass(frozen=True)
class Items:
    """Distribution of the next items, a row a pair: Dirichlet parameters of win, loss and tie, or
    their probabilities if `fixed`. Without a tie every item is decisive.
    """

    parts: np.ndarray  # (rows, 3) or (rows, 2)
    fixed: bool = False

    def wins(self, n: int) -> Urn:
        """Predictive distribution of the wins among the decisive items."""
        win, loss = self.parts[:, 0], self.parts[:, 1]
        if not self.fixed:
            return Urn.from_beta(win, loss, n)
        both = win + loss
        return Urn.from_probability(
            np.divide(win, both, out=np.full_like(both, 0.5), where=both > 0), n
        )

    def decisive(self, n: int) -> Urn | None:
        """Predictive distribution of the decisive among all items; None without ties."""
        if self.parts.shape[1] == 2:
            return None
        both = self.parts[:, 0] + self.parts[:, 1]
        # shares that add up to 1 but for rounding
        return (
            Urn.from_probability(np.minimum(both, 1.0), n)
            if self.fixed
            else Urn.from_beta(both, self.parts[:, 2], n)
        )

    def take(self, rows: Any) -> "Items":
        """Some of the pairs."""
        return Items(self.parts[rows], self.fixed)


def after(items: Items, had: np.ndarray, more: Any, rule: Rule) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` items, (rows, 4).

    Parameters
    ----------
    items : Items
    had : numpy.ndarray of int, (rows, 3) or (rows, 2)
        Wins, losses and ties that the verdict also looks at.
    more : int or numpy.ndarray of int, (rows,)
    rule : Rule

    Examples
    --------
    >>> pilot = np.array([[12, 6, 32]])
    >>> after(Items(pilot + 1.0), pilot, 150, Rule()).round(4).tolist()
    [[0.737, 0.005, 0.0, 0.258]]
    """
    more = np.broadcast_to(np.asarray(more, np.int64), len(had))
    parts, start = [np.empty((0, 4))], 0
    order = np.argsort(more, kind="stable")
    while start < len(order):  # rows of about as many items, so many at once as are held
        step = max(1, _HELD // (int(more[order[start]]) + 1) // 4)
        rows = order[start : start + step]
        rows = rows[: max(1, _HELD // (int(more[rows[-1]]) + 1))]
        parts.append(_after(items.take(rows), had[rows], more[rows, None], rule))
        start += len(rows)
    # a sum of many terms may pass 1 by its rounding
    return np.clip(np.concatenate(parts)[np.argsort(order)], 0.0, 1.0)


def _after(items: Items, had: np.ndarray, more: np.ndarray, rule: Rule) -> np.ndarray:
    most = int(more.max())
    m = np.arange(most + 1)
    within = np.minimum(m, more)
    share = items.decisive(most)
    weights = m == more if share is None else share.term(more + 0 * within, m)
    decisive = (had[:, 0] + had[:, 1])[:, None] + within
    limits = edges(had.sum(1)[:, None] + more, decisive, rule, weights > _NONE)
    parts = _by_decisive(items.wins(most), had, limits, within)
    return _with_undecided([(weights * x).sum(1) for x in parts])


def _by_decisive(wins: Urn, had: np.ndarray, limits: Edges, m: np.ndarray) -> list[np.ndarray]:
    """P(A better), P(B better) and P(equivalent) if m of the next items are decisive, (rows, m)."""
    won = had[:, :1]
    for_a = wins.tails(limits.a - won)
    for_b = wins.swapped().tails(m + 1 + won - limits.b)  # so few wins are so many losses
    if limits.low is limits.b:
        return [for_a, for_b, np.zeros_like(for_a)]
    return [for_a, for_b, wins.tails(limits.low - won) - wins.tails(limits.high - won)]


def _with_undecided(probabilities: Sequence[np.ndarray]) -> np.ndarray:
    """Append the remaining probability, of undecided."""
    a, b, equal = probabilities
    return np.stack([a, b, equal, np.clip(1 - a - b - equal, 0.0, 1.0)], axis=-1)


def curve(items: Items, n: np.ndarray, rule: Rule) -> np.ndarray:
    """The same after n items and none before, for one row of items and many n, (n, 4).

    Examples
    --------
    >>> curve(Items(np.ones((1, 3))), np.array([20, 50]), Rule())[:, 0].round(6).tolist()
    [0.268398, 0.34917]
    """
    if rule.rope:
        rows = np.zeros(len(n), np.int64)
        nothing = np.zeros((len(n), items.parts.shape[1]), np.int64)
        return after(items.take(rows), nothing, n, rule)
    most = int(n.max(initial=0))
    m = np.arange(most + 1)
    wins = items.wins(most)
    for_a = wins.tails(wins_needed(m, rule.prior, rule.threshold))[0]
    for_b = wins.swapped().tails(wins_needed(m, rule.swapped().prior, rule.threshold))[0]
    share = items.decisive(most)
    if share is None:
        a, b = for_a[n], for_b[n]
    else:
        a, b = _summed(share, np.stack([for_a, for_b], axis=1), n)
    return _with_undecided([a, b, np.zeros_like(a)])


def _summed(share: Urn, by_decisive: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Sums over the decisive items among each n, (2, n)."""
    m = np.arange(len(by_decisive))
    step = max(1, _HELD // len(m))
    parts = []
    for start in range(0, len(n), step):
        some = n[start : start + step]
        flat = share.term(np.repeat(some, len(m)), np.tile(m, len(some)))
        parts.append(flat.reshape(len(some), len(m)) @ by_decisive)
    return np.concatenate(parts).T if parts else np.empty((2, 0))


def limit(items: Items, rule: Rule) -> np.ndarray:
    """What no number of items can pass: P(A better, B better, equivalent) for ever more, (rows, 3).

    A difference that is not 0 is found at last; within the rope it is found to be equivalent.

    Examples
    --------
    >>> limit(Items(np.array([[6.0, 3.0, 11.0]])), Rule())[0, 0].round(6)
    np.float64(0.855469)
    """
    if items.fixed:
        d = items.parts[:, 0] - items.parts[:, 1]
        within = (np.abs(d) <= rule.rope) & (rule.rope > 0)
        return np.stack([(d > 0) & ~within, (d < 0) & ~within, within], axis=-1).astype(float)
    win, loss = items.parts[:, 0], items.parts[:, 1]
    tie = items.parts[:, 2] if items.parts.shape[1] == 3 else np.zeros_like(win)
    within = prob_within(win, loss, tie, rule.rope) if rule.rope else np.zeros_like(win)
    beyond = prob_above(win, loss, tie, rule.rope), prob_below(win, loss, tie, -rule.rope)
    return np.stack([*beyond, within], axis=-1)


def other_side(verdict: np.ndarray) -> np.ndarray:
    """Verdicts as the other system reads them."""
    sides = [verdict == "a_better", verdict == "b_better"]
    return np.select(sides, ["b_better", "a_better"], verdict)
