"""Write and read the baseline: a text file to commit, with its scores and their provenance."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import betterthan
from betterthan.files import write_whole
from betterthan.gating.baseline_schema import AGAIN, COLUMNS, refuse_header, refuse_rows
from betterthan.io.delimited import parse_delimited
from betterthan.io.files import decoded
from betterthan.io.json_records import value_of
from betterthan.io.problems import problem, shown

FORM = 2  # grows if a column or a key changes its meaning
_START = "# betterthan baseline "
_FIRST = f"{_START}{FORM}: written by betterthan gate --accept, which writes it again"
_IDENTITY = ("run", "dataset", "item", "epoch", "cluster", "content")
_HEADER_KEYS = ("version", "kind", "items", "digest")  # keys that are no part of `about`


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
    def hashes(self) -> dict[str, str]:
        """Digests: of which items these are and what they ask, where that is known; of all that the
        file holds. They are no signature: whoever edits a file can make them again.
        """
        items = _digest(self._cells(_IDENTITY))
        header = {"version": self.version, "kind": self.kind, **self.about, "items": items}
        return {"items": items, "digest": _digest([FORM, header, self._cells(COLUMNS[self.kind])])}

    def _cells(self, columns: Sequence[str]) -> list[list[str]]:
        return [[row.get(name, "") for name in columns] for row in self.rows]


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def is_baseline(path: Any) -> bool:
    """Whether this is a file that `write` wrote, of whatever version."""
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(_START)) == _START.encode()


def as_text(baseline: Baseline) -> str:
    """The file: what it is of in lines that begin with #, then a table.

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
    }
    header = "".join(
        f"# {key}: {json.dumps(value, sort_keys=True)}\n" for key, value in about.items()
    )
    buffer = io.StringIO()
    table = csv.DictWriter(buffer, COLUMNS[baseline.kind], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(baseline.rows)
    return f"{_FIRST}\n{header}{buffer.getvalue()}"


def write(path: Path, baseline: Baseline) -> None:
    """Write the file, whole or not at all; only over a baseline, or where nothing is.

    Raises
    ------
    ValueError
        If something else is there, or the file cannot be written.
    """
    if path.exists() and not is_baseline(path):
        raise problem(str(path), "is no baseline that --accept wrote; give the place of one")
    write_whole(path, as_text(baseline))


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
    intact : bool
        Whether all that it holds is what was accepted.
    """

    baseline: Baseline
    name: str
    lines: Sequence[int]
    intact: bool

    @property
    def messages(self) -> list[str]:
        """Note that another version of the package wrote the file."""
        if self.baseline.version == betterthan.__version__:
            return []
        installed = betterthan.__version__
        return [
            f"{self.name} was accepted by betterthan {self.baseline.version}; this is {installed}"
        ]


def read(path: str | Path) -> StoredBaseline:
    """A baseline from its file.

    Raises
    ------
    ValueError
        If it has a form that this version does not know, or does not fit the schema.
    """
    name = Path(path).name
    (first, *lines), table = _split_header(decoded(Path(path).read_bytes(), name))
    form = first.removeprefix(_START).split(":")[0].strip()
    if form != str(FORM):
        version = betterthan.__version__
        raise problem(
            name,
            f"is a baseline of form {shown(form)}, and betterthan {version} reads form {FORM}; "
            f"{AGAIN}, or install the version that wrote it",
        )
    header = _header(lines, name)
    refuse_header(header, name)
    rows = parse_delimited(("\n" * (len(lines) + 1) + table).encode(), name, ",")
    refuse_rows(rows, header)
    by_row = zip(*rows.columns.values(), strict=True)
    cells = [dict(zip(rows.columns, row, strict=True)) for row in by_row]
    about = {key: value for key, value in header.items() if key not in _HEADER_KEYS}
    baseline = Baseline(header["kind"], cells, about, header["version"])
    intact = first == _FIRST and baseline.hashes.items() <= header.items()
    return StoredBaseline(baseline, name, rows.rows, intact)


def _header(lines: Sequence[str], name: str) -> dict[str, Any]:
    """The keys in the lines below the first, each with its value."""
    header: dict[str, Any] = {}
    for row, line in enumerate(lines, start=2):
        key, _, value = line.removeprefix("# ").partition(": ")
        if key in header:
            raise problem(name, f"the key {shown(key)} occurs twice; {AGAIN}", row=row)
        header[key] = value_of(value, name, row)
    return header


def _split_header(text: str) -> tuple[list[str], str]:
    """Split the text into the lines before the table, and the table."""
    lines, table = [], text
    while table.startswith("#"):
        line, _, table = table.partition("\n")
        lines.append(line.rstrip("\r"))
    return lines, table
