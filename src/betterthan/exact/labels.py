"""Labels: agreement of raters beyond chance, and precision, recall and F of confusion matrices.

Cohen's kappa of joint tables, Krippendorff's alpha of items: Cohen (1960), Educational and
Psychological Measurement 20(1), 37-46; Cohen (1968), Psychological Bulletin 70(4), 213-220.

In a confusion matrix, rows are predicted, columns actual. Items that were left unclassified are in
no row. They count in the denominator of recall, through `actual`, the number of items of each
class. A ratio 0 / 0 is 0.

The jackknife of averages over labels: what leaving out one item after the other says of them.
Random weights of items see a label of n items as 1 / (n + 1) does, which is too narrow where n is 3
or 5; and they shift a ratio of sums by its bias once more. The jackknife knows both.

The posterior of averages over labels: shares of the cells of a confusion matrix, in logs. Shares
are Dirichlet, drawn as gammas. A cell that holds nothing has a parameter of a thousandth or less,
and most of its gammas are below the smallest float: ln Gamma(a) is drawn as ln Gamma(a + 1) + ln(U)
/ a, and every ratio is a difference of logs.
"""

from collections.abc import Callable

import numpy as np

from betterthan.exact.numeric.monte_carlo import log_gammas

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


def by_label(matrix: np.ndarray, actual: np.ndarray, beta: float) -> np.ndarray:
    """Precision, recall and F of every label, (..., label, 3), from (..., predicted, actual) and
    (..., actual).
    """
    right = np.diagonal(matrix, axis1=-2, axis2=-1)
    return _measures(right, matrix.sum(-1), actual, beta)


def weighted(measures: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Means over labels weighted by how many items each has, (..., 3)."""
    return _ratio((measures * actual[..., None]).sum(-2), actual.sum(-1)[..., None])


def pooled(matrix: np.ndarray, actual: np.ndarray, beta: float) -> np.ndarray:
    """Precision, recall and F of all labels in one pot, (..., 3)."""
    right = np.trace(matrix, axis1=-2, axis2=-1)
    return _measures(right, matrix.sum((-2, -1)), actual.sum(-1), beta)


def from_margins(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    """Macro, weighted and pooled, (..., average, 3), from true positives, predicted and actual
    counts of each label, (..., label).
    """
    measures = _measures(right, predicted, actual, beta)
    pooled = _measures(right.sum(-1), predicted.sum(-1), actual.sum(-1), beta)
    return np.stack([measures.mean(-2), weighted(measures, actual), pooled], axis=-2)


def frequencies(matrix: np.ndarray) -> np.ndarray:
    """Every wrong cell over all wrongly classified items; 0 on the diagonal, and everywhere if
    nothing is wrong.
    """
    wrong = matrix * ~np.eye(matrix.shape[-1], dtype=bool)
    return wrong / np.maximum(wrong.sum((-2, -1), keepdims=True), 1)


def _measures(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    # F of the counts, not of precision and recall: (1 + b^2) tp / (b^2 actual + predicted) has no 0
    # / 0 but one
    f = _ratio((1 + beta**2) * right, beta**2 * actual + predicted)
    return np.stack([_ratio(right, predicted), _ratio(right, actual), f], axis=-1)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """0 where it would be 0 / 0; of counts and of shares alike."""
    return above / np.where(below > 0, below, 1)


_SMALL = 1e-6  # of an item


def jackknife(matrix: np.ndarray, actual: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Of the averages (average, measure): their bias, and how many times the variance under random
    weights their variance is.
    """
    cells = np.vstack([matrix, actual - matrix.sum(0)])
    rows, columns = np.nonzero(cells)
    many = cells[rows, columns]
    labels, predicted = np.arange(len(matrix)), matrix.sum(1)
    row, column = rows[:, None] == labels, columns[:, None] == labels
    full = from_margins(np.diagonal(matrix), predicted, actual, beta)

    def change(part: float) -> np.ndarray:
        right = np.diagonal(matrix) - part * (row & column)
        less = from_margins(right, predicted - part * row, actual - part * column, beta)
        return (full - less) / part

    # the only item of a label, or of what was predicted, leaves nothing behind to be judged by
    lone = (actual[columns] == 1) | (np.append(predicted, 0)[rows] == 1)
    small = change(_SMALL)
    unit = np.where(lone[:, None, None], small, change(1.0))
    size = max(int(many.sum()), 1)
    bias = (1 - size) / size * np.tensordot(many, unit - small, 1)
    least = np.tensordot(many, small**2, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.tensordot(many, unit**2, 1) / least
    return bias, np.where(least > _SMALL / size**2, np.maximum(times, 1.0), 1.0)


def spread(cells: np.ndarray, items: float) -> np.ndarray:
    """So many made-up items over cells (predicted, actual): half of them right, half wrong.

    Every label has the same number of them. A label that was never predicted has its own evenly
    over its column: without one prediction, half right would be a precision out of nothing.
    """
    rows, labels = cells.shape
    per_label = items / labels
    if rows == 1:
        return np.full(cells.shape, per_label)
    wrong = np.full(cells.shape, per_label / 2 / (rows - 1))
    np.fill_diagonal(wrong[:labels], per_label / 2)
    return np.where(cells[:labels].any(1), wrong, per_label / rows)


def drawn(
    alpha: np.ndarray, beta: float, draws: int, sources: tuple[np.random.Generator, ...]
) -> np.ndarray:
    """Averages (draw, average, measure) of shares Dirichlet(alpha), (predicted, actual).

    Of the two sources each has its own stream, so that chunks go on where the last one ended.
    """
    logs = log_gammas(alpha, (draws,), *sources)
    logs -= logs.max((1, 2), keepdims=True)
    labels = alpha.shape[1]
    right = np.diagonal(logs[:, :labels], axis1=1, axis2=2)
    predicted, actual = _log_sum(logs[:, :labels], axis=2), _log_sum(logs, axis=1)
    # of logs nothing is 0, so that nothing is divided by 0
    measures = _measures_of_draws(right, predicted, actual, beta)
    total = _log_sum(actual, 1)
    size = np.exp(actual - total[:, None])[..., None]
    pooled = _measures_of_draws(_log_sum(right, 1), _log_sum(predicted, 1), total, beta)
    return np.stack([measures.mean(1), (measures * size).sum(1), pooled], axis=1)


def _measures_of_draws(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    f = np.log1p(beta**2) + right - np.logaddexp(np.log(beta**2) + actual, predicted)
    return np.exp(np.minimum(np.stack([right - predicted, right - actual, f], axis=-1), 0.0))


def _log_sum(logs: np.ndarray, axis: int) -> np.ndarray:
    most = logs.max(axis, keepdims=True)
    return np.log(np.exp(logs - most).sum(axis)) + most.squeeze(axis)
