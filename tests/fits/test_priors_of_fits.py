"""Fits whose prior is an array by pair or a PyMC distribution, after they were sampled."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

COUNTS = bt.counts.to_pairs(
    bt.counts.from_table({("A", "B"): (18, 9, 13), ("A", "C"): (2, 9, 11), ("B", "C"): (9, 9, 19)})
)
ROWS = np.array([[1.0, 1, 1], [4, 2, 1], [2, 6, 3]])


def _drawn(prior, constant=None):
    """Exact draws under a row of numbers for each pair, as a fit records them."""
    each = COUNTS + xr.DataArray(ROWS, dims=("pair", "outcome"))
    random = np.random.default_rng(1)
    theta = np.stack([random.dirichlet(row, size=(4, 2000)) for row in each.values], axis=2)
    tree = bt.posterior.draws(COUNTS, draws=2000, rng=1)
    posterior = tree["posterior"].to_dataset()
    posterior["theta"] = posterior["theta"].copy(data=theta)
    posterior["difference"] = posterior["difference"].copy(data=theta[..., 0] - theta[..., 1])
    tree["posterior"] = posterior.assign_attrs(prior=prior)
    if constant is not None:
        dims = ("pair", "outcome")
        tree["constant_data"] = xr.Dataset(
            {"prior": (dims, constant)}, {d: COUNTS[d].values for d in dims}
        )
    return tree


def test_a_prior_by_pair_is_checked_by_its_closed_form():
    assert bt.fits.cross_check(COUNTS, _drawn("array", ROWS))["agrees"].all()
    wrong = bt.fits.cross_check(COUNTS, _drawn("array", ROWS[::-1] * 5))
    assert not wrong["agrees"].all()
    with pytest.raises(ValueError, match="record a prior for each pair; leave prior out"):
        bt.fits.cross_check(COUNTS, _drawn("array", ROWS), prior=(1, 1, 1))


def test_an_adopted_tree_keeps_its_prior_by_pair():
    adopted = bt.fits.adopt(_drawn("array", ROWS), COUNTS)
    assert bt.fits.cross_check(COUNTS, adopted)["agrees"].all()


def test_the_prior_of_a_reversed_pair_is_reversed():
    tree = _drawn("array", ROWS)
    for group in ("posterior", "constant_data"):
        data = (
            tree[group]
            .to_dataset()
            .isel(pair=[2, 0, 1])
            .drop_vars(["system_a", "system_b"], errors="ignore")
        )
        turned = data.isel(outcome=[1, 0, 2]).assign_coords(outcome=data["outcome"])
        data = data.assign({k: turned[k] for k in ("theta", "prior") if k in data})
        labels = ["C vs B", "B vs A", "C vs A"]
        tree[group] = data.drop_vars("difference", errors="ignore").assign_coords(pair=labels)
    adopted = bt.fits.adopt(tree)
    square = bt.counts.to_square(COUNTS)
    for counts in (COUNTS, square):
        checked = bt.fits.cross_check(counts, adopted)
        assert checked["agrees"].all()
        systems = {"system_a": list("ABC"), "system_b": list("ABC")}
        whole = bt.fits.cross_check(square, bt.fits.adopt(_drawn("array", ROWS), square))
        np.testing.assert_allclose(checked["exact"].sel(systems), whole["exact"])


def test_a_distribution_has_no_closed_form():
    with pytest.raises(ValueError, match=r"with the prior Dirichlet\(a\), for which there is no"):
        bt.fits.cross_check(COUNTS, _drawn("Dirichlet(a)"))
    assert "Dirichlet(a)" in str(bt.fits.compare(_drawn("Dirichlet(a)")))


@pytest.mark.parametrize("name", ["clustered", "hierarchical"])
@pytest.mark.parametrize("prior", ["array", "Dirichlet(a)"])
def test_no_closed_form_stands_beside_another_prior(name, prior):
    tree = bt.datasets.example_fit(name)
    whole = bt.fits.compare(tree)
    tree["posterior"].attrs["prior"] = prior
    found = bt.fits.compare(tree)
    np.testing.assert_array_equal(found["prob_better"].values, whole["prob_better"].values)
    beside = ("independent", "exact", "pooled", "unpooled", "changes")
    assert not [v for v in found.data if str(v).endswith(beside)]
    assert prior in found.signature()
    assert found.report()
