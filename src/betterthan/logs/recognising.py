"""Which reader reads a file: exactly one, or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from betterthan.io.problems import counted, problem
from betterthan.logs.finding import Found
from betterthan.logs.heads import Head
from betterthan.logs.roster import READERS, Reader
from betterthan.logs.unread_tools import why_unread

# what can be no table either
NO_TABLES = ("a Git LFS pointer", "an image", "a PDF", "a web page")
_MOST = 5  # skipped files that are named


@dataclass(frozen=True)
class Sorted:
    """Files by their reader, and those of a folder that none reads, with the reason."""

    by_reader: dict[str, list[Found]]
    skipped: list[tuple[str, str]]

    @property
    def said(self) -> str:
        """The skipped files, in words; empty where there are none."""
        if not self.skipped:
            return ""
        named = ", ".join(f"{name} ({why})" for name, why in self.skipped[:_MOST])
        more = f" and {len(self.skipped) - _MOST} more" if len(self.skipped) > _MOST else ""
        return f"skipped {counted(len(self.skipped), 'file')}: {named}{more}"


def reader_of(head: Head) -> Reader | None:
    """The one reader that says yes."""
    fits = [reader for reader in READERS if reader.recognises(head)]
    if len(fits) > 1:
        names = ", ".join(reader.name for reader in fits)
        raise RuntimeError(f"a file is recognised by {names}; one reader alone may be right")
    return fits[0] if fits else None


def sort_files(found: Sequence[Found], format: str | None = None) -> Sorted:
    """The files by the name of their reader.

    Parameters
    ----------
    found : sequence of Found
    format : str, optional
        The reader that all files are for; recognised when not given.

    Raises
    ------
    ValueError
        If a file that was named by itself is no log of a known tool.
    """
    by_reader: dict[str, list[Found]] = {}
    skipped: list[tuple[str, str]] = []
    for one in found:
        reader = reader_of(one.file.head) if format is None else _named(format)
        if reader is not None:
            by_reader.setdefault(reader.name, []).append(one)
        elif one.alone:
            raise problem(one.file.name, unread(one.file.head))
        else:
            skipped.append((one.file.name, _reason(one.file.head)))
    return Sorted(by_reader, skipped)


def sorted_of_folder(found: Sequence[Found]) -> Sorted:
    """The files by their reader, whether they were named or not."""
    return sort_files([Found(one.file, one.key, False) for one in found])


def unread(head: Head) -> str:
    """Why no reader reads a file, and what to do."""
    if head.kind == "a Git LFS pointer":
        return "is a Git LFS pointer, not the file itself; run: git lfs pull"
    if head.kind == "empty":
        return "is empty"
    known = why_unread(head)
    if known is not None:
        return known
    what = "" if head.kind in ("object", "lines", "list", "text", "zip") else f" ({head.kind})"
    return (
        f"is no log of a tool that is read{what}: {tools()}; write a table instead, "
        "with columns system, item, score"
    )


def tools() -> str:
    """The tools whose logs are read."""
    return ", ".join(dict.fromkeys(reader.tool for reader in READERS))


def _reason(head: Head) -> str:
    known = ("object", "lines", "list", "text", "zip")
    what = why_unread(head)
    if what is not None:
        return what.removeprefix("is ")
    return "no log of a known tool" if head.kind in known else head.kind


def _named(format: str) -> Reader:
    for reader in READERS:
        if reader.name == format:
            return reader
    known = ", ".join(reader.name for reader in READERS)
    raise ValueError(f"format is {format!r}; give one of {known}")
