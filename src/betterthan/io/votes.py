"""One row for each judgment: two systems and which of them won."""

from collections.abc import Sequence

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
    refuse_apart_by_pairs(table.source, systems, a, b)
    datasets, dataset = datasets_of(table)
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
    return Reading(counts, said_of_systems(systems, columns), unread(table, used))


def said_of_systems(systems: list[str], columns: tuple[str, str]) -> str:
    """What is said behind the number of votes or judgments."""
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
    """Win, loss or tie of each row: the winner is a word for a side, or the name of one of the
    two.
    """
    column = str(find(table, "winner"))
    winner = cells.read_once(table, column, _winners)
    said = _said(table, winner.distinct)[winner.codes]
    place = {system: k for k, system in enumerate(systems)}
    who = narrow(np.array([place.get(text, -1) for text in winner.distinct]), len(systems))
    who = who[winner.codes]
    named = np.full(len(who), _UNKNOWN, dtype=np.int8)
    named[who == a], named[who == b] = _A, _B
    column_a, column_b = pair_columns(table)
    both = (named != _UNKNOWN) & (said != _UNKNOWN) & (named != said)
    if both.any():
        k = int(both.argmax())
        right = f"write {column_a}, {column_b} or tie"
        what = f"the name of one system here and the word for another outcome; {right}"
        raise _at(table, column, winner[k], k, what)
    outcome = np.where(named != _UNKNOWN, named, said)
    if (outcome == _UNKNOWN).any():
        k = int((outcome == _UNKNOWN).argmax())
        right = f"{column_a}, {column_b}, tie, or {shown(systems[a[k]])} or {shown(systems[b[k]])}"
        raise _at(table, column, winner[k], k, f"unknown winner; give {right}")
    return outcome


def _winners(table: Table, column: str) -> list[str]:
    return [text.strip() for text in cells.texts(table, column)]


def _said(table: Table, winners: Sequence[str]) -> np.ndarray:
    """The outcome that each word for the winner stands for."""
    column_a, column_b = pair_columns(table)
    words = OUTCOME_WORDS | {column_a.casefold(): _A, column_b.casefold(): _B}
    return np.array([words.get(text.casefold(), _UNKNOWN) for text in winners], dtype=np.int8)


def _refuse_against_itself(table: Table, systems: list[str], a: np.ndarray, b: np.ndarray) -> None:
    same = a == b
    if same.any():
        k = int(same.argmax())
        name = systems[a[k]]
        what = f"{shown(name)} is compared with itself; give two different systems"
        raise _at(table, pair_columns(table)[1], name, k, what)


def _at(table: Table, column: str, value: str, k: int, what: str) -> ValueError:
    return problem(table.source, what, row=table.rows[k], column=column, value=value)
