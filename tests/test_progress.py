"""Progress is told on a terminal, after two seconds, and leaves nothing behind."""

import io
import sys
import time
from types import SimpleNamespace

import pytest

from betterthan import progress
from betterthan.progress import with_bar, working
from betterthan.results import text


class Terminal(io.StringIO):
    """That somebody watches."""

    def isatty(self):
        return True

    @property
    def shown(self):
        """What stands on its last line in the end."""
        line = ""
        for part in self.getvalue().split("\r"):
            line = part + line[len(part) :]
        return line.strip()


@pytest.fixture
def terminal(monkeypatch):
    found = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=found))  # pytest has sys.stderr
    monkeypatch.setenv("TERM", "xterm")
    return found


@pytest.fixture
def clock(monkeypatch):
    """Seconds pass only where a test says so."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def slowly(clock, steps, seconds):
    for step in with_bar(range(steps), steps, "files"):
        clock[0] += seconds
        yield step


def test_long_work_tells_how_far_it_is_and_how_long_the_rest_takes(terminal, clock):
    assert list(slowly(clock, 1200, 1 / 128)) == list(range(1200))
    lines = [line.strip() for line in terminal.getvalue().split("\r") if line.strip()]
    assert lines[0] == "files: 257 of 1,200, about 7 s more"
    assert lines[-1].endswith("about 1 s more")
    assert 10 < len(lines) < 20  # not at each step
    assert terminal.shown == ""


def test_short_work_says_nothing(terminal, clock):
    assert list(slowly(clock, 10, 0.1)) == list(range(10))
    assert terminal.getvalue() == ""


def test_nothing_is_said_to_a_file_or_a_dumb_terminal(monkeypatch, clock):
    plain = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=plain))
    list(slowly(clock, 10, 5))
    with working("drawing"):
        pass
    assert plain.getvalue() == ""
    dumb = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=dumb))
    monkeypatch.setenv("TERM", "dumb")
    list(slowly(clock, 10, 5))
    assert dumb.getvalue() == ""


def test_what_is_stopped_leaves_nothing(terminal, clock):
    steps = slowly(clock, 10, 3)
    for _ in range(4):
        next(steps)
    assert "files: 1 of 10, about 27 s more" in terminal.getvalue()
    steps.close()
    assert terminal.shown == ""


def test_work_in_one_piece_tells_how_long_it_has_taken(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_AFTER", 0.01)
    monkeypatch.setattr(progress, "_EVERY", 0.01)
    with working("sampling", "the first fit compiles"):
        for _ in range(500):
            if terminal.getvalue():
                break
            time.sleep(0.01)
    assert "sampling: 1 s so far; the first fit compiles" in terminal.getvalue()
    assert terminal.shown == ""


def test_figures_and_boundaries_are_counted(terminal, monkeypatch):
    """Wherever there are steps, they are those of the work."""
    from betterthan.exact.planning import design

    monkeypatch.setattr(progress, "_AFTER", -1.0)
    monkeypatch.setattr(progress, "_EVERY", -1.0)
    design.calibrated(design.np.arange(1, 11), 0.05)
    assert "boundary: 49 of 50, about 1 s more" in terminal.getvalue()


def test_closed_streams_are_no_terminals(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert list(progress.with_bar(range(3), 3, "steps")) == [0, 1, 2]
    with progress.working("a step"):
        pass
    assert text.terminal_width() == text.WIDTH
    assert not text.coloured()
