"""Word errors of bad input: where it is, and what is wrong."""

import warnings
from collections.abc import Iterable
from typing import Any

from betterthan import names
from betterthan.text import may_print, quoted

_LONGEST = 200  # characters of the name of a file
_NAMED = 8  # names of a list
_NOTHING = object()


def problem(
    source: str, reason: str, *, row: Any = None, column: str | None = None, value: Any = _NOTHING
) -> ValueError:
    """A one-line error: the source, the row, column and value where they apply, and what is wrong
    there.
    """
    where = [in_short(source)]
    if row is not None:
        where.append(f"row {row}")
    if column is not None:
        where.append(f"column {quoted(column)}")
    if value is not _NOTHING:
        where.append(f"value {quoted(value)}")
    return ValueError(printable(" ".join(f"{', '.join(where)}: {reason}".splitlines())))


def warn(source: str, reason: str, **where: Any) -> None:
    """Warn in the words of `problem` of what may be wrong, and is read all the same."""
    message = str(problem(source, reason, **where))
    warnings.warn(message, UserWarning, skip_file_prefixes=names.PACKAGE)


def in_short(source: str) -> str:
    """The name of a file as it stands in a message: printable, and not too long."""
    return printable(source if len(source) <= _LONGEST else f"{source[:_LONGEST]}...")


def printable(text: str) -> str:
    r"""Text on one line without what a terminal would act on, such as a name of a file.

    Examples
    --------
    >>> printable("\x1b[31mred.csv")
    '\\x1b[31mred.csv'
    """
    if text.isprintable():
        return text
    return "".join(
        c if may_print(c) else " " if c.isspace() else c.encode("unicode_escape").decode()
        for c in text
    )


def listed(values: Any, most: int = 8) -> str:
    """Names in a row for a message, cut after the first few."""
    values = list(values)
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(quoted(value) for value in values[:most]) + more


def in_python(values: Any) -> str:
    """Names as Python has them, one by itself or as a list, cut after the first few."""
    values = list(values)
    if len(values) == 1:
        return quoted(values[0])
    more = ", ..." if values[_NAMED:] else ""
    return f"[{', '.join(map(quoted, values[:_NAMED]))}{more}]"


def require_columns(table: Any, columns: Iterable[Any]) -> None:
    """Refuse a DataFrame that lacks one of the columns."""
    for column in columns:
        if not isinstance(column, str) or column not in table.columns:
            raise ValueError(f"there is no column {quoted(column)} among {listed(table.columns)}")


def counted(n: int, noun: str) -> str:
    """A number with its noun: 1 item, 2 items."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
