"""The draws of a comparison: kept where it sampled, exact where it did not."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import saved
from betterthan.results.comparison import Comparison

SCORES = xr.DataArray(
    np.random.default_rng(1).random((40, 3)),
    dims=("item", "system"),
    coords={"item": [f"i{k}" for k in range(40)], "system": list("ABC")},
)
RIGHT = (SCORES > 0.5).astype(float)


@pytest.fixture(scope="module")
def both():
    sampling = bt.models.Sampling(draws=500, tune=500)
    return bt.compare(RIGHT, method="both", sampling=sampling, rng=3)


def _far(sampled, exact):
    """How far probabilities with errors are from the exact ones, in errors."""
    apart = exact.values != 0.5
    return np.abs((sampled.values - exact.values)[apart] / sampled["mcse"].values[apart]).max()


@pytest.mark.sampled
def test_a_sampled_comparison_keeps_its_draws(both):
    assert list(both.fits) == ["mcmc"]
    tree = both.to_datatree()
    assert tree is both.fits["mcmc"]
    beside = both.alternatives["mcmc"]["prob_better"]
    np.testing.assert_array_equal(bt.prob_better(tree).values, beside.values)


@pytest.mark.sampled
def test_draws_are_saved_on_request_alone(both, tmp_path):
    both.save(tmp_path / "with.nc", fits=True)
    both.save(tmp_path / "without.nc")
    again = bt.load(tmp_path / "with.nc")
    without = bt.load(tmp_path / "without.nc")
    assert without.fits == {}
    match = r"not saved with this answer; save it with save\(path, fits=True\), or make exact"
    with pytest.raises(ValueError, match=match):
        without.to_datatree()
    assert bt.posterior.draws(without, rng=1)["posterior"].sizes["draw"] == 1000
    assert list(again.alternatives) == ["mcmc"]
    for name in ("theta", "difference"):
        xr.testing.assert_equal(
            again.fits["mcmc"]["posterior"][name], both.fits["mcmc"]["posterior"][name]
        )
    one, other = (bt.fits.compare(c.to_datatree()) for c in (again, both))
    np.testing.assert_array_equal(one["prob_better"].values, other["prob_better"].values)
    assert str(again) == str(both)


@pytest.mark.sampled
def test_large_fits_are_thinned_and_the_answer_says_so(both, monkeypatch):
    tree = both.fits["mcmc"]
    size = sum(tree[k].to_dataset().nbytes for k in tree.children)
    monkeypatch.setattr(saved, "BYTES_MAX", size / 2.5)
    thin, note = saved.kept(tree)
    assert thin["posterior"].sizes["draw"] == 167
    assert thin["posterior"].attrs["thinned"] == 3
    assert "Every 3th draw is kept" not in note
    assert "Every third draw is kept" in note
    monkeypatch.setattr(saved, "BYTES_MAX", size / 50)
    nothing, note = saved.kept(tree)
    assert nothing is None
    assert note.startswith("No draws are kept with the answer")
    sampling = bt.models.Sampling(draws=500, tune=500)
    found = bt.compare(RIGHT, method="mcmc", sampling=sampling, rng=3)
    assert found.fits == {}
    assert note in found.provenance.notes
    assert "No draws are kept" in found.report()
    with pytest.raises(ValueError, match=r"^No draws are kept with the answer: the fit takes"):
        found.to_datatree()


def test_exact_draws_agree_with_the_answer_on_counts():
    found = bt.compare(RIGHT, prior=(2, 2, 1))
    tree = found.to_datatree(draws=5000, rng=1)
    assert tree["posterior"].attrs["prior"] == [2.0, 2.0, 1.0]
    assert _far(bt.prob_better(tree), found["pairwise_prob_better"]) < 4


@pytest.mark.parametrize("higher", [True, False])
def test_exact_draws_agree_with_the_answer_on_means(higher):
    scores = SCORES.assign_attrs(higher_is_better=higher)
    found = bt.compare(scores)
    tree = found.to_datatree(draws=5000, rng=1)
    sampled = bt.prob_better(tree)
    # of skewed items the answer is the more careful of two laws, by at most 0.01 here
    assert np.abs(sampled.values - found["pairwise_prob_better"].values).max() < 0.01 + 4 * 0.004
    sign = 1 if higher else -1
    mean = sign * bt.difference(tree)["mean"].values
    np.testing.assert_allclose(
        mean, found["pairwise_difference_mean"].values, atol=5 * 0.07 / 20000**0.5
    )


@pytest.mark.parametrize("name", ["hierarchical", "mallows", "graded", "adopted model"])
def test_the_comparison_of_a_fit_keeps_the_fit(name, tmp_path):
    exact = bt.posterior.draws(bt.count(RIGHT), rng=1)
    tree = bt.fits.adopt(exact) if name == "adopted model" else bt.datasets.example_fit(name)
    found = bt.fits.compare(tree)
    assert list(found.fits) == [name]
    assert found.to_datatree() is tree
    found.save(tmp_path / "with.nc", fits=True)
    found.save(tmp_path / "without.nc")
    again = bt.load(tmp_path / "with.nc").to_datatree()
    assert str(bt.fits.compare(again)) == str(found)
    without = bt.load(tmp_path / "without.nc")
    with pytest.raises(ValueError, match=r"were not saved .* with save\(path, fits=True\)$"):
        without.to_datatree()


def test_a_large_fit_that_is_compared_is_thinned_and_the_answer_says_so(monkeypatch):
    tree = bt.fits.adopt(bt.posterior.draws(bt.count(RIGHT), rng=1))
    size = sum(tree[k].to_dataset().nbytes for k in tree.children)
    monkeypatch.setattr(saved, "BYTES_MAX", size / 1.5)
    found = bt.fits.compare(tree)
    assert found.fits["adopted model"]["posterior"].sizes["draw"] == 500
    assert [note.split()[0] for note in found.provenance.notes] == ["Checked", "Every"]
    monkeypatch.setattr(saved, "BYTES_MAX", size / 50)
    with pytest.raises(ValueError, match=r"^No draws are kept"):
        bt.fits.compare(tree).to_datatree()


def test_a_sampled_comparison_without_its_draws_has_no_exact_ones():
    exact = bt.compare(RIGHT)
    for method in ("mcmc", "both"):
        sampled = Comparison(exact.data.assign_attrs(method=method))
        with pytest.raises(ValueError, match="the draws were not saved"):
            sampled.to_datatree()


def test_exact_draws_are_refused_where_there_is_no_posterior():
    same = SCORES.copy()
    same.loc[{"system": "B"}] = same.sel(system="A").values
    with pytest.raises(ValueError, match="A and B differ by the same on all items"):
        bt.compare(same).to_datatree()
    with pytest.raises(ValueError, match="under a normal prior"):
        bt.compare(SCORES, prior="skeptical").to_datatree()
