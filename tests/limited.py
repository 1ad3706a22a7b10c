"""What the command line says of a file, read in a process of its own with little memory."""

import subprocess
import sys
from pathlib import Path

import pytest

_CODE = """
import resource, sys, tempfile
from pathlib import Path
from betterthan.reading.read import read
from betterthan.cli.start import run
small = Path(tempfile.mkdtemp(), "small.csv")
small.write_text("item,A,B\\nq,1,0\\n")
read(small)  # loads what reading takes
now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
most = now + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.argv = ["betterthan", "compare", sys.argv[2]]
run()
"""


def refusal(path, most=300_000_000):
    """The one line in which the command line refuses a file, within so many bytes of memory."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("limits the memory of a process as Linux does")
    command = [sys.executable, "-c", _CODE, str(most), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert not done.stdout
    (line,) = done.stderr.splitlines()
    assert len(line) < 600
    return line
