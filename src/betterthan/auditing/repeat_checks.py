"""Checks of repeated runs: copies, runs on good or bad days, and what a standard error contains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import NOTE, Finding, LogTables, some
from betterthan.counts.run_noise import RunSums
from betterthan.counts.units import EPOCH, item_ids, several
from betterthan.exact.runs import run_effect, spread_of_runs, variances
from betterthan.exact.swaps.corrections import holm
from betterthan.logs.record import OK, Frame

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
    about: dict[str, Any] = {
        "systems": (run["system"],),
        "task": run["task"],
        "metric": metric,
        "n": len(r),
    }
    says = f"{run['system']}: the reported standard error {reported:.3f}"
    true = f"for items like these it is {items:.3f}"
    if _near(reported, items):
        return
    if len(scores) > len(r) and _near(reported, noise):
        message = f"{says} is the run-to-run noise; {true}"
        yield Finding("standard error", message, **about)
    elif len(scores) > len(r) and _near(reported, pooled):
        message = f"{says} counts every run as an item; {true}"
        yield Finding("standard error", message, **about)
    else:
        message = f"{says} is not that of the items, {items:.3f}"
        yield Finding("standard error", message, NOTE, **about)


def _near(reported: float, value: float) -> bool:
    return abs(reported - value) <= _WITHIN * max(abs(value), abs(reported)) + 1e-9
