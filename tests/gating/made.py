"""Files of two systems, made by hand: tables, and logs as Inspect writes them."""

import csv
import io
import json

import numpy as np

from betterthan.gating.baseline_files import Baseline


def answers(right, wrong_to_right=0.0, right_to_wrong=0.0, seed=0):
    """Right and wrong answers of a system, from those of another and how many differ."""
    rng = np.random.default_rng(seed)
    u = rng.random(len(right))
    right = np.asarray(right, bool)
    return np.where(right, u >= right_to_wrong, u < wrong_to_right).astype(int)


def first(n, share=0.7):
    """Of the first system."""
    return (np.arange(n) * 7 % 10 < 10 * share).astype(int)


def table(path, scores, ids=None, **beside):
    """A table of one system; None is an empty cell."""
    ids = [f"q{k}" for k in range(1, len(scores) + 1)] if ids is None else ids
    rows = [",".join(["item", *beside, "score"])]
    for k, score in enumerate(scores):
        own = [str(column[k]) for column in beside.values()]
        rows.append(",".join([str(ids[k]), *own, "" if score is None else str(score)]))
    path.write_text("\n".join(rows) + "\n")
    return path


def log(
    path, scores, *, prompt="Be brief.", shift=0, task="squares", ids=None, more=(), scorer="match"
):
    """A log of Inspect; None is a sample that ended in an error."""
    ids = [f"q{k}" for k in range(1, len(scores) + 1)] if ids is None else ids
    samples = [
        {
            "id": ids[k],
            "epoch": 1,
            "input": f"What is {k + shift} times {k}?",
            "target": str(k),
            "scores": {}
            if score is None
            else {name: {"value": "C" if score else "I"} for name in (scorer, *more)},
        }
        | ({"error": {"message": "429 rate limit"}} if score is None else {})
        for k, score in enumerate(scores)
    ]
    about = {"task": task, "run_id": path.stem, "model": "m", "dataset": {"sample_ids": ids}}
    about |= {"config": {"epochs": 1}, "scorers": [{"name": n} for n in (scorer, *more)]}
    steps = [{"solver": "system_message", "params": {"template": prompt}}]
    document = {"version": 2, "status": "success", "eval": about, "plan": {"steps": steps}}
    path.write_text(json.dumps(document | {"samples": samples}))
    return path


def rehashed(text):
    """A baseline with the digests that its content has, where it can be read at all."""
    top, _, rows = text.rpartition("\n# ")
    last, _, rows = rows.partition("\n")
    lines = [line.removeprefix("# ") for line in f"{top}\n{last}".splitlines()[1:]]
    try:
        header = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}
        header.pop("signature", None)
        kind, version, *old = (header.pop(key) for key in ("kind", "version", "items", "digest"))
        held = list(csv.DictReader(io.StringIO(rows, newline="")))
        hashes = Baseline(kind, held, header, version).hashes
    except (ValueError, TypeError, KeyError, RecursionError):
        return text
    for before, after in zip(map(json.dumps, old), hashes.values(), strict=True):
        text = text.replace(before, f'"{after}"') if before.startswith('"') else text
    return text
