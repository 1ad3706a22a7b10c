"""Power of the exact sign test, and of McNemar's, with the level that it truly has."""

from typing import Any

import numpy as np

from betterthan.exact.planning.edges import fewest
from betterthan.exact.planning.urns import Urn
from betterthan.exact.wins.halves import upper_tail


def critical_wins(decisive: np.ndarray, alpha: float, alternative: str) -> np.ndarray:
    """Fewest wins that the sign test finds significant; one more than there are where none is.

    Examples
    --------
    >>> critical_wins(np.array([4, 5, 10]), 0.05, "greater").tolist()
    [5, 5, 9]
    """
    allowed = alpha / 2 if alternative == "two-sided" else alpha
    n = np.asarray(decisive, np.int64)

    def significant(wins: np.ndarray) -> np.ndarray:
        return upper_tail(wins, np.maximum(n - wins, 0)) <= allowed * (1 + 1e-12)

    return fewest(significant, 0, n + 1)


def rejections(n: np.ndarray, theta: Any, alpha: float, alternative: str) -> np.ndarray:
    """P(the test is significant) at each n, with these probabilities of win and loss (two numbers,
    of decisive items) or of win, loss and tie (three, of all items).

    Examples
    --------
    >>> rejections(np.array([158]), (0.6, 0.4), 0.05, "greater").round(4).tolist()
    [0.8057]
    """
    win, loss = theta[0], theta[1]
    if alternative == "less":
        win, loss = loss, win
    most = int(n.max(initial=0))
    m = np.arange(most + 1)
    needed = critical_wins(m, alpha, alternative)
    urn = Urn.from_probability([win / (win + loss) if win + loss else 0.5], most)
    power = urn.tails(needed)[0]
    if alternative == "two-sided":
        power = power + urn.swapped().tails(needed)[0]
    if len(theta) == 2:
        return power[n]
    share = Urn.from_probability([min(win + loss, 1.0)], most)
    return np.array([share.term(np.full_like(m, k), m)[0] @ power for k in n])
