"""Paired differences of graded scores: a grid, Student's own, ties, and data sets.

The typical difference is no difference of means, and none at all where most differences are next to
nothing.
"""

import importlib
import tomllib
import warnings
from pathlib import Path

import arviz as az
import numpy as np
import nutpie
import pymc as pm
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.graded_pairs import differences_of
from betterthan.model_registry import spec_of
from betterthan.models import graded as model
from betterthan.models import sampling
from betterthan.posterior.from_draws import diagnose
from betterthan.posterior.pairwise import Fit
from betterthan.posterior.table import Question
from validation import designs, of_graded

TABLE = tomllib.loads(
    (Path(__file__).parents[2] / "models" / "graded" / "reference.toml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def scores():
    return designs.graded_scores(designs.Design(90, 0.3, 3, 3), 3).drop_vars("cluster")


@pytest.fixture(scope="module")
def tree(scores):
    return model.fit(scores, rng=1)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert diagnose(tree).passed, diagnose(tree).failures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    assert {"system_a", "system_b"} <= set(tree["posterior"].coords)


@pytest.mark.sampled
def test_difference_is_that_of_the_means(tree, scores):
    found = bt.fits.compare(tree)
    mean = scores.mean("item").values
    apart = mean[:, None] - mean
    inside = (found["difference_lower"] <= apart) & (apart <= found["difference_upper"])
    assert inside.values.all()
    same = np.abs(scores.values[:, :1] - scores.values[:, 1:2]) < 1e-9
    assert found["n_tied"].values[0, 1] == same.sum()
    assert found["n"].values[0, 1] == 90


def test_the_density_is_that_of_scipy(scores):
    """Of which `of_graded.centre` takes sums over a grid."""
    scores = scores.isel(item=scores["dataset"] == scores["dataset"][0]).drop_vars("dataset")
    built = model.build(scores)
    quick = {"mode": "FAST_COMPILE"}
    prior = pm.sample_prior_predictive(draws=20, random_seed=1, compile_kwargs=quick, model=built)
    draws = prior["prior"].to_dataset()
    with sampling.without_compiler():
        likelihood, densities = (
            sampling.log_density(built, draws, group) for group in ("log_likelihood", "log_prior")
        )
    data = differences_of(scores)
    tail = draws["tail_less_one"].values[0] + 1
    centre, scale = draws["centre"].values[0], draws["scale"].values[0]
    of = [values[:, data.pair] for values in (tail, centre, scale)]
    np.testing.assert_allclose(likelihood["y"].values[0], stats.t.logpdf(data.y, *of), rtol=1e-8)
    expected = {
        "centre": stats.norm.logpdf(centre, 0, model._CENTRE),
        "scale": stats.lognorm.logpdf(scale, model._SCALE[1], scale=np.exp(model._SCALE[0])),
        "tail_less_one": stats.expon.logpdf(tail - 1, scale=model._TAIL),
    }
    for name, log in expected.items():
        np.testing.assert_allclose(densities[name].values[0], log, rtol=1e-7, err_msg=name)


def test_agrees_with_print():
    found = of_graded.published(TABLE["table"])
    assert found["error_of_t"] < 5e-5
    assert found["error_of_p"] < 5e-7
    # nine of ten slept longer: about as sure as the t test, one sided
    assert found["prob_better"] == pytest.approx(1 - TABLE["table"]["p"] / 2, abs=0.002)


@pytest.mark.sampled
def test_a_posterior_of_pm_sample_answers_as_the_fit(tree, scores, monkeypatch):
    # as `fit` of the same model has compiled it: that others draw the same is tested in
    # test_sampling
    monkeypatch.setattr(nutpie, "compile_pymc_model", lambda own, **_: sampling.compiled(own))
    with model.build(scores):
        own = pm.sample(chains=4, random_seed=1, target_accept=model.TARGET_ACCEPT, quiet=True)
    np.testing.assert_array_equal(own["constant_data"]["unit"], tree["constant_data"]["unit"])
    adopted = bt.fits.adopt(own)
    found, fitted = bt.fits.compare(adopted), bt.fits.compare(tree)
    for part in ("difference_mean", "difference_lower", "difference_upper"):
        far = np.hypot(found[f"{part}_mcse"], fitted[f"{part}_mcse"])
        assert (np.abs(found[part] - fitted[part]) <= 4 * far + 1e-12).all()
    assert (found["verdict"] == fitted["verdict"]).all()
    same = bt.fits.compare(bt.fits.adopt(tree))  # to the digit, where the draws are the same
    np.testing.assert_array_equal(same["difference_mean"], fitted["difference_mean"])


def test_the_built_model_has_the_difference_in_units_of_the_score(scores):
    for standardise in (True, False):
        built = model.build(scores, standardise=standardise)
        kept = ("centre", "tied", "difference")
        values = pm.draw([built[name] for name in kept], random_seed=1, mode="FAST_COMPILE")
        at = dict(zip(kept, values, strict=True))
        unit = differences_of(scores).unit if standardise else 1.0
        np.testing.assert_allclose(at["difference"], at["centre"] * unit * (1 - at["tied"]))


def test_neither_units_nor_the_direction_of_the_score_matter(scores):
    one = differences_of(scores)
    hundred = differences_of((scores * 100).assign_coords(scores.coords))
    turned = differences_of((-scores).assign_attrs(higher_is_better=False))
    assert hundred.unit == pytest.approx(100 * one.unit)
    for other in (hundred, turned):  # the model sees the same
        for key in ("y", "pair", "dataset", "n", "n_tied", "rows", "middle"):
            assert getattr(other, key) == pytest.approx(getattr(one, key)), key


@pytest.mark.sampled
def test_new_data_set_is_less_certain(tree):
    found = bt.fits.compare(tree)
    sure = np.abs(found["prob_better"].values - 0.5)
    assert (np.abs(found["prob_better_new"].values - 0.5) <= sure + 0.02).all()
    assert found["prob_better_dataset"].sizes["dataset"] == 3


@pytest.mark.sampled
def test_pairs_without_a_difference_are_answered_with_a_warning(scores):
    values = np.random.default_rng(1).normal(size=scores.shape)
    values[:, 1] = values[:, 0]
    alike = scores.copy(data=values).assign_coords(system=["A", "B", "C"])
    with pytest.warns(UserWarning, match="'A' and 'B' is mostly the prior: they differ on 0 of 90"):
        tree = model.fit(alike, rng=1, predictive=False)
    found = bt.fits.compare(tree)
    assert found["prob_better"].values[0, 1] == pytest.approx(0.5, abs=0.04)
    assert abs(found["difference_mean"].values[0, 1]) < 0.05  # all but none of the items differ
    assert found["prob_better"].values[0, 2] == pytest.approx(
        found["prob_better"].values[1, 2], abs=0.04
    )


@pytest.mark.sampled
def test_one_wild_item_moves_little():
    random = np.random.default_rng(4)
    values = np.stack([random.normal(0.2, 0.3, 60), np.zeros(60)], axis=1)
    values[0, 0] = -40
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    found = bt.fits.compare(model.fit(scores, rng=1, predictive=False))
    assert found["prob_better"].values[0, 1] > 0.99
    assert values[:, 0].mean() < 0


def test_too_many_pairs():
    wide = xr.DataArray(np.random.default_rng(1).normal(size=(5, 40)), dims=("item", "system"))
    with pytest.raises(ValueError, match="780 pairs are more than the 500"):
        model.build(wide.assign_coords(system=[f"s{k}" for k in range(40)]))


@pytest.mark.sampled
def test_a_rope_is_in_units_of_the_score(tree):
    wide = bt.fits.compare(tree, rope=2.0)
    assert wide["mass"].sel(region="rope").values == pytest.approx(1.0)
    assert (wide["verdict"].values == "equivalent").all()


def scores_of(a, b):
    values = np.stack([a, b], axis=1)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})


@pytest.fixture(scope="module")
def small_wins():
    """300 items: A ahead by .02 on 282, and 0 on the 18 where B is about .66."""
    random = np.random.default_rng(1)
    b = random.uniform(0.4, 0.8, 300)
    a = b + 0.02 + 0.004 * random.normal(size=300)
    rare = random.choice(300, 18, replace=False)
    a[rare], b[rare] = 0.0, random.normal(0.66, 0.03, 18)
    return scores_of(a, b)


@pytest.fixture(scope="module")
def near_ties():
    """A leaderboard of preferences: ahead by 1e-4 on most items, by far behind on others."""
    random = np.random.default_rng(2)
    b = random.uniform(0.2, 0.9, 300)
    a = b + 1e-4 * random.uniform(0.5, 1.5, 300)
    rare = random.random(300) < 0.15
    a[rare] = b[rare] - random.uniform(0.02, 0.1, rare.sum())
    return scores_of(a, b)


def answer(scores, tree):
    """As `fits.compare` says it of a fit with these differences."""
    posterior = tree["posterior"].to_dataset()
    data = differences_of(scores)
    constant = tree["constant_data"].to_dataset()
    tree = tree.copy()
    tree["constant_data"] = constant.assign(near_ties=("pair", data.near_ties))
    fit = Fit.from_tree(tree, ("graded",))
    reader = importlib.import_module("betterthan.fits.comparing").read_graded
    assert posterior.attrs["model"] == "graded"
    return reader(fit, Question())


def test_no_verdict_where_most_differences_are_next_to_nothing(near_ties, small_wins):
    tree = bt.datasets.example_fit("graded")
    sure = answer(small_wins, tree)
    assert sure["verdict"].values[0, 1] == "a_better"
    with pytest.warns(UserWarning, match=r"no verdict for 'A' and 'B': 8\d% .*resolution="):
        found = answer(near_ties, tree)
    assert found["verdict"].values.tolist() == [
        ["undecided", "no_verdict"],
        ["no_verdict", "undecided"],
    ]
    assert not found["also_ahead"].any()
    assert found["near_ties"].values[0, 1] > 0.8


def test_what_counts_as_near(near_ties, small_wins):
    assert differences_of(small_wins).near_ties == pytest.approx(0.0)
    apart = (near_ties[:, 0] - near_ties[:, 1]).values
    near = np.abs(apart) < 0.01 * np.quantile(np.abs(apart), 0.9)
    assert differences_of(near_ties).near_ties == pytest.approx(near.mean())


def test_a_resolution_makes_ties(near_ties):
    data = differences_of(near_ties, resolution=1e-3)
    apart = (near_ties[:, 0] - near_ties[:, 1]).values
    assert data.n_tied.tolist() == [(np.abs(apart) <= 1e-3).sum()]
    assert len(data.y) == (np.abs(apart) > 1e-3).sum()
    assert data.near_ties.tolist() == [0.0]
    steps = scores_of(np.array([0.3, 0.5, 0.9]), np.array([0.2, 0.2, 0.2]))
    assert differences_of(steps, resolution=0.1).n_tied.tolist() == [1]  # .3 - .2 is no more
    built = model.build(near_ties, resolution=1e-3)
    assert len(built.coords["row"]) == len(data.y)
    with pytest.raises(ValueError, match=r"resolution is -1"):
        differences_of(near_ties, resolution=-1)


@pytest.mark.sampled
def test_the_typical_difference_is_not_that_of_means(small_wins):
    mean = small_wins.mean("item").values
    assert mean[0] < mean[1]
    found = bt.fits.compare(model.fit(small_wins, rng=1, predictive=False))
    assert found["difference_mean"].values[0, 1] == pytest.approx(0.02, abs=0.003)


@pytest.mark.sampled
def test_with_a_resolution_the_near_ties_give_the_answer_of_the_others(near_ties):
    tree = model.fit(near_ties, resolution=1e-3, rng=1, predictive=False)
    found = bt.fits.compare(tree)
    assert found["verdict"].values[0, 1] == "b_better"
    assert tree["posterior"].attrs["resolution"] == 1e-3


def test_it_is_called_typical_and_never_how_much():
    spec = spec_of("graded")
    said = f"{spec.assumes} {spec.computed} {model.__doc__}"
    assert "typical difference" in spec.assumes
    assert "how much" not in said
