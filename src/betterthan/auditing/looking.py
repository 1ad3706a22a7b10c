"""Look for what would make a comparison wrong, in logs or in scores."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.auditing import of_answers, of_spread
from betterthan.auditing.answer import Audit
from betterthan.auditing.finding import NOTE, STOP, Finding, merged, table_of
from betterthan.auditing.near import near_copies
from betterthan.auditing.roster import CHECKS, LOGS, SCORES, Check
from betterthan.auditing.seen import records_of, runs_of
from betterthan.auditing.tables import of_bounds, of_records, of_scores
from betterthan.counts.units import default_unit
from betterthan.io.problems import listed
from betterthan.logs.choosing import chosen_records
from betterthan.logs.joining import JOINS
from betterthan.logs.pivoting import POLICIES, scores_of
from betterthan.logs.reading import logs_of_files
from betterthan.logs.record import OK, Frame, Logs, whole_texts
from betterthan.posterior.bounds import missing_bounds
from betterthan.reading.any_source import read
from betterthan.reading.finding_logs import logs_in

_OF_LOGS = ("systems", "again", "format", "cluster")  # choices of `read_logs`
# choices of the scores of logs, with what some of them may be
_OF_SCORES = dict.fromkeys(("task", "metric", "filter", "epoch", "higher_is_better"), ()) | {
    "join": JOINS,
    "errors": POLICIES,
    "unscored": POLICIES,
}


def audit(
    source: Any,
    baseline: str | None = None,
    *,
    near: bool = False,
    limits: Sequence[float] | None = None,
    per: str = "item",
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    **choices: Any,
) -> Audit:
    """Look for what would make a comparison wrong: items joined wrongly, unequal denominators,
    errors counted as scores, repeats counted as items, settings and prompts that differ.

    Parameters
    ----------
    source : path, list of paths, mapping, DataFrame, logs or scores
        What `read` reads, what `read_logs` returns, or scores over (item, system).
    baseline : str, optional
        The system that the others are told against: verdicts of other pairs are not looked at.
    near : bool, default False
        Look for items whose texts are near copies of one another, too: the simhashes of their
        shingles of three words differ in at most 3 of 64 bits. Of logs that are read here.
    limits, per
        What a missing score may be; see `posterior.missing_bounds`.
    rope, threshold
        See `compare`.
    **choices
        As of `read`: ``task, metric, filter, epoch, join, systems, again, format`` and more. Each
        metric is audited if none is named. Of several finished runs of a system the last is.

    Returns
    -------
    Audit
        ``.findings``, ``.table`` and ``.bounds`` are tables; print it to read them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file cannot be read, or a choice is not valid.

    Examples
    --------
    >>> import betterthan as bt, numpy as np, xarray as xr
    >>> values = [[1, 0], [1, 0], [1, 1], [1, np.nan], [1, 0], [1, 0], [1, 0]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> bt.audit(scores).findings["code"].tolist()
    ['unmatched', 'denominators', 'constant', 'dead']
    """
    if near and isinstance(source, Logs | xr.DataArray):
        raise ValueError("near=True needs the logs themselves: what was read has no whole texts")
    how = {"limits": limits, "per": per, "rope": rope, "threshold": threshold}
    if isinstance(source, Logs):
        return _of_logs(source, baseline, choices, how)
    if isinstance(source, xr.DataArray):
        _no_choices(choices)
        return _of_scores({"": schemas.scores(source)}, baseline, how)
    logs = logs_in(source, choices.get("format")) if choices.get("layout") is None else None
    if logs is None and near:
        raise ValueError("near=True does not apply: the source is a table, without the texts")
    if logs is None:
        found = read(source, **choices)
        if names.ITEM not in found.dims or names.SYSTEM not in found.dims:
            raise ValueError("source holds no scores by item; an audit looks at items")
        return _of_scores({"": schemas.scores(found)}, baseline, how)
    again = choices.get("again") or "last"
    with whole_texts() if near else nullcontext():
        of_logs = {name: choices.get(name) for name in ("systems", "cluster")}
        found = logs_of_files(logs, **of_logs, again=again)
    return _of_logs(found, baseline, choices, how, near)


def _no_choices(choices: Mapping[str, Any]) -> None:
    for name, value in choices.items():
        if value is not None:
            raise ValueError(f"{name}={checks.shown(value)} does not apply: the source is scores")


def _of_logs(
    logs: Logs,
    baseline: str | None,
    choices: Mapping[str, Any],
    how: Mapping[str, Any],
    near: bool = False,
) -> Audit:
    """All checks of some logs, and of their scores by each metric."""
    own = _of_their_scores(choices)
    logs = _chosen(logs, own)
    _known(baseline, runs_of(logs)["system"])
    found = [one for check in CHECKS if check.looks_at == LOGS for one in _with(check, logs)]
    found += near_copies(logs) if near else []
    by_metric = _scores_by_metric(logs, own, found)
    audited = _of_scores(by_metric, baseline, how, found)
    told = of_records(logs, [m for m in _metrics(logs, all_=True) if m not in by_metric])
    table = pd.concat([audited.table, told], ignore_index=True)
    return replace(audited, table=table, source=_source(logs))


def _of_their_scores(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that are of the scores of logs, each one that there is."""
    own = {k: v for k, v in choices.items() if k not in _OF_LOGS and v is not None}
    for name, value in own.items():
        if name not in _OF_SCORES:
            raise ValueError(f"{name}={checks.shown(value)} does not apply: the source is a log")
        if _OF_SCORES[name]:
            checks.one_of(value, _OF_SCORES[name], name)
    return own


def _scores_by_metric(
    logs: Logs, own: Mapping[str, Any], found: list[Finding]
) -> dict[str, xr.DataArray]:
    """The scores by each metric; why there are none of one is added to what was found."""
    by_metric: dict[str, xr.DataArray] = {}
    for metric in _metrics(logs):
        if alone := _alone(logs, metric):
            found.append(alone)
            continue
        try:
            told: dict[str, Any] = {**own, "metric": metric, "filter": None}
            by_metric[metric] = _with_task(logs, metric, scores_of(logs, **told))
        except ValueError as error:
            if not (any(one.code == "content" for one in found) and "content" in str(error)):
                found.append(Finding("join", str(error), STOP, metric=metric))
    return by_metric


def _alone(logs: Logs, metric: str) -> Finding | None:
    """Whether one system alone has a metric, which is no comparison."""
    records = records_of(logs)
    systems = records.loc[records["metric"] == metric, "system"].unique().tolist()
    if len(systems) > 1:
        return None
    said = f"{systems[0]} is the only system: a comparison needs the logs of two"
    return Finding("alone", said, NOTE, (str(systems[0]),), metric=metric)


def _with_task(logs: Logs, metric: str, scores: xr.DataArray) -> xr.DataArray:
    """Scores that name their task also where there is one alone."""
    if names.DATASET in scores.coords:
        return scores
    task = str(records_of(logs)["task"][records_of(logs)["metric"] == metric].iloc[0])
    return scores.assign_attrs(task=task)


def _chosen(logs: Logs, own: Mapping[str, Any]) -> Logs:
    """The logs of the task and the metric that were asked for; all of them where none was."""
    asked = {k: own.get(k) for k in ("task", "metric", "filter", "epoch")}
    if asked["metric"] is None and asked["filter"] is None:
        records = _of_tasks(records_of(logs), asked["task"], asked["epoch"])
    else:
        records, _ = chosen_records(logs, **asked)
    return Logs(records, runs_of(logs).loc[np.unique(records["run"].to_numpy())])


def _of_tasks(records: Frame, task: Any, epoch: int | None) -> Frame:
    """The records of some tasks, and of one run of each item."""
    tasks = [task] if isinstance(task, str) else task
    for column, wanted in (("task", tasks), ("epoch", None if epoch is None else [epoch])):
        if wanted is None:
            continue
        there = records[column].unique().tolist()
        absent = [one for one in wanted if one not in there]
        if absent:
            raise ValueError(f"there is no {column} {absent[0]!r} among {listed(there)}")
        records = records[records[column].isin(list(wanted))]
    return records


def _metrics(logs: Logs, all_: bool = False) -> list[str]:
    """Metrics that some item has a score by."""
    records = records_of(logs) if all_ else records_of(logs)[records_of(logs)["status"] == OK]
    return [str(metric) for metric in records["metric"].unique()]


def _of_scores(
    by_metric: Mapping[str, xr.DataArray],
    baseline: str | None,
    how: Mapping[str, Any],
    found: Sequence[Finding] = (),
) -> Audit:
    """All checks of scores, by each metric."""
    found, tables, bounds = list(found), [], []
    for metric, scores in by_metric.items():
        _known(baseline, scores[names.SYSTEM].values.tolist())
        ends = missing_bounds(scores, **how)
        own = [one for check in CHECKS if check.looks_at == SCORES for one in _with(check, scores)]
        own += of_answers.open_verdicts(ends, baseline, _by(scores))
        task = str(scores.attrs.get("task", ""))
        found += [replace(one, metric=metric, task=task) for one in own]
        tables.append(of_scores(scores, metric))
        bounds.append(of_bounds(ends, metric, baseline))
    found += of_spread.other_winner(dict(by_metric))
    source = next((str(s.attrs.get("reading", "")) for s in by_metric.values()), "")
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    ended = pd.concat(bounds, ignore_index=True) if bounds else pd.DataFrame()
    return Audit(table_of(merged(found, list(by_metric))), table, ended, source)


def _by(scores: xr.DataArray) -> str:
    """What the bounds are by, where a comparison is by means, or on clusters or runs."""
    values = scores.values.astype(float)
    graded = not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()
    return "by wins on items" if graded or default_unit(scores) else ""


def _with(check: Check, seen: Any) -> Iterator[Finding]:
    """The findings of a check, with its level where they have none."""
    for one in check.find(seen):
        yield one if one.level else replace(one, level=check.level)


def _known(baseline: str | None, systems: Any) -> None:
    if baseline is not None:
        checks.one_of(baseline, tuple(dict.fromkeys(map(str, systems))), "baseline")


def _source(logs: Logs) -> str:
    """What was audited."""
    runs = runs_of(logs)
    tools = ", ".join(dict.fromkeys(runs["tool"]))
    systems = len(set(runs["system"]))
    tasks = [t for t in dict.fromkeys(runs["task"]) if t]
    task = f", task{'s' * (len(tasks) > 1)} {', '.join(tasks)}" if tasks else ""
    logs_ = "1 log" if len(runs) == 1 else f"{len(runs)} logs"
    return f"{logs_} of {tools}, {systems} system{'s' * (systems != 1)}{task}"
