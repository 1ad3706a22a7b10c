"""No name of a system is a command of GitHub Actions or a formula, and no summary destroys data."""

import csv
import io
import re
import sys
from contextlib import suppress

import pandas as pd
import pytest
from gating.made import answers, first, table

import betterthan as bt
from betterthan.cli import commands, console
from betterthan.gating import baseline_files
from betterthan.gating.baseline_files import Baseline

NAMES = ["::error::pwned", "##[add-mask]x", "\u3000::stop-commands::x"]
COMMAND = re.compile(r"^\s*::|##\[", re.M)
FORMULA = re.compile(r"[=+\-@\t\r]")


def run(capsys, monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, args)])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    out = capsys.readouterr()
    return stop.value.code or 0, out.out, out.err


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "r.csv"
    frame = pd.DataFrame({name: [1, 1, k % 2] * 9 for k, name in enumerate(NAMES)})
    frame.to_csv(path, index_label="item")
    return path


@pytest.fixture
def printed(monkeypatch):
    """What a function prints to both standard streams, as a command has them."""

    def call(function):
        held = []
        with monkeypatch.context() as patch:
            for name, kind in (("stdout", console._Output), ("stderr", console._Errors)):
                stream = kind(io.BytesIO(), encoding="utf-8", errors="replace")
                patch.setattr(sys, name, stream)
                held.append(stream)
            with suppress(SystemExit):
                function()
            for stream in held:
                stream.flush()
        return [stream.buffer.getvalue().decode() for stream in held]

    return call


@pytest.mark.parametrize(
    "command",
    [
        ["compare"],
        ["compare", "--full"],
        ["compare", "-f", "markdown"],
        ["compare", "-f", "latex"],
        ["compare", "-f", "latex-table"],
        ["compare", "-f", "sentence"],
        ["compare", "--systems", "::error::no, ::error::such"],
        ["audit"],
        ["groups"],
    ],
    ids=" ".join,
)
def test_github_finds_no_command(printed, path, monkeypatch, command):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr(sys, "argv", ["betterthan", command[0], str(path), *command[1:]])
    out, err = printed(commands.main)
    assert [COMMAND.findall(text) for text in (out, err)] == [[], []]
    assert "pwned" in out + err or "such" in err


@pytest.mark.parametrize("actions", ["true", ""])
def test_lines_are_as_they_are_outside_of_github(printed, monkeypatch, actions):
    monkeypatch.setenv("GITHUB_ACTIONS", actions)

    def lines():
        print("a ::b", end=" ")
        print("::c\n", "\t::d", sep="")
        print("::e\r\u2028::f ##[g]h ## [i]")
        print(" ", "::j")

    held = printed(lines)[0]
    lines = "a ::b ::c\n\t::d\n::e\r\u2028::f ##[g]h ## [i]\n  ::j\n"
    if actions:
        lines = "a ::b ::c\n\t\\::d\n\\::e\r\u2028\\::f ##\\[g]h ## [i]\n  \\::j\n"
    assert held == lines


def test_the_annotation_of_a_gate_is_a_command(printed, tmp_path, monkeypatch):
    old = first(60)
    sides = table(tmp_path / "a.csv", old), table(tmp_path / "b.csv", answers(old, 0, 0.6))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr(sys, "argv", ["betterthan", "gate", *map(str, sides), "--margin", "0.05"])
    out, _ = printed(commands.main)
    assert len(re.findall("^::error title=betterthan gate::worse", out, re.M)) == 1


@pytest.mark.parametrize("where", ["input", "folder", "nowhere"])
@pytest.mark.parametrize("command", ["compare", "audit", "gate"])
def test_a_summary_that_is_no_file_of_its_own(capsys, monkeypatch, tmp_path, command, where):
    old = first(60)
    paths = table(tmp_path / "a.csv", old), table(tmp_path / "b.csv", answers(old, 0.1, 0.1))
    place = {"input": paths[0], "folder": tmp_path, "nowhere": tmp_path / "no" / "s.md"}[where]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    before = {path: path.read_bytes() for path in paths}
    args = {"gate": ["--margin", "0.05"]}.get(command, ["--github"])
    written = tmp_path / "out.xml"
    code, out, err = run(capsys, monkeypatch, command, *paths, *args, "--junit", written)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: GITHUB_STEP_SUMMARY is .*; set it to .*\n", err)
    assert {path: path.read_bytes() for path in before} == before
    assert not written.exists()


def formulas(text):
    """Cells of a CSV that a spreadsheet would compute."""
    rows = csv.reader(line for line in io.StringIO(text, newline="") if line[:1] != "#")
    cells = [cell for row in rows for cell in row if FORMULA.match(cell)]
    return [cell for cell in cells if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)]


def test_no_text_is_a_formula_in_pairs(capsys, monkeypatch, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,=1+1,@B\n" + "".join(f"q{k},1,{k % 2}\n" for k in range(40)))
    code, _, _ = run(capsys, monkeypatch, "compare", path, "--tests", "sign", "-o", tmp_path / "o")
    text = (tmp_path / "o" / "pairs.csv").read_text()
    assert code == 0
    assert text.count("'=1+1") > 1
    assert formulas(text) == []


def test_no_text_is_a_formula_in_records_of_logs(tmp_path):
    (tmp_path / "=1+1.txt").write_text("map\t@q1\t1\nmap\t-q2\t0.2\n")
    logs = bt.read_logs(tmp_path)
    text = bt.logs.write(logs, tmp_path / "records.csv").read_text()
    assert text.count("'=1+1") > 1
    assert "'@q1" in text
    assert formulas(text) == []


def test_no_text_is_a_formula_in_a_baseline_that_is_read_again(tmp_path):
    ids = ["=1+1", "-2", "@x", "'quoted", "''=1", "+", "\uff1dA1", "plain"]
    rows = [
        {"dataset": "=d", "item": item, "epoch": "-1", "cluster": "@c", "score": "-1"}
        for item in ids
    ]
    baseline = Baseline("table", rows, {"source": "a", "sources": [], "higher_is_better": True})
    path = tmp_path / "base.csv"
    baseline_files.write(path, baseline)
    assert formulas(path.read_text()) == []
    read = baseline_files.read(path)
    assert (read.baseline.rows, read.refusal) == (rows, "")


def test_files_of_one_folder_have_one_digest_of_the_data(tmp_path):
    comparison = bt.compare(pd.DataFrame({"A": [1] * 40, "B": [0, 1] * 20}))
    digest = comparison.data.attrs["data_hash"]
    for form in ("html", "markdown", "latex", "json", "pull-request", "sentence"):
        folder = tmp_path / form
        console.deliver(comparison, form, folder)
        assert bt.load(folder / "comparison.nc").data.attrs["data_hash"] == digest
        assert pd.read_csv(folder / "pairs.csv")["data_hash"].tolist() == [digest]
        (report,) = folder.glob("report.*")
        assert f"data={digest}" in report.read_text()
