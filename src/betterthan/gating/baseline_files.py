"""The baseline as a text file that is committed: its scores, and what they are of."""

import csv
import io
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import betterthan
from betterthan.files import write_whole
from betterthan.io.problems import problem, shown

FORM = 1  # grows if a column or a key changes its meaning
TABLE, LOGS = "table", "logs"
_START = "# betterthan baseline "
_COLUMNS = {
    TABLE: ("dataset", "item", "epoch", "cluster", "score"),
    LOGS: ("run", "item", "epoch", "cluster", "content", "prompt", "score", "status"),
}
_IDENTITY = ("run", "dataset", "item", "epoch", "cluster", "content")
_OWN = ("version", "kind", "items", "rows")  # keys that are no part of `about`


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
        """Digests: of which items these are and what they ask, where that is known; of all rows."""
        columns = _COLUMNS[self.kind]
        return {"items": self._digest(_IDENTITY), "rows": self._digest(columns)}

    def _digest(self, columns: tuple[str, ...]) -> str:
        cells = [[row.get(name, "") for name in columns] for row in self.rows]
        return sha256(json.dumps(cells).encode()).hexdigest()[:12]


def is_baseline(path: Any) -> bool:
    """Whether this is a file that `write` wrote, of whatever version."""
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(_START)) == _START.encode()


def as_text(of: Baseline) -> str:
    """The file: what it is of in lines that begin with #, then a table.

    Examples
    --------
    >>> row = {"item": "q1", "score": "1"}
    >>> print(as_text(Baseline("table", [row], {"source": "a.csv"}, "1.0")), end="")
    # betterthan baseline 1: written by betterthan gate --accept, which writes it anew
    # version: "1.0"
    # kind: "table"
    # source: "a.csv"
    # items: "750428481a0a"
    # rows: "b08ec41d8f9d"
    dataset,item,epoch,cluster,score
    ,q1,,,1
    """
    first = f"{_START}{FORM}: written by betterthan gate --accept, which writes it anew\n"
    about = {"version": of.version, "kind": of.kind, **of.about, **of.hashes}
    said = "".join(
        f"# {key}: {json.dumps(value, sort_keys=True)}\n" for key, value in about.items()
    )
    held = io.StringIO()
    table = csv.DictWriter(held, _COLUMNS[of.kind], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(of.rows)
    return first + said + held.getvalue()


def write(path: Path, of: Baseline) -> None:
    """Write the file, whole or not at all; only over a baseline, or where nothing is.

    Raises
    ------
    ValueError
        If something else is there, or the file cannot be written.
    """
    if path.exists() and not is_baseline(path):
        raise problem(str(path), "is no baseline that --accept wrote; give the place of one")
    write_whole(path, as_text(of))


@dataclass(frozen=True)
class Kept:
    """A baseline that was read from a file.

    Attributes
    ----------
    of : Baseline
    name : str
        Of the file.
    intact : bool
        Whether its rows are those that were accepted.
    """

    of: Baseline
    name: str
    intact: bool

    @property
    def said(self) -> list[str]:
        """That it is of another version of the package."""
        if self.of.version == betterthan.__version__:
            return []
        now = betterthan.__version__
        return [f"{self.name} was accepted by betterthan {self.of.version}; this is {now}"]


def read(path: str | Path) -> Kept:
    """A baseline from its file.

    Raises
    ------
    ValueError
        If it has a form that this version does not know, or is not whole.
    """
    name = Path(path).name
    with Path(path).open(encoding="utf-8", newline="") as file:
        said, table = _parted(file.read())
    form = said[0].removeprefix(_START).split(":")[0].strip()
    if form != str(FORM):
        version = betterthan.__version__
        raise problem(
            name,
            f"is a baseline of form {shown(form)}, and betterthan {version} reads form {FORM}; "
            "accept the baseline anew, or install the version that wrote it",
        )
    try:
        return _whole(name, dict(map(_key_and_value, said[1:])), table)
    except (ValueError, KeyError, csv.Error) as error:
        raise problem(name, f"is no whole baseline ({error}); accept the baseline anew") from None


def _whole(name: str, about: dict[str, Any], table: str) -> Kept:
    reader = csv.DictReader(io.StringIO(table, newline=""), restkey="")
    rows, kind = list(reader), about["kind"]
    if tuple(reader.fieldnames or ()) != _COLUMNS[kind]:
        raise ValueError("its columns")
    if not rows or any("" in row or None in row.values() for row in rows):
        raise ValueError("its rows")
    own = {key: value for key, value in about.items() if key not in _OWN}
    found = Baseline(kind, rows, own, about["version"])
    return Kept(found, name, found.hashes["rows"] == about["rows"])


def _parted(text: str) -> tuple[list[str], str]:
    """The lines before the table, and the table."""
    lines, rest = [], text
    while rest.startswith("#"):
        line, _, rest = rest.partition("\n")
        lines.append(line.rstrip("\r"))
    return lines, rest


def _key_and_value(line: str) -> tuple[str, Any]:
    key, _, value = line.removeprefix("# ").partition(": ")
    return key, json.loads(value)
