"""Means that a log reports, recomputed from its items by the rule of its tool."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.auditing.finding import NOTE, Finding, LogTables, fraction
from betterthan.logs.record import MISSING, OK, Frame

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


def _item_mean(records: Frame) -> float:
    """Average over items the mean of their scored runs."""
    return float(records.groupby("item", observed=True)["score"].mean().mean())


def _raw_mean(records: Frame) -> float:
    """Average the written numbers, whatever the status of the run."""
    run = records[records["status"] != MISSING]
    return float(run["raw"].fillna(0.0).mean())


def _declared_mean(records: Frame) -> float:
    """Divide the sum by the number of planned items: an unscored item counts as failed."""
    return float(records["score"].sum()) / max(records["item"].nunique(), 1)


RULES: dict[str, Rule | None] = {
    "mean": Rule(_mean),
    "mean_of_items": Rule(_item_mean),
    "mean_of_declared": Rule(_declared_mean),
    "mean of raw": Rule(_raw_mean),
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
            finding = _compared(run, metric, value, rule, records)
            if finding is not None:
                yield finding
        for name, values in run["reduced"].items():
            yield from _reducer_findings(
                run, name, values, lambda metric, k=k: records_by_metric.get((k, metric))
            )


def _reducer_findings(
    run: Frame, name: str, reported_values: dict[str, float], records_by: Callable[[str], Frame]
) -> Iterator[Finding]:
    """Check numbers reported under another reducer than the mean."""
    unclear = {message for code, message in run["said"] if code == "unanswered"}
    for metric, reported_value in reported_values.items():
        records = records_by(metric)
        odd = any(message.startswith(f"metric {metric}:") for message in unclear)
        if records is None or (name == "mode" and odd):  # N and I are two values, and one number
            continue
        value = reduced(records, name)
        allowed = EXACT * max(1.0, abs(reported_value))
        if value is not None and abs(value - reported_value) > allowed:
            description = (
                f"{run['system']}: reported {reported_value:.3f} by {name}, items give {value:.3f}"
            )
            where = run["files"][0]
            yield Finding(
                "reported", description, "", (run["system"],), run["task"], metric, where=where
            )


def _compared(
    run: Frame, metric: str, reported_value: float, rule: Rule, records: Frame
) -> Finding | None:
    """Compare a reported number with the number that the items give."""
    number = rule.number(records)
    items, scored = records["item"].nunique(), records[records["status"] == OK]["item"].nunique()
    about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"], "metric": metric}
    about |= {"n": scored, "of": items, "where": run["files"][0]}
    allowed = rule.within * max(1.0, abs(reported_value))
    if np.isfinite(number) and abs(number - reported_value) <= allowed:
        if scored == items and len(records) == (records["status"] == OK).sum():
            return None
        message = _over(run, reported_value, records, scored, items)
        return Finding("reported", message, NOTE, **about)
    gives = f"items give {number:.3f}" if np.isfinite(number) else "no item has a score"
    message = (
        f"{run['system']}: reported {reported_value:.3f}, {gives} "
        f"({fraction(scored, items, 'item')} scored)"
    )
    return Finding("reported", message, **about)


def _over(run: Frame, reported_value: float, records: Frame, scored: int, items: int) -> str:
    """Describe over which runs or items a reported number was computed."""
    if run["rule"] == "mean of raw":
        excluded = int((records["status"] != OK).sum())
        return (
            f"{run['system']}: the reported {reported_value:.3f} takes {excluded} of "
            f"{len(records)} runs as written that ended in an error or were never checked"
        )
    if run["rule"] == "mean_of_declared":
        excluded = items - scored
        return (
            f"{run['system']}: the reported {reported_value:.3f} takes {excluded} of {items} items "
            "as failed"
        )
    if records["epoch"].nunique() > 1:
        cells = f", {int((records['status'] == OK).sum())} of {len(records)} runs"
        over = "the mean over items of the mean over surviving runs, "
    else:
        cells = over = ""
    return (
        f"{run['system']}: the reported {reported_value:.3f} is {over}over {scored} of {items} "
        f"items{cells}"
    )
