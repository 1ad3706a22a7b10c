"""What a command writes never destroys what it reads, and an interrupt is one line."""

import os
import subprocess
import sys

import pytest

import betterthan as bt
from betterthan import files
from betterthan.cli import commands

WIDE = "item,A,B\n" + "".join(f"q{k},1,{k % 2}\n" for k in range(20))
JSON = '[{"item": "q1", "A": 1, "B": 0}, {"item": "q2", "A": 1, "B": 1}]'
TALLIES = "system,item,tp,fp,fn\nA,d1,3,1,0\nB,d1,2,1,1\nA,d2,3,0,0\nB,d2,2,2,1\n"


def run(capsys, monkeypatch, *args):
    """Exit code and stderr of one command, in this process."""
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, args)])
    try:
        commands.main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    return code, capsys.readouterr().err


def refused(capsys, monkeypatch, path, *args):
    """Refused in one line that names the target, and the input is as it was."""
    before = path.read_bytes()
    code, err = run(capsys, monkeypatch, *args)
    assert code == 2
    (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
    assert "is a file that is read" in line
    assert "give another place" in line
    assert path.read_bytes() == before


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data.json"
    path.write_text(JSON)
    return path


def test_compare_does_not_overwrite_its_data(data, capsys, monkeypatch):
    refused(capsys, monkeypatch, data, "compare", data, "-o", data)


@pytest.mark.parametrize("target", ["data.json", "./data.json", "sub/../data.json", "DATA"])
def test_by_whatever_name(data, capsys, monkeypatch, tmp_path, target):
    (tmp_path / "sub").mkdir()
    target = tmp_path / "linked.json" if target == "DATA" else target
    if target == tmp_path / "linked.json":
        os.link(data, target)
    refused(capsys, monkeypatch, data, "compare", data, "-o", target)


def test_through_symbolic_links_of_either(data, capsys, monkeypatch, tmp_path):
    link, folder = tmp_path / "link.json", tmp_path / "folder"
    link.symlink_to(data)
    folder.symlink_to(tmp_path)
    refused(capsys, monkeypatch, data, "compare", data, "-o", link)
    refused(capsys, monkeypatch, data, "compare", link, "-o", data)
    refused(capsys, monkeypatch, data, "compare", data, "-o", folder / "data.json")


def test_one_of_several_inputs(data, capsys, monkeypatch, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(JSON)
    refused(capsys, monkeypatch, data, "compare", other, data, "-o", data)


def test_a_file_of_the_folder_that_is_filled(capsys, monkeypatch, tmp_path):
    pairs = tmp_path / "out" / "pairs.csv"
    pairs.parent.mkdir()
    pairs.write_text(WIDE)
    refused(capsys, monkeypatch, pairs, "compare", pairs, "-o", pairs.parent)
    report = tmp_path / "report.json"
    report.write_text(JSON)
    refused(capsys, monkeypatch, report, "compare", report, "-f", "json", "-o", tmp_path)
    assert sorted(p.name for p in pairs.parent.iterdir()) == ["pairs.csv"]


@pytest.mark.parametrize(
    ("command", "content"),
    [
        (["groups"], TALLIES),
        (["measures"], TALLIES),
        (["order"], "judge,order\n1,a > b\n2,b > a\n"),
        (["outcome", "--outcome", "y"], "x,y\n1,2\n2,3\n3,5\n"),
    ],
)
def test_every_command_that_reads(capsys, monkeypatch, tmp_path, command, content):
    path, target = tmp_path / "data.csv", tmp_path / "data.html"
    path.write_text(content)
    target.symlink_to(path)
    refused(capsys, monkeypatch, path, command[0], path, *command[1:], "-o", target)


def test_the_components_of_an_outcome_are_read_too(capsys, monkeypatch, tmp_path):
    path, components, target = (tmp_path / name for name in ("d.csv", "c.csv", "c.html"))
    path.write_text("x,y\n1,2\n2,3\n3,5\n")
    components.write_text("name,x\na,1\nb,2\n")
    target.symlink_to(components)
    options = ["--outcome", "y", "--method", "both", "--components", components, "-o", target]
    refused(capsys, monkeypatch, components, "outcome", path, *options)


def test_another_place_is_written(data, capsys, monkeypatch, tmp_path):
    assert run(capsys, monkeypatch, "compare", data, "-o", tmp_path / "other.json")[0] == 0
    assert data.read_text() == JSON


def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match=r"pipe\.txt: cannot be written \(it is a pipe"):
        files.write_whole(pipe, "x")
    assert not pipe.is_file()


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("typer", ["--rope", "0.01"]),
        ("betterthan.cli.commands", ["--rope", "0.01"]),
        ("betterthan.cli.comparing", []),  # files alone need no parser
        ("pandas", []),
        ("scipy", []),
    ],
)
def test_an_interrupt_while_libraries_load(tmp_path, module, options):
    path = tmp_path / "data.csv"
    path.write_text(WIDE)
    code = f"""
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["betterthan", "compare", {str(path)!r}, *{options!r}]
runpy.run_module("betterthan", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == "interrupted"
    assert "Traceback" not in done.stderr


def test_the_home_folder_is_written_to_and_read_from(data, capsys, monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))  # of Windows
    monkeypatch.chdir(tmp_path)
    comparison = bt.compare(data)
    comparison.report(path="~/report.html")
    comparison.save("~/c.nc")
    assert sorted(path.name for path in home.iterdir()) == ["c.nc", "report.html"]
    assert not (tmp_path / "~").exists()
    assert str(bt.load("~/c.nc")) == str(comparison)
    (home / "s.json").write_text(data.read_text())
    assert bt.read("~/s.json").sizes == bt.read(data).sizes
    refused(
        capsys, monkeypatch, home / "s.json", "compare", home / "s.json", "--output", "~/s.json"
    )


def test_a_dash_is_no_folder(data, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, err = run(capsys, monkeypatch, "compare", data, "-f", "markdown", "-o", "-")
    assert (code, "output is '-'; leave it out to print the answer" in err) == (2, True)
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("target", ["report.html", "report", "report.json", "report.md"])
def test_an_answer_in_the_folder_that_is_read_is_written_again(
    target, capsys, monkeypatch, tmp_path
):
    """And is no data of the next command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    for name, step in (("old", 2), ("new", 3)):
        rows = "".join(f"q{k},{int(k % step > 0)}\n" for k in range(40))
        (tmp_path / "results" / f"{name}.csv").write_text(f"item,score\n{rows}")
    for output in (["-o", f"results/{target}"], ["-o", f"results/{target}"], []):
        code, err = run(capsys, monkeypatch, "compare", "results", *output)
        assert (code, "40 items x 2 systems" in err) == (0, True)
