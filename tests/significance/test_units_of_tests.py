"""Tests and bootstraps take the units of `compare`: items with all their runs, and clusters."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.rounding import without_rounding


@pytest.fixture(scope="module")
def uneven():
    """Eight dialogues of three items, of which the first was run five times; A wins those alone."""
    random, rows = np.random.default_rng(3), []
    for c in range(8):
        for i in range(3):
            for r in range(1 if i else 5):
                a, b = ((0.1, 0.6) if i else (0.9, 0.1)) + random.normal(0, 0.02, 2)
                rows.append((f"c{c}", f"c{c}i{i}", r, a, b, 0.3 + random.normal(0, 0.001)))
    cluster, item, run, *scores = zip(*rows, strict=True)
    return xr.DataArray(
        np.array(scores).T,
        dims=("item", "system"),
        coords={"system": list("ABC"), "item": list(item)}
        | {"epoch": ("item", list(run)), "cluster": ("item", list(cluster))},
    )


def test_a_cluster_that_is_named_counts_each_item_once_as_the_default_does(uneven):
    for function in (bt.sign_test, bt.randomization_test):
        named, default = function(uneven, unit="cluster"), function(uneven)
        np.testing.assert_array_equal(named["p_value"], default["p_value"])
    wins = bt.sign_test(uneven, unit="cluster")["wins"].values
    assert (wins[0, 1], wins[1, 0]) == (0, 8)
    named = bt.scores.bootstrap(uneven, unit="cluster", rng=1, draws=200)
    np.testing.assert_array_equal(named["score"], bt.scores.bootstrap(uneven, rng=1)["score"])


def test_friedman_ranks_the_means_of_runs(uneven):
    assert bt.significance.friedman(uneven)["mean_rank"].values.tolist() == [2, 1, 3]


def test_friedman_of_one_cluster_has_one_unit(uneven):
    with pytest.raises(ValueError, match="1 of 1 have scores of all systems"):
        bt.significance.friedman(uneven.assign_coords(cluster=("item", ["c"] * uneven.shape[0])))


@pytest.mark.parametrize("blank", ["", None])
def test_items_without_a_cluster_are_refused_and_by_default_warned_of(uneven, blank):
    scores = uneven.drop_vars("epoch").isel(item=slice(0, 35, 5))
    labels = np.array([blank, "c1", "c1", "c2", "c2", "c3", "c3"], object)
    scores = scores.assign_coords(item=list("abcdefg"), cluster=("item", labels))
    for function in (bt.sign_test, bt.randomization_test, bt.scores.bootstrap, bt.scores.compare):
        with pytest.raises(ValueError, match="1 of 7 items have no cluster, the first at place 1"):
            function(scores, unit="cluster")
    for function in (bt.sign_test, bt.randomization_test, bt.significance.friedman, bt.advise):
        with pytest.warns(UserWarning, match="1 of 7 items have no cluster, so all items count"):
            function(scores)


@pytest.fixture(scope="module")
def alike():
    """Three systems that tie on each of 60 items but for rounding."""
    y = np.random.default_rng(0).random(60)
    columns = [(y + 0.1 + 0.2) / 3, (y + (0.1 + 0.2)) / 3, (y + 0.2 + 0.1) / 3]
    scores = xr.DataArray(
        np.stack(columns, 1), dims=("item", "system"), coords={"system": list("ABC")}
    )
    assert 0 < float((scores.max("system") - scores.min("system")).max()) < 1e-15
    return scores


def test_rounding_is_no_win_and_no_rank(alike):
    assert bt.significance.friedman(alike)["p_value"] == 1
    test = bt.randomization_test(alike)
    assert (test["n_differ"].values == 0).all()
    assert (test["p_value"].values[np.triu_indices(3, 1)] == 1).all()
    with pytest.warns(UserWarning, match="no interval where all units say the same"):
        result = bt.scores.bootstrap(alike, rng=1, draws=200)
    assert not result["wins"].values.any()
    assert (result["verdict"].values[np.triu_indices(3, 1)] == "undecided").all()
    assert "friedman_p" not in bt.compare(alike).data or bt.compare(alike).data["friedman_p"] == 1


def test_folds_that_are_alike_but_for_rounding_are_ties():
    errors = np.resize([3, 4, 2, 5, 3, 1, 2, 4, 3, 2], 20)
    folds = np.stack([1 - errors / 37, (37 - errors) / 37], 1)
    scores = xr.DataArray(folds, dims=("item", "system"), coords={"system": ["A", "B"]})
    assert (folds[:, 0] != folds[:, 1]).any()
    result = bt.scores.compare_folds(scores, test_share=0.05)
    assert result.data["prob_better"].values[0, 1] == 0.5


def test_equal_values_stay_apart_from_others():
    values = np.array([[0.3, 0.1 + 0.2, 0.30001], [1.0, 2.0, 2.0]])
    equal = without_rounding(values)
    assert equal[0, 0] == equal[0, 1] == 0.3
    assert equal[0, 2] == 0.30001
    whole = np.array([[1.0, 2.0]])
    assert without_rounding(whole) is whole


def test_a_ratio_of_ones_own_takes_the_mean_of_runs():
    random = np.random.default_rng(7)
    top = random.integers(0, 5, (40, 2))
    parts = np.stack([top, top + random.integers(1, 6, (40, 2))], -1).astype(float)
    data = xr.DataArray(
        parts,
        dims=("item", "system", "part"),
        coords={"system": ["A", "B"], "item": np.arange(40) // 2, "epoch": ("item", [0, 1] * 20)},
    )
    found = bt.scores.bootstrap(data, statistic=lambda m: m[..., 0] / m[..., 1], rng=1, draws=50)
    np.testing.assert_allclose(found["score"], parts[..., 0].sum(0) / parts[..., 1].sum(0))


def test_a_function_is_refused_where_bootstrap_and_test_are_one_answer(alike):
    with pytest.raises(ValueError, match=r"call scores\.bootstrap and randomization_test"):
        bt.scores.compare(alike, statistic=np.sqrt)


def test_items_without_a_stratum_are_refused():
    for years in (np.array([None, "x", "y"], object), np.array([np.nan, 2021.0, 2022.0])):
        scores = xr.DataArray(
            [[1, 0], [0, 1], [1, 1]],
            dims=("item", "system"),
            coords={"system": ["A", "B"], "year": ("item", years)},
        )
        with pytest.raises(ValueError, match="1 of 3 items have no year, the first at place 1"):
            bt.count(scores, by="year")


def strongest(p):
    """The least probability of so many p-values so small, of either system, (row,)."""
    ordered = np.sort(np.where(p < 0.5, p, 1.0), 1)
    number = np.arange(p.shape[1])
    return np.where(ordered < 1, stats.binom.sf(number, p.shape[1], ordered), 1.0).min(1)


def test_strength_has_the_error_rates_of_its_notes():
    """Five normal measures that correlate, of equal systems."""
    random, n = np.random.default_rng(0), 5
    alone = random.random((100_000, n))
    limit = np.quantile(np.minimum(strongest(alone), strongest(1 - alone)), 0.05)
    for rho, stated in ((0.3, 0.15), (0.6, 0.26)):
        factor = np.linalg.cholesky(rho + (1 - rho) * np.eye(n))
        p = stats.norm.sf(random.normal(size=(40_000, n)) @ factor.T)
        least = np.minimum(strongest(p), strongest(1 - p))
        assert (least <= limit).mean() == pytest.approx(stated, abs=0.007)  # as it is rounded
    row = p[0]
    given = {"A": row[row < 0.5].tolist(), "B": (1 - row[row >= 0.5]).tolist()}
    result = bt.significance.strength(given, measures=n, rng=1)
    assert float(result["strongest_overall"]) == pytest.approx(least[0], rel=1e-9)
