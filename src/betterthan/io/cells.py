"""Cells to text, names and numbers, whole columns at a time; nothing is guessed and nothing
repaired.
"""

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from betterthan import names
from betterthan.io.problems import quoted, warn
from betterthan.io.table import Table
from betterthan.io.texts import (
    Coded,
    FirstRows,
    Numbers,
    Texts,
    as_coded,
    coded,
    joined,
    plain_numbers,
    text_blocks,
)
from betterthan.text import VANISHES, any_flaw, flaw, stripped, vanishes

# In a column of numbers only: elsewhere any of these may be somebody's name or label.
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
_NESTED = (dict, list, set, tuple, np.ndarray)
_BOOLEAN = {"true": 1.0, "false": 0.0}
_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE
)

_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


def read_once(table: Table, column: str, read: Callable[[Table, str], Sequence[str]]) -> Coded:
    """What `read` makes of a column; of a text file it reads each distinct cell once, in the row
    where it first occurs.
    """
    if (cells := as_coded(table.columns[column])) is None:
        return coded(read(table, column))
    values = read(_distinct(table, column, cells), column)
    if values is cells.distinct or values == cells.distinct:  # as a rule
        return cells
    recoded = coded(values)
    return Coded(recoded.distinct, recoded.codes[cells.codes])


def _distinct(table: Table, column: str, cells: Coded) -> Table:
    """The table of the first rows of the distinct cells of a column."""
    return Table(table.source, {column: cells.distinct}, FirstRows(cells, table.rows))


def texts(table: Table, column: str) -> Sequence[str]:
    """The cells as names and labels, exactly as written; what is missing is empty."""
    written = as_written(table, column)
    if any(map(any_flaw, joined(written))):
        k = next(k for k, text in enumerate(written) if flaw(text))
        raise table.cell_problem(k, column, flaw(written[k]))
    return written


def as_written(table: Table, column: str) -> Sequence[str]:
    """The cells as text, whatever they hold; what is missing is empty."""
    values = table.columns[column]
    if isinstance(values, Texts):
        return values
    values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if set(map(type, values)) == {str}:  # as a rule, and told in a third of the time
        return values
    return [
        value if type(value) is str else _checked_text(table, column, k)
        for k, value in enumerate(values)
    ]


def labels(table: Table, column: str, requirement: str) -> Sequence[str]:
    """The cells as text, none of them blank."""
    return _none_blank(table, column, texts(table, column), requirement)


def gold(table: Table, column: str) -> Sequence[str]:
    """The cells as right answers, none of them blank."""
    return labels(table, column, "each item its right answer")


def predictions(table: Table, column: str) -> Sequence[str]:
    """The cells as text; one that holds blanks alone is blank."""
    written = texts(table, column)
    if not any(any(map(str.isspace, block)) for block in text_blocks(written)):
        return written
    return ["" if text.isspace() else text for text in written]


def system_names(table: Table, column: str) -> list[str]:
    """The cells as names of systems, without the spaces around them; none of them blank."""
    written = texts(table, column)
    stripped = [text.strip() for text in written]
    _tell_merged(table, column, written)
    return _none_blank(table, column, stripped, "the name of a system")


def _tell_merged(table: Table, column: str, written: Sequence[str]) -> None:
    """Warn of names that are one system once the spaces around them are gone."""
    first: dict[str, str] = {}
    for name in dict.fromkeys(written):
        first_name = first.setdefault(name.strip(), name)
        if first_name != name and name.strip():
            reason = f"{quoted(first_name)} and {quoted(name)} are read as one system"
            return warn(table.source, reason, column=column)


def numbers(table: Table, column: str, if_text: Callable[[], str] | None = None) -> np.ndarray:
    """The cells as finite float64; what is missing is NaN. `if_text` gives the reason where no
    cell is a number.
    """
    values = table.columns[column]
    if isinstance(values, Numbers):
        return values.values
    if isinstance(values, Coded):
        return numbers(_distinct(table, column, values), column, if_text)[values.codes]
    array = values.astype(np.float64) if isinstance(values, np.ndarray) else plain_numbers(values)
    if array is None:
        array = _mixed_numbers(table, column, if_text)
    reason = "infinite; give a finite number, or leave it blank where it is missing"
    table.refuse_first(np.isinf(array), column, reason)
    return array


def scores(table: Table, column: str, if_text: Callable[[], str] | None = None) -> np.ndarray:
    """The same, refusing numbers too large to compute with and whole ones that would be rounded."""
    array = numbers(table, column, if_text)
    size = np.abs(array)
    if (size >= names.EXACT).any():  # as good as never
        reason = f"too large to compute with; give at most {names.SCORE_MAX:g} in size"
        table.refuse_first(size > names.SCORE_MAX, column, reason)
        refuse_inexact(table, column, array, of="a whole number", floats=False)
    return array


def whole_numbers(table: Table, column: str) -> np.ndarray:
    """The cells as counts, int64 of at least 0; none of them missing."""
    array = numbers(table, column)
    refuse_inexact(table, column, array)
    for bad, requirement in (
        (np.isnan(array), "blank; give a whole number of at least 0"),
        (array < 0, "negative; a count is at least 0"),
        (array != np.floor(array), "not whole; a count is a whole number"),
    ):
        table.refuse_first(bad, column, requirement)
    return array.astype(np.int64)


def refuse_inexact(
    table: Table, column: str, array: np.ndarray, of: str = "a count", *, floats: bool = True
) -> None:
    """Refuse numbers so large that a float may be of several whole numbers, as they are written;
    not of `floats` those that are written as such.
    """
    for k in np.flatnonzero(np.abs(array) >= names.EXACT).tolist():
        value = _plain(table.columns[column][k])
        if not floats and _WHOLE.fullmatch(str(value)) is None:
            continue
        exact = Decimal(value) if isinstance(value, str) else value
        if abs(exact) > names.EXACT or isinstance(value, float):
            reason = f"too large to be exact; {of} is at most {names.EXACT:,} in size"
            raise table.cell_problem(k, column, reason)


def holds_numbers(table: Table, column: str) -> bool:
    """Whether every cell is a number or missing, and at least one is a number."""
    values = table.columns[column]
    if isinstance(values, np.ndarray):
        return True
    if isinstance(values, Numbers):
        return not np.isnan(values.values).all()
    try:
        distinct = values.distinct if isinstance(values, Coded) else set(values)
    except TypeError:
        return False
    some = False
    for number in map(_parse, distinct):
        if number is None:  # most often the first cell tells
            return False
        some = some or not math.isnan(number)
    return some


def _mixed_numbers(table: Table, column: str, if_text: Callable[[], str] | None) -> np.ndarray:
    """The cells one distinct value at a time: with blanks, true and false, or with what is no
    number.
    """
    values = table.columns[column]
    try:
        parsed = {value: _parse(value) for value in set(values)}
    except TypeError:
        k = next(k for k, value in enumerate(values) if isinstance(value, _NESTED))
        raise _nested(table, column, k) from None
    if None in parsed.values():
        k = next(k for k, value in enumerate(values) if parsed[value] is None)
        what = "not a number; give a number, or leave it blank where it is missing"
        if if_text and all(number is None or math.isnan(number) for number in parsed.values()):
            what = if_text() or what
        raise table.cell_problem(k, column, what)
    small = {v for v, number in parsed.items() if number == 0 and type(v) is str and vanishes(v)}
    if small:
        k = next(k for k, value in enumerate(values) if value in small)
        raise table.cell_problem(k, column, VANISHES)
    _refuse_words_among_numbers(table, column, values)
    return np.array([parsed[value] for value in values], dtype=np.float64)


def _refuse_words_among_numbers(table: Table, column: str, values: Sequence[Any]) -> None:
    """Refuse true and false next to other numbers than 0 and 1: they are no 1 and 0 there."""
    distinct = [value for _, value in dict.fromkeys((type(v), v) for v in values)]
    others = [value for value in distinct if not is_word(value) and _is_other(_parse(value))]
    if others and any(map(is_word, distinct)):
        k = next(k for k, value in enumerate(values) if is_word(value))
        reason = f"true or false in a column that holds {quoted(others[0])} too"
        reason += "; give numbers alone, or true and false alone"
        raise table.cell_problem(k, column, reason)


def is_word(value: Any) -> bool:
    """Whether a cell is true or false, by its type or as a word."""
    if isinstance(value, str):
        return value.strip().casefold() in _BOOLEAN
    return isinstance(value, bool | np.bool_)


def _is_other(number: float | None) -> bool:
    """Whether this is a number, but neither 0 nor 1."""
    return number is not None and not math.isnan(number) and number not in (0, 1)


def means_missing(text: str) -> bool:
    """Whether a cell of a column of numbers would be missing."""
    return stripped(text).casefold() in _MISSING


def _parse(value: Any) -> float | None:
    if isinstance(value, str):
        word = stripped(value)
        if means_missing(value):
            return math.nan
        return float(word) if _NUMBER.fullmatch(word) else _BOOLEAN.get(word.casefold())
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return None


def plain_text(value: Any) -> str:
    """A number as it would be typed: a frame that turned 7 into 7.0 must still match the id 7."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def _checked_text(table: Table, column: str, k: int) -> str:
    value = _plain(table.columns[column][k])
    if isinstance(value, _NESTED):
        raise _nested(table, column, k)
    if isinstance(value, float) and abs(value) >= names.EXACT:
        reason = "a float too large to be a name exactly; give it as text, or as a whole number"
        raise table.cell_problem(k, column, reason)
    return plain_text(value)


def _nested(table: Table, column: str, k: int) -> ValueError:
    reason = "a list or an object; give one number or one text in each cell"
    return table.cell_problem(k, column, reason)


def _none_blank[T: Sequence[str]](table: Table, column: str, values: T, requirement: str) -> T:
    """Return the values; refuse a blank one."""
    if all(all(map(str.strip, block)) for block in text_blocks(values)):
        return values
    blank = next(k for k, value in enumerate(values) if not value.strip())
    raise table.cell_problem(blank, column, f"blank; give {requirement}", values)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
