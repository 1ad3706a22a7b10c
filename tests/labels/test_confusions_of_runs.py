"""Confusions of items that come in clusters, or that were run several times."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def labelled(**columns):
    rng = np.random.default_rng(1)
    gold, predicted = rng.choice(["x", "y"], (2, 40))
    frame = pd.DataFrame({"item": np.arange(40), "gold": gold, "A": predicted})
    return bt.labels.read(frame.assign(**columns))


@pytest.mark.parametrize(
    ("columns", "units"),
    [
        ({"cluster": np.arange(40) // 4}, "Items of a cluster"),
        ({"item": np.arange(40) // 2, "epoch": np.arange(40) % 2}, "Runs of an item"),
    ],
)
def test_items_that_are_not_independent_are_warned_of(columns, units):
    with pytest.warns(UserWarning, match=f"{units} count as independent, so intervals are too"):
        confusions = bt.labels.confusions(labelled(**columns))
    assert f"! {units} count as independent, so intervals are too narrow." in bt.report(confusions)


@pytest.mark.parametrize("columns", [{}, {"cluster": np.arange(40)}])
def test_independent_items_are_not(columns):
    assert "count as independent" not in bt.report(bt.labels.confusions(labelled(**columns)))
