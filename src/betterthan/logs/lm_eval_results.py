"""Read lm-eval's results file: model, settings and means."""

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
_CONFIG_KEYS = ("gen_kwargs", "limit", "fewshot_seed")


def add_results(run: Run, results: dict[str, Any]) -> None:
    """Add the results of the task of a run whose samples are read."""
    config, task = as_dict(results.get("config")), run.task
    args = model_args(config.get("model_args"))
    named = next((str(args[key]) for key in _NAMING if args.get(key)), "")
    run.system = as_text(results.get("model_name")) or named or as_text(config.get("model")) or None
    if not named and results.get("model_name"):
        note = f"lm-eval drew the name {run.system}, as no argument of the model names it"
        run.notes.append(("name", note))
    run.version = as_text(results.get("lm_eval_version"))
    run.config = _settings(results, args, task)
    date = number(results.get("date"))
    if date is not None and 0 < date < 2**33:
        run.started = datetime.fromtimestamp(date, UTC).isoformat()
    _add_reported(run, results)
    _tell_missing(run, results)


def list_tasks(results: dict[str, Any]) -> list[str]:
    """The tasks of some results."""
    return list(as_dict(results.get("results")))


def list_metrics(results: dict[str, Any] | None, task: str) -> list[str] | None:
    """List the metrics of a task without filters; None if the results name none."""
    task_results = as_dict(as_dict((results or {}).get("results")).get(task))
    names = dict.fromkeys(
        key.partition(",")[0] for key in task_results if number(task_results[key]) is not None
    )
    metrics = [name for name in names if not name.endswith("_stderr")]
    return metrics or None


def model_args(value: Any) -> dict[str, Any]:
    """Parse the arguments of the model; older versions write them as ``a=1,b=2``.

    Examples
    --------
    >>> model_args("pretrained=gpt2,dtype=float16")
    {'pretrained': 'gpt2', 'dtype': 'float16'}
    """
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if "=" in part]
        return {key.strip(): item.strip() for key, _, item in pairs}
    return as_dict(value)


def metric_name(metric: str, chosen: str) -> str:
    """A metric with its filter, as the results name it; the filter none is left out."""
    if not isinstance(metric, str) or not isinstance(chosen, str):
        raise TypeError("the name of a metric or filter is no text")
    return metric if chosen == "none" else f"{metric},{chosen}"


def _settings(results: dict[str, Any], args: dict[str, Any], task: str) -> dict[str, Any]:
    config = as_dict(results.get("config"))
    about = as_dict(as_dict(results.get("configs")).get(task))
    settings = flat({"model_args": args}) | {key: results.get(key) for key in _SETTINGS}
    settings |= {
        "num_fewshot": as_dict(results.get("n-shot")).get(task, about.get("num_fewshot")),
        "task_version": as_dict(results.get("versions")).get(task),
        "repeats": about.get("repeats"),
    }
    settings |= flat({key: config.get(key) for key in _CONFIG_KEYS})
    settings |= flat({"generation": as_dict(about.get("generation_kwargs"))})
    return {key: value for key, value in settings.items() if value is not None}


def _add_reported(run: Run, results: dict[str, Any]) -> None:
    """Add the reported means by metric; skip metrics that are no mean of the items."""
    about = as_dict(as_dict(results.get("configs")).get(run.task))
    other = {
        as_text(definition.get("metric"))
        for definition in as_dicts(about.get("metric_list"))
        if definition.get("aggregation", "mean") != "mean"
    }
    better = as_dict(as_dict(results.get("higher_is_better")).get(run.task))
    metrics = set(run.metrics)
    for key, value in as_dict(as_dict(results.get("results")).get(run.task)).items():
        metric, _, chosen = key.partition(",")
        name, reported = metric_name(metric, chosen or "none"), number(value)
        if name not in metrics:
            continue
        if better.get(metric) is False:
            run.lower.add(name)
        if reported is not None and metric not in other and name not in run.refused:
            run.reported[name] = reported


def _tell_missing(run: Run, results: dict[str, Any]) -> None:
    counts = as_dict(as_dict(results.get("n-samples")).get(run.task))
    expected, n_items = number(counts.get("effective")), len(set(run.cells.item))
    if expected is not None and expected > n_items:
        note = f"{run.files[0]} holds {n_items} of the {expected:.0f} documents that were run"
        run.notes.append(("rows", note))
