"""The Mallows model against quadrature and the truth; ties, gaps and bad input."""

import warnings

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import mallows as model
from betterthan.posterior.from_draws import diagnose

GROUPS = {
    "posterior",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
    "observed_data",
}


@pytest.fixture(scope="module")
def data():
    return model.simulate(24, systems=3, items=7, rng=21)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data, rng=5)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree):
    assert set(tree.children) >= GROUPS
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    attrs = tree["posterior"].attrs
    assert {"model", "prior", "seed", "versions", "pooling", "n_cells", "items"} <= set(attrs)
    assert attrs["inference_library"] == "nutpie"


@pytest.mark.sampled
def test_truth_is_within_reach(tree, data):
    posterior = tree["posterior"].to_dataset()
    for name in ("theta", "document_sd", "cell_sd"):
        mean, sd = posterior[name].mean(("chain", "draw")), posterior[name].std(("chain", "draw"))
        assert (np.abs(mean - data[name]) < 4 * sd).all(), name
    cells = posterior["theta_cell"]
    mean, sd = cells.mean(("chain", "draw")).values, cells.std(("chain", "draw")).values
    z = (mean - data["theta_document"].values.ravel()) / sd
    assert np.abs(z).max() < 5
    assert 0.5 < z.std() < 1.5


@pytest.mark.sampled
def test_predictive_orders_look_like_the_data(tree, data):
    drawn = tree["posterior_predictive"]["y"].values.reshape(-1, data["inversions"].size)
    assert drawn.min() >= 0
    assert drawn.max() <= 21
    assert np.abs(drawn.mean(0) - data["inversions"].values.ravel()).mean() < 2.5
    expected = tree["posterior"]["expected_tau"].mean(("chain", "draw")).values
    observed = 1 - 2 * data["inversions"].mean("document").values / 21
    assert np.abs(expected - observed).max() < 0.1


@pytest.mark.sampled
def test_loo_takes_it(tree, sensitive):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # single orders weigh much where documents differ
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)


@pytest.mark.sampled
def test_one_theta_agrees_with_quadrature():
    data = model.simulate(5, systems=2, items=8, pooling="complete", rng=6)
    tree = model.fit(data, pooling="complete", rng=3, predictive=False)
    exact, theta = model.closed_form(data), tree["posterior"]["theta"]
    z = (theta.mean(("chain", "draw")) - exact["mean"]) / az.mcse(theta, method="mean")
    assert np.abs(z).max() < 4
    z = (theta.std(("chain", "draw")) - exact["sd"]) / az.mcse(theta, method="sd")
    assert np.abs(z).max() < 4
    found = bt.fits.compare(tree, rope=0.05)
    p = exact["prob_better"].values[0, 1]
    ess = p * (1 - p) / found["prob_better_mcse"].values[0, 1] ** 2
    assert abs(probability_z(np.array(p), found["prob_better"].values[0, 1], np.array(ess))) < 4
    checked = bt.fits.cross_check(data, tree)
    assert bool(checked["agrees"].all())
    assert checked["exact"].values == pytest.approx(exact["prob_better"].values)
    other = model.simulate(5, systems=2, items=8, pooling="complete", rng=9)
    assert not bool(bt.fits.cross_check(other, tree)["agrees"].all())  # of other data it can fail
    tau = tree["posterior"]["expected_tau"]
    z = (tau.mean(("chain", "draw")) - exact["expected_tau"]) / az.mcse(tau, method="mean")
    assert np.abs(z).max() < 4


def test_closed_form_adds_up():
    data = model.simulate(9, systems=4, items=5, pooling="complete", rng=1)
    found = model.closed_form(data)
    square = found["prob_better"].values
    assert square + square.T == pytest.approx(np.ones((4, 4)), abs=1e-10)
    assert (
        found["mean"].argsort().values.tolist()
        == data["inversions"].sum("document").argsort().values[::-1].tolist()
    )
    far = model.closed_form(data, prior_sd=0.05)
    assert (np.abs(far["mean"]) < np.abs(found["mean"])).all()


@pytest.mark.sampled
def test_comparison_of_dispersions(tree):
    found = bt.fits.compare(tree)
    square = found["prob_better"].values
    assert square + square.T == pytest.approx(np.ones((3, 3)))
    assert found["prob_best"].sum().item() == pytest.approx(1)
    # one document varies more than their mean
    assert (found["new_tau_lower"] < found["expected_tau_lower"]).all()
    assert (found["new_tau_upper"] >= found["expected_tau_upper"] - 0.1).all()
    assert found.attrs["items"] == 7
    with pytest.warns(UserWarning, match="no verdict"):
        few = bt.fits.compare(tree.isel(draw=slice(0, 30)))
    assert few["verdict"].values[0, 1] == "no_verdict"


def test_orders_with_gaps_and_ties():
    cells = {
        "document": list("ddeef"),
        "system": list("rArAr"),
        "order": ["a>b>c", "a=b>c", "x>y", "y>x", "p>q"],
    }
    ranks = bt.orders.read(pd.DataFrame(cells))
    taus = bt.orders.kendall_tau(ranks, "r")
    with pytest.raises(ValueError, match="some orders have ties"):
        model.closed_form(taus)
    found = model.closed_form(taus, tied="half")
    cells = ("document", "system")
    by_hand = xr.Dataset(
        {"inversions": (cells, [[0.5], [1.0]]), "n_items": (cells, [[3], [2]])},
        coords={"document": ["d", "e"], "system": ["A"]},
    )
    assert found["mean"].item() == pytest.approx(model.closed_form(by_hand)["mean"].item())


@pytest.mark.sampled
def test_partial_pooling_has_no_closed_form(tree, data):
    with pytest.raises(ValueError, match="partial pooling has no closed form"):
        bt.fits.cross_check(data, tree)


def test_bad_input():
    taus = bt.orders.kendall_tau({"r": list("abc"), "A": list("bac")}, "r")
    with pytest.raises(ValueError, match="nothing varies over documents"):
        model.build(taus)
    with pytest.raises(ValueError, match="several references"):
        model.build(
            bt.orders.kendall_tau(
                {"r": list("abc"), "s": list("abc"), "A": list("bac")}, ["r", "s"]
            )
        )
    with pytest.raises(ValueError, match="must be a Dataset with inversions"):
        model.build(taus["tau"])
    with pytest.raises(ValueError, match="choose one of"):
        model.build(taus, pooling="none")
    with pytest.raises(ValueError, match="two items"):
        model.closed_form(xr.Dataset({"inversions": ("system", [0.0]), "n_items": ("system", [1])}))
