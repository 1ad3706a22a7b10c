"""The jackknife of averages over labels: what leaving out one item after the other says of them.

Random weights of items see a label of n items as 1 / (n + 1) does, which is too narrow where n is 3
or 5; and they shift a ratio of sums by its bias once more. The jackknife knows both.
"""

import numpy as np

from betterthan.exact.labels import confusion as formulas

_SMALL = 1e-6  # of an item


def jackknife(matrix: np.ndarray, actual: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Of the averages (average, measure): their bias, and how many times the variance under random
    weights their variance is.
    """
    rows, columns, many = _filled(matrix, actual)
    labels, predicted = np.arange(len(matrix)), matrix.sum(1)
    row, column = rows[:, None] == labels, columns[:, None] == labels
    full = formulas.from_margins(np.diagonal(matrix), predicted, actual, beta)

    def change(part: float) -> np.ndarray:
        right = np.diagonal(matrix) - part * (row & column)
        less = formulas.from_margins(right, predicted - part * row, actual - part * column, beta)
        return (full - less) / part

    # the only item of a label, or of what was predicted, leaves nothing behind to be judged by
    lone = (actual[columns] == 1) | (np.append(predicted, 0)[rows] == 1)
    small = change(_SMALL)
    unit = np.where(lone[:, None, None], small, change(1.0))
    return _bias_and_ratio(many, small, unit)


def _bias_and_ratio(
    many: np.ndarray, small: np.ndarray, unit: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """From the changes by a small part and by a whole item of each cell, (cell, ...)."""
    size = max(int(many.sum()), 1)
    bias = (1 - size) / size * np.tensordot(many, unit - small, 1)
    least = np.tensordot(many, small**2, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.tensordot(many, unit**2, 1) / least
    return bias, np.where(least > _SMALL / size**2, np.maximum(times, 1.0), 1.0)


def _filled(matrix: np.ndarray, actual: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted, actual and number of the cells that hold items; unclassified ones last."""
    cells = np.vstack([matrix, actual - matrix.sum(0)])
    rows, columns = np.nonzero(cells)
    return rows, columns, cells[rows, columns]
