"""Judgments one by one, as the table that `io.read_judgments` takes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table
from betterthan.logs.hashing import digest
from betterthan.logs.heads import LogFile
from betterthan.logs.json_parts import as_text
from betterthan.text import stripped

FIRST, SECOND, TIE, FAILED = "model_a", "model_b", "tie", ""  # the winner


@dataclass(frozen=True)
class Judgment:
    """One judgment: the system that stands first, the other, and which of them won."""

    row: int
    first: str
    second: str
    winner: str
    judge: str = ""
    cluster: str = ""
    order: str = ""


def table_of_judgments(file: LogFile, found: Iterable[Judgment]) -> Table:
    """The table; a column that is blank in every row is left out."""
    rows = list(found)
    if not rows:
        raise problem(file.name, "holds no judgments")
    columns: dict[str, list[str]] = {
        "model_a": [one.first for one in rows],
        "model_b": [one.second for one in rows],
        "winner": [one.winner for one in rows],
        "judge": [one.judge for one in rows],
        "cluster": [one.cluster for one in rows],
        "order": [one.order for one in rows],
    }
    kept = {k: v for k, v in columns.items() if any(v) or k in ("model_a", "model_b", "winner")}
    return make_table(file.name, list(kept), list(kept.values()), [one.row for one in rows])


def once(
    file: LogFile, rows: Iterable[tuple[int, dict[str, Any]]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows; one that is there twice, with its ids and times, was not judged twice."""
    seen: dict[bytes, int] = {}
    for place, row in rows:
        before = seen.setdefault(digest(row), place)
        if before != place:
            what = f"is the same as row {before}; leave it out, or give the file without copies"
            raise problem(file.name, what, row=place)
        yield place, row


def name_in(row: dict[str, Any], key: str, file: LogFile, place: int) -> str:
    """The name of a system, which must be there."""
    name = stripped(as_text(row.get(key)))
    if not name:
        raise problem(file.name, "is blank; give a name", row=place, column=key)
    return name
