"""The command `runs`: what it prints, one system, one system against itself, and bad input."""

import json

import numpy as np
import pandas as pd
import pytest

from betterthan.cli import commands


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    rows = [
        (f"t{k}", system, run, int(random.random() < p * factor))
        for k, p in enumerate(random.beta(0.6, 0.5, 30))
        for system, factor in (("A", 1.0), ("B", 0.8))
        for run in range(1, 4)
    ]
    frame = pd.DataFrame(rows, columns=["item", "system", "epoch", "score"])
    frame.to_csv("runs.csv", index=False)
    return frame


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = 0
        try:
            commands.ended(lambda: commands.app(list(arguments), standalone_mode=False))
        except SystemExit as error:
            code = int(error.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_answer_has_pass_k_noise_and_a_plan(table, run):
    code, out, _ = run("runs", "runs.csv", "-k", "1,3,5", "--cost-item", "4")
    assert code == 0
    assert "pass^3 (all 3 runs of an item succeed): A " in out
    assert "pass^5 has no estimate: fewer than half of the items have 5 runs" in out
    assert "for these items only (noise of the runs)" in out
    assert "For a budget of 210, the best is" in out


def test_one_system_is_enough_for_runs_alone(table, run):
    table[table["system"] == "A"].to_csv("one.csv", index=False)
    code, out, _ = run("runs", "one.csv", "-k", "3")
    assert code == 0
    assert "pass^3 (all 3 runs of an item succeed): A " in out
    code, _, err = run("compare", "one.csv")
    assert code == 2
    assert "a comparison needs at least two" in err


def test_one_system_against_itself(table, run):
    one = table[table["system"] == "A"].drop(columns="system")
    one[one["epoch"] == 1].drop(columns="epoch").to_csv("old.csv", index=False)
    one[one["epoch"] == 2].drop(columns="epoch").to_csv("new.csv", index=False)
    code, out, _ = run("runs", "--same", "old.csv", "new.csv")
    assert code == 0
    assert "of the items flip between two runs; 30 items are in both sets." in out


def test_plan_of_repeated_runs_has_their_best_number(table, run):
    code, out, _ = run("plan", "runs.csv")
    assert code == 0
    assert "For a budget of 120, the best is" in out  # 30 items with 3 runs each


def test_compare_takes_pass_k(table, run):
    code, out, _ = run("compare", "runs.csv", "--quantity", "pass^3", "--format", "json")
    assert code == 0
    assert json.loads(out)["settings"]["quantity"] == "pass^3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs.csv", "-k", "x"], "-k is 'x'; give whole numbers, such as 1,3,5"),
        (["runs.csv", "-k", "0"], "k is 0; give a whole number of at least 1"),
        (["--same", "runs.csv"], "--same compares two sets of runs of one system; 1 are given"),
        (["--same", "runs.csv", "runs.csv", "--budget", "0"], "--budget does not go with --same"),
        (["--same", "runs.csv", "runs.csv", "--cost-run", "1"], "--cost-run does not go with"),
        (
            ["runs.csv", "--missing", "wrong"],
            "missing is 'wrong'; choose one of pairwise, complete",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(table, run, arguments, message):
    code, out, err = run("runs", *arguments)
    assert (code, out) == (2, "")
    assert message in err
