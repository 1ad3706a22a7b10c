"""Group rows whose index labels or features repeat.

Where raters of one dialogue are rows, the scores of the dialogue stand in each of them. Left out
one by one, such a row is predicted by fits that have seen its dialogue.
"""

import warnings
from dataclasses import replace

import numpy as np

from betterthan import names
from betterthan.features.tables import FeatureTable

_LEAST = 3


def grouped(table: FeatureTable) -> FeatureTable:
    """Group repeated rows, with a warning; groups named by the caller stay."""
    kinds = _repeating(table)
    if table.said or not kinds:
        return table
    groups = _joined([numbers for numbers, _ in kinds])
    count, by = int(groups.max()) + 1, kinds[0][1]
    finding = f"{len(groups)} rows are of {count} {_PLURAL[by]}"
    advice = (
        "say by leave_out what belongs together (a column, an index level, a label for each row), "
        f"or leave_out={names.ROW!r} where every row stands alone"
    )
    if count < _LEAST:
        raise ValueError(f"{finding}, and at least {_LEAST} are needed; {advice}")
    warnings.warn(
        f"{finding}, and rows of one are left out together; {advice}",
        skip_file_prefixes=names.PACKAGE,
    )
    first = [int((groups == k).argmax()) for k in range(count)]
    names_of_groups = [table.rows[k] for k in first]
    return replace(table, groups=groups, group_names=names_of_groups, grouped_by=by)


_PLURAL = {
    names.SAME_INDEX: "different index labels",
    names.SAME_FEATURES: "different rows of features",
}


def warn_of_model(table: FeatureTable) -> None:
    """Warn that a model without `by` takes repeated rows as independent."""
    kinds = _repeating(table)
    if kinds and not table.said:
        count = int(_joined([numbers for numbers, _ in kinds]).max()) + 1
        warnings.warn(
            f"{len(table.y)} rows are of {count} {_PLURAL[kinds[0][1]]}, and the model takes them "
            "as independent; give by= what belongs together (such as the dialogue), or "
            f"by={names.ROW!r} where every row stands alone",
            skip_file_prefixes=names.PACKAGE,
        )


def number_shared(table: FeatureTable) -> int:
    """Rows with the features of a row in another fold."""
    same = _numbers(table.x)
    pairs = np.unique(np.column_stack([same, table.groups]), axis=0)
    folds = np.bincount(pairs[:, 0])  # in how many folds each row of features stands
    return int((folds[same] > 1).sum())


def _repeating(table: FeatureTable) -> list[tuple[np.ndarray, str]]:
    """By index label and by features: numbers of rows, where some repeat."""
    labels = np.unique(np.array(table.rows), return_inverse=True)[1].reshape(-1)
    kinds = [(labels, names.SAME_INDEX), (_numbers(table.x), names.SAME_FEATURES)]
    return [(numbers, by) for numbers, by in kinds if numbers.max() + 1 < len(numbers)]


def _numbers(x: np.ndarray) -> np.ndarray:
    """Equal rows have equal numbers."""
    return np.unique(x + 0.0, axis=0, return_inverse=True)[1].reshape(-1)


def _joined(kinds: list[np.ndarray]) -> np.ndarray:
    """Numbers of groups, in order of appearance, such that rows alike in any way are in one."""
    groups, before = np.arange(len(kinds[0])), np.array([])
    while not np.array_equal(groups, before):
        before = groups
        for numbers in kinds:
            least = np.full(numbers.max() + 1, len(numbers))
            np.minimum.at(least, numbers, groups)
            groups = least[numbers]
    return np.unique(groups, return_inverse=True)[1].reshape(-1)
