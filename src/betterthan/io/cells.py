"""Cells to text, names and numbers, whole columns at a time; nothing is guessed and nothing
repaired.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.io.problems import problem
from betterthan.io.table import Table

# In a column of numbers only: elsewhere any of these may be somebody's name or label.
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
_NESTED = (dict, list, set, tuple, np.ndarray)
_BOOLEAN = {"true": 1.0, "false": 0.0}
_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE
)
_EXACT = 2**53  # beyond this a float no longer tells whole numbers apart


def texts(table: Table, column: str) -> list[str]:
    """The cells as text, exactly as written; what is missing is empty."""
    values = table.columns[column]
    if isinstance(values, np.ndarray):
        return [plain_text(value) for value in values.tolist()]
    return [
        value if type(value) is str else _checked_text(table, column, k)
        for k, value in enumerate(values)
    ]


def labels(table: Table, column: str, what: str) -> list[str]:
    """The cells as text, none of them blank."""
    return _none_blank(table, column, texts(table, column), what)


def system_names(table: Table, column: str) -> list[str]:
    """The cells as names of systems, without the spaces around them; none of them blank."""
    stripped = [text.strip() for text in texts(table, column)]
    return _none_blank(table, column, stripped, "the name of a system")


def numbers(table: Table, column: str, if_text: str = "") -> np.ndarray:
    """The cells as finite float64; what is missing is NaN. `if_text` is said where no cell is a
    number.
    """
    values = table.columns[column]
    array = values.astype(np.float64) if isinstance(values, np.ndarray) else _plain_numbers(values)
    if array is None:
        array = _mixed_numbers(table, column, if_text)
    infinite = np.isinf(array)
    if infinite.any():
        k = int(infinite.argmax())
        what = "infinite; give a finite number, or leave it blank where it is missing"
        raise problem(table.source, what, row=table.rows[k], column=column, value=_plain(values[k]))
    return array


def whole_numbers(table: Table, column: str) -> np.ndarray:
    """The cells as counts, int64 of at least 0; none of them missing."""
    array = numbers(table, column)
    for bad, what in (
        (np.isnan(array), "blank; give a whole number of at least 0"),
        (array < 0, "negative; a count is at least 0"),
        (array != np.floor(array), "not whole; a count is a whole number"),
        (array > _EXACT, "too large for a count"),
    ):
        if bad.any():
            k = int(bad.argmax())
            value = _plain(table.columns[column][k])
            raise problem(table.source, what, row=table.rows[k], column=column, value=value)
    return array.astype(np.int64)


def holds_numbers(table: Table, column: str) -> bool:
    """Whether every cell is a number or missing, and at least one is a number."""
    values = table.columns[column]
    if isinstance(values, np.ndarray):
        return True
    try:
        parsed = [_parse(value) for value in set(values)]
    except TypeError:
        return False
    return None not in parsed and any(not math.isnan(number or 0) for number in parsed)


def _plain_numbers(values: Sequence[Any]) -> np.ndarray | None:
    """The cells of a column of text at once, or None where some are not plainly numbers."""
    try:
        text = "".join(values)
        array = np.array(list(map(float, values)), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    # float() takes 1_000 and digits of other scripts; nobody types those as scores.
    return array if text.isascii() and "_" not in text else None


def _mixed_numbers(table: Table, column: str, if_text: str) -> np.ndarray:
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
            what = if_text
        raise problem(table.source, what, row=table.rows[k], column=column, value=values[k])
    return np.array([parsed[value] for value in values], dtype=np.float64)


def _parse(value: Any) -> float | None:
    if isinstance(value, str):
        word = value.strip()
        if word.casefold() in _MISSING:
            return math.nan
        if _NUMBER.fullmatch(word):
            return float(word)
        return _BOOLEAN.get(word.casefold())
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
    value = table.columns[column][k]
    if isinstance(value, _NESTED):
        raise _nested(table, column, k)
    return plain_text(value)


def _nested(table: Table, column: str, k: int) -> ValueError:
    what = "a list or an object; give one number or one text in each cell"
    return problem(
        table.source, what, row=table.rows[k], column=column, value=table.columns[column][k]
    )


def _none_blank(table: Table, column: str, values: list[str], what: str) -> list[str]:
    if "" in values:
        k = values.index("")
        raise problem(
            table.source, f"blank; give {what}", row=table.rows[k], column=column, value=""
        )
    return values


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
