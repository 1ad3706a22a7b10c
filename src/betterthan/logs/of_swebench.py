"""Results of SWE-bench: reports of the harness, results.json, and details of each instance."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import counted, listed, problem
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_values import as_dict, as_list, number, whole
from betterthan.logs.record import ERROR, OK, Run

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
    "data set, or give a report or per_instance_details.json beside"
)


def recognises(head: Head) -> bool:
    """Whether a file is a result of SWE-bench."""
    return head.kind == "object" and (_is_report(head) or _is_results(head) or _is_details(head))


def runs(files: Sequence[LogFile], items: Iterable[str] | None = None) -> list[Run]:
    """The run in each report and each folder of details.

    Parameters
    ----------
    files : sequence of LogFile
    items : iterable of str, optional
        The ids of the data set, for results that do not name instances that failed; taken from
        the other files when not given.
    """
    reports = [_of_report(file) for file in files if _is_report(file.head)]
    details = _of_details([file for file in files if _is_details(file.head)])
    found = [*reports, *details.values()]
    known = set(items) if items is not None else {i for run in found for i in run.declared}
    for file in files:
        if not _is_results(file.head) or _is_report(file.head):
            continue
        if file.path.parent in details:
            _check(details[file.path.parent], file)
        elif not known:
            raise problem(file.name, _ITEMS)
        else:
            found.append(_of_results(file, known))
    return [_within(run, known) for run in found] if items is not None else found


def _is_report(head: Head) -> bool:
    return {"resolved_ids", "unresolved_ids"} <= head.keys or (
        {"resolved_ids", "submitted_ids"} <= head.keys
    )


def _is_results(head: Head) -> bool:
    return isinstance(head.at("resolved"), list) and bool({"no_generation", "no_logs"} & head.keys)


def _is_details(head: Head) -> bool:
    key, value = next(iter(as_dict(head.first).items()), ("", None))
    return bool(_INSTANCE.fullmatch(str(key))) and _METRIC in as_dict(value)


def _of_report(file: LogFile) -> Run:
    told = as_dict(whole(file))
    run = _run(file)
    _add(run, told, _REPORT)
    lists = [as_list(told.get(key)) for key in told if key.endswith("_ids")]
    run.declared = sorted({str(one) for ids in lists for one in ids})
    resolved, total = number(told.get("resolved_instances")), number(told.get("total_instances"))
    if resolved is not None and total:
        run.reported, run.rule = {_METRIC: resolved / total}, "mean_of_declared"
        if total > len(run.declared):
            said = f"names {len(run.declared)} of {total:.0f} instances; the rest count as failed"
            run.said.append(("missing", f"{file.name} {said} there"))
    if empty := as_list(told.get("empty_patch_ids")):
        said = f"empty patches, counted as 0: {len(empty)} in {file.name}"
        run.said.append(("unanswered", said))
    return run


def _of_results(file: LogFile, known: set[str]) -> Run:
    """Results that name what was resolved; other instances that are known failed."""
    run = _run(file)
    _add(run, as_dict(whole(file)), _RESULTS)
    for item in sorted(known - set(run.cells.item)):
        run.cells.score(run.cells.sample(item, text=item), _METRIC, 0.0)
    run.declared = sorted({*known, *run.cells.item})
    return run


def _of_details(files: Sequence[LogFile]) -> dict[Path, Run]:
    """A run for each file of details, or for each folder of reports of one instance."""
    found: dict[Path, Run] = {}
    for file in files:
        told = as_dict(whole(file))
        alone = len(told) == 1 and file.path.parent.name in told
        folder = file.path.parent.parent if alone else file.path.parent
        if folder not in found:
            found[folder] = _run(file)
            if alone:
                found[folder].system = folder.name
        elif alone:
            found[folder].files.append(file.name)
        else:
            found[file.path] = _run(file)
        run = found.get(file.path, found[folder])
        for row, (item, one) in enumerate(told.items(), start=1):
            place = run.cells.sample(item, text=item, row=row, file=len(run.files) - 1)
            run.cells.score(place, _METRIC, _resolved(as_dict(one).get(_METRIC), file, row))
        run.declared = list(run.cells.item)
    return found


def _resolved(value: Any, file: LogFile, row: int) -> float | None:
    """Whether an instance was resolved, as a score; None where nothing says."""
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    what = "is neither true nor false, nor null where it is not known"
    raise problem(file.name, what, row=row, column=_METRIC, value=value)


def _add(run: Run, told: dict[str, Any], lists: Sequence[tuple[str, float | None, str]]) -> None:
    seen: set[str] = set()
    for key, score, status in lists:
        for item in as_list(told.get(key)):
            if str(item) not in seen:
                seen.add(str(item))
                place = run.cells.sample(item, text=str(item), failed=status == ERROR)
                run.cells.score(place, _METRIC, score, status)
    _tell_doubles(run, told, [key for key, *_ in lists])


def _tell_doubles(run: Run, told: dict[str, Any], keys: Sequence[str]) -> None:
    """Tell of ids that are resolved and something else, or twice in one list."""
    lists = {key: [str(one) for one in as_list(told.get(key))] for key in keys}
    resolved, *others = lists.values()
    both = sorted(set(resolved) & {one for ids in others for one in ids})
    if both:
        n = counted(len(both), "instance")
        said = f"{n} of {run.files[0]} resolved and in another list too, taken as resolved"
        run.said.append(("rows", f"{said}: {listed(both, 3)}"))
    for key, ids in lists.items():
        if double := len(ids) - len(set(ids)):
            said = f"{counted(double, 'instance')} of {run.files[0]} twice in {key}, counted once"
            run.said.append(("twice", said))


def _check(run: Run, results: LogFile) -> None:
    """What the results beside details say, which the details must give too."""
    resolved = as_list(as_dict(whole(results)).get("resolved"))
    run.files.append(results.name)
    if run.declared:
        run.reported = {_METRIC: len(set(map(str, resolved))) / len(set(run.declared))}
        run.rule = "mean_of_declared"


def _within(run: Run, known: set[str]) -> Run:
    """The run, with a word on ids that are none of the data set."""
    other = [item for item in dict.fromkeys(run.cells.item) if item not in known]
    if other:
        said = f"{run.files[0]} has {counted(len(other), 'id')} outside items: {listed(other, 3)}"
        run.said.append(("unmatched", said))
    run.declared = sorted({*run.declared, *known})
    return run


def _run(file: LogFile) -> Run:
    """A run, named by its folder where the file has the name that all have."""
    run = Run("swebench", [file.name], ordered=False)
    if file.path.name.partition(".json")[0] in _NO_NAMES:
        folders = [PurePosixPath(file.path.resolve().as_posix()).parent]
        folders += folders[0].parents
        run.system = next((one.name for one in folders if one.name not in _NO_FOLDERS), None)
    return run
