"""ArviZ takes trees in which some variables are not over pair, and readers name their systems."""

import arviz as az
import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import likelihood_data, sampling

PAIRS = ["A vs B", "A vs C", "B vs C"]
TABLE = {("A", "B"): (30, 12, 40), ("A", "C"): (25, 5, 30), ("B", "C"): (10, 14, 20)}
COUNTS = bt.counts.from_table(TABLE)
SHAPE = (4, 500)


def theta():
    random = np.random.default_rng(1)
    cells = [random.dirichlet(np.array(n) + 1.0, size=SHAPE) for n in TABLE.values()]
    return np.stack(cells, axis=2)


def pooled(pairs=PAIRS, **groups):
    """A user's tree of a model with a parameter that pairs share."""
    shared = np.random.default_rng(2).gamma(2, 5, size=SHAPE)
    return az.from_dict(
        {"posterior": {"theta": theta(), "concentration": shared}} | groups,
        dims={"theta": ["pair", "outcome"], "y": ["pair"], "counts": ["pair", "outcome"]},
        coords={"pair": pairs, "outcome": ["win", "loss", "tie"]},
    )


def before(tree):
    """As trees were stored: systems on pair of the posterior, whatever else it holds."""
    old = bt.fits.adopt(tree)
    sides = {"system_a": ("pair", ["A", "A", "B"]), "system_b": ("pair", ["B", "C", "C"])}
    attrs = old["posterior"].attrs
    old["posterior"] = old["posterior"].to_dataset().assign_coords(sides).assign_attrs(attrs)
    del old["constant_data"]
    return old


def recorded():
    """Data as `build` records them."""
    a, b = np.eye(3)[[0, 0, 1]], np.eye(3)[[1, 2, 2]]
    return xr.Dataset(
        {"is_a": (("pair", "system_a"), a), "is_b": (("pair", "system_b"), b)},
        {"pair": PAIRS, "system_a": ["A", "B", "C"], "system_b": ["A", "B", "C"]},
    )


def built():
    tree = pooled()
    tree["constant_data"] = recorded()
    return tree


TREES = {
    "of labels": lambda: bt.fits.adopt(pooled()),
    "of counts": lambda: bt.fits.adopt(pooled(), COUNTS),
    "of a model from build": lambda: bt.fits.adopt(built()),
    "adopted twice": lambda: bt.fits.adopt(bt.fits.adopt(built())),
    "an old one, adopted again": lambda: bt.fits.adopt(before(pooled())),
}


@pytest.mark.parametrize("kind", TREES)
def test_arviz_summarizes_and_draws_it(kind):
    tree = TREES[kind]()
    table = az.summary(tree)
    assert len(table) == 13  # theta, difference, concentration
    assert "difference[A vs C]" in table.index
    few = tree.isel(draw=slice(50))  # as good as all to be drawn, in a third of the time
    assert az.plot_forest(few, backend="none") is not None
    assert az.plot_trace_dist(few, backend="none") is not None
    assert az.plot_rank(few, backend="none") is not None


def test_arviz_looks_at_its_sensitivity():
    random = np.random.default_rng(3)
    logs = {"y": random.normal(size=(*SHAPE, 3))}
    tree = bt.fits.adopt(pooled(log_likelihood=logs))
    prior = {"theta": random.normal(size=(*SHAPE, 3)), "concentration": random.normal(size=SHAPE)}
    dims = {"theta": ["pair"]}
    tree["log_prior"] = az.from_dict({"log_prior": prior}, dims=dims)["log_prior"].to_dataset()
    assert len(az.psense_summary(tree)) == 13


ANSWERS = (
    bt.prob_better,
    bt.difference,
    lambda tree: bt.posterior.sf(tree, 0.1),
    lambda tree: bt.prob_equivalent(tree, 0.1),
)


@pytest.fixture(scope="module")
def without_shared():
    """Answers from the same draws of a model in which all is over pairs."""
    only = az.from_dict(
        {"posterior": {"theta": theta()}},
        dims={"theta": ["pair", "outcome"]},
        coords={"pair": PAIRS, "outcome": ["win", "loss", "tie"]},
    )
    return [answer(bt.fits.adopt(only)) for answer in ANSWERS]


@pytest.mark.parametrize("kind", [*TREES, "an old one"])
def test_every_reader_names_the_systems(kind, tmp_path, without_shared):
    tree = TREES[kind]() if kind in TREES else before(pooled())
    tree.to_netcdf(tmp_path / "own.nc", engine="h5netcdf")
    back = xr.load_datatree(tmp_path / "own.nc", engine="h5netcdf")
    for own in (tree, back):
        for answer, expected in zip(ANSWERS, without_shared, strict=True):
            xr.testing.assert_allclose(answer(own), expected)
        assert "of 3 pairs " in str(bt.fits.compare(own))
        checked = bt.fits.cross_check(COUNTS, own, prior=(1, 1, 1))
        assert checked["agrees"].all()
        assert bt.fits.diagnose(own).passed
        assert "difference[B vs C]" in bt.fits.summary(own).index
    bt.plot.matrix(back)
    bt.plot.differences(back)
    bt.plot.simplex(back, systems=("C", "A"))


def test_convergence_is_that_of_arviz_and_computed_once_for_the_same_draws(monkeypatch):
    tree = bt.fits.adopt(pooled())
    checked = bt.fits.diagnose(tree)
    draws = tree["posterior"].to_dataset()[["theta", "concentration"]]
    rhat, bulk, tail = az.rhat(draws), az.ess(draws), az.ess(draws, method="tail")
    assert checked.rhat_max == max(float(v.max()) for v in rhat.values())
    assert checked.ess_min == min(float(v.min()) for n in (bulk, tail) for v in n.values())

    def refuse(*_, **__):
        raise AssertionError("computed again")

    monkeypatch.setattr(az, "rhat", refuse)
    assert str(bt.fits.diagnose(tree)) == str(checked)
    tree["posterior"]["theta"].values[0, 0, 0, 0] += 1e-9
    with pytest.raises(AssertionError, match="again"):
        bt.fits.diagnose(tree)


def test_names_are_kept_where_labels_do_not_give_them():
    counts = bt.counts.from_table({("x vs y", "z"): (30, 12, 40)})
    one = pooled(pairs=["x vs y vs z", "two", "three"])
    one = bt.fits.adopt(one.isel(pair=[0]), counts)
    assert "concentration" in az.summary(one).index
    assert bt.prob_better(one)["system_a"].values.tolist() == ["x vs y", "z"]
    assert bt.fits.adopt(one).identical(one)


def test_pairs_that_are_picked_afterwards_keep_their_systems():
    tree = bt.fits.adopt(pooled(), bt.counts.to_pairs(COUNTS))
    tree["posterior"] = tree["posterior"].to_dataset().isel(pair=[2, 0])
    assert bt.prob_better(tree)["system_a"].values.tolist() == ["B", "A"]


def test_data_over_systems_of_their_own_stay():
    tree = pooled()
    tree["constant_data"] = xr.Dataset({"counts": COUNTS})
    adopted = bt.fits.adopt(tree)
    assert adopted["constant_data"].to_dataset().identical(tree["constant_data"].to_dataset())
    assert bt.prob_better(adopted).dims == ("system_a", "system_b")


def test_a_fit_with_a_shared_parameter_is_stored_so_that_arviz_takes_it():
    pairs = bt.counts.to_pairs(COUNTS)
    tree = built()
    names = {"pair": PAIRS, "outcome": ["win", "loss", "tie"]}
    data = {"counts": (("pair", "outcome"), pairs.values)}
    tree["constant_data"] = recorded().assign(data).assign_coords(names)
    draws = tree["posterior"].to_dataset()
    win, loss = (draws["theta"].sel(outcome=k, drop=True) for k in ("win", "loss"))
    tree["posterior"] = draws.assign(difference=win - loss)
    tree["prior"] = tree["posterior"].to_dataset()
    sampling.tidy(tree, pairs)
    tree["posterior"].attrs |= {"model": "dirichlet_multinomial", "square": 1, "prior": "text"}
    assert len(az.summary(tree)) == len(az.summary(tree, group="prior")) == 13
    assert bt.prob_better(tree)["system_b"].values.tolist() == ["A", "B", "C"]
    assert bt.fits.compare(tree)["n"].sel(system_a="A", system_b="B") == 82
    assert likelihood_data.systems_named(tree["constant_data"].to_dataset()) is None  # as before


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_a_failed_check_of_another_variable_names_its_pair(shape):
    drifting = np.random.default_rng(2).normal(size=(*SHAPE, *shape))
    drifting[:, :, 2] += np.arange(4).reshape(4, 1, *[1] * (len(shape) - 1))
    dims = {"theta": ["pair", "outcome"], "p_loss": ["pair", "side"][: len(shape)]}
    tree = az.from_dict(
        {"posterior": {"theta": theta(), "p_loss": drifting}},
        dims=dims,
        coords={"pair": PAIRS, "outcome": ["win", "loss", "tie"], "side": ["x", "y"]},
    )
    with pytest.warns(UserWarning, match=r"^not converged: R-hat of p_loss\[B vs C"):
        adopted = bt.fits.adopt(tree)
    assert bt.fits.diagnose(adopted).failures[0].startswith("R-hat of p_loss[B vs C")
