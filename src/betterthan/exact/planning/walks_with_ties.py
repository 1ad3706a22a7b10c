"""Looking again and again with a rope: items are won, lost or tied, and all three count."""

from typing import Any

import numpy as np

from betterthan.exact.planning.edges import Rule, edges
from betterthan.exact.planning.walks import Met


def walk_with_ties(looks: np.ndarray, parts: np.ndarray, rule: Rule, *, fixed: bool = True) -> Met:
    """Share of walks that reached A better, B better, or equivalent.

    Parameters
    ----------
    looks : numpy.ndarray of int
        Numbers of items, ascending.
    parts : numpy.ndarray, (3,)
        Probabilities of win, loss and tie; or Dirichlet parameters if not `fixed`.
    rule : Rule

    Examples
    --------
    >>> theta = np.array([0.03, 0.03, 0.94])
    >>> met = walk_with_ties(np.arange(20, 101, 20), theta, Rule(rope=0.05))
    >>> met.so_far[-1].round(4).tolist()
    [0.054, 0.054, 0.1781]
    """
    share = np.ones((2, 1, 1))  # over wins and losses: without a verdict yet, and of all
    so_far, single_look = (np.zeros((len(looks), 3)) for _ in range(2))
    items, look = 0.0, 0
    for n in range(1, int(looks[-1]) + 1):
        items += share[0].sum()
        share = _grown(share, *_chances(parts, n - 1, fixed))
        if n == looks[look]:
            which = _verdicts(n, rule)
            met = (share[:, None] * which).sum((2, 3))
            so_far[look], single_look[look] = so_far[look - 1] * (look > 0) + met[0], met[1]
            share[0, which.any(0)] = 0.0
            look += 1
    return Met(so_far, single_look, items)


def _chances(parts: np.ndarray, n: int, fixed: bool) -> tuple[Any, ...]:
    """Probabilities of a win, a loss and a tie after n items, over wins and losses."""
    if fixed:
        return tuple(parts)
    k = np.arange(n + 1)
    won, lost = parts[0] + k[:, None] + 0 * k, parts[1] + k + 0 * k[:, None]
    tied = parts[2] + np.maximum(n - k[:, None] - k, 0)
    return tuple(x / (parts.sum() + n) for x in (won, lost, tied))


def _grown(share: np.ndarray, win: Any, loss: Any, tie: Any) -> np.ndarray:
    """After one more item."""
    size = share.shape[1] + 1
    grown = np.zeros((2, size, size))
    grown[:, :-1, :-1] = tie * share
    grown[:, 1:, :-1] += win * share
    grown[:, :-1, 1:] += loss * share
    return grown


def _verdicts(n: int, rule: Rule) -> np.ndarray:
    """Which wins and losses are A better, B better and equivalent, (3, wins, losses)."""
    k = np.arange(n + 1)
    limits = edges(n, k, rule)
    wins, m = k[:, None], k[:, None] + k
    inside = m <= n
    m = np.where(inside, m, 0)
    equal = (wins >= limits.low[m]) & (wins < limits.high[m])
    return np.stack([(wins >= limits.a[m]), (wins < limits.b[m]), equal]) & inside
