"""Judgments of known tools: one row a tool, and their rows as `io.read_judgments` takes them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import xarray as xr

from betterthan.io.layouts import layout_by_name, summary_line
from betterthan.io.pair_counts import judgments
from betterthan.io.problems import listed, problem
from betterthan.io.table import Table, make_table
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import to_text
from betterthan.logs.sniffing import JSON, LogFile, Preview
from betterthan.signed import Signature
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
    name = stripped(to_text(row.get(key)))
    if not name:
        raise problem(file.name, "is blank; give a name", row=place, column=key)
    return name


@dataclass(frozen=True)
class Judged:
    """A kind of file of judgments.

    Its file ``logs/judged_<name>.py`` has two functions: ``recognises(head)``, and ``table(file)``,
    a table with columns ``model_a, model_b, winner``, for `io.read_judgments`, with ``judge``,
    ``cluster`` (the prompt) and ``order`` (which game of the prompt) where they are known. A blank
    winner is a judgment that failed.
    """

    name: str
    tool: str  # as its makers write it
    note: str  # how a judgment is read, where there is a choice
    kinds: tuple[str, ...] = JSON  # of `Head`; its own file is loaded for these alone

    def recognises(self, preview: Preview) -> bool:
        """Whether a file is of this kind."""
        return preview.kind in self.kinds and self._file.recognises(preview)

    def table(self, file: LogFile) -> Table:
        """Its judgments."""
        return self._file.table(file)

    @property
    def _file(self) -> Any:
        return import_module(f"betterthan.logs.judged_{self.name}")


_TABLES = (*JSON, "text", "parquet")

JUDGED: tuple[Judged, ...] = (
    Judged("one_hot", "votes with a column for each outcome", "", _TABLES),
    Judged(
        "mt_bench",
        "MT-bench",
        "two games that disagree are a tie, as the tool has it; a pair with a game that failed is "
        "left out; nobody was shown first",
    ),
    Judged(
        "arena_hard",
        "arena-hard",
        "each game is a judgment, the second with its sides exchanged; of a pair with a game that "
        "failed the other counts, where the tool leaves out both; a strong verdict counts once, "
        "where the tool counts it three times",
    ),
    Judged(
        "alpaca_eval",
        "AlpacaEval",
        "a preference below 1.5 is for the first generator, above for the second, 1.5 a tie",
        _TABLES,
    ),
)


def judgment_kind(preview: Preview) -> Judged | None:
    """Return the kind of a judgment file."""
    return next((kind for kind in JUDGED if kind.recognises(preview)), None)


def read_judgments_file(file: LogFile) -> xr.Dataset:
    """The judgments in a file, one by one.

    Returns
    -------
    xarray.Dataset
        As of `io.read_judgments`, with ``judge`` and ``cluster`` where they are known.
        ``attrs["reading"]`` says how a judgment is read.

    Raises
    ------
    ValueError
        If the file is of no known tool, or holds what is no judgment.
    """
    kind = judgment_kind(file.preview)
    if kind is None:
        tools = listed([kind.tool for kind in JUDGED])
        raise problem(file.name, f"holds no judgments of a tool that is read: {tools}")
    table = kind.table(file)
    parsed_judgments = judgments(table)
    summary = summary_line(
        table.source, layout_by_name("judgments"), parsed_judgments.data, [parsed_judgments]
    )
    summary += f"; {kind.note}" if kind.note else ""
    signed = Signature(unit="judgment", source=table.source, reading=summary)
    return parsed_judgments.data.assign_attrs(signed.to_attrs())
