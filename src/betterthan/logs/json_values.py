"""JSON of logs: records one by one, or a whole value. NaN and Infinity are read, as tools write
them.
"""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

from betterthan.io import expanding
from betterthan.io.elements import listed
from betterthan.io.expanding import refuse_crowded
from betterthan.io.problems import problem
from betterthan.io.unique_keys import RepeatedKeyError, loads, unreadable
from betterthan.logs.heads import LogFile


def records(file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines, of a list, or the only one; each with its line or place, from 1.

    Raises
    ------
    ValueError
        If a line is no JSON object; the message names file and line.
    """
    if file.preview.kind == "list":
        with file.open() as data:
            for row, value in enumerate(listed(data, file.name), start=1):
                yield row, _object(value, file, row)
        return
    with file.open() as lines:
        row = 0
        while line := lines.readline(expanding.MOST_BYTES + 1):
            row += 1
            if len(line) > expanding.MOST_BYTES:
                reason = f"is a line of more than {expanding.MOST_BYTES:,} bytes"
                raise problem(file.name, reason, row=row)
            if not line.isspace():
                yield row, _object(parsed(line, file.name, row), file, row)


def read_json(file: LogFile) -> Any:
    """Read the one JSON value of a file."""
    with file.open() as data:
        return parsed(data.read(), file.name)


def number(value: Any) -> float | None:
    """A score as a number: of a bool, a number, or the digits of one; None of anything else."""
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def count(value: Any, otherwise: int) -> int:
    """Return a whole number, or `otherwise`."""
    parsed_number = number(value)
    return otherwise if parsed_number is None or not isfinite(parsed_number) else int(parsed_number)


def as_dict(value: Any) -> dict[str, Any]:
    """An object, empty where the value is none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, empty where the value is none."""
    return value if isinstance(value, list) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [element for element in as_list(value) if isinstance(element, dict)]


def as_text(value: Any) -> str:
    """A text, empty where the value is none."""
    return value if isinstance(value, str) else ""


def flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten settings to dotted names; lists become JSON.

    Examples
    --------
    >>> flat({"a": {"b": 1}, "c": [1, 2]})
    {'a.b': 1, 'c': '[1, 2]'}
    """
    settings: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            settings |= flat(item, f"{prefix}{key}.")
        else:
            settings[f"{prefix}{key}"] = json.dumps(item) if isinstance(item, list) else item
    return settings


def parsed(data: bytes, name: str, row: int | None = None) -> Any:
    """The value in some bytes of the file `name`, whose line they are."""
    refuse_crowded(data, name, row)
    try:
        return loads(data)
    except RepeatedKeyError as error:
        raise problem(name, f"the key {error} stands twice in one object", row=row) from None
    except json.JSONDecodeError as error:
        line_number = row or error.lineno
        reason = f"not valid JSON ({error.msg}, character {error.colno}); is the file cut?"
        raise problem(name, reason, row=line_number) from None
    except (UnicodeDecodeError, ValueError) as error:
        raise problem(name, f"not readable as JSON ({unreadable(error)})", row=row) from None
    except RecursionError:
        raise problem(name, "not readable as JSON (nested too deeply)", row=row) from None


def _object(value: Any, file: LogFile, row: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise problem(file.name, "is not a JSON object", row=row, value=value)
    return value
