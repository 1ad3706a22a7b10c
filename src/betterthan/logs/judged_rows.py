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


def judgments_table(file: LogFile, judgments: Iterable[Judgment]) -> Table:
    """Build the table, without columns that are blank in every row."""
    rows = list(judgments)
    if not rows:
        raise problem(file.name, "holds no judgments")
    columns: dict[str, list[str]] = {
        "model_a": [row.first for row in rows],
        "model_b": [row.second for row in rows],
        "winner": [row.winner for row in rows],
        "judge": [row.judge for row in rows],
        "cluster": [row.cluster for row in rows],
        "order": [row.order for row in rows],
    }
    filled = {k: v for k, v in columns.items() if any(v) or k in ("model_a", "model_b", "winner")}
    return make_table(file.name, list(filled), list(filled.values()), [row.row for row in rows])


def once(
    file: LogFile, rows: Iterable[tuple[int, dict[str, Any]]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows; refuse an identical copy, ids and times included."""
    first_places: dict[bytes, int] = {}
    for place, row in rows:
        first_place = first_places.setdefault(digest(row), place)
        if first_place != place:
            reason = (
                f"is the same as row {first_place}; leave it out, or give the file without copies"
            )
            raise problem(file.name, reason, row=place)
        yield place, row


def name_in(row: dict[str, Any], key: str, file: LogFile, place: int) -> str:
    """The name of a system, which must be there."""
    name = stripped(as_text(row.get(key)))
    if not name:
        raise problem(file.name, "is blank; give a name", row=place, column=key)
    return name
