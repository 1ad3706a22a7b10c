"""Performance functions against statsmodels and against refitting, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import xarray as xr

import betterthan as bt
from betterthan.exact import regression


def table(seed=0, n=35, p=6):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.uniform(0.2, 0.9, (n, p)), columns=[f"x{k}" for k in range(p)])
    frame.index = [f"student {k}" for k in range(n)]
    return frame.assign(gain=0.3 + 0.5 * frame["x0"] - 0.3 * frame["x1"] + random.normal(0, 0.1, n))


@pytest.fixture(scope="module")
def frame():
    return table()


@pytest.fixture(scope="module")
def function(frame):
    return bt.features.performance_function(frame, "gain")


def test_final_fit_is_that_of_statsmodels(frame, function):
    chosen = list(function.coefficients)
    reference = sm.OLS(frame["gain"], sm.add_constant(frame[chosen])).fit()
    assert function.intercept == pytest.approx(reference.params["const"])
    fit = function.fit
    for name in chosen:
        at = fit.sel(feature=name)
        assert at["coefficient"].item() == pytest.approx(reference.params[name])
        assert at["standard_error"].item() == pytest.approx(reference.bse[name])
        assert [at["lower"].item(), at["upper"].item()] == pytest.approx(
            reference.conf_int().loc[name].tolist()
        )
        ratio = frame[name].std() / frame["gain"].std()
        assert at["standardised"].item() == pytest.approx(reference.params[name] * ratio)
    assert fit["r2"].item() == pytest.approx(reference.rsquared)
    assert (
        not fit["chosen"].sel(feature=[f for f in fit["feature"].values if f not in chosen]).any()
    )


@pytest.mark.parametrize("unit", [1e-13, 1e13])
def test_the_unit_of_a_feature_does_not_matter(frame, function, unit):
    other = bt.features.performance_function(frame.assign(x0=frame["x0"] * unit), "gain")
    assert list(other.coefficients) == list(function.coefficients)
    assert other.fit["r2"].item() == pytest.approx(function.fit["r2"].item())


def test_press_identity_when_nothing_is_chosen(frame):
    fit = bt.features.performance_function(frame, "gain", direction="none").fit
    x = sm.add_constant(frame.drop(columns="gain"))
    press = sm.OLS(frame["gain"], x).fit().get_influence().ess_press
    sst = ((frame["gain"] - frame["gain"].mean()) ** 2).sum()
    assert fit["r2_held_out"].item() == pytest.approx(1 - press / sst, rel=1e-10)
    assert fit["r2_held_out_chosen"].item() == pytest.approx(1 - press / sst, rel=1e-10)
    assert fit["mse"].item() == pytest.approx(press / len(frame))


def test_every_measure_against_refits(frame, function):
    chosen, y = list(function.coefficients), frame["gain"]
    held, again, training = [], [], []
    for k in range(len(frame)):
        rest = frame.drop(index=frame.index[k])
        one = frame.iloc[[k]]
        fixed = sm.OLS(rest["gain"], sm.add_constant(rest[chosen])).fit()
        training.append(fixed.rsquared)
        held.append(fixed.predict(sm.add_constant(one[chosen], has_constant="add")).item())
        refit = bt.features.performance_function(rest, "gain", resamples=1)
        again.append(refit.predict(one).item())
    fit = function.fit
    np.testing.assert_allclose(fit["held_out"], held)
    np.testing.assert_allclose(fit["held_out_chosen"], again)
    sst = ((y - y.mean()) ** 2).sum()
    assert fit["r2_held_out_chosen"].item() == pytest.approx(1 - ((y - again) ** 2).sum() / sst)
    assert fit["r2_training"].item() == pytest.approx(np.mean(training))
    assert fit["r2_training_sd"].item() == pytest.approx(np.std(training, ddof=1))
    assert fit["mse_chosen"].item() == pytest.approx(((y - again) ** 2).mean())
    assert fit["mse_chosen_sd"].item() == pytest.approx(((y - again) ** 2).std())


def test_an_intercept_alone_explains_nothing_in_training_and_less_than_nothing_held_out():
    random = np.random.default_rng(11)
    frame = pd.DataFrame({"x": random.normal(size=35), "y": random.normal(size=35)})
    function = bt.features.performance_function(frame, "y")
    assert not function.coefficients
    assert function.fit["r2_training"].item() == pytest.approx(0, abs=1e-12)
    assert function.fit["r2_held_out"].item() == pytest.approx(1 - (35 / 34) ** 2)


def test_leaving_a_group_out(frame):
    students = frame.assign(class_=np.repeat(["a", "b", "c", "d", "e"], 7))
    fit = bt.features.performance_function(
        students, "gain", direction="none", leave_out="class_"
    ).fit
    for name in "abcde":
        inside = (students["class_"] == name).to_numpy()
        x = sm.add_constant(students.drop(columns=["gain", "class_"]))
        reference = sm.OLS(students["gain"][~inside], x[~inside]).fit()
        np.testing.assert_allclose(fit["held_out"].values[inside], reference.predict(x[inside]))
    groups = students["class_"].map("abcde".index).to_numpy()
    x = students.drop(columns=["gain", "class_"]).to_numpy()
    reference = regression.fit(x, students["gain"].to_numpy(), groups)
    np.testing.assert_allclose(fit["standard_error"], reference.errors[1:], rtol=1e-8)
    np.testing.assert_allclose(fit["upper"], reference.interval(0.95)[1][1:], rtol=1e-8)
    np.testing.assert_allclose(fit["df"], reference.freedom[1:])
    assert fit.attrs["errors"] == "clustered by class_, CR2"
    assert fit.attrs["left_out_by"] == "class_"
    assert fit.attrs["folds"] == 5


def test_path_tells_what_was_done(function):
    fit = function.fit
    assert fit["change"].values[0] == "start"
    assert sorted(c[2:] for c in fit["change"].values[1:]) == sorted(function.coefficients)
    assert (np.diff(fit["aic"]) < 0).all()
    for step in range(1, fit.sizes["step"]):
        name = str(fit["change"].values[step])[2:]
        assert fit["aic_after"].sel(feature=name)[step - 1].item() == pytest.approx(
            fit["aic"][step].item()
        )
    assert fit["aic_after"][-1].min().item() >= fit["aic"][-1].item()


def test_fit_survives_netcdf(function, tmp_path):
    function.fit.to_netcdf(tmp_path / "fit.nc", engine="h5netcdf")
    back = xr.load_dataset(tmp_path / "fit.nc", engine="h5netcdf")
    xr.testing.assert_equal(back, function.fit)


def test_dataarray_and_frame_agree(frame, function):
    x = frame.drop(columns="gain")
    array = xr.DataArray(x, dims=("dialogue", "feature"), attrs={"confusions": ["x0"]})
    response = xr.DataArray(frame["gain"], dims="dialogue")[::-1]  # joined by name, not by position
    found = bt.features.performance_function(array, response)
    assert found.coefficients == pytest.approx(function.coefficients)
    assert found.confusions == ("x0",)
    assert bt.features.performance_function(
        x, frame["gain"].sample(frac=1, random_state=1)
    ).coefficients == pytest.approx(function.coefficients)


def test_rows_with_gaps_are_counted_and_left_out(frame):
    holed = frame.astype(object).copy()
    holed.iloc[3, 0] = None
    holed.loc["student 5", "gain"] = ""
    fit = bt.features.performance_function(holed, "gain").fit
    assert (fit.attrs["n"], fit.attrs["n_dropped_response"], fit.attrs["n_dropped_feature"]) == (
        33,
        1,
        1,
    )
    rest = frame.drop(index=["student 3", "student 5"])
    assert fit["r2"].item() == pytest.approx(
        bt.features.performance_function(rest, "gain").fit["r2"].item()
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.assign(gain=0.5), "response 'gain' is 0.5 in all 35 dialogues"),
        (lambda f: f.assign(x2=1), "feature 'x2' is 1 in all 35 dialogues"),
        (lambda f: f.assign(x5=3 * f["x2"] - 1), "feature 'x5' is a copy of x2"),
        (lambda f: f.assign(x5=f["x2"] - f["x0"]), "feature 'x5' is a weighted sum of x0, x2"),
        (lambda f: f.assign(x5="high"), "column 'x5' holds 'high' in row 1, no number"),
        (lambda f: f.assign(x5=np.inf), "column 'x5' is infinite in row 1"),
        (lambda f: f.head(8), "8 dialogues are too few .* betterthan.models.performance_function"),
        (lambda f: f.head(2), "2 of 2 dialogues have a response"),
        (lambda f: f.assign(gain=2 * f["x3"]), "fit 'gain' perfectly"),
        (lambda f: f[["gain"]], "there are no features"),
        (lambda f: f.drop(columns="gain"), "there is no column 'gain'"),
        (lambda f: pd.concat([f, f["x0"]], axis=1), "feature 'x0' occurs more than once"),
        (lambda f: f.to_numpy(), "features are a ndarray; give a pandas.DataFrame"),
    ],
)
def test_bad_tables_are_refused_in_one_line(frame, change, words):
    with pytest.raises(ValueError, match=words) as caught:
        bt.features.performance_function(change(frame), "gain")
    assert "\n" not in str(caught.value)


def test_bad_arguments_are_refused(frame):
    for choice, words in (
        ({"direction": "up"}, "direction is 'up'"),
        ({"columns": ["x9"]}, "there is no feature 'x9'"),
        ({"columns": ["gain"]}, "'gain' is the response"),
        ({"leave_out": "nobody"}, "no column 'nobody' to group by"),
        ({"leave_out": ["a"] * 35}, "there are 1 groups"),
        ({"leave_out": ["a"]}, "groups name 1 rows"),
        ({"ci_prob": 2}, "ci_prob is 2"),
    ):
        with pytest.raises(ValueError, match=words):
            bt.features.performance_function(frame, "gain", **choice)
    x = frame.drop(columns="gain")
    with pytest.raises(ValueError, match="'student 0' is in one alone"):
        bt.features.performance_function(x, frame["gain"].drop("student 0"))
    with pytest.raises(ValueError, match="response has 3 numbers and features 35 rows"):
        bt.features.performance_function(x, [1.0, 2, 3])


def test_a_row_that_alone_determines_a_coefficient(frame):
    lonely = frame.assign(x5=(frame.index == "student 7").astype(float))
    with pytest.raises(ValueError, match="without 'student 7' a coefficient cannot be estimated"):
        bt.features.performance_function(lonely, "gain", direction="none")


def test_feature_sets_use_the_same_rows(frame):
    holed = frame.copy()
    holed.iloc[0, 5] = np.nan
    found = bt.features.compare(
        holed, "gain", {"good": ["x0", "x1"], "bad": ["x4", "x5"], "all": list(frame)[:6]}
    )
    assert found.attrs["n"] == 34
    alone = bt.features.performance_function(frame.iloc[1:], "gain", columns=["x0", "x1"])
    for name in ("r2_training", "r2_training_sd", "r2_held_out", "mse", "mse_sd", "mse_chosen"):
        assert found[name].sel(feature_set="good").item() == pytest.approx(alone.fit[name].item())
    assert found["formula"].sel(feature_set="good").item() == str(alone)
    assert (
        found["r2_training"].sel(feature_set="bad").item()
        < found["r2_training"].sel(feature_set="good").item()
    )
    with pytest.raises(ValueError, match="feature set 'none': there are no features"):
        bt.features.compare(frame, "gain", {"none": [], "good": ["x0"]})
    with pytest.raises(ValueError, match="there are no feature sets"):
        bt.features.compare(frame, "gain", {})
    with pytest.raises(ValueError, match="sets is a list; give a mapping from names of sets"):
        bt.features.compare(frame, "gain", ["x0"])
    assert found.attrs["answer"] == "feature_sets"
    assert found.attrs["version"] == bt.__version__


def test_a_response_of_one_column_is_joined_by_its_index(frame):
    features, gain = frame.drop(columns="gain"), frame["gain"].sample(frac=1, random_state=1)
    same = bt.features.performance_function(features, gain, rng=1).fit
    xr.testing.assert_identical(
        bt.features.performance_function(features, gain.to_frame(), rng=1).fit, same
    )
    with pytest.raises(ValueError, match="response is a table with the columns gain, other; give"):
        bt.features.performance_function(features, gain.to_frame().assign(other=1.0))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.to_timedelta(np.arange(35.0), unit="s"), "'time' holds durations; give seconds"),
        (pd.date_range("2026-01-01", periods=35), "'time' holds dates; give numbers"),
    ],
)
def test_dates_and_durations_are_no_numbers(frame, column, message):
    times = frame.assign(time=column)
    times.loc["student 3", "time"] = pd.NaT
    with pytest.raises(ValueError, match=message):
        bt.features.performance_function(times, "gain")
    with pytest.raises(ValueError, match=message.replace("'time'", "x")):
        bt.people.correlation(times["time"], times["gain"])


def test_a_near_copy_of_a_feature_is_refused_before_it_is_left_out(frame):
    noise = np.random.default_rng(0).normal(0, 1e-5, len(frame))
    near = frame.assign(near=frame["x0"] + noise)
    with pytest.raises(ValueError, match="feature 'near' is nearly a copy of x0"):
        bt.features.performance_function(near, "gain", direction="none")


def test_columns_that_are_numbers_are_features_by_their_names():
    random = np.random.default_rng(1)
    x = pd.DataFrame(random.normal(size=(40, 2)))
    function = bt.features.performance_function(x, x[0] + random.normal(0, 1, 40))
    assert float(function.predict(x.iloc[0])) == float(function.predict(x)[0])
