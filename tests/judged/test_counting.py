"""From rows and tables to judged counts, and what is refused."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

TABLE = {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}


def frame(**columns):
    """Four items of new against old."""
    plain = {"item": list("abcd"), "system_a": "new", "system_b": "old"}
    said = {"judge": ["new", "old", "tie", "new"], "human": ["new", "", "old", ""]}
    return pd.DataFrame(plain | said | columns)


def counted(table, **choices):
    return bt.judged.count(table, **({"judge": "judge", "human": "human"} | choices))


def test_gold_by_signal_and_judged_items_with_the_gold_ones():
    found = counted(frame())
    assert found["signal"].values.tolist() == ["win", "loss", "tie"]
    assert found["gold"].values.tolist() == [[[1, 0, 0], [0, 0, 1], [0, 0, 0]]]
    assert found["judged"].values.tolist() == [[2, 1, 1]]
    assert found.attrs["labels_by"] == "human"
    assert "4 items judged in 'judge', 2 of them labelled in 'human'" in found.attrs["reading"]


def test_rows_of_either_order_are_one_pair():
    turned = frame(system_a=["new", "old"] * 2, system_b=["old", "new"] * 2)
    assert counted(turned).identical(counted(frame()))


def test_sides_are_words_too_and_turn_with_the_row():
    table = frame(system_a=["new", "old"] * 2, system_b=["old", "new"] * 2)
    table = table.assign(judge=["a", "left", "tie", "model_b"], human=["A", "", "second", ""])
    found = counted(table)
    # left was old in the second row, and model_b new in the last
    assert found["judged"].values.tolist() == [[2, 1, 1]]
    assert found["gold"].sel(truth="loss", signal="tie").item() == 1


def test_what_cannot_be_read_is_a_signal_and_a_blank_is_not_judged():
    found = counted(frame(judge=["new", "I cannot say", "", "old"], human=["new", "old", "", ""]))
    assert found["signal"].values.tolist() == ["win", "loss", "tie", "unparsed"]
    assert found["judged"].values.tolist() == [[1, 1, 0, 1]]
    assert found["gold"].sel(truth="loss", signal="unparsed").item() == 1
    assert found.attrs["reading"].endswith(
        "4 signals, 1 row without an answer left out, 1 item with no outcome of the judge"
    )


def test_both_orders_are_kept_side_by_side():
    found = counted(frame(other=["new", "new", "old", "old"]), judge=["judge", "other"])
    assert set(found["signal"].values) == {"win / win", "loss / win", "tie / loss", "win / loss"}


def test_a_stratum_that_names_systems_turns_with_the_row():
    straight = frame(first=["new", "old", "old", "new"])
    turned = straight.assign(system_a="old", system_b="new")
    rows = pd.concat([straight.iloc[:2], turned.iloc[2:]])
    found, same = (counted(x, strata="first") for x in (rows, straight))
    assert found["judged"].identical(same["judged"])
    assert "win | first a" in found["signal"].values


def test_strata_of_text_are_as_they_stand():
    found = counted(frame(length=["short", "long", "long", "short"]), strata=["length"])
    assert found["judged"].sel(signal="win | short").item() == 2
    assert found.attrs["strata"] == "length"


def test_words_can_be_told():
    table = frame(judge=list("1201"), human=["1", "", "0", ""])
    found = counted(table, words={"1": "a", "2": "b", "0": "tie"})
    assert found["judged"].values.tolist() == [[2, 1, 1]]
    assert found["gold"].sel(truth="tie", signal="tie").item() == 1


def test_read_takes_a_frame_or_a_file(tmp_path):
    frame().to_csv(tmp_path / "judged.csv", index=False)
    read = bt.read(tmp_path / "judged.csv", judge="judge", human="human")
    assert read["gold"].identical(counted(frame())["gold"])
    assert read.attrs["source"] == "judged.csv"


OFTEN = pd.concat([frame()] * 3).assign(item=range(12))
REFUSED = {
    "no outcome": (frame(human=["great", "", "", ""]), {}, "row 0, column 'human', value 'great'"),
    "twice": (frame(item=list("abca")), {}, "'a': this item occurs twice for new and old"),
    "unjudged": (frame(judge=["", "old", "tie", "new"]), {}, "1 label by people without an answer"),
    "no gold": (frame(human=[""] * 4), {}, "see betterthan.judged.tipping"),
    "one answer": (frame(judge=["new"] * 4), {}, "the judge answers only 'win'"),
    "no column": (frame(), {"judge": "gpt"}, "there is no column 'gpt'"),
    "no systems": (frame().drop(columns="system_a"), {}, "no columns name the two systems"),
    "itself": (frame(system_b="new"), {}, "'new' is compared with itself"),
    "strata": (
        pd.concat([frame()] * 5).assign(item=range(20), bin=np.arange(20) // 4),
        {"strata": "bin"},
        "15 signals, answers by strata; give at most 12",
    ),
    "blank stratum": (frame(bin=["x", "", "x", "x"]), {"strata": "bin"}, "give each item its"),
    "name and word": (
        frame(system_a=["A", "B"] * 2, system_b=["B", "A"] * 2, judge="A", human=["A", "", "", ""]),
        {},
        "row 1, column 'judge', value 'A': the name of one system here and the word for another",
    ),
    "name and word of people": (
        frame(system_a="b", system_b="a", judge="left", human=["", "", "A", ""]),
        {},
        "row 2, column 'human', value 'A': the name of one system here and the word for another",
    ),
    "other case": (
        frame(judge=["new", "OLD", "tie", "new"]),
        {},
        "row 1, column 'judge', value 'OLD': differs from the name of a system only by case",
    ),
    "two roles": (frame(), {"human": "judge"}, "column 'judge' is passed twice among judge, human"),
    "words": (frame(), {"words": {"1": "left"}}, "give 'a', 'b' or 'tie'"),
    "merged": (
        OFTEN.assign(
            one=["new", "old", "new", "old"] * 3, two=["new", "new", "old", "old"] * 3
        ).assign(judge=["new", "tie", "tie", "old"] * 3),
        {},
        "is 'one' where 'two' agrees, and else a tie",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_line(case):
    table, choices, said = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        counted(table, **choices)
    assert "\n" not in str(caught.value)


def test_a_judge_that_agrees_with_all_of_many_labels_is_warned_of():
    answers = ["new", "old", "tie", "new"] * 13
    table = pd.concat([frame()] * 13).assign(item=range(52), judge=answers, human=answers)
    with pytest.warns(UserWarning, match="agrees with all 52 labels of column 'human'; check that"):
        counted(table)
    counted(table.assign(human=["old", *answers[1:]]))  # no warning


def test_labels_without_an_answer_can_be_left_out():
    found = counted(frame(judge=["", "old", "tie", "new"]), drop=True)
    assert found.attrs["n_dropped"] == 1
    assert int(found["gold"].sum()) == 1
    printed = " ".join(str(bt.compare(found)).split())
    assert "Human labels: 1 without a judge output is left out." in printed


GROUPED = {"cluster": list("xxyy"), "Task": list("xxyy"), "epoch": [1, 2, 1, 2]}


@pytest.mark.parametrize("column", GROUPED)
def test_a_column_of_groups_is_refused_or_left_out(column, tmp_path):
    table = frame(**{column: GROUPED[column]})
    reason = (
        f"column {column!r} groups the items, and judged outcomes are counted as independent items "
        f"of one data set; pass ignore={column!r} to count them so, or strata={column!r} if the "
        "errors of the judge depend on it"
    )
    with pytest.raises(ValueError, match=re.escape(reason)):
        counted(table)
    left_out = bt.read(table, judge="judge", human="human", ignore=column)
    assert left_out["gold"].identical(counted(frame())["gold"])
    assert counted(table, ignore=[column])["gold"].identical(left_out["gold"])
    assert counted(table, strata=column).attrs["strata"] == column
    with pytest.raises(ValueError, match="no column 'none' for ignore"):
        counted(table, ignore="none")


def test_groups_of_one_item_or_of_all_are_no_groups():
    pairs = pd.concat([frame(), frame(system_b="older", human="")])
    plain = counted(pairs)
    assert counted(pairs.assign(cluster=list("wxyz") * 2))["gold"].identical(plain["gold"])
    assert counted(pairs.assign(dataset="mt-bench", epoch=1))["gold"].identical(plain["gold"])
    with pytest.raises(ValueError, match="column 'cluster' groups the items"):
        counted(pairs.assign(cluster="one"))


OF_SCORES = dict.fromkeys(("system", "score", "cluster"), "judge") | {"true": "C", "false": "I"}
OF_SCORES |= {"percent": True, "decimal": ",", "sep": ";", "higher_is_better": True}


@pytest.mark.parametrize(("choice", "value"), OF_SCORES.items())
def test_how_scores_are_read_is_refused_for_judged_outcomes(choice, value):
    with pytest.raises(ValueError, match=f"^{choice}=.* does not apply: the source is judged"):
        bt.read(frame(), judge="judge", human="human", **{choice: value})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "one pair or more"),
        ({("A", "A"): TABLE["A", "B"]}, "A"),
        ({("A", "B"): ([[1, 0], [0, 1], [0, 0]], (0, 5))}, "1 gold items, but 0 judged"),
        ({("A", "B"): ([[1, 0], [0, 1]], (4, 5))}, "3 rows (win, loss, tie)"),
        ({("A", "B"): ([[1.5, 0], [0, 1], [0, 0]], (4, 5))}, "('A', 'B')"),
        ({("A", "B"): 3}, "must be (gold, judged)"),
        ({("A", "B"): (np.zeros((3, 2), int), (4, 5))}, "no item has a label by people"),
        ({("A", "B"): (np.eye(3, dtype=int)[:, :1], (4,))}, "the judge answers only 'signal 1'"),
        ({("A", "B"): (np.ones((3, 13), int), [9] * 13)}, "gives 13 signals"),
        (TABLE | {("B", "A"): TABLE["A", "B"]}, "pair"),
        (TABLE | {("C", "A"): ([[1, 0], [0, 1], [0, 0]], (4, 5))}, "2 and 3 signals"),
    ],
)
def test_tables_that_are_refused(table, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        bt.judged.from_table(table)


def test_read_needs_both_columns():
    with pytest.raises(ValueError, match="judged outcomes need both"):
        bt.read(frame(), human="human")
    with pytest.raises(ValueError, match="scale=2 does not apply"):
        bt.read(frame(), judge="judge", human="human", scale=2)


def test_tipping_is_the_lower_end_of_what_the_judge_says():
    found = bt.judged.tipping(bt.counts.from_table({("A", "B"): (210, 120, 170)}))
    low = bt.posterior.ppf(bt.counts.from_table({("A", "B"): (210, 120, 170)}), 0.05)
    assert found["tipping"].item() == pytest.approx(low.values[0, 1], abs=1e-9)
    assert found["judge_verdict"].item() == "a_better"
    other = bt.judged.tipping(bt.counts.from_table({("A", "B"): (120, 210, 170)}))
    assert other["judge_verdict"].item() == "b_better"
    assert other["tipping"].item() == pytest.approx(found["tipping"].item(), abs=1e-9)
    even = bt.judged.tipping(bt.counts.from_table({("A", "B"): (20, 21, 5)}))
    assert (even["judge_verdict"].item(), even["tipping"].item()) == ("undecided", 0.0)


def test_tipping_takes_judged_counts():
    of_counts = bt.judged.tipping(bt.counts.from_table({("A", "B"): (210, 120, 170)}))
    assert bt.judged.tipping(bt.judged.from_table(TABLE))["tipping"].item() == pytest.approx(
        of_counts["tipping"].item()
    )
    unnamed = bt.judged.from_table({("A", "B"): ([[1, 0], [0, 1], [0, 0]], (4, 5))})
    with pytest.raises(ValueError, match="do not say what the judge answers"):
        bt.judged.tipping(unnamed)


def test_the_prediction_powered_mean_is_that_of_its_authors():
    """weight .48266, 0.14817 and the normal interval [-0.0317, 0.3280] on the same items."""
    gold, judged = (np.array(part) for part in TABLE["A", "B"])
    x, rest = np.array([1.0, -1, 0]), judged - gold.sum(0)
    human = [*np.repeat(np.repeat(x, 3), gold.ravel()), *np.full(rest.sum(), np.nan)]
    judge = [*np.repeat(np.tile(x, 3), gold.ravel()), *np.repeat(x, rest)]
    found = bt.judged.prediction_powered(judge, human)
    assert found["weight"].item() == pytest.approx(0.48266, abs=5e-6)
    assert found["mean"].item() == pytest.approx(0.14817, abs=5e-6)
    ends = found["mean"].item() + 1.959964 * found["se"].item() * np.array([-1, 1])
    np.testing.assert_allclose(ends, [-0.0317, 0.3280], atol=5e-5)
    assert found["upper"].item() > ends[1]  # Student's t, for the labels are few


@pytest.mark.filterwarnings("ignore:10 labels are few")
@pytest.mark.parametrize("labels", [4, 6, 10])
@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_the_prediction_powered_interval_of_few_labels_holds_the_mean(labels, correlation):
    """At least about as often as it says: 800 sets, three standard errors."""
    random, held = np.random.default_rng(labels), 0
    for _ in range(800):
        judge, noise = random.standard_normal((2, 60))
        human = correlation * judge + np.sqrt(1 - correlation**2) * noise
        human[labels:] = np.nan
        found = bt.judged.prediction_powered(judge, human)
        held += bool(found["lower"] <= 0 <= found["upper"])
    assert held / 800 > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 800)


def test_labels_that_are_mostly_full_marks_are_few():
    """Intervals of 95% hold 0.86 of 20 such labels; of ratings 1 to 5 they hold 0.95."""
    random, warned = np.random.default_rng(2), {}
    for share in (0.85, 0.0):
        warned[share] = 0
        for _ in range(40):
            full = random.random(60) < share
            human = np.where(full, 1.0, random.beta(2, 2, 60))
            human[0] = 0.5  # not all full marks
            judge = (human + 0.1 * random.normal(size=60)).clip(0, 1)
            human[30:] = np.nan
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                bt.judged.prediction_powered(judge, human)
            warned[share] += any("30 labels are few for errors" in str(w.message) for w in caught)
    assert warned[0.85] > 10 > 4 > warned[0.0]


@pytest.mark.parametrize(
    ("judge", "human", "said"),
    [
        ([1, 2], [1], "judge has 2 scores and human 1"),
        ([1, np.nan, 3, 4], [1, 2, 3, np.nan], "score 2 is nan"),
        ([1, 2, 3], [1, np.nan, np.nan], "1 of 3 items have a score by people"),
        ([1, 1, 1, 2], [1, 2, 3, np.nan], "judge: it scores all labelled items the same"),
        ([1, 2, 3, 4], [1, 1, 1, np.nan], "human: all 3 scores are 1, which does not show"),
        ([1, 2, 3, 4, 5], [1, np.inf, 1, 0, np.nan], "human: score 2 is inf; give a number"),
    ],
)
def test_graded_scores_that_are_refused(judge, human, said):
    with pytest.raises(ValueError, match=said):
        bt.judged.prediction_powered(judge, human)


@pytest.mark.parametrize(
    ("columns", "strata"), [(["ab", "ba"], ()), (["ab"], ["shown_first"]), (["ab"], ["style"])]
)
def test_a_judge_that_names_positions_is_read_as_the_columns_with_a_warning(columns, strata):
    rng = np.random.default_rng(1)
    n = 200
    table = pd.DataFrame({"item": range(n), "system_a": "A", "system_b": "B"})
    table["ab"], table["ba"] = rng.choice(["left", "right"], (2, n))
    table["people"] = np.where(rng.random(n) < 0.3, rng.choice(["A", "B"], n), "")
    table["shown_first"], table["style"] = rng.choice(["A", "B"], n), rng.choice(["x", "y"], n)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bt.judged.count(table, judge=columns, human="people", strata=strata, item="item")
    texts = [str(w.message) for w in caught]
    positions = [text for text in texts if "'left' is read as the system in column" in text]
    assert len(positions) == (strata != ["style"])


def test_a_skeptical_prior_is_not_for_judged_counts():
    judged = bt.models.judge.simulate(200, gold=50, rng=1)
    with pytest.raises(ValueError, match="prior='skeptical' does not apply to judged counts"):
        bt.compare(judged, prior="skeptical")


@pytest.mark.parametrize(("blank", "mark"), [(2, ""), (12, "! Missing data: ")])
def test_items_that_the_judge_did_not_answer_are_counted(blank, mark):
    answers = ["new", "old", "tie", "new"] * 15
    blanks = [""] * blank + ["old"] * (15 - blank)
    answers = [blanks.pop(0) if k % 4 == 1 else answer for k, answer in enumerate(answers)]
    table = pd.concat([frame()] * 15).assign(item=range(60), judge=answers)
    data = counted(table)
    assert (data.attrs["n"], data.attrs["n_missing"]) == (60 - blank, blank)
    comparison = bt.compare(data)
    note = f"{mark}{blank} of 60 items have no judge output and are left out."
    assert note in comparison.report()
    assert (note in str(comparison)) == bool(mark)
    assert f", {blank} rows without an answer left out" in data.attrs["reading"]


def test_scores_of_a_judge_and_of_people_are_of_the_same_items():
    random = np.random.default_rng(1)
    judge = pd.Series(random.normal(size=40), [f"q{k}" for k in range(40)])
    human = (judge + random.normal(0, 0.3, 40)).where(np.arange(40) < 20)
    vectors = bt.judged.prediction_powered(judge, human)
    columns = bt.judged.prediction_powered(judge.to_frame(), human.to_frame())
    assert vectors.identical(columns)
    with pytest.raises(ValueError, match="judge and human name different items: 'q2' and 'q10'"):
        bt.judged.prediction_powered(judge, human.sort_index())
    with pytest.raises(ValueError, match=r"judge has shape \(40, 2\); give one score an item"):
        bt.judged.prediction_powered(np.c_[judge, judge], human)
