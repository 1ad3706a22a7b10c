"""Detect answers in two orders that were merged into ties where they differ."""

from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.io import cells
from betterthan.io.problems import problem, shown
from betterthan.io.table import Table
from betterthan.judged.outcomes import BLANK, TIE, UNKNOWN, outcomes, pair_of
from betterthan.text import first_flawed

_MOST = 12  # columns that are looked at
_OPPOSED = 3  # rows on which two columns differ, below which a third may be so by chance


def refuse_merged(
    table: Table, columns: Sequence[str], human: str, words: Mapping[str, str] | None
) -> None:
    """Refuse a column of answers that is two others where they agree, and a tie where they do
    not.
    """
    sides = pair_of(table)
    pair_names = tuple(np.array(cells.texts(table, c), dtype=object) for c in sides)
    others = [c for c in table.columns if c not in (*columns, human, *sides)][:_MOST]
    others = [c for c in others if first_flawed(cells.as_written(table, c)) is None]
    read = {c: outcomes(table, c, (pair_names[0], pair_names[1]), words) for c in others}
    answers = [
        c for c in others if (read[c] < BLANK).mean() > 0.5 and not (read[c] == UNKNOWN).any()
    ]
    for column in columns:
        if column not in table.columns:
            continue
        merged = outcomes(table, column, (pair_names[0], pair_names[1]), words)
        for k, first_answer in enumerate(answers):
            for second_answer in answers[k + 1 :]:
                if _is_merge(merged, read[first_answer], read[second_answer]):
                    raise problem(
                        table.source,
                        f"is {shown(first_answer)} where {shown(second_answer)} agrees, and else a "
                        "tie; a tie of the "
                        "judge is not two answers that differ: keep both, "
                        f"judge=[{first_answer!r}, {second_answer!r}]",
                        column=column,
                    )


def _is_merge(merged: np.ndarray, first: np.ndarray, second: np.ndarray) -> bool:
    decided = (first < BLANK) & (second < BLANK)
    opposed = decided & (first != second)
    if opposed.sum() < _OPPOSED:
        return False
    return bool((merged[decided] == np.where(first == second, first, TIE)[decided]).all())
