"""Faults while a command writes: no half-written file, no lost one, one line, and its exit code."""

import errno
import gc
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.cli import commands, start
from betterthan.plot import drawing

FULL = "/dev/full"
WIDE = "item,A,B\n" + "".join(f"q{k},1,{k % 2}\n" for k in range(20))
OLD = "item,score\n" + "".join(f"q{k},{k % 3 % 2}\n" for k in range(20))
COMMANDS = {
    "report": "compare wide.csv -o out/report.html",
    "report, netCDF and pairs": "compare wide.csv -o out",
    "JUnit": "audit wide.csv --junit out/audit.xml",
    "baseline": "gate out/base.csv old.csv --accept",
    "gate": "gate base.csv old.csv --margin 0.1 -o out/g.html --junit out/g.xml --json out/g.json",
    "figures": "compare wide.csv --figures out",
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawing, "FIGURES", drawing.FIGURES[:1])
    monkeypatch.setattr(drawing, "SUFFIXES", ("svg", "pdf"))
    (tmp_path / "wide.csv").write_text(WIDE)
    (tmp_path / "old.csv").write_text(OLD)
    (tmp_path / "new.csv").write_text(OLD.replace("q3,0", "q3,1"))

    def call(command):
        monkeypatch.setattr(sys, "argv", ["betterthan", *command.split()])
        try:
            commands.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return code, capsys.readouterr().err

    call("gate base.csv new.csv --accept")
    return call


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def full(name, *args, opened=os.open):
    """A new file on a disk without space."""
    os.close(opened(name, *args))
    return opened(FULL, os.O_WRONLY)


def refusing(number):
    def fail(name, *args, opened=os.open):
        if str(name).endswith(".part"):
            raise OSError(number, os.strerror(number), name)
        return opened(name, *args)

    return fail


FAULTS = {
    errno.EACCES: refusing(errno.EACCES),  # a folder of somebody else
    errno.EROFS: refusing(errno.EROFS),
    errno.EDQUOT: refusing(errno.EDQUOT),
    errno.ENOSPC: full,
}


@pytest.mark.skipif(not os.path.exists(FULL), reason="there is no device that is full")
@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_written_leaves_what_was_there(run, monkeypatch, command):
    run(COMMANDS[command])
    before = content("out")
    assert before
    # how a folder refuses makes no difference to a command
    for number, fault in FAULTS.items() if command == "baseline" else [(errno.ENOSPC, full)]:
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", fault)
            code, err = run(COMMANDS[command])
        assert code == 2
        (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
        words = re.escape(os.strerror(number))
        assert re.fullmatch(
            rf"error: out/\S+: cannot be written \({words}\); give a place .*", line
        )
        assert "Traceback" not in err
        assert content("out") == before


def test_ctrl_c_while_files_are_written(run, monkeypatch, capsys):
    run(COMMANDS["report, netCDF and pairs"])
    before = content("out")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    monkeypatch.setattr(sys, "argv", ["betterthan", "compare", "wide.csv", "-o", "out"])
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as stop:
        start.run()
    signal.signal(signal.SIGINT, handler)
    gc.unfreeze()
    assert stop.value.code == 130
    assert capsys.readouterr().err.splitlines()[-1] == "interrupted"
    assert content("out") == before


KILLED = """
import os, signal, sys
import h5netcdf, matplotlib.pyplot, xarray
import betterthan.comparison.compare, betterthan.gating.deciding, betterthan.results.comparison_page
from betterthan.cli import commands
from betterthan.plot import drawing
drawing.FIGURES, drawing.SUFFIXES = drawing.FIGURES[:1], ("svg", "pdf")
replace = os.replace
for name, after in [line.split("|") for line in sys.stdin.read().splitlines()]:
    child = os.fork()
    if not child:
        left = [int(after)]
        def kill(*places):
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            replace(*places)
        os.replace = kill
        os.chdir(name)
        sys.argv = ["betterthan", *open("command").read().split()]
        commands.main()
    print("ended:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_killed_command_leaves_whole_files(run, tmp_path, monkeypatch):
    """Each file is the old or the new one, and a mixed set shows by its hash of the data."""
    kills, befores, afters = [], {}, {}
    chosen = {k: v for k, v in COMMANDS.items() if k not in ("report", "JUnit", "gate")}
    for name, command in chosen.items():
        folder = tmp_path / name.replace(" ", "")
        folder.mkdir()
        for source in ("wide.csv", "old.csv", "base.csv"):
            (folder / source).write_text((tmp_path / source).read_text())
        monkeypatch.chdir(folder)
        run(command)
        befores[folder] = content("out")
        (folder / "wide.csv").write_text(WIDE.replace("q3,1,1", "q3,1,0"))
        (folder / "old.csv").write_text(OLD.replace("q3,0", "q3,1").replace("q4,1", "q4,0"))
        (folder / "command").write_text(command)
        kills.append((folder, len(befores[folder]) // 2))
    lines = "\n".join(f"{folder}|{after}" for folder, after in kills)
    done = subprocess.run(
        [sys.executable, "-c", KILLED], input=lines, capture_output=True, text=True, check=True
    )
    assert re.findall("^ended: .*", done.stdout, re.M) == ["ended: -9"] * len(chosen)
    for folder, after in kills:
        monkeypatch.chdir(folder)
        killed = content("out")
        parts = {name for name in killed if name.startswith(".betterthan.")}
        assert len(parts) == len(befores[folder]) - after
        run((folder / "command").read_text())
        afters[folder] = content("out")
        assert set(afters[folder]) == set(befores[folder]) == set(killed) - parts
        changed = [
            k for k in afters[folder] if killed[k] == afters[folder][k] != befores[folder][k]
        ]
        kept = [k for k in afters[folder] if killed[k] == befores[folder][k]]
        assert len(changed) == after
        assert len(changed) + len(kept) == len(afters[folder])


def test_a_mixed_set_of_files_shows_by_its_hash(run):
    run(COMMANDS["report, netCDF and pairs"])
    old = bt.load("out/comparison.nc").data.attrs["data_hash"]
    Path("wide.csv").write_text(WIDE.replace("q3,1,1", "q3,1,0"))
    run("compare wide.csv -o out/report.html")
    assert old in Path("out/pairs.csv").read_text()
    assert f"data={old}" not in Path("out/report.html").read_text()


WATCHED = """
import json, os, sys
written = []
def hook(event, args):
    if event == "open" and isinstance(args[0], str | bytes) and args[2] & (os.O_WRONLY | os.O_RDWR):
        written.append(os.fsdecode(args[0]))
    elif event in ("os.mkdir", "os.rename"):
        written.append(os.fsdecode(args[event == "os.rename"]))
sys.addaudithook(hook)
from betterthan.cli import commands
for command in sys.stdin.read().splitlines():
    sys.argv = ["betterthan", *command.split()]
    try:
        commands.main()
    except SystemExit as stop:
        assert stop.code in (None, 0, 3), stop.code
json.dump(written, open("written.json", "w"))
"""


def test_closed_forms_need_no_home(run, tmp_path):
    """A read-only installation, and a user without a home folder, as in a container."""
    given = "\n".join(COMMANDS[k] for k in ("report, netCDF and pairs", "JUnit", "gate"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HOME", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", "-c", WATCHED],
        input=given,
        env=environment | {"HOME": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = [Path(name) for name in re.findall(r'"(.*?)"', Path("written.json").read_text())]
    inside = {path for path in written if (tmp_path / path).is_relative_to(tmp_path)}
    assert set(written) - inside <= {Path(os.devnull)}
    assert Path("out/comparison.nc") in {
        p.relative_to(tmp_path) if p.is_absolute() else p for p in inside
    }
