"""What the command line reads: name=file, folders, and every choice of logs and tables."""

import json

import pytest

from betterthan.cli.commands import main
from betterthan.cli.options import inputs_of, source_of


def run(monkeypatch, capsys, *args):
    monkeypatch.setattr("sys.argv", ["betterthan", *map(str, args)])
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for system, scores in {"old": [1, 0, 0, 1], "new": [1, 1, 1, 1]}.items():
        rows = [
            {"user_input": f"q{k}", "response": "...", "right": score, "long": 0.5}
            for k, score in enumerate(scores)
        ]
        (folder / f"{system}.json").write_text(json.dumps(rows))
    return folder


def test_names_of_files_are_systems(tmp_path):
    assert source_of(["a.csv"]) == "a.csv"
    assert source_of(["a.csv", "b.csv"]) == ["a.csv", "b.csv"]
    with pytest.raises(ValueError, match=r"b.csv has no name, while others have"):
        source_of(["old=a.csv", "b.csv"])
    with pytest.raises(ValueError, match="the name 'old' is given twice"):
        source_of(["old=a.csv", "old=b.csv"])
    odd = tmp_path / "a=b.csv"
    odd.touch()
    assert source_of([str(odd)]) == str(odd)


def test_compare_two_named_files(tmp_path, monkeypatch, capsys):
    for name, scores in {"a": "1,0", "b": "0,0"}.items():
        rows = "".join(f"q{k},{s}\n" for k, s in enumerate(scores.split(",")))
        (tmp_path / f"{name}.csv").write_text("item,score\n" + rows)
    code, out, err = run(
        monkeypatch, capsys, "compare", f"old={tmp_path}/a.csv", f"new={tmp_path}/b.csv"
    )
    assert (code, "P(old better)" in out) == (0, True)
    assert "each file a system" in err


def test_compare_a_folder_of_logs(logs, monkeypatch, capsys):
    code, out, err = run(monkeypatch, capsys, "compare", logs, "--metric", "right")
    assert code == 0
    assert "P(new better)" in out
    assert "metric right, joined by content" in err
    assert "metric=right | errors=missing" in out
    code, _, err = run(monkeypatch, capsys, "compare", logs)
    assert (code, err) == (2, "error: 2 metrics: right (8), long (8); pass --metric right\n")


def test_no_log_is_written_over(logs, monkeypatch, capsys):
    before = (logs / "old.json").read_bytes()
    target = logs / "old.json"
    code, _, err = run(monkeypatch, capsys, "compare", logs, "--metric", "right", "-o", target)
    assert code == 2
    assert "old.json" in err
    assert (logs / "old.json").read_bytes() == before
    assert sorted(p.name for p in inputs_of([str(logs)])) == ["new.json", "old.json"]


@pytest.mark.parametrize(
    "choice",
    [
        ("--join", "name"),
        ("--errors", "zero"),
        ("--again", "all"),
        ("--tool", "word"),
        ("--decimal", ","),
        ("--item", "q"),
        ("--epoch", "9"),
        ("--task", "none"),
    ],
)
def test_choices_that_do_not_fit_end_in_one_line(logs, choice, monkeypatch, capsys):
    code, out, err = run(monkeypatch, capsys, "compare", logs, "--metric", "right", *choice)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert choice[1] in err


def test_ids_of_the_data_set_come_from_a_file(tmp_path, monkeypatch, capsys):
    for system, resolved in {"a": ["x", "y"], "b": ["x"]}.items():
        told = {"resolved": resolved, "no_generation": [], "no_logs": []}
        (tmp_path / system).mkdir()
        (tmp_path / system / "results.json").write_text(json.dumps(told))
    ids = tmp_path / "ids.txt"
    ids.write_text("x\ny\nz\n")
    files = [f"{s}={tmp_path}/{s}/results.json" for s in "ab"]
    code, _, err = run(monkeypatch, capsys, "compare", *files)
    assert (code, "--items" in err) == (2, True)
    code, _, err = run(monkeypatch, capsys, "compare", *files, "--items", ids)
    assert code == 0
    assert "3 items x 2 systems ('a', 'b')" in err
    assert run(monkeypatch, capsys, "audit", *files, "--items", ids)[0] == 0
    ids.write_bytes(b"\xef\xbb\xbfx\r\ny\r\nz\r\n")  # as an editor saves it
    code, _, err = run(monkeypatch, capsys, "compare", *files, "--items", ids)
    assert (code, "3 items x 2 systems" in err) == (0, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"instance_id\nx\n", "ids.txt: begins with 'instance_id', and that is no id; give one id"),
        (b'["x", "y"]', 'ids.txt: begins with \'["x", "y"]\', and that is no id'),
        (b"task_id\nx\n", "ids.txt: begins with 'task_id', and that is no id"),
        (b"x,django\ny,django\n", "ids.txt: begins with 'x,django', and that is no id"),
        ("x\n".encode("utf-16"), "ids.txt: is UTF-16, not UTF-8"),
        (None, "no such file: "),
    ],
)
def test_a_file_of_ids_with_something_else_is_refused(
    content, message, logs, tmp_path, monkeypatch, capsys
):
    ids = tmp_path / "ids.txt"
    if content is not None:
        ids.write_bytes(content)
    code, out, err = run(monkeypatch, capsys, "compare", logs, "--items", ids)
    assert (code, out, message in err) == (2, "", True)


def test_an_answer_goes_to_github_and_junit_too(logs, tmp_path, monkeypatch, capsys):
    summary, xml = tmp_path / "summary.md", tmp_path / "out.xml"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    told = ("--metric", "right", "--github", "--junit", xml)
    code, _, err = run(monkeypatch, capsys, "compare", logs, *told)
    assert (code, f"wrote {xml}" in err) == (0, True)
    assert summary.read_text().startswith("# new and old compared")
    assert '<testsuite name="comparison" tests="1"' in xml.read_text()
    code, _, _ = run(monkeypatch, capsys, "audit", logs, *told)
    assert code == 0
    assert '<testsuite name="audit"' in xml.read_text()
    code, _, err = run(monkeypatch, capsys, "audit", logs, "--junit", logs / "old.json")
    assert (code, "is a file that is read" in err) == (2, True)
