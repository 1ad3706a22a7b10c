"""Reading beside what reads the same file and understands nothing of it.

``BENCH_MB=1000 pytest benchmarks/test_reading_speed.py`` reads samples of lm-eval of 1 GB.
"""

import json
import os
import subprocess
import sys
import zipfile

import made_logs
import numpy as np
import pandas as pd
import pytest

import betterthan as bt

LONG = "a long CSV of 2,000,000 rows"
GRADED = "the same with scores of 4 decimals"
PARQUET = "Parquet of 200 systems x 10,000 items, 2,000,000 rows"
VOTES, VOTES_PARQUET = "1,000,000 votes in a DataFrame", "the same in Parquet"
SAMPLES = "samples of lm-eval, 7 kB each"
ARCHIVE = "an Inspect archive of 100 MB, with transcripts"
ARCHIVES = "100 Inspect archives of 100 samples"
STREAM = "two Inspect logs as JSON of 100 MB"
MANY = "1,000 small Inspect logs"
AUDIT = "audit of 181 systems x 500 items, with all bounds"
_MB = int(os.environ.get("BENCH_MB", "100"))
_PEAK = """
import re, sys
from pathlib import Path
import pandas as pd, betterthan as bt
def most():  # of this process alone: getrusage counts the one that started it too
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
read = {"ours": bt.read, "pandas": pd.read_csv}[sys.argv[1]]
read(sys.argv[2])
before = most()
read(sys.argv[3])
print(most() - before)
"""


def peak(who, small, large):
    """MB of new memory in a process of its own that has read a small file before."""
    command = [sys.executable, "-c", _PEAK, who, str(small), str(large)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each file is made once for both."""
    folder, there = tmp_path_factory.mktemp("made"), {}

    def get(name, make, *given):
        if name not in there:
            there[name] = make(folder / name, *given)
        return there[name]

    def new_folder(path):
        path.mkdir()
        return path

    get.folder = lambda name: get(name, new_folder)
    return get


def run(benchmark, who, ours, instead, what, rounds=2):
    """Time one of two."""
    if who == "instead":
        benchmark.extra_info["what"] = what
    benchmark.pedantic(ours if who == "ours" else instead, rounds=rounds)


def long_table(benchmark, who, made, graded):
    path = made(f"long{graded}.csv", made_logs.long_csv, 2_000_000, graded)
    if who == "ours":
        small = made("small.csv", made_logs.long_csv, 100)
        new = [peak(one, small, path) for one in ("ours", "pandas")]
        benchmark.extra_info["note"] = f"{new[0] / new[1]:.1f} x the new memory"
    run(benchmark, who, lambda: bt.read(path), lambda: pd.read_csv(path), "`pandas.read_csv`")


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=LONG)
def test_long_table(benchmark, who, made):
    long_table(benchmark, who, made, False)


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=GRADED)
def test_graded_table(benchmark, who, made):
    long_table(benchmark, who, made, True)


def shuffled(path):
    """A long table of 200 systems on 10,000 items, its rows in any order."""
    items, systems = np.divmod(np.random.default_rng(1).permutation(2_000_000), 200)
    columns = {"item": [f"q{k}" for k in items], "system": [f"s{k}" for k in systems]}
    pd.DataFrame(columns | {"score": items * systems % 3 % 2}).to_parquet(path)
    return path


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=PARQUET)
def test_parquet(benchmark, who, made):
    path = made("long.parquet", shuffled)
    what = "`pandas.read_parquet`"
    run(benchmark, who, lambda: bt.read(path), lambda: pd.read_parquet(path), what)


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.parametrize(
    "parquet",
    [
        pytest.param(False, marks=pytest.mark.benchmark(group=VOTES)),
        pytest.param(True, marks=pytest.mark.benchmark(group=VOTES_PARQUET)),
    ],
)
def test_votes(benchmark, who, parquet, tmp_path):
    random, models = np.random.default_rng(0), np.array([f"model-{k}" for k in range(100)])
    first = random.integers(0, 100, 1_000_000)
    second = (first + random.integers(1, 100, len(first))) % 100
    winner = np.array(["model_a", "model_b", "tie"])[random.integers(0, 3, len(first))]
    columns = {"model_a": models[first], "model_b": models[second], "winner": winner}
    frame = votes = pd.DataFrame(columns)
    if parquet:
        votes = tmp_path / "votes.parquet"
        frame.to_parquet(votes)
    what = "`pandas.factorize` of its three columns"
    run(
        *(benchmark, who, lambda: bt.read(votes)),
        *(lambda: [pd.factorize(frame[name]) for name in columns], what),
    )


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=SAMPLES)
def test_samples(benchmark, who, made):
    folder = made.folder("lm")
    if not list(folder.iterdir()):
        made_logs.lm_eval(folder, _MB * 10**6)
    if who == "ours":
        few = made.folder("few")
        if not list(few.iterdir()):
            made_logs.lm_eval(few, 10**5)
        new = peak("ours", few, folder)
        benchmark.extra_info["note"] = f"{_MB} MB; {new:.0f} MB of new memory"

    def loop():
        for path in folder.glob("*/samples*"):
            with path.open("rb") as lines:
                for line in lines:
                    json.loads(line)

    run(benchmark, who, lambda: bt.read(folder), loop, "`json.loads` of each line")


def logs_of(made, name, write, samples, transcript):
    """Logs of two models, and their folder."""
    folder = made.folder(name)
    if not list(folder.iterdir()):
        for model in ("a", "b"):
            write(folder / f"{model}.json", model, samples, transcript)
    return folder


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=ARCHIVE)
def test_archive(benchmark, who, made):
    path = made("one.eval", made_logs.inspect_eval, "a", 4000, 45_000)
    if who == "ours":
        benchmark.extra_info["note"] = f"{path.stat().st_size / 10**6:.0f} MB"

    what = "`json.loads` of its header and summaries, unpacked by `zipfile`"
    run(benchmark, who, lambda: bt.read_logs(path), lambda: members(path), what, rounds=7)


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=ARCHIVES)
def test_archives(benchmark, who, made):
    folder = made.folder("archives")
    if not list(folder.iterdir()):
        for k in range(100):
            made_logs.inspect_eval(folder / f"{k}.eval", f"model {k}", 100, 2000)

    def each():
        for path in folder.iterdir():
            members(path)

    what = "`json.loads` of their headers and summaries, unpacked by `zipfile`"
    run(benchmark, who, lambda: bt.read_logs(folder), each, what, rounds=5)


def members(path):
    """Parse what of an archive is read."""
    with zipfile.ZipFile(path) as archive:
        json.loads(archive.read("header.json"))
        json.loads(archive.read("summaries.json"))


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=STREAM)
def test_stream(benchmark, who, made):
    folder = logs_of(made, "jsons", made_logs.inspect_json, 1000, 100_000)
    if who == "ours":
        few = logs_of(made, "few jsons", made_logs.inspect_json, 10, 10)
        new = peak("ours", few, folder)
        benchmark.extra_info["note"] = f"{new:.0f} MB of new memory"

    def loads():
        for path in folder.iterdir():
            json.loads(path.read_bytes())

    run(benchmark, who, lambda: bt.read(folder), loads, "`json.loads` of all at once")


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=MANY)
def test_many(benchmark, who, made):
    folder = made.folder("many")
    if not list(folder.iterdir()):
        for k in range(1000):
            made_logs.inspect_json(folder / f"{k}.json", f"model {k}", 20, 100)

    def loads():
        for path in folder.iterdir():
            json.loads(path.read_bytes())

    run(benchmark, who, lambda: bt.read(folder), loads, "`json.loads` of each file")


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=AUDIT)
def test_audit(benchmark, who, made):
    folder = made.folder("audited")
    if not list(folder.iterdir()):
        for k in range(181):
            made_logs.inspect_json(folder / f"{k}.json", f"model {k}", 500, 100, lost=0.02)
    logs = bt.read_logs(folder)
    if who == "ours":
        assert bt.audit(logs).bounds["n_missing"].sum() > 0
    what = "`bt.read_logs` of the same"
    run(benchmark, who, lambda: bt.audit(logs), lambda: bt.read_logs(folder), what)
