"""Answers in two orders, merged into ties where they differ, which loses what they say."""

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
    which = tuple(np.array(cells.texts(table, c), dtype=object) for c in sides)
    others = [c for c in table.columns if c not in (*columns, human, *sides)][:_MOST]
    others = [c for c in others if first_flawed(cells.as_written(table, c)) is None]
    read = {c: outcomes(table, c, (which[0], which[1]), words) for c in others}
    answers = [
        c for c in others if (read[c] < BLANK).mean() > 0.5 and not (read[c] == UNKNOWN).any()
    ]
    for column in columns:
        if column not in table.columns:
            continue
        merged = outcomes(table, column, (which[0], which[1]), words)
        for k, one in enumerate(answers):
            for two in answers[k + 1 :]:
                if _is_merge(merged, read[one], read[two]):
                    raise problem(
                        table.source,
                        f"is {shown(one)} where {shown(two)} agrees, and else a tie; a tie of the "
                        "judge is not two answers that differ: keep both, "
                        f"judge=[{one!r}, {two!r}]",
                        column=column,
                    )


def _is_merge(merged: np.ndarray, one: np.ndarray, two: np.ndarray) -> bool:
    both = (one < BLANK) & (two < BLANK)
    opposed = both & (one != two)
    if opposed.sum() < _OPPOSED:
        return False
    return bool((merged[both] == np.where(one == two, one, TIE)[both]).all())
