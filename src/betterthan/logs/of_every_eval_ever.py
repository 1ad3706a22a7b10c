"""Every Eval Ever: rows of samples, and aggregates with their settings."""

import glob
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from betterthan.io.problems import counted, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_dict,
    as_dicts,
    as_text,
    flat,
    measured,
    number,
    read_json,
    records,
)
from betterthan.logs.record import ERROR, Cells, Run
from betterthan.logs.sniffing import LogFile, Preview

_NO_SAMPLES = "holds means and no samples: convert with --include_samples, and give both files"
_METRIC = "score"  # of rows that do not say which result they are of


def recognises(preview: Preview) -> bool:
    """Whether a file holds samples or an aggregate of Every Eval Ever."""
    return _is_samples(preview) or _is_aggregate(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each model and evaluation in a file of samples."""
    aggregates = [file for file in files if _is_aggregate(file.preview)]
    samples = [file for file in files if not _is_aggregate(file.preview)]
    present = {file.path for file in samples}
    for file in aggregates:
        siblings = file.siblings(f"{glob.escape(file.path.stem)}_samples.jsonl")
        samples += [f for f in siblings if f.path not in present and _is_samples(f.preview)]
    if not samples:
        raise problem(aggregates[0].name, _NO_SAMPLES)
    aggregate_by_name = {file.name: as_dict(read_json(file)) for file in aggregates}
    run_list = [run for file in samples for run in _read_file(file, aggregate_by_name)]
    used = {name for run in run_list for name in run.files}
    unused = [name for name in aggregate_by_name if name not in used]
    run_list[0].notes += [("skipped", f"{name} has no samples") for name in unused]
    return run_list


def _is_samples(preview: Preview) -> bool:
    return preview.has("schema_version", "evaluation_id", "sample_id")


def _is_aggregate(preview: Preview) -> bool:
    keys = preview.keys
    return (
        preview.kind == "object"
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


def _read_file(file: LogFile, aggregate_by_name: dict[str, dict[str, Any]]) -> list[Run]:
    groups: dict[tuple[str, str], _Rows] = {}
    for row, record in records(file):
        model, task = as_text(record.get("model_id")), as_text(record.get("evaluation_name"))
        if (model, task) not in groups:
            run = Run("every_eval_ever", [file.name], model or None, task=task, ordered=False)
            groups[model, task] = _Rows(run, as_text(record.get("evaluation_id")))
        _add(groups[model, task], row, record, file)
    if not groups:
        raise problem(file.name, "holds no samples")
    total = sum(rows.number for rows in groups.values())
    for rows in groups.values():
        _fail(rows.run.cells)
        _number_epochs(rows)
        for name, aggregate in aggregate_by_name.items():
            if aggregate.get("evaluation_id") == rows.id:
                rows.run.files.append(name)
                _add_aggregate(rows.run, aggregate, total)
                break
    return [rows.run for rows in groups.values()]


def _add(rows: _Rows, row: int, record: dict[str, Any], file: LogFile) -> None:
    """Add a row; a repeated result of one sample starts another sample."""
    if record.get("sample_id") is None:
        raise problem(file.name, "has no sample_id", row=row)
    item, judged = str(record["sample_id"]), as_dict(record.get("evaluation"))
    metric = as_text(record.get("evaluation_result_id")) or _METRIC
    time = rows.times.get((item, metric), 0)
    rows.times[item, metric] = time + 1
    rows.number += 1
    if (item, time) not in rows.places:
        rows.places[item, time] = _sample(rows.run, item, row, record)
    place = rows.places[item, time]
    if error := record.get("error"):  # its sample failed, whatever metric the row is of
        rows.run.cells.failed[place] = True
        rows.run.why = rows.run.why or as_text(error).partition("\n")[0] or "error"
    value = judged.get("score")
    correct = judged.get("is_correct")
    if value is None and isinstance(correct, bool):
        value = int(correct)
    rows.run.cells.score(place, metric, measured(value, file.name, row, metric, "score"))


def _sample(run: Run, item: str, row: int, record: dict[str, Any]) -> int:
    inputs = as_dict(record.get("input"))
    hashed = record.get("sample_hash")
    parts = [hashed] if hashed else [inputs.get(k) for k in ("raw", "reference", "choices")]
    sent = inputs.get("formatted") or inputs.get("raw")
    return run.cells.sample(
        item,
        content=digest(*parts) if any(part is not None for part in parts) else None,
        prompt=None if sent is None else digest(sent),
        text=as_text(inputs.get("raw")),
        row=row,
    )


def _fail(cells: Cells) -> None:
    """Set the status of all scores of a failed sample to error."""
    cells.status[:] = [
        ERROR if cells.failed[sample] else status
        for sample, status in zip(cells.score_sample, cells.status, strict=True)
    ]


def _number_epochs(rows: _Rows) -> None:
    """Number equally frequent rows with differing scores as epochs; otherwise they are
    duplicates.
    """
    cells, most = rows.run.cells, max((time for _, time in rows.places), default=0)
    items = {item for item, _ in rows.places}
    if not most or len(rows.places) != len(items) * (most + 1):
        return
    scores, places = cells.by_sample(), rows.places
    if all(scores[place] == scores[places[item, 0]] for (item, _), place in places.items()):
        return
    rows.run.epochs = most + 1
    for (_, time), place in rows.places.items():
        cells.epoch[place] = time + 1
    note = f"{counted(most + 1, 'row')} for each sample of {rows.run.files[0]}"
    rows.run.notes.append(("repeats", f"{note} are taken as its runs"))


def _add_aggregate(run: Run, aggregate: dict[str, Any], total: int) -> None:
    library, model = as_dict(aggregate.get("eval_library")), as_dict(aggregate.get("model_info"))
    run.version = " ".join(filter(None, (as_text(library.get(k)) for k in ("name", "version"))))
    run.config = flat({"model": as_dict(model.get("additional_details"))})
    run.started = as_text(aggregate.get("evaluation_timestamp"))
    results = as_dicts(aggregate.get("evaluation_results"))
    results = [result for result in results if result.get("evaluation_name") == run.task]
    named = [as_text(result.get("evaluation_result_id")) for result in results]
    if len(results) > 1 and _METRIC in run.metrics and _METRIC not in named:
        ids = ", ".join(named)
        reason = f"has rows of {run.task} without an evaluation_result_id, and its aggregate has"
        right = "write in each row which of them it is of"
        raise problem(run.files[0], f"{reason} {len(results)} results ({ids}); {right}")
    for result in results:
        _add_result(run, result)
    expected = number(as_dict(aggregate.get("detailed_evaluation_results")).get("total_rows"))
    if expected is not None and expected != total:
        note = f"{run.files[0]} holds {total} rows of the {expected:.0f} that its aggregate names"
        run.notes.append(("rows", note))


def _add_result(run: Run, result: dict[str, Any]) -> None:
    name = as_text(result.get("evaluation_result_id")) or _METRIC
    name = _METRIC if run.metrics == [_METRIC] else name  # of rows without an id, the only one
    if name not in run.metrics:
        return
    run.config |= flat({"generation": as_dict(result.get("generation_config"))})
    if (score := number(as_dict(result.get("score_details")).get("score"))) is not None:
        run.reported[name] = score
    lower = as_dict(result.get("metric_config")).get("lower_is_better")
    if isinstance(lower, bool):
        run.higher_is_better[name] = not lower
