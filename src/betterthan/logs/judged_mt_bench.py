"""MT-bench's pairs: two games of two models, the second with their answers exchanged."""

from collections.abc import Iterator
from typing import Any

from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.json_values import records, to_text
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
from betterthan.logs.sniffing import LogFile, Preview

_WINNERS = {"model_1": FIRST, "model_2": SECOND, "tie": TIE, "error": FAILED}
_KEYS = {"model_1", "model_2", "g1_winner", "g2_winner"}


def recognises(preview: Preview) -> bool:
    """Whether a file holds pairs of games."""
    return preview.kind in ("object", "lines", "list") and preview.keys >= _KEYS


def table(file: LogFile) -> Table:
    """One judgment a pair of games: who won both, else a tie; blank where a game failed."""
    return judgments_table(file, _judgments(file))


def _judgments(file: LogFile) -> Iterator[Judgment]:
    for place, row in once(file, records(file)):
        first, second = (_winner(row, game, file, place) for game in ("g1_winner", "g2_winner"))
        judge = row.get("judge")
        both = FAILED if FAILED in (first, second) else first if first == second else TIE
        yield Judgment(
            place,
            name_in(row, "model_1", file, place),
            name_in(row, "model_2", file, place),
            both,
            judge=", ".join(map(to_text, judge)) if isinstance(judge, list) else to_text(judge),
            cluster=to_text(row.get("question_id")),
        )


def _winner(row: dict[str, Any], game: str, file: LogFile, place: int) -> str:
    word = row.get(game)
    if not isinstance(word, str) or word not in _WINNERS:
        reason = f"unknown winner; give {', '.join(_WINNERS)}"
        raise problem(file.name, reason, row=place, column=game, value=word)
    return _WINNERS[word]
