"""What every model must do, told once."""

import warnings

import arviz as az
import numpy as np
import pytest

from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.posterior.gate import diagnose
from betterthan.posterior.sampled import draws_prob_better

GROUPS = {
    "posterior",
    "sample_stats",
    "observed_data",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
}


def _agrees(tree, exact):
    """P(better) from the fit lies within 4 Monte Carlo errors of the closed form, pair by pair."""
    sampled = draws_prob_better(tree)
    assert sampled.dims == exact.dims
    for dim in exact.dims:
        assert sampled[dim].values.tolist() == exact[dim].values.tolist()
    posterior = tree["posterior"].to_dataset()
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    ess = float(az.ess((margin > 0).astype(float), method="mean").min())
    z = probability_z(exact.values, sampled.values, np.full(exact.shape, ess))
    apart = exact.values != 0.5  # the diagonal of a square is 1/2 by definition
    assert np.abs(z[apart]).max() < 4


def _whole(tree):
    """The tree has every group, passes the gate and says how it was made."""
    assert set(tree.children) >= GROUPS
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    assert (diagnosis.chains, diagnosis.draws) == (4, 500)
    attrs = tree["posterior"].attrs
    assert attrs["inference_library"] == "nutpie"
    assert {"model", "prior", "square", "seed", "versions", "tune", "target_accept"} <= set(attrs)
    assert "created_at" not in attrs
    for group in GROUPS - {"sample_stats"}:
        assert {"system_a", "system_b"} <= set(tree[group].coords), group


def _accepted(tree, parameter):
    """ArviZ takes the tree as it is."""
    table = az.summary(tree, ci_prob=0.95, ci_kind="hdi", round_to="none")
    assert any(str(row).startswith(f"{parameter}[") for row in table.index)
    az.plot_forest(tree, var_names=[parameter], backend="none")
    az.plot_dist(tree, var_names=[parameter], backend="none")
    with warnings.catch_warnings():
        # leaving a pair out leaves its prior: Pareto k is high
        warnings.simplefilter("ignore", UserWarning)
        assert np.isfinite(az.loo(tree).elpd)


@pytest.fixture(scope="session")
def agrees():
    return _agrees


@pytest.fixture(scope="session")
def whole():
    return _whole


@pytest.fixture(scope="session")
def accepted():
    return _accepted


@pytest.fixture(scope="session")
def round_trip():
    def check(tree, path):
        tree.to_netcdf(path, engine="h5netcdf")
        with az.from_netcdf(path) as back:
            assert set(back.children) == set(tree.children)
            for name, values in tree["posterior"].data_vars.items():
                np.testing.assert_array_equal(back["posterior"][name].values, values.values)
            exact = draws_prob_better(tree)
            np.testing.assert_array_equal(draws_prob_better(back).values, exact.values)

    return check
