"""Records of Every Eval Ever: rows of samples, and the aggregate beside with their settings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from betterthan.io.problems import counted, problem
from betterthan.logs.hashing import digest
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_values import as_dict, as_dicts, as_text, flat, number, records, whole
from betterthan.logs.record import ERROR, Cells, Run

_ALONE = "holds means and no samples: convert with --include_samples, and give both files"
_METRIC = "score"  # of rows that do not say which result they are of


def recognises(head: Head) -> bool:
    """Whether a file holds samples or an aggregate of Every Eval Ever."""
    return _is_samples(head) or _is_aggregate(head)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each model and evaluation in a file of samples."""
    aggregates = [file for file in files if _is_aggregate(file.head)]
    samples = [file for file in files if not _is_aggregate(file.head)]
    beside = [(file, _beside(file)) for file in aggregates]
    samples += [one for _, one in beside if one and one.path not in {f.path for f in samples}]
    if not samples:
        raise problem(aggregates[0].name, _ALONE)
    told = {file.name: as_dict(whole(file)) for file in aggregates}
    found = [run for file in samples for run in _runs_of(file, told)]
    used = {name for run in found for name in run.files}
    said = [("skipped", f"{name} has no samples") for name in told if name not in used]
    found[0].said.extend(said)
    return found


def _is_samples(head: Head) -> bool:
    return head.kind in ("lines", "object", "list") and head.has(
        "schema_version", "evaluation_id", "sample_id"
    )


def _is_aggregate(head: Head) -> bool:
    keys = head.keys
    return (
        head.kind == "object"
        and {"schema_version", "evaluation_id"} <= keys
        and bool(keys & {"evaluation_results", "model_info"})
        and "sample_id" not in keys
    )


@dataclass
class _Rows:
    """The samples of one run while its file is read."""

    run: Run
    id: str
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    times: dict[tuple[str, str], int] = field(default_factory=dict)
    number: int = 0


def _runs_of(file: LogFile, told: dict[str, dict[str, Any]]) -> list[Run]:
    groups: dict[tuple[str, str], _Rows] = {}
    for row, one in records(file):
        model, task = as_text(one.get("model_id")), as_text(one.get("evaluation_name"))
        if (model, task) not in groups:
            run = Run("every_eval_ever", [file.name], model or None, task=task, ordered=False)
            groups[model, task] = _Rows(run, as_text(one.get("evaluation_id")))
        _add(groups[model, task], row, one, file)
    if not groups:
        raise problem(file.name, "holds no samples")
    total = sum(rows.number for rows in groups.values())
    for rows in groups.values():
        _fail(rows.run.cells)
        _number_epochs(rows)
        name = next((n for n, one in told.items() if one.get("evaluation_id") == rows.id), None)
        if name is not None:
            rows.run.files.append(name)
            _add_aggregate(rows.run, told[name], total)
    return [rows.run for rows in groups.values()]


def _add(rows: _Rows, row: int, one: dict[str, Any], file: LogFile) -> None:
    """Add a row: of a sample that has this result already, another sample."""
    if one.get("sample_id") is None:
        raise problem(file.name, "has no sample_id", row=row)
    item, judged = str(one["sample_id"]), as_dict(one.get("evaluation"))
    metric = as_text(one.get("evaluation_result_id")) or _METRIC
    time = rows.times.get((item, metric), 0)
    rows.times[item, metric] = time + 1
    rows.number += 1
    if (item, time) not in rows.places:
        rows.places[item, time] = _sample(rows.run, item, row, one)
    place = rows.places[item, time]
    _add_error(rows.run, place, one.get("error"))
    value = judged.get("score")
    raw = number(judged.get("is_correct") if value is None else value)
    rows.run.cells.score(place, metric, raw)


def _sample(run: Run, item: str, row: int, one: dict[str, Any]) -> int:
    given = as_dict(one.get("input"))
    hashed = one.get("sample_hash")
    parts = [hashed] if hashed else [given.get(k) for k in ("raw", "reference", "choices")]
    sent = given.get("formatted") or given.get("raw")
    return run.cells.sample(
        item,
        content=digest(*parts) if any(part is not None for part in parts) else None,
        prompt=None if sent is None else digest(sent),
        text=as_text(given.get("raw")),
        row=row,
    )


def _add_error(run: Run, place: int, error: Any) -> None:
    """Add the error of a row: its sample failed, whatever metric the row is of."""
    if error:
        run.cells.failed[place] = True
        run.why = run.why or as_text(error).partition("\n")[0] or "error"


def _fail(cells: Cells) -> None:
    """Make every score of a sample that failed an error, as of a row before its error."""
    cells.status[:] = [
        ERROR if cells.failed[of] else status
        for of, status in zip(cells.of, cells.status, strict=True)
    ]


def _number_epochs(rows: _Rows) -> None:
    """Rows given equally often, with scores that differ, are runs of a sample; else they stand
    twice.
    """
    cells, most = rows.run.cells, max((time for _, time in rows.places), default=0)
    items = {item for item, _ in rows.places}
    if not most or len(rows.places) != len(items) * (most + 1):
        return
    found = cells.by_sample()
    if all(found[place] == found[rows.places[item, 0]] for (item, _), place in rows.places.items()):
        return
    rows.run.epochs = most + 1
    for (_, time), place in rows.places.items():
        cells.epoch[place] = time + 1
    said = (
        f"{counted(most + 1, 'row')} for each sample of {rows.run.files[0]} are taken as its runs"
    )
    rows.run.said.append(("repeats", said))


def _add_aggregate(run: Run, told: dict[str, Any], total: int) -> None:
    library, model = as_dict(told.get("eval_library")), as_dict(told.get("model_info"))
    run.version = " ".join(filter(None, (as_text(library.get(k)) for k in ("name", "version"))))
    run.config = flat({"model": as_dict(model.get("additional_details"))})
    run.started = as_text(told.get("evaluation_timestamp"))
    for one in as_dicts(told.get("evaluation_results")):
        if one.get("evaluation_name") == run.task:
            _add_result(run, one)
    meant = number(as_dict(told.get("detailed_evaluation_results")).get("total_rows"))
    if meant is not None and meant != total:
        said = f"{run.files[0]} holds {total} rows of the {meant:.0f} that its aggregate names"
        run.said.append(("rows", said))


def _add_result(run: Run, one: dict[str, Any]) -> None:
    name = as_text(one.get("evaluation_result_id")) or _METRIC
    if name not in run.metrics:
        return
    run.config |= flat({"generation": as_dict(one.get("generation_config"))})
    score = number(as_dict(one.get("score_details")).get("score"))
    if score is not None:
        run.reported[name] = score
    if as_dict(one.get("metric_config")).get("lower_is_better") is True:
        run.lower.add(name)


def _beside(file: LogFile) -> LogFile | None:
    """The samples that stand beside an aggregate."""
    path = file.path.with_name(f"{file.path.stem}_samples.jsonl")
    if not path.is_file() or path.is_symlink():
        return None
    name = file.name[: len(file.name) - len(file.path.name)] + path.name
    found = LogFile(path, name)
    return found if _is_samples(found.head) else None
