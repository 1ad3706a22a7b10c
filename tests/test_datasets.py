"""The published tables, cell by cell."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

REFERENCE = Path(__file__).parent / "reference"


@pytest.mark.parametrize("task", ["named_entity", "template_element", "scenario_template"])
def test_every_check_mark(task):
    printed = pd.read_csv(REFERENCE / f"muc6_{task}.csv", index_col="rank")
    ours = bt.datasets.muc6_similarity(task)
    np.testing.assert_array_equal(ours["score"], printed.pop("f_measure"))
    np.testing.assert_array_equal(ours, printed.to_numpy().astype(bool))


def test_unknown_task():
    with pytest.raises(ValueError, match="task is 'coreference'; choose one of named_entity"):
        bt.datasets.muc6_similarity("coreference")
