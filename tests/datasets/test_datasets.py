"""The published tables, cell by cell."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.mark.parametrize("task", ["named_entity", "template_element", "scenario_template"])
def test_every_check_mark(task):
    printed = pd.read_csv(REFERENCE / f"muc6_{task}.csv", index_col="rank")
    ours = bt.datasets.muc6_similarity(task)
    np.testing.assert_array_equal(ours["score"], printed.pop("f_measure"))
    np.testing.assert_array_equal(ours, printed.to_numpy().astype(bool))


@pytest.mark.parametrize(
    ("task", "one_way"),
    [("named_entity", []), ("template_element", [("9", "7")]), ("scenario_template", [])],
)
def test_where_the_marks_are_one_way(task, one_way):
    marks = bt.datasets.muc6_similarity(task)
    systems = marks["system_a"].values.tolist()
    found = [(a, b) for a in systems for b in systems if marks.loc[a, b] and not marks.loc[b, a]]
    assert found == one_way
    if one_way:
        assert "row 9 marks rank 7, row 7 does not mark rank 9" in marks.attrs["erratum"]


def test_unknown_task():
    with pytest.raises(ValueError, match="task is 'coreference'; choose one of named_entity"):
        bt.datasets.muc6_similarity("coreference")
