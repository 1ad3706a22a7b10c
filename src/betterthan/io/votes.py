"""One row for each judgment: two systems and which of them won."""

import numpy as np

from betterthan.io import cells
from betterthan.io.alike import refuse_apart_by_pairs
from betterthan.io.problems import problem, shown
from betterthan.io.roles import find
from betterthan.io.squares import (
    counts_array,
    dataset_column,
    datasets_of,
    empty_square,
    pair_columns,
    paired,
)
from betterthan.io.table import Reading, Table, unread

_A, _B, _TIE, _BLANK, _UNKNOWN = 0, 1, 2, 3, 4
OUTCOME_WORDS = (
    {"a": _A, "left": _A, "first": _A, "model_a": _A, "system_a": _A}
    | {"b": _B, "right": _B, "second": _B, "model_b": _B, "system_b": _B}
    | dict.fromkeys(
        ("tie", "draw", "both", "tie (bothbad)", "both bad", "both_bad", "bothbad"), _TIE
    )
    | {"": _BLANK}
)


def vote_counts(table: Table) -> Reading:
    """Counts of a table of votes."""
    names_a, names_b, outcome = vote_outcomes(table)
    systems, a, b = paired(names_a.tolist(), names_b.tolist())
    refuse_apart_by_pairs(table.source, systems, a, b)
    datasets, dataset = datasets_of(table)
    won = outcome >= 0
    square = empty_square(table.source, datasets, systems, 3)
    np.add.at(square, (dataset[won], a[won], b[won], outcome[won]), 1)
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    counts = counts_array(square, systems, datasets)
    counts.attrs = {"ties": "third", "n": int(won.sum()), "n_missing": int((~won).sum())}
    columns = pair_columns(table)
    used = {*columns, find(table, "winner"), dataset_column(table)}
    return Reading(counts, said_of_systems(systems, columns), unread(table, used))


def said_of_systems(systems: list[str], columns: tuple[str, str]) -> str:
    """What is said behind the number of votes or judgments."""
    return f"on {len(systems)} systems in columns {columns[0]!r} and {columns[1]!r}"


def vote_outcomes(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two systems of each row, and how it went: 0 the first won, 1 the second, 2 a tie, -1 no
    winner given.
    """
    names_a, names_b = (
        np.array(cells.system_names(table, c), dtype=object) for c in pair_columns(table)
    )
    _refuse_against_itself(table, names_a, names_b)
    outcome = _outcomes(table, names_a, names_b)
    return names_a, names_b, np.where(outcome == _BLANK, -1, outcome)


def _outcomes(table: Table, names_a: np.ndarray, names_b: np.ndarray) -> np.ndarray:
    """Win, loss or tie of each row: the winner is a word for a side, or the name of one of the
    two.
    """
    column = str(find(table, "winner"))
    winner = np.array([text.strip() for text in cells.texts(table, column)], dtype=object)
    said = _said(table, winner)
    named = np.select([winner == names_a, winner == names_b], [_A, _B], default=_UNKNOWN)
    column_a, column_b = pair_columns(table)
    both = (named != _UNKNOWN) & (said != _UNKNOWN) & (named != said)
    if both.any():
        right = f"write {column_a}, {column_b} or tie"
        what = f"the name of one system here and the word for another outcome; {right}"
        raise _at(table, column, winner, int(both.argmax()), what)
    outcome = np.where(named != _UNKNOWN, named, said)
    if (outcome == _UNKNOWN).any():
        k = int((outcome == _UNKNOWN).argmax())
        right = f"{column_a}, {column_b}, tie, or {shown(names_a[k])} or {shown(names_b[k])}"
        raise _at(table, column, winner, k, f"unknown winner; give {right}")
    return outcome


def _said(table: Table, winner: np.ndarray) -> np.ndarray:
    """The outcome that each word for the winner stands for."""
    column_a, column_b = pair_columns(table)
    words = OUTCOME_WORDS | {column_a.casefold(): _A, column_b.casefold(): _B}
    codes = {text: words.get(text.casefold(), _UNKNOWN) for text in set(winner.tolist())}
    return np.array([codes[text] for text in winner.tolist()])


def _refuse_against_itself(table: Table, names_a: np.ndarray, names_b: np.ndarray) -> None:
    same = names_a == names_b
    if same.any():
        k = int(same.argmax())
        what = f"{shown(names_a[k])} is compared with itself; give two different systems"
        raise _at(table, pair_columns(table)[1], names_b, k, what)


def _at(table: Table, column: str, values: np.ndarray, k: int, what: str) -> ValueError:
    return problem(table.source, what, row=table.rows[k], column=column, value=values[k])
