"""Read the header of an Inspect log."""

import json
from hashlib import blake2b
from typing import Any

from betterthan.logs.heads import LogFile
from betterthan.logs.json_values import as_dict, as_dicts, as_list, as_text, count, flat, number
from betterthan.logs.record import DIED, DONE, FAILED, Run
from betterthan.text import stripped

_STATES = {"success": DONE, "started": DIED}
_LONGEST = 200  # characters of a setting
_SAMPLED = ("limit", "sample_id", "epochs", "epochs_reducer", "message_limit", "token_limit")
_ROLES = ("grader", "judge", "critic")
_MEANS = ("accuracy", "mean")


def read_run(header: dict[str, Any], file: LogFile) -> Run:
    """The run without its samples."""
    about, stats = as_dict(header.get("eval")), as_dict(header.get("stats"))
    run = Run("inspect", [file.name], ordered=False, rule="mean_of_items")
    run.system = as_text(about.get("model")) or None
    run.version = as_text(as_dict(about.get("packages")).get("inspect_ai"))
    run.started = as_text(stats.get("started_at") or about.get("created"))
    run.finished = as_text(stats.get("completed_at"))
    run.state = _STATES.get(as_text(header.get("status")) or "started", FAILED)
    run.why = as_text(as_dict(header.get("error")).get("message"))
    _add_task(run, about)
    run.config = _settings(header, about)
    run.judge, run.scorer, run.notes = _judge(about), _scorers(about), _notes(header)
    return run


def _add_task(run: Run, about: dict[str, Any]) -> None:
    run.task, run.again = as_text(about.get("task")), as_text(about.get("task_id"))
    run.declared = [
        _id(sample_id) for sample_id in as_list(as_dict(about.get("dataset")).get("sample_ids"))
    ]
    run.epochs = count(as_dict(about.get("config")).get("epochs"), 1)


def declared_metrics(header: dict[str, Any]) -> list[str]:
    """List the metrics of the declared scorers."""
    metrics: list[str] = []
    for scorer in _scorer_list(as_dict(header.get("eval"))):
        keyed = scorer.get("metrics")
        keys = [key for key in keyed if key != "*"] if isinstance(keyed, dict) else []
        metrics += [f"{scorer['name']}/{key}" for key in keys] or [scorer["name"]]
    return metrics


def add_reported(run: Run, header: dict[str, Any]) -> None:
    """Add the reported mean of each metric, by reducer."""
    metrics = set(run.metrics)
    for score in as_dicts(as_dict(header.get("results")).get("scores")):
        name, scorer = as_text(score.get("name")), as_text(score.get("scorer"))
        metric = f"{scorer}/{name}" if f"{scorer}/{name}" in metrics else name
        means = [as_dict(score.get("metrics")).get(key) for key in _MEANS]
        value = next((number(mean.get("value")) for mean in means if isinstance(mean, dict)), None)
        if metric not in metrics or value is None:
            continue
        reducer = as_text(score.get("reducer")) or "mean"
        into = run.reported if reducer == "mean" else run.reduced.setdefault(reducer, {})
        into[metric] = value


def plan_steps(header: dict[str, Any]) -> list[dict[str, Any]]:
    """The solvers that were run, with their parameters."""
    return as_dicts(as_dict(header.get("plan")).get("steps"))


def _settings(header: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    config = as_dict(about.get("config"))
    plan = as_dict(header.get("plan"))
    settings = flat(
        {key: as_dict(about.get(key)) for key in ("model_args", "task_args")}
        | {"generate": as_dict(plan.get("config")) | as_dict(about.get("model_generate_config"))}
        | {"task_version": about.get("task_version")}
        | {key: config.get(key) for key in _SAMPLED}
    )
    for step in plan_steps(header):
        settings |= flat(as_dict(step.get("params")), f"{step.get('solver')}.")
    settings.pop("generate.max_connections", None)
    return {key: _short(value) for key, value in settings.items() if value not in (None, "[]", {})}


def _short(value: Any) -> Any:
    """A setting, or its beginning with a digest of the whole."""
    if not isinstance(value, str) or len(value) <= _LONGEST:
        return value
    name = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{value[:_LONGEST]}... #{name}"


def _judge(about: dict[str, Any]) -> str:
    roles = as_dict(about.get("model_roles"))
    named = {role: _model(model) for role, model in roles.items()}
    judges = [named[role] for role in _ROLES if role in named] or list(named.values())
    for scorer in _scorer_list(about):
        judges.append(_model(as_dict(scorer.get("options")).get("model")))
    return ", ".join(dict.fromkeys(model for model in judges if model))


def _model(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_model(part) for part in value)
    return as_text(value.get("model") if isinstance(value, dict) else value)


def _scorers(about: dict[str, Any]) -> str:
    return ", ".join(
        scorer["name"] + (json.dumps(options, sort_keys=True) if options else "")
        for scorer in _scorer_list(about)
        for options in [scorer.get("options")]
    )


def _scorer_list(about: dict[str, Any]) -> list[dict[str, Any]]:
    return [scorer for scorer in as_dicts(about.get("scorers")) if as_text(scorer.get("name"))]


def _notes(header: dict[str, Any]) -> list[tuple[str, str]]:
    notes = []
    if header.get("invalidated"):
        notes.append(("invalidated", "the log is marked as invalidated"))
    if as_dict(as_dict(header.get("eval")).get("config")).get("score_on_error"):
        text = "Inspect counts scores of samples that ended in an error (score_on_error)"
        notes.append(("errors", f"{text}; they are left missing"))
    return notes


def _id(value: Any) -> str:
    return stripped(str(value))
