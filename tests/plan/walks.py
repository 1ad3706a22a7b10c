"""Walks of wins and losses, one decisive item after the other: a reference for `plan.peeking`."""

import numpy as np

from betterthan.exact.wins.beta import prob_above_half


def verdict_rates(looks, win=0.5, threshold=0.95):
    """Probability (look, system) that some look so far found A, or B, better."""
    open_share = np.ones(1)  # of the walks with 0, 1, ... wins that have met no verdict
    so_far, rates = np.zeros(2), np.zeros((len(looks), 2))
    look = 0
    for m in range(1, int(looks[-1]) + 1):
        grown = np.zeros(m + 1)
        grown[1:] = win * open_share
        grown[:-1] += (1 - win) * open_share
        open_share = grown
        if m == looks[look]:
            for side, met in enumerate(_verdicts(m, threshold)):
                so_far[side] += open_share[met].sum()
                open_share[met] = 0.0
            rates[look] = so_far
            look += 1
    return rates


def _verdicts(m, threshold):
    """Which of 0 to m wins are a verdict for A, and for B; the prior is uniform."""
    a, b = 1 + np.arange(m + 1), 1 + np.arange(m, -1, -1)
    return prob_above_half(a, b) >= threshold, prob_above_half(b, a) >= threshold
