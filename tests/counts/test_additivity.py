"""Wins and losses of right and wrong items add up, and tell how errors go together."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.tables import both_right, triple_that_does_not_add_up


def scores_of(values):
    systems = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": systems})


@pytest.fixture(scope="module")
def right_and_wrong():
    random = np.random.default_rng(3)
    return scores_of((random.random((120, 5)) < [0.5, 0.55, 0.6, 0.62, 0.8]).astype(float))


@pytest.mark.parametrize("systems", [2, 3, 7])
def test_items_that_two_systems_have_right_up_to_a_constant(systems):
    values = (np.random.default_rng(systems).random((40, systems)) < 0.6).astype(float)
    both, items = both_right(bt.count(scores_of(values)))
    apart = both - values.T @ values
    assert items == 40
    np.testing.assert_allclose(apart, apart[0, 0], atol=1e-9)


def test_the_published_table_adds_up():
    """All 28 pairs of Table A2: no triple contradicts another."""
    assert not triple_that_does_not_add_up(bt.datasets.intent_detection())


def test_a_typing_error_is_named_with_its_triple():
    table = {("A", "B"): (12, 10), ("B", "C"): (10, 60), ("A", "C"): (14, 50)}
    with pytest.warns(
        UserWarning, match=r"A - C -36 and C - B \+50 make A - B \+14, and it is \+2"
    ):
        bt.counts.from_table(table, unit="item")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.counts.from_table(table)  # separate judgments need not add up
        bt.counts.from_table(table | {("A", "C"): (14, 62)}, unit="item")


def test_of_many_pairs_the_one_that_contradicts_most_is_named():
    counts = bt.datasets.intent_detection()
    wrong = counts.copy()
    a, b = {"system_a": "NN W", "system_b": "CNN T"}, {"system_a": "CNN T", "system_b": "NN W"}
    wrong.loc[{**a, "outcome": "win"}] = wrong.loc[{**b, "outcome": "loss"}] = 71  # for 17
    assert "NN W - CNN T -41, and it is +13" in triple_that_does_not_add_up(wrong)


def test_a_table_that_was_read_is_checked_too(tmp_path):
    rows = [("A", "B", 12, 10, 60), ("B", "C", 10, 60, 12), ("A", "C", 14, 50, 18)]
    frame = pd.DataFrame(rows, columns=["system_a", "system_b", "wins", "losses", "ties"])
    with pytest.warns(UserWarning, match="typing error"):
        bt.read(frame, unit="item")


def test_of_a_table_alone_the_answer_is_that_of_its_items(right_and_wrong):
    """Wins and losses say all that the joint model asks of right and wrong items."""
    of_items, of_table = bt.compare(right_and_wrong), bt.compare(bt.count(right_and_wrong))
    names = ["prob_better", "difference_mean", "difference_lower", "difference_upper", "mass"]
    for name in names:
        np.testing.assert_allclose(of_table.data[name], of_items.data[name], atol=1e-12)
    assert (of_table.data["verdict"] == of_items.data["verdict"]).all()
    error = np.hypot(of_table.data["prob_best_mcse"], of_items.data["prob_best_mcse"])
    assert (abs(of_table.data["prob_best"] - of_items.data["prob_best"]) <= 4 * error + 1e-9).all()


def test_who_is_best_of_the_published_table():
    """Whatever the number of items, which the table does not print."""
    wins = bt.datasets.intent_detection()
    systems = wins["system_a"].values.tolist()
    table = {
        (a, b): tuple(wins.sel(system_a=a, system_b=b).values.tolist())
        for k, a in enumerate(systems)
        for b in systems[k + 1 :]
    }
    best = []
    for items in (500, 1370, 5000):
        comparison = bt.compare(bt.counts.from_table(table, unit="item", n_items=items))
        best.append(comparison.data["prob_best"].sel(system="CNN T").item())
    assert min(best) > 0.9
    assert max(best) - min(best) < 0.03


def test_pairs_of_the_same_items_may_be_named_afterwards(right_and_wrong):
    counts = bt.count(right_and_wrong)
    unknown = counts.assign_attrs(unit="unknown")
    assert "unit='item'" in bt.compare(unknown).data.attrs["no_joint"]
    assert "prob_best" in bt.compare(unknown, unit="item").data


def test_where_they_are_named_afterwards_the_reason_names_the_triple():
    table = {("A", "B"): (12, 10, 60), ("B", "C"): (10, 60, 12), ("A", "C"): (14, 50, 18)}
    comparison = bt.compare(bt.counts.from_table(table), unit="item")
    assert "C - B +50 make A - B +14, and it is +2" in comparison.data.attrs["no_joint"]


def test_advice_agrees_with_the_answer(right_and_wrong):
    counts = bt.count(right_and_wrong)
    for same in (counts, bt.counts.to_pairs(counts)):
        assert "ranks are answered by one joint model" in bt.advise(same).why
    without_ties = counts.sel(outcome=["win", "loss"]).assign_attrs(ties="unknown")
    other = bt.counts.from_table({("A", "B"): (3, 2, 5), ("A", "C"): (4, 1, 5)}, unit="item")
    for different in (without_ties, other):
        assert "pairs are answered one by one" in bt.advise(different).why


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({("A", "B"): (3, 2, 5), ("A", "C"): (4, 1, 5)}, "not every pair was compared"),
        (
            {("A", "B"): (3, 2, 5), ("A", "C"): (4, 1, 5), ("B", "C"): (3, 1, 5)},
            "different numbers of items",
        ),
        (
            {("A", "B"): (1, 0, 11), ("A", "C"): (6, 4, 2), ("B", "C"): (1, 0, 11)},
            "no right and wrong answers",
        ),
        ({("A", "B"): (3, 2), ("A", "C"): (4, 1), ("B", "C"): (4, 2)}, "number of all items"),
    ],
)
def test_why_a_table_has_no_joint_answer(table, why):
    reason = bt.compare(bt.counts.from_table(table, unit="item")).data.attrs["no_joint"]
    assert why in reason


@pytest.mark.parametrize("coordinate", ["cluster", "epoch"])
def test_counts_of_clusters_and_runs_are_no_independent_items(right_and_wrong, coordinate):
    labels = [f"c{k // 10}" for k in range(120)] if coordinate == "cluster" else np.arange(120) % 2
    data = right_and_wrong.assign_coords(
        {coordinate: ("item", labels), "item": [f"q{k // 2}" for k in range(120)]}
    )
    data = data if coordinate == "epoch" else data.assign_coords(item=np.arange(120))
    comparison = bt.compare(bt.count(data))
    assert "clusters or runs" in comparison.data.attrs["no_joint"]
    alike = {"cluster": "Items of a cluster", "epoch": "Runs of an item"}[coordinate]
    assert f"! {alike} count as independent" in " ".join(str(comparison).split())


def test_wins_of_graded_scores_do_not_tell_means():
    values = np.random.default_rng(0).random((3, 3))
    values[:] = np.sort(values, axis=1)  # adds up by chance
    reason = bt.compare(bt.count(scores_of(np.tile(values, (3, 1))))).data.attrs["no_joint"]
    assert "graded" in reason


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n_items": 10}, "pass unit='item', too"),
        ({"n_items": 4, "unit": "item"}, "3 wins and 2 losses, which are more than n_items=4"),
    ],
)
def test_the_number_of_items_must_fit(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.counts.from_table({("A", "B"): (3, 2)}, **choices)
    with pytest.raises(ValueError, match="this one has them"):
        bt.counts.from_table({("A", "B"): (3, 2, 5)}, unit="item", n_items=10)
    for cell in ("x", None, 1.5, -1):
        with pytest.raises(ValueError, match=r"counts of \('A', 'B'\)"):
            bt.counts.from_table({("A", "B"): (3, cell)}, unit="item", n_items=10)


def test_pairs_on_different_items_have_no_joint_answer_even_where_wins_add_up():
    """Each system lacks another item, which all others have right."""
    values = (np.random.default_rng(1).random((60, 3)) < 0.6).astype(float)
    values[:3] = np.where(np.eye(3), np.nan, 1)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABC")})
    data = bt.compare(bt.count(scores)).data
    assert "prob_best" not in data
    assert data.attrs["no_joint"].startswith("scores are missing")
    assert "prob_best" in bt.compare(bt.count(scores, missing="complete")).data


@pytest.fixture
def of_two_sets():
    values = (np.random.default_rng(28).random((140, 4)) < [0.5, 0.62, 0.62, 0.62]) * 1.0
    return scores_of(values).assign_coords(dataset=("item", ["x"] * 40 + ["y"] * 100))


def test_counts_of_a_part_are_of_its_items(of_two_sets):
    """And so they have a joint model, and no score is missing."""
    by_set = bt.count(of_two_sets, by="dataset")
    for name, items in (("x", slice(0, 40)), ("y", slice(40, None))):
        own, alone = bt.compare(by_set.sel(dataset=name)), of_two_sets.isel(item=items)
        assert (
            str(own).split("betterthan")[0]
            == str(bt.compare(bt.count(alone))).split("betterthan")[0]
        )
        assert own.data.attrs["n_items"] == alone.sizes["item"]


def test_counts_that_are_put_together_are_of_all_items(of_two_sets):
    parts = [bt.count(of_two_sets.isel(item=items)) for items in (slice(0, 40), slice(40, None))]
    together = bt.compare(xr.concat(parts, pd.Index(["x", "y"], name="dataset")))
    assert together.data.attrs["n_items"] == 140
    whole = bt.compare(bt.count(of_two_sets))
    np.testing.assert_array_equal(together["verdict"], whole["verdict"])


def test_counts_of_a_part_that_may_lack_scores_have_no_number_of_items(of_two_sets):
    gaps = of_two_sets.where(
        (of_two_sets["item"] != of_two_sets["item"][3]) | (of_two_sets["system"] != "s1")
    )
    part = bt.compare(bt.count(gaps, by="dataset").sel(dataset="y"))
    assert part.data.attrs.get("n_items") != 140
