"""Baseline files, which are committed: their schema, writing and reading.

What a baseline file must hold: the keys of its header, the keys of each run, and its columns.

The schema is what `accepting` writes, so that every other file is refused with the place that is
wrong; whether a file that fits was edited is what its digest answers, and with a key its signature.
"""

import csv
import hmac
import io
import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import betterthan
from betterthan.files import write_whole
from betterthan.io.delimited import parse_delimited
from betterthan.io.files import decoded
from betterthan.io.json_records import value_of
from betterthan.io.problems import problem, quoted
from betterthan.io.table import Table
from betterthan.logs.record import OK, STATES, STATUSES
from betterthan.text import no_formula

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
_SIGNATURE = _Must("64 hexadecimal digits in quotes", _digits(64))
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
CONTENT = "content"  # of a table only where it has questions or labels


def refuse_header(header: Mapping[str, Any], source: str) -> None:
    """Refuse a header that lacks a key, has another one, or a value that is not what it must be.

    Raises
    ------
    ValueError
        With the key, its value, and what would be right.
    """
    kind = header.get("kind", TABLE)
    wanted = _HEADERS.get(kind if isinstance(kind, str) else "", _HEADER)
    optional = {"signature": _SIGNATURE} | ({"metric": _TEXT} if kind == TABLE else {})
    optional = {key: must for key, must in optional.items() if key in header}
    _refuse_keys(header, wanted | optional, source)
    for place, run in enumerate(header.get("runs", ())):
        _refuse_keys(run, _RUN, source, f"runs[{place}].")


def _refuse_keys(
    header: Mapping[str, Any], wanted: Mapping[str, _Must], source: str, before: str = ""
) -> None:
    for key in wanted:
        if key not in header:
            raise problem(source, f"the key {quoted(before + key)} is missing; {AGAIN}")
    for key, must in wanted.items():
        if not must.holds(header[key]):
            where = f"{source}, key {quoted(before + key)}"
            raise problem(where, f"give {must.be}, or {AGAIN}", value=header[key])
    for key in header:
        if key not in wanted:
            expected = ", ".join(wanted)
            raise problem(source, f"the key {quoted(before + key)} is unknown; give {expected}")


def refuse_rows(table: Table, header: Mapping[str, Any]) -> None:
    """Refuse rows of other columns, or with a cell that is not what it must be.

    Raises
    ------
    ValueError
        With the row, the column, the cell, and what would be right.
    """
    cells = dict(_CELLS[header["kind"]])
    if header["kind"] == TABLE and CONTENT in table.columns:
        cells[CONTENT] = _CONTENT
    if tuple(table.columns) != tuple(cells):
        actual, expected = quoted(",".join(table.columns)), ",".join(cells)
        raise problem(table.source, f"the columns are {actual}; give {expected}, or {AGAIN}")
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
    cells = zip(table.rows, table.columns["status"], table.columns["score"], strict=True)
    for row, status, score in cells:
        if status == OK and score in unscored:
            requirement = f"give the score, for the status is {OK}, or {AGAIN}"
            raise problem(table.source, requirement, row=row, column="score", value=score)


def _refuse_cells(table: Table, column: str, must: _Must) -> None:
    cells = table.columns[column]
    wrong = {cell for cell in set(cells) if not must.holds(cell)}
    if wrong:
        place = next(k for k, cell in enumerate(cells) if cell in wrong)
        requirement = f"give {must.be}, or {AGAIN}"
        row, value = table.rows[place], cells[place]
        raise problem(table.source, requirement, row=row, column=column, value=value)


FORM = 2  # grows if a column or a key changes its meaning
_START = "# betterthan baseline "
_FIRST = f"{_START}{FORM}: written by betterthan gate --accept, which writes it again"
_IDENTITY = ("run", "dataset", "item", "epoch", "cluster", "content")
_HEADER_KEYS = ("version", "kind", "items", "digest", "signature")  # no part of `about`

KEY = "BETTERTHAN_GATE_KEY"  # the environment variable with the key of signatures
_KEY_BYTES = 16


def signing_key() -> bytes | None:
    """Return the key of the environment; None without one.

    Raises
    ------
    ValueError
        If it is too short, as the empty key of a build that may not read it.
    """
    key = os.fsencode(os.environ[KEY]) if KEY in os.environ else None
    if key is not None and len(key) < _KEY_BYTES:
        raise ValueError(f"{KEY} is shorter than {_KEY_BYTES} bytes; set a longer key, or unset it")
    return key


@dataclass(frozen=True)
class Baseline:
    """What a baseline file holds.

    Attributes
    ----------
    kind : {"table", "logs"}
    rows : list of dict of str to str
        The columns of its kind; what is not known is empty.
    about : dict
        Of a table ``higher_is_better``; of logs ``metric`` and ``runs``, a dict each. Of both
        ``source``, and ``sources``, the digests of the files that were accepted.
    version : str
        Of the package that wrote it.
    """

    kind: str
    rows: list[dict[str, str]]
    about: dict[str, Any]
    version: str = betterthan.__version__

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the file."""
        with_content = self.kind == TABLE and any(CONTENT in row for row in self.rows)
        return (*_CELLS[self.kind], *([CONTENT] * with_content))

    @property
    def hashes(self) -> dict[str, str]:
        """Digests: of which items these are and what they ask, where that is known; of all that the
        file holds. They are no signature: whoever edits a file can make them again.
        """
        return {"items": self._items, "digest": _digest(self._content)}

    def signature(self, key: bytes) -> str:
        """Return the HMAC-SHA256 of all that the digest covers."""
        return hmac.new(key, _as_bytes(self._content), "sha256").hexdigest()

    @property
    def _items(self) -> str:
        return _digest(self._cells(_IDENTITY))

    @property
    def _content(self) -> list[Any]:
        header = {"version": self.version, "kind": self.kind, **self.about, "items": self._items}
        return [FORM, header, self._cells(self.columns)]

    def _cells(self, columns: Sequence[str]) -> list[list[str]]:
        return [[row.get(name, "") for name in columns] for row in self.rows]


def _digest(value: Any) -> str:
    return sha256(_as_bytes(value)).hexdigest()[:12]


def _as_bytes(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def is_baseline(path: Any) -> bool:
    """Whether this is a file that `write` wrote, of whatever version."""
    if not isinstance(path, str | Path) or not os.path.isfile(path):
        return False
    with Path(path).open("rb") as file:
        begin = file.read(len(BOM_UTF8) + len(_START)).removeprefix(BOM_UTF8)
    return begin.startswith(_START.encode())


def as_text(baseline: Baseline, key: bytes | None = None) -> str:
    """The file: what it is of in lines that begin with #, then a table; signed with a key.

    Examples
    --------
    >>> row = {"item": "q1", "score": "1"}
    >>> print(as_text(Baseline("table", [row], {"source": "a.csv"}, "1.0")), end="")
    # betterthan baseline 2: written by betterthan gate --accept, which writes it again
    # version: "1.0"
    # kind: "table"
    # source: "a.csv"
    # items: "750428481a0a"
    # digest: "99a3e14a523b"
    dataset,item,epoch,cluster,score
    ,q1,,,1
    """
    about = {
        "version": baseline.version,
        "kind": baseline.kind,
        **baseline.about,
        **baseline.hashes,
        **({} if key is None else {"signature": baseline.signature(key)}),
    }
    header = "".join(f"# {k}: {json.dumps(v, sort_keys=True)}\n" for k, v in about.items())
    buffer = io.StringIO()
    table = csv.DictWriter(buffer, baseline.columns, restval="", lineterminator="\n")
    table.writeheader()
    table.writerows({k: _guarded(k, cell) for k, cell in row.items()} for row in baseline.rows)
    return f"{_FIRST}\n{header}{buffer.getvalue()}"


_TEXTS = ("dataset", "item", "epoch", "cluster")  # of which one may look like a formula


def _guarded(column: str, cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, and from which `_unguarded` returns it."""
    if column not in _TEXTS:
        return cell
    return f"'{cell}" if cell.startswith("'") else no_formula(cell)


def _unguarded(table: Table) -> Table:
    columns = {
        k: [cell.removeprefix("'") for cell in cells] if k in _TEXTS else cells
        for k, cells in table.columns.items()
    }
    return replace(table, columns=columns)


def write(path: Path, baseline: Baseline, key: bytes | None = None) -> None:
    """Write the file, whole or not at all; only over a baseline, or where nothing is.

    Raises
    ------
    ValueError
        If something else is there, or the file cannot be written.
    """
    if path.exists() and not is_baseline(path):
        raise problem(str(path), "is no baseline that --accept wrote; give the place of one")
    write_whole(path, as_text(baseline, key))


@dataclass(frozen=True)
class StoredBaseline:
    """A baseline that was read from a file.

    Attributes
    ----------
    baseline : Baseline
    name : str
        Of the file.
    lines : sequence of int
        Where each row stands in the file.
    refusal : str
        Why it is not what was accepted; empty where it is.
    messages : list of str
        That another version of the package wrote the file, or that its signature is unverified.
    """

    baseline: Baseline
    name: str
    lines: Sequence[int]
    refusal: str
    messages: list[str]


def read(path: str | Path, key: bytes | None = None) -> StoredBaseline:
    """A baseline from its file, which with a key must be signed with it.

    Raises
    ------
    ValueError
        If it has a form that this version does not know, or does not fit the schema.
    """
    name, installed = Path(path).name, betterthan.__version__
    lines, table = [], decoded(Path(path).read_bytes(), name)
    while table.startswith("#"):
        line, _, table = table.partition("\n")
        lines.append(line.rstrip("\r"))
    first, *lines = lines
    form = first.removeprefix(_START).split(":")[0].strip()
    if form != str(FORM):
        raise problem(
            name,
            f"is a baseline of form {quoted(form)}, and betterthan {installed} reads form {FORM}; "
            f"{AGAIN}, or install the version that wrote it",
        )
    header = _header(lines, name)
    refuse_header(header, name)
    rows = _unguarded(parse_delimited(("\n" * (len(lines) + 1) + table).encode(), name, ","))
    refuse_rows(rows, header)
    by_row = zip(*rows.columns.values(), strict=True)
    cells = [dict(zip(rows.columns, row, strict=True)) for row in by_row]
    about = {key: value for key, value in header.items() if key not in _HEADER_KEYS}
    baseline = Baseline(header["kind"], cells, about, header["version"])
    intact = first == _FIRST and baseline.hashes.items() <= header.items()
    refusal = _refusal(baseline, intact, header.get("signature"), key)
    messages = []
    if baseline.version != installed:
        messages += [f"{name} was accepted by betterthan {baseline.version}; this is {installed}"]
    if key is None and "signature" in header:
        messages += [f"{name} is signed, and unverified: {KEY} is not set"]
    return StoredBaseline(baseline, name, rows.rows, refusal and f"{name} {refusal}", messages)


def _refusal(baseline: Baseline, intact: bool, signature: str | None, key: bytes | None) -> str:
    """Explain why a baseline is not what was accepted; empty where it is."""
    if key is not None and signature is None:
        return UNSIGNED
    if not intact:
        return "was changed after it was accepted; accept it again"
    if key is None or hmac.compare_digest(str(signature), baseline.signature(key)):
        return ""
    return "was changed after it was accepted, or signed with another key; accept it again"


UNSIGNED = f"is not signed, and {KEY} is set; accept it again"


def _header(lines: Sequence[str], name: str) -> dict[str, Any]:
    """The keys in the lines below the first, each with its value."""
    header: dict[str, Any] = {}
    for row, line in enumerate(lines, start=2):
        key, _, value = line.removeprefix("# ").partition(": ")
        if key in header:
            raise problem(name, f"the key {quoted(key)} occurs twice; {AGAIN}", row=row)
        header[key] = value_of(value, name, row)
    return header
