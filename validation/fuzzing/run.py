"""Damaged files by the thousand: ``python -m validation.fuzzing.run KIND NUMBER [--first SEED]``.

KIND is one of tables, logs, netcdf, netcdf_values, netcdf_no_digest and baselines. With ``--keep``
the counts are written to ``validation/results/fuzzing/counts.json``. Ends with code 1 if any file
is misread, ends in a raw exception, a message without its file, or a hang.
"""

import argparse
import collections
import json
import sys
import tempfile
import time
from pathlib import Path

from validation.fuzzing import checking, log_checking, saved_checking

RESULTS = Path(__file__).parents[1] / "results" / "fuzzing" / "counts.json"
KINDS = {
    "tables": checking.checked,
    "logs": log_checking.checked,
    "netcdf": saved_checking.changed_bytes,
    "netcdf_values": saved_checking.changed_values,
    "netcdf_no_digest": saved_checking.without_digest,
    "baselines": saved_checking.baseline,
}
NAMES = {
    "netcdf": "saved comparison, changed bytes",
    "netcdf_values": "saved comparison, changed values",
    "netcdf_no_digest": "saved comparison without digest",
}
# what is written of each verdict
OUTCOMES = {
    "read": "equal",
    "read without digest": "no digest",
    "refused": "refused",
    "refused, though it can be read": "refused",
    "read as what it does not say": "misread",
    "a valid file refused": "valid refused",
    "another exception": "raw exception",
    "a message without its file, of another kind, or of several lines": "unclear message",
    "hang": "hang",
}


def name_of(kind, outcome):
    """What a file is called in the results: the reader, the tool, or what was saved."""
    if kind in ("tables", "logs"):
        return f"{kind[:-1]}: {outcome.kind.split()[0]}"
    return NAMES.get(kind, outcome.kind)


def run(kind, number, first=0, show=20):
    """The counts of outcomes by name, with examples of what is wrong printed."""
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    shown = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + number):
            outcome = KINDS[kind](seed, Path(folder))
            counts[name_of(kind, outcome)][OUTCOMES[outcome.verdict]] += 1
            if outcome.verdict == "refused, though it can be read":
                reasons[outcome.said.split(": ", 1)[-1][:60]] += 1
            if outcome.wrong and (shown := shown + 1) <= show:
                lines = outcome.seed, outcome.kind, outcome.notes, outcome.verdict
                print(*lines, outcome.said[:600], sep="\n  ", flush=True)
    return counts, reasons


def keep(kind, counts, first, number, seconds):
    """Write the counts of a kind over those of an earlier run."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    seeds = {"first": first, "number": number, "seconds": round(seconds)}
    outcomes = {name: dict(sorted(of.items())) for name, of in sorted(counts.items())}
    results[kind] = seeds | {"outcomes": outcomes}
    ordered = {kind: results[kind] for kind in KINDS if kind in results}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("number", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    chosen = parser.parse_args(arguments)
    start = time.process_time()
    counts, reasons = run(chosen.kind, chosen.number, chosen.first)
    seconds = time.process_time() - start
    total = sum(counts.values(), collections.Counter())
    print(f"{chosen.number} {chosen.kind}, {seconds:.0f} s of processor time: {dict(total)}")
    print(*(f"{count:7d} {reason}" for reason, count in reasons.most_common(15)), sep="\n")
    if chosen.keep:
        keep(chosen.kind, counts, chosen.first, chosen.number, seconds)
    return not set(total) <= {"equal", "refused", "no digest"}


if __name__ == "__main__":
    sys.exit(main())
