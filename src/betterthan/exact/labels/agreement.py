"""Agreement of raters beyond chance: Cohen's kappa of joint tables, Krippendorff's alpha of items.

Cohen (1960), Educational and Psychological Measurement 20(1), 37-46; Cohen (1968), Psychological
Bulletin 70(4), 213-220.
"""

import numpy as np

# Weighted differences of two places on a scale, from their distance; none: any difference is one.
POWERS = {"linear": 1, "quadratic": 2}


def disagreement(positions: np.ndarray, weights: str | None) -> np.ndarray:
    """How much two categories differ, (category, category)."""
    distance = np.abs(positions[:, None] - positions)
    return (distance > 0).astype(float) if weights is None else distance ** POWERS[weights]


def kappa(tables: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """1 less the observed disagreement over that of independent raters, (...,) from joint tables
    (..., category, category); NaN where both always give the same category.
    """
    total = tables.sum((-2, -1))
    observed = (tables * cost).sum((-2, -1)) * total
    by_chance = np.einsum("...i,ij,...j->...", tables.sum(-1), cost, tables.sum(-2))
    undefined = np.full(np.shape(total), np.nan)
    return 1 - np.divide(observed, by_chance, out=undefined, where=by_chance > 0)


def draw_kappa(
    table: np.ndarray, cost: np.ndarray, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Draws of the posterior of kappa, (draw,), sorted, from a table (category, category).

    The prior is worth two items: one on which the raters agree, one on which they do not, each
    spread evenly over the cells of its kind. Of two categories this is Jeffreys' prior.
    """
    k = len(table)
    prior = np.where(np.eye(k, dtype=bool), 1 / k, 1 / (k * (k - 1)))
    theta = random.standard_gamma(table + prior, (draws, k, k))
    return np.sort(kappa(theta, cost))
