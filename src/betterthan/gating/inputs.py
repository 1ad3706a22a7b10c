"""Both sides of a gate, read and aligned by item; or why they cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.auditing.audit import SCORES, audit, findings_of
from betterthan.auditing.finding import STOP, WARN, merged
from betterthan.counts.units import CLUSTER, EPOCH
from betterthan.gating import baseline_files
from betterthan.gating.baseline_files import (
    CONTENT,
    LOGS,
    TABLE,
    Baseline,
    StoredBaseline,
    is_baseline,
)
from betterthan.io import cells, score_values
from betterthan.io.files import read_file
from betterthan.io.frames import is_frame, table_from_frame
from betterthan.io.items import as_array, question_columns, sole
from betterthan.io.layouts import find, metric_of, recognise
from betterthan.io.measure_names import measures_in, refuse_other_measures, refuse_unknown_direction
from betterthan.io.problems import counted, listed, problem, quoted
from betterthan.io.reading import Columns, applied, read_tables, words
from betterthan.io.several_tables import score_columns
from betterthan.io.table import Table
from betterthan.logs.frames import select_systems, together
from betterthan.logs.pivoting import chosen_records, direction, pivot_scores
from betterthan.logs.reading import combine_runs, read_logs, read_runs
from betterthan.logs.recognising import find_files
from betterthan.logs.record import OK, Frame, Logs, Run
from betterthan.reading.read import check_options
from betterthan.reading.sources import in_pandas, logs_in, tables_in

_RUN_FIELDS = (
    *("tool", "version", "task", "config", "state", "epochs", "own_ids", "ordered"),
    *("judge", "scorer"),
)
_SCORE = "score"
_COORDINATES = {"dataset": names.DATASET, "cluster": CLUSTER, "epoch": EPOCH}


def contents(table: Table) -> dict[tuple[str, str], str]:
    """Digests of the question and of the gold label of each item, by data set and item; zeros where
    there is none.
    """
    item, dataset = find(table, "item"), find(table, "dataset")
    gold = []
    if recognise(table, of_one_system=True) == "predictions":
        gold = [str(sole(table, "gold"))]
    questions = question_columns(table)
    if item is None or not (questions or gold):
        return {}
    ids = cells.texts(table, item)
    labels = cells.texts(table, dataset) if dataset else [""] * len(ids)
    halves = [
        list(zip(*(cells.texts(table, column) for column in columns), strict=True))
        if columns
        else [()] * len(ids)
        for columns in (questions, gold)
    ]
    digests_by_item: dict[tuple[str, str], str] = {}
    for label, item_id, *texts in zip(labels, ids, *halves, strict=True):
        both = (_half(part) for part in texts)
        digests_by_item.setdefault((label.strip(), item_id.strip()), "".join(both))
    return digests_by_item


def _half(texts: tuple[str, ...]) -> str:
    """16 digits for some texts, zeros if they are blank."""
    stripped = [text.strip() for text in texts]
    return sha256("\0".join(stripped).encode()).hexdigest()[:16] if any(stripped) else "0" * 16


def _changed_contents(stored: StoredBaseline, table: Table) -> str:
    """Why items are not what they were when they were accepted, or nothing."""
    now, changed = contents(table), []
    for row in stored.baseline.rows:
        was, item = row.get(CONTENT, ""), (row["dataset"], row["item"])
        halves = [(text[:16], text[16:]) for text in (was, now.get(item, ""))]
        if any(a != b for a, b in zip(*halves, strict=True) if a.strip("0") and b.strip("0")):
            changed.append(row["item"])
    if not changed:
        return ""
    return (
        f"{counted(len(changed), 'item')} ({listed(changed)}) had another question or gold label "
        f"when {stored.name} was accepted; accept it again"
    )


def baseline_from_scores(
    scores: xr.DataArray,
    sources: Sequence[str],
    column: str = _SCORE,
    digests_by_item: Mapping[tuple[str, str], str] | None = None,
) -> Baseline:
    """The scores of a table, (item,), and the measure that the name of their column is.

    Examples
    --------
    >>> scores = xr.DataArray([1.0, np.nan], dims="item", coords={"item": ["q1", "q2"]})
    >>> baseline_from_scores(scores, []).rows
    [{'item': 'q1', 'score': '1'}, {'item': 'q2', 'score': ''}]
    """
    columns = {"item": scores[names.ITEM].values}
    columns |= {k: scores[c].values for k, c in _COORDINATES.items() if c in scores.coords}
    columns["score"] = np.array([_number(score) for score in scores.values.tolist()])
    if digests_by_item:
        labels = columns["dataset"] if "dataset" in columns else [""] * scores.sizes[names.ITEM]
        keys = zip(map(str, labels), map(str, columns["item"]), strict=True)
        columns[CONTENT] = np.array([digests_by_item.get(key, "") for key in keys])
    rows = [
        {name: str(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    better = bool(scores.attrs.get("higher_is_better", True))
    about = {"source": str(scores.attrs.get("source", "")), "higher_is_better": better}
    about |= {"metric": column} if column != _SCORE and measures_in(column) else {}
    return Baseline(TABLE, rows, about | {"sources": list(sources)})


def baseline_from_records(
    logs: Logs, records: Any, sources: Sequence[str], higher_is_better: bool
) -> Baseline:
    """Convert the records of one metric, of one system."""
    runs: Any = logs.runs.loc[np.unique(records["run"].to_numpy())]
    metric, place = str(records["metric"].iloc[0]), {k: n for n, k in enumerate(runs.index)}
    run_fields = [
        {name: _plain(run[name]) for name in _RUN_FIELDS}
        | {"system": run["base"], "lower": not higher_is_better}
        for _, run in runs.iterrows()
    ]
    rows = [_row(record, place) for record in records.itertuples()]
    about = {
        "source": ", ".join(name for run in runs["files"] for name in run),
        "sources": list(sources),
        "metric": metric,
        "runs": run_fields,
    }
    return Baseline(LOGS, rows, about)


def _row(record: Any, place: Mapping[Any, int]) -> dict[str, str]:
    """A record as text."""
    return {
        "run": str(place[record.run]),
        "item": str(record.item),
        "epoch": str(record.epoch),
        "cluster": "" if pd.isna(record.cluster) else str(record.cluster),
        "content": record.item_hash.hex() if record.item_hash else "",
        "prompt": record.prompt_hash.hex() if record.prompt_hash else "",
        "score": _number(record.raw),
        "status": str(record.status),
    }


def as_table(stored: StoredBaseline) -> Table:
    """Return a baseline of a table as the table of one system."""
    rows = stored.baseline.rows
    used = [k for k in rows[0] if k in ("item", "score") or any(row[k] for row in rows)]
    used = [k for k in used if k != CONTENT]
    columns = {k: [row[k] or None if k == "score" else row[k] for row in rows] for k in used}
    return Table(stored.name, columns, stored.lines)


def as_runs(stored: StoredBaseline) -> list[Run]:
    """Return a baseline of logs as runs, as the readers of logs return them."""
    baseline = stored.baseline
    metric = baseline.about["metric"]
    runs = []
    for stored_run in baseline.about["runs"]:
        fields = {k: v for k, v in stored_run.items() if k != "lower"}
        better = {metric: not stored_run["lower"]}
        runs.append(Run(files=[stored.name], higher_is_better=better, **fields))
    for line, row in zip(stored.lines, baseline.rows, strict=True):
        cells = runs[int(row["run"])].cells
        sample = cells.sample(
            row["item"],
            epoch=int(row["epoch"]),
            content=bytes.fromhex(row["content"]) or None,
            prompt=bytes.fromhex(row["prompt"]) or None,
            cluster=row["cluster"] or None,
            text="what was accepted",  # for messages: the file holds digests alone
            row=line,
        )
        cells.score(sample, metric, float(row["score"] or "nan"), row["status"])
    return runs


def _number(value: float) -> str:
    if np.isnan(value):
        return ""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _plain(value: Any) -> Any:
    """What JSON knows, of a setting whatever it is."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


SIDES = BASELINE, CANDIDATE = "baseline", "candidate"
LOG_CHOICES = ("task", "metric", "filter", "epoch", "join", "errors", "unscored")
GATE_CODES = ("verdict",)  # what a gate tells by its own rule
_TREATMENT = ("prompt",)  # what a candidate may change: it is what is gated
_CHOSEN = ("content",)  # who says how to join has seen that ids and contents disagree


@dataclass(frozen=True)
class Sides:
    """Scores of baseline and candidate, in this order; or what stops them from being compared.

    Attributes
    ----------
    scores : xarray.DataArray, PlainScores or None, dims (item, system)
    stops : tuple of str
        Why they cannot be compared.
    warned, messages : tuple of str
        What should be known of them.
    """

    scores: Any = None  # a DataArray, or plain scores
    stops: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


def record_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Select the choices that determine which records are read."""
    return {k: choices[k] for k in ("task", "metric", "filter", "epoch") if k in choices}


def sides_from_logs(logs: Logs, choices: Mapping[str, Any]) -> Sides:
    """Return the scores of logs by one metric, unless the audit finds an error."""
    refuse_several(logs, SIDES)
    records_read: Frame = logs.records
    if not (records_read["status"] == OK).any():
        return Sides(stops=("no item has a score in any of the logs",))
    records, _ = chosen_records(logs, **record_choices(choices))
    metric, systems = str(records["metric"].iloc[0]), set(records["system"].unique())
    absent = [side for side in SIDES if side not in systems]
    if absent:
        return Sides(stops=(f"the {absent[0]} has no score by {metric}",))
    how: dict[str, Any] = {k: choices[k] for k in (*LOG_CHOICES, _DIRECTION) if k in choices}
    how |= {"metric": metric, "filter": None}
    stops, warned, messages = _audit_messages(logs, how)
    if stops:
        return Sides(stops=stops)
    scores = pivot_scores(logs, **how)
    if reason := score_values.other_scales_of_logs(scores):
        return Sides(stops=(reason,))
    return Sides(scores.sel({names.SYSTEM: list(SIDES)}), (), warned, messages)


def _audit_messages(logs: Logs, how: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the messages that stop the comparison, those that warn, and those that are gated."""
    findings: Frame = audit(logs, BASELINE, **how).findings
    findings = findings[~findings["code"].isin(GATE_CODES)]
    gated = findings["code"].isin(_TREATMENT)
    chosen = findings["code"].isin(_CHOSEN if how.get("join") is not None else ())
    stop, warn = findings["level"] == "stop", findings["level"] == "warn"
    parts = stop & ~gated & ~chosen, (warn & ~gated) | (stop & chosen), gated
    return tuple(tuple(findings["message"][part]) for part in parts)


def refuse_several(logs: Logs, sides: Sequence[str]) -> None:
    """Refuse a side with several systems or several settings of one, or with none.

    Raises
    ------
    ValueError
        With the systems of the side.
    """
    systems = list(dict.fromkeys(logs.runs["system"].tolist()))
    for side in sides:
        starts = f"{side} |", f"{side} ("
        side_systems = [name for name in systems if name == side or name.startswith(starts)]
        if len(side_systems) > 1:
            settings = listed([k.removeprefix(side).strip(" |()") or k for k in side_systems])
            raise ValueError(
                f"the {side} holds {len(side_systems)} systems ({settings}); give the logs of one"
            )
        if not side_systems:
            raise ValueError(f"the {side} holds no log of a known tool")


_TABLE_CHOICES = (
    *("item", "system", "score", "dataset", "run"),
    *("ignore", "true", "false", "percent", "decimal", "sep"),
)
_RUN_CHOICES = ("again", "items", "format")
_DIRECTION = "higher_is_better"
CHOICES = (*_TABLE_CHOICES, *LOG_CHOICES, *_RUN_CHOICES, "cluster", _DIRECTION)


def read_sides(baseline: Any, candidate: Any, choices: Mapping[str, Any]) -> Sides:
    """Read both sides.

    Parameters
    ----------
    baseline, candidate : path, list of paths, pandas.DataFrame or Logs
        What `read` reads of one system; the baseline may be one that was accepted.
    choices : mapping
        Of `CHOICES`; None is not given.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file cannot be read, holds several systems, or a choice is not valid.
    """
    checked_choices, key = checked(choices), baseline_files.signing_key()
    baseline, candidate = in_pandas(baseline), in_pandas(candidate)
    for name, side in ((BASELINE, baseline), (CANDIDATE, candidate)):
        numbers = isinstance(side, list | tuple) and side and isinstance(side[0], int | float)
        if numbers or type(side).__name__ in ("Series", "ndarray", "DataArray"):
            right = "give a path, logs, or a DataFrame with columns item and score"
            raise ValueError(f"the {name} is a {type(side).__name__}; {right}")
    if is_baseline(candidate):
        reason = "is a baseline that --accept wrote; give the results that are to pass"
        raise problem(str(candidate), reason)
    if same := same_content(baseline, candidate):
        return Sides(stops=(same,))
    if not is_baseline(baseline):
        if key is not None and not _in_memory(baseline):
            return Sides(stops=(f"the baseline {baseline_files.UNSIGNED}",))
        return _read({BASELINE: baseline, CANDIDATE: candidate}, None, checked_choices)
    stored = baseline_files.read(baseline, key)
    if stored.refusal:
        return Sides(stops=(stored.refusal,))
    if stored.baseline.about["sources"] == (digests(candidate) or ["-"]):
        same = f"the candidate is what was accepted as {stored.name}; {_NOTHING_NEW}"
        return Sides(stops=(same,))
    sides = _read({CANDIDATE: candidate}, stored, checked_choices)
    return replace(sides, messages=(*stored.messages, *sides.messages))


_NOTHING_NEW = "there is no new measurement"
_SAME = f"the candidate is the baseline; {_NOTHING_NEW}"


def checked(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that were made.

    Raises
    ------
    ValueError
        If there is no such choice.
    """
    unknown = [name for name in choices if name not in CHOICES]
    if unknown:
        raise ValueError(f"there is no choice {unknown[0]!r} of a gate; give {', '.join(CHOICES)}")
    set_choices = {
        name: value
        for name, value in choices.items()
        if value is not None and not (isinstance(value, str) and value == "")
    }
    check_options(set_choices, "gate")
    # percent=False asks for nothing; higher_is_better=False turns every difference round
    return {k: v for k, v in set_choices.items() if v is not False or k == _DIRECTION}


def same_content(baseline: Any, candidate: Any) -> str:
    """Explain why nothing was measured between the two; empty where they differ."""
    if _in_memory(baseline) or _in_memory(candidate):
        same = is_frame(baseline) and is_frame(candidate) and baseline.equals(candidate)
        return _SAME if same else ""
    paths = [[match.file.path for match in find_files(side)] for side in (baseline, candidate)]
    shared = set.intersection(*({path.resolve() for path in side} for side in paths))
    if shared:
        name = min(shared).name
        return f"{name} is a file of the baseline and of the candidate; {_NOTHING_NEW}"
    sizes = [sorted(path.stat().st_size for path in side) for side in paths]
    if sizes[0] == sizes[1] and digests(baseline) == digests(candidate):
        return f"the candidate has the content of the baseline, byte for byte; {_NOTHING_NEW}"
    return ""


def _in_memory(source: Any) -> bool:
    return isinstance(source, Logs) or is_frame(source)


def digests(source: Any) -> list[str]:
    """Return the sorted digests of the files; none for data in memory."""
    if _in_memory(source):
        return []
    paths = (match.file.path for match in find_files(source))
    return sorted(sha256(path.read_bytes()).hexdigest()[:16] for path in paths)


def _read(
    source: dict[str, Any], stored: StoredBaseline | None, choices: Mapping[str, Any]
) -> Sides:
    logs_read = any(isinstance(side, Logs) for side in source.values())
    files = None if logs_read else logs_in(source, choices.get("format"))
    kind = LOGS if logs_read or files is not None else TABLE
    if stored is not None and stored.baseline.kind != kind:
        was, now = ("a table", "logs") if kind == LOGS else ("logs", "a table")
        raise problem(stored.name, f"was accepted of {was}, and the candidate is {now}")
    if stored is not None:
        choices = {**choices, _DIRECTION: _direction(stored, choices)}
    if kind == TABLE:
        return _read_tables(source, stored, choices)
    _refuse(choices, _TABLE_CHOICES, "logs")
    if files is None:
        return _read_logs(source, stored, choices)
    runs, keys = read_runs(files, choices.get("items"), choices.get("cluster"))
    baseline_runs: list[Run] = []
    if stored is not None:
        metric = stored.baseline.about["metric"]
        if not any(metric in run.metrics for run in runs):
            return _without_metric(metric, stored)
        baseline_runs = as_runs(stored)
    logs = combine_runs(
        [*baseline_runs, *runs],
        [*([BASELINE] * len(baseline_runs)), *keys],
        again=choices.get("again"),
    )
    sides = sides_from_logs(logs, choices)
    return replace(sides, messages=(*sides.messages, *([files.summary] if files.summary else [])))


def _without_metric(metric: str, stored: StoredBaseline) -> Sides:
    why = f"the candidate has no score by {quoted(metric)}, the metric of {stored.name}"
    return Sides(stops=(why,))


def _read_logs(
    source: dict[str, Any], stored: StoredBaseline | None, choices: Mapping[str, Any]
) -> Sides:
    """Read both sides from logs; one side or both may be `Logs` already."""
    log_options = (*_RUN_CHOICES, "cluster")
    options = {name: choices[name] for name in log_options if name in choices}
    if all(isinstance(side, Logs) for side in source.values()):
        _refuse(options, log_options, "logs that were read; pass it to read_logs")
    sides: dict[str, Logs] = {}
    for name, side in source.items():
        if isinstance(side, pd.DataFrame):
            raise ValueError(f"the {name} is a DataFrame; give logs, as the other side is")
        sides[name] = side if isinstance(side, Logs) else read_logs({name: side}, **options)
        if not len(sides[name].records):
            raise ValueError(f"the {name} is Logs without a record; give the logs of one system")
    if stored is None and _identity(sides[BASELINE]).equals(_identity(sides[CANDIDATE])):
        return Sides(stops=(_SAME,))
    if stored is not None:
        metric = stored.baseline.about["metric"]
        if metric not in sides[CANDIDATE].records["metric"].unique():
            return _without_metric(metric, stored)
        runs = as_runs(stored)
        sides = {BASELINE: combine_runs(runs, [BASELINE] * len(runs)), **sides}
    return sides_from_logs(together([_named(logs, name) for name, logs in sides.items()]), choices)


def _identity(logs: Logs) -> pd.DataFrame:
    """Return records with their files, without the names of systems."""
    files = logs.runs[["files", "started"]].astype(str)
    return logs.records.drop(columns="system").join(files, on="run")


def _named(logs: Logs, side: str) -> Logs:
    """Logs whose system is named as its side; of several systems the names say which side."""
    systems = list(dict.fromkeys(logs.runs["system"].tolist()))
    several = len(systems) > 1
    return select_systems(logs, {name: f"{side} | {name}" if several else side for name in systems})


def _read_tables(
    source: dict[str, Any], stored: StoredBaseline | None, choices: Mapping[str, Any]
) -> Sides:
    """Read one table for each side."""
    log_choices = [name for name in LOG_CHOICES if name != "metric"]
    _refuse(choices, (*log_choices, *_RUN_CHOICES), "tables")
    tables: dict[str, Any] = {} if stored is None else {BASELINE: as_table(stored)}
    tables |= {name: read_side(side, name, choices) for name, side in source.items()}
    if stored is not None:
        _refuse_another_metric(stored, tables[CANDIDATE], choices)
        if changed := _changed_contents(stored, tables[CANDIDATE]):
            return Sides(stops=(changed,))
    scores = _scores(tables, choices)
    if np.isnan(scores.values).all():
        return Sides(stops=("no item has a score in any of the tables",))
    if reason := score_values.doubtful(scores):
        return Sides(stops=(reason,))
    findings = merged(findings_of(SCORES, schemas.scores(scores)), [""])
    stops, warned = (
        tuple(finding.message for finding in findings if finding.level == level)
        for level in (STOP, WARN)
    )
    return Sides(scores, stops, warned)


def _score_column(table: Table, choices: Mapping[str, Any]) -> str:
    """The metric of the rows, or else the column of scores as its file names it; "score" where
    predictions have labels.
    """
    if metric := metric_of(table):
        return metric
    if "score" in choices or recognise(table, of_one_system=True) == "predictions":
        return choices.get("score", _SCORE)
    return score_columns(table)[0]


def _refuse_another_metric(
    stored: StoredBaseline, table: Table, choices: Mapping[str, Any]
) -> None:
    named = (
        (stored.name, stored.baseline.about.get("metric", _SCORE)),
        (table.source, _score_column(table, choices)),
    )
    refuse_other_measures(named, choices[_DIRECTION])


def _scores(tables: Mapping[str, Any], choices: Mapping[str, Any]) -> Any:
    """Scores of both sides; the name of a column of scores may call for a direction."""
    better = choices.get(_DIRECTION)
    how: dict[str, Any] = {"higher_is_better": better, "names_are": "systems", "plain": True}
    scores = read_tables(tables, systems=list(SIDES), **how)
    if better is None and "score" in choices:
        refuse_unknown_direction(scores.attrs["source"], [choices["score"]], scores.values)
    if choices.get("percent"):
        score_values.refuse_shares(as_array(scores))
    return scores


def _direction(stored: StoredBaseline, choices: Mapping[str, Any]) -> bool:
    """Return whether higher scores are better, as accepted; refuse any other choice."""
    about = stored.baseline.about
    runs = about.get("runs", ())
    better = not any(run["lower"] for run in runs) if runs else bool(about[_DIRECTION])
    if choices.get(_DIRECTION, better) != better:
        direction = "higher" if better else "lower"
        raise problem(stored.name, f"was accepted with {direction} scores better; accept it again")
    return better


def read_side(source: Any, name: str, choices: Mapping[str, Any]) -> Any:
    """Read the table of one side with the chosen columns and cells."""
    used = (*_TABLE_CHOICES, "cluster", "metric")
    arguments: dict[str, Any] = {k: v for k, v in choices.items() if k in used}
    arguments.update({k: words(choices.get(k)) for k in ("ignore", "true", "false")})
    columns = Columns(**arguments)
    table = tables_in({name: source})[0][name]
    if isinstance(table, list | tuple):
        if len(table) != 1:
            raise ValueError(f"the {name} is {len(table)} tables; give one, of one system")
        (table,) = table
    if is_frame(table):
        table = table_from_frame(table, name, levels=columns.named)
    else:
        table = read_file(checks.path(table, name), columns.sep)
    table = applied(table, columns, one_of_several=True)
    tallied = {find(table, role) for role in ("tp", "fp", "fn")}
    if None in tallied:
        return table
    scored = {choices["score"]} if "score" in choices else {*score_columns(table)}
    if scored and scored <= tallied:
        reason = "holds TP/FP/FN counts, and a gate compares one score of each item; add a column "
        raise problem(table.source, f"{reason}with it, such as F1, and name it with score=")
    return table


def _refuse(choices: Mapping[str, Any], refused: tuple[str, ...], kind: str) -> None:
    """Refuse choices that do not apply."""
    for name in refused:
        if name in choices:
            value = quoted(choices[name])
            raise ValueError(f"{name}={value} does not apply: what was given is {kind}")


def accept_candidate(candidate: Any, choices: Mapping[str, Any]) -> Baseline:
    """A candidate as a baseline.

    Raises
    ------
    ValueError
        If it cannot be read, holds several systems, or not one score.
    """
    checked_choices = checked(choices)
    files = logs_in({CANDIDATE: candidate}, checked_choices.get("format"))
    if files is None:
        table = read_side(candidate, CANDIDATE, checked_choices)
        scores = as_array(_scores({BASELINE: table, CANDIDATE: table}, checked_choices))
        scores = scores.sel({names.SYSTEM: CANDIDATE}).assign_attrs(source=table.source)
        if scores.isnull().all():
            raise problem(table.source, "holds not one score; there is nothing to accept")
        column = _score_column(table, checked_choices)
        return baseline_from_scores(scores, digests(candidate), column, contents(table))
    logs = combine_runs(
        *read_runs(files, checked_choices.get("items"), checked_choices.get("cluster")),
        again=checked_choices.get("again"),
    )
    refuse_several(logs, (CANDIDATE,))
    records, _ = chosen_records(logs, **record_choices(checked_choices))
    metric, requested = str(records["metric"].iloc[0]), checked_choices.get(_DIRECTION)
    better = direction(logs, records, metric, requested)
    return baseline_from_records(logs, records, digests(candidate), better)
