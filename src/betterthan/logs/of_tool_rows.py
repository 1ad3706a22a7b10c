"""Tables of rows that LangSmith, MLflow, Braintrust, Langfuse and ragas write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd

from betterthan.io.compression import keep_bytes
from betterthan.io.json_records import value_of
from betterthan.io.layouts import ALIASES
from betterthan.io.problems import listed, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_score,
    is_blank,
    make_id,
    numbered,
    occurrences,
    parse_score,
    preview_columns,
    table_rows,
)
from betterthan.logs.record import ERROR, OK, Run
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.text import vanishes


@dataclass(frozen=True)
class Pattern:
    """The columns of a tool; each text is a regular expression that fits a whole name.

    None of them holds the system.
    """

    tool: str
    needs: tuple[str, ...]  # each fits a column
    inputs: str  # what the task gives: equal where the item is
    score: str | None = None  # its group is the metric
    scores: str | None = None  # an object of metric to score
    id: str | None = None  # of the item in its data set
    row: str | None = None  # of the row: the same in no two
    error: str = "error"  # not blank where the system failed
    metric_error: str = ""  # of one metric, by its name: not blank where its scorer failed
    never: str = ""  # columns that are no score, though they look like one

    def fits(self, columns: Iterable[str]) -> bool:
        """Whether columns are those of the tool."""
        lines = "\n".join(columns)  # one search a need, however many columns there are
        return all(re.search(f"^(?:{need})$", lines, re.MULTILINE) for need in self.needs)

    def metrics(self, columns: Iterable[str]) -> dict[str, str]:
        """The metric of each column of scores."""
        names = [name for name in columns if self.score and not re.fullmatch(self.never, name)]
        fits = {name: re.fullmatch(self.score or "", name) for name in names}
        return {name: fit[1] for name, fit in fits.items() if fit}


PATTERNS = (
    Pattern(
        "MLflow",
        ("trace_id", ".+/value"),
        inputs="request",
        score="(.+)/value",
        row="trace_id",
        error="state",  # OK, or ERROR
        metric_error="{}/error_message",
    ),
    Pattern(
        "LangSmith",
        (r"inputs\..+", r"feedback\..+"),
        inputs=r"inputs\..+",
        score=r"feedback\.(.+)",
        id="example_id",
        row="id",
    ),
    Pattern(
        "Braintrust",
        ("input", "expected", "scores"),
        inputs="input",
        scores="scores",
        row="id|span_id",
    ),
    Pattern(
        "Langfuse",
        ("input", "expected_?[oO]utput", "scores"),
        inputs="input",
        scores="scores",
        row="id|trace_?[iI]d",
    ),
    Pattern(
        "Braintrust or Langfuse",
        ("input", "output", "expected(_?[oO]utput)?", ".+_score"),
        inputs="input",
        score="(.+)_score",
        row="id|span_id|trace_?[iI]d",
    ),
    Pattern(
        "ragas",
        ("user_input", "response"),
        inputs="user_input|reference",
        score="(.+)",
        never=r"|Unnamed.*|index|id|.*_id|user_input|response|.*reference.*|.*contexts?|rubrics?"
        r"|error|metadata",
    ),
)


_SYSTEMS = frozenset(ALIASES["system"])


def find_pattern(columns: Iterable[str]) -> Pattern | None:
    """The first that fits; none of these tools writes the system of a row."""
    columns = list(columns)
    if not _SYSTEMS.isdisjoint(map(str.casefold, columns)):
        return None
    return next((pattern for pattern in PATTERNS if pattern.fits(columns)), None)


_EXPECTED = re.compile(  # an expectation among MLflow's assessments: a label, not a score
    r"""assessment_name['"]: ['"]([^'"]+)['"](?:(?!assessment_name).)*?['"]expectation['"]: """,
    re.DOTALL,
)
_AS_EXPECTED = re.compile("expected(_.+)?|guidelines")


@dataclass(slots=True)
class _Row:
    """What counts of a row."""

    place: int
    id: str
    content: bytes
    text: str
    error: str
    same: bytes  # digest of a row that has a key
    places: dict[str, int]  # of each metric in the scores, the same of many rows
    scores: tuple[Any, ...]
    failed: frozenset[str]  # metrics whose scorer failed

    def score(self, metric: str) -> Any:
        """The score by a metric, None where there is none."""
        return self.scores[self.places[metric]] if metric in self.places else None


_ROW, _VALUE, _STEP = 700, 64, 2**10  # bytes in memory of a row, of a score; rows between looks


@lru_cache(_STEP)
def _columns(pattern: Pattern, columns: tuple[str, ...]) -> dict[str, str]:
    return pattern.metrics(columns)


@lru_cache(_STEP)
def _places(metrics: tuple[str, ...]) -> dict[str, int]:
    return {metric: k for k, metric in enumerate(metrics)}


def recognises(preview: Preview) -> bool:
    """Whether the columns are those of one of the tools."""
    return find_pattern(preview_columns(preview)) is not None


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each table; its system is never in it."""
    return [rows_run(file.name, table_rows(file)) for file in files]


def frame_run(frame: pd.DataFrame, name: str) -> Run | None:
    """The run in a frame, None where its columns are those of no tool."""
    columns = [str(column) for column in frame.columns]
    if find_pattern(columns) is None:
        return None
    rows = (dict(zip(columns, row, strict=True)) for row in frame.itertuples(False, None))
    return rows_run(name, enumerate(rows, start=1))


def rows_run(name: str, rows: Iterable[tuple[int, dict[str, Any]]]) -> Run:
    """The run in rows by name of column.

    Raises
    ------
    ValueError
        If there is no row or no score, a score is none, or a row is there twice with other values.
    """
    rows_read: list[_Row] = []
    first_rows: dict[str, _Row] = {}
    labels: dict[str, None] = {}
    pattern: Pattern | None = None
    for place, row in rows:
        pattern = pattern or find_pattern(row)
        if pattern is None:
            raise problem(name, f"has columns of no known tool: {listed(row)}", row=place)
        labels |= dict.fromkeys(_expectations(row, pattern))
        key = _first(row, pattern.row) if pattern.row else None
        parsed = _row(name, place, row, pattern, b"" if key is None else digest(_as_json(row)))
        if key is not None and (first := first_rows.setdefault(str(key), parsed)) is not parsed:
            if first.same != parsed.same:
                reason = f"{key!r} is there twice, with other values in row {first.place}"
                raise problem(name, reason, row=place)
            continue
        rows_read.append(parsed)
        if not len(rows_read) % _STEP:
            size = _ROW + _VALUE * len(parsed.scores) + len(parsed.text)
            keep_bytes(_STEP * size, place)
    if pattern is None:
        raise problem(name, "holds names of columns but no rows")
    return _run(name, pattern, rows_read, labels)


def _row(name: str, place: int, row: dict[str, Any], pattern: Pattern, same: bytes) -> _Row:
    inputs = {c: value for c, value in row.items() if re.fullmatch(pattern.inputs, c)}
    inputs = {c: None if is_blank(value) else _as_json(value) for c, value in inputs.items()}
    scores: dict[str, Any] = {}
    failed: set[str] = set()
    for column, metric in _columns(pattern, tuple(row)).items():
        scores[metric] = row[column]
        if pattern.metric_error and not is_blank(row.get(pattern.metric_error.format(metric))):
            failed.add(metric)
    if pattern.scores:
        scores |= _object(name, place, pattern.scores, row.get(pattern.scores))
    return _Row(
        place,
        id=str(_first(row, pattern.id) or "") if pattern.id else "",
        content=digest(inputs),
        text=next((str(value) for value in inputs.values() if value is not None), ""),
        error=_error(row, pattern),
        same=same,
        places=_places(tuple(scores)),
        scores=tuple(scores.values()),
        failed=frozenset(failed),
    )


def _error(row: dict[str, Any], pattern: Pattern) -> str:
    """The error in which a row ended; a state is one where it says so."""
    error = row.get(pattern.error)
    if is_blank(error) or (pattern.error == "state" and not str(error).endswith("ERROR")):
        return ""
    return str(error)


def _object(name: str, place: int, column: str, value: Any) -> dict[str, Any]:
    """Read a cell with several scores: an object, or its JSON text."""
    if is_blank(value):
        return {}
    scores = value
    if isinstance(value, str):
        with suppress(ValueError):  # which is then refused as the text that it is
            scores = value_of(value, name, place)
    if not isinstance(scores, dict):
        reason = "is no object of metric and score"
        raise problem(name, reason, row=place, column=column, value=scores)
    single = {k: v[0] for k, v in scores.items() if isinstance(v, list) and len(v) == 1}
    return {str(metric): single.get(metric, score) for metric, score in scores.items()}


def _first(row: dict[str, Any], wanted: str) -> Any:
    """The first of the columns that holds something."""
    return next((row[c] for c in row if re.fullmatch(wanted, c) and not is_blank(row[c])), None)


def _expectations(row: dict[str, Any], pattern: Pattern) -> list[str]:
    """List columns of MLflow that look like metrics but are expectations."""
    if pattern.tool != "MLflow":
        return []
    assessments = row.get("assessments")
    if is_blank(assessments):
        return [m for m in pattern.metrics(row).values() if _AS_EXPECTED.fullmatch(m)]
    text = assessments if isinstance(assessments, str) else json.dumps(_as_json(assessments))
    return _EXPECTED.findall(text)


def _as_json(value: Any) -> Any:
    """Return a cell as JSON data; other types as text."""
    if isinstance(value, dict):
        return {str(key): _as_json(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(element) for element in value]
    return value if isinstance(value, str | bool | int | float | None) else str(value)


def _run(name: str, pattern: Pattern, rows: Sequence[_Row], labels: Iterable[str]) -> Run:
    named = dict.fromkeys(metric for row in rows for metric in row.places)
    texts = [m for m in named if m in set(labels) or _is_text([r.score(m) for r in rows])]
    metrics = [metric for metric in named if metric not in texts]
    if not metrics:
        raise problem(name, f"holds no column of scores; {listed(texts) or 'none'} hold text")
    run = Run(
        tool=pattern.tool,
        files=[name],
        own_ids=all(row.id for row in rows),
        ordered=False,
        why=next((row.error[:200] for row in rows if row.error), ""),
    )
    if texts:
        run.notes.append(("labels", f"{listed(texts)} left out: text or what was expected"))
    times = occurrences(row.id if run.own_ids else row.content for row in rows)
    run.epochs = max(times) + 1 if run.own_ids else 1
    for row, k in zip(rows, times, strict=True):
        _add(run, row, k, metrics)
    return run


def _is_text(values: Sequence[Any]) -> bool:
    """Whether all values are labels: there are some, and none is a score."""
    present = [value for value in values if not is_blank(value)]
    return bool(present) and all(
        as_score(value) is None and not (isinstance(value, str) and vanishes(value))
        for value in present
    )


def _add(run: Run, row: _Row, k: int, metrics: Sequence[str]) -> None:
    sample = run.cells.sample(
        row.id if run.own_ids else numbered(make_id(row.text, row.content), k),
        epoch=k + 1 if run.own_ids else 1,
        content=row.content,
        text=row.text,
        row=row.place,
        failed=bool(row.error),
    )
    for metric in metrics:
        status = ERROR if row.error or metric in row.failed else OK
        raw = parse_score(row.score(metric), run.files[0], row.place, metric)
        run.cells.score(sample, metric, raw, status)
