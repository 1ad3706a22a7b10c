"""What a command ends with when it cannot print: never with the code of a verdict."""

import os
import subprocess
import sys
from functools import cache

import pytest
from cli.forked import Server
from gating.made import answers, first, table

from betterthan.results.text import ASCII_SIGNS

OLD = first(300)
PICTURE = set("├┤│┃●○■◆┊")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
ASCII = {
    "LC_ALL=C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "PYTHONIOENCODING=ascii": {"PYTHONIOENCODING": "ascii"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results of two systems with an accent in a name, and sides of a gate."""
    made = tmp_path_factory.mktemp("streams")
    rows = [f"q{k},1,{k % 3 > 0:d}" for k in range(40)]
    (made / "results.csv").write_text("\n".join(["item,Aé,B", *rows, ""]), "utf-8")
    tallies = [f"{name},d{k},9,{k % 3},{k % 4}" for k in range(10) for name in ("Aé", "B")]
    (made / "tallies.csv").write_text("\n".join(["system,doc,tp,fp,fn", *tallies, ""]), "utf-8")
    (made / "orders.csv").write_text(
        "judge,order\né,a > b > c\nf,b > a > c\ng,a > c > b\n", "utf-8"
    )
    outcomes = [f"{k},{k % 5},{k % 7},{k % 5 + k % 2}" for k in range(30)]
    (made / "outcomes.csv").write_text("\n".join(["é,f,words,rating", *outcomes, ""]), "utf-8")
    for name, scores in {
        "old": OLD,
        "pass": answers(OLD, 0.1, 0.02),
        "worse": answers(OLD, 0.0, 0.3),
        "inconclusive": answers(OLD, 0.2, 0.11),
    }.items():
        table(made / f"{name}.csv", scores)
    table(made / "not-comparable.csv", OLD, [f"é{k}" for k in range(300)])
    return made


@pytest.fixture(scope="module")
def forked(folder):
    """Runs commands in forks."""
    server = Server(folder)
    yield server.run
    server.stop()


@pytest.fixture(scope="module")
def printed(forked):
    """What a command prints and ends with where nothing is in its way; each is run once."""
    return cache(forked)


COMMANDS = {
    "gate": "gate old.csv pass.csv --margin 0.05",
    "gate, worse": "gate old.csv worse.csv --margin 0.05",
    "gate --accept": "gate base.csv old.csv --accept",
    "compare": "compare results.csv",
    "compare --rope": "compare results.csv --rope 0.02",
    "compare --format json": "compare results.csv --format json",
    "audit": "audit results.csv",
    "plan": "plan --decisive 0.2 --difference 0.05",
    "groups": "groups tallies.csv --statistic f1",
    "measures": "measures tallies.csv --seed 1",
    "outcome": "outcome outcomes.csv --outcome rating --seed 1",
    "order": "order orders.csv",
    "show, help": "show --help",
    "help": "--help",
    "version": "--version",
}
VERDICTS = {"pass": 0, "worse": 1, "inconclusive": 3, "not-comparable": 4}


def run(folder, command, after="", **environment):
    """Exit code, stdout and stderr of a command in a shell, with what is written after it."""
    kept = {k: os.environ[k] for k in ("PATH", "HOME", "PYTHONPATH") if k in os.environ}
    script = f'"$0" -m betterthan {command} {after}'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable],
        cwd=folder,
        env={**kept, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def unprinted(err):
    """The only line that is an error."""
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
    assert err.endswith(f"{line}\n")
    return line.removeprefix("error: standard output cannot be written to ")


STARTED = ["gate, worse", "compare"]  # in a process of its own, from its start


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_stdout_is_one_line_and_code_2(forked, command):
    code, _, err = forked(COMMANDS[command], out=None)
    assert (code, unprinted(err)) == (2, "(it is closed)")


@pytest.mark.parametrize("command", STARTED)
def test_a_fork_prints_as_a_command_that_starts(folder, printed, command):
    assert run(folder, COMMANDS[command]) == printed(COMMANDS[command])


@pytest.mark.parametrize("after", [">&-", pytest.param("> /dev/full", marks=FULL)])
@pytest.mark.parametrize("command", STARTED)
def test_a_fork_ends_as_a_command_that_starts(folder, forked, command, after):
    out = None if after == ">&-" else "/dev/full"
    assert run(folder, COMMANDS[command], after) == forked(COMMANDS[command], out=out)


@FULL
@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("command", ["gate, worse", "compare", "audit", "help"])
def test_a_full_stdout_is_one_line_and_code_2(forked, command, unbuffered):
    code, _, err = forked(COMMANDS[command], out="/dev/full", unbuffered=unbuffered)
    assert (code, unprinted(err)) == (2, "(No space left on device)")


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("out", [None, pytest.param("/dev/full", marks=FULL)])
def test_a_verdict_that_cannot_be_printed_is_code_2(forked, printed, verdict, out):
    files = f"old.csv {verdict}.csv"
    assert printed(f"gate {files} --margin 0.05")[0] == VERDICTS[verdict]
    assert forked(f"gate {files} --margin 0.05", out=out)[0] == 2


def test_a_pipe_that_nobody_reads_is_no_verdict(folder):
    script = f'exec 3> >(:); sleep 0.5; "$0" -m betterthan {COMMANDS["gate"]} >&3'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, unprinted(done.stderr.decode())) == (2, "(Broken pipe)")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_ascii_stdout_has_replacement_characters(forked, printed, command):
    code, out, _ = printed(COMMANDS[command])
    other, ascii_out, err = forked(COMMANDS[command], encoding="ascii")
    assert other == code
    assert len(ascii_out.splitlines()) == len(out.splitlines())
    for line, written in zip(ascii_out.splitlines(), out.splitlines(), strict=True):
        if not PICTURE & {*written, *line}:  # which has marks of its own
            signs = written.translate(ASCII_SIGNS)
            assert line == signs.encode("ascii", "replace").decode()
    assert ascii_out
    assert ("lacks; set PYTHONUTF8=1" in err) == (ascii_out.count("?") > out.count("?"))


@pytest.mark.parametrize("setting", ASCII)
def test_an_encoding_of_the_environment_is_that_of_a_fork(folder, forked, setting):
    """The errors of Python's own file names have no part in it."""
    started = run(folder, COMMANDS["compare"], **{"PYTHONUTF8": "0"} | ASCII[setting])
    assert started == forked(COMMANDS["compare"], encoding="ascii")


@pytest.mark.parametrize("verdict", ["pass", "worse", "not-comparable"])
def test_the_verdict_is_printed_in_ascii_with_its_code(forked, verdict):
    code, out, _ = forked(f"gate old.csv {verdict}.csv --margin 0.05", encoding="ascii")
    assert code == VERDICTS[verdict]
    assert out.splitlines()[-1] == f"gate: {verdict.replace('-', ' ')}"


@pytest.mark.parametrize("err", [None, pytest.param("/dev/full", marks=FULL)])
@pytest.mark.parametrize("command", ["gate, worse", "compare --format json", "plan"])
def test_a_stderr_that_takes_nothing_changes_nothing(forked, printed, command, err):
    code, out, _ = printed(COMMANDS[command])
    assert forked(COMMANDS[command], err=err) == (code, out, "")


@pytest.mark.parametrize("after", ["2>&-", pytest.param("2> /dev/full", marks=FULL)])
def test_bad_input_is_code_2_where_it_cannot_be_said(folder, after):
    assert run(folder, "gate old.csv nothing.csv --margin 0.05", after) == (2, "", "")


def test_no_file_takes_the_place_of_a_closed_stream(folder, tmp_path):
    code, _, err = run(folder, f"compare results.csv -o {tmp_path}/report.txt", "<&- >&- 2>&-")
    assert (code, err) == (0, "")
    assert "compared" in (tmp_path / "report.txt").read_text("utf-8")


def test_what_does_not_load_is_no_verdict(folder, tmp_path):
    (tmp_path / "scipy").mkdir()
    (tmp_path / "scipy" / "__init__.py").write_text("raise KeyError('broken')\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    code, out, err = run(folder, COMMANDS["gate"], PYTHONPATH=path)
    assert (code, out) == (2, "")
    assert "KeyError: 'broken'" in err
