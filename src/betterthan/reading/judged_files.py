"""Replace files of judgments, as tools write them, by tables of votes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from betterthan.io.files import FORMATS, dataset_name
from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.judgments import judgment_kind
from betterthan.logs.recognising import NO_TABLES, tools, why_unread
from betterthan.logs.recognising import unread as why_no_log
from betterthan.logs.sniffing import LogFile


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
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return source
    file = LogFile(Path(source), Path(source).name)
    unread = why_unread(file.preview)
    if unread is not None:
        raise problem(file.name, unread)
    kind = judgment_kind(file.preview)
    if kind is None:
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
        reason = (
            f"unknown file type {suffix!r}; give {', '.join(FORMATS)}, each also with .gz, {logs}"
        )
        raise problem(file.name, reason)
    if suffix == ".json" and file.preview.kind == "object":
        reason = "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        raise problem(file.name, f"{reason}, {logs}")
