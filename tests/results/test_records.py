import json

import numpy as np

import betterthan as bt
from betterthan.results.kinds import build_page
from betterthan.results.reports import as_json
from betterthan.results.tables import pair_rows


def test_json_has_no_nan_and_reads_back():
    comparison = bt.compare(bt.datasets.contingency_case("a"), rope=0.01, ties="drop")
    document = json.loads(as_json(comparison))
    (row,) = document["pairs"]
    assert (row["system"], row["other"], row["verdict"]) == ("A", "B", "better")
    assert 0 < row["within_rope"] < 1
    assert document["signature"] == bt.signature(comparison)


def test_json_has_the_rows_of_the_report():
    comparison = bt.compare(bt.datasets.intent_detection())
    document = json.loads(as_json(comparison))
    rows = pair_rows(comparison)
    assert [(row["system"], row["other"]) for row in document["pairs"]] == list(
        zip(rows["system"], rows["other"], strict=True)
    )
    (part,) = [part for part in build_page(comparison).parts if part.heading == "Pairs"]
    assert [row[:2] for row in part.tables[0].rows] == list(
        zip(rows["system"], rows["other"], strict=True)
    )
    assert np.isfinite([row["prob_better"] for row in document["pairs"]]).all()
    assert "NaN" not in as_json(comparison)
