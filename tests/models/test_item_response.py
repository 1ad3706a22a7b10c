"""Abilities on shared items: the integral against plain sums, a grid, a published test and the
truth.
"""

import tomllib
import warnings
from functools import partial
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import integrate, special, stats

import betterthan as bt
from betterthan.exact.wins import rasch
from betterthan.models import item_response as model
from betterthan.posterior.from_draws import diagnose
from validation import distances, of_item_response

TABLE = tomllib.loads(
    (Path(__file__).parents[2] / "models" / "item_response" / "reference.toml").read_text("utf-8")
)


@pytest.fixture(scope="module")
def data():
    return model.simulate(80, systems=6, rng=7)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data, sampler="nuts", rng=1)


def log_rows(kind, y, trials, ability, mean, spread, more, nodes=61):
    """The log probability of each item's row, as the model computes it."""
    import pytensor.tensor as pt

    of_items = model._log_probability(kind, trials, *rasch.nodes(nodes))
    values = [pt.as_tensor(np.atleast_1d(float(v))) for v in (mean, spread, more)]
    return of_items(pt.as_tensor(y), trials, pt.as_tensor(ability[None]), *values).eval(
        mode="FAST_COMPILE"
    )


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert diagnose(tree).passed, diagnose(tree).failures
    assert tree["posterior"].attrs["quadrature_error"] < 1e-6
    assert tree["log_likelihood"]["y"].sizes["item"] == 80
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    again = tree["posterior_predictive"]["y"]
    assert set(np.unique(again)) == {0, 1}


@pytest.mark.sampled
def test_truth_is_within_reach(tree, data):
    posterior = tree["posterior"].to_dataset()
    for name in ("ability", "mean", "difficulty_sd"):
        z = (posterior[name].mean(("chain", "draw")) - data[name]) / posterior[name].std(
            ("chain", "draw")
        )
        assert float(np.abs(z).max()) < 4, name
    solved = data["successes"].mean("item").values
    assert posterior["expected_score"].mean(("chain", "draw")).values == pytest.approx(
        solved, abs=0.05
    )


@pytest.mark.sampled
def test_draws_by_weights_are_as_by_nuts(tree, data, roads_agree):
    trees = roads_agree(partial(model.fit, data), tree)
    better = [bt.fits.compare(tree)["prob_better"].values for tree in trees]
    assert np.abs(better[0] - better[1]).max() < 0.04


def test_the_integral_is_the_integral(data):
    """One item at a time, against adaptive quadrature."""
    random = np.random.default_rng(1)
    ability, mean, spread = random.normal(size=6), 0.4, 1.7
    y, trials = data["successes"].values[:5], data["trials"].values[:5]
    found = log_rows("rasch", y, trials, ability, mean, spread, 0.0)
    for row, log in zip(y, found, strict=True):

        def density(b, row=row):
            eta = mean + ability - b
            return np.exp(row @ eta - np.log1p(np.exp(eta)).sum()) * stats.norm.pdf(b, 0, spread)

        assert log == pytest.approx(
            np.log(integrate.quad(density, -20, 20, epsabs=1e-14)[0]), abs=1e-8
        )


def test_repeated_trials_are_beta_binomial():
    ability, mean, spread, rho = np.array([0.3, -0.3]), 0.2, 1.1, 0.25
    y, trials = np.array([[3, 1], [0, 4], [2, 0]]), np.array([[4, 4], [4, 4], [4, 0]])
    found = log_rows("repeated", y, trials, ability, mean, spread, rho, nodes=121)
    kappa = 1 / rho - 1
    for row, n, log in zip(y, trials, found, strict=True):

        def density(b, row=row, n=n):
            p = special.expit(mean + ability - b)
            parts = special.betaln(kappa * p + row, kappa * (1 - p) + n - row)
            return np.exp(
                (parts - special.betaln(kappa * p, kappa * (1 - p))).sum()
            ) * stats.norm.pdf(b, 0, spread)

        assert log == pytest.approx(
            np.log(integrate.quad(density, -12, 12, epsabs=1e-14)[0]), abs=1e-7
        )


def test_equal_discriminations_are_the_rasch_model(data):
    ability = np.linspace(-1, 1, 6)
    y, trials = data["successes"].values, data["trials"].values
    both = [
        log_rows(kind, y, trials, ability, 0.1, 1.3, 1e-9) for kind in ("rasch", "discrimination")
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-6)


def test_missing_scores_are_left_out(data):
    ability = np.linspace(-1, 1, 6)
    y, trials = data["successes"].values.copy(), data["trials"].values.copy()
    y[:, 5], trials[:, 5] = 0, 0
    without = log_rows("rasch", y[:, :5], trials[:, :5], ability[:5], 0.1, 1.3, 0.0)
    assert log_rows("rasch", y, trials, ability, 0.1, 1.3, 0.0) == pytest.approx(without, abs=1e-9)


def test_five_questions_agree_with_print():
    published = of_item_response.published(TABLE["table"])
    assert published["error_of_log_likelihood"] < 0.001
    assert published["max_error_of_parameters"] < 0.001


def test_two_systems_by_weights_agree_with_a_grid():
    data = model.simulate(40, systems=2, rng=3)
    tree = model.fit(data, sampler="laplace", rng=3, predictive=False)
    exact = of_item_response.two_systems(data["successes"].values)
    ability = distances.drawn(tree, "ability").isel(system=0)
    row = distances.from_weights(ability, exact)
    assert max(row[k] for k in ("abs_z_mean", "abs_z_sd", "abs_z_positive")) < 4


def test_difficulty_is_the_random_side(data):
    """Rasch: of two systems the share of wins among decisive items does not depend on the items."""
    y = data["successes"].values
    wins, losses = ((y[:, 0] > y[:, 1]).sum(), (y[:, 0] < y[:, 1]).sum())
    tree = model.fit(data.isel(system=[0, 1]), rng=1, predictive=False)
    found = bt.fits.compare(tree)["prob_better"].values[0, 1]
    closed = stats.beta(1 + wins, 1 + losses).sf(0.5)
    assert abs(found - closed) < 0.06  # drawn to each other a little


def test_nodes():
    for count in (61, 200):
        x, log = rasch.nodes(count)
        assert np.exp(log) @ x**4 == pytest.approx(3, rel=1e-5)
    assert rasch.nodes_needed(np.ones((500, 134), dtype=int)) > rasch.nodes_needed(
        np.ones((20, 2), dtype=int)
    )


def test_scores_with_epochs_are_trials():
    cells = {
        "item": ["q1", "q1", "q2", "q2"],
        "epoch": [1, 2, 1, 2],
        "A": [1, 0, 1, 1],
        "B": [0, 0, 1, 0],
    }
    frame = pd.DataFrame(cells)
    found = bt.counts.trials(bt.read(frame))
    assert found["successes"].values.tolist() == [[1, 0], [2, 1]]
    assert found["trials"].values.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0.5, 1], [0, 1]], "a score is 0.5; successes are 0 or 1"),
        ([[1, np.nan], [0, np.nan], [np.nan, 1]], "shares no item with the other systems"),
    ],
)
def test_bad_scores(values, message):
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    with pytest.raises(ValueError, match=message):
        model.build(scores)


def test_bad_trials(data):
    with pytest.raises(ValueError, match="2 successes of 1 trials on item 'i0'"):
        model.build(data.assign(successes=data["successes"] + 2 - data["successes"]))
    with pytest.raises(ValueError, match="discrimination=True is for one trial"):
        model.build(model.simulate(10, trials=3, rng=1), discrimination=True)
    with pytest.raises(ValueError, match="expected successes and trials"):
        model.build(data.drop_vars("trials"))
