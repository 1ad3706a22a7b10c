"""Scores beside people: correlations, agreement, slopes, variance, bins and outliers, against scipy
and statsmodels.
"""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from statsmodels.stats.anova import AnovaRM

import betterthan as bt

ROOT = Path(__file__).parents[2]
PRINTED = tomllib.loads((ROOT / "tests" / "reference" / "tau.toml").read_text("utf-8"))
SLEEP = tomllib.loads((ROOT / "models" / "subject_slopes" / "reference.toml").read_text("utf-8"))


def ratings(subjects=20, texts=8, seed=1):
    random = np.random.default_rng(seed)
    quality = np.linspace(3, 5, texts)
    values = quality + random.normal(0, 0.5, (subjects, 1)) + random.normal(0, 1, (subjects, texts))
    rows = [
        (f"p{s}", f"t{t}", f"bin {t // 2}", t, values[s, t])
        for s in range(subjects)
        for t in range(texts)
    ]
    return pd.DataFrame(rows, columns=["subject", "text", "bin", "place", "rating"])


def test_correlations_are_scipys(monkeypatch):
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 64))
    y = y + 0.5 * x
    found = bt.people.correlation(x, y)
    expected = [stats.pearsonr(x, y), stats.spearmanr(x, y), stats.kendalltau(x, y)]
    assert found["r"].values == pytest.approx([e.statistic for e in expected])
    assert found["p_value"].values == pytest.approx([e.pvalue for e in expected])
    pearson = expected[0].confidence_interval(0.95)
    assert found["lower"].values[0] <= pearson.low
    assert found["upper"].values[0] >= pearson.high  # of the jackknife where that is wider
    monkeypatch.setattr("betterthan.people.correlations._jackknife_errors", lambda *_: np.zeros(3))
    fisher = bt.people.correlation(x, y)
    assert fisher["lower"].values[0] == pytest.approx(pearson.low)
    assert fisher["upper"].values[0] == pytest.approx(pearson.high)
    monkeypatch.undo()
    holed = np.where(np.arange(64) < 4, np.nan, x)
    assert bt.people.correlation(holed, y).attrs["n_dropped"] == 4


def test_bad_pairs_are_named():
    good = [1.0, 2, 3, 4]
    for x, y, said in (
        (good, good[:3], "the same length"),
        (good[:3], good[:3], "3 pairs"),
        (good, [1, 1, 1, 1], "y is constant"),
        (good, ["a", 2, 3, 4], "y holds something that is no number"),
        (good, [1, -np.inf, 3, 4], "y holds -inf at position 1; give finite numbers"),
        (
            pd.Series(good, index=list("abcd")),
            pd.Series(good, index=list("abdc")),
            "'c' and 'd' at place 3",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            bt.people.correlation(x, y)


def test_each_subject_is_left_out_once():
    values = np.random.default_rng(4).normal(size=(179, 8)) + np.arange(8)
    found = bt.people.agreement(values)
    assert found.attrs["n_subjects"] == PRINTED["not_reproducible"]["subjects"]
    k = 17
    expected = np.corrcoef(values[k], np.delete(values, k, axis=0).mean(0))[0, 1]
    assert found["r"].values[k] == pytest.approx(expected)
    assert found["mean"].item() == pytest.approx(found["r"].values.mean())
    latin = np.where((np.arange(179)[:, None] + np.arange(8)) % 4 == 0, np.nan, values)
    latin[3] = 5.0
    holed = bt.people.agreement(
        xr.DataArray(latin, dims=("who", "text"), coords={"who": range(179)})
    )
    assert holed.attrs["n_undefined"] == 1
    assert holed["n_texts"].values[:4].tolist() == [6, 6, 6, 8]
    rest = np.nanmean(np.delete(latin, 0, axis=0), axis=0)
    seen = ~np.isnan(latin[0])
    assert holed["r"].values[0] == pytest.approx(np.corrcoef(latin[0][seen], rest[seen])[0, 1])
    for bad, said in (
        (values[:2], "ratings have 2 subjects; leaving one out needs 3"),
        (values[0], r"ratings have shape \(8,\); give a table"),
        ("times", "ratings is a str"),
        (np.ones((4, 4)), "ratings: no subject rated 3 texts differently"),
    ):
        with pytest.raises(ValueError, match=said):
            bt.people.agreement(bad)


def test_slopes_of_published_times():
    rows = [(s, d, t) for s, times in SLEEP["times"].items() for d, t in enumerate(times)]
    table = pd.DataFrame(rows, columns=["subject", "days", "time"])
    found = bt.people.slopes(table, "time", "days", text=None)
    assert found["mean_slope"].item() == pytest.approx(SLEEP["slope"], abs=5e-4)
    assert found["intercept"].mean().item() == pytest.approx(SLEEP["intercept"], abs=5e-4)
    one = table[table["subject"] == "308"]
    line = stats.linregress(one["days"], one["time"])
    assert found["slope"].sel(subject="308").item() == pytest.approx(line.slope)
    assert found["r"].sel(subject="308").item() == pytest.approx(line.rvalue)
    test = stats.ttest_1samp(found["slope"].values, 0)
    assert found["p_value"].item() == pytest.approx(test.pvalue)
    low, high = test.confidence_interval(0.95)
    assert (found["lower"].item(), found["upper"].item()) == pytest.approx((low, high))
    assert found["df"].item() == 17


def test_slopes_count_what_they_leave_out():
    table = ratings(4)
    table.loc[table["subject"] == "p1", "place"] = 3
    table.loc[0, "rating"] = np.nan
    found = bt.people.slopes(table, "rating", "place")
    assert found.attrs["n_undefined"] == 1
    assert found.attrs["n_dropped"] == 1
    assert np.isnan(found["slope"].sel(subject="p1"))
    for bad, said in (
        ((table, "rating", "word"), "no column 'word'"),
        ((table.assign(place="x"), "rating", "place"), "no number"),
        ((table[table["subject"] == "p0"], "rating", "place"), "1 subjects have a slope"),
        ((table.iloc[:0], "rating", "place"), "0 subjects have a slope"),
        (([1], "rating", "place"), "give a pandas.DataFrame"),
        ((table.assign(subject=None), "rating", "place"), "every row needs its subject"),
    ):
        with pytest.raises(ValueError, match=said):
            bt.people.slopes(*bad)


def test_variance_within_is_statsmodels():
    table = ratings()
    found = bt.people.anova(table, "rating", "bin")
    cells = table.groupby(["subject", "bin"], as_index=False)["rating"].mean()
    expected = AnovaRM(cells, "rating", "subject", within=["bin"]).fit().anova_table.iloc[0]
    wanted = [expected["F Value"], 3, 57, expected["Pr > F"]]
    assert [found[k].item() for k in ("f", "df1", "df2", "p_value")] == pytest.approx(wanted)
    assert found.attrs["design"] == "within"
    assert 1 / 3 <= found["epsilon"].item() <= 1
    assert found["p_corrected"].item() >= found["p_value"].item()
    two = table[table["bin"].isin(["bin 0", "bin 3"])]
    pair = bt.people.anova(two, "rating", "bin")
    wide = two.groupby(["subject", "bin"])["rating"].mean().unstack()
    test = stats.ttest_rel(wide["bin 0"], wide["bin 3"])
    assert pair["f"].item() == pytest.approx(test.statistic**2)
    assert pair["p_pairwise"].values[0, 1] == pytest.approx(test.pvalue)
    assert pair["epsilon"].item() == pytest.approx(1)


def test_variance_between_is_scipys():
    random = np.random.default_rng(5)
    groups = [random.normal(k, 1, 6 + k) for k in range(3)]
    rows = [(f"{k}{j}", str(k), v) for k, group in enumerate(groups) for j, v in enumerate(group)]
    found = bt.people.anova(
        pd.DataFrame(rows, columns=["item", "level", "y"]), "y", "level", unit="item"
    )
    expected = stats.f_oneway(*groups)
    assert found["f"].item() == pytest.approx(expected.statistic)
    assert found["p_value"].item() == pytest.approx(expected.pvalue)
    tukey = stats.tukey_hsd(*groups)
    assert found["p_pairwise"].values == pytest.approx(tukey.pvalue)
    assert found["difference"].values == pytest.approx(tukey.statistic)
    assert found.attrs["design"] == "between"


def test_published_f_has_another_p():
    printed = PRINTED["analysis_of_variance"]
    p = stats.f.sf(printed["f"], *printed["df"])
    assert round(p, 3) == printed["p"]
    assert p > 0.01


def test_half_crossed_designs_are_refused():
    table = ratings(4)
    with pytest.raises(ValueError, match=r"subject 'p0' has no 'rating' at 'bin 0'"):
        bt.people.anova(
            table[(table["subject"] != "p0") | (table["bin"] != "bin 0")], "rating", "bin"
        )
    with pytest.raises(ValueError, match="one level"):
        bt.people.anova(table[table["bin"] == "bin 0"], "rating", "bin")
    with pytest.raises(ValueError, match="column 'bin' has no level"):
        bt.people.anova(table.iloc[:0], "rating", "bin")
    with pytest.raises(ValueError, match="there is one subject, 'p1'; a comparison needs two"):
        bt.people.anova(table[table["subject"] == "p1"], "rating", "bin")
    with pytest.raises(ValueError, match="nothing varies"):
        bt.people.anova(table.assign(rating=1.0), "rating", "bin")


def test_bins_and_their_limits():
    found = bt.people.bin_by([5, 6, 2, 3, 9, 1], [1, 0.5, 0, -0.2, 2, np.nan], [-1, 0, 0.5, 1])
    assert found["n"].values.tolist() == [1, 1, 2]
    assert found["mean"].values.tolist() == [3, 2, 5.5]
    assert found["max"].values.tolist() == [3, 2, 6]
    assert found.attrs == {"n_dropped": 1, "n_outside": 1}
    empty = bt.people.bin_by([1], [0.5], [-1, 0, 1])
    assert np.isnan([empty[k].values[0] for k in ("mean", "min", "max", "sd")]).all()
    with pytest.raises(ValueError, match="larger than the one before"):
        bt.people.bin_by([1], [1], [1, 0])
    with pytest.raises(ValueError, match="the same length"):
        bt.people.bin_by([1, 2], [1], [0, 1])


def test_outliers_are_set_to_the_cutoff():
    random = np.random.default_rng(6)
    times = random.normal(1000, 100, 40)
    times[5], times[30] = 3000, 10
    by, wrong = np.repeat(["a", "b"], 20), np.zeros(40, dtype=bool)
    wrong[7] = True
    times[8] = np.nan
    found = bt.people.winsorise(times, by=by, wrong=wrong)
    own = np.delete(times[:20], [7])
    cut = np.nanmean(own) + 2.5 * np.nanstd(own, ddof=1)
    assert found["time"].values[5] == pytest.approx(cut)
    assert found["time"].values[30] > 10
    assert np.isnan(found["time"].values[[7, 8]]).all()
    assert {k: found.attrs[k] for k in ("n", "n_missing", "n_removed", "n_changed")} == {
        "n": 40,
        "n_missing": 1,
        "n_removed": 1,
        "n_changed": 2,
    }
    untouched = ~(found["changed"] | found["removed"]).values
    assert np.array_equal(found["time"].values[untouched], times[untouched], equal_nan=True)
    for choice, said in (
        ({"by": by[:3]}, "by has 3 entries"),
        ({"by": by, "wrong": np.full(40, 2)}, "true or false"),
        ({"by": by, "sd": 0}, "positive"),
        ({"by": 3}, "by has 1 entries and there are 40 times"),
    ):
        with pytest.raises(ValueError, match=said):
            bt.people.winsorise(times, **choice)
    with pytest.raises(ValueError, match="times have shape"):
        bt.people.winsorise([], by=[])


def test_texts_in_another_order_are_refused():
    times = pd.Series([1.0, 2.0, 3.0, 9.0], [*"wxyz"])
    who, wrong = pd.Series([*"aabb"], [*"wxyz"]), pd.Series([False] * 4, [*"wxyz"])
    bt.people.winsorise(times, by=who, wrong=wrong, sd=0.5)
    for choices in ({"by": who[::-1]}, {"by": who, "wrong": wrong[::-1]}):
        with pytest.raises(ValueError, match="name different times: 'w' and 'z' at place 1"):
            bt.people.winsorise(times, sd=0.5, **choices)
    with pytest.raises(ValueError, match="values and score name different texts: 'w' and 'z'"):
        bt.people.bin_by(times, times[::-1], [0, 5, 10])


@pytest.mark.parametrize("first", [[3.3, 4.1, 2.7, 1.9, 3.6], [3.25, 4.5, 2.75, 1.75, 3.5]])
def test_others_whose_mean_never_varies_correlate_with_nobody(first):
    with pytest.raises(ValueError, match="no subject rated 3 texts differently"):
        bt.people.agreement([first, [3] * 5, [4] * 5])


def test_a_missing_value_is_in_no_bin():
    result = bt.people.bin_by([np.nan, 2.0, 4.0], [0.5, 0.6, 0.7], [0, 1])
    assert (result["n"].item(), result["mean"].item(), result.attrs["n_dropped"]) == (2, 3.0, 1)
