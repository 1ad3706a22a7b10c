"""Add the result of a Harbor job to its run."""

from typing import Any

from betterthan.io.problems import counted
from betterthan.logs.json_values import as_dict, as_list, as_text, count, number
from betterthan.logs.record import DIED, Run


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
            mean = _mean(as_dict(values), names)
            if mean is not None:
                run.reported[metric] = mean


def _mean(values: dict[str, Any], names: set[str]) -> float | None:
    """Average the rewards over their trials; None if the trials belong to another run."""
    counts = [(number(value), as_list(trials)) for value, trials in values.items()]
    if not names & {name for _, trials in counts for name in trials if isinstance(name, str)}:
        return None
    rewards = [(value, len(trials)) for value, trials in counts if value is not None and trials]
    total = sum(n for _, n in rewards)
    return sum(value * n for value, n in rewards) / total if total else None
