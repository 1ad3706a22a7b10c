"""What a baseline file must hold: the keys of its header, the keys of each run, and its columns.

The schema is what `accepting` writes, so that every other file is refused with the place that is
wrong; whether a file that fits was edited is what its digest answers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from betterthan.io.problems import problem, shown
from betterthan.io.table import Table
from betterthan.logs.record import OK, STATES, STATUSES

KINDS = TABLE, LOGS = "table", "logs"
AGAIN = "accept the baseline again"
_INT32 = 2**31
_INFINITE = ("inf", "-inf")  # what a tool may write for a sample that has no score
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"-?\d{1,10}", re.ASCII)


@dataclass(frozen=True)
class _Must:
    """What a value or a cell must be, in words, and whether one is that."""

    be: str
    holds: Callable[[Any], bool]


def _must_be_type(kind: type, words: str) -> _Must:
    return _Must(words, lambda value: isinstance(value, kind))


def _must_be_in(allowed: Sequence[str]) -> _Must:
    return _Must(" or ".join(allowed), lambda value: isinstance(value, str) and value in allowed)


def _digits(length: int) -> Callable[[Any], bool]:
    form = re.compile(rf"[0-9a-f]{{{length}}}")
    return lambda value: isinstance(value, str) and form.fullmatch(value) is not None


def _is_score(cell: str) -> bool:
    return not cell or (_NUMBER.fullmatch(cell) is not None and isfinite(float(cell)))


def _is_integer(cell: str) -> bool:
    is_integer = _INTEGER.fullmatch(cell) is not None and str(int(cell)) == cell
    return is_integer and -_INT32 <= int(cell) < _INT32


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not _SURROGATE.search(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < _INT32


_TEXT = _Must("text in quotes, in characters that UTF-8 has", _is_text)
_TRUTH = _must_be_type(bool, "true or false")
_SETTINGS = _must_be_type(dict, "an object of settings")
_COUNT = _Must("a whole number of at least 1", _is_count)
_DIGEST = _Must("12 hexadecimal digits in quotes", _digits(12))
_SOURCES = _Must(
    "a list of digests, each 16 hexadecimal digits in quotes",
    lambda value: isinstance(value, list) and all(map(_digits(16), value)),
)
_RUNS = _Must(
    "a list of at least one run, each an object",
    lambda value: (
        isinstance(value, list) and len(value) > 0 and all(isinstance(run, dict) for run in value)
    ),
)

_HEADER = {
    "version": _TEXT,
    "kind": _must_be_in(KINDS),
    "source": _must_be_type(str, "text in quotes"),
    "sources": _SOURCES,
    "items": _DIGEST,
    "digest": _DIGEST,
}
_HEADERS = {
    TABLE: _HEADER | {"higher_is_better": _TRUTH},
    LOGS: _HEADER | {"metric": _TEXT, "runs": _RUNS},
}
_RUN = {
    "system": _Must(f"{_TEXT.be}, or null", lambda value: value is None or _is_text(value)),
    **dict.fromkeys(("tool", "version", "task", "judge", "scorer"), _TEXT),
    "config": _SETTINGS,
    "state": _must_be_in(STATES),
    "epochs": _COUNT,
    **dict.fromkeys(("own_ids", "ordered", "lower"), _TRUTH),
}

_ANY = _Must("text", lambda cell: True)
_FILLED = _Must("an id", lambda cell: bool(cell.strip()))
_SCORE = _Must("a finite number, or nothing", _is_score)
_RAW = _Must(_SCORE.be, lambda cell: cell in _INFINITE or _is_score(cell))
_EPOCH = _Must("a whole number", _is_integer)
_CONTENT = _Must("32 hexadecimal digits, or nothing", lambda cell: not cell or _digits(32)(cell))
_CELLS = {
    TABLE: {"dataset": _ANY, "item": _FILLED, "epoch": _ANY, "cluster": _ANY, "score": _SCORE},
    LOGS: {
        "run": _EPOCH,
        "item": _ANY,
        "epoch": _EPOCH,
        "cluster": _ANY,
        "content": _CONTENT,
        "prompt": _CONTENT,
        "score": _RAW,
        "status": _must_be_in(STATUSES),
    },
}
COLUMNS = {kind: tuple(cells) for kind, cells in _CELLS.items()}


def refuse_header(header: Mapping[str, Any], source: str) -> None:
    """Refuse a header that lacks a key, has another one, or a value that is not what it must be.

    Raises
    ------
    ValueError
        With the key, its value, and what would be right.
    """
    kind = header.get("kind", TABLE)
    _refuse_keys(header, _HEADERS.get(kind if isinstance(kind, str) else "", _HEADER), source)
    for place, run in enumerate(header.get("runs", ())):
        _refuse_keys(run, _RUN, source, f"runs[{place}].")


def _refuse_keys(
    header: Mapping[str, Any], wanted: Mapping[str, _Must], source: str, before: str = ""
) -> None:
    for key in wanted:
        if key not in header:
            raise problem(source, f"the key {shown(before + key)} is missing; {AGAIN}")
    for key, must in wanted.items():
        if not must.holds(header[key]):
            where = f"{source}, key {shown(before + key)}"
            raise problem(where, f"give {must.be}, or {AGAIN}", value=header[key])
    for key in header:
        if key not in wanted:
            expected = ", ".join(wanted)
            raise problem(source, f"the key {shown(before + key)} is unknown; give {expected}")


def refuse_rows(table: Table, header: Mapping[str, Any]) -> None:
    """Refuse rows of other columns, or with a cell that is not what it must be.

    Raises
    ------
    ValueError
        With the row, the column, the cell, and what would be right.
    """
    cells = dict(_CELLS[header["kind"]])
    if tuple(table.columns) != tuple(cells):
        actual, expected = ",".join(table.columns), ",".join(cells)
        raise problem(table.source, f"the columns are {shown(actual)}; give {expected}, or {AGAIN}")
    if header["kind"] == LOGS:
        places = [str(place) for place in range(len(header["runs"]))]
        requirement = "0, the only run" if len(places) == 1 else f"a run from 0 to {places[-1]}"
        cells["run"] = _Must(requirement, places.__contains__)
    for column, must in cells.items():
        _refuse_cells(table, column, must)
    if header["kind"] == LOGS:
        _refuse_no_score(table)


def _refuse_no_score(table: Table) -> None:
    """Refuse a row whose status is scored but which has no number."""
    unscored = ("", *_INFINITE)
    for row, status, score in zip(
        table.rows, table.columns["status"], table.columns["score"], strict=True
    ):
        if status == OK and score in unscored:
            requirement = f"give the score, for the status is {OK}, or {AGAIN}"
            raise problem(table.source, requirement, row=row, column="score", value=score)


def _refuse_cells(table: Table, column: str, must: _Must) -> None:
    cells = table.columns[column]
    wrong = {cell for cell in set(cells) if not must.holds(cell)}
    if wrong:
        place = next(k for k, cell in enumerate(cells) if cell in wrong)
        requirement = f"give {must.be}, or {AGAIN}"
        raise problem(
            table.source, requirement, row=table.rows[place], column=column, value=cells[place]
        )
