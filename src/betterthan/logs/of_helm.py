"""Runs of HELM: statistics of each instance, with the specification of the run beside."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.elements import listed
from betterthan.io.problems import counted, problem
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_values import as_dict, as_dicts, as_text, count, flat, number, whole
from betterthan.logs.record import OK, UNSCORED, Run
from betterthan.progress import with_bar

_MODEL = re.compile(r",?model(_deployment)?=[^,]*")
# statistics of how it was run, no scores
_BOOKS = ("num_", "inference_", "training_", "prompt_", "finish_reason", "batch_size", "max_prob")
_SETTINGS = [
    "method",
    "instructions",
    "max_train_instances",
    "num_outputs",
    "num_trials",
    "temperature",
    "max_tokens",
    "model_deployment",
    "input_prefix",
    "output_prefix",
    "global_prefix",
    "chain_of_thought_prefix",
]
_ALONE = "holds nothing of single instances; give the folder with per_instance_stats.json"


def recognises(head: Head) -> bool:
    """Whether a file is one that a run of HELM writes and this reader uses."""
    return _is_instances(head) or _is_spec(head) or _is_stats(head)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file of statistics by instance."""
    instances = [file for file in files if _is_instances(file.head)]
    if not instances:
        raise problem(files[0].name, _ALONE)
    specs = {file.path.parent: file for file in files if _is_spec(file.head)}
    stats = {file.path.parent: file for file in files if _is_stats(file.head)}
    bar = with_bar(instances, len(instances), "reading files of instances")
    return [_run(file, specs, stats) for file in bar]


def _is_instances(head: Head) -> bool:
    return head.kind == "list" and {"instance_id", "train_trial_index"} <= head.keys


def _is_spec(head: Head) -> bool:
    return head.kind == "object" and {"adapter_spec", "scenario_spec"} <= head.keys


def _is_stats(head: Head) -> bool:
    return head.kind == "list" and {"name", "count", "sum"} <= head.keys and head.has("name.name")


def _run(file: LogFile, specs: dict[Path, LogFile], stats: dict[Path, LogFile]) -> Run:
    run = Run("helm", [file.name], ordered=False, rule="mean_of_items")
    folder = file.path.parent
    spec = specs.get(folder) or _beside(file, "run_spec.json", _is_spec)
    if spec is None:
        said = f"{file.name} names no model, and there is no run_spec.json beside it"
        run.said.append(("name", said))
    else:
        run.files.append(spec.name)
        _add_spec(run, as_dict(whole(spec)))
    split = _add_instances(run, file)
    told = stats.get(folder) or _beside(file, "stats.json", _is_stats)
    if told is not None and not any(run.cells.cluster):  # means are of items as they were
        run.files.append(told.name)
        _add_stats(run, told, split)
    return run


def _rows(file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    with file.open() as data:
        for row, one in enumerate(listed(data, file.name), start=1):
            if not isinstance(one, dict) or one.get("instance_id") is None:
                raise problem(file.name, "has no instance_id", row=row)
            yield row, one


def _add_instances(run: Run, file: LogFile) -> str:
    """Add the instances of the split test where there is one; the split taken."""
    splits: Counter[str] = Counter()
    clustered = False
    for _, one in _rows(file):
        splits[_split(one)] += 1
        clustered |= bool(_perturbation(one))
    chosen = "test" if "test" in splits else max(splits, key=lambda one: splits[one], default="")
    for row, one in _rows(file):
        if _split(one) == chosen:
            _add(run, one, row, clustered)
    if len(splits) > 1:
        left = ", ".join(f"{name} {n}" for name, n in splits.items() if name != chosen)
        kept = counted(splits[chosen], "instance")
        said = f"{kept} of split {chosen} of {file.name} taken, others left out ({left})"
        run.said.append(("split", said))
    return chosen


def _add(run: Run, one: dict[str, Any], row: int, clustered: bool) -> None:
    """Add an instance; one that was perturbed is another item of the same cluster."""
    item = str(one["instance_id"])
    changed = _perturbation(one)
    place = run.cells.sample(
        f"{item} ({changed})" if changed else item,
        epoch=count(one.get("train_trial_index"), 0) + 1,
        cluster=item if clustered else None,
        text=item,
        row=row,
    )
    for stat in as_dicts(one.get("stats")):
        name = as_text(as_dict(stat.get("name")).get("name"))
        if name and not name.startswith(_BOOKS):
            status = OK if number(stat.get("count")) else UNSCORED
            run.cells.score(place, name, number(stat.get("mean")), status)


def _split(one: dict[str, Any]) -> str:
    first = next(iter(as_dicts(one.get("stats"))), {})
    return as_text(as_dict(first.get("name")).get("split"))


def _perturbation(one: dict[str, Any]) -> str:
    first = next(iter(as_dicts(one.get("stats"))), {})
    told = one.get("perturbation") or as_dict(first.get("name")).get("perturbation")
    return as_text(as_dict(told).get("name"))


def _add_spec(run: Run, spec: dict[str, Any]) -> None:
    adapter = as_dict(spec.get("adapter_spec"))
    run.system = as_text(adapter.get("model")) or as_text(adapter.get("model_deployment")) or None
    run.task = _MODEL.sub("", as_text(spec.get("name"))).rstrip(":,")
    found = flat({key: adapter.get(key) for key in _SETTINGS if adapter.get(key) is not None})
    run.config = {key: one for key, one in found.items() if one != ""}


def _add_stats(run: Run, file: LogFile, split: str) -> None:
    """Means of the whole run; perturbed and other splits have their own."""
    metrics = set(run.metrics)
    for stat in as_dicts(whole(file)):
        name, mean = as_dict(stat.get("name")), number(stat.get("mean"))
        plain = name.get("split") == split and not name.get("perturbation")
        metric = as_text(name.get("name"))
        if plain and mean is not None and metric in metrics:
            run.reported[metric] = mean


def _beside(file: LogFile, name: str, fits: Any) -> LogFile | None:
    path = file.path.with_name(name)
    found = LogFile(path, (PurePosixPath(file.name).parent / name).as_posix())
    return found if path.is_file() and not path.is_symlink() and fits(found.head) else None
