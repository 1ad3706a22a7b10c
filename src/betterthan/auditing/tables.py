"""Tabulate an audit: denominators of each system, and best and worst cases of each pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.of_items import item_means
from betterthan.auditing.seen import record_table
from betterthan.counts.shapes import pair_indices
from betterthan.counts.units import item_ids
from betterthan.logs.record import MISSING, OK, STATUSES, Logs

COLUMNS = ("task", "metric", "system", "items", "epochs", "cells", *STATUSES, "mean")


def count_scores(scores: xr.DataArray, metric: str) -> pd.DataFrame:
    """Count the cells of each system and task by status."""
    tasks = (
        scores[names.DATASET].values.astype(str)
        if names.DATASET in scores.coords
        else np.full(scores.sizes[names.ITEM], scores.attrs.get("task", ""))
    )
    rows = []
    for task in dict.fromkeys(tasks.tolist()):
        task_scores = scores.isel({names.ITEM: tasks == task})
        rows += _count_task(task_scores, task, metric)
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS))


def _count_task(scores: xr.DataArray, task: str, metric: str) -> list[dict[str, Any]]:
    places = pd.factorize(item_ids(scores))[0]
    status = _status(scores)
    means = pd.DataFrame(item_means(scores)).mean().tolist()
    rows = []
    for k, system in enumerate(scores[names.SYSTEM].values.astype(str)):
        numbers = {name: int((status[:, k] == s).sum()) for s, name in enumerate(STATUSES)}
        size = {"items": int(places.max(initial=-1)) + 1, "cells": len(places)}
        size["epochs"] = int(np.bincount(places).max(initial=0))
        about = {"task": task, "metric": metric, "system": str(system)}
        rows.append(about | size | numbers | {"mean": means[k]})
    return rows


def _status(scores: xr.DataArray) -> np.ndarray:
    """The status of each cell; of plain scores a blank is missing."""
    if "status" in scores.coords:
        return scores["status"].values
    blank = np.isnan(scores.values.astype(float))
    return np.where(blank, STATUSES.index(MISSING), STATUSES.index(OK))


def count_records(logs: Logs, metrics: Sequence[str]) -> pd.DataFrame:
    """Count the records of metrics without scores, or whose items could not be joined."""
    rows = []
    records = record_table(logs)[record_table(logs)["metric"].isin(list(metrics))]
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
    selected = (
        slice(None)
        if baseline is None
        else (systems[first] == baseline) | (systems[second] == baseline)
    )
    index = (first[selected], second[selected])
    table: dict[str, Any] = {
        "metric": metric,
        "system": systems[index[0]],
        "other": systems[index[1]],
    }
    table["n_missing"] = bounds["n_missing"].values[index]
    for k, case in enumerate(bounds["case"].values.astype(str)):
        suffix = "" if case == "observed" else f"_{case}"
        table[f"prob_better{suffix}"] = bounds["prob_better"].values[index][:, k]
        table[f"verdict{suffix}"] = bounds["verdict"].values[index][:, k]
    for name in ("difference_lower", "difference_upper", "holds"):
        table[name] = bounds[name].values[index]
    return pd.DataFrame(table)
