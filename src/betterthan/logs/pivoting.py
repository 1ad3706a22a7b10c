"""Pivot records of one metric to scores: items by systems, each cell with its status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.items import scores_array
from betterthan.io.problems import counted, listed
from betterthan.io.saying import named_systems
from betterthan.io.table import refuse_large
from betterthan.io.text_arrays import text_array
from betterthan.logs.choosing import chosen_records
from betterthan.logs.joining import joined, numbered
from betterthan.logs.record import ERROR, MISSING, OK, STATUSES, UNSCORED, Logs
from betterthan.signed import Signature

POLICIES = ("missing", "raw", "worst")
STATUS = "status"
_FILES = 8  # that are named


def pivot_scores(
    logs: Logs,
    *,
    task: str | Sequence[str] | None = None,
    metric: str | None = None,
    filter: str | None = None,
    epoch: int | None = None,
    join: str = "auto",
    errors: str = "missing",
    unscored: str = "missing",
    higher_is_better: bool | None = None,
) -> xr.DataArray:
    """Scores of logs by one metric.

    Parameters
    ----------
    logs : Logs
    task, metric, filter, epoch
        See `chosen_records`.
    join : {"auto", "id", "content", "order"}, default "auto"
        See `joining.joined`.
    errors, unscored : {"missing", "raw", "worst"}, default "missing"
        What a sample counts as that ended in an error, or that the scorer did not score: missing,
        the number that the tool wrote, or the worst score.
    higher_is_better : bool, optional
        As the log says when not given, else True.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        NaN where missing, with coordinates ``status`` (item, system; int8, its
        ``flag_meanings`` in its attrs), and on item ``dataset`` where there are several tasks,
        ``epoch`` where an item was run several times, ``cluster`` where known. ``attrs`` has
        ``reading``, ``source``, ``metric``, ``tool`` and the policies.

    Raises
    ------
    ValueError
        If a choice is missing or unknown, items cannot be joined, or there are fewer than two
        systems.
    """
    policies = _policies(errors=errors, unscored=unscored)
    records, messages = chosen_records(logs, task=task, metric=metric, filter=filter, epoch=epoch)
    name = str(records["metric"].iloc[0])
    better = _direction(logs, records, name, higher_is_better)
    systems = _systems(records)
    squares = [_square(logs, group, join, systems) for _, group in _by_task(records)]
    scores, filled = _under(_stacked(squares, systems), squares, policies, better)
    tool = ", ".join(dict.fromkeys(_run_values(logs, records, "tool")))
    options = policies | {"metric": name, "tool": tool, "by": squares[0].by}
    signed = Signature(
        layout="logs",
        unit="item",
        source=_source(logs, records),
        reading=_reading(logs, records, scores, options, [*messages, *filled]),
        higher_is_better=better,
        metric=name,
        tool=tool,
        errors=errors,
        unscored=unscored,
    )
    return scores.assign_attrs(signed.to_attrs() | {"n_missing": int(scores.isnull().sum())})


def _policies(**policies: str) -> dict[str, str]:
    for name, value in policies.items():
        checks.one_of(value, POLICIES, name)
    return policies


@dataclass(frozen=True)
class Square:
    """Of one task: scores, what was written, and status, over (unit, system)."""

    task: str
    ids: list[str]
    epochs: np.ndarray
    clusters: np.ndarray | None
    score: np.ndarray
    raw: np.ndarray
    status: np.ndarray
    by: str


def _by_task(records: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    groups = records.groupby("task", observed=True, sort=False)
    return [(str(task), group) for task, group in groups]


def _systems(records: pd.DataFrame) -> list[str]:
    present = set(records["system"].unique())
    systems = [str(s) for s in records["system"].cat.categories if s in present]
    if len(systems) < 2:
        only = f"only one system, {systems[0]!r}"
        raise ValueError(f"{only}; a comparison needs at least two: give the logs of two systems")
    return systems


def _square(logs: Logs, records: pd.DataFrame, join: str, systems: list[str]) -> Square:
    item_keys = joined(logs, records, join)
    epoch = records["epoch"].to_numpy()
    unit, first = _units(item_keys.key, epoch)
    refuse_large("the logs", items=len(first), systems=len(systems))
    shape = (len(first), len(systems))
    cells = (unit, pd.Index(systems).get_indexer(np.asarray(records["system"])))
    score, raw = np.full(shape, np.nan), np.full(shape, np.nan)
    status = np.full(shape, STATUSES.index(MISSING), np.int8)
    score[cells], raw[cells] = records["score"], records["raw"]
    status[cells] = records["status"].cat.codes
    return Square(
        str(records["task"].iloc[0]),
        [str(key) for key in item_keys.key[first]],
        epoch[first],
        _clusters(records, unit, len(first)),
        score,
        raw,
        status,
        item_keys.by,
    )


def _units(key: np.ndarray, epoch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The unit of each record, an item in an epoch, and the first record of each unit."""
    return numbered(pd.factorize(key)[0], epoch)


def _clusters(records: pd.DataFrame, unit: np.ndarray, number: int) -> np.ndarray | None:
    """Return the cluster of each unit; None if no log has clusters."""
    codes = records["cluster"].cat.codes.to_numpy()
    if (codes < 0).all():
        return None
    first = np.full(number, -1)
    clustered = codes >= 0
    first[unit[clustered][::-1]] = codes[clustered][::-1]
    differs = clustered & (first[unit] != codes)
    if differs.any():
        item = records["item"].astype(str).iloc[int(differs.argmax())]
        raise ValueError(f"item {item!r} is in two clusters in different logs; give it one")
    labels = records["cluster"].cat.categories.astype(str).to_numpy(object)
    return np.array([labels[k] if k >= 0 else "" for k in first], object)


def _stacked(squares: Sequence[Square], systems: list[str]) -> xr.DataArray:
    """Scores of all tasks, one after the other, of the systems that have any."""
    coords: dict[str, np.ndarray] = {}
    if len(squares) > 1:
        tasks = [square.task for square in squares]
        coords["dataset"] = np.repeat(tasks, [len(square.ids) for square in squares])
    clusters = [square.clusters for square in squares if square.clusters is not None]
    if len(clusters) == len(squares):
        coords["cluster"] = text_array(np.concatenate(clusters).tolist())
    epochs = np.concatenate([square.epochs for square in squares])
    if (epochs != 1).any():
        coords["epoch"] = epochs.astype(np.int64)
    ids = [item for square in squares for item in square.ids]
    values = np.concatenate([square.score for square in squares])
    return scores_array(values, ids, systems, coords)


def _under(
    scores: xr.DataArray, squares: Sequence[Square], policies: Mapping[str, str], better: bool
) -> tuple[xr.DataArray, list[str]]:
    """Apply the policies for errors and unscored cells; attach the status."""
    status = np.concatenate([square.status for square in squares])
    raw = np.concatenate([square.raw for square in squares])
    values, messages = scores.values.copy(), []
    for kind, policy in ((ERROR, policies["errors"]), (UNSCORED, policies["unscored"])):
        cells = status == STATUSES.index(kind)
        if policy == "raw":
            values[cells] = raw[cells]
        if policy == "worst":
            values[cells] = worst = _worst(scores.values, better)
            messages.append(
                f"{counted(int(cells.sum()), 'cell')} of status {kind} taken as {worst:g}"
            )
    flags = {"flag_values": np.arange(len(STATUSES)), "flag_meanings": " ".join(STATUSES)}
    status_coord = (scores.dims, status, flags)
    return scores.copy(data=values).assign_coords({STATUS: status_coord}), messages


def _worst(values: np.ndarray, better: bool) -> float:
    """The worst end of a share, else the worst score there is."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        return 0.0 if better else 1.0
    return low if better else high


def _direction(logs: Logs, records: pd.DataFrame, metric: str, requested: bool | None) -> bool:
    """Return whether higher is better according to the logs."""
    by_run: list[dict[str, bool]] = _run_values(logs, records, "higher_is_better")
    directions = {higher.get(metric, True) for higher in by_run}
    if len(directions) > 1:
        raise ValueError(
            f"higher {metric} is better in some of the logs and worse in others; name one task"
        )
    if requested is not None and requested not in directions:
        words = "higher is better" if directions == {True} else "lower is better"
        raise ValueError(f"higher_is_better={requested} contradicts the logs: of {metric} {words}")
    return directions.pop()


def _run_values(logs: Logs, records: pd.DataFrame, column: str) -> list[Any]:
    """Return a column of the runs table for the runs with records."""
    return logs.runs[column].loc[np.unique(records["run"].to_numpy())].tolist()


def _source(logs: Logs, records: pd.DataFrame) -> str:
    files = [name for all_ in _run_values(logs, records, "files") for name in all_]
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    return ", ".join(files[:_FILES]) + more


def _reading(
    logs: Logs,
    records: pd.DataFrame,
    scores: xr.DataArray,
    options: Mapping[str, Any],
    messages: list[str],
) -> str:
    """Summarize in one line what was read."""
    runs = counted(len(_run_values(logs, records, "tool")), "log")
    items = len(set(zip(*_item_keys(scores), strict=True)))
    size = f"{counted(items, 'item')} x {named_systems(scores[names.SYSTEM].values.tolist())}"
    if "epoch" in scores.coords:
        size += f", up to {counted(int(scores['epoch'].max()), 'run')} of each"
    tasks = [str(task) for task, _ in _by_task(records) if task]
    task = f", task {listed(tasks)}" if tasks else ""
    missing = ", ".join(_lacking(scores[STATUS].values, options))
    parts = [f"metric {options['metric']}, joined by {options['by']}", missing, *messages]
    return f"{runs} of {options['tool']}{task} read: {size}, {'; '.join(p for p in parts if p)}"


def _item_keys(scores: xr.DataArray) -> list[list[Any]]:
    keys = [key for key in ("dataset", names.ITEM) if key in scores.coords]
    return [scores[key].values.tolist() for key in keys]


def _lacking(status: np.ndarray, options: Mapping[str, Any]) -> list[str]:
    """Count the cells of each other status, and say how they are treated."""
    parts = []
    policy = {ERROR: options["errors"], UNSCORED: options["unscored"]}
    for kind in STATUSES:
        number = int((status == STATUSES.index(kind)).sum())
        if kind != OK and number:
            treatment = (
                f" (taken as {policy[kind]})" if policy.get(kind, "missing") != "missing" else ""
            )
            parts.append(f"{counted(number, 'cell')} {kind}{treatment}")
    return parts or ["all cells scored"]
