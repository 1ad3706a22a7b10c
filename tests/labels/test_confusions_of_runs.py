"""Confusions of items that come in clusters, or that were run several times."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def labelled(**columns):
    rng = np.random.default_rng(1)
    gold, predicted = rng.choice(["x", "y"], (2, 20)).repeat(2, axis=1)
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


@pytest.mark.parametrize("read", [bt.labels.read, bt.read])
def test_other_gold_labels_in_another_run_are_warned_of(read):
    rng = np.random.default_rng(1)
    gold = rng.choice(["x", "y"], 20)
    run = pd.DataFrame({"item": np.arange(20), "gold": gold, "A": gold, "B": rng.permutation(gold)})
    runs = [run.assign(epoch=1), run.assign(epoch=2)]
    read(pd.concat(runs, ignore_index=True))
    runs[1]["gold"] = np.roll(gold, 1)
    with pytest.warns(UserWarning, match="and each run is compared with its own"):
        read(pd.concat(runs, ignore_index=True))
    with pytest.warns(UserWarning, match="and each run is compared with its own"):
        read(pd.concat([r.assign(dataset="d") for r in runs], ignore_index=True))
    read(pd.concat([r.assign(dataset=f"d{k}") for k, r in enumerate(runs)], ignore_index=True))
