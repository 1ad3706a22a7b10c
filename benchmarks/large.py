"""What grows how: CPU time and peak memory of scores in blocks, each case in a process of its own.

    python benchmarks/large.py           all cases, written into large.json beside this file
    python benchmarks/large.py growth    without the largest one, which takes a minute of CPU
    python benchmarks/large.py count 5000000 500     one case, printed

Rates depend on the machine; exponents and ratios hardly do.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

RESULT = Path(__file__).parent / "large.json"
BYTES = 2**24  # of a block
LEAF = 8192
# case: what grows in it, and sizes (items, systems, and draws where there are any)
GROWTH = {
    "count, by items": ("count", [(n, 200, 0) for n in (50_000, 100_000, 200_000, 400_000)]),
    "count, by systems": ("count", [(50_000, s, 0) for s in (200, 400, 800, 1600)]),
    "compare, by items": ("compare", [(n, 50, 0) for n in (200_000, 400_000, 800_000)]),
    "pairs, by systems": ("compare", [(8_000, s, 0) for s in (75, 150, 300)]),
    "bootstrap, by items": ("bootstrap", [(n, 20, 1000) for n in (10_000, 20_000, 40_000)]),
    "randomization, by items": ("randomization", [(n, 20, 2000) for n in (10_000, 20_000, 40_000)]),
    "votes, by judgments": ("votes", [(n, 50, 0) for n in (200_000, 400_000, 800_000)]),
}
LARGE = ("count", 5_000_000, 500, 0)
BESIDE = ("bare", 5_000_000, 500, 0)
LEADERBOARD = (10_000, 1000, 0)  # in memory


def draw(block, rows, systems):
    """Right and wrong, int8, from the number of the block."""
    return np.random.default_rng([7, block]).integers(0, 2, (rows, systems), dtype=np.int8)


def sizes(items, systems):
    """Items of each block."""
    rows = max(1, BYTES // systems)
    return [min(rows, items - at) for at in range(0, items, rows)]


def lazy(items, systems):
    """Scores that dask would draw."""
    import dask
    import dask.array
    import xarray as xr

    made = dask.delayed(draw)
    blocks = [
        dask.array.from_delayed(made(k, rows, systems), (rows, systems), np.int8)
        for k, rows in enumerate(sizes(items, systems))
    ]
    names = [f"s{k}" for k in range(systems)]
    return xr.DataArray(
        dask.array.concatenate(blocks), dims=("item", "system"), coords={"system": names}
    )


def bare(items, systems, _):
    """The loop that cannot be done without: each block drawn, and multiplied."""
    both = np.zeros((systems, systems))
    for k, rows in enumerate(sizes(items, systems)):
        block = draw(k, rows, systems)
        for at in range(0, rows, LEAF):
            right = block[at : at + LEAF].astype(np.float32)
            both += right.T @ right
    return both


def count(items, systems, _):
    import betterthan as bt

    return bt.count(lazy(items, systems))


def compare(items, systems, _):
    import betterthan as bt

    return bt.compare(lazy(items, systems), rng=1)


def bootstrap(items, systems, draws):
    import betterthan as bt

    return bt.scores.bootstrap_draws(lazy(items, systems), draws=draws, rng=1)


def randomization(items, systems, draws):
    import betterthan as bt

    data = lazy(items, systems)
    return bt.randomization_test(data, method="monte_carlo", shuffles=draws, rng=1)


def votes(judgments, systems, _):
    import pandas as pd

    import betterthan as bt

    random = np.random.default_rng(7)
    a = random.integers(0, systems, judgments)
    b = (a + random.integers(1, systems, judgments)) % systems
    side = np.array(["model_a", "model_b", "tie"])[random.integers(0, 3, judgments)]
    names = np.array([f"s{k}" for k in range(systems)])
    return bt.read(pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": side}))


def leaderboard(items, systems, _):
    """Of right and wrong answers in memory, to items that differ in difficulty."""
    import xarray as xr

    import betterthan as bt

    random = np.random.default_rng(7)
    odds = np.linspace(1.5, -1.5, systems) - random.normal(size=(items, 1))
    right = (random.random((items, systems)) < 1 / (1 + np.exp(-odds))).astype(np.int8)
    names = [f"s{k}" for k in range(systems)]
    return bt.compare(xr.DataArray(right, dims=("item", "system"), coords={"system": names}))


def page(items, systems, _):
    import betterthan as bt

    return bt.report(leaderboard(items, systems, _), format="html")


CASES = {
    f.__name__: f
    for f in (bare, count, compare, bootstrap, randomization, votes, leaderboard, page)
}


def measured(case, *given):
    """CPU seconds of the call, and peak memory of the process, in a process of its own."""
    command = [sys.executable, __file__, case, *map(str, given)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    found = json.loads(done.stdout)
    print(case, *given, found, flush=True)
    return found


def alone(case, items, systems, draws="0"):
    """Of this process."""
    given = int(items), int(systems), int(draws)
    CASES[case](min(given[0], 2000), min(given[1], 5), min(given[2], 50))  # loads what is needed
    cpu, wall = time.process_time(), time.perf_counter()
    CASES[case](*given)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "peak_mb": peak}
    print(json.dumps({k: round(v, 3) for k, v in told.items()}))


def exponent(given, seconds, axis):
    """Of a power law through the two largest sizes, where what is fixed matters least."""
    (x, y), (before, after) = ([given[k][axis] for k in (-2, -1)], seconds[-2:])
    return float(np.log(after / before) / np.log(y / x))


def told(given, rows, name):
    """What is stored of a case that grows."""
    cpu = [row["cpu"] for row in rows]
    of = exponent(given, cpu, 1 if name.endswith("systems") else 0)
    peaks = [row["peak_mb"] for row in rows]
    return {"sizes": given, "cpu": cpu, "peak_mb": peaks, "exponent": round(of, 2)}


def main(parts=("growth", "large")):
    """All cases, stored."""
    found = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for name, (case, given) in GROWTH.items() if "growth" in parts else ():
        found[name] = told(given, [measured(case, *one) for one in given], name)
    if "large" in parts:
        found["large"] = {"ours": measured(*LARGE), "bare": measured(*BESIDE)}
        given = [(200_000, 500, 0), LARGE[1:]]
        rows = [measured("count", *given[0]), found["large"]["ours"]]
        found["count of 500, by items"] = told(given, rows, "by items")
        found["leaderboard"] = {
            name: measured(name, *LEADERBOARD) for name in ("leaderboard", "page")
        }
    found["load"] = Path("/proc/loadavg").read_text().split()[:3]
    RESULT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        alone(*sys.argv[1:])
    else:
        main(*([sys.argv[1:]] if len(sys.argv) > 1 else []))
