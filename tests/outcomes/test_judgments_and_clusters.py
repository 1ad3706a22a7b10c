"""Judgments, trials and clusters: how they are read and counted, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

VOTES = pd.DataFrame(
    {
        "left": ["A", "B", "A", "C"], "right": ["B", "C", "C", "A"], "winner": ["left", "tie", "right", ""],
        "who": ["x", "y", "x", "y"], "prompt": [1, 1, 2, 2],
    }
)  # fmt: skip


def scores():
    values = [[1, 0], [1, 1], [0, 1], [1, 0], [1, 0], [0, 0]]
    return xr.DataArray(
        values,
        dims=("item", "system"),
        coords={
            "item": ["q1", "q1", "q1", "q2", "q2", "q2"], "system": ["A", "B"], "epoch": ("item", [1, 2, 3] * 2),
        },
    )  # fmt: skip


def test_judgments_keep_place_judge_and_prompt():
    found = bt.read_judgments(VOTES, judge="who", cluster="prompt")
    assert found["outcome"].values.tolist() == [1, 0, -1]
    assert found["judge"].values.tolist() == ["x", "y", "x"]
    assert found["system"].values.tolist() == ["A", "B", "C"]
    assert "1 more without a winner left out" in found.attrs["reading"]
    counts = bt.count_judgments(found)
    assert counts.attrs["unit"] == "judgment"
    np.testing.assert_array_equal(counts.values, bt.read(VOTES).values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": ["left", "tie", "nobody", ""]}, "unknown winner"),
        ({"right": ["A", "C", "C", "A"]}, "compared with itself"),
        ({"who": ["x", "", "x", "y"]}, "each row its judge"),
    ],
)
def test_bad_judgments(change, message):
    with pytest.raises(ValueError, match=message):
        bt.read_judgments(VOTES.assign(**change), judge="who")


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="there is no column 'jury' for the judge"):
        bt.read_judgments(VOTES, judge="jury")


def test_every_run_meets_every_run():
    found = bt.count_clusters(scores()).sel(system_a="A", system_b="B")
    assert found["cluster"].values.tolist() == ["q1", "q2"]
    by_hand = []
    for rows in (scores().values[:3], scores().values[3:]):
        a, b = rows[:, 0][:, None], rows[:, 1]
        by_hand.append([int((a > b).sum()), int((a < b).sum()), int((a == b).sum())])
    assert found.values.tolist() == by_hand
    of_trials = bt.count_clusters(bt.count_trials(scores())).sel(system_a="A", system_b="B")
    assert of_trials.values.tolist() == by_hand


def test_the_order_of_runs_does_not_matter():
    shuffled = scores().copy()
    shuffled[:3, 1] = shuffled[:3, 1].values[[2, 0, 1]]
    np.testing.assert_array_equal(bt.count_clusters(shuffled).values, bt.count_clusters(scores()).values)


def test_clusters_of_items_are_paired_by_item():
    data = scores().drop_vars(["item", "epoch"]).assign_coords(cluster=("item", list("aabbbb")))
    found = bt.count_clusters(data).sel(system_a="A", system_b="B")
    assert found.values.tolist() == [[1, 0, 1], [2, 1, 1]]


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (["a", "a", "", "b", "b", "b"], "1 of 6 items have no cluster, the first at place 3"),
        (["a"] * 6, "all items have the same cluster, 'a'"),
    ],
)
def test_bad_clusters(clusters, message):
    data = scores().drop_vars(["item", "epoch"]).assign_coords(cluster=("item", clusters))
    with pytest.raises(ValueError, match=message):
        bt.count_clusters(data)


def test_nothing_to_group_by():
    plain = scores().drop_vars(["item", "epoch"])
    with pytest.raises(ValueError, match="no item coordinate 'cluster' or 'epoch'"):
        bt.count_clusters(plain)
    with pytest.raises(ValueError, match="no item coordinate 'topic'"):
        bt.count_clusters(plain, by="topic")


TABLE = pd.DataFrame({"system": ["A", "B"], "item": ["q", "q"], "successes": [2, 1], "trials": [3, 3]})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE.assign(successes=[4, 1]), "4 successes of 3 trials"),
        (TABLE.assign(successes=[-1, 1]), "successes hold -1"),
        (TABLE.assign(successes=[np.nan, 1]), "column 'successes', row 0: blank"),
        (pd.concat([TABLE, TABLE]), "system 'A' has a row for item 'q' already"),
        (TABLE.drop(columns="trials"), "there is no column 'trials'"),
    ],
)
def test_bad_tables_of_trials(table, message):
    with pytest.raises(ValueError, match=message):
        bt.trials_from_table(table)


def test_comparison_of_trials_is_by_the_share_of_successes():
    found = bt.compare(bt.count_trials(scores()))
    assert found["counts"].sel(system_a="A", system_b="B").values.tolist() == [1, 0, 1]
    assert "prob_best" not in found
