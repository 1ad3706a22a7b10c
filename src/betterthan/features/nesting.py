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
    found = [_of_set(z, y, groups, outer, how) for z in sets]
    best = np.array([inner for inner, _ in found]).argmin(0)
    predicted = np.array([each for _, each in found])
    return y - predicted[best[outer[groups]], np.arange(len(y))], best


def _of_set(
    z: np.ndarray, y: np.ndarray, groups: np.ndarray, outer: np.ndarray, how: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Squared errors inside each outer fold, (fold,), and predictions of what it leaves, (row,)."""
    own, items = stepwise.within_groups(z, y, groups), np.bincount(groups)
    design, predicted = least_squares.design(z), np.empty(len(y))
    inner = np.empty(int(outer.max()) + 1)
    for fold in range(len(inner)):
        kept = outer != fold
        products, size = own[kept].sum(0), items[kept].sum()
        # the first fit is of all that is kept, the others leave a group of it out
        each = np.concatenate([products[None], products - own[kept]])
        fits = stepwise.search(each, np.append(size, size - items[kept]), **how).coefficients
        fit_of = np.zeros(len(kept), dtype=int)
        fit_of[kept] = 1 + np.arange(kept.sum())
        told = (design * fits[fit_of[groups]]).sum(1)
        seen = kept[groups]
        inner[fold] = ((y - told)[seen] ** 2).sum()
        predicted[~seen] = told[~seen]
    return inner, predicted
