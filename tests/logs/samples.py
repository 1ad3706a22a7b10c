"""Samples with what a careful person reads from them, where they are beside the checkout."""

import json
import math
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from betterthan.logs.roster import READERS
from betterthan.logs.sniffing import LogFile

REASON = "samples of logs that are not ours; the logs made here check the same reader"
FORMATS = Path(__file__).parents[3] / "shared" / "formats"


def needs_samples():
    return pytest.mark.skipif(not FORMATS.is_dir(), reason=REASON)


def files_in(folder):
    """All files of a folder, by their path in it."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    return [LogFile(p, p.relative_to(folder).as_posix()) for p in paths]


def runs_of(reader, files):
    """What the reader of this name reads of the files it recognises."""
    reader = next(r for r in READERS if r.name == reader)
    return reader.runs([f for f in files if reader.recognises(f.preview)])


def cells_of(run, system=None):
    """Rows (system, item, task, metric, epoch, score, status) of a run."""
    cells = run.cells
    for of, metric, raw, status in zip(
        cells.score_sample, cells.metric, cells.raw, cells.status, strict=True
    ):
        score = raw if status == "ok" else None
        name = system or run.system
        yield name, cells.item[of], run.task, metric, cells.epoch[of], score, status


def expected(folder):
    """The EXPECTED.json of a folder of samples."""
    return json.loads((FORMATS / folder / "EXPECTED.json").read_text("utf-8"))


def same_cells(found, wanted, *, epochs=True):
    """Whether the rows are the same; without epochs, as multisets of each item."""

    def key(row):
        return tuple(row[:4]) + ((row[4],) if epochs else ())

    def value(row):
        score = row[5]
        return None if score is None or math.isnan(score) else round(score, 9), row[6]

    a, b = defaultdict(Counter), defaultdict(Counter)
    for into, rows in ((a, found), (b, wanted)):
        for row in rows:
            into[key(row)][value(row)] += 1
    differing = [k for k in dict.fromkeys([*a, *b]) if a[k] != b[k]]
    assert not differing, [(k, dict(a[k]), dict(b[k])) for k in differing[:5]]


def ascending(values):
    return all(x <= y for x, y in pairwise(values))
