"""A written file keeps the mode and the links of what was there; leftovers of the killed go."""

import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from betterthan import files


@pytest.fixture(autouse=True)
def umask():
    """A user who shares nothing, such as on a cluster."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def left(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".betterthan.")]


@pytest.mark.parametrize(("mask", "expected"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path, mask, expected):
    os.umask(mask)
    files.write_whole(tmp_path / "new.html", "x")
    assert mode(tmp_path / "new.html") == expected


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(kept)
    os.umask(0o022)
    files.write_whole(path, "new")
    assert (path.read_text(), mode(path)) == ("new", kept)


def test_what_will_be_private_is_private_while_it_is_written(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o600)
    os.umask(0)
    waiting = []
    replace = os.replace

    def looking(source, target):
        waiting.append(stat.S_IMODE(os.stat(source).st_mode))
        replace(source, target)

    monkeypatch.setattr(os, "replace", looking)
    files.write_whole(path, "new")
    assert waiting == [0o600]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_its_target_is_written(tmp_path, exists):
    (tmp_path / "results").mkdir()
    target, link = tmp_path / "results" / "report.html", tmp_path / "latest.html"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    files.write_whole(link, "new")
    assert link.is_symlink()
    assert (target.read_text(), target.is_symlink()) == ("new", False)
    assert not left(tmp_path) + left(target.parent)


def test_a_link_to_itself_is_refused(tmp_path):
    link = tmp_path / "link.html"
    link.symlink_to(link)
    words = os.strerror(errno.ELOOP)
    with pytest.raises(ValueError, match=rf"link\.html: cannot be written \({words}\)"):
        files.write_whole(link, "new")
    assert link.is_symlink()


def test_files_of_killed_runs_are_removed_and_nothing_else(tmp_path):
    for name in (".betterthan.killed.part", ".betterthan.toml", "x.part"):
        (tmp_path / name).write_text("half")
    (tmp_path / ".betterthan.folder.part").mkdir()
    files.write_whole(tmp_path / "report.html", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".betterthan.folder.part",
        ".betterthan.toml",
        "report.html",
        "x.part",
    ]


WRITER = """
import os, sys, time
from betterthan import files
replace = os.replace
def waiting(source, target):
    print("waiting", flush=True)
    sys.stdin.readline()
    replace(source, target)
os.replace = waiting
files.write_all({})
"""


def test_a_living_writer_keeps_its_file(tmp_path):
    """Two writers to one file: the last one wins, whole; a killed one changes nothing."""
    path = tmp_path / "report.html"
    code = WRITER.format(f"{{files.Path({str(path)!r}): 'slow' * 1000}}")
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **piped) as writer:
        assert writer.stdout.readline() == "waiting\n"
        files.write_whole(path, "fast")
        assert path.read_text() == "fast"
        assert len(left(tmp_path)) == 1
        writer.communicate("\n")
    assert (writer.returncode, path.read_text(), left(tmp_path)) == (0, "slow" * 1000, [])
    with subprocess.Popen([sys.executable, "-c", code], **piped) as writer:
        assert writer.stdout.readline() == "waiting\n"
        writer.kill()
        writer.communicate()
    assert (writer.returncode, path.read_text()) == (-signal.SIGKILL, "slow" * 1000)
    assert len(left(tmp_path)) == 1
    files.write_whole(path, "next")
    assert (path.read_text(), left(tmp_path)) == ("next", [])


def test_a_file_that_was_cleared_before_it_was_locked_is_opened_again(tmp_path, monkeypatch):
    opened = os.open
    names = []

    def unlinking(path, *args):
        handle = opened(path, *args)
        if not names:
            os.unlink(path)
        names.append(path)
        return handle

    monkeypatch.setattr(os, "open", unlinking)
    files.write_whole(tmp_path / "report.html", "x")
    assert len(names) == 2
    assert (tmp_path / "report.html").read_text() == "x"


def test_a_file_that_another_writer_is_about_to_clear_is_opened_again(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    lock, cleared = files._lock, []

    def meeting_another(handle):
        if cleared:
            return lock(handle)
        (path,) = tmp_path.glob(".betterthan.*.part")
        cleared.append(os.open(path, os.O_RDWR))
        fcntl.flock(cleared[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        taken = lock(handle)
        os.unlink(path)
        return taken

    monkeypatch.setattr(files, "_lock", meeting_another)
    files.write_whole(tmp_path / "report.html", "x")
    os.close(cleared[0])
    assert (tmp_path / "report.html").read_text() == "x"
    assert left(tmp_path) == []
