"""Judgments, trials and clusters: how they are read and counted, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.judgments import judgment_rows

VOTES = pd.DataFrame(
    {
        "left": ["A", "B", "A", "C"],
        "right": ["B", "C", "C", "A"],
        "winner": ["left", "tie", "right", ""],
        "who": ["x", "y", "x", "y"],
        "prompt": [1, 1, 2, 2],
    }
)


def scores():
    values = [[1, 0], [1, 1], [0, 1], [1, 0], [1, 0], [0, 0]]
    return xr.DataArray(
        values,
        dims=("item", "system"),
        coords={
            "item": ["q1", "q1", "q1", "q2", "q2", "q2"],
            "system": ["A", "B"],
            "epoch": ("item", [1, 2, 3] * 2),
        },
    )


def test_judgments_keep_place_judge_and_prompt():
    found = bt.io.read_judgments(VOTES, judge="who", cluster="prompt")
    assert found["outcome"].values.tolist() == [1, 0, -1]
    assert found["judge"].values.tolist() == ["x", "y", "x"]
    assert found["system"].values.tolist() == ["A", "B", "C"]
    assert "1 more without a winner left out" in found.attrs["reading"]
    counts = bt.count(found)
    assert counts.attrs["unit"] == "judgment"
    np.testing.assert_array_equal(counts.values, bt.read(VOTES).values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": ["left", "tie", "nobody", ""]}, "unknown winner"),
        (
            {"model_a": "b", "model_b": "A", "winner": ["left", "a", "tie", ""]},
            "row 1, column 'winner', value 'a': the name of one system here and the word for",
        ),
        ({"right": ["A", "C", "C", "A"]}, "compared with itself"),
        ({"who": ["x", "", "x", "y"]}, "each row its judge"),
    ],
)
def test_bad_judgments(change, message):
    with pytest.raises(ValueError, match=message):
        bt.io.read_judgments(VOTES.assign(**change), judge="who")


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="there is no column 'jury' for the judge"):
        bt.io.read_judgments(VOTES, judge="jury")


def test_every_run_meets_every_run():
    found = bt.count(scores(), by="cluster").sel(system_a="A", system_b="B")
    assert found["cluster"].values.tolist() == ["q1", "q2"]
    by_hand = []
    for rows in (scores().values[:3], scores().values[3:]):
        a, b = rows[:, 0][:, None], rows[:, 1]
        by_hand.append([int((a > b).sum()), int((a < b).sum()), int((a == b).sum())])
    assert found.values.tolist() == by_hand
    of_trials = bt.count(bt.counts.trials(scores()), by="item").sel(system_a="A", system_b="B")
    assert of_trials.values.tolist() == by_hand


def test_the_order_of_runs_does_not_matter():
    shuffled = scores().copy()
    shuffled[:3, 1] = shuffled[:3, 1].values[[2, 0, 1]]
    for by in ("cluster", "item"):
        found, expected = (bt.count(data, by=by).values for data in (shuffled, scores()))
        np.testing.assert_array_equal(found, expected)


def test_clusters_of_items_are_paired_by_item():
    data = scores().drop_vars(["item", "epoch"]).assign_coords(cluster=("item", list("aabbbb")))
    found = bt.count(data, by="cluster").sel(system_a="A", system_b="B")
    assert found["cluster"].values.tolist() == ["a", "b"]
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
        bt.count(data, by="cluster")


def test_nothing_to_group_by():
    plain = scores().drop_vars(["item", "epoch"])
    with pytest.raises(ValueError, match="no item coordinate 'cluster', nor 'epoch'"):
        bt.count(plain, by="cluster")
    with pytest.raises(ValueError, match="no item coordinate 'topic'"):
        bt.count(plain, by="topic")


TABLE = pd.DataFrame(
    {"system": ["A", "B"], "item": ["q", "q"], "successes": [2, 1], "trials": [3, 3]}
)


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
        bt.counts.trials_from_table(table)


def test_comparison_of_trials_is_by_the_share_of_successes():
    found = bt.compare(bt.counts.trials(scores()))
    assert found["counts"].sel(system_a="A", system_b="B").values.tolist() == [1, 0, 1]
    assert "prob_best" not in found


def in_two_sets(epochs=2):
    """Items q1 and q2 in data sets x and y, each run as often."""
    random = np.random.default_rng(4)
    ids, sets = ["q1", "q2"] * 2 * epochs, ["x", "x", "y", "y"] * epochs
    return xr.DataArray(
        (random.random((4 * epochs, 2)) < 0.6).astype(float),
        dims=("item", "system"),
        coords={
            "item": ids,
            "system": ["A", "B"],
            "dataset": ("item", sets),
            "epoch": ("item", np.repeat(np.arange(epochs), 4)),
        },
    )


def test_an_id_in_two_data_sets_is_two_items():
    runs = bt.count(in_two_sets(), by="item")
    trials = bt.count(bt.counts.trials(in_two_sets()), by="item")
    assert runs["cluster"].values.tolist() == ["x / q1", "x / q2", "y / q1", "y / q2"]
    assert trials["cluster"].values.tolist() == runs["cluster"].values.tolist()
    np.testing.assert_array_equal(runs.values, trials.values)
    single = in_two_sets(1).drop_vars("epoch")
    assert bt.count(single, by="dataset").sizes["dataset"] == 2
    of_sets = single.assign_coords(cluster=single["dataset"])
    assert bt.count(of_sets, by="cluster")["cluster"].values.tolist() == ["x", "y"]
    assert bt.count(single, by="item").sizes["cluster"] == 4


def test_runs_of_an_item_are_in_one_cluster():
    apart = scores().assign_coords(cluster=("item", ["s1", "s2", "s1", "s1", "s1", "s1"]))
    with pytest.raises(
        ValueError, match="item 'q1' has the cluster 's1' in one run and 's2' in another"
    ):
        bt.count(apart, by="cluster")
    with pytest.raises(ValueError, match="item 'q1' has the cluster"):
        bt.counts.trials(apart)


def test_another_grouping_than_the_cluster():
    data = (
        scores()
        .drop_vars(["item", "epoch"])
        .assign_coords(cluster=("item", list("aabbcc")), document=("item", list("xxxyyy")))
    )
    by_document = bt.count(data, by="document")
    assert by_document["document"].values.tolist() == ["x", "y"]
    renamed = bt.count(data.drop_vars("cluster").rename(document="cluster"), by="cluster")
    assert renamed["cluster"].values.tolist() == ["x", "y"]
    np.testing.assert_array_equal(renamed.values, by_document.values)


def test_one_cluster_of_repeated_items_falls_back_to_items():
    data = scores().assign_coords(cluster=("item", ["a"] * 6))
    assert bt.count(data, by="cluster")["cluster"].values.tolist() == ["q1", "q2"]
    trials = bt.counts.trials(scores())
    with pytest.raises(ValueError, match="trials are counted within their items: by='item'"):
        bt.count(trials)


def test_trials_without_a_cluster_are_refused():
    trials = bt.counts.trials(scores()).assign_coords(
        cluster=("item", np.array([None, "a"], dtype=object))
    )
    with pytest.raises(ValueError, match="1 of 2 items have no cluster, the first at place 1"):
        bt.count(trials, by="cluster")
    with pytest.raises(ValueError, match="margin=1 is for scores"):
        bt.count(bt.counts.trials(scores()), margin=1)


def test_ids_of_trials_are_text_without_blanks():
    table = pd.DataFrame(
        {"system": ["A", "A ", "B"], "item": [1, "1", 1], "successes": [3, 1, 2], "trials": 5}
    )
    with pytest.raises(ValueError, match="row 1: system 'A' has a row for item '1' already"):
        bt.counts.trials_from_table(table)


def test_a_judgment_without_a_judge():
    judgments = bt.models.davidson.simulate(3, judgments=30, judges=2, rng=1)
    names = judgments["judge"].values.astype(object)
    names[4] = None
    with pytest.raises(ValueError, match="judgment 5 has no judge"):
        bt.models.davidson.build(judgments.assign_coords(judge=("judgment", names)), judges=True)
    with pytest.raises(ValueError, match="there are no judgments"):
        bt.count(judgments.isel(judgment=slice(0)))
    itself = judgments.copy()
    itself["system_b"] = itself["system_a"]
    with pytest.raises(ValueError, match=r"^judgment 1: 's\d' is compared with itself"):
        bt.count(itself)


def test_counts_keep_where_judgments_came_from():
    counts = bt.count(bt.io.read_judgments(VOTES))
    assert "1 more without a winner left out" in bt.compare(counts).attrs["reading"]


def test_more_successes_than_trials_are_refused_everywhere():
    trials = bt.counts.trials(scores())
    trials["successes"] += 2
    with pytest.raises(ValueError, match="successes cannot exceed trials"):
        bt.compare(trials)


def test_columns_that_are_not_used_are_named():
    assert "ignored columns 'who', 'prompt'" in bt.io.read_judgments(VOTES).attrs["reading"]
    assert (
        "ignored" not in bt.io.read_judgments(VOTES, judge="who", cluster="prompt").attrs["reading"]
    )


def test_judgments_of_one_prompt_are_a_cluster():
    judged = bt.io.read_judgments(
        VOTES.assign(winner=["left", "tie", "right", "C"]), judge="who", cluster="prompt"
    )
    by_prompt = bt.count(judged, by="cluster")
    assert by_prompt["cluster"].values.tolist() == ["1", "2"]
    np.testing.assert_array_equal(by_prompt.sum("cluster").values, bt.count(judged).values)
    assert by_prompt.sel(system_a="A", system_b="C").values.tolist() == [[0, 0, 0], [0, 2, 0]]
    assert bt.count(judged, by="judge")["cluster"].values.tolist() == ["x", "y"]
    assert bt.advise(by_prompt).model == "student_t"
    with pytest.raises(ValueError, match="have no judge: read_judgments"):
        bt.count(bt.io.read_judgments(VOTES), by="judge")
    with pytest.raises(ValueError, match="by is 'prompt'"):
        bt.count(judged, by="prompt")


def test_rows_of_counts_are_the_same_by_pair_and_as_a_square():
    square = bt.count(bt.io.read_judgments(VOTES))
    turned = square.isel(system_a=[2, 0, 1], system_b=[2, 0, 1])
    for counts in (square, turned):
        whole, pairs = (
            judgment_rows(given, position=False, judges=False)
            for given in (counts, bt.counts.to_pairs(counts))
        )
        assert whole.systems == counts["system_a"].values.tolist()
        assert sorted(pairs.systems) == ["A", "B", "C"]
        by_name = [
            {
                (r.systems[a], r.systems[b]): tuple(n)
                for a, b, n in zip(r.a, r.b, r.counts, strict=True)
            }
            for r in (whole, pairs)
        ]
        assert by_name[0] == by_name[1]
