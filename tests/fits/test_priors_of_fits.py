"""Fits whose prior is an array by pair or a PyMC distribution, after they were sampled."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import sampling

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


def _as_built(model, **variables):
    """Draws as `pm.sample` returns them with the data of the model."""
    outcomes = ["win", "loss", "tie"]
    dims = {k: ("chain", "draw", "pair", "outcome")[: np.ndim(v)] for k, v in variables.items()}
    coords = {"pair": COUNTS["pair"].values, "outcome": outcomes}
    coords = {d: coords[d] for d in coords if any(d in over for over in dims.values())}
    posterior = xr.Dataset({k: (dims[k], v) for k, v in variables.items()}, coords)
    data = sampling.data_groups(model)
    return xr.DataTree.from_dict({"posterior": posterior} | data)


def _draws_of(name, rows):
    """Exact draws of a core model under a row of prior numbers for each pair."""
    random, n = np.random.default_rng(1), COUNTS.values
    shape = (4, 2000, 3)
    if name == "dirichlet_multinomial":
        cells = [random.dirichlet(row, size=shape[:2]) for row in n + rows]
        return {"theta": np.stack(cells, axis=2)}
    if name == "beta_binomial":
        return {"p": random.beta(*(n[:, :2] + rows).T, size=shape)}
    win, loss = (
        random.beta(rows[:, 0] + n[:, k], rows[:, 1] + n.sum(1) - n[:, k], size=shape)
        for k in (0, 1)
    )
    return {"p_win": win, "p_loss": loss, "difference": win - loss}


CORE = ["dirichlet_multinomial", "beta_binomial", "independent_betas"]


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("kind", ["default", "numbers", "array", "distribution"])
def test_the_prior_that_build_had_is_recorded(name, kind):
    import pymc as pm

    k = 3 if name == "dirichlet_multinomial" else 2
    numbers = np.array([3.0, 1, 2])[:k]
    of_kind = {
        "default": None,
        "numbers": tuple(numbers),
        "array": ROWS[:, :k],
        "distribution": pm.Dirichlet.dist(numbers) if k == 3 else pm.Beta.dist(*numbers),
    }
    rows = {"default": np.ones(k), "array": ROWS[:, :k]}.get(kind, numbers)
    rows = np.broadcast_to(rows, (3, k))
    model = getattr(bt.models, name).build(COUNTS, prior=of_kind[kind])
    np.testing.assert_array_equal(np.broadcast_to(model["prior"].get_value(), (3, k)), rows)
    assert model["prior"].get_value().ndim == (2 if kind == "array" else 1)
    tree = bt.fits.adopt(_as_built(model, **_draws_of(name, rows)))
    assert bt.fits.cross_check(COUNTS, tree)["agrees"].all()
    with pytest.raises(ValueError, match="leave prior out"):
        bt.fits.cross_check(COUNTS, tree, prior=(9.0,) * k)


@pytest.mark.parametrize("name", CORE)
def test_a_pooled_prior_has_no_closed_form_whatever_is_passed(name):
    import pymc as pm

    k = 3 if name == "dirichlet_multinomial" else 2
    size = pm.Gamma.dist(2, 0.1, name="concentration")
    prior = pm.Dirichlet.dist(size * np.ones(3)) if k == 3 else pm.Beta.dist(size, size)
    model = getattr(bt.models, name).build(COUNTS, prior=prior)
    assert np.isnan(model["prior"].get_value()).all()
    shared = np.random.default_rng(2).gamma(2, 5, size=(4, 2000))
    draws = _draws_of(name, np.ones((3, k)))
    tree = bt.fits.adopt(_as_built(model, **draws, concentration=shared))
    for passed in (None, (1,) * k, np.ones((3, k))):
        with pytest.raises(ValueError, match="built with a PyMC distribution as its prior, for"):
            bt.fits.cross_check(COUNTS, tree, prior=passed)


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("shape", ["by pair", "square"])
def test_a_prior_by_pair_is_passed_for_an_own_model(name, shape):
    k = 3 if name == "dirichlet_multinomial" else 2
    rows = ROWS[:, :k]
    own = _as_built(bt.models.beta_binomial.build(COUNTS), **_draws_of(name, rows))
    own = xr.DataTree.from_dict({"posterior": own["posterior"].to_dataset()})
    counts = COUNTS if shape == "by pair" else bt.counts.to_square(COUNTS)
    tree = bt.fits.adopt(own, counts)
    labels = {"pair": COUNTS["pair"].values[::-1], "outcome": ["win", "loss", "tie"][:k]}
    shuffled = xr.DataArray(rows[::-1], labels, ("pair", "outcome"))
    exact = getattr(bt.models, name).closed_form(counts, prior=rows)
    for prior in (rows, rows.tolist(), shuffled):
        checked = bt.fits.cross_check(counts, tree, prior=prior)
        np.testing.assert_allclose(checked["exact"], exact)
        assert checked["agrees"].all()
        assert checked.attrs["model"] == name
    with pytest.raises(ValueError, match=r"prior has shape \(2, "):
        bt.fits.cross_check(counts, tree, prior=rows[:2])


def test_a_difference_alone_is_checked_under_a_prior_by_pair():
    theta = _draws_of("dirichlet_multinomial", ROWS)["theta"]
    difference = {"difference": theta[..., 0] - theta[..., 1]}
    own = _as_built(bt.models.beta_binomial.build(COUNTS), **difference)
    own = xr.DataTree.from_dict({"posterior": own["posterior"].to_dataset()})
    assert bt.fits.cross_check(COUNTS, bt.fits.adopt(own), prior=ROWS)["agrees"].all()
