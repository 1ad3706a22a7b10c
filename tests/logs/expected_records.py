"""What readers find, beside what a careful person read from the same files."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from betterthan.logs.sniffing import LogFile

FORMATS = Path(os.environ.get("SHARED", Path(__file__).parents[3] / "shared")) / "formats"


def folder(name):
    """A folder of samples; the test is skipped where they are not there."""
    found = FORMATS / name
    if not found.exists():
        pytest.skip("samples of logs that are not ours; the logs made here check the same reader")
    return found


def log_files(*paths):
    return [LogFile(Path(path), Path(path).name) for path in paths]


def rows(runs, name):
    """system, item, metric, epoch, score, status, one for each score."""
    found = []
    for run in runs:
        cells = run.cells
        for of, metric, raw, status in zip(
            cells.score_sample, cells.metric, cells.raw, cells.status, strict=True
        ):
            score = raw if status == "ok" else None
            found.append((name(run), cells.item[of], metric, cells.epoch[of], score, status))
    return found


def as_items(records, digits=9):
    """The items by what every system got on them: the same, however they are named."""
    items = {}
    for system, item, metric, _epoch, score, status in records:
        score = None if score is None else round(float(score), digits)
        items.setdefault(item, []).append((system, metric, str(score), status))
    return Counter(tuple(sorted(of)) for of in items.values())


def expected(path):
    """The records a careful person read."""
    told = json.loads((path / "EXPECTED.json").read_text())
    assert told["columns"] == ["system", "item", "task", "metric", "epoch", "score", "status"]
    return [(s, item, m, e, score, status) for s, item, _, m, e, score, status in told["records"]]


def epochs(records):
    """The runs of each item of a system, by number."""
    found = {}
    for system, item, metric, epoch, *_ in records:
        found.setdefault((system, item, metric), []).append(epoch)
    return Counter((system, metric, tuple(sorted(of))) for (system, _, metric), of in found.items())
