"""Run the benchmarks and write the table of ratios into README.md beside this file."""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from importlib.metadata import version
from math import inf
from pathlib import Path

HERE = Path(__file__).parent
BOUNDS = {
    "counts and matrix of 134 systems x 500 items": "at most 4 times as long",
    "counts and matrix of 500 systems x 100,000 items": "at most 3 times as long",
    "counting 200,000 items x 500 systems, int8 in blocks": "at most 1.3 times as long",
    "counting 2,000,000 items x 200 systems by two dask workers": "at most 1.3 times as long",
    "`betterthan compare FILE.csv`, 3 systems x 120 items": "at most 2.5 times as long",
    "the same with an option, which takes a parser": "at most 3 times as long",
    "`betterthan compare FILE.csv --method advised`, 134 systems x 500 items": "at most 10 s",
    "gate of a build, whole process, 120 items": "at most 2 times as long",
    "P(X > Y) of 100,000 independent Beta pairs": "at least 100 times as fast",
    "ROPE masses of the 8,911 pairs of 134 systems": "at most 40 times as long",
    "HDIs of the 8,911 pairs of 134 systems": "at least 20 times as fast",
    "HDIs of the 1,770 pairs of 60 models, 6,000 votes": "at least 5 times as fast",
    "HDIs of the 8,911 pairs of 134 systems x 100 items": "at most 1.2 times as long",
    "P matrix of 134 systems x 500 items from counts": "at most 2 times as long",
    "`compare` of 134 systems x 500 items": "at most 45 times as long",
    "`compare` of 300 systems x 500 items": "at most 55 times as long",
    "`compare` of 600 systems x 500 items": "at most 50 times as long",
    "pass^k of 134 systems x 500 items x 5 runs, k = 1, 3, 5, all pairs": "at most 6 times as long",
    "`compare` of 1,000 systems x 500 items": "at most 3.5 times as long",
    "`compare` of 14 systems x 500 scores of three decimals": "at most 1.3 times as long",
    "20 systems x 100,000 items, 1,000 joint draws and all answers": "at most 1.5 times as long",
    "`import betterthan`": "at most as long, 50 ms",
    "`betterthan --version`": "at most as long, 150 ms",
    "`betterthan --help`": "at most 1.5 times as long, 150 ms",
    "micro F1, 100 documents, 10,000 shuffles": "at least 60 times as fast, 1 ms",
    "the same beside sacrebleu": "at least 100 times as fast",
    "accuracy, 1,000 items": "at least 200 times as fast, 0.8 ms",
    # 200 was held to while the other was timed at its worst: alone it takes 75 ms and not 100
    "accuracy, 1,000 items, beside sacrebleu": "at least 150 times as fast",
    "exact F1, 100 documents": "at most 20 times as long",
    "exact F1, 300 documents": "at most 300 times as long",
    "17 systems (136 pairs), micro F1, 100 documents, 10,000 shuffles": "at most 5 times as long",
    "100 systems x 1,000 items x 10,000 joint draws": "at most 1.5 times as long",
    "P(F of A > F of B), 100 documents, 10,000 draws": "at least 50 times as fast",
    "the same beside sacrebleu's paired bootstrap": "at least 15 times as fast",
    "134 systems x 500 items, 4,000 draws: P(best), ranks, all pairs": "at most 1 s",
    "stepwise by AIC inside each of 35 folds, 35 x 20 features": "at least 10 times as fast",
    "Kendall's tau of 10,000 documents of 20 items": "at least 30 times as fast",
    "Kendall's tau of one order of 1,000,000 items": "at most 3 times as long",
    "Mallows, 3 systems x 200 documents of 12 items, 4 x 1,000 draws": "–",
    "assurance at n = 1 to 1,000": "at least 20 times as fast, 1 s",
    "assurance with a rope at n = 400": "at least 20 times as fast, 10 s",
    "stopping boundary of 1,000 looks": "2 s",
    "8,911 pairs foreseen, 200 more items": "at least 20 times as fast, 5 s",
    "a long CSV of 2,000,000 rows": "at most 4 times as long, 3 x the memory",
    "the same with scores of 4 decimals": "at most 4 times as long, 3 x the memory",
    "Parquet of 200 systems x 10,000 items, 2,000,000 rows": "at most 1.5 times as long",
    "1,000,000 votes in a DataFrame": "at most 3 times as long",
    "the same in Parquet": "at most 3 times as long",
    "samples of lm-eval, 7 kB each": "at most 1.5 times as long, 300 MB",
    "an Inspect archive of 100 MB, with transcripts": "at most 1.5 times as long",
    "100 Inspect archives of 100 samples": "at most 2 times as long",
    "two Inspect logs as JSON of 100 MB": "400 MB",
    "1,000 small Inspect logs": "at most 5 times as long",
    "abilities of 134 systems on 500 items": "at most 3 s",
    "the same, with predictive draws and log likelihoods": "at most 6 s",
    "abilities of 59 systems, 8,931 votes": "at most 3 s",
    "abilities of 200 models, 1,000,000 votes": "at most 1.2 times as long",
    "abilities of 200 models, 10,000,000 votes": "at most 1.2 times as long",
    "abilities by votes of 124 judges, 59 systems, 8,931 votes": "at most 3 s",
    "28 pairs of clusters, 60 of 6 items, draws of all parameters": "at most 1 s",
    "28 pairs over 10 data sets of 50, draws of all parameters": "at most 1.5 s",
    "abilities of 59 systems, 8,931 votes, beside choix": "–",
    "the same beside evalica": "–",
    "the same beside evalica's bootstrap": "at most as long",
    "accuracy, 1,000 items, beside mlxtend": "at least 100 times as fast",
    "signed rank of 50 data sets, beside baycomp": "at least 5 times as fast",
    "P of a judged pair, 10,000 items, nine signals": "at most 0.05 s",
    "45 judged pairs, all answers": "at most 1 s",
    "exact F1, 1,000 documents": "at most 50 times as long",
    "page of 134 systems": "at most 2 s",
    "audit of 181 systems x 500 items, with all bounds": "at most half as long, 2 s",
}


def main() -> None:
    """Time everything once, then write the table."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "times.json"
        command = [
            sys.executable,
            "-m",
            "pytest",
            str(HERE),
            "-q",
            "-n",
            "0",
            f"--benchmark-json={result}",
            "-W",
            "default",
        ]
        one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        subprocess.run(command, check=True, env=one_thread)
        cases = json.loads(result.read_text())["benchmarks"]
    times = least(cases)
    lines = [
        "| task | ours | instead | time of the other | ratio | wanted |",
        "| --- | --: | --- | --: | --: | --- |",
    ]
    lines += [row(group, times[group, "ours"], times[group, "instead"]) for group in BOUNDS]
    broken = [g for g in BOUNDS if not holds(g, times[g, "ours"], times[g, "instead"])]
    text = (HERE / "README.md").read_text()
    start, end = "<!-- table -->\n", "<!-- end -->"
    head, tail = text.split(start)[0], text.split(end)[1]
    (HERE / "README.md").write_text(
        head + start + "\n".join([*lines, "", machine(load)]) + "\n" + end + tail
    )
    if broken:
        sys.exit(f"slower than wanted: {'; '.join(broken)}")


@dataclass
class Timed:
    """One side of a row."""

    told: dict = field(default_factory=dict)
    seconds: float = inf


def least(cases: list[dict]) -> dict[tuple[str, str], Timed]:
    """Of each row and side the least time in all turns, as load only ever adds."""
    found = defaultdict(Timed)
    for case in cases:
        side = found[case["group"], case["params"]["who"]]
        side.told = case["extra_info"] | side.told
        side.seconds = min(side.seconds, case["stats"]["min"] * side.told.get("times", 1))
    return found


def holds(group: str, ours: Timed, instead: Timed) -> bool:
    """Whether the time is as wanted; what is said of memory is told, not held to."""
    parts = BOUNDS[group].split(", ")
    return all(_holds(part, ours.seconds, instead.seconds) for part in parts)


def _holds(wanted: str, mine: float, other: float) -> bool:
    wanted = wanted.replace("half as", "0.5 times as").replace("most as", "most 1 times as")
    if found := re.match(r"at most ([\d.]+) times as long", wanted):
        return mine <= float(found[1]) * other
    if found := re.match(r"at least ([\d.]+) times as fast", wanted):
        return other >= float(found[1]) * mine
    if found := re.match(r"(?:at most )?([\d.]+) (m?)s$", wanted):
        return mine <= float(found[1]) * (0.001 if found[2] else 1)
    return True


def row(group: str, ours: Timed, instead: Timed) -> str:
    """One line of the table."""
    mine, other = ours.seconds, instead.seconds
    ratio = f"{other / mine:.0f} x as fast" if other > 5 * mine else f"{mine / other:.2f} x as long"
    note = f"; {ours.told['note']}" if "note" in ours.told else ""
    if "ess_per_second" in ours.told:
        rates = [side.told["ess_per_second"] for side in (ours, instead)]
        note += f"; least ESS per second, compiling included, {rates[0]:.1f} beside {rates[1]:.1f}"
    times = f"{seconds(mine)} | {instead.told['what']} | {seconds(other)}"
    return f"| {group} | {times} | {ratio}{note} | {BOUNDS[group]} |"


def seconds(value: float) -> str:
    """A time in its natural unit."""
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"


def machine(load: float) -> str:
    """What the table was made on, as far as it matters; `load` is that before it."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "xarray"))
    return (
        f"Python {platform.python_version()}, {libraries}, {os.cpu_count()} cores, load {load:.1f}."
    )


if __name__ == "__main__":
    main()
