"""Read tables with one row for each judgment: two systems, and which of them won."""

from collections.abc import Sequence

import numpy as np

from betterthan.io import cells
from betterthan.io.alike import refuse_alike_by_pairs
from betterthan.io.problems import problem, shown
from betterthan.io.roles import find
from betterthan.io.squares import (
    counts_array,
    dataset_column,
    empty_square,
    pair_columns,
    paired,
    read_datasets,
)
from betterthan.io.table import Reading, Table, unread
from betterthan.io.texts import BLOCK
from betterthan.io.written import narrow

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
    systems, a, b, outcome = vote_outcomes(table)
    refuse_alike_by_pairs(table.source, systems, a, b)
    datasets, dataset = read_datasets(table)
    square = empty_square(table.source, datasets, systems, 3)
    for begin in range(0, len(outcome), BLOCK):
        rows = np.flatnonzero(outcome[begin : begin + BLOCK] >= 0) + begin
        np.add.at(square, (dataset[rows], a[rows], b[rows], outcome[rows]), 1)
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    counts = counts_array(square, systems, datasets)
    n = int((outcome >= 0).sum())
    counts.attrs = {"ties": "third", "n": n, "n_missing": len(outcome) - n}
    columns = pair_columns(table)
    used = {*columns, find(table, "winner"), dataset_column(table)}
    return Reading(counts, describe_systems(systems, columns), unread(table, used))


def describe_systems(systems: list[str], columns: tuple[str, str]) -> str:
    """Describe the systems after the number of votes or judgments."""
    return f"on {len(systems)} systems in columns {columns[0]!r} and {columns[1]!r}"


def vote_outcomes(table: Table) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The systems, the two of each row as numbers, and how it went: 0 the first won, 1 the second,
    2 a tie, -1 no winner given.
    """
    first, second = (cells.read_once(table, c, cells.system_names) for c in pair_columns(table))
    systems, a, b = paired(first, second)
    _refuse_against_itself(table, systems, a, b)
    outcome = _outcomes(table, systems, a, b)
    outcome[outcome == _BLANK] = -1
    return systems, a, b, outcome


def _outcomes(table: Table, systems: list[str], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return win, loss or tie of each row; the winner is a word for a side, or the name of a
    system.
    """
    column = str(find(table, "winner"))
    winner = cells.read_once(table, column, _winners)
    by_word = _outcomes_by_word(table, winner.distinct)[winner.codes]
    place = {system: k for k, system in enumerate(systems)}
    winner_codes = narrow(np.array([place.get(text, -1) for text in winner.distinct]), len(systems))
    winner_codes = winner_codes[winner.codes]
    by_name = np.full(len(winner_codes), _UNKNOWN, dtype=np.int8)
    by_name[winner_codes == a], by_name[winner_codes == b] = _A, _B
    column_a, column_b = pair_columns(table)
    conflicting = (by_name != _UNKNOWN) & (by_word != _UNKNOWN) & (by_name != by_word)
    if conflicting.any():
        k = int(conflicting.argmax())
        right = f"write {column_a}, {column_b} or tie"
        reason = f"the name of one system here and the word for another outcome; {right}"
        raise _problem(table, column, winner[k], k, reason)
    outcome = np.where(by_name != _UNKNOWN, by_name, by_word)
    if (outcome == _UNKNOWN).any():
        k = int((outcome == _UNKNOWN).argmax())
        right = f"{column_a}, {column_b}, tie, or {shown(systems[a[k]])} or {shown(systems[b[k]])}"
        raise _problem(table, column, winner[k], k, f"unknown winner; give {right}")
    return outcome


def _winners(table: Table, column: str) -> list[str]:
    return [text.strip() for text in cells.texts(table, column)]


def _outcomes_by_word(table: Table, winners: Sequence[str]) -> np.ndarray:
    """Return the outcome that each word for the winner stands for."""
    column_a, column_b = pair_columns(table)
    words = OUTCOME_WORDS | {column_a.casefold(): _A, column_b.casefold(): _B}
    return np.array([words.get(text.casefold(), _UNKNOWN) for text in winners], dtype=np.int8)


def _refuse_against_itself(table: Table, systems: list[str], a: np.ndarray, b: np.ndarray) -> None:
    same = a == b
    if same.any():
        k = int(same.argmax())
        name = systems[a[k]]
        reason = f"{shown(name)} is compared with itself; give two different systems"
        raise _problem(table, pair_columns(table)[1], name, k, reason)


def _problem(table: Table, column: str, value: str, k: int, reason: str) -> ValueError:
    return problem(table.source, reason, row=table.rows[k], column=column, value=value)
