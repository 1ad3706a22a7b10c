"""Names of the systems of runs, and runs as the two tables of `Logs`, also in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from betterthan import checks
from betterthan.files import write_whole
from betterthan.io.problems import listed, quoted
from betterthan.io.texts import coded
from betterthan.logs.record import ERROR, MISSING, OK, STATUSES, UNSCORED, Cells, Logs, Run, grouped
from betterthan.text import encodable, escaped, no_formulas

_LONGEST = 40  # characters of a prompt in a name
_NO_SETTING = ("limit", "samples", "sample_id", "epochs")  # how much was run, not of what
_SUFFIXES = (".gz", ".zst", ".jsonl", ".json", ".eval", ".csv", ".tsv", ".txt")


def named(
    runs: Sequence[Run],
    keys: Sequence[str | None],
    of_run: Callable[[Run], str] | None = None,
    *,
    seeds: bool = True,
) -> list[str]:
    """Name the system of each run.

    The key of a mapping has precedence, then `of_run`, then the names in the log and of its file.
    Where runs of one name and task differ in their settings, the settings are appended; without
    `seeds` these alone do not count.
    """
    if of_run:
        base = [checks.label(of_run(run), "what systems(run) returns") for run in runs]
    else:
        base = [run.system or stem(run) for run in runs]
    base = _with_parts(runs, _with_keys(keys, base), within=None not in keys)
    return _with_settings(runs, base, seeds)


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
    if absent := [name for name in systems if name not in present]:
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
    names_by_key = grouped(zip(keys, base, strict=True))
    return [
        name if key is None else key if len({*names_by_key[key]}) == 1 else f"{key} | {name}"
        for key, name in zip(keys, base, strict=True)
    ]


def _with_parts(runs: Sequence[Run], base: list[str], within: bool) -> list[str]:
    """Add the parts that have several values, such as the prompt, to the names; `within`: several
    for one name.
    """
    kinds = list(dict.fromkeys(kind for run in runs for kind in run.parts))
    several = []
    for kind in kinds:
        pairs = zip(base if within else [""] * len(base), runs, strict=True)
        values = grouped((name, run.parts.get(kind)) for name, run in pairs)
        several += [kind] * any(len(set(of_name)) > 1 for of_name in values.values())
    if not several:
        return base
    # of one system and several prompts, the prompts are the systems
    prefixes = [[]] * len(base) if len(set(base)) == 1 else [[name] for name in base]
    parts = [[_plain(run.parts.get(k, "")) for k in several] for run in runs]
    named = list(zip(prefixes, parts, strict=True))
    short, full = ([" | ".join([*n, *map(as_, part)]) for n, part in named] for as_ in (_cut, str))
    return short if len(set(short)) == len(set(full)) else full


def _with_settings(runs: Sequence[Run], base: list[str], seeds: bool) -> list[str]:
    """Names with the settings in which runs of one name and task differ."""
    named_runs = zip(runs, base, strict=True)
    configs_by_task = grouped(((name, run.task), run.config) for run, name in named_runs)
    differing: dict[str, list[str]] = {}
    for (name, _), configs in configs_by_task.items():
        keys = differing.setdefault(name, [])
        new = (key for key in _differ(configs) if key not in keys)
        keys += [key for key in new if seeds or not _last(key).endswith("seed")]
    short, full = (
        [
            f"{n} ({', '.join(_setting(run, k, as_) for k in differing[n])})" if differing[n] else n
            for run, n in zip(runs, base, strict=True)
        ]
        for as_ in (_cut, str)
    )
    return short if len(set(short)) == len(set(full)) else full


def _setting(run: Run, key: str, as_: Callable[[str], str]) -> str:
    return f"{_plain(_last(key))}={as_(_plain(str(run.config.get(key))))}"


def _differ(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The settings that are not the same in all runs."""
    keys = dict.fromkeys(key for config in configs for key in config)
    keys = [key for key in keys if _last(key) not in _NO_SETTING]
    return [key for key in keys if len({repr(config.get(key)) for config in configs}) > 1]


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
    cells, declared = [run.cells for run in runs], [_declared(run) for run in runs]
    items = coded([*_chained(cells, "item"), *chain.from_iterable(declared)])
    order = sorted(range(len(items.distinct)), key=items.distinct.__getitem__)
    codes = np.argsort(order)[items.codes].astype(np.int32)
    n = sum(map(len, cells))
    columns = _columns(cells, codes[:n])
    if len(codes) > n:
        columns = _with_missing(runs, declared, codes[n:].tolist(), columns)
    columns["score"] = np.where(columns["status"] == STATUSES.index(OK), columns["raw"], np.nan)
    for name in ("metric", "cluster"):
        columns[name] = pd.Categorical(columns[name])
    named = {"item": [items.distinct[k] for k in order], "status": STATUSES}
    for name, values in named.items():
        columns[name] = pd.Categorical.from_codes(columns[name], pd.Index(values))
    columns["system"] = _repeated(systems, columns["run"])
    columns["task"] = _repeated([run.task for run in runs], columns["run"])
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
        rows["item_hash"] = np.array([None] * len(rows["run"]), object)
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


_CODES = {status: code for code, status in enumerate(STATUSES)}


def _chained(cells: Sequence[Cells], name: str) -> Iterable[Any]:
    return chain.from_iterable(getattr(one, name) for one in cells)


def _columns(cells: Sequence[Cells], items: np.ndarray) -> dict[str, Any]:
    """The columns of the scores of all runs; `items` are the codes of their samples."""
    sizes = list(map(len, cells))
    sample, metric, raw, status = _scores(cells, np.cumsum([0, *sizes]))
    texts = chain.from_iterable(encodable(one.text) for one in cells)
    by_sample: dict[str, np.ndarray] = {
        "run": np.repeat(np.arange(len(cells), dtype=np.int32), sizes),
        "item": items,
        "item_hash": np.array([*_chained(cells, "content")], object),
        "prompt_hash": np.array([*_chained(cells, "prompt")], object),
        "epoch": np.array([*_chained(cells, "epoch")], np.int32),
        "cluster": np.array([*_chained(cells, "cluster")], object),
        "file": np.array([*_chained(cells, "file")], np.int32),
        "row": np.concatenate([np.asarray(one.row, np.int64) for one in cells]),
        "text": np.array([*texts], object),
    }
    if not np.array_equal(sample, np.arange(len(items))):
        by_sample = {name: values[sample] for name, values in by_sample.items()}
    return by_sample | {"metric": metric, "raw": raw, "status": status}


def _scores(cells: Sequence[Cells], starts: np.ndarray) -> list[np.ndarray]:
    """Return sample, metric, number and status of each score, in the order of the samples; a failed
    sample gets an error for every metric of its run, and each sample of a run without any score a
    metric without a name.
    """
    shifts = np.repeat(starts[:-1], [len(one.raw) for one in cells])
    sample = shifts + np.concatenate([np.asarray(one.score_sample, np.int64) for one in cells])
    metric = np.array([*_chained(cells, "metric")], object)
    raw = np.concatenate([np.asarray(one.raw, float) for one in cells])
    status = np.fromiter(map(_CODES.__getitem__, _chained(cells, "status")), np.int8, len(raw))
    failed = np.fromiter(_chained(cells, "failed"), bool, starts[-1])
    status[failed[sample]] = STATUSES.index(ERROR)
    more = [
        (start + k, name)
        for start, one in zip(starts.tolist(), cells, strict=False)
        for k, name in _without_score(one)
    ]
    if more:
        places = np.array([k for k, _ in more], np.int64)
        sample = np.concatenate([sample, places])
        metric = np.concatenate([metric, np.array([name for _, name in more], object)])
        raw = np.concatenate([raw, np.full(len(more), np.nan)])
        codes = np.where(failed[places], STATUSES.index(ERROR), STATUSES.index(UNSCORED))
        status = np.concatenate([status, codes.astype(np.int8)])
    parts = [sample, metric, raw, status]
    if (sample[1:] >= sample[:-1]).all():
        return parts
    place = np.argsort(sample, kind="stable")  # as the samples stand in the log
    return [part[place] for part in parts]


def _without_score(cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the failed samples, of a run without scores all, each with the metrics of the run for
    which it has no score.
    """
    if failed := [k for k, is_failed in enumerate(cells.failed) if is_failed or not cells.metric]:
        metrics = dict.fromkeys(cells.metric) or [""]
        present = set(zip(cells.score_sample, cells.metric, strict=True))
        yield from ((k, name) for k in failed for name in metrics if (k, name) not in present)


def _with_missing(
    runs: Sequence[Run],
    declared: Sequence[Sequence[str]],
    codes: Iterable[int],
    columns: dict[str, Any],
) -> dict[str, Any]:
    """Add rows for declared samples that the logs do not contain, behind those of their run."""
    remaining = iter(codes)
    ends = np.searchsorted(columns["run"], np.arange(len(runs) + 1))
    rows = []
    for k, (run, names) in enumerate(zip(runs, declared, strict=True)):
        if not names:
            continue
        present = set(zip(run.cells.item, run.cells.epoch, strict=True))
        metrics = dict.fromkeys(columns["metric"][ends[k] : ends[k + 1]].tolist()) or [""]
        rows += [
            (k, code, epoch, metric)
            for item, code in zip(names, remaining, strict=False)  # which stops before a code
            for epoch in range(1, run.epochs + 1)
            if (item, epoch) not in present
            for metric in metrics
        ]
    if not rows:
        return columns
    named = zip(("run", "item", "epoch", "metric"), zip(*rows, strict=True), strict=True)
    more: dict[str, Any] = dict(named)
    more |= {"raw": np.nan, "status": STATUSES.index(MISSING), "file": 0, "row": 0, "text": ""}
    longer = {
        name: np.concatenate([values, np.full(len(rows), more.get(name), values.dtype)])
        for name, values in columns.items()
    }
    place = np.argsort(longer["run"], kind="stable")
    return {name: values[place] for name, values in longer.items()}


def _runs_table(runs: Sequence[Run], systems: Sequence[str]) -> pd.DataFrame:
    names = ("tool", "version", "task", "config", "started", "finished", "state", "why")
    names += ("again", "declared", "epochs", "own_ids", "ordered", "reported", "rule", "judge")
    names += ("scorer", "files", "said", "reduced", "refused", "higher_is_better")
    table: dict[str, Any] = {"system": list(systems), "base": [run.system for run in runs]}
    for name in names:
        values = [getattr(run, _FIELDS.get(name, name)) for run in runs]
        is_text = all(isinstance(value, str) for value in values)
        table[name] = encodable(values) if is_text else values
    return pd.DataFrame(table)


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
    checks.instance(logs, Logs, "logs is a", "what betterthan.read_logs returns")
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
    for name in ("item_hash", "prompt_hash"):
        digests = logs.records[name].tolist()
        table[name] = [value.hex() if isinstance(value, bytes) else None for value in digests]
    return table
