"""Decide whether a source holds logs or tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from betterthan.io.files import FORMATS, dataset_name
from betterthan.io.problems import listed, problem
from betterthan.logs.recognising import LogSource, Sorted, find_files, sort_files, sort_folder
from betterthan.logs.record import Run

_TABLES = ("text", "lines", "list", "object", "parquet")


def logs_in(source: Any, format: str | None) -> Sorted | None:
    """The logs among the files of a source; None where there is none, and tables are meant."""
    if isinstance(source, pd.DataFrame) or _has_frames(source):
        return None
    sources = find_files(source)
    if format is not None:
        return sort_files(sources, format)
    logs = sort_folder(sources)
    if not logs.by_reader:
        return None
    return sort_files(sources) if logs.skipped else logs  # of what was named, each must be a log


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
    if not frames or not all(isinstance(value, pd.DataFrame) for value in frames.values()):
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


def tables_in(source: Any) -> Any:
    """Replace a folder or a pattern by its table files."""
    if isinstance(source, pd.DataFrame) or _has_frames(source):
        return source
    if isinstance(source, Mapping):
        return {
            str(name): _one_table(source_file, str(name)) for name, source_file in source.items()
        }
    sources = find_files(source)
    if all(source_file.explicit for source_file in sources):
        return source
    tables = [source_file for source_file in sources if _is_table(source_file)]
    if not tables:
        names = listed([source_file.file.name for source_file in sources])
        raise problem(str(source), f"holds no log and no table ({names}); give {listed(FORMATS)}")
    return {
        dataset_name(Path(source_file.file.name)): source_file.file.path for source_file in tables
    }


def _one_table(source: Any, name: str) -> Any:
    if not isinstance(source, str | Path):
        return source
    sources = find_files(source)
    if len(sources) > 1:
        raise ValueError(
            f"source names {len(sources)} tables {name!r}; give each a name of its own"
        )
    return sources[0].file.path


def _is_table(source_file: LogSource) -> bool:
    suffixes = [
        suffix.lower() for suffix in source_file.file.path.suffixes if suffix.lower() != ".gz"
    ]
    return bool(suffixes) and suffixes[-1] in FORMATS and source_file.file.preview.kind in _TABLES


def _has_frames(source: Any) -> bool:
    if isinstance(source, Mapping):
        return any(isinstance(value, pd.DataFrame) for value in source.values())
    return not isinstance(source, str | Path | Mapping | Sequence)
