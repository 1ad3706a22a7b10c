"""Votes with a column for each outcome: ``winner_model_a, winner_model_b, winner_tie``."""

from collections.abc import Iterator
from typing import Any

from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import as_score
from betterthan.logs.judgments import FIRST, SECOND, TIE, Judgment, judgments_table, name_in, once
from betterthan.logs.row_tables import preview_columns, table_rows
from betterthan.logs.sniffing import LogFile, Preview

_OUTCOMES = {"winner_model_a": FIRST, "winner_model_b": SECOND, "winner_tie": TIE}


def recognises(preview: Preview) -> bool:
    """Whether there is a column for each outcome."""
    return set(preview_columns(preview)) >= {"model_a", "model_b", *_OUTCOMES}


def table(file: LogFile) -> Table:
    """One judgment a row; those of one prompt belong together."""
    return judgments_table(file, _judgments(file))


def _judgments(file: LogFile) -> Iterator[Judgment]:
    rows = table_rows(file)
    for place, row in once(file, rows) if "id" in preview_columns(file.preview) else rows:
        yield Judgment(
            place,
            name_in(row, "model_a", file, place),
            name_in(row, "model_b", file, place),
            _winner(row, file, place),
            cluster=digest(row["prompt"]).hex() if row.get("prompt") else "",
        )


def _winner(row: dict[str, Any], file: LogFile, place: int) -> str:
    cells = {name: as_score(row.get(name)) for name in _OUTCOMES}
    if sorted(value if value is not None else -1 for value in cells.values()) != [0, 0, 1]:
        reason = f"one of {', '.join(_OUTCOMES)} must be 1 and the others 0"
        raise problem(file.name, reason, row=place, value=[row.get(name) for name in _OUTCOMES])
    return next(word for name, word in _OUTCOMES.items() if cells[name] == 1)
