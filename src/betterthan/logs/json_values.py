"""Values in logs: records of JSON and rows of tables, parts of the right kind, scores, and ids."""

import csv
import io
import json
import math
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from math import isfinite
from operator import itemgetter
from threading import Lock
from typing import Any

from betterthan import names
from betterthan.io import compression
from betterthan.io.compression import refuse_crowded
from betterthan.io.json_records import (
    NOT_READ,
    fields,
    fields_of,
    json_problem,
    listed,
    loads,
    unread_number,
)
from betterthan.io.problems import problem, quoted
from betterthan.logs.sniffing import JSON, LogFile, Preview
from betterthan.text import VANISHES, escaped, vanishes


def objects(value: Any, source: str, role: str) -> list[dict[str, Any]]:
    """A list of objects; none is an empty one.

    Raises
    ------
    ValueError
        If it is anything else; the message names the file and `role`.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise problem(source, f"{role} is no list", value=value)
    for row, element in enumerate(value, start=1):
        if not isinstance(element, dict):
            raise problem(source, f"an entry of {role} is no object", row=row, value=element)
    return value


def to_text(value: Any) -> str:
    """A value as text: a text as it is."""
    return value if isinstance(value, str) else "" if value is None else str(value)


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
        while line := lines.readline(compression.MOST_BYTES + 1):
            row += 1
            if len(line) > compression.MOST_BYTES:
                reason = f"is a line of more than {compression.MOST_BYTES:,} bytes"
                raise problem(file.name, reason, row=row)
            if not line.isspace():
                yield row, _object(parsed(line, file.name, row), file, row)


def fields_in(file: LogFile, lists: frozenset[str]) -> Iterator[tuple[str, Iterable[Any]]]:
    """The fields of the one object in a file, each with its value, those in `lists` with their
    elements, which are to be read before the next field.
    """
    if file.small is not None:
        yield from fields_of(file.small, file.name, lists)
        return
    with file.open() as data:
        for key, group in groupby(fields(data, file.name, lists), itemgetter(0)):
            yield key, (value for _, value in group)


_LIGHT = 2**20  # bytes of a file whose values are not counted


def read_json(file: LogFile) -> Any:
    """Read the one JSON value of a file."""
    if file.small is not None:
        compression.keep_bytes(2 * file.preview.size)
        return file.small
    with file.open() as opened:
        data = opened.read()
    compression.keep_bytes(2 * len(data) + refuse_crowded(data, file.name, light=_LIGHT))
    return parsed(data, file.name)


_NUMBERS = (bool, int, float, str)


def number(value: Any) -> float | None:
    """A score as a number: of a bool, a number, or the digits of one; None of anything else."""
    if not isinstance(value, _NUMBERS):
        return None
    try:
        return None if isinstance(value, str) and vanishes(value) else float(value)
    except (OverflowError, ValueError):
        return None


def count(value: Any, otherwise: int) -> int:
    """Return a whole number, or `otherwise`."""
    parsed_number = number(value)
    return otherwise if parsed_number is None or not isfinite(parsed_number) else int(parsed_number)


def whole(value: Any, otherwise: int, source: str, row: int | None, column: str) -> int:
    """Return a whole number that a tool wrote, `otherwise` where it wrote none.

    Raises
    ------
    ValueError
        If it is anything else; the message names file, row and column.
    """
    if value is None:
        return otherwise
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value)
    reason = "is no whole number, nor null where there is none"
    raise problem(source, reason, row=row, column=column, value=value)


def measured(
    value: Any,
    source: str,
    row: int | None,
    column: str,
    noun: str,
    least: float = -names.SCORE_MAX,
    most: float = names.SCORE_MAX,
) -> float:
    """Return a score of a tool that writes numbers only, NaN where it wrote none.

    Raises
    ------
    ValueError
        If it is no number from `least` to `most`; the message names file, row and column.
    """
    if value is None or value != value:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        reason = f"is no {noun}; one is a number from {least:g} to {most:g}, or null where there is"
        raise problem(source, f"{reason} none", row=row, column=column, value=value)
    return float(value)


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


def column(records: Sequence[dict[Any, Any]], key: Any, default: Any = None) -> list[Any]:
    """The value of a key in each record, the default where it has none.

    Examples
    --------
    >>> column([{"id": 1, "epoch": 2}, {"id": 3}], "epoch")
    [2, None]
    """
    try:
        return list(map(itemgetter(key), records))  # as a rule all have it, or the first has not
    except KeyError:
        return [record.get(key, default) for record in records]


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
        # not msgspec, which takes a third of the time: of a key given twice it keeps the last, it
        # refuses NaN, 1e999, byte order marks and lone surrogates, which tools write, and its
        # errors name no line
        return loads(data)
    except NOT_READ as error:
        number = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
        if row is None and number and isinstance(error, ValueError):
            text = data.decode("utf-8", "replace")
            row = text.count("\n", 0, unread_number(text, error)) + 1
        raise json_problem(error, name, row, "; is the file cut?") from None


def _object(value: Any, file: LogFile, row: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise problem(file.name, "is not a JSON object", row=row, value=value)
    return value


_LONGEST = 2**31 - 1  # of a cell: a trace is longer than csv takes


def preview_columns(preview: Preview) -> tuple[str, ...]:
    """Return the column names, if the first bytes show them; none if it is no table."""
    if preview.kind in JSON:
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
                raise problem(file.name, f"column name {quoted(twice)} occurs twice")
        elif record:
            if len(record) != len(header):
                reason = f"has {len(record)} cells where the header has {len(header)}"
                raise problem(file.name, f"{reason}; is the file cut?", row=start)
            yield start, dict(zip(header, record, strict=True))
        start = reader.line_num + 1


def _delimiter(preview: Preview) -> str:
    return "\t" if preview.lines[0].count("\t") > preview.lines[0].count(",") else ","


_LIMIT = Lock()
_LIMITS: list[int] = []  # before each reader that is open, of whatever thread


@contextmanager
def _long_cells() -> Generator[None]:
    """The limit is one of the process: the last reader to end restores it."""
    with _LIMIT:
        _LIMITS.append(_LIMITS[0] if _LIMITS else csv.field_size_limit(_LONGEST))
    try:
        yield
    finally:
        with _LIMIT:
            before = _LIMITS.pop()
            if not _LIMITS:
                csv.field_size_limit(before)


_BLANK = ("", "nan", "none", "null", "na", "n/a", "<na>")  # as tables write what is not there
_TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}


def parse_score(value: Any, source: str, row: int | None, metric: str) -> float:
    """The score that a tool wrote, NaN where it wrote none.

    A bool, a number, the digits of one, or yes, no, true, false, pass, fail.

    Raises
    ------
    ValueError
        If it is anything else, or infinite; the message names file, row and metric.
    """
    if is_blank(value):
        return math.nan
    if (score := as_score(value)) is None:
        reason = "is no score; a score is a number, true or false, yes or no"
        if isinstance(value, str) and vanishes(value):
            reason = f"is {VANISHES}"
        raise problem(source, reason, row=row, column=metric, value=value)
    if math.isinf(score):
        reason = "is no finite number; a score is finite, or null where there is none"
        raise problem(source, reason, row=row, column=metric, value=value)
    return score


def as_score(value: Any) -> float | None:
    """The number that a value is, or its word stands for; None where it is neither."""
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _TRUTH:
            return _TRUTH[word]
        return number(word) if word.isascii() and "_" not in word else None
    return number(value)


def is_blank(value: Any) -> bool:
    """Whether there is nothing in a cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().casefold() in _BLANK


_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def occurrences(keys: Iterable[Hashable]) -> list[int]:
    """How often each key came before.

    Examples
    --------
    >>> occurrences("abaa")
    [0, 0, 1, 2]
    """
    counts: dict[Hashable, int] = {}
    numbers = []
    for key in keys:
        numbers.append(counts.get(key, 0))
        counts[key] = numbers[-1] + 1
    return numbers


def numbered(name: str, occurrence: int) -> str:
    """A name with its number, from the second on.

    Examples
    --------
    >>> numbered("1+1", 0), numbered("1+1", 1), numbered("1+1", 10)
    ('1+1', '1+1 (2nd)', '1+1 (11th)')
    """
    n = occurrence + 1
    end = "th" if n % 100 in (11, 12, 13) else _SUFFIXES.get(n % 10, "th")
    return name if n == 1 else f"{name} ({n}{end})"


def make_id(text: str, content: bytes) -> str:
    """An id for what has none: its text, cut, and the first of its digest, which tells it apart.

    Examples
    --------
    >>> make_id("1+1", bytes(16))
    '1+1 #000000000000'
    """
    plain = " ".join(escaped(text).split())
    short = plain if len(plain) <= 40 else f"{plain[:37]}..."
    return f"{short} #{content.hex()[:12]}".strip()
