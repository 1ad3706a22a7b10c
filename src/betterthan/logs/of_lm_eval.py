"""Samples of lm-eval, with the results beside them, which alone name the model."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import problem
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_values import as_dict, whole
from betterthan.logs.lm_eval_results import add_results, metrics_of, tasks_of
from betterthan.logs.lm_eval_rows import add_rows
from betterthan.logs.record import Run
from betterthan.progress import with_bar

_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)(?=\.|$)")
_TASK = re.compile(r"samples_(.+)$")
_ANSWERS = frozenset({"arguments", "resps", "filtered_resps", "target"})
_BESIDE = frozenset({"configs", "config", "group_subtasks", "groups"})
_ALONE = (
    "has the means of tasks and no samples beside it: run lm-eval with --log_samples, and give "
    "the folder"
)
_NO_RESULTS = (
    "names no model, and there is no results_*.json beside it: pass a mapping of name to file"
)


def recognises(head: Head) -> bool:
    """Whether a file holds samples or results of lm-eval."""
    return _is_samples(head) or _is_results(head)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file of samples, which is one task."""
    results = [file for file in files if _is_results(file.head)]
    samples = [file for file in files if not _is_results(file.head)]
    alone = [one for one in results if not any(_together(one, file) for file in samples)]
    for one in list(alone):
        if beside := [file for file in _beside(one, "samples_*") if _is_samples(file.head)]:
            samples += beside
            alone.remove(one)
    if not samples:
        raise problem(results[0].name, _ALONE)
    read: dict[Path, dict[str, Any]] = {}
    bar = with_bar(samples, len(samples), "reading files of samples")
    found = [_run(file, _results_of(file, results), read) for file in bar]
    for one in alone:
        found[0].said.append(("skipped", f"{one.name} has no samples"))
    return found


def _is_samples(head: Head) -> bool:
    if head.kind not in ("lines", "list", "object") or not {"doc_id", "doc"} <= head.keys:
        return False
    return bool(_ANSWERS & head.keys) or len(head.keys) == 2  # a document that is cut


def _is_results(head: Head) -> bool:
    results = as_dict(head.at("results"))
    first = next(iter(results.values()), None)
    if head.kind != "object" or not isinstance(first, dict):
        return False
    keys = head.keys
    told = "alias" in first or any("," in key for key in first)
    cut = len(keys) == 1  # more tasks than are looked at
    return (told and (cut or bool(keys & _BESIDE))) or {"config", "versions"} <= keys


def _run(file: LogFile, beside: LogFile | None, read: dict[Path, dict[str, Any]]) -> Run:
    run = Run("lm_eval", [file.name], own_ids=False, ordered=False)
    if beside is None:
        results = None
        run.said.append(("name", f"{file.name} {_NO_RESULTS}"))
    else:
        if beside.path not in read:
            read[beside.path] = as_dict(whole(beside))
        results = read[beside.path]
        run.files.append(beside.name)
    run.task = _task(file, tasks_of(results or {}))
    add_rows(run, file, metrics_of(results, run.task))
    if results is not None:
        add_results(run, results)
    if not run.started and (stamp := _stamp(file)):
        run.started = stamp
    return run


def _results_of(file: LogFile, results: Iterable[LogFile]) -> LogFile | None:
    """The results of the same folder and time, among those given or beside the samples."""
    given = [one for one in results if _together(one, file)]
    if given:
        return given[0]
    return next((one for one in _beside(file, "results*") if _is_results(one.head)), None)


def _together(results: LogFile, samples: LogFile) -> bool:
    return results.path.parent == samples.path.parent and _stamp(results) == _stamp(samples)


def _beside(file: LogFile, pattern: str) -> list[LogFile]:
    """Files of the same folder and time."""
    stamp = _stamp(file)
    paths = sorted(file.path.parent.glob(f"{pattern}.json*"))
    folder = PurePosixPath(file.name).parent
    found = [
        LogFile(p, (folder / p.name).as_posix())
        for p in paths
        if p.is_file() and not p.is_symlink()
    ]
    return [one for one in found if _stamp(one) == stamp and one.path != file.path]


def _stamp(file: LogFile) -> str:
    found = _STAMP.search(file.path.name)
    return found[1] if found else ""


def _task(file: LogFile, tasks: list[str]) -> str:
    """The task that the name of the file ends with; what stands before the time of other names."""
    name = file.path.name
    found = _STAMP.search(name)
    stem = name[: found.start()] if found else name.partition(".json")[0]
    own = _TASK.search(stem)
    if own and own[1] in tasks:
        return own[1]
    ends = [task for task in tasks if stem.endswith(f"_{task}")]
    if ends or (len(tasks) == 1 and not own):
        return max(ends, key=len) if ends else tasks[0]
    return own[1] if own and found else ""
