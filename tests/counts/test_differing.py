"""The items on which systems differ most, against plain loops; runs, gaps, and what equals say."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.units import alike_items, unlike_gold


def scored(values, **coords):
    return xr.DataArray(
        np.asarray(values, dtype=float),
        dims=("item", "system"),
        coords={"system": list("ABCDEFGH")[: np.shape(values)[1]]} | coords,
    )


def test_spread_and_correlation_with_the_other_items_equal_a_plain_loop():
    random = np.random.default_rng(1)
    values = random.integers(0, 4, (30, 5)).astype(float)
    values[random.random(values.shape) < 0.15] = np.nan
    items = [f"q{k}" for k in range(30)]
    found = bt.counts.disagreements(scored(values, item=items))
    assert found.sizes["item"] == found.attrs["n_differing"] <= found.attrs["n_items"] == 30
    for item in found["item"].values:
        k = items.index(item)
        row, seen = values[k], ~np.isnan(values[k])
        rest = np.nanmean(np.delete(values, k, axis=0), axis=0)
        one = found.sel(item=item)
        assert one["scored"] == seen.sum()
        assert one["mean"] == pytest.approx(row[seen].mean())
        assert one["spread"] == pytest.approx(row[seen].std(ddof=1))
        assert one["with_rest"] == pytest.approx(np.corrcoef(row[seen], rest[seen])[0, 1])
        assert np.array_equal(one["score"], row, equal_nan=True)
    assert (np.diff(found["spread"].round(12)) <= 0).all()


def test_of_one_spread_an_item_that_goes_against_the_others_comes_first():
    values = [[1, 1, 0, 0]] * 6 + [[0, 0, 1, 1]] + [[1, 1, 1, 0]] * 3 + [[1, 1, 1, 1]] * 2
    found = bt.counts.disagreements(scored(values), most=3)
    assert found["item"].values.tolist() == ["6", "0", "1"]
    assert found["with_rest"].values[0] < -0.8 < 0.8 < found["with_rest"].values[1]
    assert found.attrs == {"n_items": 12, "n_differing": 10}


def test_of_two_systems_the_items_that_the_weaker_one_won_come_first():
    values = [[1, 0]] * 5 + [[0, 1]] * 2 + [[1, 1]] * 4
    found = bt.counts.disagreements(scored(values))
    assert found["item"].values.tolist()[:2] == ["5", "6"]
    assert found["with_rest"].values.tolist() == [-1, -1, 1, 1, 1, 1, 1]


def test_runs_of_an_item_are_one_item():
    values = [[1, 0], [0, 0], [1, 1], [1, 0]]
    found = bt.counts.disagreements(
        scored(values, item=["a", "a", "b", "b"], epoch=("item", [1, 2, 1, 2]))
    )
    assert found.attrs["n_items"] == 2
    assert dict(
        zip(found["item"].values.tolist(), found["score"].values.tolist(), strict=True)
    ) == {
        "a": [0.5, 0.0],
        "b": [1.0, 0.5],
    }


def test_equal_scores_and_single_systems_leave_nothing_to_tell():
    found = bt.counts.disagreements(scored([[1, 1], [0, np.nan], [0.1 + 0.2, 0.3]]))
    assert found.sizes["item"] == 0
    assert found.attrs["n_differing"] == 0


def test_with_rest_is_not_known_where_the_rest_is_equal():
    found = bt.counts.disagreements(scored([[1, 0], [0, 1], [1, 1]]))
    assert found.attrs["n_differing"] == 2
    assert found["with_rest"].values.tolist() == [-1, -1]
    alone = bt.counts.disagreements(scored([[1, 0], [1, 1]]))
    assert np.isnan(alone["with_rest"].item())


def test_a_wrong_number_of_items_is_refused():
    with pytest.raises(ValueError, match="most"):
        bt.counts.disagreements(scored([[1, 0]]), most=0)


def test_a_comparison_holds_the_first_ten_and_a_report_shows_them():
    random = np.random.default_rng(2)
    scores = scored((random.random((60, 5)) < [0.9, 0.7, 0.5, 0.4, 0.2]).astype(float))
    found, alone = bt.compare(scores), bt.counts.disagreements(scores, most=10)
    assert found["item"].values.tolist() == alone["item"].values.tolist()
    assert np.array_equal(found["item_spread"], alone["spread"])
    assert found["n_differing"] == alone.attrs["n_differing"]
    page = bt.report(found, format="markdown")
    assert f"Items on which systems differ most, 10 of {alone.attrs['n_differing']}" in page
    assert "| Item | Correct | Spread | With the rest |" in page
    two = bt.report(bt.compare(scores[:, :2]), format="markdown")
    assert "| Item | A | B |\n" in two


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("prefix", ["q", "two\nlines "])
def test_equal_items_are_sorted_by_id_in_any_order_of_rows(most, prefix):
    items = [f"{prefix}{k}" for k in range(1, 13)]
    scores = scored([[1, 0, 0]] * 11 + [[1, 0, 1]], item=items)
    for seed in range(3):
        mixed = scores.isel(item=np.random.default_rng(seed).permutation(12))
        found = bt.counts.disagreements(mixed, most=most)["item"].values.tolist()
        assert found == [items[-1], *items[:-1]][:most]


@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_how_far_a_data_set_favours_a_system_does_not_hide_alike_items(shift):
    lead = np.repeat(np.arange(12.0), 2) + np.tile([0.0, 0.1], 12)
    coords = {"item": np.repeat([f"q{k}" for k in range(12)], 2), "system": ["A", "B"]}
    coords["dataset"] = "item", ["en", "de"] * 12
    values = np.stack([lead + np.tile([0, shift], 12), 0 * lead], axis=1)
    assert alike_items(xr.DataArray(values, coords, ("item", "system")))


def test_p_of_alike_items_is_that_of_two_way_analysis_of_variance():
    random = np.random.default_rng(4)
    x = np.repeat(random.normal(size=(9, 1)), 2, 1) * 2 + random.normal(size=(9, 2)) * 0.5
    coords = {"item": np.repeat(list("abcdefghi"), 2), "system": ["A", "B"]}
    coords["dataset"] = "item", ["en", "de"] * 9
    scores = xr.DataArray(np.stack([x.ravel(), np.zeros(18)], 1), coords, ("item", "system"))
    centred = x - x.mean(0)
    of_items = centred.mean(1, keepdims=True)
    between, within = 2 * (of_items**2).sum() / 8, ((centred - of_items) ** 2).sum() / 8
    p = 2 * stats.f.sf(between / within, 8, 8)  # of two systems
    assert f"(p = {p:.2g})" in alike_items(scores)


@pytest.mark.parametrize("number", [2, 3])
def test_gold_differs_where_it_does_on_more_than_a_tenth_of_the_items(number):
    coords = {"tally": ["tp", "fp", "fn"], "system": ["A", "B", "C"]}
    values = np.tile([1, 0, 1], (20, 3, 1))
    values[:number, 1, 2] = 2
    tallies = xr.DataArray(values, coords, ("item", "system", "tally"))
    assert bool(unlike_gold(tallies)) == (number > 2)
