"""Runs of systems on items: the density against the item-response model, against quadrature and
against Beta-binomial probabilities; one fit against its truth.
"""

import tomllib
import warnings
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import integrate, special, stats

import betterthan as bt
from betterthan.exact.wins import rasch
from betterthan.models import item_response, repeated_trials, sampling
from betterthan.models import repeated as model
from betterthan.posterior.from_draws import diagnose
from validation import of_repeated

REFERENCE = Path(__file__).parents[2] / "models" / "repeated" / "reference.toml"


@pytest.fixture(scope="module")
def data():
    return model.simulate(40, systems=3, trials=(4, 2, 6), rng=3)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data, sampling=bt.models.Sampling(draws=500), rng=1)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, data, sensitive):
    assert diagnose(tree).passed, diagnose(tree).failures
    assert tree["log_likelihood"]["y"].sizes["item"] == 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    for group in ("prior_predictive", "posterior_predictive"):
        most = tree[group]["y"].max(("chain", "draw", "item")).values
        assert most.tolist() == [4, 2, 6]


@pytest.mark.sampled
def test_truth_is_within_reach(tree, data):
    posterior = tree["posterior"].to_dataset()
    for name in ("ability", "mean", "difficulty_sd", "trial_correlation"):
        z = (posterior[name].mean(("chain", "draw")) - data[name]) / posterior[name].std(
            ("chain", "draw")
        )
        assert float(np.abs(z).max()) < 4, name


@pytest.mark.sampled
def test_one_run_is_what_compare_answers(tree):
    one, compared = bt.fits.reliability(tree, k=1), bt.fits.compare(tree)
    assert one["runs"].values.tolist() == [4, 2, 6]
    both = one["reliability"].values[:, 0], compared["expected_score"].values
    assert both[0] == pytest.approx(both[1], abs=1e-12)
    for name in ("prob_better", "difference_mean", "difference_upper"):
        assert one[name].values[..., 0] == pytest.approx(compared[name].values, abs=1e-12)
    assert (one["verdict"].values[..., 0] == compared["verdict"].values).all()


def log_rows(y, trials, ability, mean, spread, correlation):
    """The log probability of each item's row, as the model computes it."""
    import pytensor.tensor as pt

    nodes = rasch.nodes(rasch.nodes_needed(trials))
    rows = repeated_trials.log_probability(trials, *nodes)
    values = [pt.as_tensor(np.array([float(v)])) for v in (mean, spread)]
    given = (ability[None], *values, np.asarray(correlation)[None])
    with sampling.without_compiler():
        return rows(pt.as_tensor(y), trials, *given).eval(mode="FAST_COMPILE")


def test_items_are_beta_binomial_given_their_difficulty():
    """Unequal runs, missing ones and a correlation for each system, by adaptive quadrature."""
    ability, mean, spread = np.array([0.3, -0.9, 0.6]), 0.2, 1.7
    y, trials = (
        np.array([[3, 1, 0], [0, 2, 6], [2, 0, 5]]),
        np.array([[4, 2, 0], [4, 2, 6], [4, 2, 6]]),
    )
    correlation = np.array([0.05, 0.6, 0.98])
    kappa = 1 / correlation - 1
    found = log_rows(y, trials, ability, mean, spread, correlation)
    for row, n, log in zip(y, trials, found, strict=True):

        def density(b, row=row, n=n):
            p = special.expit(mean + ability - b)
            orders = (
                special.gammaln(n + 1) - special.gammaln(row + 1) - special.gammaln(n - row + 1)
            )
            parts = stats.betabinom.logpmf(row, n, kappa * p, kappa * (1 - p)) - orders
            return np.exp(parts.sum()) * stats.norm.pdf(b, 0, spread)

        exact = integrate.quad(density, -15, 15, epsabs=1e-14, limit=200)[0]
        assert log == pytest.approx(np.log(exact), abs=1e-7)


@pytest.mark.parametrize("correlation", [0.003, 0.4, 0.995])
def test_equal_items_are_beta_binomial(correlation):
    y, p = np.arange(13)[:, None], special.expit(0.3)
    kappa = 1 / correlation - 1
    found = log_rows(y, np.full_like(y, 12), np.zeros(1), 0.3, 1e-9, [correlation])
    ways = special.gammaln(13) - special.gammaln(y + 1) - special.gammaln(13 - y)
    exact = stats.betabinom.logpmf(y, 12, kappa * p, kappa * (1 - p)) - ways
    assert found == pytest.approx(exact[:, 0], abs=1e-8)


def test_published_fit_is_reproduced():
    found = of_repeated.published(tomllib.loads(REFERENCE.read_text("utf-8"))["table"])
    assert found["error_of_log_likelihood"] < 0.05  # printed to one decimal
    assert max(found["relative_error_of_alpha"], found["relative_error_of_beta"]) < 5e-4


def test_one_correlation_for_all_is_the_item_response_model(data):
    """Log densities of all but the correlation, at points of the coordinates on which NUTS moves;
    and the sums over difficulties by which item_response draws without PyMC.
    """
    both = [m.build(data) for m in (item_response, model)]
    with sampling.without_compiler():
        logs = [m.compile_logp(mode="FAST_COMPILE", sum=False) for m in both]
    order = [str(v) for v in both[0].basic_RVs]
    start, random = both[1].initial_point(), np.random.default_rng(1)
    y, trials = data["successes"].values, data["trials"].values
    for logit in (-3.0, 0.4, 5.0):
        at = {k: v + random.normal(size=v.shape) for k, v in start.items()}
        points = (at | {"trial_correlation_logodds__": v} for v in (logit, np.full(3, logit)))
        one, three = (log(point) for log, point in zip(logs, points, strict=True))
        for name, expected, found in zip(order, one, three, strict=True):
            if name != "trial_correlation":
                assert found == pytest.approx(expected, abs=1e-10), name
        mean, spread = at["mean"], np.exp(at["difficulty_sd_log__"])
        ability, rho = np.array([0.7, -0.9, 0.2]), special.expit(logit)
        nodes = rasch.nodes_needed(trials)
        parameters = [ability, mean, spread, rho]
        weights = item_response.Weights("repeated", y, trials, nodes)
        sums = weights.log_likelihood(nodes, parameters)
        rows = log_rows(y, trials, ability, mean, spread, np.full(3, rho))
        assert rows.sum() == pytest.approx(sums, rel=1e-10)


def test_nodes_suffice():
    """Twice the nodes, from items all alike to items all apart."""
    import pytensor.tensor as pt

    random = np.random.default_rng(2)
    trials = np.full((30, 8), 5)
    y, few = random.integers(0, 6, size=trials.shape), rasch.nodes_needed(trials)
    ability = random.normal(size=(1, 8))
    for spread, correlation in ((0.2, 0.5), (1.5, 1e-4), (4.0, 0.02), (8.0, 0.7)):
        values = (np.array([0.3]), np.array([spread]), np.full((1, 8), correlation))
        with sampling.without_compiler():
            one, two = (
                repeated_trials.log_probability(trials, *rasch.nodes(count))(
                    pt.as_tensor(y), trials, ability, *values
                ).eval(mode="FAST_COMPILE")
                for count in (few, 2 * few)
            )
        assert np.abs(one - two).max() < 1e-3, (spread, correlation)


def test_simulate_is_repeatable_and_draws_from_the_prior():
    first, again = (model.simulate(5, systems=2000, trials=2, rng=1) for _ in range(2))
    xr.testing.assert_identical(first, again)
    rho = first["trial_correlation"].values
    assert rho.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 2000))
    assert first["ability"].values.std() == pytest.approx(first["ability_sd"].item(), rel=0.1)
    together = model.simulate(4000, systems=2, trials=2, rng=5)
    agree = (together["successes"] != 1).mean("item").values
    place = together["mean"].item() + together["ability"].values
    spread, rho = together["difficulty_sd"].values, together["trial_correlation"].values
    both = [
        rasch.all_succeed(side * place[None], spread[None], rho[None], [2])[0, 0]
        for side in (1, -1)
    ]
    assert agree == pytest.approx(sum(both), abs=0.03)


def test_scores_with_epochs_are_runs():
    cells = {"item": ["q1", "q1", "q2", "q2"], "epoch": [1, 2] * 2}
    scores = bt.read(pd.DataFrame(cells | {"A": [1, 0, 1, 1], "B": [0, 0, 1, 0]}))
    built = model.build(scores)
    assert built["successes"].get_value().tolist() == [[1, 0], [2, 1]]
    assert built.coords["system"] == ("A", "B")


def of_runs(successes, trials):
    cells = {"successes": successes, "trials": trials}
    return xr.Dataset(
        {k: (("item", "system"), np.array(v)) for k, v in cells.items()},
        {"item": [f"q{k}" for k in range(len(trials))], "system": ["A", "B"]},
    )


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (of_runs([[1, 0], [1, 1]], [[1, 1], [1, 1]]), "'A' ran at most once on each item"),
        (of_runs([[1, 0], [1, 1]], [[2, 1], [2, 1]]), "'B' ran at most once.*run each item twice"),
        (of_runs([[1, 0]], [[2, 2]]), "data have 1 item; give 2 or more"),
        (of_runs([[3, 0], [1, 1]], [[2, 2], [2, 2]]), "3 successes of 2 trials on item 'q0'"),
        (of_runs([[1, 0], [0, 1]], [[2, 0], [0, 2]]), "shares no item with the other systems"),
        ([[1, 0]], "data is a list; give scores"),
    ],
)
def test_data_that_are_refused(bad, message):
    for refuse in (model.build, model.fit):
        with pytest.raises(ValueError, match=message):
            refuse(bad)


def test_scores_that_are_not_0_or_1_are_refused():
    scores = xr.DataArray(
        [[0.5, 1], [0, 1]], dims=("item", "system"), coords={"system": ["A", "B"]}
    )
    with pytest.raises(ValueError, match=r"a score is 0\.5; successes are 0 or 1"):
        model.build(scores)


@pytest.mark.parametrize("trials", [1, (3,), (2, 2.5, 2)])
def test_numbers_of_runs_that_are_refused(trials):
    with pytest.raises(ValueError, match="trials"):
        model.simulate(5, trials=trials)
