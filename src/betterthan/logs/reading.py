"""Logs of evaluation tools as one table of records, whatever tool wrote them."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from betterthan import checks
from betterthan.io.problems import printable
from betterthan.logs.again import merge_runs
from betterthan.logs.checking import checked
from betterthan.logs.clustering import CONTENT, by_content, refuse_cluster
from betterthan.logs.finding import LogSource, find_files
from betterthan.logs.frames import joined_by_id_note, tabulate_runs
from betterthan.logs.naming import chosen, named
from betterthan.logs.recognising import Sorted, sort_files, tools
from betterthan.logs.record import Logs, Run
from betterthan.logs.roster import READERS, Reader
from betterthan.logs.uncollected import uncollected

_log = logging.getLogger("betterthan")
Source = str | Path | Sequence[str | Path] | Mapping[str, Any]


@uncollected()
def read_logs(
    source: Source,
    *,
    systems: Sequence[str] | Mapping[str, str] | Callable[[Run], str] | None = None,
    again: str | None = None,
    format: str | None = None,
    items: Sequence[str] | None = None,
    cluster: str | None = None,
) -> Logs:
    """Read the logs that evaluation tools wrote.

    Parameters
    ----------
    source : path, list of paths, or mapping of name to these
        Files, folders (all files below them) or patterns such as ``"logs/*.eval"``. The names of a
        mapping are those of the systems.
    systems : list of str, mapping of str to str, or callable, optional
        A list picks and orders systems, a mapping renames them, a callable names the system of a
        run. They are called as their logs name them when not given.
    again : {"last", "first", "epochs"}, optional
        What to do with finished runs of one system, task and settings: take one of them, or all,
        each as further epochs.
    format : str, optional
        The tool that wrote the files, by its name in `logs.roster`; recognised from what is in
        them when not given.
    items : list of str, optional
        The ids of the data set, for results that name only what was solved (SWE-bench).
    cluster : str, optional
        What items of one cluster share: ``"content"``, so that copies of a question are one
        cluster, or the name of a metadata of samples (Inspect). As the tool says when not given.

    Returns
    -------
    Logs
        ``records``, a row for each run, item, epoch and metric, and ``runs``, a row for each log.
        `read`, `compare`, `count`, `audit`, `advise` and `gate` take it in the place of the files.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file that is named by itself is no log of a known tool, or is damaged.
        If no file of a folder is a log.
        If a system was run twice with equal settings and `again` is not given.
        If rows of one item and epoch differ.
        If a sample has no such metadata, or a log does not hold what was asked.

    Notes
    -----
    What a file is shows in its content, never in its name. Of a folder, files that are no logs are
    passed over and counted. Runs of one name and task whose settings differ are systems of their
    own, named by these settings. Nothing in a log is evaluated.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> def row(item, score):
    ...     return {"user_input": item, "response": "...", "faithfulness": score}
    >>> for system, second in [("old", 0.4), ("new", 0.9)]:
    ...     rows = [row("Who?", 1.0), row("When?", second)]
    ...     _ = (folder / f"{system}.json").write_text(json.dumps(rows))
    >>> logs = read_logs(folder)
    >>> logs.records[["system", "metric", "score", "status"]]
      system        metric  score status
    0    new  faithfulness    1.0     ok
    1    new  faithfulness    0.9     ok
    2    old  faithfulness    1.0     ok
    3    old  faithfulness    0.4     ok
    """
    files = sort_files(find_files(source), format)
    return read_log_files(files, systems=systems, again=again, items=items, cluster=cluster)


def read_log_files(
    files: Sorted,
    *,
    systems: Any = None,
    again: str | None = None,
    items: Sequence[str] | None = None,
    cluster: str | None = None,
) -> Logs:
    """The records of files that were recognised."""
    return combine_runs(*read_runs(files, items, cluster), systems=systems, again=again)


@uncollected()
def combine_runs(
    runs: Sequence[Run],
    keys: Sequence[str | None],
    *,
    systems: Any = None,
    again: str | None = None,
) -> Logs:
    """Build the records of runs; `keys` are the names from a mapping."""
    callable_: Any = systems if callable(systems) else None
    runs, run_systems = merge_runs(runs, named(runs, keys, callable_), again)
    checks.fit(run_systems, "system")
    wanted = chosen(systems, list(dict.fromkeys(run_systems)))
    selected = [k for name in wanted for k, system in enumerate(run_systems) if system == name]
    return tabulate_runs([runs[k] for k in selected], [wanted[run_systems[k]] for k in selected])


@uncollected()
def read_runs(
    files: Sorted, items: Sequence[str] | None = None, cluster: str | None = None
) -> tuple[list[Run], list[str | None]]:
    """Read the runs of all files, and the name that a mapping gives them."""
    _refuse_items(files, items)
    metadata = None if cluster == CONTENT else cluster
    refuse_cluster(files, metadata)
    runs: list[Run] = []
    keys: list[str | None] = []
    for reader in READERS:
        before = len(runs)
        for key, group in _by_key(files.by_reader.get(reader.name, [])).items():
            new_runs = reader.runs([source.file for source in group], items, metadata)
            runs += [_by_its_tool(checked(run), reader) for run in new_runs]
            keys += [key] * len(new_runs)
        reader.check(runs[before:])
    if not runs:
        skipped = f" ({files.summary})" if files.summary else ""
        raise ValueError(f"no file is a log of a tool that is read{skipped}: {tools()}")
    if files.summary:
        _log.info(printable(files.summary))
    _refuse_mixed(runs, keys)
    if cluster == CONTENT:
        by_content(runs)
    return runs, keys


def _refuse_mixed(runs: Sequence[Run], keys: Sequence[str | None]) -> None:
    """Refuse logs of several tools, unless each was named: their contents are digested each in its
    own way, so that only ids can join them.
    """
    tools = list(dict.fromkeys(run.tool for run in runs))
    if len(tools) == 1:
        return
    if None in keys:
        raise ValueError(
            f"there are logs of {' and '.join(tools)}; say format= for one of them, or give a "
            "mapping of systems to their files"
        )
    for run in runs:
        run.cells.content[:] = [None] * len(run.cells)
        run.notes.append(joined_by_id_note(tools))


def _refuse_items(files: Sorted, items: Sequence[str] | None) -> None:
    takers = [reader for reader in READERS if reader.takes_items]
    if items is not None and not any(reader.name in files.by_reader for reader in takers):
        tools = ", ".join(reader.tool for reader in takers)
        raise ValueError(f"items is for logs of {tools}; these name their items")
    if isinstance(items, str):
        raise ValueError(f"items is {items!r}; give a list of ids")


def _by_its_tool(run: Run, reader: Reader) -> Run:
    return replace(run, tool=reader.tool) if run.tool == reader.name else run


def _by_key(sources: Sequence[LogSource]) -> dict[str | None, list[LogSource]]:
    groups: dict[str | None, list[LogSource]] = {}
    for source in sources:
        groups.setdefault(source.key, []).append(source)
    return groups
