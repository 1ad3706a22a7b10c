"""Slopes of subjects against quadrature, a published mixed model and least squares."""

import tomllib
import warnings
from pathlib import Path

import arviz as az
import numpy as np
import pytest

import betterthan as bt
from betterthan.evidence import of_subject_slopes
from betterthan.models import subject_slopes as model
from betterthan.posterior.gate import diagnose

SLEEP = tomllib.loads(
    (Path(__file__).parents[2] / "models" / "subject_slopes" / "reference.toml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def table():
    return of_subject_slopes.published_table(SLEEP)


@pytest.fixture(scope="module")
def tree(table):
    return model.fit(table, "time", "days", rng=4)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree):
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    assert {"posterior", "prior_predictive", "posterior_predictive", "log_likelihood"} <= set(
        tree.children
    )
    assert tree["posterior"].attrs["n_subjects"] == 18
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two of the published times are far out
        assert np.isfinite(az.loo(tree).elpd)


@pytest.mark.sampled
def test_published_mixed_model(tree):
    posterior = tree["posterior"].to_dataset()
    for name in ("slope", "intercept"):
        found = posterior[name]
        assert abs(float(found.mean()) - SLEEP[name]) < SLEEP[f"{name}_error"] / 3
    # its error comes out a little larger: the spread of the slopes is not known either
    assert SLEEP["slope_error"] < float(posterior["slope"].std()) < 1.25 * SLEEP["slope_error"]
    sd = np.std([t for times in SLEEP["times"].values() for t in times], ddof=1)
    for name in ("sigma", "intercept_sd"):
        # the published intercept is at day 0, the model's at the mean day: the slopes' spread adds
        # to it
        low, high = np.quantile(posterior[name].values * sd, [0.005, 0.995])
        at = (
            SLEEP[name]
            if name == "sigma"
            else np.hypot(SLEEP["intercept_sd"], 4.5 * SLEEP["slope_sd"])
        )
        assert low < at < high, name
    ratio = float(posterior["slope"].mean() / posterior["slope_standardised"].mean())
    low, high = np.quantile(posterior["slope_sd"].values * ratio, [0.005, 0.995])
    assert low < SLEEP["slope_sd"] < high


@pytest.mark.sampled
def test_subjects_are_drawn_to_their_mean(tree, table):
    own = bt.people.slopes(table, "time", "days")["slope"]
    shrunk = tree["posterior"]["subject_slope"].mean(("chain", "draw"))
    assert shrunk["subject"].values.tolist() == own["subject"].values.tolist()
    assert float(shrunk.std()) < float(own.std())
    assert float(np.corrcoef(shrunk, own)[0, 1]) > 0.95


@pytest.mark.sampled
def test_fit_agrees_with_quadrature(tree, table):
    data = model._data(table, "time", "days", "subject", True)
    exact = of_subject_slopes.by_quadrature(data.y, data.x, data.of)
    slope = tree["posterior"]["slope_standardised"]
    assert abs(float(slope.mean()) - exact["mean"]) < 4 * float(az.mcse(slope, method="mean"))
    assert abs(float(slope.std()) - exact["sd"]) < 4 * float(az.mcse(slope, method="sd"))
    assert exact["positive"] > 0.999


def test_quadrature_has_converged(table):
    data = model._data(table, "time", "days", "subject", True)
    few, many = (of_subject_slopes.by_quadrature(data.y, data.x, data.of, p) for p in (40, 60))
    assert few["mean"] == pytest.approx(many["mean"], abs=1e-4)
    assert few["sd"] == pytest.approx(many["sd"], rel=2e-3)


def test_bad_input(table):
    for frame, outcome, said in (
        (table, "speed", "no column 'speed'"),
        (table.assign(time="fast"), "time", "no number"),
        (table.assign(time=3.0), "time", "is constant in the 180 whole rows"),
        (table[table["subject"] == "308"], "time", "there is 1 subject"),
    ):
        with pytest.raises(ValueError, match=said):
            model.build(frame, outcome, "days")
    assert model.simulate(3, rows=2, rng=1).sizes["row"] == 6
