"""tau2-bench: simulations, in one file or in a folder next to it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from betterthan.io.json_records import fields
from betterthan.io.problems import problem, quoted
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import as_dict, as_text, flat, measured, read_json, whole
from betterthan.logs.record import ERROR, OK, Run, grouped
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.text import stripped

_ENDED = ("too_many_errors", "agent_error", "user_error", "infrastructure_error")
_METRIC, _FOLDER = "reward", "simulations"
_LISTS = frozenset({"tasks", "simulations"})
_NO_SIMULATIONS = "holds no simulations, and there are none in a folder 'simulations' next to it"


def recognises(preview: Preview) -> bool:
    """Whether a file holds the results or one simulation of tau2."""
    return _is_results(preview) or _is_simulation(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each results file, with the simulations next to it."""
    results = [file for file in files if _is_results(file.preview)]
    homes = Counter(file.path.parent for file in results)
    single = grouped((_home(file), file) for file in files if not _is_results(file.preview))
    run_list = []
    for file in results:
        unambiguous = homes[file.path.parent] == 1  # several files share the folder
        siblings = single.pop(file.path.parent, []) if unambiguous else []
        if unambiguous and not siblings:  # newer versions write a file each
            below = file.siblings(f"{_FOLDER}/*.json")
            siblings = [other for other in below if _is_simulation(other.preview)]
        run_list.append(_run(file, siblings))
    return run_list + [_run_from_simulations(simulations) for simulations in single.values()]


def _home(file: LogFile) -> Path:
    """The folder in which a simulation has its results."""
    folder = file.path.parent
    return folder.parent if folder.name == _FOLDER else folder


def _is_results(preview: Preview) -> bool:
    if preview.kind != "object" or "task_id" in preview.keys:
        return False
    has_info = preview.has("info.num_trials") or preview.has("info.agent_info")
    return has_info and bool(_LISTS & preview.keys or len(preview.keys) < 3)


def _is_simulation(preview: Preview) -> bool:
    return preview.kind == "object" and {"task_id", "termination_reason"} <= preview.keys


def _run(file: LogFile, single: list[LogFile]) -> Run:
    run = Run("tau2", [file.name], ordered=False)
    contents = _read(run, file)
    run.declared = list(contents)
    _add_files(run, single)
    if not len(run.cells):
        raise problem(file.name, _NO_SIMULATIONS)
    run.cells.content = [contents.get(item) for item in run.cells.item]
    return run


def _read(run: Run, file: LogFile) -> dict[str, bytes | None]:
    """Add the simulations in a file; return the content of each task."""
    contents: dict[str, bytes | None] = {}
    row = 0
    with file.open() as data:
        for key, value in fields(data, file.name, _LISTS):
            if key in _LISTS and not isinstance(value, dict):
                raise problem(file.name, f"one of {key} is no object", value=value)
            if key == "tasks":
                task = stripped(str(value.get("id")))
                contents[task] = digest(value) if set(value) > {"id"} else None
            elif key == "simulations":
                row += 1
                _add(run, value, file.name, row)
            elif key == "info":
                _add_info(run, as_dict(value))
            elif key == "timestamp":
                run.started = as_text(value)
    return contents


def _run_from_simulations(files: list[LogFile]) -> Run:
    """Read simulations without a results file."""
    run = Run("tau2", [], ordered=False)
    _add_files(run, files)
    run.epochs = max(run.cells.epoch)
    run.notes.append(
        ("name", f"{run.files[0]} names no model, and there is no results.json next to it")
    )
    return run


def _add_files(run: Run, files: list[LogFile]) -> None:
    for file in files:
        run.files.append(file.name)
        _add(run, as_dict(read_json(file)), file.name, None)


def _add(run: Run, simulation: dict[str, Any], name: str, row: int | None) -> None:
    """Add a simulation of the last file; without a reward it is an error, a reached limit
    scores 0.
    """
    if simulation.get("task_id") is None:
        raise problem(name, "is a simulation without a task_id", row=row)
    item, reason = str(simulation["task_id"]), simulation.get("termination_reason")
    trial = whole(simulation.get("trial"), 0, name, row, "trial")
    info = simulation.get("reward_info")
    failed = info is None
    reward = measured(as_dict(info).get("reward"), name, row, _METRIC, _METRIC, 0, 1)
    place = run.cells.sample(
        item, epoch=trial + 1, text=item, row=row or 0, file=len(run.files) - 1, failed=failed
    )
    run.cells.score(place, _METRIC, reward, ERROR if failed else OK)
    if failed and not run.why:
        run.why = as_text(reason) or "a simulation without a reward"
    elif not failed and reason in _ENDED:
        message = f"item {quoted(item)} has a reward and ended in {reason}"
        run.notes.append(("errors", f"{message}: the reward counts"))


def _add_info(run: Run, info: dict[str, Any]) -> None:
    agent, user = as_dict(info.get("agent_info")), as_dict(info.get("user_info"))
    run.system = as_text(agent.get("llm")) or as_text(agent.get("implementation")) or None
    run.task = as_text(as_dict(info.get("environment_info")).get("domain_name"))
    run.epochs = whole(info.get("num_trials"), 1, run.files[0], None, "num_trials")
    keys = ("implementation", "llm", "llm_args")
    settings = flat({"agent": {k: agent[k] for k in keys if k in agent}})
    settings |= flat({"user": {k: user[k] for k in keys if k in user}})
    settings |= {key: info.get(key) for key in ("max_steps", "max_errors", "seed", "git_commit")}
    run.config = {key: value for key, value in settings.items() if value is not None}
