"""Tables that are almost right: which column is what, which words are scores, how numbers are
written.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betterthan.io.cells import holds_numbers
from betterthan.io.problems import listed, problem
from betterthan.io.roles import ALIASES, find
from betterthan.io.table import Table
from betterthan.text import stripped

_POINT = re.compile(r"[+-]?[\d.,]*\.[\d.,]*%?")  # 1.200 may be 1200, or 1.2
_BESIDE = ("dataset", "cluster", "epoch", "judge")


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


def applied(table: Table, told: Columns) -> Table:
    """The table as it would have been written with the usual names, words and numbers.

    Raises
    ------
    ValueError
        If there is no such column, or no cell is a word of `true` or `false`.
    """
    if told == Columns(sep=told.sep):
        return table
    table = _renamed(table, told)
    if not (told.true or told.false or told.percent or told.decimal == ","):
        return table
    plain = [role for role in ("item", "system", "gold", *_BESIDE) if find(table, role)]
    kept = {find(table, role) for role in plain}
    met: set[str] = set()
    columns = {
        name: values if name in kept else _scored(table, name, values, told, met)
        for name, values in table.columns.items()
    }
    absent = [w for w in (*told.true, *told.false) if w.casefold() not in met]
    if (told.true or told.false) and not met:
        raise problem(table.source, f"no cell holds {listed(absent)}; check the words")
    return replace(table, columns=columns)


def _renamed(table: Table, told: Columns) -> Table:
    """With the columns that were named under the names that are known, without the ignored."""
    new = {old: role for role in ("item", "system", "score") if (old := getattr(told, role))}
    for name in (*new, *told.ignore):
        if name not in table.columns:
            raise problem(table.source, f"has no column {name!r} among {listed(table.columns)}")
    known = {alias for role in new.values() for alias in ALIASES[role]}
    columns = {}
    for name, values in table.columns.items():
        if name in told.ignore or (name not in new and name.casefold() in known):
            continue  # another column of that name is not what was meant
        columns[new.get(name, name)] = values
    if told.score and not told.system and find(table, "system") is None:
        kept = {"score", *(find(table, role) for role in ("item", *_BESIDE)), "item"}
        columns = {name: values for name, values in columns.items() if name in kept}
    return replace(table, columns=columns)


def _scored(table: Table, name: str, values: Any, told: Columns, met: set[str]) -> Any:
    """Cells as numbers where they are words or numbers of another writing, else as they are."""
    if isinstance(values, np.ndarray):
        return values / 100 if told.percent and values.dtype.kind in "iuf" else values
    of_word = dict.fromkeys((w.casefold() for w in told.true), 1.0)
    of_word |= dict.fromkeys((w.casefold() for w in told.false), 0.0)
    found = []
    for k, value in enumerate(values):
        word = stripped(value) if isinstance(value, str) else value
        if isinstance(word, str) and word.casefold() in of_word:
            met.add(word.casefold())
            found.append(of_word[word.casefold()])
            continue
        if told.decimal == "," and isinstance(word, str) and _POINT.fullmatch(word):
            what = "a point where the decimal sign is a comma; write the number without it"
            raise problem(table.source, what, row=table.rows[k], column=name, value=value)
        found.append(_number(word, told))
    changed = replace(table, columns={name: found})
    return found if holds_numbers(changed, name) or found != list(values) else values


def _number(word: Any, told: Columns) -> Any:
    """A cell with a decimal comma or per cent as a number, anything else as it is."""
    if isinstance(word, bool) or word is None:
        return word
    text = str(word)
    if told.decimal == ",":
        text = text.replace(",", ".")
    if told.percent:
        text = text.removesuffix("%").strip()
    try:
        number = float(text)
    except ValueError:
        return word
    return number / 100 if told.percent else number
