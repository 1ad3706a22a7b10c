"""Decide whether a source holds logs or tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from betterthan.files import is_answer
from betterthan.io.files import FORMATS, dataset_name, table_of, unknown_type
from betterthan.io.frames import is_frame
from betterthan.io.problems import listed, problem
from betterthan.io.table import Table
from betterthan.logs.judgments import judgment_kind
from betterthan.logs.recognising import (
    NO_TABLES,
    Sorted,
    find_files,
    sort_files,
    sort_folder,
    tools,
    uncollected,
    why_unread,
)
from betterthan.logs.recognising import unread as why_no_log
from betterthan.logs.record import Run
from betterthan.logs.sniffing import LogFile

_STORE = ("zarr.json", ".zgroup", ".zarray", ".zmetadata")


def is_store(source: Any) -> bool:
    """Whether a source is a Zarr store."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)  # False of a name that no file can have: whoever reads it says so
    return os.path.isdir(path) and any(os.path.exists(path / name) for name in _STORE)


def in_pandas(data: Any) -> Any:
    """A frame of Polars or Dask, or a table of Arrow, as a DataFrame, also in a dict."""
    if isinstance(data, dict):
        return {name: in_pandas(value) for name, value in data.items()}
    if type(data).__module__.startswith("dask.dataframe"):
        return data.compute()
    if type(data).__module__.partition(".")[0] not in ("polars", "pyarrow"):
        return data
    return (data.collect() if hasattr(data, "collect") else data).to_pandas()


def logs_in(source: Any, format: str | None) -> Sorted | None:
    """The logs among the files of a source; None where there is none, and tables are meant."""
    if _has_frames(source):
        return None
    sources = find_files(source)
    if format is not None:
        return sort_files(sources, format)
    logs = sort_folder(sources)
    if not logs.by_reader:
        return None
    return sort_files(sources) if logs.skipped else logs  # of what was named, each must be a log


@uncollected()
def runs_in(
    source: Any,
    format: str | None,
    items: Sequence[str] | None = None,
    cluster: str | None = None,
) -> tuple[list[Run], list[str | None]] | None:
    """The runs in logs, each with the name that a mapping gave it; None where tables are meant."""
    if (logs := logs_in(source, format)) is not None:
        from betterthan.logs.reading import read_runs

        return read_runs(logs, items, cluster)
    frame_runs = _in_frames(source)
    if frame_runs is not None and cluster is not None:
        from betterthan.logs.reading import CONTENT, by_content

        if cluster != CONTENT:
            raise ValueError(f"cluster={cluster!r} does not apply to frames; give 'content'")
        by_content(frame_runs[0])
    return frame_runs


def _in_frames(source: Any) -> tuple[list[Run], list[str | None]] | None:
    """Return the runs in frames of a tool, with their names; None for other frames."""
    frames = source if isinstance(source, Mapping) else {"DataFrame": source}
    if not frames or not all(is_frame(value) for value in frames.values()):
        return None
    from betterthan.logs.of_tool_rows import frame_run
    from betterthan.logs.reading import checked

    run_by_name = {str(name): frame_run(frame, str(name)) for name, frame in frames.items()}
    runs = {name: checked(run) for name, run in run_by_name.items() if run is not None}
    if runs and len(runs) < len(run_by_name):
        other = next(name for name, run in run_by_name.items() if run is None)
        reason = f"has not the columns of {next(iter(runs.values())).tool}, as others here have"
        raise problem(other, reason)
    return (list(runs.values()), list(runs)) if runs else None


def tables_in(source: Any) -> tuple[Any, str]:
    """The table files in the place of a folder or a pattern, and what was skipped, in words."""
    if _has_frames(source):
        return source, ""
    if isinstance(source, Mapping):
        return {str(name): _one_table(entry, str(name)) for name, entry in source.items()}, ""
    sources = find_files(source)
    if all(entry.explicit for entry in sources):
        named = [source] if isinstance(source, str | Path) else list(source)
        paths = [entry.file.path for entry in sources]
        if list(map(Path, named)) == paths:
            return source, ""
        return (paths if len(paths) > 1 else paths[0]), ""  # those that fit a pattern
    files = [entry.file for entry in sources]
    tables: dict[str, Path] = {}
    for file in filter(_is_table, files):
        name = dataset_name(Path(file.name))
        if name in tables:
            raise ValueError(
                f"two files are called {name!r}, {tables[name]} and {file.path}; give a mapping of "
                "name to file"
            )
        tables[name] = file.path
    if not tables:
        names = listed([file.name for file in files])
        raise problem(str(source), f"holds no log and no table ({names}); give {listed(FORMATS)}")
    skipped = [(file.name, "no table") for file in files if not _is_table(file)]
    return tables, Sorted({}, skipped).summary


def _one_table(source: Any, name: str) -> Any:
    if not isinstance(source, str | Path):
        return source
    sources = find_files(source)
    if len(sources) > 1:
        reason = f"source names {len(sources)} tables {name!r}"
        raise ValueError(f"{reason}; give each a name of its own")
    return sources[0].file.path


def _is_table(file: LogFile) -> bool:
    suffixes = [suffix.lower() for suffix in file.path.suffixes if suffix.lower() != ".gz"]
    return bool(suffixes) and suffixes[-1] in FORMATS and not is_answer(file.path)


def _has_frames(source: Any) -> bool:
    """Whether this is a frame, or a mapping with one."""
    if isinstance(source, Mapping):
        return any(is_frame(value) for value in source.values())
    return not isinstance(source, str | Path | Mapping | Sequence)


def with_judged(source: Any) -> tuple[Any, str]:
    """The source with a table in the place of each file of judgments, and how these are read.

    Raises
    ------
    ValueError
        If a file is a log of a tool that is known and not read.
    """
    notes: dict[str, None] = {}
    if isinstance(source, Mapping):
        tables = {name: _replace_judgments(entry, notes) for name, entry in source.items()}
    elif isinstance(source, list | tuple):
        tables = [_replace_judgments(entry, notes) for entry in source]
        if any(isinstance(entry, Table) for entry in tables):
            names = [dataset_name(Path(entry)) for entry in source]
            tables = (
                dict(zip(names, tables, strict=True)) if len({*names}) == len(names) else source
            )
    else:
        tables = _replace_judgments(source, notes)
    return tables, "; ".join(notes)


def _replace_judgments(source: Any, notes: dict[str, None]) -> Any:
    if not isinstance(source, str | Path) or not os.path.isfile(source):
        return source
    file = LogFile(Path(source), Path(source).name)
    if (unread := why_unread(file.preview)) is not None:
        raise problem(file.name, unread)
    if (kind := judgment_kind(file.preview)) is None:
        _refuse_unknown(file)
        return source
    if kind.note:
        notes[kind.note] = None
    return kind.table(file)


def _refuse_unknown(file: LogFile) -> None:
    """Refuse a file that is neither table nor log, and list the supported ones."""
    if file.preview.kind in NO_TABLES:
        raise problem(file.name, why_no_log(file.preview))
    suffix = Path(file.path.name.lower().removesuffix(".gz")).suffix
    logs = f"or a log of a tool that is read: {tools()}"
    if suffix not in FORMATS:
        reason = unknown_type(file.path)
        raise problem(file.name, f"{reason}, {logs}" if ".gz" in reason else reason)
    if suffix == ".json" and file.preview.kind == "object":
        reason = "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        raise problem(file.name, f"{reason}, {logs}")


def read_judged(
    source: Any,
    *,
    judge: str | Sequence[str] | None,
    human: str | None,
    strata: str | Sequence[str] | None,
    item: str | None,
    drop: bool,
    ignore: Sequence[str],
) -> xr.Dataset:
    """Judged counts of one table; see `judged.count`.

    Raises
    ------
    ValueError
        If one of the two columns is not named, or the source is no table, or is a tool's file of
        judgments, in which people say nothing.
    """
    if judge is None or human is None:
        present, other = ("judge", "human") if human is None else ("human", "judge")
        right = "judged outcomes need both: what the judge says, and the labels by people"
        raise ValueError(f"{present} names a column, and {other} does not; {right}")
    if not isinstance(source, str | Path | pd.DataFrame):
        right = "judged outcomes are read from one file or frame"
        raise ValueError(f"source is a {type(source).__name__}; {right}")
    if isinstance(source, str | Path) and os.path.isfile(source):
        # some tools merge two orders into ties
        file = LogFile(Path(source), Path(source).name)
        if judgment_kind(file.preview) is not None:
            right = "make a table of one row an item, with the judge's answer in each order as a "
            right += "column of its own, and the labels by people"
            raise problem(file.name, f"is a tool's file of judgments; {right}")
    from betterthan.judged.counting import count

    chosen = [strata] if isinstance(strata, str) else list(strata or ())
    columns: dict[str, Any] = {"judge": judge, "human": human, "item": item, "strata": chosen}
    return count(table_of(source), **columns, drop=drop, ignore=ignore)
