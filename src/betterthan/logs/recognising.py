"""Files that may be logs, and which reader reads each: exactly one, or none."""

import gc
import glob
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from betterthan import checks
from betterthan.files import expanded
from betterthan.io.files import PATHS, refuse_no_file
from betterthan.io.problems import counted, listed, printable, problem, warn
from betterthan.logs.roster import READERS, Reader
from betterthan.logs.sniffing import LogFile, Preview

_PATTERN = frozenset("*?[")
_SKIPPED_FOLDERS = ("__pycache__",)


@dataclass(frozen=True)
class LogSource:
    """A file, the name that a mapping gave it, and whether it was named by itself."""

    file: LogFile
    key: str | None
    explicit: bool


def find_files(source: Any) -> list[LogSource]:
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
        return [match for name, entry in source.items() for match in _sources_in(entry, str(name))]
    right = "a path, a folder, a pattern, a list of these, or a mapping of name to these"
    checks.instance(source, str | Path | Sequence, "source is a", right)
    return _sources_in(source, None)


def _sources_in(source: Any, key: str | None) -> list[LogSource]:
    if isinstance(source, Sequence) and not isinstance(source, str):
        return [match for entry in source for match in _sources_in(entry, key)]
    checks.instance(source, str | Path, "source holds a", PATHS)
    if source == "":
        raise ValueError("the path of a source is empty; give a file or a folder, '.' for this one")
    path = expanded(source)
    if os.path.isdir(path):  # False of a name that no file can have
        names = sorted(_walked(path), key=lambda name: name.split("/"))
        if not names:
            raise problem(str(path), "is a folder without a file; give one that holds logs")
        return [LogSource(LogFile(path / name, name), key, False) for name in names]
    if _PATTERN & set(str(path)) and not path.exists():
        matches = sorted(glob.glob(str(path), recursive=True))
        if not matches:
            raise FileNotFoundError(f"no file fits the pattern {printable(str(source))}")
        return _sources_in(matches, key)
    refuse_no_file(path)
    return [LogSource(LogFile(path, path.name), key, True)]


def _walked(folder: Path) -> Iterator[str]:
    """Names of the regular files below a folder; a warning of links that lead out of it, which are
    not followed.
    """
    top, folders, outside = folder.resolve(), [""], list[str]()
    while folders:
        base = folders.pop()
        for entry in _entries(folder / base):
            name = f"{base}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name[0] != "." and entry.name not in _SKIPPED_FOLDERS:
                    folders.append(f"{name}/")
            elif entry.name[0] != ".":
                if entry.is_symlink() and not _leads_below(top, entry):
                    outside.append(name)
                elif entry.is_file():
                    yield name
    if outside:
        reason = "links that lead out of the folder, or nowhere, are left out"
        right = "name the files themselves, or pass a pattern"
        warn(str(folder), f"{reason}: {listed(sorted(outside), 3)}; {right}")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder.

    Raises
    ------
    ValueError
        If it cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise problem(str(folder), f"cannot be listed ({error.strerror})") from None


def _leads_below(top: Path, link: os.DirEntry[str]) -> bool:
    try:
        return Path(link.path).resolve(strict=True).is_relative_to(top)
    except (OSError, RuntimeError):  # nothing is there, or another link that leads back
        return False


_BFCL = ("accuracy", "correct_count", "total_count")
_LIGHTEVAL = ("model_response", "metric")  # parts of names of columns
_READABLE = ("object", "lines", "list", "text", "zip")  # kinds of which some are logs
_TABLE = "write a table with columns system, item, score from it"


@dataclass(frozen=True)
class Unread:
    """A kind of file that is refused by its name."""

    description: str
    recognises: Callable[[Preview], bool]
    instead: str = _TABLE


UNREAD = (
    Unread(
        "a log of openai/evals, which is not read",
        lambda file: file.kind in ("object", "lines") and file.has("spec.eval_name"),
    ),
    Unread(
        "a score file of BFCL, which lists failures only, so what passed is not in it",
        lambda file: file.kind in ("object", "lines") and file.has(*_BFCL),
        "write a table with columns system, item, score from it and the file of results",
    ),
    Unread(
        "a file of details of lighteval, which is not read",
        lambda file: (
            file.kind == "parquet" and all(any(k in w for w in file.members) for k in _LIGHTEVAL)
        ),
    ),
)


def why_unread(preview: Preview) -> str | None:
    """Describe a file of a known tool that is not read, and what to do."""
    kind = next((kind for kind in UNREAD if kind.recognises(preview)), None)
    return None if kind is None else f"is {kind.description}; {kind.instead}"


# what can be no table either
NO_TABLES = ("a Git LFS pointer", "an image", "a PDF", "a web page")
_MOST = 5  # skipped files that are named
_ALWAYS_A_LOG = (".eval",)  # a name that one tool alone gives
# names of columns that no reader takes: its tool writes "input", or one with another sign
_PLAIN_HEADER = re.compile(r"(?!.*input)\w+(,\w+)+")


@dataclass(frozen=True)
class Sorted:
    """Files by their reader, and those of a folder that none reads, with the reason."""

    by_reader: dict[str, list[LogSource]]
    skipped: list[tuple[str, str]]
    keys: tuple[str | None, ...] = ()  # of a mapping, in its order

    @property
    def summary(self) -> str:
        """The skipped files, in words; empty where there are none."""
        if not self.skipped:
            return ""
        named = ", ".join(f"{name} ({why})" for name, why in self.skipped[:_MOST])
        more = f" and {len(self.skipped) - _MOST} more" if len(self.skipped) > _MOST else ""
        return f"skipped {counted(len(self.skipped), 'file')}: {named}{more}"


def find_reader(preview: Preview, first: Reader | None = None) -> Reader | None:
    """Return the one reader that recognizes the file; `first` is asked before the others."""
    if preview.kind == "text" and preview.lines and _PLAIN_HEADER.fullmatch(preview.lines[0]):
        return None
    if first is not None and first.recognises(preview):
        return first
    fits = [reader for reader in READERS if reader.recognises(preview)]
    if len(fits) > 1:
        names = ", ".join(reader.name for reader in fits)
        raise RuntimeError(f"a file is recognised by {names}; one reader alone may be right")
    return fits[0] if fits else None


@contextmanager
def uncollected() -> Generator[None]:
    """Let Python's cyclic collector rest: values of JSON go when the last that refers to them goes,
    and looking through all of them again and again takes a fifth of the time of reading.

    Examples
    --------
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def sort_files(sources: Sequence[LogSource], format: str | None = None) -> Sorted:
    """The files by the name of their reader.

    Parameters
    ----------
    sources : sequence of Found
    format : str, optional
        The reader that all files are for; recognised when not given.

    Raises
    ------
    ValueError
        If a file that was named by itself is no log of a known tool, or a file with the name of a
        log is none.
    """
    by_reader: dict[str, list[LogSource]] = {}
    skipped: list[tuple[str, str]] = []
    last: Reader | None = None  # which as a rule reads the next file of a folder, too
    for source in sources:
        reader = find_reader(source.file.preview, last) if format is None else _named(format)
        if reader is not None:
            last = reader
            by_reader.setdefault(reader.name, []).append(source)
        elif source.explicit:
            raise problem(source.file.name, unread(source.file.preview))
        elif source.file.name.lower().endswith(_ALWAYS_A_LOG):
            reason = f"is {source.file.preview.kind}, and no log"
            raise problem(source.file.name, f"{reason}; copy it again, or move it away")
        else:
            skipped.append((source.file.name, _reason(source.file.preview)))
    return Sorted(by_reader, skipped, tuple(dict.fromkeys(source.key for source in sources)))


def sort_folder(sources: Sequence[LogSource]) -> Sorted:
    """Sort files by reader, without errors for unreadable ones."""
    return sort_files([LogSource(source.file, source.key, False) for source in sources])


def unread(preview: Preview) -> str:
    """Explain why no reader reads a file, and what to do."""
    if preview.kind == "a Git LFS pointer":
        return "is a Git LFS pointer, not the file itself; run: git lfs pull"
    if preview.kind == "empty":
        return "is empty"
    if (reason := why_unread(preview)) is not None:
        return reason
    kind = "" if preview.kind in _READABLE else f" ({preview.kind})"
    right = "write a table instead, with columns system, item, score"
    return f"is no log of a tool that is read{kind}: {tools()}; {right}"


def tools() -> str:
    """The tools whose logs are read."""
    return ", ".join(dict.fromkeys(reader.tool for reader in READERS))


def _reason(preview: Preview) -> str:
    if (reason := why_unread(preview)) is not None:
        return reason.removeprefix("is ")
    return "no log of a known tool" if preview.kind in _READABLE else preview.kind


def _named(format: str) -> Reader:
    by_name = {reader.name: reader for reader in READERS}
    return by_name[checks.one_of(format, tuple(by_name), "format")]
