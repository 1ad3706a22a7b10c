"""Simulations of tau2."""

import json

import pytest

from betterthan.io import json_records
from betterthan.logs import of_tau2
from betterthan.logs.sniffing import LogFile

from .samples import FORMATS, cells_of, files_in, needs_samples

INFO = {
    "num_trials": 2,
    "agent_info": {"implementation": "llm_agent", "llm": "gpt-4.1", "llm_args": {"temperature": 0}},
    "user_info": {"implementation": "user", "llm": "gpt-4.1-mini"},
    "environment_info": {"domain_name": "airline"},
}


def simulation(task, trial=0, reward=1.0, ended="user_stop"):
    info = None if reward is None else {"reward": reward}
    told = {"id": f"{task}{trial}", "task_id": task, "termination_reason": ended}
    return told | {"reward_info": info, "trial": trial, "messages": ["m" * 100]}


def write(path, simulations, tasks=("0", "1"), info=INFO):
    listed = [{"id": task, "user_scenario": f"What is {task}?"} for task in tasks]
    value = {"timestamp": "2025-06-11T00:00:00", "info": info, "tasks": listed}
    path.write_text(json.dumps(value | {"simulations": simulations}))
    return path


def read(folder):
    files = files_in(folder)
    assert all(of_tau2.recognises(file.preview) for file in files)
    return of_tau2.runs(files)


def scores(run):
    return [(c[1], c[4], c[5], c[6]) for c in cells_of(run)]


@pytest.mark.parametrize("window", [10, 2**20])
def test_trials_errors_and_limits(tmp_path, monkeypatch, window):
    monkeypatch.setattr(json_records, "WINDOW", window)
    simulations = [
        simulation("0"),
        simulation("0", 1, 0.0, "max_steps"),
        simulation("1", 0, None, "too_many_errors"),
    ]
    write(tmp_path / "a.json", simulations)
    (run,) = read(tmp_path)
    assert scores(run) == [("0", 1, 1.0, "ok"), ("0", 2, 0.0, "ok"), ("1", 1, None, "error")]
    assert (run.system, run.task, run.epochs) == ("gpt-4.1", "airline", 2)
    assert (run.declared, run.why) == (["0", "1"], "too_many_errors")
    assert run.config["user.llm"] == "gpt-4.1-mini"
    assert run.cells.content[0] == run.cells.content[1] != run.cells.content[2]


@pytest.mark.parametrize("given", ["all", "results.json", "simulations"])
def test_simulations_in_a_folder_beside(tmp_path, given):
    path = write(tmp_path / "results.json", [])
    value = json.loads(path.read_text())
    del value["simulations"]
    path.write_text(json.dumps(value))
    (tmp_path / "simulations").mkdir()
    for k in (0, 1):
        one = simulation("0", k, float(k))
        (tmp_path / "simulations" / f"{k}.json").write_text(json.dumps(one))
    if given == "all":
        (run,) = read(tmp_path)
    elif given == "simulations":
        (run,) = read(tmp_path / "simulations")
        assert run.system is None
    else:
        (run,) = of_tau2.runs([LogFile(path, path.name)])
    assert scores(run) == [("0", 1, 0.0, "ok"), ("0", 2, 1.0, "ok")]


@pytest.mark.parametrize("reward", ["1.0", "x", 1e308, 1.01, -0.5, float("inf"), True, [1.0]])
def test_a_reward_is_a_number_from_0_to_1(tmp_path, reward):
    write(tmp_path / "a.json", [simulation("0"), simulation("1", 0, reward)])
    said = r"^a\.json, row 2, column 'reward', value .*: is no reward; one is a number from 0 to 1"
    with pytest.raises(ValueError, match=said):
        read(tmp_path)


@pytest.mark.parametrize("trial", ["1", 1.5, True, [0], float("nan"), float("inf")])
def test_a_trial_is_a_whole_number(tmp_path, trial):
    write(tmp_path / "a.json", [simulation("0"), simulation("1", trial)])
    said = r"^a\.json, row 2, column 'trial', value .*: is no whole number, nor null"
    with pytest.raises(ValueError, match=said):
        read(tmp_path)


def test_a_number_so_small_that_it_would_be_0(tmp_path):
    path = write(tmp_path / "a.json", [simulation("0"), simulation("1", 0, 0.125)])
    path.write_text(path.read_text().replace("0.125", "\n1e-400"))
    with pytest.raises(ValueError, match=r"^a\.json, row 2: .*'1e-400' is so close to 0"):
        read(tmp_path)


def test_a_number_of_trials_is_a_whole_number(tmp_path):
    write(tmp_path / "a.json", [simulation("0")], info=INFO | {"num_trials": "many"})
    with pytest.raises(
        ValueError, match=r"^a\.json, column 'num_trials', value 'many': is no whole"
    ):
        read(tmp_path)


def test_a_reward_that_was_not_given(tmp_path):
    one = simulation("0") | {"reward_info": {"reward": None}}
    write(tmp_path / "a.json", [one, simulation("1", 0, float("nan")), simulation("1", 1, 0.5)])
    (run,) = read(tmp_path)
    assert [one[2:] for one in scores(run)] == [(None, "unscored")] * 2 + [(0.5, "ok")]


def test_no_simulations(tmp_path):
    write(tmp_path / "a.json", [])
    with pytest.raises(ValueError, match=r"a\.json: holds no simulations"):
        read(tmp_path)


def test_cut(tmp_path):
    path = write(tmp_path / "a.json", [simulation("0")])
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"a\.json, row 1: .*is the file cut"):
        read(tmp_path)


def test_a_simulation_of_no_task(tmp_path):
    write(tmp_path / "a.json", [simulation("0"), simulation(None)])
    with pytest.raises(ValueError, match="row 2: is a simulation without a task_id"):
        read(tmp_path)


@needs_samples()
def test_sample():
    (run,) = read(FORMATS / "tau2")
    assert scores(run) == [
        ("0", 1, 1.0, "ok"),
        ("0", 2, 0.0, "ok"),
        ("1", 1, 0.0, "ok"),
        ("1", 2, None, "error"),
    ]
    assert (run.system, run.epochs, run.declared) == ("gpt-4.1", 4, ["0", "1"])


def test_several_results_in_one_folder_are_each_a_run(tmp_path):
    for model in ("a", "b"):
        info = INFO | {"agent_info": {"implementation": "llm_agent", "llm": model}}
        write(tmp_path / f"{model}.json", [simulation("0")], info=info)
    assert [run.system for run in read(tmp_path)] == ["a", "b"]
