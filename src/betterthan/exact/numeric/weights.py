"""The Bayesian bootstrap on arrays: joint draws of all systems' scores under random weights of the
items.

Weights are Dirichlet(1, ..., 1): independent exponentials over their sum, which cancels in every
ratio of sums (Rubin 1981, Annals of Statistics 9(1), 130-134).
"""

from collections.abc import Iterator

import numpy as np

_ROUNDING = 1e-12  # of a sum of many weights, relative


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


def widened(draws: np.ndarray, units: int | np.ndarray, seed: int) -> np.ndarray:
    """Draws (draw, system) as far apart as so few units let them be.

    Weights of D units spread by too little, and with tails as if their spread were known. Each draw
    is moved away from the mean by sqrt((D + 1) / (D - 1)), which corrects the spread, times
    sqrt((D - 1) / chi2) of D - 1 degrees of freedom, which makes of a normal Student's t. All
    systems of a draw move by the same. What does not vary stays.

    Parameters
    ----------
    draws : numpy.ndarray, (draw, system)
    units : int, or numpy.ndarray of int (system,)
        D: how many units were weighed, of all systems or of each; below 2 nothing is known.
    seed : int

    Examples
    --------
    >>> drawn = np.random.default_rng(1).normal(size=(4000, 1))
    >>> wide = widened(drawn, 11, seed=1)
    >>> bool(abs(wide.std() / drawn.std() - (12 / 8) ** 0.5) < 0.05)
    True
    """
    k = np.atleast_1d(units)
    chi2 = np.random.default_rng([seed, 1]).chisquare(np.maximum(k - 1, 1), (len(draws), len(k)))
    middle = draws.mean(0)
    deviation = draws - middle
    columns = np.ascontiguousarray(draws.T)  # numpy is slow along the long side of few columns
    low, high = columns.min(1), columns.max(1)
    still = high - low <= _ROUNDING * np.maximum(-low, high)
    factor = np.where(k < 2, 1.0, np.sqrt((k + 1) / chi2))
    return middle + np.where(still, 0.0, deviation * factor)


def has_width(lower: np.ndarray, upper: np.ndarray, size: float | np.ndarray) -> np.ndarray:
    """Whether an interval is wider than the rounding of numbers of this size."""
    return upper - lower > 1e3 * _ROUNDING * size


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
    return sorted_interval(np.sort(draws, axis=0), prob, kind)


def sorted_interval(ordered: np.ndarray, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """`interval` of draws that are sorted along the first axis."""
    if kind == "eti":
        low, high = np.quantile(ordered, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
        return low, high
    inside = max(1, int(np.ceil(prob * len(ordered))))
    width = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = width.argmin(0)[None]
    return np.take_along_axis(ordered, start, 0)[0], np.take_along_axis(
        ordered, start + inside - 1, 0
    )[0]
