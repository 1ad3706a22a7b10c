"""lm-eval: samples, with the results file that alone names the model."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import problem
from betterthan.logs.heads import LogFile, Preview
from betterthan.logs.json_values import as_dict, read_json
from betterthan.logs.lm_eval_results import add_results, list_metrics, list_tasks
from betterthan.logs.lm_eval_rows import add_rows
from betterthan.logs.record import Run
from betterthan.progress import with_bar

_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)(?=\.|$)")
_TASK = re.compile(r"samples_(.+)$")
_ANSWERS = frozenset({"arguments", "resps", "filtered_resps", "target"})
_RESULT_KEYS = frozenset({"configs", "config", "group_subtasks", "groups"})
_NO_SAMPLES = (
    "has the means of tasks and no samples beside it: run lm-eval with --log_samples, and give "
    "the folder"
)
_NO_RESULTS = (
    "names no model, and there is no results_*.json beside it: pass a mapping of name to file"
)


def recognises(preview: Preview) -> bool:
    """Whether a file holds samples or results of lm-eval."""
    return _is_samples(preview) or _is_results(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file of samples, which is one task."""
    results = [file for file in files if _is_results(file.preview)]
    samples = [file for file in files if not _is_results(file.preview)]
    unmatched = [
        result for result in results if not any(_together(result, file) for file in samples)
    ]
    for result in list(unmatched):
        if siblings := [
            file for file in _siblings(result, "samples_*") if _is_samples(file.preview)
        ]:
            samples += siblings
            unmatched.remove(result)
    if not samples:
        raise problem(results[0].name, _NO_SAMPLES)
    read: dict[Path, dict[str, Any]] = {}
    bar = with_bar(samples, len(samples), "reading files of samples")
    run_list = [_run(file, _find_results(file, results), read) for file in bar]
    for result in unmatched:
        run_list[0].notes.append(("skipped", f"{result.name} has no samples"))
    return run_list


def _is_samples(preview: Preview) -> bool:
    if preview.kind not in ("lines", "list", "object") or not {"doc_id", "doc"} <= preview.keys:
        return False
    return bool(_ANSWERS & preview.keys) or len(preview.keys) == 2  # a document that is cut


def _is_results(preview: Preview) -> bool:
    results = as_dict(preview.value("results"))
    first = next(iter(results.values()), None)
    if preview.kind != "object" or not isinstance(first, dict):
        return False
    keys = preview.keys
    looks_like_results = "alias" in first or any("," in key for key in first)
    cut = len(keys) == 1  # more tasks than are looked at
    return (looks_like_results and (cut or bool(keys & _RESULT_KEYS))) or {
        "config",
        "versions",
    } <= keys


def _run(file: LogFile, results_file: LogFile | None, read: dict[Path, dict[str, Any]]) -> Run:
    run = Run("lm_eval", [file.name], own_ids=False, ordered=False)
    if results_file is None:
        results = None
        run.notes.append(("name", f"{file.name} {_NO_RESULTS}"))
    else:
        if results_file.path not in read:
            read[results_file.path] = as_dict(read_json(results_file))
        results = read[results_file.path]
        run.files.append(results_file.name)
    run.task = _task(file, list_tasks(results or {}))
    add_rows(run, file, list_metrics(results, run.task))
    if results is not None:
        add_results(run, results)
    if not run.started and (stamp := _stamp(file)):
        run.started = stamp
    return run


def _find_results(file: LogFile, results: Iterable[LogFile]) -> LogFile | None:
    """Find the results of the same folder and time, among the files or next to the samples."""
    matches = [file_of_results for file_of_results in results if _together(file_of_results, file)]
    if matches:
        return matches[0]
    return next(
        (
            file_of_results
            for file_of_results in _siblings(file, "results*")
            if _is_results(file_of_results.preview)
        ),
        None,
    )


def _together(results: LogFile, samples: LogFile) -> bool:
    return results.path.parent == samples.path.parent and _stamp(results) == _stamp(samples)


def _siblings(file: LogFile, pattern: str) -> list[LogFile]:
    """List the files of the same folder and time."""
    stamp = _stamp(file)
    paths = sorted(file.path.parent.glob(f"{pattern}.json*"))
    folder = PurePosixPath(file.name).parent
    siblings = [
        LogFile(p, (folder / p.name).as_posix())
        for p in paths
        if p.is_file() and not p.is_symlink()
    ]
    return [
        sibling for sibling in siblings if _stamp(sibling) == stamp and sibling.path != file.path
    ]


def _stamp(file: LogFile) -> str:
    match = _STAMP.search(file.path.name)
    return match[1] if match else ""


def _task(file: LogFile, tasks: list[str]) -> str:
    """Return the task that the name of the file ends with; else the name before the time."""
    name = file.path.name
    match = _STAMP.search(name)
    stem = name[: match.start()] if match else name.partition(".json")[0]
    task_match = _TASK.search(stem)
    if task_match and task_match[1] in tasks:
        return task_match[1]
    candidates = [task for task in tasks if stem.endswith(f"_{task}")]
    if candidates or (len(tasks) == 1 and not task_match):
        return max(candidates, key=len) if candidates else tasks[0]
    return task_match[1] if task_match and match else ""
