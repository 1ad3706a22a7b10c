import inspect
import json
import subprocess
import sys

import pytest
import xarray as xr

import betterthan as bt
from betterthan import __version__
from betterthan.cli import commands, comparing
from betterthan.cli.options import OPTIONS
from betterthan.results import reports


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.csv"
    rows = ["item,A,B,C", *(f"q{k},1,{k % 3 > 0:d},{k % 2}" for k in range(40)), "q40,1,,0"]
    path.write_text("\n".join(rows) + "\n")
    return path


def run(capsys, monkeypatch, *args):
    """Exit code, stdout and stderr of one command, in this process."""
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, args)])
    try:
        commands.main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    out = capsys.readouterr()
    return code, out.out, out.err


def test_prints_the_report_and_says_what_it_read(results, capsys, monkeypatch):
    code, out, err = run(capsys, monkeypatch, "compare", results, "--rope", "0.02", "--full")
    assert code == 0
    assert "Pair by pair, A is better than each of the other 2 systems." in out
    assert "41 items x 3 systems" in err
    assert "left out: 0 to 1, depending on the pair, of 41 items" in " ".join(out.split())


def test_the_command_line_decides_as_python_does(capsys, monkeypatch, tmp_path):
    path = tmp_path / "graded.csv"
    rows = [f"q{k},{k % 7 / 7:.3f},{k % 5 / 6:.3f},{k % 11 / 9:.3f}" for k in range(60)]
    path.write_text("\n".join(["item,A,B,C", *rows]) + "\n")
    code, out, _ = run(capsys, monkeypatch, "compare", path)
    compared = bt.compare(path)
    assert compared.data.attrs["quantity"] == "mean"
    assert (code, out.splitlines()[0]) == (0, str(compared).splitlines()[0])
    assert out.split()[-1] == str(compared).split()[-1]  # of the signature


def test_options_have_the_defaults_of_compare():
    python = inspect.signature(bt.compare).parameters
    options = inspect.signature(comparing.compare).parameters
    shared = python.keys() & options.keys() - {"systems"}
    assert {"prior", "ties", "method", "missing"} <= shared
    assert {k: options[k].default for k in shared} == {k: python[k].default for k in shared}


def test_json_to_stdout_is_json_alone(results, capsys, monkeypatch):
    code, out, _ = run(capsys, monkeypatch, "compare", results, "--format", "json")
    assert code == 0
    assert [row["n"] for row in json.loads(out)["pairs"]] == [40, 41, 40]


def test_fills_a_folder(results, capsys, monkeypatch, tmp_path):
    code, out, _ = run(
        capsys, monkeypatch, "compare", results, "-o", tmp_path / "out", "--format", "markdown"
    )
    assert (code, out) == (0, "")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "comparison.nc",
        "pairs.csv",
        "report.md",
    ]
    with xr.open_dataset(tmp_path / "out" / "comparison.nc") as comparison:
        assert comparison["verdict"].sel(system_a="A", system_b="C").item() == "a_better"


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("html", "<!DOCTYPE html>"), ("tex", "\\documentclass"), ("md", "# 3 sys")],
)
def test_one_file_by_its_suffix(results, capsys, monkeypatch, tmp_path, suffix, start):
    target = tmp_path / f"r.{suffix}"
    assert run(capsys, monkeypatch, "compare", results, "-o", target)[0] == 0
    assert target.read_text(encoding="utf-8").startswith(start)


def test_choices_reach_the_signature(results, capsys, monkeypatch):
    choices = (
        "--prior",
        "0.5,0.5,0.5",
        "--ties",
        "half",
        "--missing",
        "complete",
        "--tie-margin",
        "0.1",
        "--interval",
        "eti",
    )
    code, out, _ = run(capsys, monkeypatch, "compare", results, *choices)
    assert code == 0
    for part in ("Beta(0.5, 0.5)", "ties=half", "missing=complete", "margin=0.1", "95% ETI"):
        assert part in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nothing.csv",), "no such file"),
        (("{file}", "--rope", "-0.1"), "rope is -0.1"),
        (("{file}", "--rope", "1"), "rope is 1"),
        (("{file}", "--prior", "0,1,1"), "prior for win is 0.0"),
        (("{file}", "--prior", "flat"), "prior is 'flat'"),
        (("{file}", "--ties", "ignore"), "ties is 'ignore'; choose one of third, drop"),
        (("{file}", "--missing", "tie"), "missing is 'tie'"),
        (("{file}", "--missing", "error"), "item 'q40' has no score for 'B'"),
        (("{file}", "--tie-margin", "-1"), "margin is -1"),
        (("{file}", "--method", "magic"), "method is 'magic'"),
        (("{file}", "--format", "pdf"), "format is 'pdf'"),
        (("{file}", "--layout", "square"), "layout"),
        (("{file}", "-o", "r.pdf"), "unknown suffix '.pdf'"),
        (("{file}", "-o", ""), "output is empty"),
        (("{file}", "--rope", "abc"), "--rope"),
        (("{file}", "--no-such-option"), "such option"),
        ((), "FILE"),
        (("{file}", "-o", "r.html", "--format", "latex"), "its suffix says html"),
    ],
)
def test_bad_input_is_one_line_and_code_2_and_nothing_is_written(
    results, capsys, monkeypatch, tmp_path, args, message
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = run(
        capsys, monkeypatch, "compare", *(str(results) if a == "{file}" else a for a in args)
    )
    assert (code, out) == (2, "")
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert message in errors[0]
    assert "Traceback" not in err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("form", "name", "begins"),
    [
        ("latex-table", "r.tex", "% needs"),
        ("latex-macros", "r.tex", "% betterthan"),
        ("sentence", "r.txt", "On "),
        ("pull-request", "r.md", "### "),
        ("latex-macros", "folder/", "% betterthan"),
    ],
)
def test_formats_for_a_paper_are_written_by_their_suffix(
    results, capsys, monkeypatch, tmp_path, form, name, begins
):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, monkeypatch, "compare", str(results), "--format", form, "-o", name)
    assert code == 0, err
    written = "folder/report.tex" if name.endswith("/") else name
    assert (tmp_path / written).read_text("utf-8").startswith(begins)


def test_version_and_lazy_imports_from_a_shell(results):
    shown = subprocess.run(
        [sys.executable, "-m", "betterthan", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == ["betterthan", __version__]
    code = (
        "import sys; sys.argv = ['betterthan', 'compare', sys.argv[1]]; from "
        "betterthan.cli.commands import main; main();"
        "print(sorted({'pymc', 'arviz', 'matplotlib', 'scipy.stats', 'pytensor', 'nutpie'} & "
        "set(sys.modules)))"
    )
    # typer ends with SystemExit, so the last line is printed on the way out
    code = code.replace("main();print", "\ntry:\n  main()\nexcept SystemExit: pass\nprint")
    done = subprocess.run(
        [sys.executable, "-c", code, str(results)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_is_not_installed_is_named_in_one_line(results, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymc", None)
    code, out, err = run(capsys, monkeypatch, "compare", results, "--method", "mcmc")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("error: this needs pymc, which is not installed; ")


TALLIES = """system,doc,tp,fp,fn
A,d1,9,0,0
B,d1,2,5,7
C,d1,8,1,1
A,d2,7,1,0
B,d2,1,4,6
C,d2,7,0,0
"""


@pytest.fixture
def tallies(tmp_path):
    rows = [row.replace(",d", f",{k}d") for k in range(6) for row in TALLIES.splitlines()[1:]]
    path = tmp_path / "tallies.csv"
    path.write_text("\n".join([TALLIES.splitlines()[0], *rows]) + "\n")
    return path


def test_groups_of_tallies(tallies, capsys, monkeypatch):
    code, out, err = run(capsys, monkeypatch, "groups", tallies, "--statistic", "f1")
    assert code == 0
    assert "12 items x 3 systems" in err
    marks = out.partition("Above the diagonal")[0]
    lines = {
        line.split()[0]: line.split()
        for line in marks.splitlines()
        if line.startswith((" A ", " B ", " C "))
    }
    assert lines["A"][-1] == lines["C"][-1] == "a"
    assert lines["B"][-1] == "b"


def test_groups_by_the_critical_difference(tallies, results, capsys, monkeypatch):
    options = ("--correction", "tukey", "--cutoff", "0.05", "--seed", "1")
    code, out, _ = run(capsys, monkeypatch, "groups", tallies, *options)
    assert code == 0
    assert "Critical difference: 0." in out
    code, _, err = run(
        capsys, monkeypatch, "groups", results, "--test", "sign", "--correction", "tukey"
    )
    assert code == 2
    assert "--correction tukey permutes responses; use --test randomization" in err


def test_groups_by_sampling_and_by_the_sign_test(tallies, results, capsys, monkeypatch, tmp_path):
    code, out, _ = run(
        capsys, monkeypatch, "groups", tallies, "--permutations", "monte_carlo", "--seed", "1"
    )
    assert code == 0
    assert "with a confidence of at least 0.99" in " ".join(out.split())
    target = tmp_path / "groups.html"
    code, out, err = run(
        capsys,
        monkeypatch,
        "groups",
        results,
        "--test",
        "sign",
        "--correction",
        "holm",
        "-o",
        target,
    )
    assert (code, out) == (0, "")
    assert "wrote" in err
    assert "Holm-adjusted p" in target.read_text()


def test_compare_with_tests(results, tallies, capsys, monkeypatch):
    options = ["--full", "--tests", "sign,mid_p", "--alpha", "0.1", "--correction", "bh"]
    code, out, _ = run(capsys, monkeypatch, "compare", results, *options)
    assert code == 0
    assert (
        "two-sided, at 0.1: sign test (ties dropped); mid-p sign test (ties dropped)"
        in " ".join(out.split())
    )
    assert "BH mid-p" in out
    code, out, _ = run(capsys, monkeypatch, "compare", tallies, "--full")
    assert code == 0
    assert "randomization of f1 (exact, lattice)" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "wilcoxon"], "test is 'wilcoxon'; choose one of randomization, sign"),
        (["--statistic", "f9"], "statistic is 'f9'"),
        (["--cutoff", "2"], "cutoff is 2.0"),
        (["-o", "folder"], "folder: give one file, such as folder.html"),
        (["--unit", "page"], "unit is 'page'; give one of item"),
        (["-f", "json"], "format is 'json'; choose one of text"),
    ],
)
def test_bad_choices_of_groups(tallies, capsys, monkeypatch, options, message):
    code, out, err = run(capsys, monkeypatch, "groups", tallies, *options)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]


@pytest.mark.sampled
def test_advised_model_for_votes(tmp_path, capsys, monkeypatch):
    path = tmp_path / "votes.csv"
    pairs = [("A", "B", "left")] * 9 + [("B", "C", "left")] * 8 + [("A", "C", "left")] * 9
    pairs += [("A", "B", "right")] * 3 + [("C", "B", "left")] * 3 + [("A", "C", "tie")] * 4
    path.write_text("left,right,winner\n" + "".join(",".join(row) + "\n" for row in pairs))
    code, out, _ = run(
        capsys,
        monkeypatch,
        "compare",
        path,
        "--method",
        "advised",
        "--seed",
        "1",
        "--format",
        "json",
    )
    assert code == 0
    found = json.loads(out)
    assert [row["engine"] for row in found["pairs"]][:3] == ["davidson"] * 3
    best = {row["system"]: row["prob_best"] for row in found["systems"]}
    assert best["A"] > best["B"] > best["C"]
    # votes say who was shown first; that it matters is for who asks
    assert "method=advised (davidson)" in found["signature"]
    code, _, err = run(
        capsys, monkeypatch, "compare", path, "--method", "advised", "--ties", "half"
    )
    assert code == 2
    assert "--method advised keeps ties" in err


def test_judges_of_votes(tmp_path, capsys, monkeypatch, tallies):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner,who\nA,B,left,x\nA,B,tie,y\nB,A,left,x\n")
    code, _, err = run(capsys, monkeypatch, "compare", path, "--judge", "who")
    assert code == 0
    assert "read as judgments: 3 judgments on 2 systems" in err
    assert "ignored" not in err.splitlines()[-1]
    code, _, err = run(capsys, monkeypatch, "compare", path, "--judge", "jury")
    assert code == 2
    assert "no column 'jury' for the judge" in err
    code, _, err = run(capsys, monkeypatch, "compare", tallies, "--judge", "who")
    assert (code, err.splitlines()[-1]) == (
        2,
        "error: --judge who is for votes, in one file of one data set; or, with --human COLUMN, "
        "for outcomes that a judge gave",
    )


def test_the_average_over_data_sets(tmp_path, capsys, monkeypatch):
    path = tmp_path / "suite.csv"
    rows = [f"{k},{'ab'[k % 2]},{k % 3 % 2},{k % 5 % 2}" for k in range(60)]
    path.write_text("\n".join(["item,dataset,new,old", *rows]), encoding="utf-8")
    code, out, _ = run(capsys, monkeypatch, "compare", str(path), "--over", "dataset")
    assert code == 0
    assert "The answer is the average over 2 data sets, each counted once." in out
    weights = "--over", "dataset", "--weights"
    _, out, _ = run(capsys, monkeypatch, "compare", str(path), *weights, "size")
    assert "weighed by their number of items" in out
    _, out, _ = run(capsys, monkeypatch, "compare", str(path), *weights, "a=3,b=1")
    assert "with the weights a 0.75, b 0.25" in out
    code, _, error = run(capsys, monkeypatch, "compare", str(path), *weights, "a")
    assert code == 2
    assert "--weights holds 'a'; give size, or NAME=WEIGHT" in error
    code, _, error = run(capsys, monkeypatch, "compare", str(path), *weights, "a=3,b=1,a=5")
    assert (code, "--weights has 'a' twice; give size, or" in error) == (2, True)
    _, out, _ = run(capsys, monkeypatch, "compare", str(path), *weights, "a=1.5e308,b=1.5e308")
    assert "with the weights a 0.5, b 0.5" in out
    _, out, _ = run(capsys, monkeypatch, "compare", str(path), "--over", "dataset", "-f", "json")
    data = json.loads(out)
    assert "over" in json.dumps(data)


def test_demo_compares_published_tables_and_llms(capsys, monkeypatch, tmp_path):
    target = tmp_path / "report.html"
    code, out, err = run(capsys, monkeypatch, "demo", "--method", "exact", "-o", target)
    assert code == 0
    titles = ["Case (a)", "Case (b)", "Eight intent detection systems", "Five LLMs"]
    assert [out.index(title) for title in titles] == sorted(out.index(title) for title in titles)
    assert "llama-7b is better than each of the other 4 systems" in out
    assert "Human labels (the majority of three people): 999 of 999" in out
    assert "wrote" in err
    assert target.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_help_names_the_formats_that_a_report_has():
    formats = OPTIONS["format"][-1].partition(". ")[0]
    assert formats.replace(" or ", ", ").split(", ") == [form.name for form in reports.FORMATS]
