"""Logs of evaluation tools as one table of records, whatever tool wrote them."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from betterthan import checks
from betterthan.io.compression import counted_memory
from betterthan.io.problems import counted, printable, problem, quoted
from betterthan.io.texts import repeated
from betterthan.logs.frames import chosen, joined_by_id_note, named, runs_of, tabulate_runs
from betterthan.logs.hashing import TooDeepError
from betterthan.logs.recognising import (
    LogSource,
    Sorted,
    find_files,
    sort_files,
    tools,
    uncollected,
)
from betterthan.logs.record import DONE, OK, UNSCORED, Cells, Logs, Run, grouped
from betterthan.logs.roster import READERS
from betterthan.text import first_flawed, flaw

AGAIN = ("last", "first", "epochs")
_SAMPLE = ("item", "epoch", "content", "prompt", "cluster", "text", "row", "file", "failed")
_SCORE = ("metric", "raw", "status")
_SIDES = 4  # folders that a message names


def merge_runs(
    runs: Sequence[Run], systems: Sequence[str], again: str | None
) -> tuple[list[Run], list[str]]:
    """One run for each system and task, and the system of each.

    Parameters
    ----------
    runs : sequence of Run
    systems : sequence of str
        The name of each run.
    again : {"last", "first", "epochs"}, optional
        Which of several finished runs; "epochs" takes each as further epochs.

    Raises
    ------
    ValueError
        If there are several finished runs and `again` is not given.
    """
    if again is not None:
        checks.one_of(again, AGAIN, "again")
    named_runs = zip(runs, systems, strict=True)
    groups = grouped(((system, run.task), without_doubles(run)) for run, system in named_runs)
    merged_runs = {key: _merge_group(group, key[0], again) for key, group in groups.items()}
    return list(merged_runs.values()), [system for system, _ in merged_runs]


def _merge_group(runs: list[Run], system: str, again: str | None) -> Run:
    runs = _finished(_tries(sorted(runs, key=_start)), system)
    if len(runs) == 1 or not _overlap(runs):
        return merged(runs)
    note = ("again", _disagreement(runs, system))
    if again == "epochs":
        return _with_note(_as_epochs(runs), note)
    if again is not None:
        return _with_note(runs[-1] if again == "last" else runs[0], note)
    files = ", ".join(quoted(run.files[0]) for run in runs)
    _refuse_unnamed(runs, files)
    task = f" on task {runs[0].task}" if runs[0].task else ""
    reason = f"{system} was run {len(runs)} times{task}, with equal settings ({files})"
    right = 'say again="last" or again="first" for one of them, or again="epochs" to take all'
    raise ValueError(f"{reason}; {right}")


def _start(run: Run) -> tuple[float, str]:
    """When a run started, to sort by; a time without a zone is of UTC, other texts come first."""
    try:
        time = datetime.fromisoformat(run.started)
    except ValueError:
        return -inf, run.started
    return time.replace(tzinfo=time.tzinfo or UTC).timestamp(), run.started


def _refuse_unnamed(runs: Sequence[Run], files: str) -> None:
    """Refuse logs that name no system if each is in a folder of its own."""
    folders = [run.folder for run in runs]
    if any(run.system or not run.folder for run in runs) or len(set(folders)) < len(folders):
        return
    sides = zip(ascii_uppercase[:_SIDES], folders, strict=False)
    named_sides = ", ".join(f"{name!r}: {quoted(folder)}" for name, folder in sides)
    more = ", ..." if folders[_SIDES:] else ""
    raise ValueError(
        f"{len(runs)} logs from different folders name no system ({files}); name the system of "
        f"each folder: pass {{{named_sides}{more}}}; if they are runs of one system, pass again="
    )


def _finished(runs: list[Run], system: str) -> list[Run]:
    """Keep the finished runs, if there are any; else keep all."""
    finished = [run for run in runs if run.state == DONE]
    if not finished or len(finished) == len(runs):
        return runs
    unfinished = ", ".join(run.files[0] for run in runs if run.state != DONE)
    message = f"an unfinished log of {system} is passed over for a finished one: {unfinished}"
    return [_with_note(finished[0], ("again", message)), *finished[1:]]


def _with_note(run: Run, note: tuple[str, str]) -> Run:
    return replace(run, notes=[*run.notes, note])


def _disagreement(runs: list[Run], system: str) -> str:
    """How many items the first and the last run score otherwise."""
    first, last = (
        dict(zip(run.cells.item, _scores(run.cells), strict=True)) for run in (runs[0], runs[-1])
    )
    both = [item for item in first if item in last]
    differ = sum(first[item] != last[item] for item in both)
    return f"{system} ran {len(runs)} times: {differ} of {counted(len(both), 'item')} differ"


def _tries(runs: list[Run]) -> list[Run]:
    """Tries that share what a retry shares, as one run."""
    groups = grouped((run.again or k, run) for k, run in enumerate(runs))
    for group in groups.values():
        _refuse_scored_again(group)
    return [merged(group) for group in groups.values()]


def _refuse_scored_again(tries: Sequence[Run]) -> None:
    """Refuse finished logs of one run, of one start, whose scores differ: it was scored again."""
    finished = [run for run in tries if run.state == DONE and run.started]
    for run in finished[1:]:
        first = next(other for other in finished if other.started == run.started)
        old, new = _scores_by_sample(first), _scores_by_sample(run)
        if any(old[sample] != new[sample] for sample in old.keys() & new.keys()):
            files = " and ".join(quoted(one.files[0]) for one in (first, run))
            reason = f"{files} hold one run with other scores, so it was scored again"
            raise ValueError(f"{reason}; give the one whose scores count")


def _scores_by_sample(run: Run) -> dict[tuple[str, int], list[tuple[str, str, str]]]:
    samples = zip(run.cells.item, run.cells.epoch, strict=True)
    return dict(zip(samples, _scores(run.cells), strict=True))


def _overlap(runs: list[Run]) -> bool:
    samples = [set(zip(run.cells.item, run.cells.epoch, strict=True)) for run in runs]
    return len(set.union(*samples)) < sum(map(len, samples))


def merged(runs: list[Run]) -> Run:
    """One run with the best sample of each item and epoch: scored, then unscored, then failed; of
    equals the later.
    """
    if len(runs) == 1:
        return runs[0]
    samples_by_run = _best_samples(runs)
    last = next((run for run in reversed(runs) if run.state == DONE), runs[-1])
    files, cells = [], Cells()
    for run, samples in zip(runs, samples_by_run, strict=True):
        add(cells, run.cells, samples, shift=len(files))
        files += run.files
    declared = list(dict.fromkeys(item for run in runs for item in run.declared))
    notes = list(dict.fromkeys(note for run in runs for note in run.notes))
    return replace(last, files=files, cells=cells, declared=declared, notes=notes)


def _best_samples(runs: list[Run]) -> list[list[int]]:
    """Choose the best sample of each item and epoch; return the chosen samples of each run."""
    best: dict[tuple[str, int], tuple[int, int, int]] = {}
    for r, run in enumerate(runs):
        for k, rank in enumerate(_ranks(run)):
            key = (run.cells.item[k], run.cells.epoch[k])
            if key not in best or rank >= best[key][0]:
                best[key] = (rank, r, k)
    return [
        sorted(k for _, run_number, k in best.values() if run_number == r) for r in range(len(runs))
    ]


def _ranks(run: Run) -> np.ndarray:
    """Rank each sample: 2 scored, 1 unscored, 0 failed."""
    ranks = np.zeros(len(run.cells), int)
    for sample, status in zip(run.cells.score_sample, run.cells.status, strict=True):
        ranks[sample] = max(ranks[sample], 2 if status == OK else 1 if status == UNSCORED else 0)
    return np.where(np.array(run.cells.failed, bool), 0, ranks)


def _as_epochs(runs: list[Run]) -> Run:
    """All runs, those after the first as further epochs."""
    cells, files, shift = Cells(), [], 0
    for run in runs:
        moved = replace(run.cells, epoch=[epoch + shift for epoch in run.cells.epoch])
        add(cells, moved, range(len(moved)), shift=len(files))
        shift = max(moved.epoch, default=shift)
        files += run.files
    alike = len({len(run.cells) for run in runs}) == 1  # else their mean is no mean of all cells
    in_all = [m for m in runs[-1].reported if alike and all(m in run.reported for run in runs)]
    return replace(
        runs[-1],
        files=files,
        cells=cells,
        epochs=sum(run.epochs for run in runs),
        reported={m: sum(run.reported[m] for run in runs) / len(runs) for m in in_all},
        reduced={},
        notes=list(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def without_doubles(run: Run) -> Run:
    """A run in which no item and epoch stands twice: equal rows count once.

    Raises
    ------
    ValueError
        If two rows of one item and epoch differ.
    """
    cells = run.cells
    keys = map(hash, zip(cells.item, cells.epoch, strict=True))
    if not len(repeated(np.fromiter(keys, np.int64, len(cells)))):
        return run
    samples = enumerate(zip(cells.item, cells.epoch, strict=True))
    places = grouped((key, k) for k, key in samples)
    if len(places) == len(cells):
        return run
    _refuse_other_doubles(run, places)
    distinct = Cells()
    add(distinct, cells, sorted(first for first, *_ in places.values()))
    dropped = counted(len(cells) - len(places), "row")
    message = f"{dropped} of {run.files[0]} given twice, counted once"
    return replace(run, cells=distinct, notes=[*run.notes, ("twice", message)])


def _refuse_other_doubles(run: Run, places: dict[tuple[str, int], list[int]]) -> None:
    cells, scores = run.cells, _scores(run.cells)
    for (item, epoch), (first, *others) in places.items():
        for k in others:
            if scores[k] != scores[first] or cells.content[k] != cells.content[first]:
                where = f"{run.files[cells.file[k]]}, row {cells.row[k]}"
                reason = f"item {quoted(item)} (epoch {epoch}) is in row {cells.row[first]} too"
                right = "give each item one row, or tell its runs apart"
                raise ValueError(f"{where}: {reason}, with another score or text; {right}")


def _scores(cells: Cells) -> list[list[tuple[str, str, str]]]:
    return [sorted(scores) for scores in cells.by_sample()]


def add(into: Cells, cells: Cells, samples: Sequence[int], shift: int = 0) -> None:
    """Add some samples of other cells with their scores; files are counted on by `shift`."""
    place = np.full(len(cells), -1)
    place[list(samples)] = np.arange(len(into), len(into) + len(samples))
    for name in _SAMPLE:
        values = getattr(cells, name)
        getattr(into, name).extend(
            values[k] + shift if name == "file" else values[k] for k in samples
        )
    samples_of_scores = place[np.array(cells.score_sample, int)]
    rows = np.flatnonzero(samples_of_scores >= 0)
    into.score_sample.extend(samples_of_scores[rows].tolist())
    for name in _SCORE:
        values = getattr(cells, name)
        getattr(into, name).extend(values[k] for k in rows)


_MOST_EPOCHS = 10**6  # so that those of 2,000 logs, put together, are counted in 32 bits
_MOST_MEANT = 10**7  # runs of items that a log names, beyond those it holds


def checked(run: Run) -> Run:
    """The run, when its names can be names, and its epochs be counted.

    Raises
    ------
    ValueError
        With the file, row and value.
    """
    cells, metrics = run.cells, run.metrics
    _refuse(run, "system", [run.system or ""])
    _refuse(run, "task", [run.task])
    _refuse(run, "item", cells.item, lambda k: k)
    _refuse(run, "cluster", [name or "" for name in cells.cluster], lambda k: k)
    _refuse(run, "item", run.declared)
    _refuse(run, "metric", metrics, lambda k: cells.score_sample[cells.metric.index(metrics[k])])
    _refuse_epochs(run)
    return run


def _refuse(
    run: Run, role: str, names: Sequence[str], sample: Callable[[int], int] | None = None
) -> None:
    """Refuse a name that can be none; `sample` says which sample has the name of a place."""
    if (k := first_flawed(names)) is not None:
        file, row = (run.files[0], None) if sample is None else _place(run, sample(k))
        raise problem(file, f"{role} {quoted(names[k])} {flaw(names[k])}", row=row)


def _refuse_epochs(run: Run) -> None:
    """Refuse an epoch that is no count, and too many epochs."""
    epochs = run.cells.epoch
    bad = (k for k, epoch in enumerate(epochs) if not -_MOST_EPOCHS <= epoch <= _MOST_EPOCHS)
    if (k := next(bad, None)) is not None:
        file, row = _place(run, k)
        reason = f"an epoch is at most {_MOST_EPOCHS:,}, item {quoted(run.cells.item[k])} has"
        raise problem(file, f"{reason} {epochs[k]:,}; number the runs of an item from 1", row=row)
    if len(run.declared) * run.epochs - len(epochs) > _MOST_MEANT:
        reason = f"names {len(run.declared):,} items x {run.epochs:,} runs of each, and holds"
        raise problem(run.files[0], f"{reason} {len(epochs):,}; correct how many runs were meant")
    if run.epochs > _MOST_EPOCHS:
        reason = f"names {quoted(run.epochs)} runs of each item"
        raise problem(run.files[0], f"{reason}; at most {_MOST_EPOCHS:,} are counted")


def _place(run: Run, sample: int) -> tuple[str, int | None]:
    """The file and the row of a sample."""
    return run.files[run.cells.file[sample]], run.cells.row[sample] or None


CONTENT = "content"


def by_content(runs: Sequence[Run]) -> None:
    """Assign items with equal content to one cluster."""
    for run in runs:
        digests = [content.hex() for content in run.cells.content if content is not None]
        if len(digests) < len(run.cells):
            reason = "does not hold what was asked, so that cluster='content' does not apply"
            raise problem(run.files[0], reason)
        run.cells.cluster = [*digests]


def refuse_cluster(files: Sorted, metadata: str | None) -> None:
    """Refuse a metadata name for logs without metadata."""
    takers = [reader for reader in READERS if reader.takes_cluster]
    if metadata is not None and not {*files.by_reader} <= {reader.name for reader in takers}:
        tools = ", ".join(reader.tool for reader in takers)
        message = f"cluster={quoted(metadata)} is for metadata of samples in logs of {tools}"
        raise ValueError(f"{message}; cluster='content' is for all that hold what was asked")


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
    """Read the logs of evaluation tools into one table of records.

    Use it to look at the runs in the logs, or to select among them, before you compare; `compare`
    also reads logs directly.

    Parameters
    ----------
    source : path, list of paths, or mapping of name to these
        Files, folders (all files below them), or patterns such as ``"logs/*.eval"``. In a mapping,
        the names are those of the systems.
    systems : list of str, mapping of str to str, or callable, optional
        Systems to read: a list selects and orders them, a mapping renames them, a callable returns
        the name of the system of a run. Default: the names in the logs.
    again : {"last", "first", "epochs"}, optional
        How to treat several finished runs of one system, task, and settings: keep one of them, or
        all, each as further epochs.
    format : str, optional
        Tool that wrote the files, by its name in `logs.roster`. Default: detected from the content.
    items : list of str, optional
        Ids of the data set, for results that list only the solved items (SWE-bench).
    cluster : str, optional
        Property that the items of one cluster share: ``"content"``, so that copies of a question
        are one cluster, or the name of a metadata field of samples (Inspect). Default: that of the
        tool.

    Returns
    -------
    Logs
        ``records``, a row for each run, item, epoch, and metric, and ``runs``, a row for each log.
        Pass it to `read`, `compare`, `count`, `audit`, `advise`, or `gate` in place of the files.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file that you name is not a log of a known tool, or is damaged. If no file of a folder
        is a log. If a system was run twice with equal settings and `again` is not passed. If rows
        of one item and epoch differ. If a sample has no such metadata, or a log does not hold the
        requested content.

    Notes
    -----
    The kind of a file is detected from its content, never from its name. In a folder, files that
    are not logs are skipped and counted. Runs of one name and task whose settings differ are
    systems of their own, named by these settings. Nothing in a log is evaluated.

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
    runs, run_systems = merge_runs(
        runs, named(runs, keys, callable_, seeds=again != "epochs"), again
    )
    checks.fit(run_systems, "system")
    wanted = chosen(systems, list(dict.fromkeys(run_systems)))
    selected = runs_of(wanted, run_systems)
    return tabulate_runs([runs[k] for k in selected], [wanted[run_systems[k]] for k in selected])


@uncollected()
@counted_memory()
def read_runs(
    files: Sorted, items: Sequence[str] | None = None, cluster: str | None = None
) -> tuple[list[Run], list[str | None]]:
    """Read the runs of all files, and the name that a mapping gives them."""
    _refuse_items(files, items)
    named_field = cluster is not None and checks.label(cluster, "cluster") != CONTENT
    metadata = cluster if named_field else None
    refuse_cluster(files, metadata)
    runs: list[Run] = []
    keys: list[str | None] = []
    for reader in READERS:
        before = len(runs)
        sources = files.by_reader.get(reader.name, [])
        for key, group in grouped((source.key, source) for source in sources).items():
            try:
                new_runs = reader.runs([source.file for source in group], items, metadata)
            except (RecursionError, TooDeepError):
                names = ", ".join(source.file.name for source in group)
                raise problem(names, "holds a value that is nested too deeply") from None
            if key is None:
                _add_folders(new_runs, group)
            for run in new_runs:
                if key is not None:  # which names the system, as the note asks
                    run.notes = [note for note in run.notes if note[0] != "name"]
                tool = reader.tool if run.tool == reader.name else run.tool
                runs.append(replace(checked(run), tool=tool))
            keys += [key] * len(new_runs)
        reader.check(runs[before:])
    if not runs:
        skipped = f" ({files.summary})" if files.summary else ""
        raise ValueError(f"no file is a log of a tool that is read{skipped}: {tools()}")
    if files.summary:
        _log.info(printable(files.summary))
        for run in runs:
            run.notes.append(("skipped", printable(files.summary)))
    order = sorted(range(len(runs)), key=lambda k: files.keys.index(keys[k]))
    runs, keys = [runs[k] for k in order], [keys[k] for k in order]
    _refuse_mixed(runs, keys)
    if cluster == CONTENT:
        by_content(runs)
    return runs, keys


def _add_folders(runs: Sequence[Run], sources: Sequence[LogSource]) -> None:
    """Add its folder to each run, unless files of one name leave open which is its own."""
    files = [source.file for source in sources]
    folders_by_name = grouped((file.name, file.path.parent.as_posix()) for file in files)
    for name, of_name in grouped((run.files[0], run) for run in runs).items():
        folders = folders_by_name.get(name, [])
        folders = folders * len(of_name) if len(folders) == 1 else folders
        if len(folders) == len(of_name):
            for run, folder in zip(of_name, folders, strict=True):
                run.folder = folder


def _refuse_mixed(runs: Sequence[Run], keys: Sequence[str | None]) -> None:
    """Refuse logs of several tools, unless each was named: their contents are digested each in its
    own way, so that only ids can join them.
    """
    tools = list(dict.fromkeys(run.tool for run in runs))
    if len(tools) == 1:
        return
    if None in keys:
        right = "pass format= for one of them, or give a mapping of systems to their files"
        raise ValueError(f"there are logs of {' and '.join(tools)}; {right}")
    _refuse_other_texts(runs)
    for run in runs:
        run.cells.content[:] = [None] * len(run.cells)
        run.notes.append(joined_by_id_note(tools))


def _refuse_other_texts(runs: Sequence[Run]) -> None:
    """Refuse ids of two tools that number the same texts in other ways."""
    first = runs[0]
    item_by_text = dict(zip(first.cells.text, first.cells.item, strict=True))
    for run in runs:
        texts = dict(zip(run.cells.text, run.cells.item, strict=True))
        both = [text for text in texts if text and text in item_by_text]
        others = [text for text in both if texts[text] != item_by_text[text]]
        if run.tool != first.tool and 2 * len(others) > len(both):
            text = others[0]
            ids = [
                f"{quoted(items[text])} in {log.files[0]}"
                for items, log in ((item_by_text, first), (texts, run))
            ]
            reason = f"{quoted(text)} is item {' and '.join(ids)}, and so are {len(others)} of"
            right = "write a table with one id for each item"
            raise ValueError(f"{reason} {len(both)} texts that both hold; {right}")


def _refuse_items(files: Sorted, items: Sequence[str] | None) -> None:
    takers = [reader for reader in READERS if reader.takes_items]
    if items is not None and not any(reader.name in files.by_reader for reader in takers):
        tools = ", ".join(reader.tool for reader in takers)
        raise ValueError(f"items is for logs of {tools}; these name their items")
    if isinstance(items, str):
        raise ValueError(f"items is {items!r}; give a list of ids")
