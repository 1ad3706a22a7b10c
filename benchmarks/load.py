"""How much the command line takes: large inputs under a limit of memory, and the first too large.

    python benchmarks/load.py          all cases, written into load.json beside this file
    python benchmarks/load.py NAME     one case, printed

Each command runs in a process of its own whose address space is limited, so that what does not fit
ends in a message instead of a killed process.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import made_logs
import numpy as np

RESULT = Path(__file__).parent / "load.json"
GIB = 2**30
LIMIT = 16 * GIB
_MEMBER = 8_000_000  # scores that are written at once


def wide_csv(folder, systems, items):
    """Right and wrong answers of systems, on items of unequal difficulty."""
    rng = np.random.default_rng(1)
    ability = rng.normal(0, 0.5, systems)
    path = folder / "results.csv"
    with path.open("w") as file:
        file.write(",".join(["item", *(f"s{k}" for k in range(systems))]) + "\n")
        step = max(1, _MEMBER // systems)
        for start in range(0, items, step):
            rows = min(step, items - start)
            logits = ability + rng.normal(0, 1.5, (rows, 1))
            right = rng.random((rows, systems)) < 1 / (1 + np.exp(-logits))
            for k, row in enumerate(right):
                file.write(f"q{start + k}," + ",".join("01"[int(one)] for one in row) + "\n")
    return [str(path)]


def many_logs(folder, files):
    """Logs of Inspect, of 10 samples each: 10 systems on as many tasks as that takes."""
    made_logs.small_logs(folder, files)
    return [str(folder)]


def large_log(folder, size):
    """Samples of two models as lm-eval writes them, one file each."""
    made_logs.lm_eval(folder, size)
    return [str(folder), "--metric", "acc"]


# name: what makes the input, its sizes, and the limit of memory
CASES = {
    "200 systems x 100,000 items, CSV": (wide_csv, (200, 100_000), LIMIT),
    "1,000 systems x 500 items, CSV": (wide_csv, (1_000, 500), LIMIT),
    "10,000 log files of 10 samples": (many_logs, (10_000,), LIMIT),
    "two logs of 1 GB": (large_log, (2 * 10**9,), LIMIT),
    "two logs of 2.2 GB": (large_log, (44 * 10**8,), LIMIT),
    "4,000 systems x 500 items, CSV": (wide_csv, (4_000, 500), LIMIT),
    "1,000 systems x 500 items, 2 GiB of memory": (wide_csv, (1_000, 500), 2 * GIB),
}


def measured(name):
    """Input, time, peak of memory, exit code, and the last line of standard error."""
    make, sizes, limit = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        arguments = make(Path(folder), *sizes)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "betterthan", "compare", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        out, err = process.communicate()
        wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # of this process's only child
    return {
        "input_mb": round(size / 1e6, 1),
        "limit_gib": limit // GIB,
        "wall": round(wall, 1),
        "cpu": round(used.ru_utime + used.ru_stime, 1),
        "peak_mb": round(used.ru_maxrss * 1024 / 1e6),
        "code": process.returncode,
        "answer": next(iter(out.splitlines()), ""),
        "message": next((line for line in err.splitlines() if line.startswith("error: ")), ""),
    }


def main():
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1])))
        return
    results = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for name in CASES:
        done = subprocess.run(
            [sys.executable, __file__, name], check=True, capture_output=True, text=True
        )
        results[name] = json.loads(done.stdout)
        print(name, results[name], flush=True)
        RESULT.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
