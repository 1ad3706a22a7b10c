"""HELM: statistics of each instance, with the specification of the run."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from betterthan.io.json_records import listed
from betterthan.io.problems import counted, problem
from betterthan.logs.json_values import (
    as_dict,
    as_dicts,
    as_text,
    flat,
    measured,
    number,
    read_json,
    whole,
)
from betterthan.logs.record import OK, UNSCORED, Run
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.progress import with_bar

_MODEL = re.compile(r",?model(_deployment)?=[^,]*")
# statistics of how it was run, no scores
_BOOKS = ("num_", "inference_", "training_", "prompt_", "finish_reason", "batch_size", "max_prob")
_SETTINGS = (
    *("method", "instructions", "max_train_instances", "num_outputs", "num_trials"),
    *("temperature", "max_tokens", "model_deployment", "input_prefix", "output_prefix"),
    *("global_prefix", "chain_of_thought_prefix"),
)
_TRIAL = "train_trial_index"
_NO_INSTANCES = "holds nothing of single instances; give the folder with per_instance_stats.json"


def recognises(preview: Preview) -> bool:
    """Whether a file is one that a run of HELM writes and this reader uses."""
    return _is_instances(preview) or _is_spec(preview) or _is_stats(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file of statistics by instance."""
    if not (instances := [file for file in files if _is_instances(file.preview)]):
        raise problem(files[0].name, _NO_INSTANCES)
    specs = {file.path.parent: file for file in files if _is_spec(file.preview)}
    stats = {file.path.parent: file for file in files if _is_stats(file.preview)}
    bar = with_bar(instances, len(instances), "reading files of instances")
    return [_run(file, specs, stats) for file in bar]


def _is_instances(preview: Preview) -> bool:
    return preview.kind == "list" and {"instance_id", "train_trial_index"} <= preview.keys


def _is_spec(preview: Preview) -> bool:
    return preview.kind == "object" and {"adapter_spec", "scenario_spec"} <= preview.keys


def _is_stats(preview: Preview) -> bool:
    has_keys = {"name", "count", "sum"} <= preview.keys
    return has_keys and preview.kind == "list" and preview.has("name.name")


def _run(file: LogFile, specs: dict[Path, LogFile], stats: dict[Path, LogFile]) -> Run:
    run = Run("helm", [file.name], ordered=False, rule="mean_of_items")
    folder = file.path.parent
    spec = specs.get(folder) or file.sibling("run_spec.json", _is_spec)
    if spec is None:
        message = f"{file.name} names no model, and there is no run_spec.json next to it"
        run.notes.append(("name", message))
    else:
        run.files.append(spec.name)
        _add_spec(run, as_dict(read_json(spec)))
    split = _add_instances(run, file)
    stats_file = stats.get(folder) or file.sibling("stats.json", _is_stats)
    if stats_file is not None and not any(run.cells.cluster):  # means are of items as they were
        run.files.append(stats_file.name)
        _add_stats(run, stats_file, split)
    return run


def _rows(file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    with file.open() as data:
        for row, record in enumerate(listed(data, file.name), start=1):
            if not isinstance(record, dict) or record.get("instance_id") is None:
                raise problem(file.name, "has no instance_id", row=row)
            yield row, record


def _add_instances(run: Run, file: LogFile) -> str:
    """Add the instances of the test split, or else of the largest; return that split."""
    splits: Counter[str] = Counter()
    clustered = False
    for _, record in _rows(file):
        splits[_split(record)] += 1
        clustered |= bool(_perturbation(record))
    largest = max(splits, key=lambda split: splits[split], default="")
    chosen = "test" if "test" in splits else largest
    for row, record in _rows(file):
        if _split(record) == chosen:
            _add(run, record, row, clustered)
    if len(splits) > 1:
        others = ", ".join(f"{name} {n}" for name, n in splits.items() if name != chosen)
        n_used = counted(splits[chosen], "instance")
        message = f"{n_used} of split {chosen} of {file.name} taken, others left out ({others})"
        run.notes.append(("split", message))
    return chosen


def _add(run: Run, record: dict[str, Any], row: int, clustered: bool) -> None:
    """Add an instance; a perturbed one is another item of the same cluster."""
    item = str(record["instance_id"])
    changed = _perturbation(record)
    place = run.cells.sample(
        f"{item} ({changed})" if changed else item,
        epoch=whole(record.get(_TRIAL), 0, run.files[0], row, _TRIAL) + 1,
        cluster=item if clustered else None,
        text=item,
        row=row,
    )
    for stat in as_dicts(record.get("stats")):
        name = as_text(as_dict(stat.get("name")).get("name"))
        if name and not name.startswith(_BOOKS):
            status = OK if number(stat.get("count")) else UNSCORED
            mean = measured(stat.get("mean"), run.files[0], row, name, "mean")
            run.cells.score(place, name, mean, status)


def _first_name(record: dict[str, Any]) -> dict[str, Any]:
    """What the first statistic of an instance is of."""
    return as_dict(next(iter(as_dicts(record.get("stats"))), {}).get("name"))


def _split(record: dict[str, Any]) -> str:
    return as_text(_first_name(record).get("split"))


def _perturbation(record: dict[str, Any]) -> str:
    perturbation = record.get("perturbation") or _first_name(record).get("perturbation")
    return as_text(as_dict(perturbation).get("name"))


def _add_spec(run: Run, spec: dict[str, Any]) -> None:
    adapter = as_dict(spec.get("adapter_spec"))
    run.system = as_text(adapter.get("model")) or as_text(adapter.get("model_deployment")) or None
    run.task = _MODEL.sub("", as_text(spec.get("name"))).rstrip(":,")
    settings = flat({key: adapter.get(key) for key in _SETTINGS if adapter.get(key) is not None})
    run.config = {key: value for key, value in settings.items() if value != ""}


def _add_stats(run: Run, file: LogFile, split: str) -> None:
    """Means of the whole run; perturbed and other splits have their own."""
    metrics = set(run.metrics)
    for stat in as_dicts(read_json(file)):
        name, mean = as_dict(stat.get("name")), number(stat.get("mean"))
        plain = name.get("split") == split and not name.get("perturbation")
        metric = as_text(name.get("name"))
        if plain and mean is not None and metric in metrics:
            run.reported[metric] = mean
