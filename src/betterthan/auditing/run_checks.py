"""Checks of runs: completion, settings, prompts, scorers, errors, repeats, and reported means."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import gammaln

from betterthan import names
from betterthan.auditing.finding import (
    NOTE,
    STOP,
    WARN,
    Finding,
    LogTables,
    are,
    both,
    fraction,
    shares,
    short,
    some,
)
from betterthan.counts.runs import RunSums
from betterthan.counts.units import EPOCH, item_ids, several
from betterthan.exact.runs import run_effect, spread_of_runs, variances
from betterthan.exact.swaps.corrections import holm
from betterthan.logs.record import DONE, ERROR, MISSING, OK, UNSCORED, Frame

_N_EXTREME = 8  # shares at either end of which pairs are looked at


def most_different_pair(counts: Mapping[str, tuple[int, int]]) -> tuple[str, str] | None:
    """The system with more and the one with less whose counts are the least probable if both had
    one share (Fisher's exact test, here only to rank pairs). None if all shares are equal.

    Parameters
    ----------
    counts : mapping of str to (int, int)
        Of each system how often, of how many.

    Examples
    --------
    >>> most_different_pair({"a": (4, 18), "b": (1, 2), "c": (0, 18)})
    ('a', 'c')
    """
    name_by_count = {count: name for name, count in list(counts.items())[::-1] if count[1]}
    ranked = sorted(name_by_count, key=lambda count: count[0] / count[1])
    pairs = [
        (tail(more, less), name_by_count[more], name_by_count[less])
        for less in ranked[:_N_EXTREME]
        for more in ranked[-_N_EXTREME:]
        if more[0] * less[1] > less[0] * more[1]
    ]
    return min(pairs)[1:] if pairs else None


def tail(more: tuple[int, int], less: tuple[int, int]) -> float:
    """P(so many or more of the first happen to it), given how often it happened in both."""
    (a, n), (b, m) = more, less
    x = np.arange(a, min(a + b, n) + 1)
    chosen = _log_choose(n, x) + _log_choose(m, a + b - x) - _log_choose(n + m, a + b)
    return float(np.exp(chosen).sum())


def _log_choose(n: int, k: np.ndarray | int) -> np.ndarray:
    return gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n + 1, k))


ZEROS = {
    "ir_measures": "writes 0 for a query without results",
    "sacrebleu -sl": "gives an empty sentence 0",
}
_NO_ASSERT = "promptfoo"  # calls a test passed that asserts nothing


def errors(logs: LogTables) -> Iterator[Finding]:
    """Runs that ended in an error."""
    yield from _status_findings(logs, ERROR, "errors", "runs that ended in an error")


def unscored(logs: LogTables) -> Iterator[Finding]:
    """Runs that the scorer gave no score."""
    yield from _status_findings(logs, UNSCORED, "unscored", "runs without a score")


def _status_findings(logs: LogTables, status: str, code: str, what: str) -> Iterator[Finding]:
    refused = {m for metrics in logs.runs["refused"] for m in metrics}
    for task, metric, records in _by_metric(logs):
        if metric in refused:
            continue
        has = (records["status"] == status).groupby(records["system"], observed=True)
        every = {str(k): (int(v.sum()), len(v)) for k, v in has}
        counts = {system: count for system, count in every.items() if count[0]}
        if not counts:
            continue
        never = int((records["status"] == MISSING).sum())
        more = f"; {never} more were never run" if never and status == ERROR else ""
        cells = records[records["status"] == status]
        about = {"task": task, "metric": metric, "where": _items(cells)}
        number = sum(n for n, _ in counts.values())
        message = f"{what}: {shares(counts)}{_extremes_text(every)}{more}"
        yield Finding(code, message, WARN, tuple(counts), n=number, of=len(records), **about)


def _extremes_text(counts: dict[str, tuple[int, int]]) -> str:
    """Name the two most different of more than two systems."""
    pair = most_different_pair(counts) if len(counts) > 2 else None
    if pair is None:
        return ""
    more, less = (f"{name} {counts[name][0]} of {counts[name][1]}" for name in pair)
    return f"; largest difference: {more}, {less}"


def unchecked(logs: LogTables) -> Iterator[Finding]:
    """Tests that assert nothing, which promptfoo calls passed."""
    runs = logs.runs.index[logs.runs["tool"] == _NO_ASSERT]
    unasserted = logs.records[logs.records["run"].isin(runs)]
    unasserted = unasserted[(unasserted["status"] == UNSCORED) & (unasserted["raw"] > 0)]
    for task, records in unasserted.groupby("task", observed=True, sort=False):
        items = list(dict.fromkeys(records["item"].astype(str)))
        n, where = len(items), some(items)
        tests = f"tests {where} have" if n > 1 else f"test {items[0]!r} has"
        message = f"{tests} no assert: promptfoo calls it passed; left unscored"
        systems = tuple(dict.fromkeys(records["system"].astype(str)))
        yield Finding("unchecked", message, WARN, systems, str(task), n=n, where=where)


def numbers_on_errors(logs: LogTables) -> Iterator[Finding]:
    """Numbers that a tool wrote for runs that ended in an error."""
    for task, metric, records in _by_metric(logs):
        cells = records[(records["status"] == ERROR) & records["raw"].notna()]
        if cells.empty:
            continue
        values = some([f"{x:g}" for x in sorted(set(cells["raw"].tolist()))])
        tool = logs.runs["tool"].loc[cells["run"].iloc[0]]
        n = len(cells)
        message = (
            f"{tool} wrote {values} for {fraction(n, n, 'run').split(' of ')[1]} that ended in an "
            "error; left missing (errors='raw' keeps it)"
        )
        systems = tuple(dict.fromkeys(cells["system"].astype(str)))
        total, where = len(records), _items(cells)
        yield Finding("number-on-error", message, "", systems, task, metric, n, total, where)


def zeros(logs: LogTables) -> Iterator[Finding]:
    """Items that are 0 by every metric, by tools that write 0 where there was nothing to score."""
    for k, run in logs.runs[logs.runs["tool"].isin([*ZEROS])].iterrows():
        scored = logs.records[(logs.records["run"] == k) & logs.records["score"].notna()]
        most = scored.groupby("item", observed=True, sort=False)["score"].max()
        items = [str(item) for item in most.index[most == 0]]
        if items and len(items) < len(most):
            n, where = len(items), some(items)
            message = (
                f"{run['system']}: {fraction(n, len(most), 'item')} {are(n)} 0 by every metric "
                f"({where}): {run['tool']} {ZEROS[run['tool']]}"
            )
            yield Finding("zeros", message, "", (run["system"],), "", "", n, len(most), where)


def _by_metric(logs: LogTables) -> Iterator[tuple[str, str, Frame]]:
    groups = logs.records.groupby(["task", "metric"], observed=True, sort=False)
    for (task, metric), records in groups:
        yield str(task), str(metric), records


def _items(records: Frame) -> str:
    return some(list(dict.fromkeys(records["item"].astype(str))))


# settings that change what is measured, most telling first
SETTINGS = (
    *("limit", "samples", "sample_id", "num_fewshot", "fewshot_seed", "epochs", "repeats"),
    *("temperature", "top_p", "top_k", "max_tokens", "max_gen_toks", "reasoning_effort"),
    *("template", "chat_template", "chat_template_sha", "system_message", "system_instruction"),
    *("system_instruction_sha", "fewshot_as_multiturn", "seed", "task_version"),
)
# a version from which the same scorer gives other numbers
BREAKS = (
    ("Inspect", "0.3.245", "model_graded", "calls unparsed verdicts unscored since 0.3.245"),
    ("Inspect", "0.3.259", "model_graded", "calls grades off the list unscored since 0.3.259"),
    ("Inspect", "0.3.221", "pass_at", "no longer counts samples twice since 0.3.221"),
)
# what a reader said, by how much it matters; what is not named here is a note
READER_LEVELS = dict.fromkeys(
    ("again", "unscored", "name", "rows", "missing", "unmatched"), WARN
) | {"invalidated": STOP}


def unfinished(logs: LogTables) -> Iterator[Finding]:
    """Logs that did not end well, and logs in which nothing has a score."""
    records, runs = logs.records, logs.runs
    for k, run in runs[runs["state"] != DONE].iterrows():
        samples = records[records["run"] == k]
        nothing = not bool((samples["status"] == OK).any())
        samples = samples.drop_duplicates(["item", "epoch"])
        n = int((samples["status"] != MISSING).sum())
        why = f"; first error: {run['why'][:100]}" if run["why"] else ""
        message = (
            f"log not finished: {run['system']} ({run['state']}), "
            f"{fraction(n, len(samples), 'sample')}{why}"
        )
        level = STOP if nothing else WARN
        about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"]}
        yield Finding("state", message, level, **about, n=n, of=len(samples), where=run["files"][0])


def without_scores(logs: LogTables) -> Iterator[Finding]:
    """Logs in which nothing has a score."""
    if not (logs.records["status"] == OK).any():
        systems = tuple(dict.fromkeys(logs.runs["system"]))
        message = f"no item has a score in any log of {some(systems)}"
        yield Finding("no score", message, STOP, systems, of=len(logs.records))


def reader_notes(logs: LogTables) -> Iterator[Finding]:
    """Report the notes of the readers of logs."""
    files_by_note: dict[tuple[str, str], dict[str, str]] = {}
    for _, run in logs.runs.iterrows():
        for note in run["said"]:
            files_by_note.setdefault(tuple(note), {})[run["system"]] = run["files"][0]
    for (code, message), systems in files_by_note.items():
        where = some(list(systems.values()))
        of_all = len(systems) == logs.runs["system"].nunique() > 1
        whom = f" ({some(list(systems))})" if not any(s in message for s in systems) else ""
        whom = "" if of_all else whom
        level = READER_LEVELS.get(code, NOTE)
        yield Finding(code, message + whom, level, tuple(systems), n=len(systems), where=where)


def refused_metrics(logs: LogTables) -> Iterator[Finding]:
    """Metrics that are no scores of items."""
    reasons: dict[tuple[str, str], str] = {}
    for _, run in logs.runs.iterrows():
        for metric, why in run["refused"].items():
            reasons.setdefault((run["task"], metric), why)
    for (task, metric), why in reasons.items():
        yield Finding("refused", why, task=task, metric=metric)


def generations(logs: LogTables) -> Iterator[Finding]:
    """Several generations of an item that lm-eval makes one score of."""
    for task, runs in logs.runs.groupby("task", sort=False):
        most = max(int(config.get("repeats") or 1) for config in runs["config"])
        if most > 1 and (runs["epochs"] == 1).all():
            message = (
                f"{most} generations of an item, but one score by each filter: they are no runs"
            )
            yield Finding("repeats", message, NOTE, task=str(task), n=most)


def directions(logs: LogTables) -> Iterator[Finding]:
    """Report metrics for which lower values are better according to the logs."""
    lower = {m for higher in logs.runs["higher_is_better"] for m, up in higher.items() if not up}
    upper = {m for higher in logs.runs["higher_is_better"] for m, up in higher.items() if up}
    for metric in sorted(lower):
        if metric in upper:
            message = f"lower {metric} is better in some logs and worse in others; name one task"
            yield Finding("direction", message, STOP, metric=metric)
        else:
            message = f"lower {metric} is better, as the logs say"
            yield Finding("direction", message, NOTE, metric=metric)


def settings(logs: LogTables) -> Iterator[Finding]:
    """Report settings that differ among the runs of a task; those that affect scores come alone."""
    for task, runs in logs.runs.groupby("task", sort=False):
        configs = runs["config"].tolist()
        keys = dict.fromkeys(key for config in configs for key in config)
        values_by_key = {key: [config.get(key) for config in configs] for key in keys}
        differ = {key: v for key, v in values_by_key.items() if len({repr(x) for x in v}) > 1}
        ranked = [k for k in differ if _last(k) in SETTINGS]
        ranked.sort(key=lambda key: SETTINGS.index(_last(key)))
        systems = tuple(dict.fromkeys(runs["system"]))
        for key in ranked:
            texts = ("not given" if value is None else short(value) for value in differ[key])
            values = list(dict.fromkeys(texts))
            about: dict[str, Any] = {"task": str(task), "n": len(values), "of": len(runs)}
            yield Finding("config", f"{key} differs: {both(values)}", WARN, systems, **about)
        if others := [k for k in differ if k not in ranked and not _names_the_system(k)]:
            message = f"other settings differ: {some(others)}"
            yield Finding("config", message, NOTE, task=str(task), n=len(others), of=len(differ))


def versions(logs: LogTables) -> Iterator[Finding]:
    """Report different versions of the tool among the runs of a task."""
    for (task, tool), runs in logs.runs.groupby(["task", "tool"], sort=False):
        tool_versions = list(dict.fromkeys(v for v in runs["version"] if v))
        n = len(tool_versions)
        if n > 1:
            message = f"versions of {tool} differ: {both(tool_versions)}"
            yield Finding("config", message, NOTE, task=str(task), n=n, of=len(runs))


def scorers(logs: LogTables) -> Iterator[Finding]:
    """Report different judges, scorers or their options, and versions on both sides of a known
    change.
    """
    for task, runs in logs.runs.groupby("task", sort=False):
        for role in ("judge", "scorer"):
            values = [v for v in dict.fromkeys(runs[role]) if v]
            if len(values) > 1:
                message = f"{role}s differ: {both(values)}"
                yield Finding("scorer", message, task=str(task), n=len(values), of=len(runs))
        for tool, version, scorer, change in BREAKS:
            fits = (runs["tool"] == tool) & runs["scorer"].str.contains(scorer, regex=False)
            tool_versions = list(dict.fromkeys(v for v in runs["version"][fits] if v))
            before = [v for v in tool_versions if _version(v) < _version(version)]
            if before and len(before) < len(tool_versions):
                message = f"{tool} {both(tool_versions)}: {scorer} {change}"
                yield Finding("scorer", message, task=str(task), n=len(tool_versions), of=len(runs))


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _names_the_system(key: str) -> bool:
    """Whether a setting is the model itself, of which another is what is compared."""
    return key.startswith(("model", "agent.")) or _last(key) in ("model", "pretrained", "path")


def prompts(logs: LogTables) -> Iterator[Finding]:
    """Find shared items that were run with different prompts."""
    hashed = logs.records[logs.records["item_hash"].notna() & logs.records["prompt_hash"].notna()]
    for task, records in hashed.groupby("task", observed=True, sort=False):
        pairs = records.drop_duplicates(["system", "item_hash", "prompt_hash"])
        systems = pairs.groupby("item_hash", sort=False)["system"].nunique()
        shared = pairs[pairs["item_hash"].isin(systems.index[systems > 1])]
        n_prompts = shared.groupby("item_hash", sort=False)["prompt_hash"].nunique()
        n, total = int((n_prompts > 1).sum()), len(n_prompts)
        if n:
            runs: Frame = logs.runs.loc[records["run"].unique()]
            yield _prompt_finding(runs, str(task), n, total)


def _prompt_finding(runs: Frame, task: str, n: int, total: int) -> Finding:
    """Report differing prompts; between runs of one model they are what is compared."""
    message = f"prompts differ on {fraction(n, total, 'shared item')}"
    systems = tuple(dict.fromkeys(runs["system"]))
    level, more = WARN, ""
    if set(runs["tool"]) == {"promptfoo"}:  # there a prompt is part of the system
        level, more = NOTE, ": they are part of the systems"
    elif runs["base"].nunique(dropna=False) == 1 and runs["base"].notna().all():
        level, more = STOP, f", and all runs use {runs['base'].iloc[0]}"
    return Finding("prompt", message + more, level, systems, task, "", n, total)


STDERR = "stderr"  # the key of reported standard errors among reduced numbers
_WITHIN = 0.02  # relative to a standard error that is reported
_LEVEL = 0.05
_FEWEST = 5  # items whose runs must all agree before they are called copies


def copies(scores: xr.DataArray) -> Iterator[Finding]:
    """Systems whose runs of every item agree, while items differ."""
    if not several(scores, EPOCH):
        return
    runs = RunSums.of(scores)
    systems = [s for s, same in zip(runs.systems, runs.identical, strict=True) if same]
    n = int((runs.trials > 1).any(1).sum())
    if systems and n >= _FEWEST:
        message = (
            f"all runs of each of {n} items agree for {some(systems)}: a cache, or temperature 0, "
            "makes copies; their noise is unknown, not 0"
        )
        yield Finding("copies", message, systems=tuple(systems), n=n, of=len(runs.items))


def good_days(scores: xr.DataArray) -> Iterator[Finding]:
    """Whole runs that are better or worse than chance, tested for each system."""
    if not several(scores, EPOCH):
        return
    labels = [str(label) for label in scores[EPOCH].values]
    frame: Any = pd.DataFrame(scores.values, columns=scores[names.SYSTEM].values.astype(str))
    index: list[np.ndarray] = [item_ids(scores), np.array(labels)]
    tables: dict[str, Any] = {
        str(system): column.groupby(index, sort=False).mean().unstack().dropna(axis=1, how="all")
        for system, column in frame.items()
    }
    tables = {system: table for system, table in tables.items() if table.shape[1] > 1}
    effects = {system: run_effect(table.dropna().to_numpy()) for system, table in tables.items()}
    p = holm(np.array([p for p, _ in effects.values()])) if effects else np.empty(0)
    for (system, table), adjusted in zip(tables.items(), p, strict=True):
        if adjusted <= _LEVEL:
            yield _day(system, table.dropna(), effects[system][0], float(adjusted), len(table))


def _day(system: str, table: pd.DataFrame, p: float, adjusted: float, of: int) -> Finding:
    means = table.mean().sort_values()
    low, high = (f"run {means.index[k]} {means.iloc[k]:.3f}" for k in (0, -1))
    holm_p = "" if adjusted == p else f", {adjusted:.2g} after Holm's correction"
    message = (
        f"whole runs of {system} differ more than chance ({low}, {high}; p = {p:.2g}{holm_p}): "
        "runs of one job share conditions, and standard errors that take runs as independent are "
        "too small"
    )
    return Finding("days", message, systems=(system,), n=len(table), of=of)


def standard_errors(logs: LogTables) -> Iterator[Finding]:
    """Reported standard errors that are not of items, or that the items do not give."""
    groups = dict(iter(logs.records.groupby(["run", "metric"], observed=True)))
    for k, run in logs.runs.iterrows():
        for metric, value in run["reduced"].get(STDERR, {}).items():
            records = groups.get((k, metric))
            if records is not None and np.isfinite(value):
                yield from _compared(run, metric, value, records[records["status"] == OK])


def _compared(run: Frame, metric: str, reported: float, records: Frame) -> Iterator[Finding]:
    runs = records.groupby("item", observed=True)["score"]
    r, mean = runs.count().to_numpy(float)[:, None], runs.mean().to_numpy(float)[:, None]
    scores = records["score"].to_numpy(float)
    if len(r) < 2:
        return
    squares = (records["score"] ** 2).groupby(records["item"], observed=True).sum().to_numpy(float)
    spread = spread_of_runs(mean * r, squares[:, None], r)
    of = variances(mean, spread, spread / r)
    items, noise = float(of.error[0]), float(of.error_of_runs[0])
    pooled = scores.std(ddof=1) / np.sqrt(len(scores))
    about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"], "metric": metric}
    written, items_text = differing(reported, items)
    says = f"{run['system']}: the reported standard error {written}"
    true = f"for items like these it is {items_text}"
    if _near(reported, items):
        return
    message, level = f"{says} is not that of the items, {items_text}", NOTE
    if len(scores) > len(r) and _near(reported, noise):
        message, level = f"{says} is the run-to-run noise; {true}", ""
    elif len(scores) > len(r) and _near(reported, pooled):
        message, level = f"{says} counts every run as an item; {true}", ""
    yield Finding("standard error", message, level, **about, n=len(r))


def differing(*values: float) -> list[str]:
    """Numbers to three decimals, or as many as it takes to see that they differ."""
    texts = ([f"{value:.{places}f}" for value in values] for places in range(3, 10))
    return next((text for text in texts if len({*text}) > 1), [f"{v:.3f}" for v in values])


def _near(reported: float, value: float) -> bool:
    return abs(reported - value) <= _WITHIN * max(abs(value), abs(reported)) + 1e-9


Reducer = Callable[[Sequence[float]], float]
_K_PATTERN = re.compile(r"(at_least|pass_at|pass_k)_(\d+)")
_RIGHT = 1.0  # the least score that passes


def reduced(records: Frame, name: str) -> float | None:
    """The mean over items of their scored runs under a reducer; None where it is not known.

    Parameters
    ----------
    records : pandas.DataFrame
        Of one run and metric.
    name : str
        As Inspect writes it: ``max``, ``median``, ``mode``, ``at_least_2``, ``pass_at_2``,
        ``pass_k_2``.
    """
    reducer = _reducer(name)
    if reducer is None:
        return None
    scored = records[records["status"] == OK].sort_values("epoch", kind="stable")
    groups = scored.groupby("item", observed=True, sort=False)["score"]
    scores = np.array([reducer(runs.tolist()) for _, runs in groups])
    scores = scores[~np.isnan(scores)]
    return float(scores.mean()) if len(scores) else None


def _reducer(name: str) -> Reducer | None:
    plain: dict[str, Reducer] = {
        "max": max,
        "median": lambda values: float(np.median(values)),
        "mode": lambda values: Counter(values).most_common(1)[0][0],  # of equals the first
    }
    fit = _K_PATTERN.fullmatch(name)
    if fit is None:
        return plain.get(name)
    reduce_k = {"at_least": _k_or_more, "pass_at": _pass_at, "pass_k": _pass_k}[fit[1]]
    k = int(fit[2])
    return lambda values: reduce_k(len(values), sum(value >= _RIGHT for value in values), k)


def _k_or_more(n: int, correct: int, k: int) -> float:
    return float(correct >= k)


def _pass_at(n: int, correct: int, k: int) -> float:
    """P(one of k runs is correct), drawn from n without replacement (Chen et al. 2021)."""
    return 1 - math.comb(n - correct, k) / math.comb(n, k) if n >= k else math.nan


def _pass_k(n: int, right: int, k: int) -> float:
    """P(all of k runs are right), of n drawn without replacement (Yao et al. 2024)."""
    return math.comb(right, k) / math.comb(n, k) if n >= k else math.nan


EXACT = 1e-6  # relative to what is reported, and absolute below 1


@dataclass(frozen=True)
class Rule:
    """How a tool makes one number of the scores of its items, and how exactly it writes it."""

    number: Callable[[Frame], float]  # of the records of one run and metric
    within: float = EXACT


def _mean(records: Frame) -> float:
    """The mean of all that has a score."""
    return float(records["score"].mean())


RULES: dict[str, Rule | None] = {
    "mean": Rule(_mean),
    # over items the mean of their scored runs
    "mean_of_items": Rule(
        lambda of: float(of.groupby("item", observed=True)["score"].mean().mean())
    ),
    # an unscored item counts as failed
    "mean_of_declared": Rule(lambda of: float(of["score"].sum()) / max(of["item"].nunique(), 1)),
    # of the written numbers, whatever the status of the run
    "mean of raw": Rule(
        lambda of: float(of.loc[of["status"] != MISSING, "raw"].fillna(0.0).mean())
    ),
    "mean of rounded": Rule(_mean, within=1e-4),
    "corpus": None,  # is no mean of items
}


def reported(logs: LogTables) -> Iterator[Finding]:
    """Find reported numbers that the items do not give."""
    records_by_metric = dict(iter(logs.records.groupby(["run", "metric"], observed=True)))
    for k, run in logs.runs.iterrows():
        rule = RULES.get(run["rule"])
        for metric, value in run["reported"].items():
            records = records_by_metric.get((k, metric))
            if rule is None or records is None or not np.isfinite(value):
                continue
            yield from _compare_means(run, metric, value, rule, records)
        for name, values in run["reduced"].items():
            metric_records = {metric: records_by_metric.get((k, metric)) for metric in values}
            yield from _reducer_findings(run, name, values, metric_records)


def _reducer_findings(
    run: Frame, name: str, reported_values: dict[str, float], metric_records: Mapping[str, Frame]
) -> Iterator[Finding]:
    """Check numbers reported under another reducer than the mean."""
    unclear = {message for code, message in run["said"] if code == "unanswered"}
    for metric, reported_value in reported_values.items():
        records = metric_records[metric]
        odd = any(message.startswith(f"metric {metric}:") for message in unclear)
        if records is None or (name == "mode" and odd):  # N and I are two values, and one number
            continue
        value = reduced(records, name)
        allowed = EXACT * max(1.0, abs(reported_value))
        if value is not None and abs(value - reported_value) > allowed:
            written, items_text = differing(reported_value, value)
            text = f"{run['system']}: reported {written} by {name}, items give {items_text}"
            about = {"task": run["task"], "metric": metric, "where": run["files"][0]}
            yield Finding("reported", text, "", (run["system"],), **about)


def _compare_means(
    run: Frame, metric: str, reported_value: float, rule: Rule, records: Frame
) -> Iterator[Finding]:
    """Compare a reported number with the number that the items give."""
    number, ok = rule.number(records), records["status"] == OK
    items, scored = records["item"].nunique(), records[ok]["item"].nunique()
    about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"], "metric": metric}
    about |= {"n": scored, "of": items, "where": run["files"][0]}
    allowed = rule.within * max(1.0, abs(reported_value))
    if np.isfinite(number) and abs(number - reported_value) <= allowed:
        if scored < items or not ok.all():
            message = _over(run, reported_value, records, scored, items)
            yield Finding("reported", message, NOTE, **about)
        return
    written, items_text = differing(reported_value, number)
    gives = f"items give {items_text}" if np.isfinite(number) else "no item has a score"
    message = (
        f"{run['system']}: reported {written}, {gives} ({fraction(scored, items, 'item')} scored)"
    )
    yield Finding("reported", message, **about)


def _over(run: Frame, reported_value: float, records: Frame, scored: int, items: int) -> str:
    """Describe over which runs or items a reported number was computed."""
    mean = f"{run['system']}: the reported {reported_value:.3f}"
    n_ok = int((records["status"] == OK).sum())
    if run["rule"] == "mean of raw":
        excluded = f"{len(records) - n_ok} of {len(records)} runs"
        return f"{mean} takes {excluded} as written that ended in an error or were never checked"
    if run["rule"] == "mean_of_declared":
        return f"{mean} takes {items - scored} of {items} items as failed"
    cells = over = ""
    if records["epoch"].nunique() > 1:
        cells = f", {n_ok} of {len(records)} runs"
        over = "the mean over items of the mean over surviving runs, "
    return f"{mean} is {over}over {scored} of {items} items{cells}"
