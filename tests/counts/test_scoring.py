import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import betterthan as bt
from betterthan.exact.numeric import counting


def scores_of(values, **coords):
    values = np.asarray(values, dtype=float)
    names = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": names} | coords)


def by_hand(values, margin=0.0):
    """Wins, losses, ties of every ordered pair, one comparison at a time."""
    systems = values.shape[1]
    found = np.zeros((systems, systems, 3), dtype=int)
    for row in values:
        for i in range(systems):
            for j in range(systems):
                if not (np.isnan(row[i]) or np.isnan(row[j])):
                    gap = row[i] - row[j]
                    found[i, j, 0 if gap > margin + 1e-9 else 1 if gap < -margin - 1e-9 else 2] += 1
    return found


GRIDS = arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(2, 5)),
    elements=st.one_of(
        st.sampled_from([0.0, 1.0]), st.integers(-20, 20).map(lambda k: k / 10), st.just(np.nan)
    ),
)


@given(GRIDS, st.sampled_from([0.0, 0.1, 0.5]))
def test_counts_equal_a_double_loop(values, margin):
    values[0] = 1.0  # every pair shares an item
    counts = bt.count(scores_of(values), margin=margin)
    np.testing.assert_array_equal(counts.values, by_hand(values, margin))
    np.testing.assert_array_equal(counts.n_used + counts.n_dropped, len(values))


@pytest.mark.parametrize("levels", [2, 5, 12, 13, 400])
@pytest.mark.parametrize("gaps", [False, True])
def test_every_way_of_counting_agrees_across_blocks(monkeypatch, levels, gaps):
    monkeypatch.setattr(counting, "_BLOCK", 7)
    rng = np.random.default_rng(levels)
    values = rng.integers(levels, size=(60, 4)).astype(float)
    if gaps:
        values[rng.random(values.shape) < 0.2] = np.nan
        values[0] = 1.0
    np.testing.assert_array_equal(bt.count(scores_of(values)).values, by_hand(values))


def test_tenths_count_like_integers():
    whole = np.random.default_rng(0).integers(0, 11, size=(80, 5)).astype(float)
    for margin in (0, 1, 3):
        expected = bt.count(scores_of(whole), margin=margin)
        found = bt.count(scores_of(whole / 10), margin=margin / 10)
        np.testing.assert_array_equal(found.values, expected.values)


def test_a_sum_of_tenths_ties_with_its_rounding():
    counts = bt.count(scores_of([[0.1 + 0.2, 0.3], [0.30001, 0.3]]))
    assert counts.sel(system_a="s0", system_b="s1").values.tolist() == [1, 0, 1]


def test_lower_is_better_exchanges_wins_and_losses():
    scores = scores_of(np.random.default_rng(1).random((30, 3)))
    lower = bt.count(scores.assign_attrs(higher_is_better=False))
    np.testing.assert_array_equal(
        lower.values, bt.counts.swap(bt.count(scores)).transpose(*lower.dims).values
    )


def test_order_of_items_and_dims_does_not_matter():
    scores = scores_of(np.random.default_rng(2).integers(0, 2, (50, 4)))
    shuffled = scores.isel(item=np.random.default_rng(3).permutation(50)).transpose(
        "system", "item"
    )
    np.testing.assert_array_equal(bt.count(shuffled).values, bt.count(scores).values)


MISSING = [[1, 0, np.nan], [1, 1, 0], [np.nan, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("missing", "expected", "dropped"),
    [("pairwise", [1, 1, 1], 1), ("complete", [0, 1, 1], 2), ("wrong", [1, 1, 2], 0)],
)
def test_missing_policies(missing, expected, dropped):
    counts = bt.count(scores_of(MISSING), missing=missing).sel(system_a="s0", system_b="s1")
    assert counts.values.tolist() == expected
    assert int(counts.n_dropped) == dropped


def test_wrong_is_the_worst_score_also_where_lower_is_better():
    scores = scores_of(MISSING).assign_attrs(higher_is_better=False)
    counts = bt.count(scores, missing="wrong").sel(system_a="s0", system_b="s1")
    assert counts.values.tolist() == [1, 2, 1]


def test_within_data_sets_adds_up():
    scores = scores_of(
        np.random.default_rng(4).integers(0, 2, (40, 3)), dataset=("item", ["x"] * 15 + ["y"] * 25)
    )
    parts = bt.count(scores, by="dataset")
    assert parts.dims == ("dataset", "system_a", "system_b", "outcome")
    np.testing.assert_array_equal(parts.sum("dataset").values, bt.count(scores).values)


def test_item_outcomes_never_tie_a_gap():
    outcomes = bt.counts.item_outcomes(scores_of(MISSING))
    assert outcomes["outcome"].dtype == np.int8
    assert outcomes["observed"].sel(pair="s0 vs s1").values.tolist() == [True, True, False, True]
    assert outcomes["outcome"].sel(pair="s0 vs s1").values.tolist() == [1, 0, 0, -1]
    counts = bt.counts.to_pairs(bt.count(scores_of(MISSING)))
    seen = outcomes["outcome"].where(outcomes["observed"])
    for k, value in enumerate((1, -1, 0)):
        np.testing.assert_array_equal(
            (seen == value).sum("item").values, counts.isel(outcome=k).values
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bt.count(scores_of([[1]])), "at least two systems; found only 's0'"),
        (lambda: bt.count(scores_of(np.empty((0, 2)))), "hold no items"),
        (lambda: bt.count(scores_of([[1, np.inf]])), r"position \(0, 1\) is infinite"),
        (
            lambda: bt.count(scores_of([[1, np.nan], [np.nan, 1]])),
            "'s0' and 's1' have no item in common",
        ),
        (lambda: bt.count(scores_of([[1, 0]]), margin=-1), "margin is -1"),
        (
            lambda: bt.count(scores_of([[1, 0]]), missing="tie"),
            "missing is 'tie'; choose one of pairwise",
        ),
        (
            lambda: bt.count(scores_of(MISSING), missing="error"),
            "item '0' has no score for 's2' .2 missing",
        ),
        (
            lambda: bt.count(scores_of([[3, 0], [np.nan, 1]]), missing="wrong"),
            "scores within 0 and 1",
        ),
        (lambda: bt.count(scores_of([[1, 0]]), by="dataset"), "no item coordinate 'dataset'"),
        (
            lambda: bt.count(scores_of([[1, 0]]).assign_coords(system=["A", "A"])),
            "'A' occurs more than once",
        ),
        (lambda: bt.count(np.eye(2)), r"data is ndarray; give scores \(item, system\)"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
