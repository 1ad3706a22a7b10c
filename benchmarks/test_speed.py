"""Our call beside what a user would run instead, in one session; `table.py` turns the times into
ratios.
"""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import xarray as xr
from scipy.special import betainc

import betterthan as bt
from betterthan.exact.wins.beta import prob_greater

MATRIX, LARGE = (
    "counts and matrix of 134 systems x 500 items",
    "counts and matrix of 500 systems x 100,000 items",
)
PROCESS, PAIRS = (
    "whole process, 8 systems x 1,000 items",
    "P(X > Y) of 100,000 independent Beta pairs",
)
GATE = "gate of a build, whole process, 400 items"
MASSES = "ROPE masses of the 8,911 pairs of 134 systems"


def right_or_wrong(items, systems, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((items, systems)) < np.linspace(0.3, 0.8, systems)).astype(float)


def labelled(values):
    return xr.DataArray(
        values,
        dims=("item", "system"),
        coords={"system": [f"s{k}" for k in range(values.shape[1])]},
    )


def bare(values):
    """What one would write in numpy for 0/1 scores without gaps."""
    x = values.T
    both = x @ x.T
    wins = np.diag(both)[:, None] - both
    return betainc(wins.T + 1, wins + 1, 0.5)


def ours(scores):
    return bt.prob_better(bt.count(scores))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MATRIX)
def test_matrix(benchmark, who):
    values = right_or_wrong(500, 134)
    np.testing.assert_allclose(ours(labelled(values)).values, bare(values), rtol=1e-12)
    if who == "ours":
        benchmark(ours, labelled(values))
    else:
        benchmark.extra_info["what"] = "`X @ X.T` and `betainc` in numpy"
        benchmark(bare, values)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=LARGE)
def test_large(benchmark, who):
    values = right_or_wrong(100_000, 500)
    if who == "instead":
        benchmark.extra_info["what"] = "`X @ X.T` and `betainc` in numpy"
        benchmark.pedantic(bare, (values,), rounds=3)
        return
    scores = labelled(values)
    benchmark.pedantic(ours, (scores,), rounds=3)
    tracemalloc.start()
    ours(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    benchmark.extra_info["note"] = f"peak of new memory {peak / values.nbytes:.2f} x the input"


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=PROCESS)
def test_process(benchmark, who, tmp_path):
    values = right_or_wrong(1000, 8).astype(int)
    rows = [",".join(["item", *(f"s{k}" for k in range(8))])]
    rows += [",".join([f"q{i}", *map(str, row)]) for i, row in enumerate(values)]
    (tmp_path / "results.csv").write_text("\n".join(rows))
    if who == "ours":
        command = [
            sys.executable,
            "-m",
            "betterthan.cli",
            "compare",
            str(tmp_path / "results.csv"),
            "--rope",
            "0.01",
        ]
    else:
        benchmark.extra_info["what"] = '`python -c "import numpy, scipy.special, xarray, pandas"`'
        command = [sys.executable, "-c", "import numpy, scipy.special, xarray, pandas"]
    benchmark.pedantic(
        subprocess.run,
        (command,),
        {"check": True, "capture_output": True},
        rounds=7,
        warmup_rounds=1,
    )


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=GATE)
def test_gate(benchmark, who, tmp_path):
    rng = np.random.default_rng(3)
    old = rng.random(400) < 0.7
    new = np.where(rng.random(400) < 0.4, rng.random(400) < 0.7, old)
    for name, scores in (("old", old), ("new", new)):
        rows = ["item,score", *(f"q{k},{score:d}" for k, score in enumerate(scores))]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    if who == "ours":  # inconclusive, which is the most to compute
        files = [str(tmp_path / f"{name}.csv") for name in ("old", "new")]
        command = [sys.executable, "-m", "betterthan.cli", "gate", *files, "--margin", "0.01"]
    else:
        benchmark.extra_info["what"] = '`python -c "import numpy, scipy.special, xarray, pandas"`'
        command = [sys.executable, "-c", "import numpy, scipy.special, xarray, pandas"]
    benchmark.pedantic(
        subprocess.run, (command,), {"capture_output": True}, rounds=7, warmup_rounds=1
    )


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=PAIRS)
def test_independent_betas(benchmark, who):
    a, b, c, d = np.random.default_rng(0).uniform(1, 500, (4, 100_000))
    if who == "ours":
        benchmark.pedantic(prob_greater, (a, b, c, d), rounds=5)
        return
    rng, few = np.random.default_rng(1), 1000

    def draws():
        x, y = rng.beta(a[:few], b[:few], (10_000, few)), rng.beta(c[:few], d[:few], (10_000, few))
        return (x > y).mean(0)

    np.testing.assert_allclose(draws(), prob_greater(a, b, c, d)[:few], atol=0.03)
    benchmark.extra_info |= {
        "what": "10,000 Monte Carlo draws a pair (1,000 pairs timed, x 100)",
        "times": 100,
    }
    benchmark.pedantic(draws, rounds=2)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MASSES)
def test_rope_masses(benchmark, who):
    counts = bt.count(labelled(right_or_wrong(500, 134)))
    if who == "ours":
        benchmark.pedantic(bt.prob_equivalent, (counts, 0.02), rounds=5)
    else:
        benchmark.extra_info["what"] = "the plain matrix, `prob_better`"
        benchmark(bt.prob_better, counts)
