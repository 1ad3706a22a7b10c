"""Convert candidates to baselines, and baselines to tables and runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.units import CLUSTER, EPOCH
from betterthan.gating.baseline_files import Baseline, StoredBaseline
from betterthan.gating.baseline_schema import LOGS, TABLE
from betterthan.io.table import Table
from betterthan.logs.record import Logs, Run

_RUN_FIELDS = (
    *("tool", "version", "task", "config", "state", "epochs", "own_ids", "ordered"),
    *("judge", "scorer"),
)
_COORDINATES = {"dataset": names.DATASET, "cluster": CLUSTER, "epoch": EPOCH}


def baseline_from_scores(scores: xr.DataArray, sources: Sequence[str]) -> Baseline:
    """The scores of a table, (item,).

    Examples
    --------
    >>> scores = xr.DataArray([1.0, np.nan], dims="item", coords={"item": ["q1", "q2"]})
    >>> baseline_from_scores(scores, []).rows
    [{'item': 'q1', 'score': '1'}, {'item': 'q2', 'score': ''}]
    """
    columns = {"item": scores[names.ITEM].values}
    columns |= {
        k: scores[coord].values for k, coord in _COORDINATES.items() if coord in scores.coords
    }
    rows = [
        {name: str(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    for row, score in zip(rows, scores.values.tolist(), strict=True):
        row["score"] = _number(score)
    better = bool(scores.attrs.get("higher_is_better", True))
    about = {"source": str(scores.attrs.get("source", "")), "higher_is_better": better}
    return Baseline(TABLE, rows, about | {"sources": list(sources)})


def baseline_from_records(logs: Logs, records: Any, sources: Sequence[str]) -> Baseline:
    """Convert the records of one metric, of one system."""
    runs: Any = logs.runs.loc[np.unique(records["run"].to_numpy())]
    metric, place = str(records["metric"].iloc[0]), {k: n for n, k in enumerate(runs.index)}
    run_fields = [
        {name: _plain(run[name]) for name in _RUN_FIELDS}
        | {"system": run["base"], "lower": not run["higher_is_better"].get(metric, True)}
        for _, run in runs.iterrows()
    ]
    rows = [_row(record, place) for record in records.itertuples()]
    files = [name for run in runs["files"] for name in run]
    about = {
        "source": ", ".join(files),
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
    columns = {k: [row[k] or None if k == "score" else row[k] for row in rows] for k in used}
    return Table(stored.name, columns, stored.lines)


def as_runs(stored: StoredBaseline) -> list[Run]:
    """Return a baseline of logs as runs, as the readers of logs return them."""
    baseline = stored.baseline
    metric = baseline.about["metric"]
    runs = []
    for stored_run in baseline.about["runs"]:
        fields = {k: v for k, v in stored_run.items() if k != "lower"}
        runs.append(
            Run(files=[stored.name], lower={metric} if stored_run["lower"] else set(), **fields)
        )
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
