"""Any learner behind the same nested R2: against refits by hand and closed forms."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


class LeastSquares:
    """Refitted in every fold; the package computes the same without refits."""

    def fit(self, x, y):
        self.weights = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y)[0]
        return self

    def predict(self, x):
        return np.column_stack([np.ones(len(x)), x]) @ self.weights


class Mean:
    def fit(self, x, y):
        self.mean = y.mean()

    def predict(self, x):
        return np.full((len(x), 1), self.mean)


class Remembers:
    """Knows every row that any fit has shown to it."""

    rows: dict

    def __init__(self):
        self.rows = {}

    def fit(self, x, y):
        self.rows |= {tuple(row): value for row, value in zip(x.tolist(), y, strict=True)}

    def predict(self, x):
        return np.array([self.rows.get(tuple(row), 0.0) for row in x.tolist()])


def table(n=24, seed=1, groups=None):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    frame["y"] = frame["a"] + random.normal(size=n)
    return frame if groups is None else frame.assign(of=np.arange(n) % groups)


def test_least_squares_is_the_regression_of_the_package():
    for frame, choice in ((table(), {}), (table(groups=6), {"leave_out": "of"})):
        learners = {"own": LeastSquares(), "package": "none"}
        found = bt.features.compare_learners(frame, "y", learners, columns=list("abc"), **choice)
        for name in ("r2_held_out", "r2_held_out_se", "mse", "mse_sd", "r2_training"):
            own, package = found[name].values
            assert own == pytest.approx(package), name
        assert found["p_value"].values[0, 1] == 1
        fit = bt.features.performance_function(
            frame, "y", columns=list("abc"), direction="none", **choice
        ).fit
        assert found["r2_held_out"].values[1] == pytest.approx(float(fit["r2_held_out_chosen"]))
        assert found["mse_sd"].values[1] == pytest.approx(float(fit["mse_chosen_sd"]))


def test_the_mean_of_the_others_has_a_known_r2():
    """Without a row the mean moves by the error over n - 1: R2 is 1 - (n / (n - 1))^2."""
    found = bt.features.compare_learners(table(20), "y", {"mean": Mean(), "AIC": "both"})
    assert found["r2_held_out"].sel(learner="mean").item() == pytest.approx(1 - (20 / 19) ** 2)
    assert found["r2_training"].sel(learner="mean").item() == pytest.approx(0)
    assert found["mse_difference"].sel(learner_a="AIC", learner_b="mean") < 0


def test_no_fold_sees_what_another_fit_was_shown():
    """A learner that remembers every row is perfect in training, and knows nothing else."""
    learner = Remembers()
    found = bt.features.compare_learners(table(), "y", {"memory": learner})
    assert found["r2_training"].item() == pytest.approx(1)
    assert (found["held_out"].values == 0).all()
    assert learner.rows == {}


def test_more_columns_than_rows_are_no_obstacle_to_a_learner_that_can():
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.normal(size=(8, 12))).rename(columns=str).assign(y=range(8))
    assert np.isfinite(bt.features.compare_learners(frame, "y", {"mean": Mean()})["mse"]).all()
    with pytest.raises(ValueError, match="8 dialogues are too few for least squares on 12"):
        bt.features.compare_learners(frame, "y", {"AIC": "both"})


def test_what_it_refuses_in_one_line():
    class Few(Mean):
        def predict(self, x):
            return np.zeros(len(x) + 1)

    class Missing(Mean):
        def predict(self, x):
            return np.full(len(x), np.nan)

    for learners, message in (
        ([Mean()], "learners are a list; give a mapping"),
        ({}, "there are no learners"),
        ({"a": "tree"}, "learner 'a' of learners is 'tree'; give an object with fit and predict"),
        ({"a": object()}, "learner 'a' of learners is a object; give an object with fit"),
        ({"a": Few()}, "learner 'a' predicts 2 values for 1 rows"),
        ({"a": Missing()}, "or some that are not finite; it must predict one number"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            bt.features.compare_learners(table(), "y", learners)
        assert "\n" not in str(caught.value)


def test_an_estimator_of_scikit_learn_with_its_own_search_is_nested():
    from sklearn.linear_model import LinearRegression, Ridge
    from sklearn.model_selection import GridSearchCV

    learners = {
        "linear": LinearRegression(),
        "none": "none",
        "ridge": GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3),
    }
    found = bt.features.compare_learners(table(), "y", learners)
    linear, package, ridge = found["r2_held_out"].values
    assert linear == pytest.approx(package)
    assert np.isfinite(ridge)


class Words(LeastSquares):
    def predict(self, x):
        return np.array(["good"] * len(x))


@pytest.mark.parametrize(
    ("learner", "message"), [(LeastSquares, "fit and predict"), (Words(), "one number")]
)
def test_a_class_and_words_are_refused(learner, message):
    frame = pd.DataFrame({"x": np.arange(8.0), "y": np.arange(8.0) ** 2})
    with pytest.raises(ValueError, match=message):
        bt.features.compare_learners(frame, "y", {"it": learner})


@pytest.mark.filterwarnings("error")
def test_a_response_that_is_the_same_in_all_training_rows_has_no_training_r2():
    frame = pd.DataFrame({"x": [1.0, 2, 4, 3], "y": [0.0, 0, 0, 1]})
    found = bt.features.compare_learners(frame, "y", {"it": LeastSquares()})
    assert np.isnan(found["r2_training"].item())
    assert np.isfinite(found["mse"].item())
