"""Whether a source is of logs, or of tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from betterthan.io.files import FORMATS, dataset_name
from betterthan.io.problems import listed, problem
from betterthan.logs.finding import Found, find_files
from betterthan.logs.recognising import Sorted, sort_files, sorted_of_folder
from betterthan.logs.record import Run

_TABLES = ("text", "lines", "list", "object", "parquet")


def logs_in(source: Any, format: str | None) -> Sorted | None:
    """The logs among the files of a source; None where there is none, and tables are meant."""
    if isinstance(source, pd.DataFrame) or _has_frames(source):
        return None
    found = find_files(source)
    if format is not None:
        return sort_files(found, format)
    logs = sorted_of_folder(found)
    if not logs.by_reader:
        return None
    return sort_files(found) if logs.skipped else logs  # of what was named, each must be a log


def runs_in(
    source: Any,
    format: str | None,
    items: Sequence[str] | None = None,
    cluster: str | None = None,
) -> tuple[list[Run], list[str | None]] | None:
    """The runs in logs, each with the name that a mapping gave it; None where tables are meant."""
    logs = logs_in(source, format)
    if logs is not None:
        from betterthan.logs.reading import read_runs

        return read_runs(logs, items, cluster)
    found = _in_frames(source)
    if found is not None and cluster is not None:
        from betterthan.logs.clustering import CONTENT, by_content

        if cluster != CONTENT:
            raise ValueError(f"cluster={cluster!r} does not apply to frames; give 'content'")
        by_content(found[0])
    return found


def _in_frames(source: Any) -> tuple[list[Run], list[str | None]] | None:
    """The runs in frames of a tool, each with its name; None where the source is no such frame."""
    frames = source if isinstance(source, Mapping) else {"DataFrame": source}
    if not frames or not all(isinstance(one, pd.DataFrame) for one in frames.values()):
        return None
    from betterthan.logs.checking import checked
    from betterthan.logs.of_tool_rows import run_of_frame

    found = {str(name): run_of_frame(frame, str(name)) for name, frame in frames.items()}
    runs = {name: checked(run) for name, run in found.items() if run is not None}
    if runs and len(runs) < len(found):
        other = next(name for name, run in found.items() if run is None)
        what = f"has not the columns of {next(iter(runs.values())).tool}, as others here have"
        raise problem(other, what)
    return (list(runs.values()), list(runs)) if runs else None


def tables_in(source: Any) -> Any:
    """A source of tables, with the files of a folder or a pattern in its place."""
    if isinstance(source, pd.DataFrame) or _has_frames(source):
        return source
    if isinstance(source, Mapping):
        return {str(name): _one_table(one, str(name)) for name, one in source.items()}
    found = find_files(source)
    if all(one.alone for one in found):
        return source
    tables = [one for one in found if _is_table(one)]
    if not tables:
        names = listed([one.file.name for one in found])
        raise problem(str(source), f"holds no log and no table ({names}); give {listed(FORMATS)}")
    return {dataset_name(Path(one.file.name)): one.file.path for one in tables}


def _one_table(source: Any, name: str) -> Any:
    if not isinstance(source, str | Path):
        return source
    found = find_files(source)
    if len(found) > 1:
        raise ValueError(f"source names {len(found)} tables {name!r}; give each a name of its own")
    return found[0].file.path


def _is_table(found: Found) -> bool:
    suffixes = [suffix.lower() for suffix in found.file.path.suffixes if suffix.lower() != ".gz"]
    return bool(suffixes) and suffixes[-1] in FORMATS and found.file.head.kind in _TABLES


def _has_frames(source: Any) -> bool:
    if isinstance(source, Mapping):
        return any(isinstance(one, pd.DataFrame) for one in source.values())
    return not isinstance(source, str | Path | Mapping | Sequence)
