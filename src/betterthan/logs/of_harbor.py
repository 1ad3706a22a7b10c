"""Trials of Harbor, which runs Terminal-Bench 2: a folder a trial, in the folder of its job."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import counted, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_dict,
    as_list,
    as_text,
    count,
    flat,
    measured,
    number,
    read_json,
)
from betterthan.logs.record import DIED, ERROR, OK, Run, grouped
from betterthan.logs.sniffing import LogFile, Preview


def add_job(run: Run, job: dict[str, Any], trials: list[dict[str, Any]], n_trials: int) -> None:
    """Fill in what a job says of a run.

    Parameters
    ----------
    run : Run
    job : dict
    trials : list of dict
        Those of the run.
    n_trials : int
        Trials of the job that have a result.
    """
    stats = as_dict(job.get("stats"))
    run.finished = as_text(job.get("finished_at"))
    total = count(job.get("n_total_trials"), 0)
    if total > n_trials:
        missing = counted(total - n_trials, "trial")
        run.notes.append(("missing", f"{missing} of {total} of the job without a result"))
        run.state = DIED if not run.finished else run.state
    names = {as_text(trial.get("trial_name")) for trial in trials}
    for evaluation in as_dict(stats.get("evals")).values():
        for metric, values in as_dict(as_dict(evaluation).get("reward_stats")).items():
            if (mean := _mean(as_dict(values), names)) is not None:
                run.reported[metric] = mean


def _mean(values: dict[str, Any], names: set[str]) -> float | None:
    """Average the rewards over their trials; None if the trials belong to another run."""
    counts = [(number(value), as_list(trials)) for value, trials in values.items()]
    if not names & {name for _, trials in counts for name in trials if isinstance(name, str)}:
        return None
    rewards = [(value, len(trials)) for value, trials in counts if value is not None and trials]
    total = sum(n for _, n in rewards)
    return sum(value * n for value, n in rewards) / total if total else None


_Trials = list[tuple[LogFile, dict[str, Any]]]
_NO_TRIALS = "is the result of a job without trials below it; give the folder of the job"
_METRIC = "reward"
_TIMES = ("timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier")


def recognises(preview: Preview) -> bool:
    """Whether a file is the result of a trial or of a job of Harbor."""
    return _is_trial(preview) or _is_job(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each agent, model and set of tasks of a job."""
    jobs = {file.path.parent: file for file in files if _is_job(file.preview)}
    trials = _trials(files, jobs)
    for file, _ in trials:
        folder = file.path.parent.parent
        if folder not in jobs and (job := _above(file)):
            jobs[folder] = job
    results = {folder: as_dict(read_json(job)) for folder, job in jobs.items()}
    counts = Counter(file.path.parent.parent for file, _ in trials)
    run_list = []
    for (folder, system, task, _), group in _groups(trials).items():
        run = _run(group, system, task)
        if folder in results:
            run.files.append(jobs[folder].name)
            add_job(run, results[folder], [trial for _, trial in group], counts[folder])
        run_list.append(run)
    return run_list


def _trials(files: Sequence[LogFile], jobs: dict[Path, LogFile]) -> _Trials:
    """Collect the listed trials, and those below a job of which none is listed."""
    trials = [file for file in files if _is_trial(file.preview)]
    for folder, job in jobs.items():
        if not any(file.path.parent.parent == folder for file in trials):
            trials += [f for f in job.siblings("*/result.json") if _is_trial(f.preview)]
    if not trials:
        raise problem(next(iter(jobs.values())).name, _NO_TRIALS)
    return [(file, as_dict(read_json(file))) for file in trials]


def _groups(trials: _Trials) -> dict[tuple[Path, str, str, str], _Trials]:
    """Trials by job, system, tasks and settings."""

    def key(file: LogFile, trial: dict[str, Any]) -> tuple[Path, str, str, str]:
        settings = json.dumps(_settings(trial), sort_keys=True, default=str)
        return file.path.parent.parent, _system(trial), as_text(trial.get("source")), settings

    return grouped((key(*trial), trial) for trial in trials)


def _is_trial(preview: Preview) -> bool:
    return preview.kind == "object" and preview.has("task_name", "trial_name", "task_checksum")


def _is_job(preview: Preview) -> bool:
    return preview.kind == "object" and preview.has("n_total_trials", "stats")


def _run(group: _Trials, system: str, task: str) -> Run:
    run = Run("harbor", [file.name for file, _ in group], system or None, task=task, ordered=False)
    times: Counter[str] = Counter()
    rewards = [_rewards(file, trial) for file, trial in group]
    metrics = list(dict.fromkeys(chain.from_iterable(rewards)))
    for k, (file, trial) in enumerate(group):
        times[str(trial["task_name"])] += 1
        _add(run, trial, rewards[k], k, times[str(trial["task_name"])], metrics or [_METRIC])
        if not rewards[k] and not run.why:
            run.why = _exception(trial) or f"{file.name} has no reward"
    run.epochs = max(times.values())
    run.config = _settings(group[0][1])
    run.started = min(as_text(trial.get("started_at")) for _, trial in group)
    _tell_exceptions(run, [trial for (_, trial), of in zip(group, rewards, strict=True) if of])
    return run


def _add(
    run: Run,
    trial: dict[str, Any],
    rewards: dict[str, float],
    file: int,
    epoch: int,
    metrics: list[str],
) -> None:
    item = str(trial["task_name"])
    content = digest(trial.get("task_checksum"))
    place = run.cells.sample(
        item, epoch=epoch, content=content, text=item, file=file, failed=not rewards
    )
    for metric in metrics:
        run.cells.score(place, metric, rewards.get(metric), OK if rewards else ERROR)


def _rewards(file: LogFile, trial: dict[str, Any]) -> dict[str, float]:
    """The rewards of a trial by name; empty where the verifier gave none."""
    verifier = as_dict(trial.get("verifier_result"))
    rewards = verifier.get("rewards", verifier.get("reward"))
    if not isinstance(rewards, dict):
        rewards = {} if rewards is None else {_METRIC: rewards}
    return {k: measured(value, file.name, None, k, "reward") for k, value in rewards.items()}


def _system(trial: dict[str, Any]) -> str:
    agent = as_dict(as_dict(trial.get("config")).get("agent"))
    info = as_dict(trial.get("agent_info"))
    model = as_text(as_dict(info.get("model_info")).get("name")) or as_text(agent.get("model_name"))
    return " ".join(filter(None, (as_text(info.get("name")) or as_text(agent.get("name")), model)))


def _settings(trial: dict[str, Any]) -> dict[str, Any]:
    config, info = as_dict(trial.get("config")), as_dict(trial.get("agent_info"))
    agent = {k: v for k, v in as_dict(config.get("agent")).items() if v not in (None, [], {}, "")}
    settings = flat({"agent": agent, "environment": as_dict(config.get("environment"))})
    settings |= {key: config.get(key) for key in _TIMES}
    settings |= {
        "agent_version": info.get("version"),
        "provider": as_dict(info.get("model_info")).get("provider"),
    }
    return {key: value for key, value in settings.items() if value not in (None, "[]")}


def _exception(trial: dict[str, Any]) -> str:
    exception = as_dict(trial.get("exception_info"))
    parts = (exception.get("exception_type"), exception.get("exception_message"))
    return ": ".join(as_text(part).partition("\n")[0] for part in parts if as_text(part))


def _tell_exceptions(run: Run, trials: list[dict[str, Any]]) -> None:
    exceptions = [trial["exception_info"] for trial in trials if trial.get("exception_info")]
    if kinds := Counter(as_text(as_dict(e).get("exception_type")) for e in exceptions):
        named = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
        message = f"{counted(sum(kinds.values()), 'trial')} with both a reward and an exception"
        run.notes.append(("errors", f"{message} ({named}): the reward counts"))


def _above(trial: LogFile) -> LogFile | None:
    """The job of a trial that was given without it."""
    folder = LogFile(trial.path.parent, PurePosixPath(trial.name).parent.as_posix())
    return folder.sibling("result.json", _is_job)
