"""How often two systems get a verdict by chance: after one look, or looked at again and again.

Decisive items are a walk: w wins after m of them. The share of walks that have met no verdict yet
is carried from item to item, so that no walk is simulated and none is counted twice.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan import names
from betterthan.exact.wins.beta import prob_above_half


def verdict_rates(
    looks: Sequence[int] | Any,
    *,
    win: float = 0.5,
    threshold: float = names.VERDICT_PROB,
    prior: tuple[float, float] = (1.0, 1.0),
) -> np.ndarray:
    """Probability that some look so far found one of two systems better.

    Parameters
    ----------
    looks : sequence of int
        Numbers of decisive items (ties do not move a verdict) after which one looks, ascending.
    win : float, default 0.5
        Probability that a decisive item is won by A: a half for equal systems.
    threshold : float, default 0.95
        P(A better) or P(B better) from which there is a verdict.
    prior : tuple of two float, default (1, 1)
        Beta parameters of win and loss.

    Returns
    -------
    numpy.ndarray, (looks, 2)
        At each look, the probability that the first verdict so far was for A, and for B. One look
        is a sequence of one.

    Raises
    ------
    ValueError
        If looks do not ascend from 1 or more.

    Examples
    --------
    >>> verdict_rates([20]).sum(1).round(4), verdict_rates(range(1, 21))[-1].round(4)
    (array([0.1153]), array([0.1651, 0.1651]))
    """
    looks = np.asarray(list(looks), dtype=np.int64)
    if not looks.size or looks[0] < 1 or (np.diff(looks) <= 0).any():
        raise ValueError("looks must be whole numbers of decisive items that ascend from 1 or more")
    open_share = np.ones(1)  # of the walks with 0, 1, ... wins that have met no verdict
    so_far, rates = np.zeros(2), np.zeros((len(looks), 2))
    look = 0
    for m in range(1, int(looks[-1]) + 1):
        grown = np.zeros(m + 1)
        grown[1:] = win * open_share
        grown[:-1] += (1 - win) * open_share
        open_share = grown
        if m == looks[look]:
            for side, met in enumerate(_verdicts(m, threshold, prior)):
                so_far[side] += open_share[met].sum()
                open_share[met] = 0.0
            rates[look] = so_far
            look += 1
    return rates


def _verdicts(m: int, threshold: float, prior: tuple[float, float]) -> tuple[np.ndarray, ...]:
    """Which of 0 to m wins are a verdict for A, and for B."""
    wins = np.arange(m + 1)
    a, b = prior[0] + wins, prior[1] + m - wins
    return prob_above_half(a, b) >= threshold, prob_above_half(b, a) >= threshold
