"""Convert runs to the two tables of `Logs`."""

from collections.abc import Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from betterthan.io.text_arrays import text_array
from betterthan.logs.naming import chosen
from betterthan.logs.record import ERROR, MISSING, OK, STATUSES, Cells, Logs, Run
from betterthan.text import encodable

_FIELDS = {"said": "notes"}  # columns of `Logs.runs` whose field of `Run` has another name
RECORDS = (
    *("run", "system", "task", "metric", "item", "item_hash", "prompt_hash", "epoch"),
    *("score", "raw", "status", "cluster", "file", "row", "text"),
)


def tabulate_runs(runs: Sequence[Run], systems: Sequence[str]) -> Logs:
    """Tabulate the records of some runs, with rows for planned samples that were not run."""
    parts = [_run_columns(k, run) for k, run in enumerate(runs)]
    columns_read: dict[str, Any] = {
        name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])
    }
    run_index = columns_read.pop("run")
    status = pd.Categorical.from_codes(columns_read.pop("status"), categories=list(STATUSES))
    texts = {name: _categories(columns_read.pop(name)) for name in ("metric", "item", "cluster")}
    named = {
        "system": _repeated(systems, run_index),
        "task": _repeated([run.task for run in runs], run_index),
    }
    score = np.where(np.asarray(status.codes) == STATUSES.index(OK), columns_read["raw"], np.nan)
    columns = {"run": run_index.astype(np.int32), "status": status, "score": score}
    columns |= texts | named | columns_read
    records = pd.DataFrame({name: columns[name] for name in RECORDS})
    return Logs(records, _runs_table(runs, systems))


def select_systems(logs: Logs, systems: Any) -> Logs:
    """Select some systems, as if only their logs had been read; see `naming.chosen`."""
    if systems is None:
        return logs
    named = logs.runs["system"].tolist()
    wanted = chosen(systems, list(dict.fromkeys(named)))
    runs = list(zip(logs.runs.index.tolist(), named, strict=True))
    kept_runs = [run for name in wanted for run, system in runs if system == name]
    order = {run: place for place, run in enumerate(kept_runs)}
    place = np.array([order.get(run, -1) for run in logs.records["run"].tolist()], np.int32)
    rows = np.argsort(place, kind="stable")[np.count_nonzero(place < 0) :]
    table = logs.runs.loc[kept_runs].reset_index(drop=True)
    table["system"] = [wanted[name] for name in table["system"].tolist()]
    records = logs.records.iloc[rows].assign(run=place[rows]).reset_index(drop=True)
    records["system"] = _repeated(table["system"].tolist(), place[rows])
    return Logs(records, table)


def together(parts: Sequence[Logs]) -> Logs:
    """Concatenate the records of several logs; those of several tools are joined by id only."""
    starts = np.cumsum([0, *(len(part.runs) for part in parts)])
    runs = {k: list(chain(*(part.runs[k].tolist() for part in parts))) for k in parts[0].runs}
    rows: dict[str, Any] = {}
    for name in RECORDS:
        columns: list[Any] = [part.records[name] for part in parts]
        if isinstance(columns[0].dtype, pd.CategoricalDtype):
            rows[name] = union_categoricals(columns)
        else:
            rows[name] = np.concatenate([column.to_numpy() for column in columns])
    shifts = zip(parts, starts[:-1], strict=True)
    rows["run"] = np.concatenate([part.records["run"].to_numpy() + shift for part, shift in shifts])
    tools = list(dict.fromkeys(runs["tool"]))
    if len(tools) > 1:
        rows["item_hash"] = _objects([None] * len(rows["run"]))
        runs["said"] = [[*notes, joined_by_id_note(tools)] for notes in runs["said"]]
    return Logs(pd.DataFrame(rows), pd.DataFrame(runs))


def joined_by_id_note(tools: Sequence[str]) -> tuple[str, str]:
    """Note that logs of several tools are joined by id only: each digests contents differently."""
    return "mixed", f"logs of {' and '.join(tools)} are joined by id alone"


def _categories(values: np.ndarray) -> pd.Categorical:
    """Values by the distinct ones, which are sorted."""
    if values.dtype.kind != "U":
        return pd.Categorical(values)
    distinct, codes = np.unique(values, return_inverse=True)  # makes no texts of Python
    return pd.Categorical.from_codes(codes, categories=distinct)


def _repeated(values: Sequence[str], run_index: np.ndarray) -> pd.Categorical:
    """Repeat the value of each run for each of its records."""
    distinct = list(dict.fromkeys(values))
    codes = np.array([distinct.index(value) for value in values])
    return pd.Categorical.from_codes(codes[run_index], categories=distinct)


def _run_columns(place: int, run: Run) -> dict[str, np.ndarray]:
    cells = run.cells
    sample_index, metric, raw, status = _with_failed(cells)
    sample_columns = {
        "item": text_array(cells.item),
        "item_hash": _objects(cells.content),
        "prompt_hash": _objects(cells.prompt),
        "epoch": np.array(cells.epoch, np.int32),
        "cluster": _objects(cells.cluster),
        "file": np.array(cells.file, np.int32),
        "row": np.array(cells.row, np.int64),
        "text": _objects(encodable(cells.text)),
    }
    columns = {name: values[sample_index] for name, values in sample_columns.items()}
    columns |= {"metric": metric, "raw": raw, "status": status}
    columns = _with_missing(run, columns)
    return {"run": np.full(len(columns["raw"]), place)} | columns


def _with_failed(cells: Cells) -> list[np.ndarray]:
    """Return the scores; a failed sample gets an error for every metric."""
    failed = np.array(cells.failed, bool)
    metrics = list(dict.fromkeys(cells.metric)) or [""]
    has = set(zip(cells.score_sample, cells.metric, strict=True)) if failed.any() else set()
    more = [(k, m) for k in np.flatnonzero(failed).tolist() for m in metrics if (k, m) not in has]
    sample_index = np.array([*cells.score_sample, *(k for k, _ in more)], int)
    status = np.array([*map(STATUSES.index, cells.status), *[0] * len(more)], np.int8)
    status[failed[sample_index]] = STATUSES.index(ERROR)
    metric = _objects([*cells.metric, *(m for _, m in more)])
    raw = np.array([*cells.raw, *([np.nan] * len(more))])
    place = np.argsort(sample_index, kind="stable")  # as the samples stand in the log
    return [part[place] for part in (sample_index, metric, raw, status)]


def _with_missing(run: Run, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Append rows for declared samples that the log does not contain."""
    present = set(zip(run.cells.item, run.cells.epoch, strict=True))
    absent = [key for key in product(run.declared, range(1, run.epochs + 1)) if key not in present]
    if not absent:
        return columns
    metrics = list(dict.fromkeys(columns["metric"].tolist())) or [""]
    rows = [(item, epoch, metric) for item, epoch in absent for metric in metrics]
    number = len(rows)
    more: dict[str, Any] = {
        "item": text_array([item for item, _, _ in rows]),
        "epoch": np.array([epoch for _, epoch, _ in rows], np.int32),
        "metric": _objects([metric for _, _, metric in rows]),
        "raw": np.full(number, np.nan),
        "status": np.full(number, STATUSES.index(MISSING), np.int8),
        "file": np.zeros(number, np.int32),
        "row": np.zeros(number, np.int64),
        "text": _objects([""] * number),
    }
    blank = _objects([None] * number)
    return {
        name: np.concatenate([values, more.get(name, blank)]) for name, values in columns.items()
    }


def _runs_table(runs: Sequence[Run], systems: Sequence[str]) -> pd.DataFrame:
    names = ("tool", "version", "task", "config", "started", "finished", "state", "why")
    names += ("again", "declared", "epochs", "own_ids", "ordered", "reported", "rule", "judge")
    names += ("scorer", "files", "said", "reduced", "refused")
    table: dict[str, Any] = {"system": list(systems), "base": [run.system for run in runs]}
    table |= {
        name: _storable([getattr(run, _FIELDS.get(name, name)) for run in runs]) for name in names
    }
    table["higher_is_better"] = [{m: m not in run.lower for m in run.metrics} for run in runs]
    return pd.DataFrame(table)


def _storable(values: list[Any]) -> Sequence[Any]:
    """Return values in a form that a DataFrame can store."""
    return encodable(values) if all(isinstance(value, str) for value in values) else values


def _objects(values: Sequence[Any]) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array
