"""The options for reading that commands share."""

import json

import pytest
from typer.testing import CliRunner

from betterthan.cli.commands import app
from betterthan.cli.options import READING
from betterthan.reading.read import ReadOptions


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def log(tmp_path):
    """Samples of lm-eval with two metrics, which have to be told apart."""
    paths = []
    for name, right in (("a", [1, 1, 1, 0, 1, 1, 1, 0]), ("b", [0, 1, 0, 0, 1, 0, 1, 0])):
        path = tmp_path / name / "samples_task_2026-01-01T00-00-00.000000.jsonl"
        path.parent.mkdir()
        lines = [
            {"doc_id": k, "doc": {"q": k}, "target": "x", "resps": [["x"]], "acc": x, "f1": 1 - x}
            for k, x in enumerate(right)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        paths.append(f"{name}={path}")
    return paths


def test_every_option_is_one_of_reading():
    as_read = {"tool": "format", "lower_is_better": "higher_is_better"}
    assert {as_read.get(name, name) for name in READING} <= set(ReadOptions.__annotations__)


@pytest.mark.parametrize("command", ["compare", "show", "audit", "plan", "groups"])
def test_a_command_has_all_of_them_in_its_help(command):
    page = run(command, "--help").stdout
    assert not [name for name in READING if f"--{name.replace('_', '-')} " not in page]


def test_show_and_plan_read_logs_with_several_metrics(log, tmp_path):
    page = tmp_path / "page.html"
    result = run("show", *log, "--metric", "acc", "-o", page, "--no-browser")
    assert result.exit_code == 0, result.output
    assert page.exists()
    assert run("plan", *log, "--metric", "acc").exit_code == 0


def test_options_for_reading_have_no_meaning_without_something_to_read(tmp_path):
    result = run("plan", "--decisive", "0.2", "--difference", "0.05", "--metric", "acc")
    assert "options for reading need a file of results" in str(result.exception)
    saved = tmp_path / "saved.nc"
    result = run("show", saved, "--metric", "acc")
    assert "leave out options for reading" in str(result.exception)
    answers = {"baseline": "Z", "systems": "A,Z", "quantity": "mean", "rope": 0.1, "threshold": 0.9}
    for option, value in answers.items():
        result = run("show", saved, f"--{option}", value)
        reason = f"--{option} is for comparing results, and {saved} is a saved answer; leave it out"
        assert str(result.exception) == reason


def test_an_audit_of_some_systems(log, tmp_path):
    table = tmp_path / "acc.csv"
    table.write_text("item,A,B,C\nq1,1,0,1\nq2,1,1,0\nq3,0,1,0\nq4,1,0,0\n", "utf-8")
    result = run("audit", table, "--systems", "A,B")
    assert result.exit_code == 0, result.exception
    assert "C" not in result.stdout.split()
    assert run("audit", *log, "--systems", "b,a").exit_code == 0


def test_over_names_a_column_of_a_table(tmp_path, log):
    path = tmp_path / "a.csv"
    rows = "".join(f"q{k},{'xyz'[k % 3]},{k % 2},{k % 5 > 1:d}\n" for k in range(30))
    path.write_text("item,benchmark,A,B\n" + rows)
    result = run("compare", path, "--over", "benchmark")
    assert result.exit_code == 0, result.output
    assert "average over 3 data sets" in result.stdout
    other = run("compare", path, "--dataset", "benchmark", "--over", "language")
    assert "is not a column of the items; choose one of dataset" in str(other.exception)
    of_logs = run("compare", *log, "--metric", "acc", "--over", "language")
    assert "dataset='language' does not apply: the source is a log" in str(of_logs.exception)
