"""Reading takes at most 6 times the expanded size and 200 MB, of rows however narrow."""

import gzip
import json
import math
import os
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

import betterthan as bt
from betterthan.io import compression

pytestmark = pytest.mark.skipif(
    getattr(pd.Index(["a"]).dtype, "storage", "") != "pyarrow",
    reason="pandas keeps ids as Python's own texts without pyarrow, and before 3.0",
)
SIZE = 20_000_000  # bytes of a table in Parquet, expanded
TIMES, BESIDE = 6, 200_000_000
# of the 200 MB 65 are pages of the files of libraries, which the kernel maps as it likes: between
# 60 and 105 MB for the same process, so that some layouts exceed the whole where it maps many
LIBRARIES = 65_000_000
# a process that has read a few rows, and reads each file in a fork of itself
_PEAKS = """
import contextlib, os, re, signal, sys
from operator import attrgetter
from pathlib import Path
import betterthan as bt

def bytes_of(name):
    status = Path("/proc/self/status").read_text()
    return [1024 * int(re.search(key + r":\\s+(\\d+)", status)[1]) for key in (name, "RssFile")]

def read(line):
    name, path = line.split(maxsplit=1)
    attrgetter(name)(bt)(path.strip())

for line in sys.argv[1:]:
    read(line)
with contextlib.suppress(ModuleNotFoundError):
    import pyarrow.parquet  # and read none: a fork has no threads of what was read
print(*bytes_of("VmHWM"), flush=True)
for line in sys.stdin:
    if not os.fork():
        signal.alarm(120)  # ends what hangs, also on a busy machine
        most, mapped = bytes_of("VmRSS")
        begin = most - mapped
        read(line)
        most, mapped = bytes_of("VmHWM")
        print(most - mapped - begin, flush=True)
        os._exit(0)
    if os.wait()[1]:
        print(10**12, flush=True)
"""


_CELL = r"\{(\w+):?(\d*)\}"


def rows(form, size):
    """Rows of a table, as many as fit, in pairs."""
    row, cells = re.sub(_CELL, r"%\2d", form), [name for name, _ in re.findall(_CELL, form)]
    n = size // len(row % tuple(_fields(0, size)[cell] for cell in cells)) // 2 * 2
    fields = _fields(np.arange(n), n)  # all rows at once: a fifth of the time
    return row * n % tuple(np.stack([fields[cell] for cell in cells], axis=1).ravel().tolist())


def _fields(k, n):
    """Cells of row `k` of `n`: ids, scores, pairs, ids of two rows each, which of the two it is."""
    turn, again = divmod(k, n // 2)
    first, second = divmod(k, math.isqrt(n) + 1)
    found = {"id": 10**6 + k, "a": (k + 1) % 3 % 2, "b": k % 2, "k": (k + 10**6) % 9000}
    found |= {"first": 1000 + first, "second": 1000 + second}
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
    "counts of pairs": ("read", "system_a,system_b,wins,losses,ties", "{first},{second},0,0,1\n"),
    "labels": ("labels.read", "item,gold,A,B", "{id},x{a},x{b},x{a}\n"),
    "rankings": ("orders.read", "document,judge,order", "{half},j{b},p > q{a} > r{k}\n"),
    "rankings of items of one letter": (
        "orders.read",
        "document,judge,order",
        "{half},j{b},a|b|c|d|e|f|g|h|i|j\n",
    ),
    "rankings of items of their own": (
        "orders.read",
        "document,judge,order",
        "{half},j{b},p{half} > q{half} > r{half}\n",
    ),
    "rankings with ties": ("orders.read", "document,judge,order", "{half},j{b},a>b=c>d>e>f\n"),
    "ranks, one a row": (
        "orders.read",
        "document,judge,item,rank",
        "{id},j,x,1\n{id},j,y,2\n",
    ),
    "ranks, one column for each item": (
        "orders.read",
        "document,judge,x,y,z",
        "{half},j{b},1,3,2\n",
    ),
}
FEW_RANKINGS = "document,judge,order\nd1,a,x > y\nd1,b,y > x\n"


def _archive(path, text):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("summaries.json", f"[{text}]")
        archive.writestr("header.json", json.dumps(made.header(ids=())))


_SAMPLE = (
    '{"id": "q{id}", "epoch": 1, "input": "Is it {id}?", "target": "{a}", '
    '"scores": {"match": {"value": "C"}}, "uuid": "{a}"}'
)
_INFO = '"info":{"num_trials":1,"agent_info":{"llm":"m"}},"tasks":[],"simulations":'
_FILL = "x" * 60
# of logs: the rows, about as narrow as they are read in any number, between what
LOGS = {
    "Inspect": ("a.eval", _SAMPLE, ",", "", ""),
    "Inspect, one object": (
        "a.json",
        _SAMPLE,
        ",",
        json.dumps(made.header(ids=()))[:-1] + ',"samples":[',
        "]}",
    ),
    "tau2": (
        "a.json",
        '{"task_id":"{id}","trial":0,"reward_info":{"reward":{a}},"termination_reason":"stop"}',
        ",",
        "{" + _INFO + "[",
        "]}",
    ),
    "lm-eval": (
        "samples_a.jsonl",
        '{"doc_id":{id},"doc":{"q":"Is it {id}?"},"target":"a","arguments":[],"resps":[],'
        '"x":"xxxxxxxxxxxxxxxxxxxx","acc":{a}.0}',
        "\n",
        "",
        "\n",
    ),
    "promptfoo": (
        "a.jsonl",
        '{"promptIdx":0,"testIdx":{id},"score":{a},"vars":{"x":"{id}"},"response":"'
        + 3 * _FILL
        + '"}',
        "\n",
        "",
        "\n",
    ),
    "ragas": (
        "a.csv",
        "Is it {id}?," + 4 * _FILL + ",{a}",
        "\n",
        "user_input,response,faithfulness\n",
        "\n",
    ),
    "sacrebleu": (
        "a.txt",
        "BLEU|nrefs:1|case:mixed|tok:13a|version:2.4.0 = {k}.0 57.1/2" + "/1" * 12,
        "\n",
        "",
        "\n",
    ),
    "trec_eval": ("a.txt", "map" + 80 * " " + "\t{id}\t0.{k:04}", "\n", "", "\n"),
}


class Reader:
    """Peaks of reading, each in a fork of one process that has loaded all it needs.

    Attributes
    ----------
    few : int
        The most bytes that reading a few rows takes, without the pages of libraries.
    """

    def __init__(self, *few):
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", _PEAKS, *few],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"},  # others keep all in a fork
        )
        most, mapped = map(int, self._process.stdout.readline().split())
        self.few = most - mapped

    def growth(self, read, path):
        """By how many bytes the process grows that reads a file."""
        self._process.stdin.write(f"{read} {path}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def stop(self):
        with self._process:
            self._process.stdin.close()


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    if not Path("/proc/self/status").exists():
        pytest.skip("asks for the peak of a process as Linux has it")
    folder = tmp_path_factory.mktemp("few")
    table, log, rankings = (folder / name for name in ("few.csv", "few.txt", "orders.csv"))
    table.write_text("item,gold,A,B\nq1,xa,xa,xb\nq2,xb,xa,xb\n")
    log.write_text("map q1 0.5\nmap q2 0.6\n")
    rankings.write_text(FEW_RANKINGS)
    few = f"read {table}", f"labels.read {table}", f"read_logs {log}", f"orders.read {rankings}"
    reader = Reader(*few)
    yield reader
    reader.stop()


@pytest.fixture(scope="module")
def at_least(reader, tmp_path_factory):
    """By how many bytes reading a few rows lets the process grow; by function."""
    path, rankings = (tmp_path_factory.mktemp("few") / name for name in ("few.csv", "orders.csv"))
    path.write_text(f"item,gold,A,B\n{rows(OTHERS['predictions next to gold labels'][1], 10**4)}")
    rankings.write_text(FEW_RANKINGS)
    return cache(lambda read: reader.growth(read, rankings if read == "orders.read" else path))


@pytest.mark.parametrize("what", GROWING)
def test_memory_grows_by_few_times_the_size(tmp_path, reader, at_least, what):
    read, header, form = GROWING[what]
    path = tmp_path / "many.csv"
    path.write_text(f"{header}\n{rows(form, SMALL)}")
    new = reader.growth(read, path) - at_least(read)
    assert new <= TIMES * path.stat().st_size + SLACK


@pytest.mark.parametrize("what", LOGS)
def test_memory_grows_by_few_times_the_size_of_a_log(tmp_path, reader, what):
    name, form, between, start, end = LOGS[what]
    text = start + rows(form + between, SMALL).removesuffix(between) + end
    path = tmp_path / name
    path.write_text(text) if path.suffix != ".eval" else _archive(path, text)
    assert reader.growth("read_logs", path) <= TIMES * len(text) + SLACK


def test_a_few_rows_take_little_more_than_the_libraries(tmp_path, reader):
    path = tmp_path / "few.csv"
    path.write_text(f"item,A,B\n{rows(NARROW['floats'], 10**4)}")
    assert reader.few + reader.growth("read", path) <= BESIDE - LIBRARIES


def test_a_table_in_parquet_takes_few_times_its_expanded_size(tmp_path, reader):
    parquet = pytest.importorskip("pyarrow.parquet")
    n, path = SIZE // 13, tmp_path / "narrow.parquet"
    k = np.arange(10**6, 10**6 + n)
    columns = {"item": [f"q{one}" for one in k], "A": k % 3 % 2, "B": k % 2}
    pd.DataFrame(columns).to_parquet(path)
    found = parquet.ParquetFile(path).metadata
    size = sum(found.row_group(g).total_byte_size for g in range(found.num_row_groups))
    assert 0.9 * SIZE < size < SIZE
    assert reader.few + reader.growth("read", path) <= TIMES * size + BESIDE - LIBRARIES


def test_a_packed_table_takes_few_times_its_expanded_size(tmp_path, reader):
    text = ("item,A,B\n" + rows(NARROW["rows of 13 bytes"], SMALL)).encode()
    path = tmp_path / "narrow.csv.gz"
    path.write_bytes(gzip.compress(text, 1))
    assert reader.growth("read", path) <= TIMES * len(text) + SLACK


_TASK = '{"task_id":{id},"reward_info":{"reward":1}}'
SMALLEST = {
    "Inspect": ("a.eval", '{"id":{id}}', ",", "", ""),
    "tau2": ("a.json", _TASK, ",", "{" + _INFO + "[", "]}"),
    "lm-eval": ("samples_a.jsonl", '{"doc_id":{id},"doc":1,"target":1,"acc":1}', "\n", "", "\n"),
    "promptfoo": ("a.jsonl", '{"promptIdx":0,"testIdx":{id},"score":1}', "\n", "", "\n"),
    "ragas": ("a.csv", "{id},,{a}", "\n", "user_input,response,f\n", "\n"),
    "SWE-bench": ("a.json", '"{id}"', ",", '{"unresolved_ids":[],"resolved_ids":[', "]}"),
    "sacrebleu": ("a.txt", "TER|version:2 = {a}", "\n", "", "\n"),
    "trec_eval": ("a.txt", "p {id} 0", "\n", "", "\n"),
}


@pytest.mark.parametrize("what", SMALLEST)
def test_samples_of_so_few_bytes_are_refused_before_they_take_memory(tmp_path, monkeypatch, what):
    name, form, between, start, end = SMALLEST[what]
    path = tmp_path / name
    text = start + rows(form + between, 10**5).removesuffix(between) + end
    path.write_text(text) if path.suffix != ".eval" else _archive(path, text)
    bt.read_logs(path)  # a hundred thousand bytes may hold anything
    monkeypatch.setattr(compression, "_SMALL", 2**18)
    with pytest.raises(ValueError, match=rf"^{name}[^:]*: holds samples of so few bytes that") as e:
        bt.read_logs(path)
    assert re.search(r", row \d", str(e.value)) or what == "SWE-bench"
