"""Scores of single items from tallies."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.counts.responses import tally_totals

FRAME = pd.DataFrame(
    {
        "system": ["A", "B", "A", "B", "A", "B"],
        "doc": ["d1", "d1", "d2", "d2", "d3", "d3"],
        "tp": [3, 1, 0, 0, 0, 0],
        "fp": [1, 0, 2, 0, 0, 0],
        "fn": [0, 2, 0, 0, 1, 1],
    }
)


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({}, [[6 / 7, 1 / 2], [0, 1], [0, 0]]),
        ({"statistic": "precision"}, [[3 / 4, 1], [0, 1], [1, 1]]),
        ({"statistic": "recall"}, [[1, 1 / 3], [1, 1], [0, 0]]),
        ({"statistic": "f_beta", "beta": 2.0}, [[15 / 16, 5 / 13], [0, 1], [0, 0]]),
        ({"empty": 0}, [[6 / 7, 1 / 2], [0, 0], [0, 0]]),
    ],
)
def test_scores(choices, expected):
    scores = bt.counts.tally_scores(bt.io.tallies_from_table(FRAME), **choices)
    np.testing.assert_allclose(scores.values, expected)
    assert scores.dims == ("item", "system")
    assert scores["item"].values.tolist() == ["d1", "d2", "d3"]


def test_labels_are_summed():
    labelled = pd.concat([FRAME.assign(label="x"), FRAME.assign(label="y")])
    one, two = bt.io.tallies_from_table(FRAME), bt.io.tallies_from_table(labelled)
    np.testing.assert_allclose(
        bt.counts.tally_scores(one).values, bt.counts.tally_scores(two).values
    )


def test_totals():
    totals = tally_totals(bt.io.tallies_from_table(FRAME))
    assert totals.dims == ("system", "tally")
    assert totals.values.tolist() == [[3, 3, 1], [1, 0, 3]]
    labelled = bt.io.tallies_from_table(
        pd.concat([FRAME.assign(label="x"), FRAME.assign(label="y", tp=0)]), scale=2
    )
    by_label = tally_totals(labelled)
    assert by_label.dims == ("system", "tally", "label")
    assert by_label.dtype == np.int64
    assert by_label.attrs["scale"] == 2
    assert by_label.sel(system="A").values.tolist() == [[6, 0], [6, 6], [2, 2]]
    with pytest.raises(ValueError, match="expected tallies with dims"):
        tally_totals(totals)


def test_documents_won_and_lost():
    counts = bt.count(bt.counts.tally_scores(bt.io.tallies_from_table(FRAME)))
    assert counts.sel(system_a="A", system_b="B").values.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"statistic": "macro_f1"}, "statistic is 'macro_f1'; choose one of precision"),
        ({"empty": 2}, "empty is 2; give a score between 0 and 1"),
        ({"empty": "x"}, "empty is 'x'; give a score between 0 and 1"),
        ({"empty": True}, "empty is True"),
        ({"statistic": "f_beta", "beta": "x"}, "beta is 'x'; give a positive number"),
        ({"statistic": "f_beta", "beta": -1.0}, "beta is -1.0; give a positive number"),
        ({"beta": 2.0}, "beta=2 is for statistic='f_beta'"),
    ],
)
def test_bad_choices(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.counts.tally_scores(bt.io.tallies_from_table(FRAME), **choices)
