"""Reading takes at most 6 times the expanded size and 200 MB, of rows however narrow."""

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from logs import made_inspect as made

pytestmark = pytest.mark.skipif(
    getattr(pd.Index(["a"]).dtype, "storage", "") != "pyarrow",
    reason="pandas keeps ids as Python's own texts without pyarrow, and before 3.0",
)
SIZE = 20_000_000  # bytes of each, expanded
TIMES, BESIDE = 6, 200_000_000
_PEAK = """
import re, sys
from pathlib import Path
import betterthan as bt
getattr(bt, sys.argv[1])(sys.argv[2])
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def peak(read, path):
    """The most bytes that a process of its own has held which reads a file."""
    if not Path("/proc/self/status").exists():
        pytest.skip("asks for the peak of a process as Linux has it")
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, read, str(path)], check=True, capture_output=True, text=True
    )
    return 1024 * int(done.stdout)


def rows(form):
    """Rows of a table, as many as fit."""
    size = len(form.format(id=10**6, a=0, b=0, k=0))
    numbers = range(10**6, 10**6 + SIZE // size)
    return "".join(form.format(id=k, a=k % 3 % 2, b=k % 2, k=k % 9000) for k in numbers)


NARROW = {
    "rows of 13 bytes": "q{id},{a},{b}\n",
    "floats": "q{id},0.{a}{k:03},0.{b}{k:03}\n",
    "quoted rows of 15 bytes": '"q{id}",{a},{b}\n',
    "capital letters and blanks": "Q {id},{a},{b}\n",
    "letters beyond ASCII": '"é{id}",{a},{b}\n',
}


@pytest.mark.parametrize("what", NARROW)
def test_a_narrow_table_takes_few_times_its_size(tmp_path, what):
    path = tmp_path / "narrow.csv"
    path.write_text("item,A,B\n" + rows(NARROW[what]))
    assert peak("read", path) <= TIMES * path.stat().st_size + BESIDE


def test_a_packed_table_takes_few_times_its_expanded_size(tmp_path):
    text = ("item,A,B\n" + rows(NARROW["rows of 13 bytes"])).encode()
    path = tmp_path / "narrow.csv.gz"
    path.write_bytes(gzip.compress(text, 1))
    assert peak("read", path) <= TIMES * len(text) + BESIDE


def test_a_narrow_log_takes_few_times_its_expanded_size(tmp_path):
    sample = (
        '{{"id": "q{id}", "epoch": 1, "input": "Is it {id}?", "target": "{a}", '
        '"scores": {{"match": {{"value": "{c}"}}}}, "uuid": "{a}"}}'
    )
    numbers = range(10**6, 10**6 + SIZE // 125)
    text = ",".join(sample.format(id=k, a=k % 2, c="CI"[k % 3 % 2]) for k in numbers)
    path, summaries = tmp_path / "a.eval", f"[{text}]"
    assert 120 <= len(text) / len(numbers) <= 125
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("summaries.json", summaries)
        archive.writestr("header.json", json.dumps(made.header(ids=())))
    assert peak("read_logs", path) <= TIMES * len(summaries) + BESIDE
