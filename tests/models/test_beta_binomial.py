import tomllib
from pathlib import Path

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy import stats

import betterthan as bt
from betterthan.models import beta_binomial as model
from betterthan.models import sampling
from betterthan.models.sampling import Sampling

REFERENCE = Path(__file__).parents[2] / "models" / "beta_binomial" / "reference.toml"


@pytest.fixture(scope="module")
def truth():
    return model.simulate([0, 5, 20, 40, 80, 160, 320, 640] * 2, pairs=16, rng=5)


@pytest.fixture(scope="module")
def tree(truth):
    return model.fit(truth["counts"], sampling=Sampling(draws=500), rng=7)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, whole):
    whole(tree)
    assert tree["posterior"].attrs["square"] == 0
    assert list(tree["posterior"].data_vars) == ["p"]


@pytest.mark.sampled
def test_prior_sensitivity_where_the_prior_is_not_uniform(tree, truth, prior_matters):
    prior_matters(model, truth["counts"], (2.0, 3.0))


@pytest.mark.sampled
def test_fit_agrees_with_the_closed_form(tree, truth, agrees):
    agrees(tree, model.closed_form(truth["counts"]))


@pytest.mark.sampled
def test_fit_finds_the_truth(tree, truth):
    import arviz as az

    ends = az.eti(tree["posterior"]["p"], prob=0.95, dim=["chain", "draw"])
    low, high = (ends.sel(ci_bound=b).values for b in ("lower", "upper"))
    inside = (low < truth["p"].values) & (truth["p"].values < high)
    assert inside.sum() >= 13  # of 16; fewer has probability 0.007


@pytest.mark.sampled
def test_same_seed_same_draws_and_the_generator_is_recorded(tree, truth):
    again = model.fit(
        truth["counts"], sampling=Sampling(draws=500), rng=np.int64(7), predictive=False
    )
    np.testing.assert_array_equal(again["posterior"]["p"].values, tree["posterior"]["p"].values)
    assert "prior" not in again.children


@pytest.mark.sampled
def test_arviz_accepts_the_tree(tree, accepted):
    accepted(tree, "p")


@pytest.mark.sampled
def test_tree_survives_netcdf(tree, tmp_path, round_trip):
    round_trip(tree, tmp_path / "fit.nc")


@pytest.mark.sampled
def test_draws_of_pm_sample_by_nutpie_are_adopted(tree, truth, monkeypatch):
    # as the fit has compiled it: that pm.sample draws the same is tested in test_sampling
    monkeypatch.setattr(nutpie, "compile_pymc_model", lambda own, **_: sampling.compiled(own))
    counts = truth["counts"]
    settings = {"draws": 500, "tune": 500, "chains": 4, "cores": 1, "random_seed": 1}
    with model.build(counts):
        own = pm.sample(**settings, nuts_sampler="nutpie", progressbar=False)
    adopted = bt.fits.adopt(own)
    answer, exact = bt.prob_better(adopted), bt.prob_better(counts)
    assert answer.shape == exact.shape
    z = (answer - exact.values) / np.maximum(answer["mcse"], 1e-3)
    assert (np.abs(z) < 4.5).all()
    for prior in (None, (1, 1)):
        assert bt.fits.cross_check(counts, adopted, prior=prior)["agrees"].all()
    with pytest.raises(ValueError, match=r"but the draws were made with \(1\.0, 1\.0\)"):
        bt.fits.cross_check(counts, adopted, prior=(2, 1))


def test_logp_is_that_of_scipy():
    built = model.build(bt.counts.from_table({("A", "B"): (12, 2)}), prior=(2, 3))
    p = 0.3
    expected = stats.beta.logpdf(p, 2, 3) + stats.binom.logpmf(12, 14, p) + np.log(p * (1 - p))
    point = {built.value_vars[0].name: np.array([np.log(p / (1 - p))])}
    assert built.compile_logp(mode="FAST_COMPILE")(point) == pytest.approx(expected, rel=1e-7)


def test_published_table():
    cases = tomllib.loads(REFERENCE.read_text("utf-8"))["case"]
    assert len(cases) == 28
    for case in cases:
        exact = model.closed_form(bt.counts.from_table({("A", "B"): tuple(case["counts"])}))
        assert round(float(exact.sel(system_a="A", system_b="B")), 4) == pytest.approx(
            case["p_better"], abs=1e-9
        )


def test_ties_do_not_matter():
    with_ties = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    np.testing.assert_array_equal(
        model.closed_form(with_ties).values,
        model.closed_form(bt.counts.apply_ties(with_ties, "drop")).values,
    )
    assert float(model.build(with_ties)["n"].get_value()[0]) == 14
