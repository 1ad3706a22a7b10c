"""What every model must do, told once."""

import warnings

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy import special

from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import priors, sampling
from betterthan.posterior.from_draws import diagnose
from betterthan.posterior.sampled import draws_prob_better

GROUPS = {
    "posterior",
    "sample_stats",
    "observed_data",
    "prior",
    "prior_predictive",
    "posterior_predictive",
    "log_likelihood",
    "log_prior",
}


def _agrees(tree, exact):
    """P(better) from the fit lies within 4 Monte Carlo errors of the closed form, pair by pair."""
    sampled = draws_prob_better(tree)
    assert sampled.dims == exact.dims
    for dim in exact.dims:
        assert sampled[dim].values.tolist() == exact[dim].values.tolist()
    posterior = tree["posterior"].to_dataset()
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    ess = float(az.ess((margin > 0).astype(float), method="mean").min())
    z = probability_z(exact.values, sampled.values, np.full(exact.shape, ess))
    apart = exact.values != 0.5  # the diagonal of a square is 1/2 by definition
    assert np.abs(z[apart]).max() < 4


def _whole(tree):
    """The tree has every group, passes the gate and says how it was made."""
    assert set(tree.children) >= GROUPS
    diagnosis = diagnose(tree)
    assert diagnosis.passed, diagnosis.failures
    assert (diagnosis.chains, diagnosis.draws) == (4, 500)
    attrs = tree["posterior"].attrs
    assert attrs["inference_library"] == "nutpie"
    assert {"model", "prior", "square", "seed", "versions", "tune", "target_accept"} <= set(attrs)
    assert "created_at" not in attrs
    for group in GROUPS - {"sample_stats"}:
        shared = any("pair" not in v.dims for v in tree[group].values())
        sides = {"system_a", "system_b"} & set(tree[group].coords)
        # ArviZ joins variables of draws, and wants the same coordinates of all
        assert len(sides) == (0 if shared and not group.endswith("_data") else 2), group


def _accepted(tree, parameter):
    """ArviZ takes the tree as it is."""
    table = az.summary(tree, ci_prob=0.95, ci_kind="hdi", round_to="none")
    assert any(str(row).startswith(f"{parameter}[") for row in table.index)
    az.plot_forest(tree, var_names=[parameter], backend="none")
    az.plot_dist(tree, var_names=[parameter], backend="none")
    with warnings.catch_warnings():
        # leaving a pair out leaves its prior: Pareto k is high
        warnings.simplefilter("ignore", UserWarning)
        assert np.isfinite(az.loo(tree).elpd)
    _sensitive(tree)


def _sensitive(tree):
    """ArviZ says how much the posterior depends on prior and likelihood."""
    priors = tree["log_prior"].data_vars.values()
    assert all(np.isfinite(v).all() for v in priors)
    if all(np.ptp(v.values) < 1e-6 for v in priors):
        return  # a uniform prior to any power is the same: ArviZ has no weights for it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a pair without data
        table = az.psense_summary(tree)
    assert {"prior", "likelihood", "diagnosis"} <= set(table.columns)
    assert np.isfinite(table["likelihood"].to_numpy(float)).any()


def _prior_matters(model, counts, prior):
    """Under a prior that is not uniform, its log density varies and ArviZ measures its weight."""
    tree = model.fit(counts, prior=prior, draws=200, tune=200, chains=2, rng=1)
    assert max(np.ptp(v.values) for v in tree["log_prior"].data_vars.values()) > 0.1
    _sensitive(tree)


@pytest.fixture(scope="session")
def prior_matters():
    return _prior_matters


@pytest.fixture(scope="session")
def sensitive():
    return _sensitive


@pytest.fixture(scope="session")
def agrees():
    return _agrees


@pytest.fixture(scope="session")
def whole():
    return _whole


@pytest.fixture(scope="session")
def accepted():
    return _accepted


@pytest.fixture(scope="session")
def round_trip():
    def check(tree, path):
        tree.to_netcdf(path, engine="h5netcdf")
        with az.from_netcdf(path) as back:
            assert set(back.children) == set(tree.children)
            for name, values in tree["posterior"].data_vars.items():
                np.testing.assert_array_equal(back["posterior"][name].values, values.values)
            exact = draws_prob_better(tree)
            np.testing.assert_array_equal(draws_prob_better(back).values, exact.values)

    return check


def _density(model, posterior):
    """Log density of a PyMC model at draws, in its own coordinates."""
    parameters = model.value_vars
    with sampling.without_compiler():
        log = model.compile_fn(model.logp(), inputs=parameters, mode="FAST_COMPILE")
    values = {v.name: model.rvs_to_values[v].name for v in model.free_RVs}
    transforms = {
        "_log__": np.log,
        "_logodds__": special.logit,
        "_decisivefirst__": lambda mu: (
            priors.decisive_first().forward(mu).eval(mode="FAST_COMPILE")
        ),
    }
    found = []
    for draw in posterior.stack(sample=("chain", "draw")).transpose("sample", ...)["sample"]:
        at = {}
        for name, value in values.items():
            ending = value.removeprefix(name)
            own = posterior[name].sel(chain=draw["chain"], draw=draw["draw"]).values
            at[value] = transforms.get(ending, np.asarray)(own)
        found.append(float(log(at)))
    return np.array(found)


def _apart(one, other, name):
    """Distance of the means of a variable, in Monte Carlo errors, the second of independent
    draws.
    """
    both = one[name].mean(("chain", "draw")) - other[name].mean(("chain", "draw"))
    size = other.sizes["chain"] * other.sizes["draw"]
    variance = other[name].var(("chain", "draw")) / size
    return float(np.abs(both / np.sqrt(az.mcse(one[name]) ** 2 + variance)).max())


def _roads_agree(fit, sampled=None):
    """All variables of fits by weights and by NUTS, in mean and squared deviation."""
    trees = [fit(sampler="laplace", rng=2, predictive=False)]
    trees += [fit(sampler="nuts", rng=2, predictive=False) if sampled is None else sampled]
    weighted, sampled = (tree["posterior"].to_dataset() for tree in trees)
    assert set(weighted.data_vars) == set(sampled.data_vars)
    for name, array in sampled.data_vars.items():
        assert weighted[name].dims == array.dims, name
        assert _apart(sampled, weighted, name) < 4, name
        assert _apart((sampled - sampled.mean()) ** 2, (weighted - sampled.mean()) ** 2, name) < 4
    return trees


@pytest.fixture(scope="session")
def density():
    return _density


@pytest.fixture(scope="session")
def roads_agree():
    return _roads_agree


class NutsWasAsked(Exception):  # noqa: N818
    pass


@pytest.fixture
def no_nuts(monkeypatch):
    """What is raised where NUTS is asked for."""

    def refused(*arguments, **choices):
        raise NutsWasAsked

    monkeypatch.setattr(sampling, "sample", refused)
    return NutsWasAsked


def _log_density(tables, r, x):
    """Of draws, all tables together."""
    pair = np.tile(np.arange(r.shape[1]), len(r))
    log = tables.log(x.reshape(len(pair), -1), tables.alike.kappa(r).ravel(), pair)
    return (log.reshape(r.shape) + tables.alike.log_prior(r)).sum(1)


def _of_groups(cells, size=1):
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


GROUPS_IN_CORNERS = {
    "nothing": _of_groups([[0, 0, 0]] * 3),
    "two of one": _of_groups([[1, 0, 0], [0, 0, 1]]),
    "runs": _of_groups([[1, 0, 0]] * 6 + [[0, 1, 0]] * 5 + [[0, 0, 1]] * 9, 5),
    "all won": _of_groups([[4, 0, 0]] * 30),
    "alike": _of_groups([[3, 2, 5]] * 40),
    "few and large": _of_groups([[300, 200, 40], [100, 500, 10], [4, 300, 800]], 7),
    "huge": _of_groups([[40_000, 50_000, 10_000]] * 3),
    "of many sizes": _of_groups([[k, (3 * k) % 7, k // 2] for k in range(60)]),
    "several": _of_groups([[1, 0, 2, 5, 5, 0, 0, 0, 0, 90, 9, 1]] * 9),
}


@pytest.fixture
def prior_for_nuts(monkeypatch):
    """Draws from the prior in place of those of NUTS: what else a fit does needs no compilation."""

    def draw(model, *, seed, **_):
        import pymc as pm

        quick = {"compile_kwargs": {"mode": "FAST_COMPILE"}, "model": model}
        prior = pm.sample_prior_predictive(draws=50, random_seed=seed, **quick)
        groups = {"posterior": prior["prior"].to_dataset(), **sampling.data_groups(model)}
        return xr.DataTree.from_dict(groups)

    monkeypatch.setattr(sampling, "sample", draw)


@pytest.fixture(scope="session")
def log_density():
    return _log_density


@pytest.fixture(scope="session")
def of_groups():
    return _of_groups


@pytest.fixture(params=GROUPS_IN_CORNERS)
def groups_in_corner(request):
    """Counts over clusters, which may stand for data sets."""
    return GROUPS_IN_CORNERS[request.param]


@pytest.fixture
def far_tails_go_to_nuts(monkeypatch, no_nuts):
    """Whether a model with a density that rises far out, of the second pair, is left to NUTS."""

    def check(model, kind, **shape):
        log = kind.log

        def with_far_tails(self, x, kappa, of):
            return log(self, x, kappa, of) + np.clip(4 * np.abs(x[:, 0]), 3, 40) * (of == 1)

        counts = model.simulate(6, pairs=2, rng=1, **shape)["counts"]
        monkeypatch.setattr(kind, "log", with_far_tails)
        with pytest.raises(ValueError, match=r"is not to be trusted here: .*give sampler='nuts'"):
            model.fit(counts, sampler="laplace", rng=1, predictive=False)
        with (
            pytest.warns(UserWarning, match="sampled by NUTS, as weights are not to be trusted"),
            pytest.raises(no_nuts),
        ):
            model.fit(counts, rng=1, predictive=False)

    return check
