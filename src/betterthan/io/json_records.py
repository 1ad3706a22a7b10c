"""JSON Lines (one object a line) and JSON (a list of objects)."""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from betterthan.io.problems import problem, shown
from betterthan.io.table import Table, make_table, refuse_large


def parse_json_lines(text: str, source: str) -> Table:
    """The table in JSON Lines text; rows are numbered by line."""
    records: list[dict[str, Any]] = []
    rows: list[int] = []
    for row, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            records.append(_object(value_of(line, source, row), source, row))
            rows.append(row)
    return _from_records(records, rows, source)


def parse_json(text: str, source: str) -> Table:
    """The table in a JSON list of objects; rows are numbered by object, from 1."""
    content = value_of(text, source, None) if text.strip() else []
    if not isinstance(content, list):
        raise problem(
            source, "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        )
    rows = range(1, len(content) + 1)
    records = [_object(record, source, row) for record, row in zip(content, rows, strict=True)]
    return _from_records(records, rows, source)


def _from_records(records: list[dict[str, Any]], rows: Sequence[int], source: str) -> Table:
    if not records:
        raise problem(source, "is empty; give one object for each item, pair or vote")
    header = list(dict.fromkeys(key for record in records for key in record))
    refuse_large(source, objects=len(records), keys=len(header))
    # A key that an object lacks is a blank cell.
    columns = [[record.get(key) for record in records] for key in header]
    return make_table(source, header, columns, rows)


def value_of(text: str, source: str, row: int | None) -> Any:
    """The value in a text of JSON; what is wrong with it is said with its row."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        at = row or error.lineno
        raise problem(
            source, f"not valid JSON ({error.msg}, character {error.colno})", row=at
        ) from None
    except RepeatedKeyError as error:
        raise problem(source, f"the key {error} occurs twice in one object", row=row) from None
    except ValueError as error:  # a number of more digits than Python reads
        at = row or _row_of_digits(text)
        raise problem(source, f"not readable as JSON ({unreadable(error)})", row=at) from None
    except RecursionError:
        raise problem(source, "not readable as JSON (nested too deeply)", row=row) from None


def unreadable(error: ValueError) -> str:
    """Why valid JSON cannot be read, without advice for programmers."""
    if "int_max_str_digits" in str(error):
        return f"a number of more than {sys.get_int_max_str_digits():,} digits"
    return getattr(error, "reason", str(error))


def _row_of_digits(text: str) -> int | None:
    """The line of the first number of more digits than Python reads."""
    found = re.search(rf"\d{{{sys.get_int_max_str_digits() + 1}}}", text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


class RepeatedKeyError(Exception):
    """A key occurs twice in one object; json alone would keep the last."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key was given twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(shown(next(key for key in keys if keys.count(key) > 1)))
    return record


def _object(record: Any, source: str, row: int) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise problem(source, "is not an object; give {column: value, ...}", row=row, value=record)
    return record
