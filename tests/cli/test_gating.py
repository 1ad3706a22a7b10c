"""The command `gate`: exit codes, the last line, and what builds read."""

import html
import importlib.resources
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
from gating.made import answers, first, log, table

import betterthan as bt
from betterthan.cli import commands
from betterthan.gating.answer import facts

OLD = first(300)
SIDES = {
    "pass": answers(OLD, 0.1, 0.02),
    "worse": answers(OLD, 0.0, 0.3),
    "inconclusive": answers(OLD, 0.2, 0.11),
}
ANSI = re.compile(r"\x1b\[[\d;]*m")
CODES = {"pass": 0, "worse": 1, "inconclusive": 3, "not comparable": 4}


@pytest.fixture
def files(tmp_path):
    found = {name: table(tmp_path / f"{name}.csv", scores) for name, scores in SIDES.items()}
    found["not comparable"] = table(tmp_path / "other.csv", OLD, range(300))
    return found | {"old": table(tmp_path / "old.csv", OLD)}


@pytest.fixture(autouse=True)
def no_actions(monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def run(capsys, monkeypatch, *args):
    """Exit code, stdout and stderr of one command, in this process."""
    monkeypatch.setattr(sys, "argv", ["betterthan", "gate", *map(str, args)])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    out = capsys.readouterr()
    return stop.value.code or 0, out.out, out.err


@pytest.mark.parametrize("verdict", CODES)
def test_the_code_and_the_first_and_last_line_say_the_verdict(files, capsys, monkeypatch, verdict):
    code, out, _ = run(capsys, monkeypatch, files["old"], files[verdict], "--margin", 0.05)
    lines = out.splitlines()
    assert code == CODES[verdict]
    assert lines[0].startswith(f"{verdict}: ")
    assert lines[-1] == f"gate: {verdict}"
    assert "::" not in out


@pytest.mark.parametrize("verdict", CODES)
@pytest.mark.parametrize("choice", ["pass", "fail"])
def test_inconclusive_can_be_made_a_pass_or_fail(files, capsys, monkeypatch, verdict, choice):
    written = files["old"].parent / "gate.json"
    args = files["old"], files[verdict], "--margin", 0.05, "--inconclusive", choice
    code, out, _ = run(capsys, monkeypatch, *args, "--json", written)
    expected = {"pass": 0, "fail": 1}[choice] if verdict == "inconclusive" else CODES[verdict]
    assert code == expected == json.loads(written.read_text())["exit_code"]
    assert out.splitlines()[-1] == f"gate: {verdict}"


def test_on_a_terminal_it_is_coloured_and_wrapped(files, capsys, monkeypatch):
    args = files["old"], files["inconclusive"], "--margin", 0.05
    _, bare, _ = run(capsys, monkeypatch, *args)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for module in ("betterthan.results.text", "betterthan.progress"):
        monkeypatch.setattr(f"{module}.on_terminal", lambda _: True)
    _, shown, _ = run(capsys, monkeypatch, *args)
    told = ANSI.sub("", shown)
    assert max(map(len, bare.splitlines())) > 110
    assert all(len(line) <= 60 for line in told.splitlines())
    assert told.split() == bare.split()
    assert shown.splitlines()[-1] == "\x1b[1;33mgate: inconclusive\x1b[0m"


def test_a_gate_shows_itself_as_it_is_printed(files, capsys, monkeypatch):
    _, printed, _ = run(capsys, monkeypatch, files["old"], files["worse"], "--margin", 0.05)
    found = bt.gate(files["old"], files["worse"], margin=0.05)
    assert str(found).split() == printed.split()
    assert str(found).splitlines()[-1] == "gate: worse"
    assert max(map(len, str(found).splitlines())) <= 110
    notebook, told = found._repr_html_(), html.unescape(found._repr_html_())
    for name, said in facts(found):
        assert f"<dt>{html.escape(name)}</dt>" in notebook
        assert said in told


def test_what_would_help_and_what_was_lost_is_told(files, capsys, monkeypatch):
    args = files["old"], files["inconclusive"], "--margin", 0.05
    _, out, _ = run(capsys, monkeypatch, *args)
    assert "more items would lead to a pass with probability 0.8" in out
    lost = [f"q{k + 1}" for k in range(300) if SIDES["inconclusive"][k] < OLD[k]]
    assert f"{', '.join(lost[:10])} and {len(lost) - 10} more" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("{old}", "{pass}"), "--margin is missing"),
        (("{old}", "{pass}", "--margin", "0"), "margin is 0"),
        (("{old}", "{pass}", "--margin", "1.5"), "margin is 1.5"),
        (("{old}", "{pass}", "--margin", "abc"), "--margin"),
        (
            ("{old}", "{pass}", "--margin", ".05", "--looks", "4"),
            "--looks and --of belong together",
        ),
        (("{old}", "{pass}", "--margin", ".05", "--looks", "9", "--of", "4"), "9 looks are more"),
        (("{old}", "{pass}", "--margin", ".05", "--looks", "2", "--of", "9"), "beyond the 9"),
        (
            ("{old}", "{pass}", "--margin", ".05", "--inconclusive", "maybe"),
            "inconclusive is 'maybe'",
        ),
        (("{old}", "nothing.csv", "--margin", ".05"), "no such file: nothing.csv"),
        (("nothing.csv", "{old}", "--margin", ".05"), "--accept writes one"),
        (("{old}", "{pass}", "--margin", ".05", "--junit", "{old}"), "is a file that is read"),
        (("{old}", "{pass}", "--margin", ".05", "--json", "{pass}"), "is a file that is read"),
        (("{old}", "{old}", "--accept"), "is a file that is read"),
        (("{pass}", "{old}", "--accept"), "is no baseline that --accept wrote"),
        (("b", "{old}", "--accept", "--json", "j"), "--accept compares nothing; leave out --json"),
        (("b", "{old}", "--accept", "--margin", ".1"), "compares nothing; leave out --margin"),
        (("b", "{old}", "--accept", "--quantity", "pass^2"), "nothing; leave out --quantity"),
        (("b", "{old}", "--accept", "--threshold", ".9"), "nothing; leave out --threshold"),
        (("b", "{old}", "--accept", "--max-missing", "1"), "nothing; leave out --max-missing"),
        (
            ("{old}", "{pass}", "--margin", ".05", "--json", "j", "--junit", "j"),
            "--junit and --json need a file each",
        ),
        (("{old}",), "CANDIDATE"),
    ],
)
def test_a_wrong_use_is_one_line_and_code_2(files, capsys, monkeypatch, tmp_path, args, said):
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    given = [str(arg).format_map({k: str(v) for k, v in files.items()}) for arg in args]
    code, out, err = run(capsys, monkeypatch, *given)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_failure_of_ours_is_no_worse_candidate(files, capsys, monkeypatch):
    def broken(*_, **__):
        raise KeyError("never")

    monkeypatch.setattr("betterthan.gating.deciding.gate", broken)
    code, _, err = run(capsys, monkeypatch, files["old"], files["pass"], "--margin", 0.05)
    assert code == 2
    assert "KeyError" in err


@pytest.mark.parametrize("verdict", CODES)
def test_github_gets_annotations_and_a_summary(files, capsys, monkeypatch, tmp_path, verdict):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    _, out, _ = run(capsys, monkeypatch, files["old"], files[verdict], "--margin", 0.05)
    lines = [line for line in out.splitlines() if line.startswith("::")]
    level = {"pass": None, "inconclusive": "warning"}.get(verdict, "error")
    assert len(lines) == (level is not None)
    if level:
        assert lines[0].startswith(f"::{level} title=betterthan gate::{verdict}: ")
    assert out.splitlines()[-1] == f"gate: {verdict}"
    text = summary.read_text()
    assert text.startswith(f"before\n### gate: {verdict}\n")
    if verdict == "worse":
        assert "<summary>Losses of the candidate: " in text


def test_an_inconclusive_gate_that_fails_is_an_error_and_a_failure(
    files, capsys, monkeypatch, tmp_path
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    target = tmp_path / "gate.xml"
    args = files["old"], files["inconclusive"], "--margin", 0.05, "--inconclusive", "fail"
    _, out, _ = run(capsys, monkeypatch, *args, "--junit", target)
    assert "::error title=betterthan gate::inconclusive" in out
    assert Xml.parse(target).getroot().get("failures") == "1"


STATES = {"pass": "system-out", "worse": "failure", "inconclusive": "skipped"}


@pytest.mark.parametrize("verdict", CODES)
def test_junit_is_one_case_for_the_pair(files, capsys, monkeypatch, tmp_path, verdict):
    target = tmp_path / "gate.xml"
    args = files["old"], files[verdict], "--margin", 0.05, "--junit", target
    run(capsys, monkeypatch, *args)
    suite = Xml.parse(target).getroot()
    assert suite.tag == "testsuite"
    assert (suite.get("name"), suite.get("tests")) == ("gate", "1")
    (case,) = suite.findall("testcase")
    (state,) = case
    assert state.tag == STATES.get(verdict, "failure")
    assert suite.get("failures") == str(int(state.tag == "failure"))
    assert suite.get("skipped") == str(int(state.tag == "skipped"))
    assert (state.text or state.get("message")).startswith(f"{verdict}: ")


def schema():
    held = importlib.resources.files("betterthan.gating").joinpath("gate.schema.json")
    return json.loads(held.read_text("utf-8"))


@pytest.mark.parametrize("more", [(), ("--looks", "4", "--of", "100")])
@pytest.mark.parametrize("verdict", CODES)
def test_json_is_as_its_schema_says(files, capsys, monkeypatch, tmp_path, verdict, more):
    target = tmp_path / "gate.json"
    args = files["old"], files[verdict], "--margin", 0.05, "--json", target, *more
    code, _, _ = run(capsys, monkeypatch, *args)
    found = json.loads(target.read_text())
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(found, schema())
    assert (found["schema"], found["exit_code"]) == ("betterthan.gate/1", code)
    if verdict == "worse":
        assert found["evidence"]["lost"] == [
            f"q{k + 1}" for k in range(300) if SIDES["worse"][k] < OLD[k]
        ]
        assert found["evidence"]["counts"]["observed"]["loss"] == len(found["evidence"]["lost"])


def test_looks_tell_the_boundary_the_e_value_and_how_often_each_verdict_comes(
    files, capsys, monkeypatch
):
    args = files["old"], files["inconclusive"], "--margin", 0.05, "--looks", 4, "--of", 100
    _, out, _ = run(capsys, monkeypatch, *args)
    assert "4 planned, at 25, 50, 75, 100 non-tied items; now " in out
    assert "e-value" in out
    assert "if the difference is 0 " in out
    assert "if the difference is −0.05 " in out


def test_accepting_and_gating_against_what_was_accepted(files, capsys, monkeypatch, tmp_path):
    kept = tmp_path / "baseline.csv"
    monkeypatch.setattr(
        sys, "argv", ["betterthan", "gate", str(kept), str(files["old"]), "--accept"]
    )
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert (stop.value.code or 0) == 0
    assert capsys.readouterr().out == f"accepted: {kept} holds 300 scores of old.csv; commit it\n"
    code, out, _ = run(capsys, monkeypatch, kept, files["worse"], "--margin", 0.05)
    assert (code, out.splitlines()[-1]) == (1, "gate: worse")
    assert run(capsys, monkeypatch, kept, files["old"], "--margin", 0.05)[0] == 4


WORKFLOW = """
set -u
: > codes
gate() {
  name=$1; shift
  python -m betterthan gate "$@" > "$name.txt" 2> "$name.err"
  echo "$name $?" >> codes
}
gate accept evals/baseline.csv runs/old.json --metric match --accept
git add evals && git -c user.name=a -c user.email=a@b commit -q -m "Accept a baseline"
for name in pass worse inconclusive other; do
  gate "$name" evals/baseline.csv "runs/$name.json" --margin 0.05 \\
    --junit "$name.xml" --json "$name.json"
done
gate usage evals/baseline.csv runs/pass.json
git diff --exit-code --quiet; echo "clean $?" >> codes
"""


def test_in_the_workflow_of_a_repository(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "runs").mkdir()
    (tmp_path / "evals").mkdir()
    log(tmp_path / "runs" / "old.json", OLD)
    for name, scores in SIDES.items():
        log(tmp_path / "runs" / f"{name}.json", scores, prompt="Think.")
    log(tmp_path / "runs" / "other.json", OLD, shift=1)
    summary = tmp_path / "summary.md"
    actions = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = os.environ | actions | {"PATH": path}
    subprocess.run(["sh", "-c", WORKFLOW], cwd=tmp_path, env=environment, check=True)
    codes = dict(line.split() for line in (tmp_path / "codes").read_text().splitlines())
    expected = {"accept": 0, "pass": 0, "worse": 1, "inconclusive": 3, "other": 4, "usage": 2}
    assert codes == {k: str(v) for k, v in (expected | {"clean": 0}).items()}
    headings = [line for line in summary.read_text().splitlines() if line.startswith("###")]
    assert headings == [f"### gate: {verdict}" for verdict in CODES]
    for name, verdict in zip(("pass", "worse", "inconclusive", "other"), CODES, strict=True):
        assert (tmp_path / f"{name}.txt").read_text().splitlines()[-1] == f"gate: {verdict}"
        assert Xml.parse(tmp_path / f"{name}.xml").getroot().get("tests") == "1"
        jsonschema.validate(json.loads((tmp_path / f"{name}.json").read_text()), schema())


CHECKOUT = Path(__file__).parents[2]
ACTION = CHECKOUT / ".github" / "actions" / "gate" / "action.yml"


def test_the_action_installs_its_own_version():
    """The repository is checked out with the action: no other release is needed."""
    (folders,) = re.findall(
        r"format\('\{0\}/(.*)', github.action_path\)", ACTION.read_text("utf-8")
    )
    assert (ACTION.parent / folders / "pyproject.toml").resolve() == CHECKOUT / "pyproject.toml"


@pytest.mark.parametrize("verdict", ["pass", "worse"])
def test_the_script_of_the_action(files, tmp_path, verdict):
    script = textwrap.dedent(ACTION.read_text("utf-8").rpartition("run: |\n")[2])
    inputs = {"BASELINE": files["old"], "CANDIDATE": files[verdict], "MARGIN": "0.05"}
    inputs |= {"INCONCLUSIVE": "fail", "ARGUMENTS": "--max-missing 0.2", "JUNIT": "g.xml"}
    told = tmp_path / "output"
    runner = {"JSON": "", "RUNNER_TEMP": tmp_path, "GITHUB_OUTPUT": told}
    (tmp_path / "betterthan").write_text(f'#!/bin/sh\nexec {sys.executable} -m betterthan "$@"\n')
    (tmp_path / "betterthan").chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    environment = os.environ | {k: str(v) for k, v in (inputs | runner).items()} | {"PATH": path}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == CODES[verdict]
    assert told.read_text() == f"verdict={verdict}\ncode={CODES[verdict]}\n"
    assert (tmp_path / "g.xml").exists()


def test_a_gate_loads_nothing_that_samples_or_draws(files):
    code = (
        "import sys\nfrom betterthan.cli import start\n"
        f"sys.argv = ['betterthan', 'gate', {str(files['old'])!r}, {str(files['worse'])!r}, "
        "'--margin', '0.05']\ntry:\n    start.run()\nexcept SystemExit:\n    pass\n"
        "print(*(name for name in sys.modules if sys.modules[name]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "betterthan.gating.deciding" in loaded
    assert not loaded & {"pymc", "arviz", "matplotlib", "pytensor", "jinja2", "rich", "yaml"}
    assert not loaded & {"xarray.core", "pandas.core"}
    assert not loaded & {"typer", "pydantic", "dask", "pyarrow", "numpy.f2py"}
    assert not loaded & {f"betterthan.{name}" for name in ("results.reports", "gating.sequential")}


@pytest.mark.parametrize("verdict", CODES)
def test_it_is_also_a_page(capsys, monkeypatch, files, tmp_path, verdict):
    page = tmp_path / "gate.html"
    args = [str(files["old"]), str(files[verdict]), "--margin", "0.05", "-o", str(page)]
    monkeypatch.setattr(sys, "argv", ["betterthan", "gate", *args])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert (stop.value.code or 0) == CODES[verdict]
    out = capsys.readouterr().out
    assert out.splitlines()[0] in html.unescape(page.read_text("utf-8"))


@pytest.mark.parametrize("name", ["gate.pdf", "gate.json", "folder"])
def test_a_page_that_cannot_be_written_is_refused(capsys, monkeypatch, files, tmp_path, name):
    args = [str(files["old"]), str(files["pass"]), "--margin", "0.05", "-o", str(tmp_path / name)]
    monkeypatch.setattr(sys, "argv", ["betterthan", "gate", *args])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / name).exists()


SHIFTS = {"old": 0, "new": 1}


def test_a_percentage_is_of_scores_within_0_and_1(capsys, monkeypatch, files, tmp_path):
    old = table(tmp_path / "rated.csv", [1 + k % 5 for k in range(60)])
    new = table(tmp_path / "rated_new.csv", [1 + k % 4 for k in range(60)])
    code, _, err = run(capsys, monkeypatch, old, new, "--margin", "5%")
    assert (code, "margin 5% is for scores within 0 and 1; these go from 1 to 5" in err) == (
        2,
        True,
    )
    assert run(capsys, monkeypatch, old, new, "--margin", "0.05")[0] in (1, 3)
    assert run(capsys, monkeypatch, files["old"], files["pass"], "--margin", "5%")[0] == 0


def test_clusters_and_runs_from_columns_of_any_name(capsys, monkeypatch, tmp_path):
    """As if the columns had the usual names, also where the baseline was accepted."""
    scores = {
        name: [int((k * k + shift) % 3 > 0) for k in range(80)] for name, shift in SHIFTS.items()
    }
    for name, own in scores.items():
        groups = {"cluster": [k // 8 for k in range(80)]}
        table(tmp_path / f"{name}.csv", own, **groups)
        table(tmp_path / f"{name}_doc.csv", own, paper=groups["cluster"])
        lines = [f"q{k // 2},{k % 2},{right}" for k, right in enumerate(own)]
        for column in ("epoch", "seed"):
            text = "\n".join([f"item,{column},score", *lines])
            (tmp_path / f"{name}_{column}.csv").write_text(text)

    def printed(kind, *options):
        old, new = tmp_path / f"old{kind}.csv", tmp_path / f"new{kind}.csv"
        kept = tmp_path / f"baseline{kind}{len(options)}.csv"
        _, direct, _ = run(capsys, monkeypatch, old, new, "--margin", 0.05, *options)
        assert run(capsys, monkeypatch, kept, old, "--accept", *options)[0] == 0
        _, accepted, _ = run(capsys, monkeypatch, kept, new, "--margin", 0.05, *options)
        assert accepted == direct
        return direct

    by_cluster = printed("_doc", "--cluster", "paper")
    assert "in 10 clusters" in by_cluster
    assert by_cluster == printed("")
    by_run = printed("_seed", "--run", "seed")
    assert "40 items" in by_run
    assert by_run == printed("_epoch")
