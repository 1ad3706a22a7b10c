"""The rule on means of units: Student's t, whatever is missing, and clusters and runs."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special

import betterthan as bt
from betterthan.exact.joint.units import spans
from betterthan.gating.boundaries import further_units
from betterthan.gating.rule import all_alike, mean_chances, paired

SURE = 0.95


def as_scores(old, new, **coords):
    values = np.array([old, new], float).T
    told = {k: ("item", v) for k, v in coords.items()} | {"system": ["old", "new"]}
    return xr.DataArray(values, dims=("item", "system"), coords=told)


def graded(n=40, seed=3):
    rng = np.random.default_rng(seed)
    old = rng.random(n)
    return old, np.clip(old + rng.normal(-0.02, 0.1, n), 0, 1)


def test_by_student_t_on_the_differences():
    old, new = graded()
    apart = new - old
    n, error = len(apart), apart.std(ddof=1) / np.sqrt(len(apart))
    found = mean_chances(paired(as_scores(old, new)), 0.03, SURE).observed
    assert found.passes == pytest.approx(special.stdtr(n - 1, (apart.mean() + 0.03) / error), 1e-12)
    assert found.behind == pytest.approx(special.stdtr(n - 1, -apart.mean() / error), 1e-12)


@pytest.mark.parametrize("beside", ["nothing", "cluster"])
def test_who_is_behind_is_what_a_comparison_says(beside):
    old, new = graded()
    coords = {} if beside == "nothing" else {"cluster": np.arange(40) // 3}
    scores = as_scores(old, new, **coords)
    found = mean_chances(paired(scores), 0.03, SURE).observed
    compared = bt.compare(scores, quantity="mean").data["prob_better"]
    assert found.behind == pytest.approx(float(compared.sel(system_a="old", system_b="new")), 1e-10)


def test_runs_of_an_item_are_one_item():
    old, new = (np.repeat([1, 0, 1, 1, 0, 1, 0, 1.0], 1), np.array([1, 1, 0, 1, 0, 1, 0, 0.0]))
    item = [f"q{k}" for k in range(8)]
    once = as_scores(old, new, item=item)
    thrice = xr.concat([once.assign_coords(epoch=("item", [k] * 8)) for k in (1, 2, 3)], "item")
    both = [paired(of) for of in (once, thrice)]
    assert [of.runs for of in both] == [1, 3]
    assert [of.units for of in both] == [8, 8]
    assert [of.counted for of in both] == [True, False]
    first, second = (mean_chances(of, 0.1, SURE) for of in both)
    assert first == second  # three times the same is no more than once


def test_one_side_may_have_fewer_runs_by_plan():
    item, epoch = ["q1", "q1", "q2", "q2"], [1, 2, 1, 2]
    scores = as_scores([1, np.nan, 0, np.nan], [1, 0, 1, 1], item=item, epoch=epoch)
    of = paired(scores)
    assert of.gone == 0
    assert of.differences.tolist() == [-0.5, 1.0]
    lost = as_scores([1, 1, 0, np.nan], [1, 0, 1, 1], item=item, epoch=epoch)
    of = paired(lost)
    assert of.gone == 1
    assert (of.low[1, 0], of.high[1, 0]) == (0.0, 0.5)


@pytest.mark.parametrize("clusters", [1, 3])
def test_no_values_of_what_is_missing_lead_outside(clusters):
    rng = np.random.default_rng(8)
    old, new = graded(24, seed=1)
    gaps = rng.random((24, 2)) < [0.05, 0.15]
    values = np.where(gaps, np.nan, np.array([old, new]).T)
    scores = as_scores(*values.T, cluster=np.arange(24) // clusters)
    ends = mean_chances(paired(scores), 0.1, SURE)
    assert gaps.any()
    reached = []
    for fill in [0.0, 1.0, *rng.random((200, gaps.sum())), *rng.integers(0, 2, (200, gaps.sum()))]:
        whole = values.copy()
        whole[gaps] = fill
        of = paired(as_scores(*whole.T, cluster=np.arange(24) // clusters))
        one = mean_chances(of, 0.1, SURE).observed
        assert ends.worst.passes <= one.passes <= ends.best.passes
        assert ends.best.behind <= one.behind <= ends.worst.behind
        reached.append(one.passes)
    assert ends.worst.passes < min(reached) < max(reached) < ends.best.passes


@pytest.mark.parametrize("seed", [9, 39, 65])
def test_no_values_of_skewed_items_lead_outside(seed):
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=40)
    old, new = (1 / (1 + np.exp(-ease - by - 0.4 * rng.normal(size=40))) for by in (0, -0.1))
    new[rng.choice(40, 2, replace=False)] = np.nan
    ends = mean_chances(paired(as_scores(old, new)), 0.08, SURE)
    for fill in ([0, 0], [0, 1], [1, 0], [1, 1]):
        whole = new.copy()
        whole[np.isnan(new)] = fill
        one = mean_chances(paired(as_scores(old, whole)), 0.08, SURE).observed
        assert ends.worst.passes <= one.passes <= ends.best.passes
        assert ends.best.behind <= one.behind <= ends.worst.behind


def test_spans_of_what_is_known_are_no_spans():
    apart, unit = np.array([0.1, -0.2, 0.4, 0.3]), np.array([0, 0, 1, 2])
    found = spans(apart[:, None], apart[:, None], unit)
    assert found.low == found.high == pytest.approx(apart.mean())
    assert found.least_error == pytest.approx(found.most_error)
    means = [apart[unit != k].mean() - apart.mean() for k in range(3)]
    j = 1 + 2 * ((1 / 4) / (3 / 4)) ** 2  # of all but the largest unit
    assert found.most_error == pytest.approx(np.sqrt(np.square(means).sum() / j))


def test_units_that_all_say_the_same_pass_with_enough_of_them():
    few, many = (mean_chances(paired(as_scores(*[[0.5] * n] * 2)), 0.05, SURE) for n in (5, 80))
    assert (few.verdict, many.verdict) == ("inconclusive", "pass")
    behind = all_alike(-0.3, 60, (0.0, 1.0), 0.05)
    assert behind[0] < 0.01
    assert behind[1] > 0.99


@pytest.mark.parametrize("difference", [-0.1, -0.01, 0.01])
def test_units_that_all_differ_by_one_amount_are_ahead_as_probably_as_compare_says(difference):
    old = np.linspace(0.2, 0.7, 12)
    chance = mean_chances(paired(as_scores(old, old + difference)), 0.05, SURE).observed
    answer = bt.compare({"old": old, "new": old + difference}).data["prob_better"].values[0, 1]
    assert chance.behind == pytest.approx(answer, rel=1e-12)
    assert chance.passes >= 1 - chance.behind


def test_scores_without_any_width_say_nothing():
    found = mean_chances(paired(as_scores([3.0] * 9, [3.0] * 9)), 0.05, SURE)
    assert np.isnan(found.observed.passes)
    assert found.verdict == "inconclusive"


def test_one_unit_says_nothing():
    found = mean_chances(paired(as_scores([0.5], [0.7])), 0.05, SURE)
    assert found.verdict == "inconclusive"


def test_units_more_lead_to_a_pass_as_often_as_said():
    units, spread, mean, margin = 60, 0.3, -0.02, 0.05
    found = further_units(mean, spread, units, margin, SURE)
    rng, runs = np.random.default_rng(2), 4000
    first = rng.normal(size=units)
    first = mean + spread * (first - first.mean()) / first.std(ddof=1)
    later = rng.normal(0, spread, (runs, found.units))
    whole = np.hstack([np.broadcast_to(first, (runs, units)), later])
    n = units + found.units
    t = (whole.mean(1) + margin) / (whole.std(1, ddof=1) / np.sqrt(n))
    seen = (special.stdtr(n - 1, t) >= SURE).mean()
    assert (
        abs(seen - found.prob) < 4 * np.sqrt(0.16 / runs) + 0.01
    )  # the spread to come is not known
    assert found.prob == pytest.approx(0.8, abs=0.01)


def ratings(n=60, gone=4):
    """Ratings from 1 to 5, of which 3 to 5 occur; the last ones have no rating of the candidate."""
    rng = np.random.default_rng(4)
    old = rng.integers(3, 6, n)
    new = np.clip(old + rng.choice([-1, 0, 0, 0, 1], n), 3, 5).astype(float)
    new[n - gone :] = np.nan
    return [pd.DataFrame({"item": range(n), "score": side}) for side in (old, new)]


def test_a_missing_rating_may_be_worse_than_any_that_was_seen():
    old, new = ratings()
    open_ = bt.gate(old, new, margin=0.4)
    assert open_.verdict == "inconclusive"
    assert "the 4 missing scores may be worse than any that was seen; pass limits" in " ".join(
        str(open_).split()
    )
    low = new.fillna({"score": 1.0})
    assert bt.gate(old, low, margin=0.4).verdict == "worse"
    assert bt.gate(old, new, margin=0.4, limits=(1, 5)).verdict == "inconclusive"
    assert bt.gate(old, new, margin=0.4, limits=(3, 5)).verdict == "pass"
    assert bt.gate(*ratings(gone=0), margin=0.4).verdict == "pass"
    with pytest.raises(ValueError, match="limits are 3 and 4, but the scores run from 3 to 5"):
        bt.gate(old, new, margin=0.4, limits=(3, 4))


def test_no_number_of_further_items_is_promised_where_skewness_alone_withholds_a_pass():
    """Student's t passes already, so by it one more item would do; 30 equal ones do not."""
    full = np.linspace(0.05, 1, 60).round(2)
    collapsed = np.where(np.arange(60) == 45, 0, full)
    sides = (pd.DataFrame({"item": range(60), "score": scores}) for scores in (full, collapsed))
    gated = bt.gate(*sides, margin=0.05)
    assert gated.verdict == "inconclusive"
    assert "more item" not in str(gated)


def test_pooled_data_sets_of_unequal_size_are_named():
    random, parts = np.random.default_rng(8), []
    for name, n, shift in (("robust", 150, 0.05), ("dl", 30, -0.15)):
        base = random.beta(3, 3, n)
        new = (base + shift + random.normal(0, 0.08, n)).clip(0, 1)
        rows = {"item": [f"{name}{k}" for k in range(n)], "dataset": name, "old": base, "new": new}
        parts.append(pd.DataFrame(rows))
    table = pd.concat(parts)
    sides = (table[["item", "dataset", s]].rename(columns={s: "score"}) for s in ("old", "new"))
    gated = bt.gate(*sides, margin=0.02)
    assert "the 2 data sets are pooled, so large ones weigh more" in str(gated)
    sides = (table.rename(columns={s: "score"})[["item", "score"]] for s in ("old", "new"))
    assert "pooled" not in str(bt.gate(*sides, margin=0.02))


def test_ids_are_those_of_their_data_set(tmp_path):
    """Two collections whose queries are numbered alike, in a column of another name."""
    random = np.random.default_rng(0)
    sides = []
    for name, share in (("old", 0.5), ("new", 0.9)):
        rows = {"item": [*map(str, range(40))] * 2, "collection": ["x"] * 40 + ["y"] * 40}
        right = (random.random(80) < share) * 1
        sides.append(tmp_path / f"{name}.csv")
        pd.DataFrame(rows | {"score": right}).to_csv(sides[-1], index=False)
    assert bt.gate(*sides, margin=0.05, dataset="collection").evidence.items == 80
    with pytest.raises(ValueError, match="duplicate item id"):
        bt.gate(*sides, margin=0.05)


@pytest.mark.parametrize("scale", [(1, 100), (100, 1), (1, 1)])
def test_proportions_are_no_percentages(scale):
    """Divided by 100, a candidate that is 14 points worse would pass."""
    rng = np.random.default_rng(1)
    old = (rng.random(200) < 0.8).astype(int)
    new = np.where(rng.random(200) < 0.15, 0, old)
    sides = [
        pd.DataFrame({"item": range(200), "score": factor * side})
        for factor, side in zip(scale, (old, new), strict=True)
    ]
    with pytest.raises(ValueError, match="percent=True, but no score"):
        bt.gate(*sides, margin=0.05, percent=True)
    right = [side.assign(score=side["score"] / side["score"].max() * 100) for side in sides]
    assert bt.gate(*right, margin=0.05, percent=True).verdict == "worse"


def test_scores_that_could_turn_worse_need_not_be_worse_than_any():
    rng = np.random.default_rng(0)
    base = rng.normal(10, 1, 60).round(2)
    candidate = (base - 0.6 + rng.normal(0, 0.7, 60)).round(2)
    candidate[:3] = np.nan
    sides = (pd.DataFrame({"item": range(60), "score": x}) for x in (base, candidate))
    result = bt.gate(*sides, margin=0.3)
    assert result.verdict == "inconclusive"
    said = "the observed scores lead to worse, but the 3 missing scores could change that"
    assert result.why == (said,)


def test_marks_and_ratings_are_not_comparable_without_limits():
    old = pd.DataFrame({"item": range(40), "score": [0, 1] * 20})
    new = old.assign(score=[1, 2, 3, 4, 5] * 8)
    decision = bt.gate(old, new, margin=0.5)
    assert decision.verdict == "not comparable"
    assert "write both on one scale, or pass 'limits'" in decision.why[0]
