"""The regression on component scores against quadrature, scipy and the truth; ordinal outcomes and
groups.
"""

import warnings

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import betterthan as bt
from betterthan.models import performance_function as model
from betterthan.models.sampling import Sampling, without_compiler
from betterthan.posterior.from_draws import diagnose
from validation import of_performance_function

GROUPS = {
    "posterior",
    "sample_stats",
    "observed_data",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
}


@pytest.fixture
def frame(regression_frame):
    return regression_frame


@pytest.fixture(scope="module")
def trees(regression_frame):
    """A fit, and the same again, without predictions: it compiles nothing."""

    def fit(rng, **more):
        how = {"sampling": Sampling(draws=500), "rng": rng}
        return model.fit(regression_frame, "gain", **how, **more)

    return fit(7), fit(np.int64(7), predictive=False)


@pytest.fixture
def tree(trees):
    return trees[0]


@pytest.fixture(scope="module")
def ratings():
    """Ratings 1 to 4 of 60 dialogues by 10 users."""
    data = model.simulate(60, features=2, groups=10, levels=4, rng=5)
    return pd.DataFrame(data["features"].values, columns=["f", "words"]).assign(
        rating=1 + data["response"].values, user=[f"u{k}" for k in data["group_of"].values]
    )


@pytest.fixture(scope="module")
def ordinal(ratings):
    return model.fit(ratings, "rating", by="user", ordinal=True, rng=7)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert set(tree.children) >= GROUPS
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    attrs = tree["posterior"].attrs
    assert attrs["inference_library"] == "nutpie"
    assert {"model", "prior", "seed", "versions", "response", "n", "feature_low"} <= set(attrs)
    assert "created_at" not in attrs
    assert tree["posterior"]["coefficient"].dims == ("chain", "draw", "feature")
    sensitive(tree)


@pytest.mark.sampled
def test_fit_agrees_with_quadrature(tree, frame):
    z = ((frame - frame.mean()) / frame.std()).to_numpy()
    exact = of_performance_function.by_quadrature(z[:, :2], z[:, 2])
    beta = tree["posterior"]["standardised"]
    for name, found, error in (
        ("mean", beta.mean(("chain", "draw")), az.mcse(beta, method="mean")),
        ("sd", beta.std(("chain", "draw")), az.mcse(beta, method="sd")),
    ):
        assert (np.abs(found.values - exact[name]) < 4.5 * error.values).all()
    above = (beta > 0).mean(("chain", "draw")).values
    assert (
        np.abs(above - exact["positive"])
        < 4.5 * np.sqrt(exact["positive"] * (1 - exact["positive"]) / 800) + 1e-3
    ).all()


def test_quadrature_is_that_of_draws_from_the_prior():
    """The road of quadrature itself, against importance sampling."""
    random = np.random.default_rng(3)
    x, y = random.normal(size=(6, 2)), np.array([1.2, -0.3, 0.4, -1.5, 0.9, -0.7])
    exact = of_performance_function.by_quadrature(x, y)
    n = 400_000
    sigma, r2, share = abs(random.normal(size=n)), random.random(n), random.random(n)
    width = sigma * np.sqrt(r2 / (1 - r2))
    beta = random.normal(size=(n, 2)) * width[:, None] * np.sqrt(np.stack([share, 1 - share], 1))
    log = stats.norm.logpdf(y, random.normal(size=(n, 1)) + beta @ x.T, sigma[:, None]).sum(1)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    effective = 1 / (weight**2).sum()
    mean = weight @ beta
    sd = np.sqrt(weight @ beta**2 - mean**2)
    assert (np.abs(mean - exact["mean"]) < 5 * sd / np.sqrt(effective)).all()
    np.testing.assert_allclose(sd, exact["sd"], rtol=0.1)


@pytest.mark.sampled
def test_units_of_the_data_come_back(tree, frame):
    posterior = tree["posterior"].to_dataset()
    scale = frame[["f", "words"]].std().to_numpy()
    np.testing.assert_allclose(
        posterior["coefficient"],
        posterior["standardised"] * frame["gain"].std() / scale,
        rtol=1e-10,
    )
    at_mean = posterior["intercept"] + (
        posterior["coefficient"] * frame[["f", "words"]].mean().to_numpy()
    ).sum("feature")
    expected = frame["gain"].mean() + frame["gain"].std() * posterior["intercept_standardised"]
    np.testing.assert_allclose(at_mean, expected, rtol=1e-8)
    np.testing.assert_allclose(tree["observed_data"]["y"], frame["gain"])
    predicted = tree["posterior_predictive"]["y"]
    assert abs(float(predicted.mean()) - frame["gain"].mean()) < 0.1 * frame["gain"].std()


@pytest.mark.sampled
def test_same_seed_same_draws(trees):
    tree, again = trees
    np.testing.assert_array_equal(
        again["posterior"]["coefficient"].values, tree["posterior"]["coefficient"].values
    )


def test_rows_with_gaps_are_counted(frame, monkeypatch):
    holed = frame.copy()
    holed.loc[3, "gain"] = np.nan
    holed.loc[[5, 6], "f"] = np.nan
    monkeypatch.setattr(model, "fit_model", lambda built, attrs, sampling, **rest: (built, attrs))
    built, attrs = model.fit(holed, "gain")
    assert (attrs["n"], attrs["n_dropped_response"], attrs["n_dropped_feature"]) == (32, 1, 2)
    assert built["response"].get_value().shape == (32,)


@pytest.mark.sampled
def test_arviz_accepts_the_tree_and_compares_feature_sets(tree, frame):
    table = az.summary(tree, ci_prob=0.95, ci_kind="hdi", round_to="none")
    assert "coefficient[words]" in table.index
    az.plot_forest(tree, var_names=["standardised"], backend="none")
    noise = frame.assign(noise=np.random.default_rng(1).normal(size=len(frame)))
    other = model.fit(
        noise, "gain", columns=["words", "noise"], sampling=Sampling(draws=500), rng=7
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a single row may weigh much
        ranking = az.compare({"both": tree, "without f": other})
    assert set(ranking.index) == {"both", "without f"}


@pytest.mark.sampled
def test_tree_survives_netcdf(tree, tmp_path):
    tree.to_netcdf(tmp_path / "fit.nc", engine="h5netcdf")
    with az.from_netcdf(tmp_path / "fit.nc") as back:
        xr.testing.assert_equal(back["posterior"].to_dataset(), tree["posterior"].to_dataset())


def test_logp_is_that_of_scipy(frame):
    built = model.build(frame, "gain", columns=["f"])
    r2, raw, sigma, start = 0.4, 1.3, 0.7, 0.2
    x = stats.zscore(frame["f"], ddof=1)
    width = np.sqrt(r2 / (1 - r2))
    growth = np.sqrt(1 + 35 * width**2)
    beta = sigma * width * raw / growth
    expected = np.log(r2 * (1 - r2)) + stats.norm.logpdf(raw, 0, growth) + stats.norm.logpdf(start)
    expected += stats.halfnorm.logpdf(sigma) + np.log(sigma)
    mean, sd = frame["gain"].mean(), frame["gain"].std()
    expected += stats.norm.logpdf(frame["gain"], mean + sd * (start + beta * x), sd * sigma).sum()
    point = {
        "r2_logodds__": special.logit(r2),
        "raw": [raw],
        "sigma_log__": np.log(sigma),
        "intercept_standardised": start,
    }
    given = {v.name: np.asarray(point[v.name]) for v in built.value_vars}
    assert built.compile_logp(mode="FAST_COMPILE")(given) == pytest.approx(expected, rel=1e-7)


@pytest.mark.sampled
def test_ordinal_fit_passes_the_gate_and_knows_its_levels(ordinal, ratings):
    diagnosis = diagnose(ordinal)
    assert diagnosis.passed, diagnosis.failures
    assert ordinal["posterior"].attrs["levels"] == [1, 2, 3, 4]
    assert ordinal["posterior"]["cut"].values.tolist() == ["1|2", "2|3", "3|4"]
    assert (np.diff(ordinal["posterior"]["cutpoints"].values, axis=-1) > 0).all()
    assert ordinal["posterior"]["group_effect"].sizes["group"] == 10
    shares = ordinal["posterior_predictive"]["y"].values.reshape(-1)
    seen = np.bincount(shares.astype(int), minlength=4) / shares.size
    np.testing.assert_allclose(
        seen, ratings["rating"].value_counts(normalize=True).sort_index(), atol=0.08
    )


@pytest.mark.sampled
def test_ordinal_likelihood_is_that_of_the_formula(ordinal, ratings):
    posterior = ordinal["posterior"].to_dataset().isel(chain=1, draw=17)
    x = stats.zscore(ratings[["f", "words"]].to_numpy(), ddof=1)
    users = posterior["group"].values.tolist()
    effect = posterior["group_effect"].values[[users.index(u) for u in ratings["user"]]]
    eta = x @ posterior["standardised"].values + effect
    cuts = np.r_[-np.inf, posterior["cutpoints"].values, np.inf]
    level = ratings["rating"].to_numpy().astype(int) - 1
    expected = np.log(special.expit(cuts[level + 1] - eta) - special.expit(cuts[level] - eta))
    found = ordinal["log_likelihood"]["y"].isel(chain=1, draw=17).values
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.sampled
def test_ordinal_prediction_is_the_mean_over_users_and_levels(ordinal):
    rated = pd.DataFrame({"f": [0.5, -0.5], "words": [0.2, 0.2]}, index=["A", "B"])
    found = bt.features.predict(ordinal, rated)
    posterior = ordinal["posterior"].to_dataset().stack(sample=("chain", "draw"))
    random = np.random.default_rng(1)
    user = random.normal(size=(200, posterior.sizes["sample"])) * posterior["group_sd"].values
    x = rated.loc["A"].to_numpy()
    eta = (
        posterior["intercept"].values
        + x @ posterior["coefficient"].transpose("feature", "sample").values
        + user
    )
    above = special.expit(eta - posterior["cutpoints"].transpose("cut", "sample").values[:, None])
    simulated = 1 + above.sum(0).mean()
    assert found["predicted"].sel(system="A").item() == pytest.approx(simulated, abs=0.01)
    assert (found["lower"] > 1).all()
    assert (found["upper"] < 4).all()


def test_bad_arguments_are_refused(frame):
    for choice, words in (
        ({"prior_r2": (1, 0)}, "prior_r2 holds 0.0"),
        ({"prior_r2": (1, 1, 1)}, "prior_r2 has 3 numbers"),
        ({"ordinal": True}, "the response has 35 levels, more than 20"),
        ({"by": "class"}, "no column 'class' to group by"),
    ):
        with pytest.raises(ValueError, match=words):
            model.build(frame, "gain", **choice)
    for choice, words in (
        ({"n": 2}, "n is 2"),
        ({"n": 9, "features": 0}, "features is 0"),
        ({"n": 9, "levels": -1}, "levels"),
    ):
        with pytest.raises(ValueError, match=words):
            model.simulate(**choice)


def test_more_features_than_dialogues_and_copies_are_fine():
    random = np.random.default_rng(1)
    frame = pd.DataFrame(random.normal(size=(8, 10)), columns=[f"x{k}" for k in range(10)])
    built = model.build(frame.assign(x9=frame["x0"], y=frame["x1"] + 1), "y")
    with without_compiler():
        assert np.isfinite(built.compile_logp(mode="FAST_COMPILE")(built.initial_point()))


def test_components_outside_the_data_are_named_whatever_the_order_of_features():
    tree = bt.datasets.example_fit("performance_function").copy()
    posterior = tree["posterior"]
    features = [str(f) for f in posterior["feature"].values]
    low = posterior.attrs["feature_low"]
    inside = {
        f: (a + b) / 2
        for f, a, b in zip(features, low, posterior.attrs["feature_high"], strict=True)
    }
    beyond = inside | {features[0]: low[0] - 1}
    posterior.attrs["features"] = features  # as a fit records them
    for order in (features, features[::-1]):
        turned = tree.sel(feature=order)
        outside = bt.features.predict(turned, {"A": inside, "B": beyond})["outside"].values
        assert outside.tolist() == ["", features[0]]
