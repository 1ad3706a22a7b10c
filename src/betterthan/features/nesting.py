"""The choice of a set of features, made anew without what is predicted: cross-validation nested
three deep. In every outer fold, each set chooses its features and predicts what is left, unit by
unit; the set that predicts it best predicts the fold (Varma & Simon 2006, BMC Bioinformatics 7:91,
doi:10.1186/1471-2105-7-91).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.exact.regression import least_squares, stepwise

OUTER = 50  # folds at most


def held_out(
    sets: Sequence[np.ndarray], y: np.ndarray, groups: np.ndarray, how: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Errors (row,) of predictions by the best of standardised feature sets (row, feature), and
    which it was in each outer fold. The response y is centred, `groups` are numbers from 0.
    """
    count = int(groups.max()) + 1
    outer = np.arange(count) % min(count, OUTER)  # of each group
    results = [_of_set(z, y, groups, outer, how) for z in sets]
    best = np.array([inner for inner, _ in results]).argmin(0)
    predicted = np.array([predictions for _, predictions in results])
    return y - predicted[best[outer[groups]], np.arange(len(y))], best


def _of_set(
    z: np.ndarray, y: np.ndarray, groups: np.ndarray, outer: np.ndarray, how: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the squared errors inside each outer fold, (fold,), and the predictions of the left-
    out rows.
    """
    group_products, items = stepwise.within_groups(z, y, groups), np.bincount(groups)
    design, predicted = least_squares.design(z), np.empty(len(y))
    inner = np.empty(int(outer.max()) + 1)
    for fold in range(len(inner)):
        training = outer != fold
        products, size = group_products[training].sum(0), items[training].sum()
        # the first fit is of all that is kept, the others leave a group of it out
        leave_one_out = np.concatenate([products[None], products - group_products[training]])
        fits = stepwise.search(
            leave_one_out, np.append(size, size - items[training]), **how
        ).coefficients
        fit_index = np.zeros(len(training), dtype=int)
        fit_index[training] = 1 + np.arange(training.sum())
        fitted = (design * fits[fit_index[groups]]).sum(1)
        in_training = training[groups]
        inner[fold] = ((y - fitted)[in_training] ** 2).sum()
        predicted[~in_training] = fitted[~in_training]
    return inner, predicted
