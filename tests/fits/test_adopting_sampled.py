"""What `pm.sample` returns of each model that `build` makes is adopted as it is.

That of nutpie is in the tests of beta_binomial and graded, where it takes no compilation.
"""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import dirichlet_multinomial, hierarchical, independent_betas

pytestmark = pytest.mark.sampled
TABLE = {("A", "B"): (30, 12, 40), ("A", "C"): (25, 5, 30), ("B", "C"): (10, 14, 20)}
COUNTS = bt.counts.from_table(TABLE)


def sampled(model, **also):
    """As a user samples it, with few draws."""
    import pymc as pm

    draws = {"draws": 300, "tune": 300, "chains": 4, "cores": 1, "random_seed": 1}
    with model:
        return pm.sample(**draws | also, progressbar=False)


def near(answer, exact):
    assert answer.shape == exact.shape
    z = (answer - exact.values) / np.maximum(answer["mcse"], 1e-3)
    assert (np.abs(z) < 4.5).all()


@pytest.fixture(scope="module")
def extended():
    """Another prior, a Deterministic, and PyMC's own sampler."""
    import pymc as pm

    model = dirichlet_multinomial.build(COUNTS, prior=(2, 2, 1))
    with model:
        log_odds = pm.math.log(model["theta"][:, 0] / model["theta"][:, 1])
        pm.Deterministic("log_odds", log_odds, dims="pair")
    return sampled(model, nuts_sampler="pymc")


def test_an_extended_model_with_another_prior_names_its_systems(extended):
    tree = bt.fits.adopt(extended)
    near(bt.prob_better(tree), bt.prob_better(COUNTS, prior=(2, 2, 1)))
    assert "log_odds" in tree["posterior"]
    assert tree["posterior"].attrs["inference_library"] == "pymc"
    assert bt.fits.diagnose(tree).unchecked == ""
    found = bt.fits.compare(tree)
    assert found["n"].sel(system_a="A", system_b="B") == 82
    assert found["verdict"].sel(system_a="A", system_b="C") == "a_better"


def test_the_recorded_prior_is_checked_and_no_other(extended):
    tree = bt.fits.adopt(extended, COUNTS)
    assert bt.fits.cross_check(COUNTS, tree)["agrees"].all()
    assert bt.fits.cross_check(COUNTS, tree, prior=(2, 2, 1))["agrees"].all()
    wrong = r"prior is \(1\.0, 1\.0, 1\.0\), but the draws were made with \(2\.0, 2\.0, 1\.0\)"
    with pytest.raises(ValueError, match=wrong):
        bt.fits.cross_check(COUNTS, tree, prior=(1, 1, 1))


def test_an_own_model_has_the_prior_that_is_passed(extended):
    own = xr.DataTree.from_dict({"posterior": extended["posterior"].to_dataset()})
    tree = bt.fits.adopt(own, COUNTS)
    with pytest.raises(ValueError, match="do not record their prior"):
        bt.fits.cross_check(COUNTS, tree)
    assert bt.fits.cross_check(COUNTS, tree, prior=(2, 2, 1))["agrees"].all()


def test_a_core_model_of_the_default_prior():
    tree = bt.fits.adopt(sampled(independent_betas.build(COUNTS), nuts_sampler="pymc"))
    near(bt.prob_better(tree), bt.prob_better(COUNTS, model="independent"))
    for prior in (None, (1, 1)):
        assert bt.fits.cross_check(COUNTS, tree, prior=prior)["agrees"].all()
    with pytest.raises(ValueError, match=r"but the draws were made with \(1\.0, 1\.0\)"):
        bt.fits.cross_check(COUNTS, tree, prior=(2, 1))


def test_a_model_of_data_sets_with_a_difference_of_its_own():
    import pymc as pm

    model = hierarchical.build(hierarchical.simulate(4, n=40, rng=14)["counts"])
    with model:
        pm.Deterministic("difference", model["mu"][:, 0] - model["mu"][:, 1], dims="pair")
    # 300 draws have an R-hat of 1.012 on some processors
    tree = bt.fits.adopt(sampled(model, nuts_sampler="pymc", draws=1500))
    answer = bt.prob_better(tree)
    mean = (tree["posterior"]["difference"] > 0).mean()
    assert answer.sel(system_a="A0", system_b="B0").item() == pytest.approx(mean.item())
