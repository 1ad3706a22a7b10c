"""Friedman's test against scipy, Cochran's Q of statsmodels, and simulated equal systems."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

import betterthan as bt
from betterthan.exact.swaps.rank_tests import friedman


def scored(values, **coords):
    labels = {"system": list("ABCDEFGH")[: np.shape(values)[1]]}
    return xr.DataArray(np.asarray(values, float), dims=("item", "system"), coords=labels | coords)


@pytest.mark.parametrize("levels", [2, 4, 1000])
def test_it_is_that_of_scipy_and_of_right_and_wrong_cochrans(levels):
    values = np.random.default_rng(levels).integers(0, levels, (25, 6))
    found = bt.significance.friedman(scored(values))
    other = stats.friedmanchisquare(*values.T)
    assert found["statistic"].item() == pytest.approx(other.statistic, rel=1e-12)
    assert found["p_value"].item() == pytest.approx(other.pvalue, rel=1e-12)
    assert found["concordance"].item() == pytest.approx(other.statistic / (25 * 5))
    assert found["mean_rank"].sum().item() == pytest.approx(21)
    if levels == 2:
        assert cochrans_q(values).statistic == pytest.approx(other.statistic)


def test_rank_1_is_the_best_and_lower_may_be_better():
    values = np.random.default_rng(3).random((12, 3)) + np.arange(3)
    assert bt.significance.friedman(scored(values))["mean_rank"].values.tolist() == [3, 2, 1]
    lower = scored(values).assign_attrs(higher_is_better=False)
    assert bt.significance.friedman(lower)["mean_rank"].values.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("items", "systems", "easy"), [(20, 3, 0.5), (20, 9, 0.9), (50, 5, 0.7)])
def test_equal_systems_are_called_different_no_more_often_than_the_level(items, systems, easy):
    random, sets = np.random.default_rng(4), 2000
    ease = random.beta(4 * easy, 4 * (1 - easy), (sets, items, 1))
    right = (random.random((sets, items, systems)) < ease).astype(float)
    p = np.array([friedman(one)[2] for one in right])
    assert (p <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)
    assert (p <= 0.05).mean() > 0.025  # and it is not idle


def test_items_that_a_system_lacks_are_left_out_and_counted():
    values = np.random.default_rng(5).random((15, 4))
    values[[2, 7], [0, 3]] = np.nan
    found = bt.significance.friedman(scored(values))
    kept = np.delete(values, [2, 7], axis=0)
    assert found["statistic"].item() == pytest.approx(stats.friedmanchisquare(*kept.T).statistic)
    assert (found.attrs["n"], found.attrs["n_dropped"]) == (13, 2)


def test_clusters_and_runs_are_single_units():
    values = np.random.default_rng(6).random((24, 3))
    clusters = np.repeat([f"c{k}" for k in range(8)], 3)
    means = values.reshape(8, 3, 3).mean(1)
    found = bt.significance.friedman(scored(values, cluster=("item", clusters)))
    assert found.attrs["unit"] == "cluster"
    assert found["statistic"].item() == pytest.approx(stats.friedmanchisquare(*means.T).statistic)
    alone = bt.significance.friedman(scored(values, cluster=("item", clusters)), unit="item")
    assert alone.attrs["n"] == 24
    compared = bt.compare(scored(values, cluster=("item", clusters)))
    assert compared["friedman_p"].item() == found["p_value"].item()
    assert compared["friedman_n"].item() == 8


def test_nothing_differs_nothing_is_told():
    found = bt.significance.friedman(scored(np.ones((9, 3))))
    assert np.isnan(found["statistic"].item())
    assert found["p_value"].item() == 1
    report = bt.report(bt.compare(scored(np.ones((9, 3)))))
    assert (
        "Friedman's test of all 3 systems at once, on the 9 items that all have: no two" in report
    )


def test_what_it_cannot_test_it_says():
    with pytest.raises(ValueError, match="three systems or more; of two use sign_test"):
        bt.significance.friedman(scored([[1, 0], [0, 1]]))
    gaps = [[1, 0, np.nan], [0, np.nan, 1], [np.nan, 1, 0]]
    with pytest.raises(ValueError, match="0 of 3 have scores of all systems"):
        bt.significance.friedman(scored(gaps))
    assert "friedman_p" not in bt.compare(scored(gaps))


def test_a_report_of_graded_scores_tells_their_quantiles():
    values = np.random.default_rng(7).gamma(2, size=(40, 3))
    values[3, 1] = np.nan
    found = bt.compare(scored(values))
    column = values[~np.isnan(values[:, 1]), 1]
    at = found.data.sel(system="B")
    assert at["score_sd"].item() == pytest.approx(column.std(ddof=1))
    assert at["score_quantile"].sel(quantile=0.25).item() == pytest.approx(
        np.quantile(column, 0.25)
    )
    assert at["score_worst_tenth"].item() == pytest.approx(np.sort(column)[:4].mean())
    lower = bt.compare(scored(values).assign_attrs(higher_is_better=False)).data.sel(system="B")
    assert lower["score_worst_tenth"].item() == pytest.approx(np.sort(column)[-4:].mean())
    page = bt.report(found, format="markdown")
    assert (
        "| System | Std. deviation | 10% | 25% | 50% | 75% | 90% | Mean of the worst tenth |"
        in page
    )
    right = bt.compare(scored((values > 1).astype(float)))
    assert "score_sd" not in right
