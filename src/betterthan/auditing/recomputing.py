"""What a log reports of its own items, computed again by the rule of its tool."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.auditing.finding import NOTE, Finding
from betterthan.auditing.reducing import reduced
from betterthan.auditing.seen import records_of, runs_of
from betterthan.auditing.told import of
from betterthan.logs.record import MISSING, OK, Frame, Logs

EXACT = 1e-6  # relative to what is reported, and absolute below 1


@dataclass(frozen=True)
class Rule:
    """How a tool makes one number of the scores of its items, and how exactly it writes it."""

    number: Callable[[Frame], float]  # of the records of one run and metric
    within: float = EXACT


def _mean(records: Frame) -> float:
    """The mean of all that has a score."""
    return float(records["score"].mean())


def _mean_of_items(records: Frame) -> float:
    """The mean over items of the mean over the runs that have a score."""
    return float(records.groupby("item", observed=True)["score"].mean().mean())


def _mean_of_raw(records: Frame) -> float:
    """The mean of what was written, whatever became of the run."""
    run = records[records["status"] != MISSING]
    return float(run["raw"].fillna(0.0).mean())


def _mean_of_declared(records: Frame) -> float:
    """The sum over how many items were meant: what has no score failed."""
    return float(records["score"].sum()) / max(records["item"].nunique(), 1)


RULES: dict[str, Rule | None] = {
    "mean": Rule(_mean),
    "mean_of_items": Rule(_mean_of_items),
    "mean_of_declared": Rule(_mean_of_declared),
    "mean of raw": Rule(_mean_of_raw),
    "mean of rounded": Rule(_mean, within=1e-4),
    "corpus": None,  # is no mean of items
}


def reported(logs: Logs) -> Iterator[Finding]:
    """Numbers that a log reports, and its items do not give."""
    of_metric = dict(iter(records_of(logs).groupby(["run", "metric"], observed=True)))
    for k, run in runs_of(logs).iterrows():
        rule = RULES.get(run["rule"])
        for metric, told in run["reported"].items():
            records = of_metric.get((k, metric))
            if rule is None or records is None or not np.isfinite(told):
                continue
            found = _compared(run, metric, told, rule, records)
            if found is not None:
                yield found
        for name, told in run["reduced"].items():
            yield from _of_reducer(run, name, told, lambda metric, k=k: of_metric.get((k, metric)))


def _of_reducer(
    run: Frame, name: str, told: dict[str, float], records_by: Callable[[str], Frame]
) -> Iterator[Finding]:
    """What is reported by another way to take the runs of an item than their mean."""
    unclear = {message for code, message in run["said"] if code == "unanswered"}
    for metric, number in told.items():
        records = records_by(metric)
        odd = any(message.startswith(f"metric {metric}:") for message in unclear)
        if records is None or (name == "mode" and odd):  # N and I are two values, and one number
            continue
        found = reduced(records, name)
        if found is not None and abs(found - number) > EXACT * max(1.0, abs(number)):
            said = f"{run['system']}: reported {number:.3f} by {name}, items give {found:.3f}"
            where = run["files"][0]
            yield Finding("reported", said, "", (run["system"],), run["task"], metric, where=where)


def _compared(run: Frame, metric: str, told: float, rule: Rule, records: Frame) -> Finding | None:
    """What is reported, against what the items give."""
    number = rule.number(records)
    items, scored = records["item"].nunique(), records[records["status"] == OK]["item"].nunique()
    about: dict[str, Any] = {"systems": (run["system"],), "task": run["task"], "metric": metric}
    about |= {"n": scored, "of": items, "where": run["files"][0]}
    if np.isfinite(number) and abs(number - told) <= rule.within * max(1.0, abs(told)):
        if scored == items and len(records) == (records["status"] == OK).sum():
            return None
        return Finding("reported", _over(run, told, records, scored, items), NOTE, **about)
    gives = f"items give {number:.3f}" if np.isfinite(number) else "no item has a score"
    said = f"{run['system']}: reported {told:.3f}, {gives} ({of(scored, items, 'item')} scored)"
    return Finding("reported", said, **about)


def _over(run: Frame, told: float, records: Frame, scored: int, items: int) -> str:
    """Over what a number is that leaves something out, or takes it as it was written."""
    if run["rule"] == "mean of raw":
        left = int((records["status"] != OK).sum())
        return (
            f"{run['system']}: the reported {told:.3f} takes {left} of {len(records)} runs as "
            "written that ended in an error or were never checked"
        )
    if run["rule"] == "mean_of_declared":
        left = items - scored
        return f"{run['system']}: the reported {told:.3f} takes {left} of {items} items as failed"
    if records["epoch"].nunique() > 1:
        cells = f", {int((records['status'] == OK).sum())} of {len(records)} runs"
        over = "the mean over items of the mean over surviving runs, "
    else:
        cells = over = ""
    return (
        f"{run['system']}: the reported {told:.3f} is {over}over {scored} of {items} items{cells}"
    )
