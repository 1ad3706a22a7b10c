"""Choose the reader of a file: exactly one, or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from betterthan.io.problems import counted, problem
from betterthan.logs.finding import LogSource
from betterthan.logs.heads import Preview
from betterthan.logs.roster import READERS, Reader
from betterthan.logs.unread_tools import why_unread

# what can be no table either
NO_TABLES = ("a Git LFS pointer", "an image", "a PDF", "a web page")
_MOST = 5  # skipped files that are named


@dataclass(frozen=True)
class Sorted:
    """Files by their reader, and those of a folder that none reads, with the reason."""

    by_reader: dict[str, list[LogSource]]
    skipped: list[tuple[str, str]]

    @property
    def summary(self) -> str:
        """The skipped files, in words; empty where there are none."""
        if not self.skipped:
            return ""
        named = ", ".join(f"{name} ({why})" for name, why in self.skipped[:_MOST])
        more = f" and {len(self.skipped) - _MOST} more" if len(self.skipped) > _MOST else ""
        return f"skipped {counted(len(self.skipped), 'file')}: {named}{more}"


def find_reader(preview: Preview) -> Reader | None:
    """Return the one reader that recognizes the file."""
    fits = [reader for reader in READERS if reader.recognises(preview)]
    if len(fits) > 1:
        names = ", ".join(reader.name for reader in fits)
        raise RuntimeError(f"a file is recognised by {names}; one reader alone may be right")
    return fits[0] if fits else None


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
        If a file that was named by itself is no log of a known tool.
    """
    by_reader: dict[str, list[LogSource]] = {}
    skipped: list[tuple[str, str]] = []
    for source in sources:
        reader = find_reader(source.file.preview) if format is None else _named(format)
        if reader is not None:
            by_reader.setdefault(reader.name, []).append(source)
        elif source.explicit:
            raise problem(source.file.name, unread(source.file.preview))
        else:
            skipped.append((source.file.name, _reason(source.file.preview)))
    return Sorted(by_reader, skipped)


def sort_folder(sources: Sequence[LogSource]) -> Sorted:
    """Sort files by reader, without errors for unreadable ones."""
    return sort_files([LogSource(source.file, source.key, False) for source in sources])


def unread(preview: Preview) -> str:
    """Explain why no reader reads a file, and what to do."""
    if preview.kind == "a Git LFS pointer":
        return "is a Git LFS pointer, not the file itself; run: git lfs pull"
    if preview.kind == "empty":
        return "is empty"
    reason = why_unread(preview)
    if reason is not None:
        return reason
    kind = (
        "" if preview.kind in ("object", "lines", "list", "text", "zip") else f" ({preview.kind})"
    )
    return (
        f"is no log of a tool that is read{kind}: {tools()}; write a table instead, "
        "with columns system, item, score"
    )


def tools() -> str:
    """The tools whose logs are read."""
    return ", ".join(dict.fromkeys(reader.tool for reader in READERS))


def _reason(preview: Preview) -> str:
    readable = ("object", "lines", "list", "text", "zip")
    reason = why_unread(preview)
    if reason is not None:
        return reason.removeprefix("is ")
    return "no log of a known tool" if preview.kind in readable else preview.kind


def _named(format: str) -> Reader:
    for reader in READERS:
        if reader.name == format:
            return reader
    formats = ", ".join(reader.name for reader in READERS)
    raise ValueError(f"format is {format!r}; give one of {formats}")
