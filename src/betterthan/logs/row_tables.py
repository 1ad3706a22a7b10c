"""Rows that a tool writes for a table: CSV, TSV, JSON Lines or a JSON list."""

import csv
import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from betterthan.io.problems import problem, shown
from betterthan.logs.json_values import records
from betterthan.logs.sniffing import LogFile, Preview

_LONGEST = 2**31 - 1  # of a cell: a trace is longer than csv takes


def preview_columns(preview: Preview) -> tuple[str, ...]:
    """Return the column names, if the first bytes show them; none if it is no table."""
    if preview.kind in ("object", "lines", "list"):
        return tuple(preview.first) if isinstance(preview.first, dict) else ()
    if preview.kind != "text" or not preview.lines:
        return ()
    try:
        header = next(csv.reader(preview.lines, delimiter=_delimiter(preview)), [])
    except csv.Error:
        return ()
    return tuple(name.strip() for name in header)


def table_rows(file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows by name of column, each with its line or place.

    Raises
    ------
    ValueError
        If a row has more or fewer cells than there are columns, or a name is there twice.
    """
    if file.preview.kind != "text":
        yield from records(file)
        return
    with file.open() as data, _long_cells():
        text = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=_delimiter(file.preview), strict=True)
        try:
            yield from _by_name(reader, file)
        except csv.Error as error:
            reason = f"not readable as CSV ({error}); is the file cut?"
            raise problem(file.name, reason, row=reader.line_num) from None
        except UnicodeDecodeError:
            reason = "not UTF-8; save the file as UTF-8"
            raise problem(file.name, reason, row=reader.line_num + 1) from None


def _by_name(reader: Any, file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    header: list[str] = []
    start = 1
    for record in reader:
        if not header:
            header = [name.strip() for name in record]
            twice = next((name for name in header if header.count(name) > 1), None)
            if twice is not None:
                raise problem(file.name, f"column name {shown(twice)} occurs twice")
        elif record:
            if len(record) != len(header):
                reason = f"has {len(record)} cells where the header has {len(header)}"
                raise problem(file.name, f"{reason}; is the file cut?", row=start)
            yield start, dict(zip(header, record, strict=True))
        start = reader.line_num + 1


def _delimiter(preview: Preview) -> str:
    return "\t" if preview.lines[0].count("\t") > preview.lines[0].count(",") else ","


@contextmanager
def _long_cells() -> Generator[None]:
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
