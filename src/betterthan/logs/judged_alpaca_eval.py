"""AlpacaEval's annotations: a preference from 1, for the first generator, to 2, for the second."""

from collections.abc import Iterator
from typing import Any

from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import is_blank, make_id, number, to_text
from betterthan.logs.judgments import (
    FAILED,
    FIRST,
    SECOND,
    TIE,
    Judgment,
    judgments_table,
    name_in,
    once,
)
from betterthan.logs.row_tables import preview_columns, table_rows
from betterthan.logs.sniffing import LogFile, Preview

_LEAST, _MIDDLE, _MOST = 1, 1.5, 2


def recognises(preview: Preview) -> bool:
    """Whether a file holds preferences between two generators."""
    return set(preview_columns(preview)) >= {"generator_1", "generator_2", "preference"}


def table(file: LogFile) -> Table:
    """One judgment a row; those of one instruction belong together."""
    return judgments_table(file, _judgments(file))


def _judgments(file: LogFile) -> Iterator[Judgment]:
    for place, row in once(file, table_rows(file)):
        instruction = to_text(row.get("instruction"))
        yield Judgment(
            place,
            name_in(row, "generator_1", file, place),
            name_in(row, "generator_2", file, place),
            _winner(row.get("preference"), file, place),
            judge=to_text(row.get("annotator")),
            cluster=make_id(instruction, digest(instruction)) if instruction else "",
        )


def _winner(value: Any, file: LogFile, place: int) -> str:
    if is_blank(value):
        return FAILED
    preference = number(value)
    if preference is None or isinstance(value, bool) or not _LEAST <= preference <= _MOST:
        reason = (
            f"is no preference; one is from {_LEAST}, for the first, to {_MOST}, for the second"
        )
        raise problem(file.name, reason, row=place, column="preference", value=value)
    return TIE if preference == _MIDDLE else FIRST if preference < _MIDDLE else SECOND
