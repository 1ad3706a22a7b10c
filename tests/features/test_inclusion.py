"""How often a feature is chosen again tells noise from what predicts."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.exact import regression


def table(seed, n=100, features=12, slope=0.0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, features))
    y = slope * x[:, 0] + random.normal(size=n)
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(features)]).assign(y=y)


def of(frame, rng=1, **choice):
    return bt.features.performance_function(frame, "y", rng=rng, **choice).fit


@pytest.fixture(scope="module")
def noise():
    fits = [of(table(seed)) for seed in range(40)]
    chosen = np.concatenate([fit["chosen"].values for fit in fits])
    return chosen, np.concatenate([fit["inclusion"].values for fit in fits])


def test_chosen_noise_is_not_stable(noise):
    """.83 of it was chosen in 9 of 10 folds, which differ by one row in a hundred."""
    chosen, inclusion = noise
    assert chosen.sum() > 50
    assert (inclusion[chosen] >= 0.9).mean() < 0.15
    assert 0.5 < inclusion[chosen].mean() < 0.75  # what the report says of noise
    assert 0.2 < inclusion[~chosen].mean() < 0.4


def test_what_predicts_is_chosen_nearly_always():
    found = [float(of(table(seed, slope=0.6))["inclusion"][0]) for seed in range(5)]
    assert min(found) > 0.95


def test_frequencies_are_those_of_samples_fitted_one_by_one():
    frame = table(3, n=18, features=4).assign(of=np.repeat(np.arange(9), 2))
    found = of(frame, leave_out="of", resamples=40, rng=7)
    random = np.random.default_rng(7)
    chosen = []
    for times in random.multinomial(9, np.full(9, 1 / 9), size=40):
        rows = np.repeat(np.arange(18), times[frame["of"]])
        distinct = np.array([len(set(rows))])
        x = frame[[f"x{k}" for k in range(4)]].to_numpy()[rows]
        products, sizes = regression.cross_products(x, frame["y"].to_numpy()[rows])
        how = {"add": True, "drop": True, "everything": False, "distinct": distinct}
        chosen.append(regression.search(products, sizes, **how).inside[0])
    np.testing.assert_allclose(found["inclusion"], np.mean(chosen, axis=0))
    assert (found.attrs["seed"], found.attrs["resamples"]) == (7, 40)


def test_more_features_than_different_rows_are_never_chosen():
    x, y = np.random.default_rng(5).normal(size=(6, 5)), np.arange(6.0)
    times = np.array([[3, 3, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 0]])
    products, sizes, distinct = regression.resampled(x, y, np.arange(6), times)
    how = {"add": True, "drop": True, "everything": False}
    found = regression.search(products, sizes, distinct=distinct, **how)
    assert distinct.tolist() == [2, 6, 5]
    assert (found.inside.sum(1) <= [0, 3, 2]).all()


def test_without_a_choice_all_are_in(noise):
    assert (of(table(1), direction="none")["inclusion"] == 1).all()


def test_the_report_says_what_noise_has():
    function = bt.features.performance_function(table(1), "y", rng=3)
    text = bt.report(function)
    inclusion = "Inclusion: the proportion of 500 bootstrap samples in which a feature is chosen."
    assert inclusion in text
    assert "resamples=500 seed=3" in text
    assert "share of folds" not in text
    with pytest.raises(ValueError, match="resamples is 0"):
        bt.features.performance_function(table(1), "y", resamples=0)
