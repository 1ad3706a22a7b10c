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
    if file.head.kind == "list":
        with file.open() as data:
            for row, value in enumerate(listed(data, file.name), start=1):
                yield row, _object(value, file, row)
        return
    with file.open() as lines:
        row = 0
        while line := lines.readline(expanding.MOST_BYTES + 1):
            row += 1
            if len(line) > expanding.MOST_BYTES:
                what = f"is a line of more than {expanding.MOST_BYTES:,} bytes"
                raise problem(file.name, what, row=row)
            if not line.isspace():
                yield row, _object(parsed(line, file.name, row), file, row)


def whole(file: LogFile) -> Any:
    """The one value that a file holds."""
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
    """A whole number, `otherwise` where the value is none."""
    found = number(value)
    return otherwise if found is None or not isfinite(found) else int(found)


def as_dict(value: Any) -> dict[str, Any]:
    """An object, empty where the value is none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, empty where the value is none."""
    return value if isinstance(value, list) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [one for one in as_list(value) if isinstance(one, dict)]


def as_text(value: Any) -> str:
    """A text, empty where the value is none."""
    return value if isinstance(value, str) else ""


def flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings with dotted names; lists as JSON.

    Examples
    --------
    >>> flat({"a": {"b": 1}, "c": [1, 2]})
    {'a.b': 1, 'c': '[1, 2]'}
    """
    found: dict[str, Any] = {}
    for key, one in value.items():
        if isinstance(one, dict):
            found |= flat(one, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = json.dumps(one) if isinstance(one, list) else one
    return found


def parsed(data: bytes, name: str, row: int | None = None) -> Any:
    """The value in some bytes of the file `name`, whose line they are."""
    refuse_crowded(data, name, row)
    try:
        return loads(data)
    except RepeatedKeyError as error:
        raise problem(name, f"the key {error} stands twice in one object", row=row) from None
    except json.JSONDecodeError as error:
        at = row or error.lineno
        what = f"not valid JSON ({error.msg}, character {error.colno}); is the file cut?"
        raise problem(name, what, row=at) from None
    except (UnicodeDecodeError, ValueError) as error:
        raise problem(name, f"not readable as JSON ({unreadable(error)})", row=row) from None
    except RecursionError:
        raise problem(name, "not readable as JSON (nested too deeply)", row=row) from None


def _object(value: Any, file: LogFile, row: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise problem(file.name, "is not a JSON object", row=row, value=value)
    return value
