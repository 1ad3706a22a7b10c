"""Reading takes at most 6 times the expanded size and 200 MB, of rows however narrow."""

import gzip
import json
import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from logs import made_inspect as made

pytestmark = pytest.mark.skipif(
    getattr(pd.Index(["a"]).dtype, "storage", "") != "pyarrow",
    reason="pandas keeps ids as Python's own texts without pyarrow, and before 3.0",
)
SIZE = 20_000_000  # bytes of each, expanded
TIMES, BESIDE = 6, 200_000_000
# of the 200 MB 65 are pages of the files of libraries, which the kernel maps as it likes: between
# 60 and 105 MB for the same process, so that some layouts exceed the whole where it maps many
LIBRARIES = 65_000_000
_PEAK = """
import re, sys
from operator import attrgetter
from pathlib import Path
import betterthan as bt
attrgetter(sys.argv[1])(bt)(sys.argv[2])
status = Path("/proc/self/status").read_text()
print(*(re.search(name + r":\\s+(\\d+)", status)[1] for name in ("VmHWM", "RssFile")))
"""


def peak(read, path, libraries=True):
    """The most bytes that a process of its own has held which reads a file, with or without the
    pages of libraries.
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("asks for the peak of a process as Linux has it")
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, read, str(path)], check=True, capture_output=True, text=True
    )
    most, mapped = map(int, done.stdout.split())
    return 1024 * (most if libraries else most - mapped)


def rows(form, size=SIZE):
    """Rows of a table, as many as fit, in pairs."""
    n = size // len(form.format(**_fields(0, size))) // 2 * 2
    fields, cells = _fields(np.arange(n), n), re.findall(r"\{(\w+)", form)
    row = re.sub(r"\{\w+:?(\d*)\}", r"%\1d", form)  # all rows at once: a fifth of the time
    return row * n % tuple(np.stack([fields[cell] for cell in cells], axis=1).ravel().tolist())


def _fields(k, n):
    """Cells of row `k` of `n`: ids, scores, ids of two rows each, and which of the two it is."""
    turn, again = divmod(k, n // 2)
    found = {"id": 10**6 + k, "a": (k + 1) % 3 % 2, "b": k % 2, "k": (k + 10**6) % 9000}
    return found | {"half": 5 * 10**5 + k // 2, "again": 10**5 + again, "turn": turn}


NARROW = {
    "rows of 13 bytes": "q{id},{a},{b}\n",
    "floats": "q{id},0.{a}{k:03},0.{b}{k:03}\n",
    "quoted rows of 15 bytes": '"q{id}",{a},{b}\n',
    "capital letters and blanks": "Q {id},{a},{b}\n",
    "letters beyond ASCII": '"é{id}",{a},{b}\n',
}


OTHERS = {
    "runs in a column": ("item,epoch,A,B", "{half},{b},{a},{b}\n"),
    "data sets in a column": ("item,dataset,A,B", "{half},{b},{a},{b}\n"),
    "predictions next to gold labels": ("item,gold,A,B", "{id},x{a},x{b},x{a}\n"),
    "votes by side": ("left,right,winner", "x{a},y{b},left\n"),
    "votes by name": ("left,right,winner", "x{a},y{b},y{b}\n"),
    "several rows an item": ("item,system,score", "q{half},{b},{a}\n"),
    "several rows an item, far apart": ("item,system,score", "q{again},{turn},{b}\n"),
}


SMALL, SLACK = 8_000_000, 20_000_000  # bytes of each; beyond what a file of a few rows takes
GROWING = {
    **{what: ("read", "item,A,B", form) for what, form in NARROW.items()},
    **{what: ("read", *layout) for what, layout in OTHERS.items()},
    "TP/FP/FN counts": ("read", "item,system,tp,fp,fn", "{half},{b},{a},{b},1\n"),
    "votes with a column for each outcome": (
        "read",
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie",
        "{id},x{a},y{b},1,0,0\n",
    ),
    "many systems, a quarter of the scores blank": (
        "read",
        ",".join(["item", *(f"s{k}" for k in range(400))]),
        "{id}" + ",{a},{b},{a}," * 100 + "\n",
    ),
    "labels": ("labels.read", "item,gold,A,B", "{id},x{a},x{b},x{a}\n"),
}


@pytest.fixture(scope="module")
def at_least(tmp_path_factory):
    """The most bytes that reading a few rows takes, without the pages of libraries; by function."""
    path = tmp_path_factory.mktemp("few") / "few.csv"
    path.write_text(f"item,gold,A,B\n{rows(OTHERS['predictions next to gold labels'][1], 10**4)}")
    return cache(lambda read: peak(read, path, libraries=False))


@pytest.mark.parametrize("what", GROWING)
def test_memory_grows_by_few_times_the_size(tmp_path, at_least, what):
    read, header, form = GROWING[what]
    path = tmp_path / "many.csv"
    path.write_text(f"{header}\n{rows(form, SMALL)}")
    new = peak(read, path, libraries=False) - at_least(read)
    assert new <= TIMES * path.stat().st_size + SLACK


def test_a_few_rows_take_little_more_than_the_libraries(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text(f"item,A,B\n{rows(NARROW['floats'], 10**4)}")
    assert peak("read", path, libraries=False) <= BESIDE - LIBRARIES


def test_a_table_in_parquet_takes_few_times_its_expanded_size(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    n, path = SIZE // 13, tmp_path / "narrow.parquet"
    k = np.arange(10**6, 10**6 + n)
    columns = {"item": [f"q{one}" for one in k], "A": k % 3 % 2, "B": k % 2}
    pd.DataFrame(columns).to_parquet(path)
    found = parquet.ParquetFile(path).metadata
    size = sum(found.row_group(g).total_byte_size for g in range(found.num_row_groups))
    assert 0.9 * SIZE < size < SIZE
    most = TIMES * size + BESIDE - LIBRARIES
    assert peak("read", path, libraries=False) <= most


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
