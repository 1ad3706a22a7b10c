import json

import numpy as np

import betterthan as bt
from betterthan.reporting.records import as_json


def test_one_row_per_pair_and_the_numbers_of_the_comparison():
    comparison = bt.compare(bt.datasets.intent_detection())
    table = bt.pair_table(comparison).set_index(["system_a", "system_b"])
    assert len(table) == 28
    assert table.loc[("NN W", "LUIS"), ["wins", "losses"]].tolist() == [78, 62]
    expected = comparison["prob_better"].sel(system_a="NN W", system_b="LUIS").item()
    assert table.loc[("NN W", "LUIS"), "prob_better"] == expected
    assert "ties" not in table


def test_json_has_no_nan_and_reads_back():
    comparison = bt.compare(bt.datasets.contingency_case("a"), rope=0.01, ties="drop")
    document = json.loads(as_json(comparison))
    (row,) = document["pairs"]
    assert row["verdict"] == "a_better"
    assert np.isclose(row["mass_b_better"] + row["mass_rope"] + row["mass_a_better"], 1)
    assert document["signature"] == bt.signature(comparison)
