"""What errors and the import summary suggest for a table: the option that reads what it holds."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.io.cells import holds_numbers
from betterthan.io.problems import counted, quoted
from betterthan.io.table import Table
from betterthan.io.texts import Coded, Numbers, coded

_RIGHT = ("yes", "y", "correct", "right", "pass", "passed", "success", "solved", "c", "t")
_WRONG = ("no", "n", "incorrect", "wrong", "fail", "failed", "failure", "unsolved", "i", "f")
_PERCENT = re.compile(r"[+-]?\d+([.,]\d+)?\s*%")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_RUNS = ("run", "seed", "trial", "repeat", "repetition", "replicate", "attempt")
_METRICS = ("metric", "metrics", "measure", "measures", "statistic")
_MANY = 9  # columns of numbers: more are items rather than metrics
_FEWEST = 3  # groups of items: two may be anything


def not_scores(table: Table, column: str) -> str:
    """Why a column of text is no column of scores, and what reads it."""
    words = [str(cell).strip() for cell in _codes(table, column).distinct if cell is not None]
    words = [word for word in words if word]
    folded = {word.casefold() for word in words}
    if all(map(_PERCENT.fullmatch, words)):
        return "percentages, not numbers; pass percent=True"
    if all(map(_THOUSANDS.fullmatch, words)):
        return (
            "numbers with commas; leave the commas out if they separate thousands, or pass "
            "decimal=',' if they are decimal commas"
        )
    if all(map(_COMMA.fullmatch, words)):
        return "numbers with decimal commas; pass decimal=','"
    if folded <= {*_RIGHT, *_WRONG}:
        right = next((word for word in words if word.casefold() in _RIGHT), "yes")
        wrong = next((word for word in words if word.casefold() in _WRONG), "no")
        return f"text, not scores; pass true={right!r} and false={wrong!r}"
    return rows_of_averages(table, column) or (
        f"text, not scores; pass ignore={quoted(column)} to leave the column out, cluster= if it "
        "groups the items, or item= if it holds their ids"
    )


def rows_of_averages(table: Table, column: str) -> str:
    """What is wrong if each row is a system or a metric; empty if it is not."""
    others = [name for name in table.columns if name != column]
    numeric = all(holds_numbers(table, name) for name in others)
    if not others or not numeric or len(_codes(table, column).distinct) < len(table.rows):
        return ""
    if len(others) > max(_MANY, len(table.rows)):
        return (
            "each row is a system and each column an item; transpose the table: one row per item, "
            "one column per system"
        )
    named = column.casefold()
    if named in (*_METRICS, "model", "system"):
        what = "metric" if named in _METRICS else named
        return (
            f"one row per {what}, so these are averages, which show no uncertainty; give one row "
            "per item"
        )
    return ""


def for_runs(table: Table) -> str:
    """How to read several rows of one item and system."""
    column = next((table.by_name[name] for name in _RUNS if name in table.by_name), "")
    return (
        f"pass run={column!r} if these are repeated runs"
        if column
        else ("pass run= with the column that numbers repeated runs")
    )


def of_groups(table: Table, item: str | None, columns: Sequence[str]) -> str:
    """Which of some columns group the items, in words; empty if none does."""
    if item is None:
        return ""
    items = _codes(table, item)
    n_items = len(items.distinct)
    for column in columns:
        groups = _codes(table, column)
        n_groups = len(groups.distinct)
        if not _FEWEST <= n_groups <= n_items / 2:
            continue
        group_of_item = np.empty(n_items, dtype=np.int64)
        group_of_item[items.codes] = groups.codes
        if np.array_equal(group_of_item[items.codes], groups.codes):
            return (
                f"; column {column!r} groups {counted(n_items, 'item')} into {n_groups}: if items "
                f"of a group are alike, pass cluster={column!r}"
            )
    return ""


def _codes(table: Table, column: str) -> Coded:
    values: Any = table.columns[column]
    if isinstance(values, Coded):
        return values
    values = values.values if isinstance(values, Numbers) else values
    return coded(values if isinstance(values, np.ndarray) else list(map(str, values)))
