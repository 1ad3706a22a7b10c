"""Simulations of tau2-bench, in one file or in a folder beside it."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.elements import fields
from betterthan.io.problems import problem, shown
from betterthan.logs.hashing import digest
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_values import as_dict, as_text, count, flat, whole
from betterthan.logs.record import ERROR, OK, Run

_ENDED = ("too_many_errors", "agent_error", "user_error", "infrastructure_error")
_METRIC, _FOLDER = "reward", "simulations"
_LISTS = frozenset({"tasks", "simulations"})
_ALONE = "holds no simulations, and there are none in a folder 'simulations' beside it"


def recognises(head: Head) -> bool:
    """Whether a file holds the results or one simulation of tau2."""
    return _is_results(head) or _is_simulation(head)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each results file, with the simulations beside it."""
    results = [file for file in files if _is_results(file.head)]
    homes = Counter(file.path.parent for file in results)
    single: dict[Path, list[LogFile]] = {}
    for file in files:
        if not _is_results(file.head):
            folder = file.path.parent
            home = folder.parent if folder.name == _FOLDER else folder
            single.setdefault(home, []).append(file)
    found = []
    for file in results:
        alone = homes[file.path.parent] == 1  # of several nothing says whose a folder is
        beside = single.pop(file.path.parent, None) or _beside(file) if alone else []
        found.append(_run(file, beside))
    return found + [_of_simulations(alone) for alone in single.values()]


def _is_results(head: Head) -> bool:
    if head.kind != "object" or "task_id" in head.keys:
        return False
    return (head.has("info.num_trials") or head.has("info.agent_info")) and bool(
        _LISTS & head.keys or len(head.keys) < 3
    )


def _is_simulation(head: Head) -> bool:
    return head.kind == "object" and {"task_id", "termination_reason"} <= head.keys


def _run(file: LogFile, single: list[LogFile]) -> Run:
    run = Run("tau2", [file.name], ordered=False)
    contents, inside = _read(run, file)
    run.declared = list(contents)
    for row, one in enumerate(inside, start=1):
        _add(run, one, row, 0, contents)
    for one, name in _wholes(single):
        run.files.append(name)
        _add(run, one, 0, len(run.files) - 1, contents)
    if not len(run.cells):
        raise problem(file.name, _ALONE)
    return run


def _read(run: Run, file: LogFile) -> tuple[dict[str, bytes | None], list[dict[str, Any]]]:
    """Tasks with their content, and simulations without their messages."""
    contents: dict[str, bytes | None] = {}
    inside: list[dict[str, Any]] = []
    with file.open() as data:
        for key, value in fields(data, file.name, _LISTS):
            if key == "tasks" and isinstance(value, dict):
                contents[str(value.get("id"))] = digest(value) if set(value) > {"id"} else None
            elif key == "simulations" and isinstance(value, dict):
                inside.append(_short(value, file.name, len(inside) + 1))
            elif key == "info":
                _add_info(run, as_dict(value))
            elif key == "timestamp":
                run.started = as_text(value)
    return contents, inside


def _of_simulations(files: list[LogFile]) -> Run:
    """Simulations without the file that says what ran."""
    run = Run("tau2", [], ordered=False)
    for one, name in _wholes(files):
        run.files.append(name)
        _add(run, one, 0, len(run.files) - 1, {})
    run.epochs = max(run.cells.epoch)
    run.said.append(("name", f"{run.files[0]} names no model, and there is no results.json beside"))
    return run


def _wholes(files: list[LogFile]) -> Iterator[tuple[dict[str, Any], str]]:
    for file in files:
        yield _short(as_dict(whole(file)), file.name, None), file.name


def _short(one: dict[str, Any], name: str, row: int | None) -> dict[str, Any]:
    if one.get("task_id") is None:
        raise problem(name, "is a simulation without a task_id", row=row)
    kept = {key: one.get(key) for key in ("task_id", "trial", "termination_reason")}
    reward = one.get("reward_info")
    if reward is None:
        return kept | {"reward": None}
    return kept | {"reward": [_reward(as_dict(reward).get("reward"), name, row)]}


def _reward(value: Any, name: str, row: int | None) -> float:
    """A reward as the score that it is, NaN where there is none."""
    if value is None or value != value:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        what = "is no reward; one is a number from 0 to 1, or null where there is none"
        raise problem(name, what, row=row, column=_METRIC, value=value)
    return float(value)


def _add(
    run: Run, one: dict[str, Any], row: int, file: int, contents: dict[str, bytes | None]
) -> None:
    """Add a simulation: without a reward it ended in an error; a limit is the agent's own 0."""
    item, failed = str(one["task_id"]), one["reward"] is None
    place = run.cells.sample(
        item,
        epoch=count(one["trial"], 0) + 1,
        content=contents.get(item),
        text=item,
        row=row,
        file=file,
        failed=failed,
    )
    raw = None if failed else one["reward"][0]
    run.cells.score(place, _METRIC, raw, ERROR if failed else OK)
    if failed and not run.why:
        run.why = as_text(one["termination_reason"]) or "a simulation without a reward"
    elif not failed and one["termination_reason"] in _ENDED:
        said = f"item {shown(item)} has a reward and ended in {one['termination_reason']}"
        run.said.append(("errors", f"{said}: the reward counts"))


def _add_info(run: Run, info: dict[str, Any]) -> None:
    agent, user = as_dict(info.get("agent_info")), as_dict(info.get("user_info"))
    run.system = as_text(agent.get("llm")) or as_text(agent.get("implementation")) or None
    run.task = as_text(as_dict(info.get("environment_info")).get("domain_name"))
    run.epochs = count(info.get("num_trials"), 1)
    keys = ("implementation", "llm", "llm_args")
    found = flat({"agent": {k: agent[k] for k in keys if k in agent}})
    found |= flat({"user": {k: user[k] for k in keys if k in user}})
    found |= {key: info.get(key) for key in ("max_steps", "max_errors", "seed", "git_commit")}
    run.config = {key: value for key, value in found.items() if value is not None}


def _beside(file: LogFile) -> list[LogFile]:
    """The simulations that newer versions write one a file."""
    above = PurePosixPath(file.name).parent / _FOLDER
    paths = sorted((file.path.parent / _FOLDER).glob("*.json"))
    found = [LogFile(p, (above / p.name).as_posix()) for p in paths if p.is_file()]
    return [one for one in found if not one.path.is_symlink() and _is_simulation(one.head)]
