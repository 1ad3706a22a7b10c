"""Slopes of subjects against quadrature, a published mixed model and least squares."""

import tomllib
import warnings
from pathlib import Path

import arviz as az
import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.models import subject_slopes as model
from betterthan.models.likelihood_data import repeated, rotated
from betterthan.models.sampling import without_compiler
from betterthan.posterior.from_draws import diagnose
from validation import of_subject_slopes
from validation.quadrature_of_texts import slope_by_quadrature

SLEEP = tomllib.loads(
    (Path(__file__).parents[2] / "models" / "subject_slopes" / "reference.toml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def table():
    return of_subject_slopes.published_table(SLEEP)


@pytest.fixture(scope="module")
def tree(table):
    return model.fit(table, "time", "days", text=None, rng=4)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    assert {"posterior", "prior_predictive", "posterior_predictive", "log_likelihood"} <= set(
        tree.children
    )
    assert tree["posterior"].attrs["n_subjects"] == 18
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two of the published times are far out
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)


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
    own = bt.people.slopes(table, "time", "days", text=None)["slope"]
    shrunk = tree["posterior"]["subject_slope"].mean(("chain", "draw"))
    assert shrunk["subject"].values.tolist() == own["subject"].values.tolist()
    assert float(shrunk.std()) < float(own.std())
    assert float(np.corrcoef(shrunk, own)[0, 1]) > 0.95


@pytest.mark.sampled
def test_fit_agrees_with_quadrature(tree, table):
    data = repeated(table, "time", "days", "subject", None)
    # 40 points, coarser than the default of 60: test_quadrature_has_converged
    exact = of_subject_slopes.by_quadrature(data.y, data.x, data.subject, 40)
    slope = tree["posterior"]["slope_standardised"]
    assert abs(float(slope.mean()) - exact["mean"]) < 4 * float(az.mcse(slope, method="mean"))
    assert abs(float(slope.std()) - exact["sd"]) < 4 * float(az.mcse(slope, method="sd"))
    assert exact["positive"] > 0.999


@pytest.fixture(scope="module")
def shared():
    return of_subject_slopes.as_table(model.simulate(6, rows=5, texts=True, rng=11))


def parts_of_mean(built):
    """A function of the variables: the mean of each row, and what slopes and texts add to it."""
    rows = built["y"].owner.inputs[2]  # the mean
    return built.compile_fn(
        built.replace_rvs_by_values([rows, built["subject_slope"], built["text_effect"]]),
        inputs=built.value_vars,
        mode="FAST_COMPILE",
    )


def effects(parts, data, **values):
    """What subjects add to intercept and slope, and texts, at values of the variables."""
    mean, slope, text = parts(values)
    scale = data.y_scale[1]
    b = slope / scale * data.x_scale[1] - values["slope_standardised"]
    text = text / scale
    rest = mean - values["intercept_standardised"] - text[data.text]
    rest = rest - (values["slope_standardised"] + b[data.subject]) * data.x
    a = np.array([rest[data.subject == s].mean() for s in range(len(b))])
    np.testing.assert_allclose(rest, a[data.subject], atol=1e-10)
    return a, b, text


def test_the_density_over_shared_texts_is_that_of_scipy(shared):
    """Effects move along coordinates of their own: each adds the log of its step to the density."""
    built = model.build(shared, "response", "predictor")
    data = repeated(shared, "response", "predictor", "subject", "text")
    assert data.texts_are == "shared by subjects"
    random, raws = np.random.default_rng(1), ("intercept_raw", "slope_raw", "text_raw")
    sds = ("sigma", "intercept_sd", "slope_sd", "text_sd")
    with without_compiler():
        log, parts = built.compile_logp(mode="FAST_COMPILE", jacobian=False), parts_of_mean(built)
        for _ in range(3):
            values = {"intercept_standardised": random.normal(), "slope_standardised": 0.3}
            values |= {f"{name}_log__": np.log(random.uniform(0.3, 2)) for name in sds}
            values |= {name: random.normal(size=5 if "text" in name else 6) for name in raws}
            values = {name: np.asarray(v) for name, v in values.items()}
            a, b, text = effects(parts, data, **values)
            steps = [
                effects(parts, data, **values | {name: values[name] + 1})[k] - (a, b, text)[k]
                for k, name in enumerate(raws)
            ]
            steps[2] = np.abs(rotated(data.y, data.x, data.text)["text_axes"].T @ steps[2])
            sigma, a_sd, b_sd, text_sd = (np.exp(values[f"{name}_log__"]) for name in sds)
            alpha, beta = values["intercept_standardised"], values["slope_standardised"]
            mean = alpha + a[data.subject] + (beta + b[data.subject]) * data.x + text[data.text]
            expected = stats.norm.logpdf([alpha, beta]).sum()
            expected += stats.halfnorm.logpdf([sigma, a_sd, b_sd, text_sd]).sum()
            expected += stats.norm.logpdf(data.y, mean, sigma).sum()
            for effect, sd, step in zip((a, b, text), (a_sd, b_sd, text_sd), steps, strict=True):
                expected += stats.norm.logpdf(effect, 0, sd).sum() + np.log(step).sum()
            assert float(log(values)) == pytest.approx(expected, abs=1e-7)


def test_quadrature_over_texts_has_converged_and_is_less_certain(shared):
    data = repeated(shared, "response", "predictor", "subject", "text")
    # Both are coarser than the default of 32 points, and agree already.
    few, many = (slope_by_quadrature(data.y, data.x, data.subject, data.text, p) for p in (16, 20))
    assert few["mean"] == pytest.approx(many["mean"], abs=2e-3)
    assert few["sd"] == pytest.approx(many["sd"], rel=0.01)
    narrow = of_subject_slopes.by_quadrature(data.y, data.x, data.subject)
    assert few["sd"] > narrow["sd"]


def test_axes_of_texts_turn_what_texts_add_and_change_no_density(shared):
    data = repeated(shared, "response", "predictor", "subject", "text")
    axes = rotated(data.y, data.x, data.text)["text_axes"]
    np.testing.assert_allclose(axes.T @ axes, np.eye(5), atol=1e-12)
    x = np.array([data.x[data.text == t].mean() for t in range(5)])
    assert np.abs((x @ axes)[2:]).max() < 1e-12


def test_quadrature_has_converged(table):
    data = repeated(table, "time", "days", "subject", None)
    # Both are coarser than the default of 60 points, and agree already.
    few, many = (of_subject_slopes.by_quadrature(data.y, data.x, data.subject, p) for p in (28, 40))
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
            model.build(frame, outcome, "days", text=None)
    with pytest.raises(ValueError, match="no column 'story'"):
        model.build(table, "time", "days", text="story")
    with pytest.raises(ValueError, match="row 3, column 'text': missing"):
        model.build(table.assign(text=np.where(table.index == 3, None, "t")), "time", "days")
    assert model.simulate(3, rows=2, rng=1).sizes["row"] == 6
