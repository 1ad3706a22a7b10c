"""SWE-bench: reports of the harness, results.json, and details of each instance."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import counted, listed, problem, quoted
from betterthan.logs.json_values import as_dict, as_list, number, read_json
from betterthan.logs.record import ERROR, OK, Run
from betterthan.logs.sniffing import LogFile, Preview

_METRIC = "resolved"
_INSTANCE = re.compile(r".+__.+-\d+")
# of an instance in several lists the first counts
_REPORT = (
    ("resolved_ids", 1.0, OK),
    ("infra_failure_ids", None, ERROR),
    ("ambiguous_failure_ids", None, ERROR),
    ("error_ids", None, ERROR),
    ("empty_patch_ids", 0.0, OK),
    ("unresolved_ids", 0.0, OK),
)
_RESULTS = (("resolved", 1.0, OK), ("no_logs", None, ERROR), ("no_generation", 0.0, OK))
_NO_NAMES = ("results", "result", "report", "per_instance_details")
_NO_FOLDERS = ("results", "logs", "")
_ITEMS = (
    "names the resolved instances and not those that failed: pass items= with the ids of the "
    "data set, or give a report or per_instance_details.json next to it"
)


def recognises(preview: Preview) -> bool:
    """Whether a file is a result of SWE-bench."""
    kinds = (_is_report, _is_results, _is_details)
    return preview.kind == "object" and any(fits(preview) for fits in kinds)


def runs(files: Sequence[LogFile], items: Iterable[str] | None = None) -> list[Run]:
    """The run in each report and each folder of details.

    Parameters
    ----------
    files : sequence of LogFile
    items : iterable of str, optional
        The ids of the data set, for results that do not name instances that failed; taken from
        the other files when not given.
    """
    reports = [_read_report(file) for file in files if _is_report(file.preview)]
    details = _read_details([file for file in files if _is_details(file.preview)])
    run_list = [*reports, *details.values()]
    instances = set(items) if items is not None else {i for run in run_list for i in run.declared}
    for file in files:
        if not _is_results(file.preview) or _is_report(file.preview):
            continue
        if file.path.parent in details:
            _check(details[file.path.parent], file)
        elif not instances:
            raise problem(file.name, _ITEMS)
        else:
            run_list.append(_read_results(file, instances))
    return [_within(run, instances) for run in run_list] if items is not None else run_list


def _is_report(preview: Preview) -> bool:
    others = {"unresolved_ids", "submitted_ids"} & preview.keys
    return "resolved_ids" in preview.keys and bool(others)


def _is_results(preview: Preview) -> bool:
    others = {"no_generation", "no_logs"} & preview.keys
    return isinstance(preview.value("resolved"), list) and bool(others)


def _is_details(preview: Preview) -> bool:
    key, value = next(iter(as_dict(preview.first).items()), ("", None))
    return bool(_INSTANCE.fullmatch(str(key))) and _METRIC in as_dict(value)


def _lists(file: LogFile) -> dict[str, Any]:
    """Read an object whose lists hold ids."""
    report = as_dict(read_json(file))
    for key in {key for key, *_ in (*_REPORT, *_RESULTS)} & report.keys():
        ids = report[key]
        if ids is not None and not (isinstance(ids, list) and all(type(i) is str for i in ids)):
            raise problem(file.name, "is no list of ids", column=key, value=ids)
    return report


def _read_report(file: LogFile) -> Run:
    report = _lists(file)
    run = _run(file)
    _add(run, report, _REPORT)
    lists = [as_list(report.get(key)) for key in report if key.endswith("_ids")]
    run.declared = sorted({str(instance) for ids in lists for instance in ids})
    resolved, total = (number(report.get(f"{k}_instances")) for k in ("resolved", "total"))
    if resolved is not None and total:
        run.reported, run.rule = {_METRIC: resolved / total}, "mean_of_declared"
        if total > len(run.declared):
            message = f"{file.name} names {len(run.declared)} of {total:.0f} instances"
            run.notes.append(("missing", f"{message}; the rest count as failed there"))
    if empty := as_list(report.get("empty_patch_ids")):
        message = f"empty patches, counted as 0: {len(empty)} in {file.name}"
        run.notes.append(("unanswered", message))
    return run


def _read_results(file: LogFile, instances: set[str]) -> Run:
    """Read results that list only resolved instances; all other instances failed."""
    run = _run(file)
    _add(run, _lists(file), _RESULTS)
    _refuse_other_ids(run, instances)
    for item in sorted(instances - set(run.cells.item)):
        run.cells.score(run.cells.sample(item, text=item), _METRIC, 0.0)
    run.declared = sorted({*instances, *run.cells.item})
    return run


def _read_details(files: Sequence[LogFile]) -> dict[Path, Run]:
    """Return a run for each file of details, or for each folder of single-instance reports."""
    runs_by_folder: dict[Path, Run] = {}
    for file in files:
        details = as_dict(read_json(file))
        single = len(details) == 1 and file.path.parent.name in details
        folder = file.path.parent.parent if single else file.path.parent
        if folder not in runs_by_folder:
            runs_by_folder[folder] = _run(file)
            if single:
                runs_by_folder[folder].system = folder.name
        elif single:
            runs_by_folder[folder].files.append(file.name)
        else:
            runs_by_folder[file.path] = _run(file)
        run = runs_by_folder.get(file.path, runs_by_folder[folder])
        for row, (item, detail) in enumerate(details.items(), start=1):
            if not isinstance(detail, dict):
                raise problem(file.name, f"{item} is no object", row=row, value=detail)
            place = run.cells.sample(item, text=item, row=row, file=len(run.files) - 1)
            run.cells.score(place, _METRIC, _resolved(detail.get(_METRIC), file, row))
        run.declared = list(run.cells.item)
    return runs_by_folder


def _resolved(value: Any, file: LogFile, row: int) -> float | None:
    """Return whether an instance was resolved, as a score; None if unknown."""
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    reason = "is neither true nor false, nor null where it is not known"
    raise problem(file.name, reason, row=row, column=_METRIC, value=value)


def _add(run: Run, report: dict[str, Any], lists: Sequence[tuple[str, float | None, str]]) -> None:
    added: set[str] = set()
    for key, score, status in lists:
        for item in as_list(report.get(key)):
            if str(item) not in added:
                added.add(str(item))
                place = run.cells.sample(item, text=str(item), failed=status == ERROR)
                run.cells.score(place, _METRIC, score, status)
    _tell_doubles(run, report, [key for key, *_ in lists])


def _tell_doubles(run: Run, report: dict[str, Any], keys: Sequence[str]) -> None:
    """Note ids that are resolved and in another list, or twice in one list."""
    lists = {key: [str(instance) for instance in as_list(report.get(key))] for key in keys}
    resolved, *others = lists.values()
    if overlap := sorted(set(resolved) & {instance for ids in others for instance in ids}):
        n = counted(len(overlap), "instance")
        message = f"{n} of {run.files[0]} resolved and in another list too, taken as resolved"
        run.notes.append(("rows", f"{message}: {listed(overlap, 3)}"))
    for key, ids in lists.items():
        if double := len(ids) - len(set(ids)):
            message = f"{counted(double, 'instance')} of {run.files[0]} twice in {key}"
            run.notes.append(("twice", f"{message}, counted once"))


def _check(run: Run, results: LogFile) -> None:
    """What the results beside details say, which the details must give too."""
    resolved = as_list(_lists(results).get("resolved"))
    run.files.append(results.name)
    if run.declared:
        run.reported = {_METRIC: len(set(map(str, resolved))) / len(set(run.declared))}
        run.rule = "mean_of_declared"


def _within(run: Run, instances: set[str]) -> Run:
    """Note ids that are not in the data set."""
    _refuse_other_ids(run, instances)
    if other := [item for item in dict.fromkeys(run.cells.item) if item not in instances]:
        message = f"{run.files[0]} has {counted(len(other), 'id')} outside items"
        run.notes.append(("unmatched", f"{message}: {listed(other, 3)}"))
    run.declared = sorted({*run.declared, *instances})
    return run


def _refuse_other_ids(run: Run, instances: set[str]) -> None:
    """Refuse a run of which no id is in the data set: it is of another one."""
    ids = set(run.cells.item)
    if ids and not ids & instances:
        reason = f"has {quoted(min(ids))}, and no id of items ({quoted(min(instances, default=''))}"
        raise problem(run.files[0], f"{reason}, ...); give the ids of its data set")


def _run(file: LogFile) -> Run:
    """Return a run, named by its folder if the file has a generic name."""
    run = Run("swebench", [file.name], ordered=False)
    if file.path.name.partition(".json")[0] in _NO_NAMES:
        folders = [PurePosixPath(file.path.resolve().as_posix()).parent]
        folders += folders[0].parents
        run.system = next((f.name for f in folders if f.name not in _NO_FOLDERS), None)
    return run
