"""Agreement of raters beyond chance: Cohen's kappa of joint tables, Krippendorff's alpha of items.

Cohen (1960), Educational and Psychological Measurement 20(1), 37-46; Cohen (1968), Psychological
Bulletin 70(4), 213-220.
"""

from collections.abc import Callable

import numpy as np

# Weighted differences of two places on a scale, from their distance; none: any difference is one.
POWERS = {"linear": 1, "quadratic": 2}
LEVELS = ("nominal", "ordinal", "interval", "ratio")
_PRIOR_CATEGORIES = 10  # over which a prior is spread at most
_CHUNK = 2**22  # weights held at once


def disagreement(positions: np.ndarray, weights: str | None) -> np.ndarray:
    """How much two categories differ, (category, category)."""
    distance = np.abs(positions[:, None] - positions)
    return (distance > 0).astype(float) if weights is None else distance ** POWERS[weights]


def kappa(table: np.ndarray, cost: np.ndarray) -> float:
    """1 less the observed disagreement over that of independent raters, from a table (category,
    category); NaN where both always give the same category.
    """
    rows, columns = np.nonzero(table)
    return float(_of_cells(table[rows, columns][None].astype(float), rows, columns, cost)[0])


def _of_cells(
    weights: np.ndarray, rows: np.ndarray, columns: np.ndarray, cost: np.ndarray
) -> np.ndarray:
    """Kappa (draw,) from weights (draw, cell) of the cells that are not empty."""
    each = np.eye(len(cost))
    observed = weights @ cost[rows, columns] * weights.sum(1)
    by_chance = ((weights @ each[rows] @ cost) * (weights @ each[columns])).sum(1)
    undefined = np.full(len(weights), np.nan)
    return 1 - np.divide(observed, by_chance, out=undefined, where=by_chance > 0)


def draw_kappa(
    table: np.ndarray, cost: np.ndarray, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Draws of the posterior of kappa, (draw,), sorted, from a table (category, category).

    The prior is worth two items: one on which the raters agree, one on which they do not, each
    spread evenly over the cells of its kind. Of two categories this is Jeffreys' prior.
    """
    some = _spread(len(table))
    prior = np.full((len(some), len(some)), 1 / (len(some) * (len(some) - 1)))
    np.fill_diagonal(prior, 1 / len(some))
    shape = table.astype(float)
    shape[np.ix_(some, some)] += prior
    rows, columns = np.nonzero(shape)
    return _sampled(
        shape[rows, columns], draws, random, lambda w: _of_cells(w, rows, columns, cost)
    )


def _spread(categories: int) -> np.ndarray:
    """The categories that the prior is spread over: all, or some at equal steps of many."""
    few = min(categories, _PRIOR_CATEGORIES)
    return np.unique(np.linspace(0, categories - 1, few).round().astype(int))


def _sampled(
    shape: np.ndarray,
    draws: int,
    random: np.random.Generator,
    statistic: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """A statistic (draw,) of gamma weights of these shapes, sorted, in blocks."""
    rows = max(1, _CHUNK // len(shape))
    blocks = [min(rows, draws - start) for start in range(0, draws, rows)]
    weights = (random.standard_gamma(shape, (block, len(shape))) for block in blocks)
    return np.sort(np.concatenate([statistic(block) for block in weights]))


def alpha(weights: np.ndarray, counts: np.ndarray, values: np.ndarray, level: str) -> np.ndarray:
    """Krippendorff's alpha (draw,) of items that count `weights` times (draw, item).

    `counts` (item, category) are ratings, two or more an item, `values` those of the categories in
    rising order. NaN where all ratings are the same.

    Krippendorff (2004), Content Analysis, second edition, chapter 11.
    """
    ratings = counts.sum(1)
    each, number = weights / (ratings - 1), weights @ ratings
    if level == "interval":  # moments of each item suffice
        sums, squares = counts @ values, counts @ values**2
        within = each @ (ratings * squares - sums**2)
        overall = number * (weights @ squares) - (weights @ sums) ** 2
    elif level == "ordinal":  # squared distances of the middle rank of each category
        total = weights @ counts
        place = np.cumsum(total, axis=1) - total / 2
        within = ((each * ratings) @ counts * place**2).sum(1)
        within -= (each * (place @ counts.T) ** 2).sum(1)
        overall = number * (total * place**2).sum(1) - (total * place).sum(1) ** 2
    else:
        total, cost = weights @ counts, disagreement(values, None)
        if level == "ratio":
            pairs = np.maximum(values[:, None] + values, np.finfo(float).tiny)
            cost = ((values[:, None] - values) / pairs) ** 2
        within = each @ (counts @ cost * counts).sum(1)
        overall = (total @ cost * total).sum(1)
    undefined = np.full(len(weights), np.nan)
    return 1 - np.divide((number - 1) * within, overall, out=undefined, where=overall > 0)


def draw_alpha(
    counts: np.ndarray, values: np.ndarray, level: str, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Draws of alpha, (draw,), sorted: items have random weights (Bayesian bootstrap).

    The prior is that of `draw_kappa`: two items that two raters judged, one alike and one not.
    """
    some = _spread(counts.shape[1])
    one = np.eye(counts.shape[1])[some]
    first, second = np.triu_indices(len(some), 1)
    alike, unlike = 2 * one, one[first] + one[second]
    shape = np.repeat([1, 1 / len(alike), 1 / len(unlike)], [len(counts), len(alike), len(unlike)])
    every = np.concatenate([counts, alike, unlike])
    return _sampled(shape, draws, random, lambda weights: alpha(weights, every, values, level))
