import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import clustered
from betterthan.models.sampling import Sampling

SIDES = ["system_a", "system_b"]
PLAIN = {("A0", "B0"): (20, 10, 12)}


def test_a_clustered_fit_is_checked_against_the_closed_form_of_clusters():
    counts = clustered.simulate(20, size=5, rng=3)["counts"]
    checked = bt.fits.cross_check(counts, bt.datasets.example_fit("clustered"))
    assert checked["exact"].values == pytest.approx(clustered.closed_form(counts).values)
    assert checked.attrs["model"] == "clustered"
    assert checked["agrees"].all()


def test_a_clustered_fit_is_not_checked_as_if_items_were_independent():
    fit = bt.datasets.example_fit("clustered")
    counts = clustered.simulate(20, size=5, rng=3)["counts"].sum("cluster")
    with pytest.raises(ValueError, match="the counts are without clusters; give counts with"):
        bt.fits.cross_check(counts, fit)
    with pytest.raises(ValueError, match=r"prior is \(2.0, 2.0, 1.0\), but the draws were made"):
        bt.fits.cross_check(clustered.simulate(20, rng=3)["counts"], fit, prior=(2, 2, 1))


def test_a_clustered_fit_with_a_held_correlation_has_no_closed_form():
    counts = clustered.simulate(20, size=5, rng=3)["counts"]
    fit = clustered.fit(
        counts,
        correlation=0.1,
        sampler="laplace",
        sampling=Sampling(draws=200),
        rng=1,
        predictive=False,
    )
    with pytest.raises(ValueError, match=r"correlation=0\.1 held, which has no closed form"):
        bt.fits.cross_check(counts, fit)


@pytest.mark.parametrize("name", ["graded", "hierarchical", "davidson", "rao_kupper"])
def test_a_model_without_a_closed_form_is_not_checked_against_another_one(name):
    counts = bt.counts.to_pairs(bt.counts.from_table(PLAIN))
    fit = bt.datasets.example_fit(name)
    model = fit["posterior"].attrs["model"]
    with pytest.raises(ValueError, match=f"of the model {model}, which has no closed form"):
        bt.fits.cross_check(counts, fit)


def test_counts_by_cluster_are_not_those_of_a_plain_model():
    counts = clustered.simulate(20, size=5, rng=3)["counts"]
    draws = bt.posterior.draws(counts.sum("cluster"), rng=1)
    with pytest.raises(ValueError, match="the counts are by cluster; give counts without"):
        bt.fits.cross_check(counts, draws)


def test_judged_counts_are_not_those_of_a_plain_model():
    table = [[18, 2, 5], [3, 9, 4], [4, 3, 12]], [210, 120, 170]
    judged = bt.judged.from_table({("A", "B"): table})
    plain = bt.counts.to_pairs(bt.counts.from_table({("A", "B"): (20, 10, 12)}))
    with pytest.raises(ValueError, match="the counts are judged, the draws are of"):
        bt.fits.cross_check(judged, bt.posterior.draws(plain, rng=1))


THREE = {("A", "B"): (20, 10, 12), ("A", "C"): (15, 9, 18), ("C", "B"): (14, 8, 20)}


def test_counts_by_pair_and_draws_in_a_square_are_of_the_same_systems():
    square = bt.counts.from_table(THREE)
    draws = bt.posterior.draws(square, rng=1)
    checked = bt.fits.cross_check(square, draws)
    by_pair = bt.counts.to_pairs(square).isel(pair=[2, 0, 1])  # systems in another order
    xr.testing.assert_identical(bt.fits.cross_check(by_pair, draws), checked)
    assert checked["agrees"].all()
    pairs = bt.posterior.draws(bt.counts.to_pairs(square), rng=1)
    one, two = (
        bt.fits.cross_check(square, pairs),
        bt.fits.cross_check(by_pair.isel(pair=[1, 2, 0]), pairs),
    )
    xr.testing.assert_identical(one, two)
    other = bt.counts.to_pairs(bt.counts.from_table({**THREE, ("A", "D"): (3, 2, 1)}))
    xr.testing.assert_identical(bt.fits.cross_check(other, draws), checked)  # of its pairs alone
    more = bt.posterior.draws(other, rng=1)
    for counts in (square, by_pair):
        with pytest.raises(ValueError, match="do not name the same systems"):
            bt.fits.cross_check(counts, more)
    with pytest.raises(ValueError, match="the draws have the pair 'A' and 'B', the counts do not"):
        bt.fits.cross_check(bt.counts.to_pairs(square).isel(pair=[1, 2]), draws)
    with pytest.raises(ValueError, match="the draws have the pair 'A' and 'C', the counts do not"):
        bt.fits.cross_check(bt.counts.to_pairs(square).isel(pair=[0, 2]), pairs)


def test_draws_of_some_pairs_in_either_direction_are_checked():
    square = bt.counts.from_table(THREE)
    pairs = bt.counts.to_pairs(square)
    draws = bt.posterior.draws(pairs, rng=1)
    some = draws.isel(pair=[2, 0])
    whole = bt.fits.cross_check(square, draws)
    found = bt.fits.cross_check(square, some)
    xr.testing.assert_identical(found, whole.isel(pair=[2, 0]))
    posterior = some["posterior"].to_dataset()
    turned = xr.DataTree.from_dict({"posterior": -posterior[["difference"]]})
    labels = [f"{b} vs {a}" for a, b in zip(*(posterior[k].values for k in SIDES), strict=True)]
    turned["posterior"] = turned["posterior"].to_dataset().drop_vars(SIDES)
    turned["posterior"] = turned["posterior"].to_dataset().assign_coords(pair=labels)
    other = bt.fits.cross_check(square, bt.fits.adopt(turned), prior=(1, 1, 1))
    assert other["pair"].values.tolist() == ["C vs B", "B vs A"]
    np.testing.assert_allclose(other["exact"], 1 - found["exact"])
    assert other["agrees"].all()


def test_judged_counts_of_more_pairs_in_another_order_are_checked():
    table = [[18, 2, 5], [3, 9, 4], [4, 3, 12]]
    of = {("A", "B"): (table, (210, 120, 170)), ("A", "C"): (table, (110, 220, 170))}
    judged = bt.judged.from_table(of)
    draws = bt.posterior.draws(judged, rng=1)
    whole = bt.fits.cross_check(judged, draws)
    xr.testing.assert_identical(bt.fits.cross_check(judged.isel(pair=[1, 0]), draws), whole)
    one = bt.posterior.draws(judged.isel(pair=[1]), rng=1)
    assert bt.fits.cross_check(judged, one)["pair"].values.tolist() == ["A vs C"]


def test_two_systems_may_stand_in_several_pairs():
    """As in two published cases with the same systems."""
    cases = [bt.counts.to_pairs(bt.datasets.contingency_case(case)) for case in "ab"]
    both = xr.concat(cases, "pair", join="exact").assign_coords(pair=["case a", "case b"])
    draws = bt.posterior.draws(both, rng=1)
    checked = bt.fits.cross_check(both, draws)
    assert checked["pair"].values.tolist() == ["case a", "case b"]
    assert checked["agrees"].all()
    xr.testing.assert_identical(bt.fits.cross_check(both.isel(pair=[1, 0]), draws), checked)
