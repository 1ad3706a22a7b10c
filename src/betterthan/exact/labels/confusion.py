"""Precision, recall and F from a confusion matrix, their jackknife, and draws of its cells.

Precision, recall and F from a confusion matrix; rows are predicted, columns actual.

Items that were left unclassified are in no row. They count in the denominator of recall, through
`actual`, the number of items of each class. A ratio 0 / 0 is 0.

The jackknife of averages over labels: what leaving out one item after the other says of them.

Random weights of items see a label of n items as 1 / (n + 1) does, which is too narrow where n is 3
or 5; and they shift a ratio of sums by its bias once more. The jackknife knows both.

The posterior of averages over labels: shares of the cells of a confusion matrix, in logs.

Shares are Dirichlet, drawn as gammas. A cell that holds nothing has a parameter of a thousandth or
less, and most of its gammas are below the smallest float: ln Gamma(a) is drawn as ln Gamma(a + 1) +
ln(U) / a, and every ratio is a difference of logs.
"""

import numpy as np


def by_label(matrix: np.ndarray, actual: np.ndarray, beta: float) -> np.ndarray:
    """Precision, recall and F of every label, (..., label, 3), from (..., predicted, actual) and
    (..., actual).
    """
    right = np.diagonal(matrix, axis1=-2, axis2=-1)
    return _measures(right, matrix.sum(-1), actual, beta)


def macro(measures: np.ndarray) -> np.ndarray:
    """Plain means over labels, (..., 3) from (..., label, 3)."""
    return measures.mean(-2)


def weighted(measures: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Means over labels weighted by how many items each has, (..., 3)."""
    return _ratio((measures * actual[..., None]).sum(-2), actual.sum(-1)[..., None])


def pooled(matrix: np.ndarray, actual: np.ndarray, beta: float) -> np.ndarray:
    """Precision, recall and F of all labels in one pot, (..., 3)."""
    right = np.trace(matrix, axis1=-2, axis2=-1)
    return _measures(right, matrix.sum((-2, -1)), actual.sum(-1), beta)


def averages(
    by_label: np.ndarray, matrix: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    """Macro, weighted and pooled, (..., average, 3), from the measures of every label."""
    parts = macro(by_label), weighted(by_label, actual), pooled(matrix, actual, beta)
    return np.stack(parts, axis=-2)


def from_margins(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    """The averages from true positives, predicted and actual counts of each label, (..., label)."""
    measures = _measures(right, predicted, actual, beta)
    pooled = _measures(right.sum(-1), predicted.sum(-1), actual.sum(-1), beta)
    return np.stack([macro(measures), weighted(measures, actual), pooled], axis=-2)


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
    size = (draws, *alpha.shape)
    logs = np.log(sources[0].standard_gamma(alpha + 1, size))
    logs -= sources[1].standard_exponential(size) / alpha  # ln U of a uniform U
    logs -= logs.max((1, 2), keepdims=True)
    labels = alpha.shape[1]
    right = np.diagonal(logs[:, :labels], axis1=1, axis2=2)
    return _averages(right, _log_sum(logs[:, :labels], axis=2), _log_sum(logs, axis=1), beta)


def _averages(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    """From logs (draw, label) of shares: nothing is 0, so that nothing is divided by 0."""
    measures = _measures_of_draws(right, predicted, actual, beta)
    total = _log_sum(actual, 1)
    size = np.exp(actual - total[:, None])[..., None]
    pooled = _measures_of_draws(_log_sum(right, 1), _log_sum(predicted, 1), total, beta)
    return np.stack([measures.mean(1), (measures * size).sum(1), pooled], axis=1)


def _measures_of_draws(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    square = np.log(beta**2)
    f = np.log1p(beta**2) + right - np.logaddexp(square + actual, predicted)
    return np.exp(np.minimum(np.stack([right - predicted, right - actual, f], axis=-1), 0.0))


def _log_sum(logs: np.ndarray, axis: int) -> np.ndarray:
    most = logs.max(axis, keepdims=True)
    return np.log(np.exp(logs - most).sum(axis)) + most.squeeze(axis)
