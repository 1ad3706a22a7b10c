"""Scores that are missing for a reason turn an answer round: that is seen, said, and set beside."""

import itertools
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.counting import apply_missing
from betterthan.exact.swaps.rank_tests import auc_below, rank_sum_p

PAIR = {"system_a": "A", "system_b": "B"}


def scored(values, systems="AB", **attrs):
    return xr.DataArray(
        np.asarray(values, dtype=float),
        dims=("item", "system"),
        coords={"system": list(systems)},
        attrs=attrs,
    )


def turned_round():
    """B is better on easy items and gives no answer to hard ones, of which A solves half."""
    easy = [[1, 1]] * 75 + [[0, 1]] * 21 + [[1, 0]] * 8 + [[0, 0]] * 16
    hard = [[1, np.nan]] * 40 + [[0, np.nan]] * 40
    return scored(easy + hard)


def test_dropping_hard_items_turns_the_answer_round_and_is_warned_of():
    scores = turned_round()
    with pytest.warns(UserWarning, match="Scores of B are missing on harder items") as caught:
        found = bt.compare(scores)
    assert found["prob_better"].sel(PAIR).item() < 0.01
    assert found["verdict"].sel(PAIR).item() == "no_verdict"  # for missing scores decide
    assert found["reason"].sel(PAIR).item() == "missing scores decide"
    assert found["prob_better_if_wrong"].sel(PAIR).item() > 0.998
    assert found["verdict_if_wrong"].sel(PAIR).item() == "a_better"
    (said,) = [str(one.message) for one in caught]
    assert "0.50 on the 80 items that it lacks and 0.69 on the 120 that it has" in said
    assert "favors it" in said
    assert "A is better than B with probability 0.999; with those left out, 0.008" in said
    assert list(found.provenance.notes) == [said]
    wrong = bt.compare(scores, missing="wrong")["prob_better"].sel(PAIR)
    assert found["prob_better_if_wrong"].sel(PAIR).item() == wrong.item()
    assert "Missing as wrong" in bt.report(found, format="markdown")
    warned = "\n".join(found.statement())  # and not among the limits alone
    assert "With every missing score counted as wrong, A is better than B with" in warned
    report = " ".join(bt.report(found).split())
    assert "80 scores of B are missing" in report
    assert "Scores of B are missing on harder items" in report


def test_what_is_dropped_stands_beside_what_is_kept():
    found = bt.counts.missing_by_difficulty(turned_round())
    pair = found.sel(system_a="B", system_b="A")  # of A, on what B lacks
    assert pair["n_dropped"].item() == 80
    assert pair["mean_dropped"].item() == 0.5
    assert pair["mean_kept"].item() == pytest.approx(83 / 120)
    other = found.sel(PAIR)
    assert other["n_dropped"].item() == 0
    assert np.isnan(other["mean_dropped"].item())
    b, a = (found.sel(system=s) for s in "BA")
    assert b["auc"].item() == pytest.approx(0.5 + 0.5 * (83 / 120 - 0.5))
    assert np.isnan(a["p_value"].item())  # A lacks nothing
    assert (b["differs"].item(), a["differs"].item()) == (True, False)


@pytest.mark.parametrize("higher", [True, False])
def test_what_is_hard_follows_the_direction_of_the_score(higher):
    scores = turned_round()
    values = scores.values if higher else 1 - scores.values
    found = bt.counts.missing_by_difficulty(scored(values, higher_is_better=higher))
    assert found["auc"].sel(system="B").item() > 0.5


def test_easy_items_that_are_missing_speak_against_a_system():
    values = turned_round().values
    values[:, 0] = 1 - values[:, 0]
    with pytest.warns(UserWarning, match=r"missing on easier items.*is to its disadvantage"):
        bt.compare(scored(values))


def test_many_systems_say_which_verdicts_change():
    values = np.concatenate([turned_round().values, turned_round().values[:, :1]], axis=1)
    values[::7, 2] = 1.0
    with pytest.warns(UserWarning, match="counted as wrong, . of 3 verdicts change: A and B"):
        found = bt.compare(scored(values, "ABC"))
    assert "B better becomes A better" in " ".join(found.provenance.notes)


def test_graded_scores_outside_0_and_1_get_the_worst_that_was_seen():
    values = 10 * turned_round().values - 3
    with pytest.warns(UserWarning, match="missing on harder"):
        found = bt.compare(scored(values))
    assert found["prob_better_if_wrong"].sel(PAIR).item() > 0.998


@pytest.mark.parametrize("missing", ["wrong", "pairwise"])
def test_no_word_without_a_reason(missing):
    rng = np.random.default_rng(5)
    values = (rng.random((120, 3)) < 0.6).astype(float)
    if missing == "pairwise":  # at random
        values[rng.random(values.shape) < 0.15] = np.nan
    else:
        values[:10, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bt.compare(scored(values, "ABC"), missing=missing)
    assert "verdict_if_wrong" not in found


def test_scores_missing_at_random_are_seldom_named():
    """Holm over systems: some system is named in at most .05 of the sets."""
    rng, named, sets = np.random.default_rng(11), 0, 250
    for _ in range(sets):
        chance = 1 / (1 + np.exp(-1.5 * rng.normal(size=(40, 1))))
        values = (rng.random((40, 5)) < chance).astype(float)
        values[rng.random(values.shape) < 0.2] = np.nan
        found = bt.counts.missing_by_difficulty(scored(values, "ABCDE"), rng=1)
        named += bool(found["differs"].any())
    assert named / sets <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / sets)
    assert named  # it can be


def test_hard_items_that_fail_are_mostly_named():
    """14 of 200 missing, mostly hard ones, four systems: as in logs whose errors are time-outs."""
    rng, named = np.random.default_rng(12), 0
    for _ in range(50):
        ease = 1.5 * rng.normal(size=(200, 1))
        values = (rng.random((200, 4)) < 1 / (1 + np.exp(-ease))).astype(float)
        hard = rng.choice(np.argsort(ease[:, 0])[:50], 14, replace=False)
        values[hard, 1] = np.nan
        found = bt.counts.missing_by_difficulty(scored(values, "ABCD"), rng=1)
        named += bool(found["differs"].sel(system="B"))
    assert named >= 45


@pytest.mark.parametrize(("some", "rest"), [(3, 9), (5, 6), (9, 4), (4, 30)])
def test_the_rank_sum_is_that_of_the_literature(some, rest):
    rng = np.random.default_rng(some)
    a, b = rng.normal(size=some) - 1, rng.normal(size=rest)
    expected = stats.mannwhitneyu(a, b, method="exact")
    assert rank_sum_p(a, b, shuffles=99, seed=1) == pytest.approx(expected.pvalue, rel=1e-12)
    assert auc_below(a, b) == pytest.approx(1 - expected.statistic / (some * rest), abs=1e-12)


def test_the_rank_sum_with_ties_is_that_of_every_choice():
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.integers(0, 3, 4).astype(float), rng.integers(0, 4, 7).astype(float)
        ranks = stats.rankdata(np.concatenate([a, b]))
        seen = ranks[:4].sum()
        sums = np.array([ranks[list(c)].sum() for c in itertools.combinations(range(11), 4)])
        tails = (sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()
        expected = min(1, 2 * min(tails))
        assert rank_sum_p(a, b, shuffles=99, seed=1) == pytest.approx(expected, rel=1e-12)
        below = (a[:, None] < b).mean() + 0.5 * (a[:, None] == b).mean()
        assert auc_below(a, b) == pytest.approx(below, abs=1e-12)


def test_many_items_are_shuffled_and_say_about_the_same():
    rng = np.random.default_rng(4)
    for shift in (0.0, 0.1, 0.25):
        a, b = rng.normal(-shift, 1, 150), rng.normal(size=500)
        expected = stats.mannwhitneyu(a, b).pvalue
        found = rank_sum_p(a, b, shuffles=9_999, seed=2)
        assert found == pytest.approx(expected, abs=0.15 * max(expected, 0.02))
        few = np.round(a), np.round(b)
        expected = stats.mannwhitneyu(*few).pvalue
        assert rank_sum_p(*few, shuffles=9_999, seed=2) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("choices", "message"),
    [({"alpha": 2}, "alpha"), ({"shuffles": 0}, "shuffles"), ({"rng": "x"}, "rng")],
)
def test_bad_choices_end_in_one_line(choices, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.counts.missing_by_difficulty(turned_round(), **choices)
    assert "\n" not in str(caught.value)


def one_pair_never_met(systems=5, items=60, graded=False):
    """The first and the last system share no item; all other pairs share half of them or more."""
    rng = np.random.default_rng(6)
    values = (rng.random((items, systems)) < np.linspace(0.4, 0.8, systems)).astype(float)
    values += rng.normal(0, 0.01, values.shape) * graded
    values[: items // 2, 0] = np.nan
    values[items // 2 :, -1] = np.nan
    return scored(values, [f"s{k}" for k in range(systems)])


def without_warnings(scores, **choices):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bt.compare(scores, **choices)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("ties", ["third", "drop", "all"])
def test_one_pair_without_a_common_item_does_not_block_the_others(graded, ties):
    scores = one_pair_never_met(graded=graded)
    found = without_warnings(scores, ties=ties, rng=1)
    apart, met = {"system_a": "s0", "system_b": "s4"}, {"system_a": "s0", "system_b": "s3"}
    assert found["verdict"].sel(apart).item() == "no_data"
    assert np.isnan(found["p_value"].sel(apart).values).all()
    assert (found["verdict"].values == "no_data").sum() == 2
    assert found["n"].sel(apart).item() == 0
    assert found["n_dropped"].sel(apart).item() == 60
    alone = without_warnings(scores.sel(system=["s0", "s3"]), ties=ties, rng=1)
    for name in ("prob_better", "difference_lower", "verdict", "p_value"):
        if name in alone:
            expected, got = alone[name].sel(met).values, found[name].sel(met).values
            if name == "p_value":  # of one set of shuffles for all pairs
                np.testing.assert_allclose(got.astype(float), expected.astype(float), atol=0.02)
            elif (
                name == "verdict"
            ):  # of two systems alone scores seem to be missing with difficulty
                withheld = "reason" in alone.data and alone["reason"].sel(met).item()
                assert got == expected or withheld == "missing scores decide"
            else:  # means of all pairs are summed together, in another order
                np.testing.assert_allclose(got, expected, rtol=1e-12)
    # nine pairs are tested: the one that never met is no hypothesis
    p, adjusted = (found[k].sel(test="sign").values for k in ("p_value", "p_adjusted"))
    least = np.nanmin(np.where(np.eye(5, dtype=bool), np.nan, p))
    assert np.nanmin(np.where(np.eye(5, dtype=bool), np.nan, adjusted)) == pytest.approx(9 * least)


def test_a_pair_of_ties_alone_is_not_one_that_never_met():
    scores = scored(np.ones((20, 2)))
    found = bt.compare(scores, ties="drop")
    assert found["verdict"].sel(PAIR).item() == "undecided"


@pytest.mark.parametrize("graded", [False, True])
def test_reports_say_which_pair_never_met(graded):
    found = without_warnings(one_pair_never_met(graded=graded), rng=1)
    for format in ("text", "markdown", "html", "latex"):
        assert "1 cannot be compared: no item in common" in " ".join(
            bt.report(found, format=format).split()
        )
    text = bt.report(found)
    rows = [line.split() for line in text.splitlines() if line.split()[:2] == ["s4", "s0"]]
    rows += [line.split() for line in text.splitlines() if line.split()[:2] == ["s0", "s4"]]
    assert all("–" in row for row in rows if row)
    assert any("compared" in row for row in rows)
    assert "1 pair is not tested" in " ".join(text.split())
    ended = found.pairs["verdict"].value_counts()
    assert ended["no_data"] == 1
    assert ended.sum() == 10


def test_tests_and_counts_answer_every_other_pair():
    scores = one_pair_never_met()
    counts = bt.count(scores)
    assert counts["n_used"].sel(system_a="s0", system_b="s4").item() == 0
    for test in (bt.sign_test(scores), bt.randomization_test(scores)):
        assert test["p_value"].sel(system_a="s1", system_b="s4").item() < 0.5
        assert test["n"].sel(system_a="s0", system_b="s4").item() == 0
    with pytest.raises(ValueError, match="'A' and 'B' have no item in common"):
        bt.count(scored([[1, np.nan], [np.nan, 1]]))


def test_of_93_systems_4277_pairs_are_answered():
    found = without_warnings(one_pair_never_met(systems=93, items=40))
    ended = found.pairs["verdict"].value_counts()
    assert ended["no_data"] == 1
    assert ended.sum() == 4278


@pytest.mark.parametrize("missing", ["wrong", "complete", "error"])
def test_runs_that_were_not_planned_are_not_missing(missing):
    random = np.random.default_rng(1)
    runs = random.integers(0, 2, (60, 5, 2)).astype(float)
    runs[:, 1:, 1] = np.nan  # the second system was run once
    coords = {
        "system": ["A", "B"],
        "item": np.repeat(np.arange(60).astype(str), 5),
        "epoch": ("item", np.tile(np.arange(5), 60)),
    }
    scores = xr.DataArray(runs.reshape(300, 2), dims=("item", "system"), coords=coords)
    wanted = bt.compare(scores).data
    found = bt.compare(scores, missing=missing).data
    for name in ("prob_better", "difference_lower", "score"):
        np.testing.assert_array_equal(found[name], wanted[name])


def runs_of(planned, seed=0):
    """Scores of A and of B, whose runs have numbers of their own; `planned` runs of each item."""
    random, rows = np.random.default_rng(seed), []
    for item, chance in enumerate(random.beta(1, 1, len(planned))):
        for system, first, number in zip("AB", (1, 100), planned[item], strict=True):
            scores = random.random(number) < chance
            rows += [(f"q{item}", first + k, system, int(x)) for k, x in enumerate(scores)]
    return pd.DataFrame(rows, columns=["item", "epoch", "system", "score"])


def test_missing_runs_are_those_that_a_system_was_to_make():
    """B has no run of two items; its other runs stand in rows of their own."""
    table = runs_of([(3, 0)] * 2 + [(3, 3)] * 38)
    compared = bt.compare(table)
    assert compared.attrs["n_blank"] == 6
    audited = bt.audit(table)
    assert audited.table[["epochs", "cells", "missing"]].values.tolist() == [
        [3, 120, 0],
        [3, 120, 6],
    ]
    assert bt.compare(runs_of([(3, 3)] * 40)).attrs["n_blank"] == 0


def test_more_runs_of_another_system_are_no_missing_scores():
    """A was run more often on easy items; B once on each."""
    table = runs_of([(5, 1)] * 40)
    means = table[table["system"] == "A"].groupby("item")["score"].mean()
    easy = table["item"].map(means) > 0.5
    table = table[easy | (table["system"] == "B") | (table["epoch"] == 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared = bt.compare(table)
    assert "issing" not in str(compared).partition("A verdict needs")[0]
    assert not bt.counts.missing_by_difficulty(bt.read(table))["n_missing"].any()


def test_a_planned_run_that_is_missing_counts_as_wrong_once():
    gap = np.nan
    values = [[1, 1], [0, gap], [1, gap], [1, gap], [gap, 0], [1, gap]]
    coords = {
        "system": ["A", "B"],
        "item": list("112233"),
        "epoch": ("item", [0, 1, 0, 1, 0, 1]),
    }
    scores = xr.DataArray(values, dims=("item", "system"), coords=coords)
    filled = apply_missing(scores, "wrong").values
    np.testing.assert_array_equal(filled[:, 0], [1, 0, 1, 1, 0, 1])
    np.testing.assert_array_equal(filled[:, 1], [1, gap, 0, gap, 0, gap])  # one run an item
    # B's only run of item 3 stands in the row that A lacks
    assert apply_missing(scores, "complete")["item"].values.tolist() == list("1133")
    with pytest.raises(ValueError, match=r"item '2' has no score for 'B' \(2 missing in all\)"):
        apply_missing(scores, "error")


def test_a_system_without_a_score_is_last_and_to_be_left_out():
    right = np.random.default_rng(0).random((40, 2)) < [0.8, 0.5]
    columns = {"good": right[:, 0] * 1.0, "crashed": np.nan, "weak": right[:, 1] * 1.0}
    answer = bt.compare(pd.DataFrame({"item": range(40)} | columns))
    assert answer.systems["system"].tolist() == ["good", "weak", "crashed"]
    assert "crashed has none, so leave it out" in " ".join(answer.statement())
    text = bt.report(answer, format="latex-table")
    assert text.index("good &") < text.index("weak &") < text.index("crashed &")


@pytest.mark.parametrize(("blank", "warns"), [(1, False), (15, True)])
@pytest.mark.parametrize("layout", ["votes", "judgments"])
def test_judgments_without_a_winner_are_counted_in_the_answer(blank, warns, layout):
    winners = [None] * blank + ["A"] * 8 + ["B"] * 6
    table = pd.DataFrame({"system_a": "A", "system_b": "B", "winner": winners})
    answer = bt.compare(table, layout=layout)
    line = f"{blank} of {blank + 14} judgments have no winner; they are left out"
    assert [note.startswith("! ") for note in answer.statement() if line in note] == [warns]


@pytest.mark.parametrize("how", [{}, {"layout": "judgments", "cluster": "prompt"}])
def test_judgments_without_a_winner_are_counted_next_to_a_warning_and_in_clusters(how):
    pairs = [("X", "Y"), ("X", "Z"), ("Y", "Z")]
    rows = [
        (f"p{k}", *pair, "" if k == 0 and judge == 0 else pair[(k + judge) % 2])
        for k in range(8)
        for pair in pairs
        for judge in range(3)
    ]
    table = pd.DataFrame(rows, columns=["prompt", "system_a", "system_b", "winner"])
    with nullcontext() if how else pytest.warns(UserWarning, match="69 votes are on 24 items"):
        answer = bt.compare(table, **how)
    line = "3 of 72 judgments have no winner; they are left out, not as ties."
    assert line in answer.statement()
    assert "On 69 judgments" in bt.report(answer, format="sentence")


@pytest.mark.parametrize("systems", ["AB", "ABCD"])
@pytest.mark.parametrize("in_clusters", [False, True])
def test_missing_counted_as_wrong_is_the_answer_of_the_filled_table(systems, in_clusters):
    """Of means, and of clusters, not of the wins of independent items."""
    random = np.random.default_rng(1)
    speakers = np.repeat(np.arange(14), 12)
    hard = random.normal(0, 0.12, len(speakers))
    shifts = {"A": 0.0, "B": 0.03, "C": 0.0, "D": -0.1}
    columns = {
        s: (0.6 + shifts[s] + random.normal(0, 0.08, 14)[speakers] - hard).clip(0, 1).round(3)
        for s in systems
    }
    table = pd.DataFrame({"item": range(len(hard))} | columns)
    if in_clusters:
        table["cluster"] = speakers
    table.loc[np.argsort(-hard)[:12], systems[-1]] = np.nan
    with pytest.warns(UserWarning, match="With every missing score counted as wrong"):
        now = bt.compare(table).data
    filled = bt.compare(table.fillna({systems[-1]: 0.0})).data
    prefix = "pairwise_" if "pairwise_verdict" in filled else ""
    for name in ("prob_better", "verdict"):
        expected = filled[prefix + name].values
        assert (now[f"{name}_if_wrong"].values == expected).all()


def test_an_item_that_no_system_has_a_score_on_leaves_the_joint_answer():
    random = np.random.default_rng(31)
    ease = random.random(60)
    table = pd.DataFrame(
        {
            s: (random.random(60) < ease + x) * 1.0
            for s, x in zip("abc", (0.2, 0.15, -0.1), strict=True)
        }
    )
    blank = pd.concat([table, pd.DataFrame({"a": [np.nan]})], ignore_index=True)
    answers = [bt.compare(t.assign(item=range(len(t)))) for t in (table, blank)]
    assert "no_joint" not in answers[1].attrs
    for name in ("prob_best", "prob_better", "expected_rank"):
        np.testing.assert_array_equal(*(answer[name].values for answer in answers))


def test_the_clusters_of_a_pair_are_those_in_which_both_have_a_score():
    random, clusters = np.random.default_rng(1), np.repeat([f"d{k}" for k in range(13)], 5)
    table = pd.DataFrame({"item": range(65), "cluster": clusters, "new": random.integers(1, 6, 65)})
    table["old"] = np.where(clusters == "d3", np.nan, random.integers(1, 6, 65))
    table.loc[clusters == "d12", ["new", "old"]] = np.nan
    answer = bt.compare(table)
    assert answer["n_units"].values[0, 1] == 11
    assert "On 55 items in 11 clusters" in " ".join(answer.statement())
    assert "55 items in 11 clusters" in answer.report(format="sentence")
    assert answer.provenance.n_units == 12  # one has no score at all


@pytest.mark.parametrize("number", [2, 3])
def test_three_missing_items_are_tested_and_two_are_not(number):
    values = np.array([[1.0, 1.0]] * 20 + [[0.0, np.nan]] * number)
    scores = xr.DataArray(values, {"system": ["A", "B"]}, ("item", "system"))
    p = bt.counts.missing_by_difficulty(scores)["p_value"].sel(system="B")
    assert np.isnan(p) == (number < 3)
