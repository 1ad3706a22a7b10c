"""The worst and the best case of missing scores hold every way to fill them in."""

import itertools
import time

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.posterior.bounds import missing_bounds

nan = np.nan
TOLERANCE = 1e-12


def scores(values, systems=None, **coords):
    values = np.asarray(values, float)
    labels = systems or [f"s{k}" for k in range(values.shape[1])]
    found = {"system": labels} | {k: ("item", v) for k, v in coords.items()}
    return xr.DataArray(values, dims=("item", "system"), coords=found)


def of(found, a=0, b=1):
    return found.isel(system_a=a, system_b=b)


@st.composite
def some_missing(draw):
    """Scores of 0 and 1 on up to 6 items by up to 3 systems, of which few enough are missing."""
    items, systems = draw(st.integers(1, 6)), draw(st.integers(2, 3))
    cells = st.sampled_from([0.0, 1.0, 0.0, 1.0, nan])
    row = st.lists(cells, min_size=systems, max_size=systems)
    values = np.array(draw(st.lists(row, min_size=items, max_size=items)))
    if np.isnan(values).sum() > 7 or np.isnan(values).all():
        values[0, 0] = 1.0
        values[1:][np.isnan(values[1:])] = 0.0
    return values


def fill_ins(values):
    gaps = np.argwhere(np.isnan(values))
    for numbers in itertools.product((0.0, 1.0), repeat=len(gaps)):
        whole = values.copy()
        whole[tuple(gaps.T)] = numbers
        yield whole


@settings(max_examples=20, deadline=None)
@given(some_missing())
def test_every_fill_in_lies_within_and_the_ends_are_reached(values):
    found = missing_bounds(scores(values), limits=(0, 1))
    prob, low, high = (
        found[k].values for k in ("prob_better", "difference_lower", "difference_upper")
    )
    seen = []
    for whole in fill_ins(values):
        p = bt.prob_better(bt.count(scores(whole))).values
        assert (p >= prob[..., 1] - TOLERANCE).all()
        assert (p <= prob[..., 2] + TOLERANCE).all()
        apart = whole.mean(0)[:, None] - whole.mean(0)
        assert (apart >= low - TOLERANCE).all()
        assert (apart <= high + TOLERANCE).all()
        seen.append((p, apart))
    every = [np.stack(one) for one in zip(*seen, strict=True)]
    np.testing.assert_allclose(every[0].min(0), prob[..., 1], atol=TOLERANCE)
    np.testing.assert_allclose(every[0].max(0), prob[..., 2], atol=TOLERANCE)
    np.testing.assert_allclose(every[1].min(0), low, atol=TOLERANCE)
    np.testing.assert_allclose(every[1].max(0), high, atol=TOLERANCE)


@settings(max_examples=20, deadline=None)
@given(some_missing(), st.sampled_from([0.0, 0.2]), st.sampled_from([0.6, 0.8]))
def test_a_verdict_that_holds_is_that_of_every_fill_in(values, rope, threshold):
    how = {"rope": rope, "threshold": threshold}
    found = missing_bounds(scores(values), limits=(0, 1), **how)
    verdicts = [
        missing_bounds(scores(whole), limits=(0, 1), **how)["verdict"].values[..., 0]
        for whole in fill_ins(values)
    ]
    now = found["verdict"].values[..., 0]
    alike = np.all([one == now for one in verdicts], axis=0)
    holds = found["holds"].values
    assert alike[holds].all()
    if not rope:  # and without a rope the other way round: the ends are fill-ins
        np.testing.assert_array_equal(holds, alike | (found["n_missing"].values == 0))


@settings(max_examples=20, deadline=None)
@given(some_missing(), st.randoms(use_true_random=False))
def test_each_further_missing_score_widens(values, chance):
    seen = np.argwhere(~np.isnan(values))
    if len(seen) < 2:
        return
    fewer = values.copy()
    fewer[tuple(chance.choice(seen.tolist()))] = nan
    before, after = (missing_bounds(scores(v), limits=(0, 1)) for v in (values, fewer))
    p, q = before["prob_better"].values, after["prob_better"].values
    assert (q[..., 1] <= p[..., 1] + TOLERANCE).all()
    assert (q[..., 2] >= p[..., 2] - TOLERANCE).all()
    assert (after["difference_lower"] <= before["difference_lower"] + TOLERANCE).all()
    assert (after["difference_upper"] >= before["difference_upper"] - TOLERANCE).all()
    assert after["n_missing"].values.sum() > before["n_missing"].values.sum()


@settings(max_examples=20, deadline=None)
@given(some_missing(), st.randoms(use_true_random=False))
def test_orders_of_items_and_systems_do_not_matter(values, chance):
    items, systems = list(range(len(values))), list(range(values.shape[1]))
    chance.shuffle(items)
    chance.shuffle(systems)
    before = missing_bounds(scores(values))
    after = missing_bounds(scores(values).isel(item=items, system=systems))
    after = after.sel(system_a=before["system_a"], system_b=before["system_b"])
    xr.testing.assert_allclose(before.drop_vars("verdict"), after.drop_vars("verdict"))
    assert (before["verdict"].values == after["verdict"].values).all()


@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_with_nothing_missing_all_cases_are_the_answer(rope):
    values = np.random.default_rng(3).random((30, 4)).round(1)
    found = missing_bounds(scores(values), rope=rope)
    told = bt.compare(scores(values), quantity="wins", rope=rope)
    for case in range(3):
        np.testing.assert_allclose(found["prob_better"].values[..., case], told.data["prob_better"])
        assert (found["verdict"].values[..., case] == told.data["verdict"].values).all()
    assert found["holds"].values.all()
    assert (found["n_missing"] == 0).all()
    np.testing.assert_allclose(found["difference_lower"], found["difference_upper"], atol=1e-15)


def test_told_from_the_other_side_best_and_worst_change_places():
    values = np.random.default_rng(5).integers(0, 2, (9, 3)).astype(float)
    values[[0, 3, 5], [0, 1, 1]] = nan
    found = missing_bounds(scores(values), prior=(2.0, 1.0, 1.0))
    p = found["prob_better"].values
    np.testing.assert_allclose(p[0, 1, [0, 1, 2]], 1 - p[1, 0, [0, 2, 1]])
    counts = found["counts"].values
    assert counts[0, 1, 1].tolist() == counts[1, 0, 2][[1, 0, 2]].tolist()
    assert found["difference_lower"].values[0, 1] == -found["difference_upper"].values[1, 0]


def test_check_values_of_items_with_several_runs():
    b = [(1, 0, 1), (1, 0, 1), (1, 1, nan), (0, 0, 1), (nan, nan, nan), (1, 1, 0)]
    a = [(1, 1, 1), (1, 0, 1), (1, 1, nan), (1, 0, 1), (1, 0, 1), (1, 1, 0)]
    items = np.repeat([f"q{k}" for k in range(6)], 3)
    values = np.column_stack([np.ravel(a), np.ravel(b)])
    found = of(missing_bounds(scores(values, item=items, epoch=np.tile([1, 2, 3], 6))))
    assert found["counts"].values.tolist() == [[2, 0, 3], [2, 1, 3], [3, 0, 3]]
    assert found["prob_better"].values.tolist() == [0.875, 0.6875, 0.9375]
    assert found["n_missing"] == 1


def test_check_values_of_two_hundred_items():
    """37 wins, 32 losses and 117 ties; of 14 items that B lacks A has 3 right."""
    rows = [(1, 0)] * 37 + [(0, 1)] * 32 + [(1, 1)] * 117 + [(1, nan)] * 3 + [(0, nan)] * 11
    found = of(missing_bounds(scores(rows)))
    assert found["counts"].values.tolist() == [[37, 32, 117], [37, 43, 120], [40, 32, 128]]
    np.testing.assert_allclose(found["prob_better"], [0.725, 0.253, 0.825], atol=5e-4)
    assert found["difference_lower"].item() == pytest.approx(-0.03)
    assert found["difference_upper"].item() == pytest.approx(0.04)
    assert bool(found["holds"])  # undecided, whatever is missing


def test_planned_runs_that_are_missing_widen_an_item():
    values = [(1, 1), (1, 1), (1, 0), (nan, 0)]
    how = {"item": ["q1", "q1", "q2", "q2"], "epoch": [1, 2, 1, 2]}
    by_item = of(missing_bounds(scores(values, **how)))
    by_run = of(missing_bounds(scores(values, **how), per="run"))
    assert by_item["difference_lower"] == by_item["difference_upper"] == 0.5
    assert (by_run["difference_lower"], by_run["difference_upper"]) == (0.25, 0.5)
    assert by_run["n_missing"] == 1
    planned = of(missing_bounds(scores(values, **how), per="run", runs=4))
    assert (planned["difference_lower"], planned["difference_upper"]) == (-0.375, 0.75)
    with pytest.raises(ValueError, match="has 2 runs, but runs=1"):
        missing_bounds(scores(values, **how), per="run", runs=1)


def test_errors_and_costs_are_told_as_they_stand():
    values = scores([(1.0, 0.0), (nan, 0.0)]).assign_attrs(higher_is_better=False)
    found = of(missing_bounds(values))
    assert (found["difference_lower"], found["difference_upper"]) == (0.5, 1.0)
    assert found["counts"].values.tolist() == [[0, 1, 0], [0, 2, 0], [0, 1, 1]]


def test_limits_are_those_given_else_a_share_else_what_was_seen():
    graded = scores([(3.0, 5.0), (nan, 4.0)])
    assert missing_bounds(graded).attrs["limits"] == [3.0, 5.0]
    found = missing_bounds(graded, limits=(1, 7))
    assert found.attrs["limits"] == [1.0, 7.0]
    assert found.attrs["limits_from"] == "given"
    assert of(found)["difference_lower"] == (-2 - 3) / 2
    for wrong in ((4, 7), (1, nan), (1, 2, 3), "ab", 3):
        with pytest.raises(ValueError, match="limits"):
            missing_bounds(graded, limits=wrong)


def test_two_systems_without_a_common_item_have_no_verdict_that_holds():
    found = of(missing_bounds(scores([(1, nan), (nan, 0)])))
    assert found["verdict"].values.tolist() == ["no_data", "undecided", "undecided"]
    assert not found["holds"]


def test_many_systems_take_no_time():
    chance = np.random.default_rng(1)
    values = (chance.random((500, 181)) < 0.6).astype(float)
    values[chance.random(values.shape) < 0.03] = nan
    start = time.process_time()
    found = missing_bounds(scores(values))
    assert time.process_time() - start < 2
    assert not found["holds"].values.all()


def bounds_of(rows, rope):
    scores = xr.DataArray(np.array(rows, float), {"system": ["A", "B"]}, ("item", "system"))
    filled = scores.fillna(scores.sel(system="B"))
    pair = {"system_a": "A", "system_b": "B"}
    return (bt.posterior.missing_bounds(x, rope=rope).sel(pair) for x in (scores, filled))


def test_undecided_at_both_ends_may_be_equivalent_between():
    rows = [[1, 1]] * 56 + [[np.nan, 1]] * 2 + [[np.nan, 0]] * 2
    bounds, filled = bounds_of(rows, 0.05)
    assert (bounds["verdict"] == "undecided").all()
    assert (filled["verdict"] == "equivalent").all()
    assert not bounds["holds"]


def test_equivalent_at_both_ends_may_be_undecided_between():
    bounds, _ = bounds_of([[1, 1]] * 60 + [[np.nan, 1]] * 3 + [[np.nan, 0]] * 3, 0.1)
    assert (bounds["verdict"] == "equivalent").all()
    assert not bounds["holds"]
