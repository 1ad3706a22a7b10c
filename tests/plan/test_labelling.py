"""Labels by people beside a judge: what they are worth, and which come next."""

import numpy as np
import pytest

import betterthan as bt

COUNTS = bt.judged.from_table({("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))})


def test_worth_ceiling_and_best_ratio():
    found = bt.plan.gold(COUNTS, cost_human=1, cost_judge=0.02)
    r2, m, n = (found[k].item() for k in ("r2", "n_gold", "n"))
    assert found["effective_gold"].item() == pytest.approx(m / (1 - r2 + r2 * m / n))
    assert found["ceiling"].item() == pytest.approx(m / (1 - r2))
    # of all ways to spend a budget, the one of least variance
    labels = np.linspace(1, 99, 40_000)
    items = (100 - labels) / 0.02
    best = np.argmin((1 - r2) / labels + r2 / items)
    assert found["best_ratio"].item() == pytest.approx(items[best] / labels[best], rel=1e-3)


@pytest.mark.parametrize("costs", [(1, 0.02), (1, 0.2), (1, 1), (1, 2)])
def test_labels_alone_are_the_better_buy_where_a_judge_costs_too_much(costs):
    """By every way to spend a budget: a judge's items hold those with a label."""
    found = bt.plan.gold(COUNTS, cost_human=costs[0], cost_judge=costs[1])
    r2, labels = found["r2"].item(), np.linspace(0.01, 100, 40_000)
    items = (100 - costs[0] * labels) / costs[1]
    judged = items >= labels
    with_judge = ((1 - r2) / labels + r2 / np.where(judged, items, 1))[judged].min()
    alone = with_judge >= costs[0] / 100
    assert (found["best_ratio"].item() == 1) == alone
    assert found["best_ratio"].item() >= 1
    assert ("human labels alone are the most informative" in str(found)) == alone


def test_the_width_now_is_that_of_the_exact_spread_and_more_labels_narrow_it():
    found = bt.plan.gold(COUNTS)
    sd = bt.difference(COUNTS)["sd"].item()
    assert found["width"].values[0, 0] == pytest.approx(2 * 1.959964 * sd, rel=1e-6)
    assert (np.diff(found["width"].values[0]) < 0).all()
    assert (found["width_chosen"].values <= found["width"].values + 1e-12).all()
    assert found["next"].sum("signal").values[0].tolist() == [0, 60, 180, 420]
    bare = COUNTS["judged"].values - COUNTS["gold"].values.sum(1)
    assert (found["next"].values[0] <= bare).all()


def test_a_signal_without_a_label_comes_first():
    bare = bt.judged.from_table({("A", "B"): ([[9, 1, 0], [1, 9, 0], [1, 1, 0]], (90, 80, 60))})
    following = bt.plan.gold(bare)["next"].isel(pair=0, labels=1)
    assert following.idxmax("signal").item() == "tie"


def test_it_shows_itself():
    said = str(bt.plan.gold(COUNTS, cost_human=1, cost_judge=0.02))
    said = " ".join(said.split())
    assert "60 human labels among 500 judged items have an effective number of about 78" in said
    assert "At your costs, 4.2 judged items per human label are the most informative." in said
    assert "labels beside a judge" in said
    widths = bt.plan.gold(COUNTS).data.isel(pair=0, labels=1)
    assert f"{widths['width'].item():.2f}" == f"{widths['width_chosen'].item():.2f}"
    narrower = "The best allocation to judge outputs makes it less than 0.01 narrower."
    assert f"if their items are random. {narrower}" in said
    assert 0 < widths["width"].item() - widths["width_chosen"].item() < 0.01


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"cost_human": 1}, "cost_judge is not given"),
        ({"cost_human": -1, "cost_judge": 1}, "cost_human is -1; give a positive number"),
        ({"ci_prob": 2}, "ci_prob"),
    ],
)
def test_bad_choices(choices, said):
    with pytest.raises(ValueError, match=said):
        bt.plan.gold(COUNTS, **choices)


def test_pairs_of_other_sizes_are_planned_each_by_itself():
    big = ([[30, 5, 8], [4, 20, 3], [9, 8, 13]], (400, 300, 300))
    small = ([[3, 1, 1], [0, 2, 0], [1, 1, 1]], (20, 20, 10))
    plan = bt.plan.gold(bt.judged.from_table({("A", "B"): big, ("A", "C"): small}))
    alone = bt.plan.gold(bt.judged.from_table({("A", "B"): big}))
    np.testing.assert_array_equal(plan["width"][0], alone["width"][0])
    assert plan["width"][1].isnull().all()
    assert plan["next"][1].isnull().all()


def test_of_a_judge_without_a_human_label_nothing_is_known():
    none = np.zeros((3, 3), int), (400, 300, 300)
    some = [[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170)
    counts = bt.judged.from_table({("A", "B"): some, ("A", "C"): none})
    text = " ".join(str(bt.plan.gold(counts, cost_human=1, cost_judge=0.02)).split())
    assert "none of 1,000 judged items has a human label" in text
    assert text.count("most informative") == 1
