"""What lm-eval says of a run in the results beside its samples: the model, settings, and means."""

from datetime import UTC, datetime
from typing import Any

from betterthan.logs.json_values import as_dict, as_dicts, as_text, flat, number
from betterthan.logs.record import Run

_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")  # as lm-eval looks for it
_SETTINGS = (
    "fewshot_as_multiturn",
    "chat_template_sha",
    "system_instruction_sha",
)
_OF_CONFIG = ("gen_kwargs", "limit", "fewshot_seed")


def add_results(run: Run, results: dict[str, Any]) -> None:
    """Fill in what the results say of the task of a run whose samples are read."""
    config, task = as_dict(results.get("config")), run.task
    args = model_args(config.get("model_args"))
    named = next((str(args[key]) for key in _NAMING if args.get(key)), "")
    run.system = as_text(results.get("model_name")) or named or as_text(config.get("model")) or None
    if not named and results.get("model_name"):
        said = f"lm-eval drew the name {run.system}, as no argument of the model names it"
        run.said.append(("name", said))
    run.version = as_text(results.get("lm_eval_version"))
    run.config = _settings(results, args, task)
    date = number(results.get("date"))
    if date is not None and 0 < date < 2**33:
        run.started = datetime.fromtimestamp(date, UTC).isoformat()
    _add_reported(run, results)
    _tell_missing(run, results)


def tasks_of(results: dict[str, Any]) -> list[str]:
    """The tasks of some results."""
    return list(as_dict(results.get("results")))


def metrics_of(results: dict[str, Any] | None, task: str) -> list[str] | None:
    """The metrics of a task without their filters; None where the results do not say."""
    found = as_dict(as_dict((results or {}).get("results")).get(task))
    names = dict.fromkeys(key.partition(",")[0] for key in found if number(found[key]) is not None)
    kept = [name for name in names if not name.endswith("_stderr")]
    return kept or None


def model_args(value: Any) -> dict[str, Any]:
    """Arguments of the model, which older versions write as ``a=1,b=2``.

    Examples
    --------
    >>> model_args("pretrained=gpt2,dtype=float16")
    {'pretrained': 'gpt2', 'dtype': 'float16'}
    """
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if "=" in part]
        return {key.strip(): one.strip() for key, _, one in pairs}
    return as_dict(value)


def name_of(metric: str, chosen: str) -> str:
    """A metric with its filter, as the results name it; the filter none is left out."""
    if not isinstance(metric, str) or not isinstance(chosen, str):
        raise TypeError("the name of a metric or filter is no text")
    return metric if chosen == "none" else f"{metric},{chosen}"


def _settings(results: dict[str, Any], args: dict[str, Any], task: str) -> dict[str, Any]:
    config = as_dict(results.get("config"))
    about = as_dict(as_dict(results.get("configs")).get(task))
    found = flat({"model_args": args}) | {key: results.get(key) for key in _SETTINGS}
    found |= {
        "num_fewshot": as_dict(results.get("n-shot")).get(task, about.get("num_fewshot")),
        "task_version": as_dict(results.get("versions")).get(task),
        "repeats": about.get("repeats"),
    }
    found |= flat({key: config.get(key) for key in _OF_CONFIG})
    found |= flat({"generation": as_dict(about.get("generation_kwargs"))})
    return {key: value for key, value in found.items() if value is not None}


def _add_reported(run: Run, results: dict[str, Any]) -> None:
    """Means by metric; what is not the mean of the items cannot be got from them."""
    about = as_dict(as_dict(results.get("configs")).get(run.task))
    other = {
        as_text(one.get("metric"))
        for one in as_dicts(about.get("metric_list"))
        if one.get("aggregation", "mean") != "mean"
    }
    better = as_dict(as_dict(results.get("higher_is_better")).get(run.task))
    metrics = set(run.metrics)
    for key, value in as_dict(as_dict(results.get("results")).get(run.task)).items():
        metric, _, chosen = key.partition(",")
        name, told = name_of(metric, chosen or "none"), number(value)
        if name not in metrics:
            continue
        if better.get(metric) is False:
            run.lower.add(name)
        if told is not None and metric not in other and name not in run.refused:
            run.reported[name] = told


def _tell_missing(run: Run, results: dict[str, Any]) -> None:
    counts = as_dict(as_dict(results.get("n-samples")).get(run.task))
    meant, found = number(counts.get("effective")), len(set(run.cells.item))
    if meant is not None and meant > found:
        said = f"{run.files[0]} holds {found} of the {meant:.0f} documents that were run"
        run.said.append(("rows", said))
