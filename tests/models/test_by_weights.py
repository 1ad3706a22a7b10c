"""Draws by weights: the density is the model's own, draws are those of NUTS, and where weights
cannot be trusted it says so.
"""

import warnings
from functools import partial

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.judgments import judgment_rows
from betterthan.counts.successes import trials_of
from betterthan.exact.laplace import nested
from betterthan.models import (
    by_weights,
    davidson,
    item_response,
    items_by_weights,
    judgments_by_weights,
    shrinkage,
)
from betterthan.models.sampling import Sampling
from betterthan.posterior.gate import diagnose

FEW = Sampling(draws=3, chains=2)
ITEMS = {
    "plain": ({"systems": 3}, {}),
    "missing": ({"systems": 3}, {}),
    "trials": ({"systems": 3, "trials": 3}, {}),
    "slopes": ({"systems": 4}, {"discrimination": True, "nodes": 31}),
}
JUDGED = {
    "davidson": {},
    "rao_kupper": {"tie_model": "rao_kupper", "position": True},
    "judges": {"judges": True, "position": True},
    "judges alone": {"judges": True, "tie_model": "rao_kupper"},
}


def holes(data):
    """The same without some cells."""
    gone = np.random.default_rng(1).random(data["trials"].shape) < 0.2
    return data.assign({k: data[k].where(~gone, 0) for k in ("successes", "trials")})


def widths(posterior, won, tried):
    """Of the coordinates on which NUTS moves: log of their Jacobian."""
    information = shrinkage._normal_approximation(won, tried, shrinkage._DISCOUNT)[0]
    sd = posterior["ability_sd"].values.ravel()
    return -0.5 * np.log(1 / sd[:, None] ** 2 + information).sum(1), sd


def of_spread(v, sd):
    """Log density of log ability_sd, less that of its standard normal coordinate."""
    law = stats.gamma(shrinkage.SHAPE, scale=1 / shrinkage.RATE)
    return law.logpdf(sd) + np.log(sd) + v**2 / 2


@pytest.mark.sampled
@pytest.mark.parametrize("form", ITEMS)
def test_the_density_of_items_is_that_of_the_model(form, density):
    shape, choices = ITEMS[form]
    data = item_response.simulate(12, **shape, rng=5)
    data = holes(data) if form == "missing" else data
    successes, trials, *_ = trials_of(data)
    kind = item_response._kind(trials, bool(choices))
    nodes = item_response._node_count(trials, choices.get("nodes"), bool(choices))
    posterior = items_by_weights.build_posterior(kind, successes, trials, nodes)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
    tree = item_response.fit(data, **choices, sampling=FEW, rng=1, predictive=False)
    told = tree["posterior"].to_dataset()
    own = posterior.log(found.v, found.x)
    jacobian, sd = widths(told, successes.sum(0), trials.sum(0))
    assert sd == pytest.approx(items_by_weights._SD(found.v[:, 0]))
    own += jacobian + of_spread(found.v[:, 0], sd)
    raw = told["ability_raw"].values.reshape(-1, shape["systems"])
    information, pull = shrinkage._normal_approximation(
        successes.sum(0), trials.sum(0), shrinkage._DISCOUNT
    )
    width = 1 / np.sqrt(1 / sd[:, None] ** 2 + information)
    free = (raw * width + width**2 * pull).mean(1)
    own += stats.norm(0, sd / np.sqrt(raw.shape[1])).logpdf(free)
    if kind == "repeated":
        rho, v = told["trial_correlation"].values.ravel(), found.x[:, -1]
        own += stats.beta(*items_by_weights.TRIALS).logpdf(rho) + np.log(rho * (1 - rho)) + v**2 / 2
    if kind == "discrimination":
        wide, v = told["discrimination_sd"].values.ravel(), found.x[:, -1]
        law = stats.halfnorm(scale=items_by_weights.DISCRIMINATION)
        own += law.logpdf(wide) + np.log(wide) + v**2 / 2
    apart = density(item_response.build(data, **choices), told) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
@pytest.mark.parametrize("form", JUDGED)
def test_the_density_of_judgments_is_that_of_the_model(form, density):
    choices = {"tie_model": "davidson", "position": False, "judges": False} | JUDGED[form]
    shape = {k: choices[k] for k in ("tie_model", "position")}
    data = davidson.simulate(3, judgments=40, judges=2 * choices["judges"], **shape, rng=3)
    among = {k: choices[k] for k in ("position", "judges")}
    rows = judgment_rows(data, **among)
    posterior = judgments_by_weights.build_posterior(rows, choices["tie_model"], **among)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
    told = davidson.fit(data, **choices, sampling=FEW, rng=1, predictive=False)["posterior"]
    told = told.to_dataset()
    jacobian, sd = widths(told, *davidson._won(rows))
    own = posterior.log(found.v, found.x) + jacobian + of_spread(found.v[:, 0], sd)
    if choices["judges"]:
        seen = davidson._judge_counts(rows)
        kinds = {"judge_tie": "tied", "judge_position": "first"}
        for name, key in kinds.items():
            if f"{name}_sd" in told:
                information = shrinkage._normal_approximation(seen[key], seen["tried"], 1.0)[0]
                wide = told[f"{name}_sd"].values.reshape(-1, 1)
                own -= 0.5 * np.log(1 / wide**2 + information).sum(1)
    apart = density(davidson.build(data, **choices), told) - own
    assert np.ptp(apart) < 1e-9, apart


@pytest.mark.sampled
def test_items_by_weights_are_as_by_nuts(roads_agree):
    data = item_response.simulate(60, systems=5, trials=2, rng=4)
    trees = roads_agree(partial(item_response.fit, data))
    better = [bt.fits.compare(tree)["prob_better"].values for tree in trees]
    assert np.abs(better[0] - better[1]).max() < 0.04


def test_a_tree_by_weights_is_whole():
    data = item_response.simulate(30, systems=3, rng=1)
    by_nuts = {"sample_stats"}
    groups = {"posterior", "observed_data", "constant_data", "prior", "prior_predictive"}
    groups |= {"posterior_predictive", "log_likelihood", "log_prior"}
    few = Sampling(draws=50)
    tree = item_response.fit(data, rng=1, sampling=few)
    assert set(tree.children) == groups
    assert tree["log_likelihood"]["y"].sizes == {"chain": 4, "draw": 50, "item": 30}
    same = item_response.fit(data, rng=1, sampling=few)
    xr.testing.assert_identical(tree["posterior"].to_dataset(), same["posterior"].to_dataset())
    assert not by_nuts & set(tree.children)


class FarTails:
    """A likelihood that rises far from where it is largest near by."""

    def __init__(self, likelihood):
        self.likelihood = likelihood

    def log(self, x):
        return self.likelihood.log(x) + np.clip(4 * np.abs(x[:, 0] - 0.1), 3, 12) - 3

    def curved(self, x):
        return self.likelihood.curved(x)


@pytest.fixture
def heavy(monkeypatch):
    made = judgments_by_weights.build_posterior

    def far_tailed(*arguments, **choices):
        found = made(*arguments, **choices)
        return nested.Posterior(found.prior, FarTails(found.likelihood))

    monkeypatch.setattr(judgments_by_weights, "build_posterior", far_tailed)


@pytest.mark.usefixtures("heavy")
def test_weights_that_cannot_be_trusted_go_to_nuts(no_nuts):
    data = davidson.simulate(3, judgments=200, rng=1)
    with pytest.raises(ValueError, match=r"k-hat is .*, above 0\.7; give sampler='nuts'") as caught:
        davidson.fit(data, sampler="laplace", rng=1, predictive=False)
    assert "\n" not in str(caught.value)
    with (
        pytest.warns(UserWarning, match="sampled by NUTS, as weights are not to be trusted"),
        pytest.raises(no_nuts),
    ):
        davidson.fit(data, rng=1, predictive=False)


def test_nuts_by_choice(no_nuts):
    with pytest.raises(no_nuts):
        davidson.fit(davidson.simulate(2, judgments=20, rng=1), sampler="nuts")
    with pytest.raises(ValueError, match="sampler is 'mcmc'"):
        davidson.fit(davidson.simulate(2, judgments=20, rng=1), sampler="mcmc")


def table(rows):
    systems = [f"s{k}" for k in range(len(rows[0]))]
    return xr.DataArray(np.array(rows, float), dims=("item", "system"), coords={"system": systems})


CORNERS = {
    "one item": [[1, 0]],
    "two items": [[1, 1, 0], [1, 0, 0]],
    "all right and all wrong": [[1, 0, k % 2, k % 3 == 0] for k in range(40)],
    "all right": [[1, 1]] * 30,
    "few items, many systems": [
        [(i + s * s) % 7 < 1 + i % 5 for s in range(30)] for i in range(20)
    ],
    "missing": [
        [np.nan if (i + s) % 4 == 0 else (i * s) % 3 > 0 for s in range(6)] for i in range(30)
    ],
}


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("corner", CORNERS)
def test_corners_of_items_are_within_reach(corner):
    tree = item_response.fit(table(CORNERS[corner]), rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert all(np.isfinite(v.values).all() for v in posterior.data_vars.values())
    assert np.abs(posterior["ability"].sum("system")).max() < 1e-9


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize(
    "counts",
    [
        {("A", "B"): (1, 0, 0)},
        {("A", "B"): (30, 0, 0), ("B", "C"): (25, 0, 3), ("A", "C"): (40, 0, 0)},
        {("A", "B"): (0, 0, 50)},
        {("A", "B"): (50_000, 48_000, 3_000), ("B", "C"): (1, 2, 3)},
    ],
    ids=["one judgment", "all won and all lost", "ties alone", "many"],
)
@pytest.mark.parametrize("tie_model", ["davidson", "rao_kupper"])
def test_corners_of_judgments_are_within_reach(counts, tie_model):
    data = bt.counts.from_table(counts).assign_attrs(unit="judgment")
    tree = davidson.fit(data, tie_model=tie_model, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7


def test_what_a_fit_says_of_its_weights():
    data = item_response.simulate(40, systems=3, rng=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = item_response.fit(data, rng=1, predictive=False)
        found = bt.fits.compare(tree)
    attrs = tree["posterior"].attrs
    assert attrs["sampler"] == "laplace"
    assert attrs["weights_ess"] > 3900
    assert found.attrs["pareto_k"] == attrs["pareto_k"]
    assert "rhat_max" not in found.attrs
    assert found.attrs["ess_min"] == min(attrs["weights_ess"], 4000)
    few = diagnose(tree.isel(draw=slice(0, 40)))
    assert few.ess_min == 160
    assert "are worth 160 of equal weight, below 400" in few.failures[0]
    tree["posterior"].attrs["pareto_k"] = 0.9
    told = diagnose(tree)
    assert not told.passed
    assert "k-hat of the weights is 0.90" in told.failures[0]
    with pytest.warns(UserWarning, match="no verdict: k-hat"):
        assert (bt.fits.compare(tree)["verdict"].values == "no_verdict").sum() == 6


@pytest.mark.parametrize("sampler", [None, "laplace", "nuts"])
def test_what_says_how_to_sample_is_one_clear_line(sampler):
    data = davidson.simulate(2, judgments=20, rng=1)
    with pytest.raises(ValueError, match=r"sampling is dict; give betterthan.models.Sampling\("):
        davidson.fit(data, sampler=sampler, sampling={"draws": 50}, rng=1)
