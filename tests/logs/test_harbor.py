"""Trials of Harbor."""

import json

import pytest

from betterthan.logs import of_harbor
from betterthan.logs.sniffing import LogFile

from .samples import FORMATS, cells_of, expected, files_in, needs_samples, runs_of, same_cells


def trial(task, reward=1.0, exception=None, agent="terminus-2", model="gpt-x", **more):
    rewards = reward if isinstance(reward, dict) else {"reward": reward}
    raised = {"exception_type": exception, "exception_message": "boom"}
    return {
        "task_name": task,
        "trial_name": task,
        "source": "toy",
        "task_checksum": f"sum of {task}",
        "config": {"agent": {"name": agent, "kwargs": {}}, "timeout_multiplier": 1.0},
        "agent_info": {"name": agent, "version": "1", "model_info": {"name": model}},
        "verifier_result": None if reward is None else {"rewards": rewards},
        "exception_info": raised if exception else None,
        "started_at": "2026-11-21T12:00:00Z",
        **more,
    }


def job(folder, trials, total=None, **stats):
    """A job of trials, each in a folder of its own."""
    for k, one in enumerate(trials):
        one = one | {"trial_name": f"{one['task_name']}__{k}"}
        (folder / one["trial_name"]).mkdir(parents=True)
        (folder / one["trial_name"] / "result.json").write_text(json.dumps(one))
    told = {"n_total_trials": total or len(trials), "finished_at": "2026-11-21T13:00:00Z"}
    (folder / "result.json").write_text(json.dumps(told | {"stats": {"evals": {}, **stats}}))
    return folder


def read(folder):
    return of_harbor.runs(files_in(folder))


def scores(run):
    return [(c[1], c[3], c[4], c[5], c[6]) for c in cells_of(run)]


def test_trials_of_a_task_are_its_runs(tmp_path):
    (run,) = read(job(tmp_path, [trial("a"), trial("a", 0.0), trial("b", None, "SetupError")]))
    assert scores(run) == [
        ("a", "reward", 1, 1.0, "ok"),
        ("a", "reward", 2, 0.0, "ok"),
        ("b", "reward", 1, None, "error"),
    ]
    assert (run.system, run.task, run.epochs) == ("terminus-2 gpt-x", "toy", 2)
    assert (run.state, run.why) == ("done", "SetupError: boom")
    assert run.cells.content[0] == run.cells.content[1] != run.cells.content[2]


def test_a_reward_beside_an_exception_counts_and_is_said(tmp_path):
    (run,) = read(job(tmp_path, [trial("a", 0.0, "AgentTimeoutError")]))
    assert scores(run) == [("a", "reward", 1, 0.0, "ok")]
    assert run.notes[0][0] == "errors"
    assert "AgentTimeoutError 1" in run.notes[0][1]


def test_rewards_are_metrics(tmp_path):
    trials = [trial("a", {"x": 1.0, "y": 0.5}), trial("b", {"x": 0}), trial("c", None)]
    (run,) = read(job(tmp_path, trials))
    assert scores(run) == [
        ("a", "x", 1, 1.0, "ok"),
        ("a", "y", 1, 0.5, "ok"),
        ("b", "x", 1, 0.0, "ok"),
        ("b", "y", 1, None, "unscored"),
        ("c", "x", 1, None, "error"),
        ("c", "y", 1, None, "error"),
    ]


@pytest.mark.parametrize("reward", ["1.0", "x", 1e308, float("inf"), True, [1.0]])
def test_a_reward_is_a_finite_number(tmp_path, reward):
    job(tmp_path, [trial("a"), trial("b", {"x": 1, "y": reward})])
    said = (
        r"^b__1/result\.json, column 'y', value .*: is no reward; one is a number from -1e\+100 to"
    )
    with pytest.raises(ValueError, match=said):
        read(tmp_path)


def test_agents_and_settings_of_one_job_are_runs_of_their_own(tmp_path):
    config = {"agent": {"name": "terminus-2", "kwargs": {"temperature": 1}}}
    trials = [trial("a"), trial("a", model="gpt-y"), trial("a", config=config)]
    found = [
        (run.system, run.config.get("agent.kwargs.temperature"))
        for run in read(job(tmp_path, trials))
    ]
    assert sorted(found, key=str) == [
        ("terminus-2 gpt-x", 1),
        ("terminus-2 gpt-x", None),
        ("terminus-2 gpt-y", None),
    ]


def test_trials_without_a_result_are_said(tmp_path):
    (run,) = read(job(tmp_path, [trial("a")], total=3))
    assert run.notes == [("missing", "2 trials of 3 of the job without a result")]


def test_reported_is_the_mean_of_the_trials_the_job_names(tmp_path):
    told = {"reward_stats": {"reward": {"1.0": ["a__0", "b__1"], "0.0": ["c__2"]}}}
    other = {"reward_stats": {"reward": {"0.0": ["z__9"]}}}
    trials = [trial("a"), trial("b"), trial("c", 0.0)]
    (run,) = read(job(tmp_path, trials, evals={"k": told, "l": other}))
    assert run.reported == {"reward": pytest.approx(2 / 3)}


@pytest.mark.parametrize("given", ["result.json", "a__0/result.json"])
def test_the_other_files_of_a_job_are_found(tmp_path, given):
    path = job(tmp_path, [trial("a")]) / given
    (run,) = of_harbor.runs([LogFile(path, given)])
    assert run.files == ["a__0/result.json", "result.json"]


def test_a_job_alone_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match=r"result\.json: .* without trials"):
        read(job(tmp_path, [], total=2))


def test_cut(tmp_path):
    path = job(tmp_path, [trial("a")]) / "a__0" / "result.json"
    path.write_text(path.read_text()[:-5])
    with pytest.raises(ValueError, match=r"a__0/result\.json.*is the file cut"):
        read(tmp_path)


@needs_samples()
def test_cells_are_those_expected():
    runs = runs_of("harbor", files_in(FORMATS / "harbor/0.25_two_jobs"))
    rows = [one for run in runs for one in cells_of(run)]
    same_cells(rows, expected("harbor/0.25_two_jobs")["records"], epochs=False)
    for run in runs:
        ok = [c[5] for c in cells_of(run) if c[6] == "ok"]
        assert run.reported["reward"] == pytest.approx(sum(ok) / len(ok))
        assert run.epochs == 2
