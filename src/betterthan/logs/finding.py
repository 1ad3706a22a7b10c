"""Find files that may be logs: a path, a folder, a pattern, a list of these, or a mapping."""

import glob
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from betterthan.io.problems import printable, problem
from betterthan.logs.heads import LogFile

_PATTERN = frozenset("*?[")
_SKIPPED_FOLDERS = ("__pycache__",)


@dataclass(frozen=True)
class LogSource:
    """A file, the name that a mapping gave it, and whether it was named by itself."""

    file: LogFile
    key: str | None
    explicit: bool


def find_files(source: Any, key: str | None = None) -> list[LogSource]:
    """The files that `source` names, in order; those of a folder sorted by their path.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or a pattern fits none.
    ValueError
        If `source` is empty or none of these.
    """
    if isinstance(source, Mapping | list | tuple) and not source:
        kind = "mapping" if isinstance(source, Mapping) else "list"
        raise ValueError(f"source is an empty {kind}; give at least one file")
    if isinstance(source, Mapping):
        parts = [_sources_in(entry, str(name)) for name, entry in source.items()]
    elif isinstance(source, str | Path):
        parts = [_sources_in(source, key)]
    elif isinstance(source, Sequence):
        parts = [_sources_in(entry, key) for entry in source]
    else:
        raise ValueError(
            f"source is a {type(source).__name__}; give a path, a folder, a pattern, a list of "
            "these, or a mapping of name to these"
        )
    return [entry for part in parts for entry in part]


def _sources_in(source: Any, key: str | None) -> list[LogSource]:
    if isinstance(source, Sequence) and not isinstance(source, str):
        return [match for entry in source for match in _sources_in(entry, key)]
    if not isinstance(source, str | Path):
        raise ValueError(
            f"source holds a {type(source).__name__}; give paths, or a mapping of name to path or "
            "DataFrame"
        )
    path = Path(source)
    if _is_folder(path):
        return [LogSource(file, key, False) for file in _in_folder(path)]
    if _PATTERN & set(str(source)) and not path.exists():
        return _sources_matching(str(source), key)
    return [LogSource(LogFile(_checked(path), path.name), key, True)]


def _sources_matching(pattern: str, key: str | None) -> list[LogSource]:
    paths = [Path(p) for p in sorted(glob.glob(pattern, recursive=True))]
    if not paths:
        raise FileNotFoundError(f"no file fits the pattern {printable(pattern)}")
    return [match for path in paths for match in _sources_in(path, key)]


def _in_folder(folder: Path) -> list[LogFile]:
    files = sorted(_walked(folder))
    if not files:
        raise problem(str(folder), "is a folder without a file; give one that holds logs")
    return [LogFile(path, path.relative_to(folder).as_posix()) for path in files]


def _walked(folder: Path) -> Iterator[Path]:
    """Regular files below a folder; a link that leads out of it is not followed."""
    top = folder.resolve()
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f[0] != "." and f not in _SKIPPED_FOLDERS)
        for name in names:
            path = Path(base, name)
            if name[0] == "." or (path.is_symlink() and not path.resolve().is_relative_to(top)):
                continue
            if path.is_file():
                yield path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _checked(path: Path) -> Path:
    """Return the path if it is a regular file: no pipe, no device."""
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"no such file: {printable(str(path))}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise problem(str(path), f"cannot be read ({reason})") from None
    if not stat.S_ISREG(kind):
        what = "is a pipe or a device, and may never end; save what it gives as a file"
        raise problem(str(path), what)
    return path
