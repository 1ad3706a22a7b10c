"""Files of judgments that tools write, as tables of votes in their place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from betterthan.io.files import FORMATS, dataset_name
from betterthan.io.problems import problem
from betterthan.io.table import Table
from betterthan.logs.heads import LogFile
from betterthan.logs.judged_roster import judged_of
from betterthan.logs.recognising import NO_TABLES, tools
from betterthan.logs.recognising import unread as why_no_log
from betterthan.logs.unread_tools import why_unread


def with_judged(source: Any) -> tuple[Any, str]:
    """The source with a table in the place of each file of judgments, and how these are read.

    Raises
    ------
    ValueError
        If a file is a log of a tool that is known and not read.
    """
    said: dict[str, None] = {}
    if isinstance(source, Mapping):
        found = {name: _one(one, said) for name, one in source.items()}
    elif isinstance(source, list | tuple):
        found = [_one(one, said) for one in source]
        if any(isinstance(one, Table) for one in found):
            names = [dataset_name(Path(one)) for one in source]
            found = dict(zip(names, found, strict=True)) if len({*names}) == len(names) else source
    else:
        found = _one(source, said)
    return found, "; ".join(said)


def _one(source: Any, said: dict[str, None]) -> Any:
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return source
    file = LogFile(Path(source), Path(source).name)
    unread = why_unread(file.head)
    if unread is not None:
        raise problem(file.name, unread)
    kind = judged_of(file.head)
    if kind is None:
        _refuse_unknown(file)
        return source
    if kind.said:
        said[kind.said] = None
    return kind.table(file)


def _refuse_unknown(file: LogFile) -> None:
    """Refuse what is neither a table nor a log, and say what is read."""
    if file.head.kind in NO_TABLES:
        raise problem(file.name, why_no_log(file.head))
    suffix = Path(file.path.name.lower().removesuffix(".gz")).suffix
    logs = f"or a log of a tool that is read: {tools()}"
    if suffix not in FORMATS:
        what = (
            f"unknown file type {suffix!r}; give {', '.join(FORMATS)}, each also with .gz, {logs}"
        )
        raise problem(file.name, what)
    if suffix == ".json" and file.head.kind == "object":
        what = "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        raise problem(file.name, f"{what}, {logs}")
