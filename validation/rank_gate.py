"""Are the ranks of truths level? One answer for all quantities of a model at once, of known power.

The ranks of all quantities are pooled, as they are and folded at the middle: a posterior too narrow
piles them up at both ends, one that is off to a side at one. Each empirical distribution function
is held against its simultaneous limits (Säilynoja, Bürkner & Vehtari 2022, Statistics and Computing
32:32, doi:10.1007/s11222-022-10090-6). Quantities of one simulation go together; the limits come
from simulated ranks that go together as much.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

LEVEL = 0.01  # how often a right posterior fails
POWER = 0.9  # how often one that is 10 % too narrow must
# simulations by quantities pooled, whose ranks correlate by up to a half: results/gates.json
SIMULATIONS = {1: 1250, 2: 900, 4: 500}
_LIMITS = 2000  # simulated sets of ranks behind a limit
_LEAST = 10  # ranks that must be expected beyond a point for it to count
_SEED = 20261122
_HELD = 2_000_000


@dataclass(frozen=True)
class Levelness:
    """How far pooled ranks are from level, and how far they would be by chance."""

    simulations: int
    quantities: int
    correlation: float  # mean, between normal scores of the ranks of two quantities
    largest: float  # distance, in standard errors of independent ranks
    limit: float  # that a right posterior passes but with probability LEVEL

    @property
    def passed(self) -> bool:
        """Whether the ranks are level, as far as can be told."""
        return self.largest <= self.limit


def level(ranks: dict[str, np.ndarray], rank_values: int) -> Levelness:
    """Hold the ranks (simulation,) of all quantities against simultaneous limits.

    Examples
    --------
    >>> ranks = np.arange(1200) % 100
    >>> level({"a": ranks}, 100).passed, level({"a": ranks // 2 + 25}, 100).passed
    (True, False)
    """
    pooled = np.stack(list(ranks.values()), axis=1)
    correlation = correlations(pooled, rank_values)
    apart = correlation[~np.eye(len(correlation), dtype=bool)]
    return Levelness(
        simulations=len(pooled),
        quantities=pooled.shape[1],
        correlation=float(apart.mean()) if apart.size else 0.0,
        largest=float(largest(pooled, rank_values)),
        limit=limit(correlation, len(pooled), rank_values),
    )


def needed(quantities: int) -> int:
    """Simulations with which the gate has its power."""
    return SIMULATIONS[max(k for k in SIMULATIONS if k <= quantities)]


def largest(ranks: np.ndarray, rank_values: int) -> np.ndarray:
    """Largest distance of pooled ranks (..., simulation, quantity) from level, in standard errors
    of independent ranks, plain and folded.
    """
    flat = ranks.reshape(-1, ranks.shape[-2] * ranks.shape[-1])
    sets, number = flat.shape
    places = (flat + rank_values * np.arange(sets)[:, None]).ravel()
    bars = np.bincount(places, minlength=sets * rank_values).reshape(sets, rank_values)
    half = rank_values // 2
    folded = (
        bars[:, -half:] + bars[:, :half][:, ::-1]
    )  # a rank in the middle of odd ones is neither
    return np.maximum(_farthest(bars, number), _farthest(folded, number)).reshape(ranks.shape[:-2])


def limit(correlation: np.ndarray, simulations: int, rank_values: int) -> float:
    """The distance that level ranks of quantities so correlated pass with probability LEVEL."""
    random = np.random.default_rng(_SEED)
    together = np.linalg.cholesky(correlation + 1e-9 * np.eye(len(correlation)))
    found, left = [], _LIMITS
    while left > 0:
        sets = min(left, max(1, _HELD // (simulations * len(correlation))))
        scores = random.standard_normal((sets, simulations, len(correlation))) @ together.T
        found.append(largest(_ranked(special.ndtr(scores), rank_values), rank_values))
        left -= sets
    return float(np.quantile(np.concatenate(found), 1 - LEVEL))


def correlations(ranks: np.ndarray, rank_values: int) -> np.ndarray:
    """Between the normal scores of ranks (simulation, quantity)."""
    if len(ranks) < _LEAST:
        return np.eye(ranks.shape[1])  # too few to tell
    scores = special.ndtri((ranks + 0.5) / rank_values)
    return np.atleast_2d(np.corrcoef(scores.T))


def _ranked(levels: np.ndarray, rank_values: int) -> np.ndarray:
    return np.minimum((levels * rank_values).astype(int), rank_values - 1)


def _farthest(bars: np.ndarray, number: int) -> np.ndarray:
    """Of empirical distribution functions, from counts (set, value) of values that should be
    level.
    """
    below = np.arange(1, bars.shape[1]) / bars.shape[1]
    error = np.sqrt(below * (1 - below) / number)
    far = np.abs(bars.cumsum(1)[:, :-1] / number - below) / error
    counts = np.minimum(below, 1 - below) * number >= _LEAST
    return far[:, counts].max(1, initial=0.0)
