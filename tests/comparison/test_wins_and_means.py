"""Wins and means are two questions once scores are graded; where they split, no one wins."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from tests.comparison.test_joint import scores


@pytest.fixture(scope="module")
def rare_losses():
    """A is ahead by .02 nearly always, and 0 where B is about .66."""
    rng = np.random.default_rng(14)
    b = np.r_[rng.normal(0.66, 0.02, 18), rng.uniform(0.3, 0.87, 282)]
    a = np.r_[np.zeros(18), b[18:] + 0.02]
    return scores(np.c_[a, b])


def test_the_mean_decides_and_wins_that_favor_the_other_system_split(rare_losses):
    found = bt.compare(rare_losses)
    assert rare_losses.mean("item").diff("system").item() > 0  # the mean of B is higher
    assert (found.provenance.quantity, found.provenance.beside_quantity) == ("mean", "wins")
    assert found["prob_better"].values[0, 1] < 0.05
    assert found["wins_prob_better"].values[0, 1] > 0.9999
    assert found["verdict"].values[0, 1] == found["verdict"].values[1, 0] == "split"
    assert not found["sign_error"].notnull().any()
    said = found.statement()[0]
    assert said.startswith("No single winner: wins and means disagree.")
    assert "B has the better mean (probability 0.987)" in said
    assert "A has the better score on more items (probability > 0.999)" in said
    assert " is better than " not in said
    assert found.pairs["verdict"].tolist() == ["split"]


def test_a_quantity_that_is_given_decides_and_the_other_stands_beside(rare_losses):
    by_wins = bt.compare(rare_losses, quantity="wins")
    assert by_wins["verdict"].values[0, 1] == "a_better"
    assert by_wins["mean_verdict"].values[0, 1] == "b_better"
    by_mean = bt.compare(rare_losses, quantity="mean")
    assert by_mean["verdict"].values[0, 1] == "b_better"
    assert by_mean["wins_verdict"].values[0, 1] == "a_better"
    assert by_mean.pairs.loc[0, ["system", "wins_verdict"]].tolist() == ["B", "worse"]
    assert by_mean.provenance.difference_is == "difference of means, in units of the score"
    assert "By wins, B is better with probability < 0.001." in by_mean.statement()[1]


@pytest.mark.parametrize(
    "choices", [{"margin": 0.05}, {"prior": "jeffreys"}, {"ties": "half"}, {"ties": "all"}]
)
def test_what_speaks_of_wins_is_answered_by_wins(rare_losses, choices):
    assert bt.compare(rare_losses, **choices).provenance.quantity == "wins"


def test_order_and_verdicts_of_three_systems_are_of_one_quantity():
    """A wins most often, C has the highest mean."""
    rng = np.random.default_rng(15)
    c = rng.uniform(0.3, 0.8, 300)
    b = c - 0.05
    a = np.where(np.arange(300) < 60, c - 0.4, c + 0.02)
    found = bt.compare(scores(np.c_[a, b, c]))
    assert found.systems["system"].tolist() == ["C", "B", "A"]
    first = found.statement()[0]
    assert first.startswith("C is the best of 3 systems by mean score")
    assert found["verdict"].sel(system_a="C", system_b="B").item() == "a_better"
    assert found["verdict"].sel(system_a="A", system_b="C").item() == "split"


def test_advice_for_graded_scores_is_the_mean(rare_losses):
    advice = bt.advise(rare_losses)
    assert advice.call == "betterthan.compare(data, quantity='mean')"
    found = bt.compare(rare_losses, method="advised")
    assert found["verdict"].values[0, 1] == "b_better"


def test_scores_of_0_and_1_have_one_quantity():
    right = np.random.default_rng(2).random((50, 2)) < [0.8, 0.5]
    found = bt.compare(scores(right))
    assert (found.provenance.quantity, found.provenance.beside_quantity) == ("accuracy", None)
    assert "Difference in accuracy (A − B)" in found.statement()[1]
    for quantity in ("wins", "mean"):
        same = bt.compare(scores(right), quantity=quantity)
        np.testing.assert_array_equal(same["prob_better"].values, found["prob_better"].values)


def test_a_rope_is_in_units_of_the_quantity_that_decides(rare_losses):
    assert bt.compare(rare_losses, rope=0.01).provenance.quantity == "mean"
    close = bt.compare(rare_losses, rope=0.9)  # split comes before equivalent
    assert close["mass"].sel(region="rope").values[0, 1] > 0.999
    assert close["verdict"].values[0, 1] == "split"
    assert not close["also_ahead"].any()
    with pytest.raises(ValueError, match=r"rope is 5\.0; give a number from 0"):
        bt.compare(rare_losses, quantity="wins", rope=5.0)
    with pytest.raises(ValueError, match=r"rope is 5\.0; give a number from 0"):
        bt.compare(bt.datasets.contingency_case("a"), rope=5.0)
    with pytest.raises(ValueError, match="quantity='mean' needs scores by item"):
        bt.compare(bt.datasets.contingency_case("a"), quantity="mean")
    wide = bt.compare(10 * rare_losses, quantity="mean", rope=5.0)  # in units of the score
    assert wide["verdict"].values[0, 1] == "equivalent"
    with pytest.raises(ValueError, match=r"rope is 5\.0; give a number from 0"):
        bt.compare(rare_losses, quantity="mean", rope=5.0)  # all scores are within 0 and 1
    with pytest.raises(ValueError, match=r"rope is 2\.0; give a number from 0"):
        bt.scores.compare((rare_losses > 0.5) * 1.0, rope=2.0)


def test_better_by_more_than_the_rope_is_said_apart():
    counts = bt.counts.from_table({("A", "B"): (60, 35, 5)})
    small, large = (bt.compare(counts, rope=rope) for rope in (0.01, 0.15))
    assert small["verdict"].values[0, 1] == large["verdict"].values[0, 1] == "a_better"
    assert small["beyond_rope"].values[0, 1]
    assert not large["beyond_rope"].values[0, 1]
    assert "and by more than 0.01" in small.statement()[0]
    assert "but it is undecided whether by more than 0.15" in large.statement()[0]


def test_a_rope_does_not_make_lucky_differences_larger_than_it():
    """Of 20 equal systems many are called better; few are called so by more than the rope."""
    rng = np.random.default_rng(5)
    equal = scores(rng.random((100, 20)) < 0.6)
    found = bt.compare(equal, rope=0.05)
    named = np.isin(found["pairwise_verdict"].values, ("a_better", "b_better")).sum()
    assert found["pairwise_beyond_rope"].values.sum() < named / 2
    assert not found["beyond_rope"].values.any()


def test_a_large_rope_of_a_probability_is_cautioned():
    counts = bt.counts.from_table({("A", "B"): (80, 3, 17)})
    assert "may matter" in bt.compare(counts, rope=0.9).provenance.notes[-1]
    assert not bt.compare(counts, rope=0.2).provenance.notes


def test_lower_is_better_names_the_lower_one():
    errors = scores(np.random.default_rng(3).gamma(2, [1.0, 2.0], (60, 2)))
    errors.attrs["higher_is_better"] = False
    found = bt.compare(errors, quantity="mean")
    assert found["verdict"].values[0, 1] == "a_better"
    assert found["difference_mean"].values[0, 1] < 0  # as the scores stand
    assert "Mean score (lower is better): A " in found.statement()[1]


def test_verdicts_close_to_their_threshold_are_undecided_where_sampled():
    from betterthan.posterior.table import Question, of_joint_draws, with_verdicts

    rng = np.random.default_rng(1)
    drawn = np.c_[rng.normal(1.66, 1, 400), np.zeros(400)][None]  # P = .9515 and error .01
    table = of_joint_draws(drawn, ["A", "B"], Question(), independent=True)
    p, error = (table[k].values[0, 1] for k in ("prob_better", "prob_better_mcse"))
    assert 0 < p - 0.95 < 2 * error
    found = with_verdicts(table, Question())
    assert found["verdict"].values[0, 1] == "undecided"
    assert found["too_close"].values[0, 1]


@pytest.mark.parametrize("value", [0.5, 0.4, 0.1, 0.7])
def test_scores_that_are_all_alike_have_no_interval_whatever_their_rounding(value):
    systems = {"A": np.full(30, value), "B": np.linspace(0, 1, 30)}
    found = bt.compare(systems).data
    assert found["score"].values[0] == pytest.approx(value)
    assert np.isnan(found[["score_lower", "score_upper"]].to_array().values[:, 0]).all()
    assert np.isfinite(found[["score_lower", "score_upper"]].to_array().values[:, 1]).all()


def test_a_margin_that_makes_a_tie_of_every_item_is_refused():
    right = {"A": [1, 1, 0, 1, 1], "B": [0, 1, 1, 0, 0]}
    message = "margin=5 makes a tie of every item: scores run from 0 to 1"
    with pytest.raises(ValueError, match=message):
        bt.compare(right, margin=5)
    with pytest.raises(ValueError, match=message):
        bt.count(right, margin=5)
    assert bt.compare({k: [3] * 5 for k in right}, margin=5).pairs["ties"].item() == 5


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("unit", [1, 100])
def test_each_quantity_has_the_skeptical_prior_of_its_own_scale(clusters, unit):
    random = np.random.default_rng(3)
    old = np.clip(random.normal(0.45, 0.2, 90), 0, 1)
    new = np.clip(old + random.normal(0.02, 0.15, 90), 0, 1)
    table = pd.DataFrame({"item": range(90), "old": old * unit, "new": new * unit}).round(3)
    if clusters:
        table["cluster"] = np.repeat(range(18), 5)
    means, wins = (bt.compare(table, prior="skeptical", quantity=q) for q in ("mean", "wins"))
    np.testing.assert_allclose(wins["mean_prob_better"], means["prob_better"], atol=1e-12)
    np.testing.assert_allclose(means["wins_prob_better"], wins["prob_better"], atol=1e-12)


@pytest.mark.parametrize("of_wins", [{"ties": "half"}, {"margin": 0.1}, {"prior": (3, 1, 1)}])
def test_options_of_wins_change_no_answer_about_means(of_wins):
    rng = np.random.default_rng(5)
    values = (rng.normal(size=(60, 1)) + [0.45, 0.3, 0.15, 0] + rng.normal(size=(60, 4)) * 0.7) / 9
    systems = list("ABCD")
    plain, other = (
        bt.compare(values, systems=systems, quantity="mean", **how).data for how in ({}, of_wins)
    )
    assert "prob_best" in other
    np.testing.assert_array_equal(other["verdict"], plain["verdict"])
    np.testing.assert_array_equal(other["prob_better"], plain["prob_better"])


@pytest.mark.parametrize("of_wins", [{"margin": 0.2}, {"prior": (20, 1, 1)}])
def test_wins_decide_where_they_are_asked_for_also_by_the_advised_model(of_wins):
    values = np.random.default_rng(0).random((60, 2)).round(2)
    exact, advised = (
        bt.compare(values, systems=["A", "B"], method=method, **of_wins).data
        for method in ("exact", "advised")
    )
    assert exact.attrs["quantity"] == advised.attrs["quantity"] == "wins"
    np.testing.assert_array_equal(advised["prob_better"], exact["prob_better"])


def test_what_the_quantity_does_not_have_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="ties='all' compares policies for ties, and a mean has"):
        bt.compare(rng.random((30, 2)), systems=["A", "B"], quantity="mean", ties="all")
    tallies = xr.DataArray(
        rng.integers(0, 4, (30, 2, 3)),
        dims=("item", "system", "tally"),
        coords={"system": ["A", "B"], "tally": ["tp", "fp", "fn"]},
    )
    with pytest.raises(ValueError, match="quantity='wins' counts wins, and the advised bayesian"):
        bt.compare(tallies, quantity="wins", method="advised")


@pytest.mark.parametrize("columns", [("X", "Y"), ("Y", "X")])
def test_equal_wins_split_no_pair(columns):
    x = np.random.default_rng(30).random(60)
    frame = pd.DataFrame({"X": x, "Y": np.where(np.arange(60) < 30, x + 0.5, x - 0.02)})
    answer = bt.compare(frame[[*columns]])
    assert answer.pairs["verdict"].tolist() == ["better"]
    assert answer["verdict"].sel(system_a="Y", system_b="X").item() == "a_better"
