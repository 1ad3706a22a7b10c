"""Posteriors drawn by weights agree with samplers, and so do draws of the forward model.

Draws by weights: the density is the model's own, draws are those of NUTS, and where weights
cannot be trusted it says so.
"""

import sys
import warnings

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.judgments import judgment_rows
from betterthan.counts.runs import trials_of
from betterthan.exact.laplace import nested
from betterthan.models import (
    clustered,
    davidson,
    hierarchical,
    importance,
    item_response,
    likelihood_data,
    paired_judgments,
    sampling,
    shrinkage,
)
from betterthan.models.sampling import Sampling
from betterthan.posterior.from_draws import diagnose

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
    posterior = item_response.Weights(kind, successes, trials, nodes).posterior()
    found = importance.drawn(posterior, "laplace", FEW, 1)
    tree = item_response.fit(data, **choices, sampling=FEW, rng=1, predictive=False)
    told = tree["posterior"].to_dataset()
    own = posterior.log(found.v, found.x)
    jacobian, sd = widths(told, successes.sum(0), trials.sum(0))
    assert sd == pytest.approx(item_response._SD(found.v[:, 0]))
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
        own += stats.beta(*item_response.TRIALS).logpdf(rho) + np.log(rho * (1 - rho)) + v**2 / 2
    if kind == "discrimination":
        wide, v = told["discrimination_sd"].values.ravel(), found.x[:, -1]
        law = stats.halfnorm(scale=item_response.DISCRIMINATION)
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
    posterior = davidson.Weights(rows, **shape).posterior()
    found = importance.drawn(posterior, "laplace", FEW, 1)
    told = davidson.fit(data, **choices, sampling=FEW, rng=1, predictive=False)["posterior"]
    told = told.to_dataset()
    jacobian, sd = widths(told, *davidson._won(rows))
    own = posterior.log(found.v, found.x) + jacobian + of_spread(found.v[:, 0], sd)
    if choices["judges"]:
        seen = davidson._judge_counts(rows)
        for name in ("judge_tie", "judge_position"):
            if f"{name}_sd" in told:
                information = shrinkage._normal_approximation(seen[name], seen["tried"], 1.0)[0]
                wide = told[f"{name}_sd"].values.reshape(-1, 1)
                own -= 0.5 * np.log(1 / wide**2 + information).sum(1)
    apart = density(davidson.build(data, **choices), told) - own
    assert np.ptp(apart) < 1e-9, apart


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
    posterior_of = davidson.Weights.posterior

    def far_tailed(weights):
        posterior = posterior_of(weights)
        return nested.Posterior(posterior.prior, FarTails(posterior.likelihood))

    monkeypatch.setattr(davidson.Weights, "posterior", far_tailed)


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


@pytest.mark.usefixtures("no_nuts")
@pytest.mark.parametrize("tie_model", ["davidson", "rao_kupper"])
@pytest.mark.parametrize("votes", [3_000_000, 100_000_000])
def test_millions_of_votes_are_drawn_by_weights(votes, tie_model):
    """Their log density falls by so much that a spline through it rings."""
    random, ability = np.random.default_rng(1), np.linspace(-1, 1, 20)
    first, second = np.triu_indices(20, 1)
    tie = np.full(len(first), 0.3)
    log = paired_judgments.log_probabilities(ability[first] - ability[second], tie, tie_model)
    shares = random.dirichlet(np.full(len(first), 0.5))  # some pairs meet rarely
    counts = random.multinomial(np.rint(votes * shares).astype(int), np.exp(log))
    pairs = {
        (f"s{i}", f"s{j}"): tuple(row)
        for i, j, row in zip(first, second, counts.tolist(), strict=True)
    }
    data = bt.counts.from_table(pairs).assign_attrs(unit="judgment")
    tree = davidson.fit(data, tie_model=tie_model, rng=1, predictive=False)
    assert diagnose(tree).pareto_k <= 0.7
    off = tree["posterior"]["ability"].transpose(..., "system").values - ability
    z = off.mean((0, 1)) / off.std((0, 1))
    assert np.sqrt((z**2).mean()) < 2  # of 20 abilities, about 1


@pytest.mark.usefixtures("no_nuts")
def test_many_items_are_drawn_by_weights():
    data = item_response.simulate(20_000, systems=5, rng=1)
    tree = item_response.fit(data, rng=1, predictive=False)
    assert diagnose(tree).pareto_k <= 0.7
    off = tree["posterior"]["ability"] - data["ability"]
    assert float(np.abs(off.mean(("chain", "draw")) / off.std(("chain", "draw"))).max()) < 4


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


SHAPE = Sampling(draws=250)
GROUPS = ("prior", "prior_predictive", "posterior_predictive", "log_likelihood", "log_prior")
JUDGMENTS = {"systems": 3, "judgments": 60, "judges": 2, "position": True}
FORMS = {
    "clusters": (clustered, {"count": 6, "size": 4, "pairs": 2}, {}),
    "held": (clustered, {"count": 6, "size": 4, "pairs": 2}, {"correlation": 0.2}),
    "datasets": (hierarchical, {"datasets": 4, "n": 30, "pairs": 2}, {}),
    "concentrated": (hierarchical, {"datasets": 4, "n": 30, "pairs": 2}, {"concentration": 8.0}),
    "once": (item_response, {"items": 12, "systems": 3}, {}),
    "missing": (item_response, {"items": 12, "systems": 3}, {}),
    "trials": (item_response, {"items": 8, "systems": 3, "trials": 3}, {}),
    "slopes": (item_response, {"items": 12, "systems": 4}, {"discrimination": True, "nodes": 31}),
    "davidson": (davidson, {"systems": 3, "judgments": 40}, {}),
    "judges": (davidson, JUDGMENTS, {"judges": True, "position": True}),
    "rao_kupper": (davidson, JUDGMENTS, {"tie_model": "rao_kupper", "position": True}),
}


def made(form):
    """A model, data and choices."""
    model, shape, choices = FORMS[form]
    data = model.simulate(**shape, rng=5)
    if model is hierarchical:
        data = data["counts"]
    if model is clustered:
        data = data["counts"]
        data[:, 1] *= form == "clusters"  # or a pair without data
    if form == "missing":
        gone = np.random.default_rng(1).random(data["trials"].shape) < 0.2
        data = data.assign({k: data[k].where(~gone, 0) for k in ("successes", "trials")})
    return model, data, choices


def by_pymc(model, data, choices, tree):
    """The same groups for the same draws."""
    kept = {group: tree[group].to_dataset() for group in ("posterior", "observed_data")}
    found = xr.DataTree.from_dict(kept)
    with sampling.steady_arithmetic(), sampling.quiet_logger():
        sampling.add_predictive(model.build(data, **choices), found, 3)
    sampling.tidy(found, likelihood_data.by_cluster(data).pairs if model is clustered else None)
    return found


def looks(array):
    """Of each draw: what is seen in all, of the first row, and of two cells together."""
    values = array.values.reshape(-1, array.shape[2], array[0, 0, 0].size).astype(float)
    first, second = values[:, :, 0], values[:, :, 1]
    total = values.reshape(len(values), -1) @ np.arange(values[0].size)
    return np.stack([total, first.sum(1), first[:, 0], (first * second).sum(1), total**2])


def far(one, other):
    """Distance of the means of two sets of independent draws, in standard errors."""
    both = [x.mean(-1) for x in (one, other)]
    error = np.sqrt(one.var(-1) / one.shape[-1] + other.var(-1) / other.shape[-1])
    return float(np.max(np.abs(both[0] - both[1]) / np.maximum(error, 1e-12)))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "form", ["clusters", "held", "missing", "trials", "slopes", "judges", "rao_kupper"]
)
def test_groups_are_those_of_pymc(form):
    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=SHAPE, rng=1)
    theirs = by_pymc(model, data, choices, tree)
    for group in GROUPS:
        mine, other = tree[group].to_dataset(), theirs[group].to_dataset()
        assert set(mine.variables) == set(other.variables), group
        for name, array in other.variables.items():
            assert mine[name].dims == array.dims, (group, name)
            assert mine[name].dtype == array.dtype, (group, name)
            if name in other.coords:
                assert mine[name].values.tolist() == array.values.tolist(), (group, name)
    np.testing.assert_allclose(
        tree["log_likelihood"]["y"], theirs["log_likelihood"]["y"], rtol=0, atol=1e-8
    )
    for name, array in theirs["log_prior"].data_vars.items():
        np.testing.assert_allclose(tree["log_prior"][name], array, rtol=0, atol=3e-7)
    for name, array in theirs["prior"].data_vars.items():
        mine = tree["prior"][name].values[0].reshape(len(array.values[0]), -1)
        for own, other in zip(mine.T, array.values[0].reshape(mine.shape).T, strict=True):
            assert stats.ks_2samp(own, other).pvalue > 1e-4, name
    for group in ("prior_predictive", "posterior_predictive"):
        assert far(*(looks(t[group]["y"]) for t in (tree, theirs))) < 4, group


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMS)
def test_log_prior_is_that_of_pymc(form):
    import pymc as pm

    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    with sampling.without_compiler():
        theirs = pm.stats.compute_log_prior(
            tree,
            model=model.build(data, **choices),
            progressbar=False,
            compile_kwargs={"mode": "FAST_COMPILE"},
            extend_inferencedata=False,
        )
    mine = tree["log_prior"].to_dataset()
    assert set(mine.data_vars) == set(theirs.data_vars)
    for name, array in theirs.data_vars.items():
        assert mine[name].dims == array.dims, name
        # constants of gamma functions are PyMC's to single precision
        np.testing.assert_allclose(mine[name], array, rtol=0, atol=3e-7, err_msg=name)


@pytest.mark.parametrize("form", FORMS)
def test_prior_sensitivity_of_draws_by_weights(form, sensitive):
    model, data, choices = made(form)
    sensitive(model.fit(data, **choices, sampling=SHAPE, rng=1))


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_pymc_is_needed(form, monkeypatch):
    for gone in ("pymc", "pytensor", "nutpie"):
        monkeypatch.setitem(sys.modules, gone, None)
    model, data, choices = made(form)
    tree = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    assert set(GROUPS) < set(tree.children)
    observed = tree["observed_data"]["y"]
    again = tree["posterior_predictive"]["y"]
    assert again.shape == (4, 20, *observed.shape)
    same = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1)
    for group in GROUPS:
        xr.testing.assert_identical(tree[group].to_dataset(), same[group].to_dataset())
    without = model.fit(data, **choices, sampling=Sampling(draws=20), rng=1, predictive=False)
    assert not set(GROUPS) & set(without.children)
    posterior = [t["posterior"].to_dataset() for t in (tree, without)]
    xr.testing.assert_identical(*posterior)


def test_data_are_drawn_within_what_was_tried():
    _, data, _ = made("missing")
    tree = item_response.fit(data, sampling=SHAPE, rng=1)
    trials = data["trials"].values
    for group in ("prior_predictive", "posterior_predictive"):
        again = tree[group]["y"].values
        assert (again <= trials).all()
        assert (again >= 0).all()
    _, data, choices = made("judges")
    tree = davidson.fit(data, **choices, sampling=SHAPE, rng=1)
    counts = tree["observed_data"]["y"]
    again = tree["posterior_predictive"]["y"]
    assert (again.sum("outcome") == counts.sum("outcome")).all()


def test_tables_are_multinomial():
    n, draws = np.array([1, 3, 60, 0]), 30_000
    p = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.6, 0.3, 0.1], [0.3, 0.3, 0.4]])
    win, loss = (np.broadcast_to(p[:, k], (draws, 4)) for k in range(2))
    found = importance.draw_tables(win, loss, n, np.random.default_rng(1))
    assert (found.sum(2) == n).all()
    law = [stats.multinomial(size, row) for size, row in zip(n, p, strict=True)]
    for row, own in enumerate(law):
        covariance = own.cov()
        error = np.sqrt(np.diag(covariance) / draws)
        assert (np.abs(found[:, row].mean(0) - n[row] * p[row]) <= 4 * error).all()
        seen = np.cov(found[:, row].T)
        assert seen == pytest.approx(covariance, abs=0.03 * max(np.abs(covariance).max(), 0.1))


def test_the_block_does_not_matter(monkeypatch):
    """Draws are as many, and each is of its own parameters, wherever a block ends."""
    _, data, _ = made("once")
    monkeypatch.setattr(importance, "_BLOCK", 36 * 7)
    tree = item_response.fit(data, sampling=SHAPE, rng=1)
    able = tree["posterior"]["ability"].values.reshape(-1, 3)
    again = tree["posterior_predictive"]["y"].values.reshape(-1, 12, 3).mean(1)
    assert np.corrcoef(able[:, 0] - able[:, 1], again[:, 0] - again[:, 1])[0, 1] > 0.2
