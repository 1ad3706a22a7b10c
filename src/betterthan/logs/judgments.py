"""Judgments of known tools: one row a tool, and their rows as `io.read_judgments` takes them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.io.problems import problem, quoted, warn
from betterthan.io.table import Table, make_table
from betterthan.io.texts import BLOCK, Coding, repeated
from betterthan.logs.hashing import TooDeepError, digest
from betterthan.logs.json_values import (
    as_score,
    is_blank,
    make_id,
    number,
    objects,
    preview_columns,
    table_rows,
    to_text,
)
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.text import stripped

_FIRST, _SECOND, _TIE, _FAILED = "model_a", "model_b", "tie", ""  # the winner
_COLUMNS = ("model_a", "model_b", "winner", "judge", "cluster", "order")
_Judgment = tuple[str, ...]  # the cells of some of these columns, from the first on


@dataclass(frozen=True)
class _Row:
    """A row of a file, and where it stands."""

    file: LogFile
    place: int
    cells: dict[str, Any]
    leads: dict[tuple[str, str], list[float]]  # of two systems, by sides of preferences and in all

    def text(self, key: str) -> str:
        """A cell as text."""
        return to_text(self.cells.get(key))

    def system(self, key: str) -> str:
        """The name of a system, which must be there."""
        if not (name := stripped(self.text(key))):
            raise self.problem("is blank; give a name", column=key)
        return name

    def problem(self, reason: str, **where: Any) -> ValueError:
        """The refusal of this row."""
        return problem(self.file.name, reason, row=self.place, **where)


@dataclass(frozen=True)
class Judged:
    """A kind of file of judgments.

    A blank winner is a judgment that failed; the cluster of a judgment is its prompt, its order
    which game of the prompt it is.
    """

    name: str
    tool: str  # as its makers write it
    note: str  # how a judgment is read, where there is a choice
    recognises: Callable[[Preview], bool]
    judgments: Callable[[_Row], Iterator[_Judgment]]  # of a row
    id: str = ""  # a column without which rows may be alike

    def table(self, file: LogFile) -> Table:
        """Its judgments, without columns that are blank in every row."""
        columns, last, places = [Coding() for _ in _COLUMNS], list[_Judgment](), array("q")
        unlike = not self.id or self.id in preview_columns(file.preview)
        contents, content_places = array("q"), array("q")
        leads: dict[tuple[str, str], list[float]] = {}
        for place, cells in table_rows(file):
            row = _Row(file, place, cells, leads)
            try:
                if unlike:
                    contents.append(int.from_bytes(digest(cells)[:8], signed=True))
                    content_places.append(place)
            except TooDeepError:
                raise row.problem("holds a value that is nested too deeply") from None
            for judgment in self.judgments(row):
                last.append((*judgment, *[""] * (len(_COLUMNS) - len(judgment))))
                places.append(place)
                if len(last) == BLOCK:
                    _put(columns, last)
        if not places:
            raise problem(file.name, "holds no judgments")
        _refuse_copies(file, contents, content_places)
        _warn_of_leads(file, leads)
        _put(columns, last)
        coded = {k: v.done() for k, v in zip(_COLUMNS, columns, strict=True)}
        filled = {k: v for k, v in coded.items() if any(v.distinct) or k in _COLUMNS[:3]}
        return make_table(file.name, list(filled), list(filled.values()), places)


def _refuse_copies(file: LogFile, contents: array[int], places: array[int]) -> None:
    """Refuse a row that is the same as one before, by the numbers of their contents."""
    if not len(repeated(np.asarray(contents))):
        return
    first_places: dict[int, int] = {}
    for content, place in zip(contents, places, strict=True):
        if (first := first_places.setdefault(content, place)) != place:
            reason = f"is the same as row {first}; leave it out, or give the file without copies"
            raise problem(file.name, reason, row=place)


def _warn_of_leads(file: LogFile, leads: dict[tuple[str, str], list[float]]) -> None:
    """Warn of systems of which the mean preference favors one, and most preferences the other."""
    for (one, other), (by_side, in_all) in leads.items():
        if by_side * in_all < -_ROUNDING:
            most, mean = (one, other) if by_side > 0 else (other, one)
            reason = f"most preferences favor {quoted(most)}, and their mean favors {quoted(mean)}"
            right = "each counts once, by its side, where the tool takes the mean"
            warn(file.name, f"{reason}; {right}")


_ROUNDING = 1e-9  # of a sum of preferences


def _put(columns: list[Coding], judgments: list[_Judgment]) -> None:
    """Move judgments into columns."""
    for column, cells in zip(columns, zip(*judgments, strict=True), strict=False):
        column.add(cells)
    judgments.clear()


_OUTCOMES = {"winner_model_a": _FIRST, "winner_model_b": _SECOND, "winner_tie": _TIE}


def _one_hot(row: _Row) -> Iterator[_Judgment]:
    """One judgment a row; those of one prompt belong together."""
    sides = row.system("model_a"), row.system("model_b")
    cells = {name: as_score(row.cells.get(name)) for name in _OUTCOMES}
    if sorted(value if value is not None else -1 for value in cells.values()) != [0, 0, 1]:
        reason = f"one of {', '.join(_OUTCOMES)} must be 1 and the others 0"
        raise row.problem(reason, value=[row.cells.get(name) for name in _OUTCOMES])
    winner = next(word for name, word in _OUTCOMES.items() if cells[name] == 1)
    prompt = row.cells.get("prompt")
    yield *sides, winner, "", digest(prompt).hex() if prompt else ""


_MT_BENCH = {"model_1", "model_2", "g1_winner", "g2_winner"}
_WINNERS = {"model_1": _FIRST, "model_2": _SECOND, "tie": _TIE, "error": _FAILED}


def _mt_bench(row: _Row) -> Iterator[_Judgment]:
    """One judgment a pair of games: who won both, else a tie; blank where a game failed."""
    winners: set[str] = set()
    for game in ("g1_winner", "g2_winner"):
        word = row.cells.get(game)
        if not isinstance(word, str) or word not in _WINNERS:
            reason = f"unknown winner; give {', '.join(_WINNERS)}"
            raise row.problem(reason, column=game, value=word)
        winners.add(_WINNERS[word])
    winner = _FAILED if _FAILED in winners else winners.pop() if len(winners) == 1 else _TIE
    judge = row.cells.get("judge")
    judges = ", ".join(map(to_text, judge)) if isinstance(judge, list) else to_text(judge)
    sides = row.system("model_1"), row.system("model_2")
    yield *sides, winner, judges, row.text("question_id")


_LABELS = (
    dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), _FIRST)
    | dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), _SECOND)
    | dict.fromkeys(("A=B", "B=A"), _TIE)
)


def _is_arena_hard(preview: Preview) -> bool:
    has_games = "model" in preview.keys and isinstance(preview.value("games"), list)
    return has_games and bool(preview.keys & {"uid", "question_id"})


def _arena_hard(row: _Row) -> Iterator[_Judgment]:
    """One judgment a game: the baseline stands first in the first, the model in the second.

    The tool leaves out a pair if one of its games failed, and counts a strong verdict three times;
    here the game that was judged counts, and each verdict once.
    """
    model = row.system("model")
    baseline = row.text("baseline") or "baseline"  # which old versions do not name
    games = objects(row.cells.get("games"), row.file.name, f"games of row {row.place}")
    if not 1 <= len(games) <= 2:
        reason = f"holds {len(games)} games; the tool plays one, or two with sides exchanged"
        raise row.problem(reason)
    prompt = to_text(row.cells.get("uid") or row.cells.get("question_id"))
    for k, game in enumerate(games):
        label = game.get("score")
        if label is not None and (not isinstance(label, str) or label not in _LABELS):
            reason = f"unknown verdict; give {', '.join(_LABELS)}, or null"
            raise row.problem(reason, column="score", value=label)
        winner = _FAILED if label is None else _LABELS[label]
        sides = (model, baseline) if k else (baseline, model)
        yield *sides, winner, row.text("judge"), prompt, str(k + 1)


_LEAST, _MIDDLE, _MOST, _DRAW = 1, 1.5, 2, 0


def _alpaca_eval(row: _Row) -> Iterator[_Judgment]:
    """One judgment a row: a preference from 1, for the first generator, to 2, for the second, or 0
    for a draw; those of one instruction belong together.
    """
    sides = row.system("generator_1"), row.system("generator_2")
    value, instruction = row.cells.get("preference"), row.text("instruction")
    preference, winner = number(value), _FAILED
    if preference == _DRAW and not isinstance(value, bool):
        preference = _MIDDLE
    if not is_blank(value):
        if preference is None or isinstance(value, bool) or not _LEAST <= preference <= _MOST:
            words = f"{_LEAST}, for the first, to {_MOST}, for the second, or {_DRAW}, for a draw"
            reason = f"is no preference; one is from {words}"
            raise row.problem(reason, column="preference", value=value)
        lead = _MIDDLE - preference
        winner = _FIRST if lead > 0 else _SECOND if lead < 0 else _TIE
        pair, turn = (sides, 1) if sides[0] < sides[1] else (sides[::-1], -1)
        leads = row.leads.setdefault(pair, [0.0, 0.0])
        leads[0] += turn * ((lead > 0) - (lead < 0))
        leads[1] += turn * lead
    prompt = make_id(instruction, digest(instruction)) if instruction else ""
    yield *sides, winner, row.text("annotator"), prompt


JUDGED: tuple[Judged, ...] = (
    Judged(
        "one_hot",
        "votes with a column for each outcome",
        "",
        lambda file: {*preview_columns(file)} >= {"model_a", "model_b", *_OUTCOMES},
        _one_hot,
        id="id",
    ),
    Judged(
        "mt_bench",
        "MT-bench",
        "two games that disagree are a tie, as the tool has it; a pair with a game that failed is "
        "left out; nobody was shown first",
        lambda file: file.keys >= _MT_BENCH,
        _mt_bench,
    ),
    Judged(
        "arena_hard",
        "arena-hard",
        "each game is a judgment, the second with its sides exchanged; of a pair with a game that "
        "failed the other counts, where the tool leaves out both; a strong verdict counts once, "
        "where the tool counts it three times",
        _is_arena_hard,
        _arena_hard,
    ),
    Judged(
        "alpaca_eval",
        "AlpacaEval",
        "a preference below 1.5 is for the first generator, above for the second, 1.5 or 0 a tie; "
        "each counts once, where the tool takes the mean preference",
        lambda file: {*preview_columns(file)} >= {"generator_1", "generator_2", "preference"},
        _alpaca_eval,
    ),
)


def judgment_kind(preview: Preview) -> Judged | None:
    """Return the kind of a judgment file."""
    return next((kind for kind in JUDGED if kind.recognises(preview)), None)
