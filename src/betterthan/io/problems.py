"""Word errors of bad input: where it is, and what is wrong."""

from typing import Any

_LONGEST = 60  # characters of a value shown in a message
_NOTHING = object()


def problem(
    source: str, reason: str, *, row: Any = None, column: str | None = None, value: Any = _NOTHING
) -> ValueError:
    """A one-line error: the source, the row, column and value where they apply, and what is wrong
    there.
    """
    where = [printable(source)]
    if row is not None:
        where.append(f"row {row}")
    if column is not None:
        where.append(f"column {quoted(column)}")
    if value is not _NOTHING:
        where.append(f"value {quoted(value)}")
    return ValueError(printable(" ".join(f"{', '.join(where)}: {reason}".splitlines())))


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
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode()
        for c in text
    )


def quoted(value: Any) -> str:
    """The value as it stands in a message: quoted, on one line, not too long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def listed(values: Any, most: int = 8) -> str:
    """Names in a row for a message, cut after the first few."""
    values = list(values)
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(quoted(value) for value in values[:most]) + more


def counted(n: int, noun: str) -> str:
    """A number with its noun: 1 item, 2 items."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
