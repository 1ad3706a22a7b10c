"""Our call beside what a user would run instead, in one session; `table.py` turns the times into
ratios.
"""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import xarray as xr
from scipy.special import betainc
from timers import children

import betterthan as bt
from betterthan.exact.wins.beta import prob_greater

MATRIX, LARGE = (
    "counts and matrix of 134 systems x 500 items",
    "counts and matrix of 500 systems x 100,000 items",
)
PROCESS, PARSED = (
    "`betterthan compare FILE.csv`, 3 systems x 120 items",
    "the same with an option, which takes a parser",
)
ADVISED = "`betterthan compare FILE.csv --method advised`, 134 systems x 500 items"
PAIRS = "P(X > Y) of 100,000 independent Beta pairs"
GATE = "gate of a build, whole process, 120 items"
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
        benchmark.pedantic(bare, (values,))
        return
    scores = labelled(values)
    benchmark.pedantic(ours, (scores,))
    tracemalloc.start()
    ours(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    benchmark.extra_info["note"] = f"peak of new memory {peak / values.nbytes:.2f} x the input"


BARE = "import numpy, scipy.special"


@pytest.fixture
def process(benchmark):
    """Times a process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run(who, *command, rounds=3):
        if who == "instead":
            benchmark.extra_info["what"] = f'`python -c "{BARE}"`'
        words = ("-m", "betterthan", *command) if who == "ours" else ("-c", BARE)
        done = subprocess.run([sys.executable, *words], capture_output=True, env=environment)
        assert b"rror" not in done.stderr
        assert bool(done.stdout) == (who == "ours")  # a process that fails is soon done
        benchmark.pedantic(
            subprocess.run,
            ([sys.executable, *words],),
            {"capture_output": True, "env": environment},
            rounds=rounds,
            warmup_rounds=rounds > 1,
        )

    return run


def written(values, file):
    """A table of scores as a file."""
    rows = [",".join(["item", *(f"s{k}" for k in range(values.shape[1]))])]
    rows += [",".join([f"q{i}", *map(str, row)]) for i, row in enumerate(values.astype(int))]
    file.write_text("\n".join(rows))
    return str(file)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), marks=pytest.mark.benchmark(group=PROCESS, timer=children)),
        pytest.param(("--rope", "0.01"), marks=pytest.mark.benchmark(group=PARSED, timer=children)),
    ],
    ids=["files", "options"],
)
def test_process(process, who, options, tmp_path):
    file = written(right_or_wrong(120, 3), tmp_path / "results.csv")
    process(who, "compare", file, *options)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=ADVISED, timer=children)
def test_advised(process, who, tmp_path):
    file = written(right_or_wrong(500, 134), tmp_path / "results.csv")
    process(who, "compare", file, "--method", "advised", rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=GATE, timer=children)
def test_gate(process, who, tmp_path):
    rng = np.random.default_rng(3)
    old = rng.random(120) < 0.7
    new = np.where(rng.random(120) < 0.4, rng.random(120) < 0.7, old)
    for name, scores in (("old", old), ("new", new)):
        rows = ["item,score", *(f"q{k},{score:d}" for k, score in enumerate(scores))]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    files = [str(tmp_path / f"{name}.csv") for name in ("old", "new")]
    process(who, "gate", *files, "--margin", "0.01")  # inconclusive, which is the most to compute


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=PAIRS)
def test_independent_betas(benchmark, who):
    a, b, c, d = np.random.default_rng(0).uniform(1, 500, (4, 100_000))
    if who == "ours":
        benchmark.pedantic(prob_greater, (a, b, c, d), rounds=2)
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
    benchmark.pedantic(draws)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MASSES)
def test_rope_masses(benchmark, who):
    counts = bt.count(labelled(right_or_wrong(500, 134)))
    if who == "ours":
        benchmark.pedantic(bt.prob_equivalent, (counts, 0.02), rounds=2)
    else:
        benchmark.extra_info["what"] = "the plain matrix, `prob_better`"
        benchmark(bt.prob_better, counts)
