"""One mutated log through the package: what it read, against what a strict reader reads."""

import random
import shutil

import betterthan as bt
from validation.fuzzing import log_mutations, log_oracle
from validation.fuzzing.checking import Outcome, attempted
from validation.fuzzing.log_seeds import SEEDS

BY_EPOCH, BY_ROW = (
    ("inspect", "tau2", "helm"),
    ("promptfoo", "deepeval", "pydantic_evals", "tool_rows"),
)


def mutated(number):
    """The kind of a log, its files as bytes, and what was done to them."""
    rng = random.Random(number)
    kind = rng.choice(list(SEEDS))
    files, notes = log_mutations.mutated(rng, SEEDS[kind].files)
    return kind, files, notes


def checked(number, folder):
    """One log, and what became of it."""
    kind, files, notes = mutated(number)
    return of_files(kind, files, notes, folder, number)


def of_files(kind, files, notes, folder, number=0):
    """What becomes of the files of a log."""
    seed, place = SEEDS[kind], folder / "log"
    for name, data in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    data = b"\n".join(files.values())
    outcome = Outcome(number, f"{seed.tool} {kind}", notes, "", "", data)
    try:
        path = place / next(iter(files)) if seed.judged else place
        names = ["log", "no logs", *(name.rpartition("/")[2] for name in files)]
        attempted(
            outcome, lambda: _answer(seed, path), lambda used: _expected(seed, files, used), names
        )
    finally:
        shutil.rmtree(place)
    if outcome.verdict.startswith("refused") and not notes:
        outcome.verdict = "a valid file refused"
    return outcome


def _answer(seed, path):
    """What the package reads, and the names of the files that it used."""
    if seed.judged:
        data = bt.read(path, layout="judgments")
        sides = [data[name].values.tolist() for name in ("system_a", "system_b", "outcome")]
        return sorted(zip(*sides, strict=True)), [path.name]
    logs = bt.read_logs(path, items=seed.items)
    records, runs = logs.records, logs.runs
    used = [name for files in runs["files"] for name in files]
    scored = records[records["status"] == "ok"]
    items = scored["item"].astype(str)
    if seed.tool in BY_ROW:
        keys = scored["row"].tolist()
    elif seed.tool in BY_EPOCH:
        keys = zip(items, scored["epoch"].tolist(), strict=True)
    else:
        keys = items
    return set(zip(keys, scored["metric"].astype(str), scored["score"].tolist(), strict=True)), used


def _expected(seed, files, used):
    """What a strict reader reads in the files used; None where it refuses them."""
    try:
        right = getattr(log_oracle, seed.tool)(
            {k: v for k, v in files.items() if k in (used or files)}
        )
    except log_oracle.StrictError:
        return None
    return sorted(right) if seed.judged else right
