"""What the command line says of a file, read in a process of its own with little memory."""

import atexit
import tempfile
from functools import cache
from pathlib import Path

import pytest
from cli.forked import Server


@cache
def _run():
    """Runs commands in forks, for all tests of this process."""
    folder = tempfile.TemporaryDirectory()
    server = Server(folder.name)
    atexit.register(folder.cleanup)
    atexit.register(server.stop)
    return server.run


def refusal(path, most=300_000_000):
    """The one line in which the command line refuses a file, within so many bytes of memory."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("limits the memory of a process as Linux does")
    code, out, err = _run()(["compare", str(path)], memory=most)
    assert code == 2, err
    assert not out
    (line,) = err.splitlines()
    assert len(line) < 600
    return line
