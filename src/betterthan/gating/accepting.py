"""Candidates to baselines, and baselines to what a reader reads."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.units import CLUSTER, EPOCH
from betterthan.gating.baseline_files import Baseline, Kept
from betterthan.gating.baseline_schema import LOGS, TABLE
from betterthan.io.table import Table
from betterthan.logs.record import Logs, Run

_OF_RUN = (
    *("tool", "version", "task", "config", "state", "epochs", "own_ids", "ordered"),
    *("judge", "scorer"),
)
_BESIDE = {"dataset": names.DATASET, "cluster": CLUSTER, "epoch": EPOCH}


def of_scores(scores: xr.DataArray, sources: Sequence[str]) -> Baseline:
    """The scores of a table, (item,).

    Examples
    --------
    >>> scores = xr.DataArray([1.0, np.nan], dims="item", coords={"item": ["q1", "q2"]})
    >>> of_scores(scores, []).rows
    [{'item': 'q1', 'score': '1'}, {'item': 'q2', 'score': ''}]
    """
    columns = {"item": scores[names.ITEM].values}
    columns |= {k: scores[at].values for k, at in _BESIDE.items() if at in scores.coords}
    rows = [
        {name: str(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    for row, score in zip(rows, scores.values.tolist(), strict=True):
        row["score"] = _number(score)
    better = bool(scores.attrs.get("higher_is_better", True))
    about = {"source": str(scores.attrs.get("source", "")), "higher_is_better": better}
    return Baseline(TABLE, rows, about | {"sources": list(sources)})


def of_records(logs: Logs, records: Any, sources: Sequence[str]) -> Baseline:
    """The records of one metric, of one system."""
    runs: Any = logs.runs.loc[np.unique(records["run"].to_numpy())]
    metric, place = str(records["metric"].iloc[0]), {k: n for n, k in enumerate(runs.index)}
    told = [
        {name: _plain(run[name]) for name in _OF_RUN}
        | {"system": run["base"], "lower": not run["higher_is_better"].get(metric, True)}
        for _, run in runs.iterrows()
    ]
    rows = [_row(record, place) for record in records.itertuples()]
    files = [name for run in runs["files"] for name in run]
    about = {"source": ", ".join(files), "sources": list(sources), "metric": metric, "runs": told}
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


def as_table(kept: Kept) -> Table:
    """A baseline of a table, as a file of one system is read."""
    rows = kept.of.rows
    used = [k for k in rows[0] if k in ("item", "score") or any(row[k] for row in rows)]
    columns = {k: [row[k] or None if k == "score" else row[k] for row in rows] for k in used}
    return Table(kept.name, columns, kept.lines)


def as_runs(kept: Kept) -> list[Run]:
    """A baseline of logs, as a reader reads them."""
    of = kept.of
    metric = of.about["metric"]
    runs = []
    for told in of.about["runs"]:
        fields = {k: v for k, v in told.items() if k != "lower"}
        runs.append(Run(files=[kept.name], lower={metric} if told["lower"] else set(), **fields))
    for line, row in zip(kept.lines, of.rows, strict=True):
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
