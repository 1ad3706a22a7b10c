"""JSON Lines (one object a line) and JSON (a list of objects), row by row into columns."""

import codecs
import io
import json
from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

from betterthan.io.elements import Window, elements
from betterthan.io.expanding import refuse_crowded
from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table, refuse_large
from betterthan.io.unique_keys import RepeatedKeyError, unique_keys, unreadable

_decode = json.JSONDecoder(object_pairs_hook=unique_keys).decode
_BLOCK = 512  # records that are put into columns together


def parse_json_lines(data: bytes, source: str) -> Table:
    """The table in JSON Lines in UTF-8; rows are numbered by line."""
    columns, rows = _Columns(source), array("q")
    lines = io.BytesIO(data)
    lines.seek(len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    for row, line in enumerate(lines, start=1):
        if not line.isspace() and (text := line.decode()).strip():
            refuse_crowded(line, source, row)
            columns.add(value_of(text, source, row), row)
            rows.append(row)
    return columns.table(rows)


def parse_json(data: bytes, source: str) -> Table:
    """The table in a JSON list of objects in UTF-8; rows are numbered by object, from 1."""
    columns, window = _Columns(source), Window(io.BytesIO(data), source)
    if window.next() and not window.skip("["):
        window.value()
        window.end()
        reason = "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        raise problem(source, reason)
    for row, record in enumerate(elements(window) if window.next() else (), start=1):
        columns.add(record, row)
    window.end()
    return columns.table(range(1, columns.size + 1))


class _Columns:
    """The cells of records by their keys; one that a record lacks is a blank cell."""

    def __init__(self, source: str) -> None:
        self._source, self.size = source, 0
        self._last: list[dict[str, Any]] = []  # that are in no column yet
        self._begin: dict[str, int] = {}
        self._cells: dict[str, list[Any]] = {}

    def add(self, record: Any, row: int) -> None:
        """Add a record, which must be an object."""
        if not isinstance(record, dict):
            reason = "is not an object; give {column: value, ...}"
            raise problem(self._source, reason, row=row, value=record)
        self._last.append(record)
        self.size += 1
        if len(self._last) == _BLOCK:
            self._put()

    def _put(self) -> None:
        """Put the last records into columns."""
        records, self._last = self._last, []
        done = self.size - len(records)
        for key in dict.fromkeys(chain.from_iterable(records)):
            begin, cells = self._begin.setdefault(key, done), self._cells.setdefault(key, [])
            if lacking := done - begin - len(cells):
                self._refuse_large()
                cells += [None] * lacking
            cells += [record.get(key) for record in records]

    def table(self, rows: Sequence[int]) -> Table:
        """All of them; `rows` are the numbers of their rows."""
        if not self.size:
            reason = "is empty; give one object for each item, pair or vote"
            raise problem(self._source, reason)
        self._put()
        self._refuse_large()
        for key, cells in self._cells.items():
            if begin := self._begin[key]:
                cells[:0] = [None] * begin
            cells += [None] * (self.size - len(cells))
        return make_table(self._source, list(self._cells), list(self._cells.values()), rows)

    def _refuse_large(self) -> None:
        refuse_large(self._source, objects=self.size, keys=len(self._cells))


def value_of(text: str, source: str, row: int | None) -> Any:
    """The value in a text of JSON; what is wrong with it is said with its row."""
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        reason = f"not valid JSON ({error.msg}, character {error.colno})"
        raise problem(source, reason, row=row or error.lineno) from None
    except RepeatedKeyError as error:
        raise problem(source, f"the key {error} occurs twice in one object", row=row) from None
    except ValueError as error:  # a number of more digits than Python reads
        raise problem(source, f"not readable as JSON ({unreadable(error)})", row=row) from None
    except RecursionError:
        raise problem(source, "not readable as JSON (nested too deeply)", row=row) from None
