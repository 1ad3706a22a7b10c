"""Draws by weights: the density is the model's own, draws are those of NUTS, and where weights
cannot be trusted it says so.
"""

import warnings

import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

import betterthan as bt
from betterthan.counts.judgments import judgment_rows
from betterthan.counts.successes import trials_of
from betterthan.exact.laplace import nested, shares
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.models import (
    by_weights,
    clustered,
    clusters_by_weights,
    davidson,
    item_response,
    items_by_weights,
    judgments_by_weights,
    sampling,
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


def density(model, posterior):
    """Log density of a PyMC model at draws, in its own coordinates."""
    parameters = model.value_vars
    log = model.compile_fn(model.logp(), inputs=parameters, mode="FAST_COMPILE")
    values = {v.name: model.rvs_to_values[v].name for v in model.free_RVs}
    transforms = {"_log__": np.log, "_logodds__": lambda p: np.log(p / (1 - p))}
    found = []
    for draw in posterior.stack(sample=("chain", "draw")).transpose("sample", ...)["sample"]:
        at = {}
        for name, value in values.items():
            ending = value.removeprefix(name)
            own = posterior[name].sel(chain=draw["chain"], draw=draw["draw"]).values
            at[value] = transforms.get(ending, np.asarray)(own)
        found.append(float(log(at)))
    return np.array(found)


def widths(posterior, won, tried):
    """Of the coordinates on which NUTS moves: log of their Jacobian."""
    information = shrinkage._near(won, tried, shrinkage._DISCOUNT)[0]
    sd = posterior["ability_sd"].values.ravel()
    return -0.5 * np.log(1 / sd[:, None] ** 2 + information).sum(1), sd


def of_spread(v, sd):
    """Log density of log ability_sd, less that of its standard normal coordinate."""
    law = stats.gamma(shrinkage.SHAPE, scale=1 / shrinkage.RATE)
    return law.logpdf(sd) + np.log(sd) + v**2 / 2


@pytest.mark.sampled
@pytest.mark.parametrize("form", ITEMS)
def test_the_density_of_items_is_that_of_the_model(form):
    shape, choices = ITEMS[form]
    data = item_response.simulate(12, **shape, rng=5)
    data = holes(data) if form == "missing" else data
    successes, trials, *_ = trials_of(data)
    kind = item_response._kind(trials, bool(choices))
    nodes = item_response._number_of_nodes(trials, choices.get("nodes"), bool(choices))
    posterior = items_by_weights.posterior_of(kind, successes, trials, nodes)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
    tree = item_response.fit(data, **choices, sampling=FEW, rng=1, predictive=False)
    told = tree["posterior"].to_dataset()
    own = posterior.log(found.v, found.x)
    jacobian, sd = widths(told, successes.sum(0), trials.sum(0))
    assert sd == pytest.approx(items_by_weights._SD(found.v[:, 0]))
    own += jacobian + of_spread(found.v[:, 0], sd)
    raw = told["ability_raw"].values.reshape(-1, shape["systems"])
    information, pull = shrinkage._near(successes.sum(0), trials.sum(0), shrinkage._DISCOUNT)
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
def test_the_density_of_judgments_is_that_of_the_model(form):
    choices = {"tie_model": "davidson", "position": False, "judges": False} | JUDGED[form]
    shape = {k: choices[k] for k in ("tie_model", "position")}
    data = davidson.simulate(3, judgments=40, judges=2 * choices["judges"], **shape, rng=3)
    among = {k: choices[k] for k in ("position", "judges")}
    rows = judgment_rows(data, **among)
    posterior = judgments_by_weights.posterior_of(rows, choices["tie_model"], **among)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
    told = davidson.fit(data, **choices, sampling=FEW, rng=1, predictive=False)["posterior"]
    told = told.to_dataset()
    jacobian, sd = widths(told, *davidson._won(rows))
    own = posterior.log(found.v, found.x) + jacobian + of_spread(found.v[:, 0], sd)
    if choices["judges"]:
        seen = davidson._seen_by_judges(rows)
        kinds = {"judge_tie": "tied", "judge_position": "first"}
        for name, key in kinds.items():
            if f"{name}_sd" in told:
                information = shrinkage._near(seen[key], seen["tried"], 1.0)[0]
                wide = told[f"{name}_sd"].values.reshape(-1, 1)
                own -= 0.5 * np.log(1 / wide**2 + information).sum(1)
    apart = density(davidson.build(data, **choices), told) - own
    assert np.ptp(apart) < 1e-9, apart


def apart(one, other, name):
    """Distance of the means of a variable, in Monte Carlo errors, the second of independent
    draws.
    """
    import arviz as az

    both = one[name].mean(("chain", "draw")) - other[name].mean(("chain", "draw"))
    size = other.sizes["chain"] * other.sizes["draw"]
    variance = other[name].var(("chain", "draw")) / size
    return float(np.abs(both / np.sqrt(az.mcse(one[name]) ** 2 + variance)).max())


def agree(trees):
    """All variables of a fit by weights and of one by NUTS, in mean and squared deviation."""
    weighted, sampled = (tree["posterior"].to_dataset() for tree in trees.values())
    assert set(weighted.data_vars) == set(sampled.data_vars)
    for name, array in sampled.data_vars.items():
        assert weighted[name].dims == array.dims, name
        assert apart(sampled, weighted, name) < 4, name
        assert apart((sampled - sampled.mean()) ** 2, (weighted - sampled.mean()) ** 2, name) < 4


@pytest.mark.sampled
def test_items_by_weights_are_as_by_nuts():
    data = item_response.simulate(60, systems=5, trials=2, rng=4)
    trees = {
        sampler: item_response.fit(data, sampler=sampler, rng=2, predictive=False)
        for sampler in by_weights.SAMPLERS
    }
    agree(trees)
    better = [bt.fits.compare(tree)["prob_better"].values for tree in trees.values()]
    assert np.abs(better[0] - better[1]).max() < 0.04


@pytest.mark.sampled
def test_judgments_by_weights_are_as_by_nuts():
    data = davidson.simulate(5, judgments=300, judges=4, position=True, rng=4)
    form = {"judges": True, "position": True}
    trees = {
        sampler: davidson.fit(data, **form, sampler=sampler, rng=2, predictive=False)
        for sampler in by_weights.SAMPLERS
    }
    agree(trees)


def test_a_tree_by_weights_is_whole():
    data = item_response.simulate(30, systems=3, rng=1)
    by_nuts = {"sample_stats"}
    groups = {"posterior", "observed_data", "constant_data", "prior", "prior_predictive"}
    groups |= {"posterior_predictive", "log_likelihood"}
    few = Sampling(draws=50)
    tree = item_response.fit(data, rng=1, sampling=few)
    assert set(tree.children) == groups
    assert tree["log_likelihood"]["y"].sizes == {"chain": 4, "draw": 50, "item": 30}
    same = item_response.fit(data, rng=1, sampling=few)
    xr.testing.assert_identical(tree["posterior"].to_dataset(), same["posterior"].to_dataset())
    assert not by_nuts & set(tree.children)


class NutsWasAsked(Exception):  # noqa: N818
    pass


@pytest.fixture
def no_nuts(monkeypatch):
    def refused(*arguments, **choices):
        raise NutsWasAsked

    monkeypatch.setattr(sampling, "sample", refused)


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
    made = judgments_by_weights.posterior_of

    def posterior_of(*arguments, **choices):
        found = made(*arguments, **choices)
        return nested.Posterior(found.prior, FarTails(found.likelihood))

    monkeypatch.setattr(judgments_by_weights, "posterior_of", posterior_of)


@pytest.mark.usefixtures("no_nuts", "heavy")
def test_weights_that_cannot_be_trusted_go_to_nuts():
    data = davidson.simulate(3, judgments=200, rng=1)
    with pytest.raises(ValueError, match=r"k-hat is .*, above 0\.7; give sampler='nuts'") as caught:
        davidson.fit(data, sampler="laplace", rng=1, predictive=False)
    assert "\n" not in str(caught.value)
    with (
        pytest.warns(UserWarning, match="sampled by NUTS, as weights are not to be trusted"),
        pytest.raises(NutsWasAsked),
    ):
        davidson.fit(data, rng=1, predictive=False)


@pytest.mark.usefixtures("no_nuts")
def test_nuts_by_choice():
    with pytest.raises(NutsWasAsked):
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
    assert found.attrs["ess_min"] == attrs["weights_ess"]
    tree["posterior"].attrs["pareto_k"] = 0.9
    told = diagnose(tree)
    assert not told.passed
    assert "k-hat of the weights is 0.90" in told.failures[0]
    with pytest.warns(UserWarning, match="no verdict: k-hat"):
        assert (bt.fits.compare(tree)["verdict"].values == "no_verdict").sum() == 6


@pytest.mark.sampled
@pytest.mark.parametrize("correlation", [None, 0.2])
def test_the_density_of_clusters_is_that_of_the_model(correlation):
    counts = clustered.simulate(8, size=6, pairs=2, prior=(0.5, 2.0, 3.0), rng=3)["counts"]
    form = {"prior": (0.5, 2.0, 3.0), "correlation": correlation}
    tree = clustered.fit(counts, **form, sampling=FEW, rng=1, predictive=False)
    posterior = clusters_by_weights.Clusters(counts.values, form["prior"], correlation)
    found = by_weights.drawn(posterior, "laplace", FEW, 1)
    pair = np.tile([0, 1], len(found.x))
    own = 0.0
    for half, t, r in zip(
        posterior.shares, np.hsplit(found.x, 2), np.hsplit(found.v, 2), strict=True
    ):
        log = half.log(t.ravel(), half.kappa(r).ravel(), pair).reshape(t.shape)
        own = own + (log + half.log_prior(r)).sum(1)
    apart = density(clustered.build(counts, **form), tree["posterior"].to_dataset()) - own
    assert np.ptp(apart) < 1e-8, apart


@pytest.mark.sampled
def test_clusters_by_weights_are_as_by_nuts():
    counts = clustered.simulate(20, size=5, pairs=3, rng=4)["counts"]
    trees = {
        sampler: clustered.fit(counts, sampler=sampler, rng=2, predictive=False)
        for sampler in by_weights.SAMPLERS
    }
    agree(trees)


def of_clusters(cells, size=1):
    values = np.array(cells).reshape(len(cells), -1, 3) * size
    a, b = ([f"{k}{i}" for i in range(values.shape[1])] for k in "AB")
    return xr.DataArray(
        values,
        dims=("cluster", "pair", "outcome"),
        coords={
            "outcome": ["win", "loss", "tie"],
            "system_a": ("pair", a),
            "system_b": ("pair", b),
        },
    )


CLUSTERS = {
    "nothing": of_clusters([[0, 0, 0]] * 3),
    "two of one": of_clusters([[1, 0, 0], [0, 0, 1]]),
    "runs": of_clusters([[1, 0, 0]] * 6 + [[0, 1, 0]] * 5 + [[0, 0, 1]] * 9, 5),
    "all won": of_clusters([[4, 0, 0]] * 30),
    "alike": of_clusters([[3, 2, 5]] * 40),
    "few and large": of_clusters([[300, 200, 40], [100, 500, 10], [4, 300, 800]], 7),
    "huge": of_clusters([[40_000, 50_000, 10_000]] * 3),
    "of many sizes": of_clusters([[k, (3 * k) % 7, k // 2] for k in range(60)]),
    "several": of_clusters([[1, 0, 2, 5, 5, 0, 0, 0, 0, 90, 9, 1]] * 9),
}


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("prior", [None, (0.1, 0.1, 0.1)])
@pytest.mark.parametrize("corner", CLUSTERS)
def test_corners_of_clusters_are_within_reach(corner, prior):
    counts = CLUSTERS[corner]
    tree = clustered.fit(counts, prior=prior, rng=1, predictive=False)
    assert diagnose(tree).passed
    assert diagnose(tree).pareto_k <= 0.7
    posterior = tree["posterior"].to_dataset()
    assert np.isfinite(posterior["difference"].values).all()
    exact = clustered.closed_form(counts, prior=prior).values
    found = (posterior["p"] > 0.5).mean(("chain", "draw")).values
    assert np.abs(probability_z(exact, found, np.full(exact.shape, 3500.0))).max() < 4


def test_shares_of_clusters_are_those_of_a_grid():
    """Mean and spread of p, s and both correlations, from sums over a grid of each half."""
    counts = clustered.simulate(12, size=5, rng=6)["counts"]
    posterior = clusters_by_weights.Clusters(counts.values, (1.0, 1.0, 1.0), None)
    tree = clustered.fit(counts, rng=1, predictive=False)["posterior"].to_dataset()
    t, r = np.meshgrid(np.linspace(-12, 12, 1201), np.linspace(-3.5, 3.5, 701), indexing="ij")
    of = np.zeros(t.size, int)
    for half, mean, alike in zip(
        posterior.shares, ("p", "s"), clusters_by_weights.CORRELATIONS, strict=True
    ):
        log = half.log(t.ravel(), half.kappa(r).ravel(), of).reshape(t.shape) + half.log_prior(r)
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        for name, value in ((mean, special.expit(t)), (alike, special.expit(6 * np.sinh(r)))):
            exact = (weight * value).sum()
            sd = np.sqrt((weight * (value - exact) ** 2).sum())
            draws = tree[name].values.ravel()
            assert abs(draws.mean() - exact) < 4 * sd / np.sqrt(3500), name
            assert draws.std() == pytest.approx(sd, rel=0.06), name


@pytest.mark.usefixtures("no_nuts")
def test_clusters_that_cannot_be_trusted_go_to_nuts(monkeypatch):
    counts = clustered.simulate(6, pairs=2, rng=1)["counts"]
    log = shares.Shares.log

    def with_far_tails(self, t, kappa, of):
        return log(self, t, kappa, of) + np.clip(4 * np.abs(t), 3, 40) * (of == 1)

    monkeypatch.setattr(shares.Shares, "log", with_far_tails)
    with pytest.raises(ValueError, match=r"is not to be trusted here: .*give sampler='nuts'"):
        clustered.fit(counts, sampler="laplace", rng=1, predictive=False)
    with (
        pytest.warns(UserWarning, match="sampled by NUTS, as weights are not to be trusted"),
        pytest.raises(NutsWasAsked),
    ):
        clustered.fit(counts, rng=1, predictive=False)
