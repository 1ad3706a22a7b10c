"""The Bayesian bootstrap on arrays: joint draws of all systems' scores under random weights of the
items.

Weights are Dirichlet(1, ..., 1): independent exponentials over their sum, which cancels in every
ratio of sums (Rubin 1981, Annals of Statistics 9(1), 130-134).
"""

from collections.abc import Iterator

import numpy as np


def weighted_sums(columns: np.ndarray, draws: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks (rows, column) of weighted sums of (item, column); the weights do not depend on the
    chunk.
    """
    source = np.random.default_rng(seed)
    # drawn into again and again: fresh memory would cost more
    buffer = np.empty((min(rows, draws), len(columns)))
    for start in range(0, draws, rows):
        weights = buffer[: draws - start]
        source.standard_exponential(out=weights)
        yield weights @ columns


def ranks(scores: np.ndarray) -> np.ndarray:
    """Probability of each rank, (system, rank), of joint draws (draw, system); equal systems share
    their ranks.
    """
    draws, systems = scores.shape
    shares = np.zeros((systems, systems + 1))
    for k in range(systems):
        above = (scores > scores[:, k : k + 1]).sum(1)
        tied = (scores == scores[:, k : k + 1]).sum(1)
        # 1 / tied on each of the ranks from above to above + tied, as steps up and down
        np.add.at(shares[k], above, 1 / tied)
        np.add.at(shares[k], above + tied, -1 / tied)
    return shares.cumsum(1)[:, :-1] / draws


def best_set(prob_best: np.ndarray, prob: float) -> np.ndarray:
    """Whether each system is among the fewest that hold the best one with this probability."""
    order = np.argsort(-prob_best, kind="stable")
    enough = int(np.searchsorted(prob_best[order].cumsum(), prob - 1e-12)) + 1
    inside = np.zeros(len(order), dtype=bool)
    inside[order[:enough]] = True
    return inside


def interval(draws: np.ndarray, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed or of the narrowest interval of draws along the first axis."""
    return interval_of_sorted(np.sort(draws, axis=0), prob, kind)


def interval_of_sorted(
    ordered: np.ndarray, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """The same of draws that rise along the first axis."""
    if kind == "eti":
        low, high = np.quantile(ordered, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
        return low, high
    inside = max(1, int(np.ceil(prob * len(ordered))))
    width = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    at = width.argmin(0)[None]
    return np.take_along_axis(ordered, at, 0)[0], np.take_along_axis(ordered, at + inside - 1, 0)[0]
