"""arena-hard: games of a model against a baseline, the second with their answers exchanged.

The tool leaves out a pair if one of its games failed, and counts a strong verdict three times; here
the game that was judged counts, and each verdict once.
"""

from collections.abc import Iterator
from typing import Any

from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.json_values import objects, records, to_text
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

_LABELS = (
    dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), FIRST)
    | dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), SECOND)
    | dict.fromkeys(("A=B", "B=A"), TIE)
)
_GAMES = 2


def recognises(preview: Preview) -> bool:
    """Whether a file holds games of a model against a baseline."""
    if preview.kind not in ("object", "lines", "list") or not preview.keys >= {"model", "games"}:
        return False
    return isinstance(preview.value("games"), list) and bool(preview.keys & {"uid", "question_id"})


def table(file: LogFile) -> Table:
    """One judgment a game: the baseline stands first in the first, the model in the second."""
    return judgments_table(file, _judgments(file))


def _judgments(file: LogFile) -> Iterator[Judgment]:
    for place, row in once(file, records(file)):
        model = name_in(row, "model", file, place)
        baseline = to_text(row.get("baseline")) or "baseline"  # which old versions do not name
        games = objects(row.get("games"), file.name, f"games of row {place}")
        if not 1 <= len(games) <= _GAMES:
            reason = f"holds {len(games)} games; the tool plays one, or two with sides exchanged"
            raise problem(file.name, reason, row=place)
        for k, game in enumerate(games):
            sides = (model, baseline) if k else (baseline, model)
            yield Judgment(
                place,
                *sides,
                _winner(game, file, place),
                judge=to_text(row.get("judge")),
                cluster=to_text(row.get("uid") or row.get("question_id")),
                order=str(k + 1),
            )


def _winner(game: dict[str, Any], file: LogFile, place: int) -> str:
    label = game.get("score")
    if label is None:
        return FAILED
    if not isinstance(label, str) or label not in _LABELS:
        reason = f"unknown verdict; give {', '.join(_LABELS)}, or null"
        raise problem(file.name, reason, row=place, column="score", value=label)
    return _LABELS[label]
