"""Tables that are almost right: which column is what, which words are scores, how numbers are
written.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betterthan.io.cells import holds_numbers
from betterthan.io.layouts import ALIASES, find
from betterthan.io.problems import listed, problem
from betterthan.io.table import Table
from betterthan.text import stripped

_POINT = re.compile(r"[+-]?[\d.,]*\.[\d.,]*%?")  # 1.200 may be 1200, or 1.2
_COORDINATES = ("dataset", "cluster", "epoch", "judge")


@dataclass(frozen=True)
class Columns:
    """What the columns and cells of a table mean, where their names do not say it.

    Attributes
    ----------
    item, system, score : str, optional
        Columns.
    ignore : tuple of str
        Columns that nothing is read from.
    true, false : tuple of str
        Words that are 1 and 0.
    percent : bool
        Whether scores are per cent.
    decimal : {".", ","}
    sep : str, optional
        What stands between cells of CSV.
    """

    item: str | None = None
    system: str | None = None
    score: str | None = None
    ignore: tuple[str, ...] = ()
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    percent: bool = False
    decimal: str = "."
    sep: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise ValueError(f"decimal is {self.decimal!r}; give '.' or ','")
        if self.sep is not None and len(self.sep) != 1:
            raise ValueError(f"sep is {self.sep!r}; give one character, such as ';'")
        both = {w.casefold() for w in self.true} & {w.casefold() for w in self.false}
        if both:
            raise ValueError(f"{sorted(both)[0]!r} is both true and false; give it to one of them")


def words(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """One word or several, as a tuple."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def applied(table: Table, columns_told: Columns) -> Table:
    """The table as it would have been written with the usual names, words and numbers.

    Raises
    ------
    ValueError
        If there is no such column, or no cell is a word of `true` or `false`.
    """
    if columns_told == Columns(sep=columns_told.sep):
        return table
    table = _renamed(table, columns_told)
    if not (
        columns_told.true
        or columns_told.false
        or columns_told.percent
        or columns_told.decimal == ","
    ):
        return table
    plain = [role for role in ("item", "system", "gold", *_COORDINATES) if find(table, role)]
    unscored = {find(table, role) for role in plain}
    met: set[str] = set()
    columns = {
        name: values if name in unscored else _scored(table, name, values, columns_told, met)
        for name, values in table.columns.items()
    }
    absent = [w for w in (*columns_told.true, *columns_told.false) if w.casefold() not in met]
    if (columns_told.true or columns_told.false) and not met:
        raise problem(table.source, f"no cell holds {listed(absent)}; check the words")
    return replace(table, columns=columns)


def _renamed(table: Table, spec: Columns) -> Table:
    """Rename the specified columns to the known names, and drop the ignored ones."""
    new = {old: role for role in ("item", "system", "score") if (old := getattr(spec, role))}
    for name in (*new, *spec.ignore):
        if name not in table.columns:
            raise problem(table.source, f"has no column {name!r} among {listed(table.columns)}")
    aliases = {alias for role in new.values() for alias in ALIASES[role]}
    columns = {}
    for name, values in table.columns.items():
        if name in spec.ignore or (name not in new and name.casefold() in aliases):
            continue  # another column of that name is not what was meant
        columns[new.get(name, name)] = values
    if spec.score and not spec.system and find(table, "system") is None:
        needed = {"score", *(find(table, role) for role in ("item", *_COORDINATES)), "item"}
        columns = {name: values for name, values in columns.items() if name in needed}
    return replace(table, columns=columns)


def _scored(table: Table, name: str, values: Any, spec: Columns, met: set[str]) -> Any:
    """Convert words, and numbers of another notation, to numbers."""
    if isinstance(values, np.ndarray):
        return values / 100 if spec.percent and values.dtype.kind in "iuf" else values
    value_by_word = dict.fromkeys((w.casefold() for w in spec.true), 1.0)
    value_by_word |= dict.fromkeys((w.casefold() for w in spec.false), 0.0)
    cells = []
    for k, value in enumerate(values):
        word = stripped(value) if isinstance(value, str) else value
        if isinstance(word, str) and word.casefold() in value_by_word:
            met.add(word.casefold())
            cells.append(value_by_word[word.casefold()])
            continue
        if spec.decimal == "," and isinstance(word, str) and _POINT.fullmatch(word):
            reason = "a point where the decimal sign is a comma; write the number without it"
            raise problem(table.source, reason, row=table.rows[k], column=name, value=value)
        cells.append(_number(word, spec))
    changed = replace(table, columns={name: cells})
    return cells if holds_numbers(changed, name) or cells != list(values) else values


def _number(word: Any, spec: Columns) -> Any:
    """Convert a cell with a decimal comma or a percentage to a number; leave others as they are."""
    if isinstance(word, bool) or word is None:
        return word
    text = str(word)
    if spec.decimal == ",":
        text = text.replace(",", ".")
    if spec.percent:
        text = text.removesuffix("%").strip()
    try:
        number = float(text)
    except ValueError:
        return word
    return number / 100 if spec.percent else number
