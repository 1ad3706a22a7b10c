"""Precision, recall and F from a confusion matrix; rows are predicted, columns actual.

Items that were left unclassified are in no row. They count in the denominator of recall, through
`actual`, the number of items of each class. A ratio 0 / 0 is 0.
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
