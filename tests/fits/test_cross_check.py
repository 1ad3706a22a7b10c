import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import clustered
from betterthan.models.sampling import Sampling

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
    with pytest.raises(ValueError, match="do not name the same systems"):
        bt.fits.cross_check(other, draws)
