"""Names of the systems of runs, and runs as the two tables of `Logs`, also in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from betterthan import checks
from betterthan.files import write_whole
from betterthan.io.problems import listed, quoted
from betterthan.io.texts import coded
from betterthan.logs.record import ERROR, MISSING, OK, STATUSES, Cells, Logs, Run
from betterthan.text import encodable, escaped, no_formulas

_LONGEST = 40  # characters of a prompt in a name
_NO_SETTING = ("limit", "samples", "sample_id", "epochs")  # how much was run, not of what
_SUFFIXES = (".gz", ".zst", ".jsonl", ".json", ".eval", ".csv", ".tsv", ".txt")


def named(
    runs: Sequence[Run], keys: Sequence[str | None], of_run: Callable[[Run], str] | None = None
) -> list[str]:
    """Name the system of each run.

    The key of a mapping has precedence, then `of_run`, then the names in the log and of its file.
    Where runs of one name and task differ in their settings, the settings are appended.
    """
    base = [_of_run(run, of_run) if of_run else run.system or stem(run) for run in runs]
    base = _with_parts(runs, _with_keys(keys, base))
    return _with_settings(runs, base)


def _of_run(run: Run, of_run: Callable[[Run], str]) -> str:
    return checks.label(of_run(run), "what systems(run) returns")


def stem(run: Run) -> str:
    """The name of the first file of a run, without its suffixes."""
    name = PurePosixPath(run.files[0]).name
    while name.lower().endswith(_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


def chosen(systems: Any, present: Sequence[str]) -> dict[str, str]:
    """The systems to keep, in order, with what each is to be called.

    Parameters
    ----------
    systems : list of str, or mapping of str to str, or None
        A list picks and orders; a mapping renames and keeps the others.
    present : sequence of str
        Those there are.
    """
    if systems is None or callable(systems):
        return {name: name for name in present}
    if isinstance(systems, str) or not isinstance(systems, Sequence | Mapping):
        kind = type(systems).__name__
        raise ValueError(f"systems is a {kind}; give a list of names, or a mapping to new names")
    if not systems:
        raise ValueError("systems is empty; give a list of names, or leave it out for all")
    absent = [name for name in systems if name not in present]
    if absent:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(present)}")
    if isinstance(systems, Mapping):
        renamed = {name: str(systems.get(name, name)) for name in present}
        checks.unique(list(renamed.values()), "system")
        return renamed
    checks.unique([str(name) for name in systems], "system")
    return {str(name): str(name) for name in systems}


def runs_of(systems: Mapping[str, Any], named: Sequence[str]) -> list[int]:
    """Return the places of their runs, in the order of the systems."""
    order = {name: k for k, name in enumerate(systems)}
    return sorted(
        (k for k, name in enumerate(named) if name in order), key=lambda k: order[named[k]]
    )


def _with_keys(keys: Sequence[str | None], base: list[str]) -> list[str]:
    """Use the key of the mapping as name; add the logged name if one key has several."""
    names_by_key: dict[str, set[str]] = {}
    for key, name in zip(keys, base, strict=True):
        names_by_key.setdefault(key or "", set()).add(name)
    return [
        name if key is None else key if len(names_by_key[key]) == 1 else f"{key} | {name}"
        for key, name in zip(keys, base, strict=True)
    ]


def _with_parts(runs: Sequence[Run], base: list[str]) -> list[str]:
    """Add the parts that have several values, such as the prompt, to the names."""
    kinds = list(dict.fromkeys(kind for run in runs for kind in run.parts))
    several = [k for k in kinds if len({run.parts.get(k) for run in runs}) > 1]
    if not several:
        return base
    # of one system and several prompts, the prompts are the systems
    prefixes = [[]] * len(base) if len(set(base)) == 1 else [[name] for name in base]
    parts = [[_plain(run.parts.get(k, "")) for k in several] for run in runs]
    short, full = (
        [
            " | ".join(name + [as_(x) for x in part])
            for name, part in zip(prefixes, parts, strict=True)
        ]
        for as_ in (_cut, str)
    )
    return short if len(set(short)) == len(set(full)) else full


def _with_settings(runs: Sequence[Run], base: list[str]) -> list[str]:
    """Names with the settings in which runs of one name and task differ."""
    tasks: dict[tuple[str, str], list[int]] = {}
    for k, (run, name) in enumerate(zip(runs, base, strict=True)):
        tasks.setdefault((name, run.task), []).append(k)
    differing: dict[str, list[str]] = {}
    for (name, _), places in tasks.items():
        keys = differing.setdefault(name, [])
        keys += [k for k in _differ([runs[p].config for p in places]) if k not in keys]
    return [
        f"{name} ({', '.join(_setting(run, key) for key in keys)})"
        if (keys := differing[name])
        else name
        for run, name in zip(runs, base, strict=True)
    ]


def _setting(run: Run, key: str) -> str:
    return f"{_plain(_last(key))}={_cut(_plain(str(run.config.get(key))))}"


def _differ(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The settings that are not the same in all runs."""
    keys = dict.fromkeys(key for config in configs for key in config)
    return [
        k
        for k in keys
        if _last(k) not in _NO_SETTING and len({repr(config.get(k)) for config in configs}) > 1
    ]


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _plain(text: str) -> str:
    return " ".join(escaped(text).split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


_FIELDS = {"said": "notes"}  # columns of `Logs.runs` whose field of `Run` has another name
RECORDS = (
    *("run", "system", "task", "metric", "item", "item_hash", "prompt_hash", "epoch"),
    *("score", "raw", "status", "cluster", "file", "row", "text"),
)


def tabulate_runs(runs: Sequence[Run], systems: Sequence[str]) -> Logs:
    """Tabulate the records of some runs, with rows for planned samples that were not run."""
    items = coded([item for run in runs for item in (*run.cells.item, *_declared(run))])
    ends = np.cumsum([len(run.cells) + len(_declared(run)) for run in runs])
    order = sorted(range(len(items.distinct)), key=items.distinct.__getitem__)
    codes = np.split(np.argsort(order)[items.codes].astype(np.int32), ends[:-1])
    parts = [_run_columns(k, *one) for k, one in enumerate(zip(runs, codes, strict=True))]
    columns_read: dict[str, Any] = {
        name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])
    }
    run_index = columns_read.pop("run")
    status = pd.Categorical.from_codes(columns_read.pop("status"), pd.Index(STATUSES))
    texts = {name: pd.Categorical(columns_read.pop(name)) for name in ("metric", "cluster")}
    texts["item"] = pd.Categorical.from_codes(
        columns_read.pop("item"), pd.Index([items.distinct[k] for k in order])
    )
    named = {
        "system": _repeated(systems, run_index),
        "task": _repeated([run.task for run in runs], run_index),
    }
    score = np.where(np.asarray(status.codes) == STATUSES.index(OK), columns_read["raw"], np.nan)
    columns = {"run": run_index, "status": status, "score": score}
    columns |= texts | named | columns_read
    records = pd.DataFrame({name: columns[name] for name in RECORDS}, copy=False)
    return Logs(records, _runs_table(runs, systems))


def select_systems(logs: Logs, systems: Any) -> Logs:
    """Select some systems, as if only their logs had been read; see `naming.chosen`."""
    if systems is None:
        return logs
    named = logs.runs["system"].tolist()
    wanted = chosen(systems, list(dict.fromkeys(named)))
    kept_runs = logs.runs.index[runs_of(wanted, named)].tolist()
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
            rows[name] = pd.api.types.union_categoricals(columns)
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


def _repeated(values: Sequence[str], run_index: np.ndarray) -> pd.Categorical:
    """Repeat the value of each run for each of its records."""
    distinct = {value: k for k, value in enumerate(dict.fromkeys(values))}
    codes: Any = np.array([distinct[value] for value in values])
    return pd.Categorical.from_codes(codes[run_index], pd.Index(list(distinct)))


def _declared(run: Run) -> list[str]:
    """The items that were to be run, where that is known and some may be missing."""
    cells = run.cells
    if run.epochs == 1 and run.declared == cells.item and cells.epoch.count(1) == len(cells):
        return []
    return run.declared if run.epochs > 0 else []


def _run_columns(place: int, run: Run, items: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a run; `items` are the codes of its samples, then of its declared items."""
    cells = run.cells
    sample_index, metric, raw, status = _with_failed(cells)
    sample_columns = {
        "item": items[: len(cells)],
        "item_hash": _objects(cells.content),
        "prompt_hash": _objects(cells.prompt),
        "epoch": np.array(cells.epoch, np.int32),
        "cluster": _objects(cells.cluster),
        "file": np.array(cells.file, np.int32),
        "row": np.array(cells.row, np.int64),
        "text": _objects(encodable(cells.text)),
    }
    columns: dict[str, np.ndarray] = dict(sample_columns)
    if not np.array_equal(sample_index, np.arange(len(cells))):
        columns = {name: values[sample_index] for name, values in sample_columns.items()}
    columns |= {"metric": metric, "raw": raw, "status": status}
    columns = _with_missing(run, columns, items[len(cells) :])
    return {"run": np.full(len(columns["raw"]), place, np.int32)} | columns


_CODES = {status: code for code, status in enumerate(STATUSES)}


def _with_failed(cells: Cells) -> list[np.ndarray]:
    """Return the scores; a failed sample gets an error for every metric."""
    failed = np.array(cells.failed, bool)
    metrics = list(dict.fromkeys(cells.metric)) or [""]
    has = set(zip(cells.score_sample, cells.metric, strict=True)) if failed.any() else set()
    more = [(k, m) for k in np.flatnonzero(failed).tolist() for m in metrics if (k, m) not in has]
    n = len(cells.raw)
    sample_index = np.array(
        [*cells.score_sample, *(k for k, _ in more)] if more else cells.score_sample, np.int64
    )
    status = np.zeros(n + len(more), np.int8)
    status[:n] = np.fromiter(map(_CODES.__getitem__, cells.status), np.int8, n)
    status[failed[sample_index]] = STATUSES.index(ERROR)
    metric = _objects([*cells.metric, *(m for _, m in more)] if more else cells.metric)
    raw = np.full(n + len(more), np.nan)
    raw[:n] = cells.raw
    parts = [sample_index, metric, raw, status]
    if (sample_index[1:] >= sample_index[:-1]).all():
        return parts
    place = np.argsort(sample_index, kind="stable")  # as the samples stand in the log
    return [part[place] for part in parts]


def _with_missing(
    run: Run, columns: dict[str, np.ndarray], declared: np.ndarray
) -> dict[str, np.ndarray]:
    """Append rows for declared samples that the log does not contain."""
    if not len(declared):
        return columns
    present = set(zip(run.cells.item, run.cells.epoch, strict=True))
    absent = [
        (code, epoch)
        for item, code in zip(run.declared, declared.tolist(), strict=True)
        for epoch in range(1, run.epochs + 1)
        if (item, epoch) not in present
    ]
    if not absent:
        return columns
    metrics = list(dict.fromkeys(columns["metric"].tolist())) or [""]
    rows = [(item, epoch, metric) for item, epoch in absent for metric in metrics]
    number = len(rows)
    more: dict[str, Any] = {
        "item": np.array([item for item, _, _ in rows], np.int32),
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


_STATE_DIRECTIONS = ("lm_eval", "every_eval_ever", "sacrebleu")  # others at most say of errors


def _runs_table(runs: Sequence[Run], systems: Sequence[str]) -> pd.DataFrame:
    names = ("tool", "version", "task", "config", "started", "finished", "state", "why")
    names += ("again", "declared", "epochs", "own_ids", "ordered", "reported", "rule", "judge")
    names += ("scorer", "files", "said", "reduced", "refused")
    table: dict[str, Any] = {"system": list(systems), "base": [run.system for run in runs]}
    for name in names:
        values = [getattr(run, _FIELDS.get(name, name)) for run in runs]
        is_text = all(isinstance(value, str) for value in values)
        table[name] = encodable(values) if is_text else values
    table["higher_is_better"] = [
        {
            m: m not in run.lower
            for m in run.metrics
            if run.tool in _STATE_DIRECTIONS or m in run.lower
        }
        for run in runs
    ]
    return pd.DataFrame(table)


def _objects(values: Sequence[Any]) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


_HASHES = ("item_hash", "prompt_hash")


def write(logs: Logs, path: str | Path) -> Path:
    r"""Write the records of logs as a long table with the status of every cell.

    Parameters
    ----------
    logs : Logs
        Result of `betterthan.read_logs`.
    path : path
        Name of the file; it ends in ``.csv`` or ``.parquet``, which needs pyarrow.

    Returns
    -------
    pathlib.Path
        Path of the written file.

    Raises
    ------
    ValueError
        If `logs` is not `Logs`, or the path ends in anything else or cannot be written.

    Notes
    -----
    Columns ``system, task, metric, item, epoch, score, status, raw, cluster, run, file, row,
    item_hash, prompt_hash``; digests are hexadecimal. ``score`` is blank unless the status is
    ``ok``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import betterthan as bt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for system, scores in [("old", (1.0, 0.2)), ("new", (0.9, 0.4))]:
    ...     text = "".join(f"map\tq{k}\t{score}\n" for k, score in enumerate(scores, 1))
    ...     _ = (folder / f"{system}.txt").write_text(text)
    >>> file = write(bt.read_logs(folder), folder / "records.csv")
    >>> file.read_text().splitlines()[1].split(",")[:7]
    ['new', '', 'map', 'q1', '1', '0.9', 'ok']
    """
    if not isinstance(logs, Logs):
        raise ValueError(f"logs is a {type(logs).__name__}; give what betterthan.read_logs returns")
    target = checks.path(path)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"path {quoted(str(target))} must end in .csv or .parquet")
    table = _table(logs)
    if target.suffix.lower() == ".csv":
        write_whole(target, no_formulas(table).to_csv(index=False))
    else:
        write_whole(target, table.to_parquet(index=False))
    return target


def _table(logs: Logs) -> pd.DataFrame:
    first = ["system", "task", "metric", "item", "epoch", "score", "status", "raw", "cluster"]
    table: Any = pd.DataFrame({name: logs.records[name] for name in [*first, "run", "file", "row"]})
    for name in _HASHES:
        digests = logs.records[name].tolist()
        table[name] = [value.hex() if isinstance(value, bytes) else None for value in digests]
    return table
