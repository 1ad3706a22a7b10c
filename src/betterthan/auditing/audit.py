"""Audit logs or scores: look for what would make a comparison wrong, by checks of one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.auditing import answer_checks, item_checks, run_checks
from betterthan.auditing.answer import Audit
from betterthan.auditing.finding import (
    NOTE,
    STOP,
    WARN,
    Finding,
    LogTables,
    findings_table,
    merged,
    some,
)
from betterthan.auditing.item_checks import item_means
from betterthan.counts.counting import gaps_in
from betterthan.counts.shapes import pair_indices, picked
from betterthan.counts.units import default_unit, item_ids
from betterthan.logs import pivoting
from betterthan.logs.frames import select_systems
from betterthan.logs.reading import combine_runs, read_runs
from betterthan.logs.record import MISSING, OK, STATUSES, Logs, full_texts
from betterthan.posterior.bounds import missing_bounds
from betterthan.reading.read import check_options, read, refuse
from betterthan.reading.sources import logs_in

LOGS, SCORES = "logs", "scores"


@dataclass(frozen=True)
class Check:
    """A check: the code of its findings, their level where it gives none, and what it looks at."""

    code: str
    level: str
    subject: str
    find: Callable[[Any], Iterable[Finding]]
    sentence: str


CHECKS: tuple[Check, ...] = (
    Check("state", WARN, LOGS, run_checks.unfinished, "unfinished or failed runs"),
    Check("no score", STOP, LOGS, run_checks.without_scores, "logs without any score"),
    Check("said", NOTE, LOGS, run_checks.reader_notes, "notes of the log reader"),
    Check(
        "refused", NOTE, LOGS, run_checks.refused_metrics, "metrics that are not scores of items"
    ),
    Check("repeats", NOTE, LOGS, run_checks.generations, "several generations with one score"),
    Check("direction", NOTE, LOGS, run_checks.directions, "metrics for which lower is better"),
    Check("content", STOP, LOGS, item_checks.other_contents, "one id with different contents"),
    Check("renamed", WARN, LOGS, item_checks.renamed, "one content with different ids"),
    Check("double", WARN, LOGS, item_checks.doubled, "one question that occurs twice"),
    Check("ids", NOTE, LOGS, item_checks.places, "ids that are positions in a list"),
    Check("prompt", WARN, LOGS, run_checks.prompts, "different prompts on shared items"),
    Check("config", WARN, LOGS, run_checks.settings, "different settings"),
    Check("config", NOTE, LOGS, run_checks.versions, "different versions of the tool"),
    Check("scorer", WARN, LOGS, run_checks.scorers, "different judges or scorers"),
    Check("reported", WARN, LOGS, run_checks.reported, "means that the items contradict"),
    Check(
        "standard error",
        WARN,
        LOGS,
        run_checks.standard_errors,
        "standard errors that are not of items",
    ),
    Check("errors", WARN, LOGS, run_checks.errors, "runs that ended in an error"),
    Check("unscored", WARN, LOGS, run_checks.unscored, "runs without a score"),
    Check("unchecked", WARN, LOGS, run_checks.unchecked, "tests that assert nothing"),
    Check(
        "number-on-error",
        NOTE,
        LOGS,
        run_checks.numbers_on_errors,
        "numbers written for failed runs",
    ),
    Check("zeros", NOTE, LOGS, run_checks.zeros, "zeros where there was nothing to score"),
    Check("disjoint", STOP, SCORES, item_checks.disjoint, "pairs without a common item"),
    Check("unmatched", WARN, SCORES, item_checks.unmatched, "items that a system lacks"),
    Check("denominators", WARN, SCORES, item_checks.denominators, "means over different items"),
    Check("repeats", NOTE, SCORES, item_checks.repeats, "items with repeated runs"),
    Check("copies", WARN, SCORES, run_checks.copies, "runs that are copies"),
    Check("days", WARN, SCORES, run_checks.good_days, "whole runs that differ"),
    Check("range", WARN, SCORES, item_checks.ranges, "scores on different scales"),
    Check(
        "mnar", WARN, SCORES, answer_checks.missing_with_difficulty, "scores missing on hard items"
    ),
    Check(
        "ceiling", NOTE, SCORES, item_checks.ceiling_and_floor, "items that all or no systems solve"
    ),
    Check("constant", NOTE, SCORES, item_checks.constants, "systems with a single score value"),
    Check("dead", NOTE, SCORES, item_checks.dead, "non-discriminating items"),
    Check("twins", NOTE, SCORES, item_checks.twins, "systems with identical scores"),
    Check("order", NOTE, SCORES, item_checks.drift, "scores that fall or rise along the file"),
)


LEAST = 40  # characters of a text that is looked at
_PAIR = 2  # items of one text, of which one may be a copy
WITHIN = 3  # bits of 64 in which near copies differ at most
_WORDS = 3  # of a shingle
_BANDS = 4  # one more than the bits that differ: one band at least is the same
_MOST = 1_000  # texts of one band that are looked at, pair by pair


def near_copies(logs: LogTables) -> Iterator[Finding]:
    """Pairs of items of a task whose texts are near copies, or equal with other answers; items of
    the same content are no pairs, and neither are those of a text that more than two have.
    """
    for task, records in logs.records.groupby("task", observed=True, sort=False):
        texts = records[["item", "text", "item_hash"]].drop_duplicates(["text", "item_hash"])
        texts = texts[texts["text"].str.len() >= LEAST]
        stems = texts.groupby("text")["item"].transform("nunique") > _PAIR  # asked of many things
        texts = texts[~(stems & texts.duplicated("text"))]
        items = texts["item"].astype(str).tolist()
        near = ((items[i], items[j]) for i, j in similar_pairs(texts["text"].tolist()))
        pairs = list(dict.fromkeys(pair for pair in near if pair[0] != pair[1]))
        if pairs:
            subject = "1 pair of items is a near copy"
            subject = subject if len(pairs) == 1 else f"{len(pairs)} pairs of items are near copies"
            message = f"{subject}: {some([f'{a} and {b}' for a, b in pairs])}"
            where = some(["=".join(pair) for pair in pairs])
            about: dict[str, Any] = {"task": str(task), "n": len(pairs), "of": len({*items})}
            yield Finding("near-double", message, NOTE, **about, where=where)


def similar_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of texts whose simhashes differ in at most 3 of 64 bits.

    References
    ----------
    G. S. Manku, A. Jain, A. Das Sarma (2007), Detecting near-duplicates for web crawling, WWW.

    Examples
    --------
    >>> many = " ".join(f"word{k}" for k in range(300))
    >>> similar_pairs([many, f"{many} more", "quite another text"])
    [(0, 1)]
    """
    if len(texts) < 2:
        return []
    hashes = np.array([simhash(text) for text in texts], np.uint64)
    bands = hashes.view(np.uint16).reshape(-1, _BANDS)
    candidates: set[tuple[int, int]] = set()
    for band in bands.T:
        order = np.argsort(band, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(band[order])) + 1):
            candidates.update(combinations(np.sort(group)[:_MOST].tolist(), 2))
    return sorted((i, j) for i, j in candidates if int(hashes[i] ^ hashes[j]).bit_count() <= WITHIN)


def simhash(text: str) -> int:
    """Return 64 bits; each is the majority bit among the shingles of three words."""
    words = text.lower().split()
    shingles = {" ".join(words[k : k + _WORDS]) for k in range(max(1, len(words) - _WORDS + 1))}
    encoded = (shingle.encode("utf-8", "replace") for shingle in shingles)
    digests = b"".join(blake2b(shingle, digest_size=8).digest() for shingle in encoded)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8).reshape(-1, 8), axis=1)
    return int.from_bytes(np.packbits(2 * bits.sum(0, dtype=int) > len(shingles)).tobytes(), "big")


COLUMNS = ("task", "metric", "system", "items", "epochs", "cells", *STATUSES, "mean")


def count_scores(scores: xr.DataArray, metric: str) -> pd.DataFrame:
    """Count the cells of each system and task by status."""
    tasks = np.full(scores.sizes[names.ITEM], scores.attrs.get("task", ""))
    if names.DATASET in scores.coords:
        tasks = scores[names.DATASET].values.astype(str)
    rows = []
    for task in dict.fromkeys(tasks.tolist()):
        rows += _count_task(scores.isel({names.ITEM: tasks == task}), task, metric)
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS))


def _count_task(scores: xr.DataArray, task: str, metric: str) -> list[dict[str, Any]]:
    places = pd.factorize(item_ids(scores))[0]
    status = _status(scores)
    missing = STATUSES.index(MISSING)
    planned = (status != missing) | gaps_in(scores)  # other blanks are runs of other systems
    means = pd.DataFrame(item_means(scores)).mean().tolist()
    rows = []
    for k, system in enumerate(scores[names.SYSTEM].values.astype(str)):
        own = status[planned[:, k], k]
        numbers = {name: int((own == s).sum()) for s, name in enumerate(STATUSES)}
        size = {"items": int(places.max(initial=-1)) + 1, "cells": len(own)}
        size["epochs"] = int(np.bincount(places[planned[:, k]]).max(initial=0))
        about = {"task": task, "metric": metric, "system": str(system)}
        rows.append(about | size | numbers | {"mean": means[k]})
    return rows


def _status(scores: xr.DataArray) -> np.ndarray:
    """The status of each cell; of plain scores a blank is missing."""
    if "status" in scores.coords:
        return scores["status"].values
    blank = np.isnan(scores.values.astype(float))
    return np.where(blank, STATUSES.index(MISSING), STATUSES.index(OK))


def count_records(logs: LogTables, metrics: Sequence[str]) -> pd.DataFrame:
    """Count the records of metrics without scores, or whose items could not be joined."""
    rows = []
    records = logs.records[logs.records["metric"].isin(list(metrics))]
    groups = records.groupby(["task", "metric", "system"], observed=True, sort=False)
    for (task, metric, system), group in groups:
        numbers = group["status"].value_counts()
        about = {"task": str(task), "metric": str(metric), "system": str(system)}
        about |= {"items": group["item"].nunique(), "epochs": int(group["epoch"].nunique())}
        about |= {"cells": len(group)} | {name: int(numbers.get(name, 0)) for name in STATUSES}
        about["mean"] = float(group.groupby("item", observed=True)["score"].mean().mean())
        rows.append(about)
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS))


def bounds_table(bounds: xr.Dataset, metric: str, baseline: str | None) -> pd.DataFrame:
    """A row for each pair."""
    systems = bounds[names.SYSTEM_A].values.astype(str)
    first, second = pair_indices(len(systems))
    if baseline is not None:
        concerned = (systems[first] == baseline) | (systems[second] == baseline)
        first, second = first[concerned], second[concerned]
    index = (first, second)
    table: dict[str, Any] = {"metric": metric, "system": systems[first], "other": systems[second]}
    table["n_missing"] = bounds["n_missing"].values[index]
    for k, case in enumerate(bounds["case"].values.astype(str)):
        suffix = "" if case == "observed" else f"_{case}"
        table[f"prob_better{suffix}"] = bounds["prob_better"].values[index][:, k]
        table[f"verdict{suffix}"] = bounds["verdict"].values[index][:, k]
    for name in ("difference_lower", "difference_upper", "holds"):
        table[name] = bounds[name].values[index]
    return pd.DataFrame(table)


_LOG_CHOICES = ("again", "format", "cluster", "items")  # choices of `read_logs`
# choices of the scores of logs, with what some of them may be
_SCORE_CHOICES = dict.fromkeys(("task", "metric", "filter", "epoch", "higher_is_better"), ()) | {
    "join": pivoting.JOINS,
    "errors": pivoting.POLICIES,
    "unscored": pivoting.POLICIES,
}


def audit(
    source: Any,
    baseline: str | None = None,
    *,
    systems: Any = None,
    near: bool = False,
    limits: Sequence[float] | None = None,
    per: str = "item",
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    **choices: Any,
) -> Audit:
    """Check data for errors that would make a comparison wrong.

    The audit looks for wrongly joined items, unequal denominators, errors counted as scores,
    repeated runs counted as items, and settings and prompts that differ.

    Parameters
    ----------
    source : path, list of paths, mapping, DataFrame, logs or scores
        Anything that `read` accepts, the logs from `read_logs`, or scores over (item, system).
    baseline : str, optional
        System to compare all others with; verdicts on other pairs are not checked.
    systems : list of str, mapping of str to str, or callable, optional
        Systems to audit; see `read`. Default: all.
    near : bool, default False
        Whether to look for near-duplicate items, too: the simhashes of their three-word shingles
        differ in at most 3 of 64 bits. Needs logs that `audit` reads.
    limits, per
        Possible values of a missing score; see `posterior.missing_bounds`.
    rope, threshold
        Half-width of the ROPE, and probability needed for a verdict; see `compare`.
    **choices
        Options of `read`: ``task, metric, filter, epoch, join, again, format``, and more.
        Without a metric, each metric is audited. Of several finished runs of a system, the last one
        is used.

    Returns
    -------
    Audit
        ``.findings``, ``.table``, and ``.bounds`` are tables; print the audit to read them.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file cannot be read, or an option is not valid.

    Examples
    --------
    >>> import betterthan as bt, numpy as np, xarray as xr
    >>> values = [[1, 0], [1, 0], [1, 1], [1, np.nan], [1, 0], [1, 0], [1, 0]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> bt.audit(scores).findings["code"].tolist()
    ['unmatched', 'denominators', 'constant', 'dead']
    """
    choices = {name: value for name, value in choices.items() if value is not None}
    check_options(choices, "audit")
    if checks.flag(near, "near") and isinstance(source, Logs | xr.DataArray):
        raise ValueError("near=True needs the logs themselves: what was read has no whole texts")
    how = {"limits": limits, "per": per, "rope": rope, "threshold": threshold}
    if isinstance(source, Logs):
        before = {name: choices.get(name) for name in _LOG_CHOICES}
        refuse(before, "the source is logs that were read; pass it to read_logs")
        return _audit_logs(select_systems(source, systems), baseline, choices, how)
    if isinstance(source, xr.DataArray):
        refuse(choices, "the source is scores")
        return _audit_scores({"": picked(schemas.scores(source), systems)}, baseline, how)
    logs = logs_in(source, choices.get("format")) if choices.get("layout") is None else None
    if logs is None and near:
        raise ValueError("near=True does not apply: the source is a table, without the texts")
    if logs is None:
        scores = read(source, systems=systems, **choices)
        if names.ITEM not in scores.dims or names.SYSTEM not in scores.dims:
            raise ValueError("source holds no scores by item; an audit looks at items")
        return _audit_scores({"": schemas.scores(scores)}, baseline, how)
    again = choices.get("again") or "last"
    with full_texts() if near else nullcontext():
        runs = read_runs(logs, choices.get("items"), choices.get("cluster"))
        logs_read = combine_runs(*runs, systems=systems, again=again)
    return _audit_logs(logs_read, baseline, choices, how, near)


def _audit_logs(
    logs: LogTables,
    baseline: str | None,
    choices: Mapping[str, Any],
    how: Mapping[str, Any],
    near: bool = False,
) -> Audit:
    """Run all checks of logs, and those of their scores by each metric."""
    score_choices = {k: v for k, v in choices.items() if k not in _LOG_CHOICES and v is not None}
    for name, value in score_choices.items():
        if name not in _SCORE_CHOICES:
            raise ValueError(f"{name}={checks.quoted(value)} does not apply: the source is a log")
        if _SCORE_CHOICES[name]:
            checks.one_of(value, _SCORE_CHOICES[name], name)
    selection = {k: score_choices.get(k) for k in ("task", "metric", "filter", "epoch")}
    every_epoch = _selected(logs, **(selection | {"epoch": None}))
    logs = _selected(logs, **selection)
    _check_baseline(baseline, logs.runs["system"])
    findings = [*findings_of(LOGS, logs, every_epoch)]
    findings += near_copies(logs) if near else []
    by_metric = _scores_by_metric(logs, score_choices, findings)
    audited = _audit_scores(by_metric, baseline, how, findings)
    unscored = [m for m in _metrics(logs, all_=True) if m not in by_metric]
    table = pd.concat([audited.table, count_records(logs, unscored)], ignore_index=True)
    return replace(audited, table=table, source=_source(logs))


def _selected(logs: LogTables, **selection: Any) -> Logs:
    """The records of a task, metric, filter or epoch, and their runs."""
    if selection["metric"] is None and selection["filter"] is None:
        records = pivoting.with_values(logs.records, "task", selection["task"])
        records = pivoting.with_values(records, "epoch", selection["epoch"])
    else:
        records, _ = pivoting.chosen_records(logs, **selection)
    return Logs(records, logs.runs.loc[np.unique(records["run"].to_numpy())])


def _scores_by_metric(
    logs: LogTables, score_choices: Mapping[str, Any], findings: list[Finding]
) -> dict[str, xr.DataArray]:
    """The scores by each metric; why there are none of one is added to what was found."""
    by_metric: dict[str, xr.DataArray] = {}
    for metric in _metrics(logs):
        systems = logs.records.loc[logs.records["metric"] == metric, "system"].unique().tolist()
        if len(systems) == 1:
            message = f"{systems[0]} is the only system: a comparison needs the logs of two"
            findings.append(Finding("alone", message, NOTE, (str(systems[0]),), metric=metric))
            continue
        try:
            better = pivoting.direction_by_name(logs, metric)
            arguments: dict[str, Any] = {"higher_is_better": better, **score_choices}
            arguments |= {"metric": metric, "filter": None}
            scores = pivoting.pivot_scores(logs, **arguments)
            if names.DATASET not in scores.coords:  # also one task alone is named
                task = logs.records["task"][logs.records["metric"] == metric].iloc[0]
                scores = scores.assign_attrs(task=str(task))
            by_metric[metric] = scores
        except ValueError as error:
            known = any(finding.code == "content" for finding in findings)
            if not (known and "content" in str(error)):
                findings.append(Finding("join", str(error), STOP, metric=metric))
    return by_metric


def _metrics(logs: LogTables, all_: bool = False) -> list[str]:
    """Metrics that some item has a score by."""
    records = logs.records if all_ else logs.records[logs.records["status"] == OK]
    return [str(metric) for metric in records["metric"].unique()]


def _audit_scores(
    by_metric: Mapping[str, xr.DataArray],
    baseline: str | None,
    how: Mapping[str, Any],
    findings: Sequence[Finding] = (),
) -> Audit:
    """Run all checks of scores, by each metric."""
    findings, tables, bounds = list(findings), [], []
    for metric, scores in by_metric.items():
        _check_baseline(baseline, scores[names.SYSTEM].values.tolist())
        limits = missing_bounds(scores, **how)
        metric_findings = [*findings_of(SCORES, scores)]
        metric_findings += answer_checks.open_verdicts(limits, baseline, _by(scores))
        task = str(scores.attrs.get("task", ""))
        findings += [replace(finding, metric=metric, task=task) for finding in metric_findings]
        tables.append(count_scores(scores, metric))
        bounds.append(bounds_table(limits, metric, baseline))
    findings += item_checks.other_winner(dict(by_metric))
    source = next((str(s.attrs.get("reading", "")) for s in by_metric.values()), "")
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    limits_table = pd.concat(bounds, ignore_index=True) if bounds else pd.DataFrame()
    return Audit(findings_table(merged(findings, list(by_metric))), table, limits_table, source)


def _by(scores: xr.DataArray) -> str:
    """What the bounds are by, where a comparison is by means, or on clusters or runs."""
    values = scores.values.astype(float)
    graded = not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()
    return "by wins on items" if graded or default_unit(scores) else ""


def findings_of(subject: str, data: Any, every_epoch: Any = None) -> Iterator[Finding]:
    """Yield the findings of all checks of a subject; without a level they get their check's. What
    logs report is of every epoch.
    """
    for check in CHECKS:
        if check.subject == subject:
            reports = check.code in ("reported", "standard error") and every_epoch is not None
            for finding in check.find(every_epoch if reports else data):
                yield finding if finding.level else replace(finding, level=check.level)


def _check_baseline(baseline: str | None, systems: Any) -> None:
    if baseline is not None:
        checks.one_of(baseline, tuple(dict.fromkeys(map(str, systems))), "baseline")


def _source(logs: LogTables) -> str:
    """What was audited."""
    runs = logs.runs
    tools = ", ".join(dict.fromkeys(runs["tool"]))
    systems = len(set(runs["system"]))
    tasks = [t for t in dict.fromkeys(runs["task"]) if t]
    task = f", task{'s' * (len(tasks) > 1)} {', '.join(tasks)}" if tasks else ""
    logs_ = "1 log" if len(runs) == 1 else f"{len(runs)} logs"
    return f"{logs_} of {tools}, {systems} system{'s' * (systems != 1)}{task}"
