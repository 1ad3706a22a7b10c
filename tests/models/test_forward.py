"""Groups made without PyMC: as PyMC makes them of the same draws, to the digit where nothing is
drawn.
"""

import sys

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from betterthan.models import (
    clustered,
    davidson,
    forward,
    hierarchical,
    item_response,
    of_groups,
    sampling,
)
from betterthan.models.sampling import Sampling

SHAPE = Sampling(draws=250)
GROUPS = ("prior", "prior_predictive", "posterior_predictive", "log_likelihood", "log_prior")
JUDGED = {"systems": 3, "judgments": 60, "judges": 2, "position": True}
FORMS = {
    "clusters": (clustered, {"count": 6, "size": 4, "pairs": 2}, {}),
    "held": (clustered, {"count": 6, "size": 4, "pairs": 2}, {"correlation": 0.2}),
    "datasets": (hierarchical, {"datasets": 4, "n": 30, "pairs": 2}, {}),
    "concentrated": (hierarchical, {"datasets": 4, "n": 30, "pairs": 2}, {"concentration": 8.0}),
    "once": (item_response, {"items": 12, "systems": 3}, {}),
    "missing": (item_response, {"items": 12, "systems": 3}, {}),
    "trials": (item_response, {"items": 8, "systems": 3, "trials": 3}, {}),
    "slopes": (item_response, {"items": 12, "systems": 4}, {"discrimination": True, "nodes": 31}),
    "davidson": (davidson, {"systems": 3, "judgments": 40}, {}),
    "judges": (davidson, JUDGED, {"judges": True, "position": True}),
    "rao_kupper": (davidson, JUDGED, {"tie_model": "rao_kupper", "position": True}),
}


def made(form):
    """A model, data and choices."""
    model, shape, choices = FORMS[form]
    data = model.simulate(**shape, rng=5)
    if model is hierarchical:
        data = data["counts"]
    if model is clustered:
        data = data["counts"]
        data[:, 1] *= form == "clusters"  # or a pair without data
    if form == "missing":
        gone = np.random.default_rng(1).random(data["trials"].shape) < 0.2
        data = data.assign({k: data[k].where(~gone, 0) for k in ("successes", "trials")})
    return model, data, choices


def by_pymc(model, data, choices, tree):
    """The same groups for the same draws."""
    kept = {group: tree[group].to_dataset() for group in ("posterior", "observed_data")}
    found = xr.DataTree.from_dict(kept)
    with sampling.steady_arithmetic(), sampling.quiet_logger():
        sampling.add_predictive(model.build(data, **choices), found, 3)
    sampling.tidy(found, of_groups.by_cluster(data).pairs if model is clustered else None)
    return found


def looks(array):
    """Of each draw: what is seen in all, of the first row, and of two cells together."""
    values = array.values.reshape(-1, array.shape[2], array[0, 0, 0].size).astype(float)
    first, second = values[:, :, 0], values[:, :, 1]
    total = values.reshape(len(values), -1) @ np.arange(values[0].size)
    return np.stack([total, first.sum(1), first[:, 0], (first * second).sum(1), total**2])


def far(one, other):
    """Distance of the means of two sets of independent draws, in standard errors."""
    both = [x.mean(-1) for x in (one, other)]
    error = np.sqrt(one.var(-1) / one.shape[-1] + other.var(-1) / other.shape[-1])
    return float(np.max(np.abs(both[0] - both[1]) / np.maximum(error, 1e-12)))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "form", ["clusters", "held", "missing", "trials", "slopes", "judges", "rao_kupper"]
)
def test_groups_are_those_of_pymc(form):
    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=SHAPE, rng=1)
    theirs = by_pymc(model, data, choices, tree)
    for group in GROUPS:
        mine, other = tree[group].to_dataset(), theirs[group].to_dataset()
        assert set(mine.variables) == set(other.variables), group
        for name, array in other.variables.items():
            assert mine[name].dims == array.dims, (group, name)
            assert mine[name].dtype == array.dtype, (group, name)
            if name in other.coords:
                assert mine[name].values.tolist() == array.values.tolist(), (group, name)
    np.testing.assert_allclose(
        tree["log_likelihood"]["y"], theirs["log_likelihood"]["y"], rtol=0, atol=1e-8
    )
    for name, array in theirs["log_prior"].data_vars.items():
        np.testing.assert_allclose(tree["log_prior"][name], array, rtol=0, atol=3e-7)
    for name, array in theirs["prior"].data_vars.items():
        mine = tree["prior"][name].values[0].reshape(len(array.values[0]), -1)
        for own, other in zip(mine.T, array.values[0].reshape(mine.shape).T, strict=True):
            assert stats.ks_2samp(own, other).pvalue > 1e-4, name
    for group in ("prior_predictive", "posterior_predictive"):
        assert far(*(looks(t[group]["y"]) for t in (tree, theirs))) < 4, group


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
def test_log_prior_is_that_of_pymc(form):
    import pymc as pm

    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    with sampling.without_compiler():
        theirs = pm.stats.compute_log_prior(
            tree,
            model=model.build(data, **choices),
            progressbar=False,
            compile_kwargs={"mode": "FAST_COMPILE"},
            extend_inferencedata=False,
        )
    mine = tree["log_prior"].to_dataset()
    assert set(mine.data_vars) == set(theirs.data_vars)
    for name, array in theirs.data_vars.items():
        assert mine[name].dims == array.dims, name
        # constants of gamma functions are PyMC's to single precision
        np.testing.assert_allclose(mine[name], array, rtol=0, atol=3e-7, err_msg=name)


@pytest.mark.parametrize("form", FORMS)
def test_prior_sensitivity_of_draws_by_weights(form, sensitive):
    model, data, choices = made(form)
    sensitive(model.fit(data, **choices, sampling=SHAPE, rng=1))


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_pymc_is_needed(form, monkeypatch):
    for gone in ("pymc", "pytensor", "nutpie"):
        monkeypatch.setitem(sys.modules, gone, None)
    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    assert set(GROUPS) < set(tree.children)
    observed = tree["observed_data"]["y"]
    again = tree["posterior_predictive"]["y"]
    assert again.shape == (4, 20, *observed.shape)
    same = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    for group in GROUPS:
        xr.testing.assert_identical(tree[group].to_dataset(), same[group].to_dataset())
    without = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1, predictive=False)
    assert not set(GROUPS) & set(without.children)
    posterior = [t["posterior"].to_dataset() for t in (tree, without)]
    xr.testing.assert_identical(*posterior)


def test_data_are_drawn_within_what_was_tried():
    _, data, _ = made("missing")
    tree = item_response.fit(data, sampling=SHAPE, rng=1)
    trials = data["trials"].values
    for group in ("prior_predictive", "posterior_predictive"):
        again = tree[group]["y"].values
        assert (again <= trials).all()
        assert (again >= 0).all()
    _, data, choices = made("judges")
    tree = davidson.fit(data, **choices, sampling=SHAPE, rng=1)
    counts = tree["observed_data"]["y"]
    again = tree["posterior_predictive"]["y"]
    assert (again.sum("outcome") == counts.sum("outcome")).all()


def test_tables_are_multinomial():
    n, draws = np.array([1, 3, 60, 0]), 30_000
    p = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.6, 0.3, 0.1], [0.3, 0.3, 0.4]])
    win, loss = (np.broadcast_to(p[:, k], (draws, 4)) for k in range(2))
    found = forward.tables(win, loss, n, np.random.default_rng(1))
    assert (found.sum(2) == n).all()
    law = [stats.multinomial(size, row) for size, row in zip(n, p, strict=True)]
    for row, own in enumerate(law):
        covariance = own.cov()
        error = np.sqrt(np.diag(covariance) / draws)
        assert (np.abs(found[:, row].mean(0) - n[row] * p[row]) <= 4 * error).all()
        seen = np.cov(found[:, row].T)
        assert seen == pytest.approx(covariance, abs=0.03 * max(np.abs(covariance).max(), 0.1))


def test_the_block_does_not_matter(monkeypatch):
    """Draws are as many, and each is of its own parameters, wherever a block ends."""
    _, data, _ = made("once")
    monkeypatch.setattr(forward, "_BLOCK", 36 * 7)
    tree = item_response.fit(data, sampling=SHAPE, rng=1)
    able = tree["posterior"]["ability"].values.reshape(-1, 3)
    again = tree["posterior_predictive"]["y"].values.reshape(-1, 12, 3).mean(1)
    assert np.corrcoef(able[:, 0] - able[:, 1], again[:, 0] - again[:, 1])[0, 1] > 0.2
