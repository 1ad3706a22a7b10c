import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.models import dirichlet_multinomial as model
from betterthan.models.sampling import Sampling
from betterthan.posterior.sampled import draws_difference

SYSTEMS = ["A", "B", "C", "D", "E"]
FIRST, SECOND = np.triu_indices(5, 1)


@pytest.fixture(scope="module")
def truth():
    """Ten pairs of five systems: the two published cases, one without examples, one with hardly a
    tie.
    """
    data = model.simulate([20, 50, 100, 200, 400, 800, 1600, 40, 80, 160], pairs=10, rng=5)
    counts = data["counts"].values
    counts[:4] = [(12, 2, 986), (210, 200, 590), (0, 0, 0), (100_000, 99_500, 1)]
    names = {"system_a": np.array(SYSTEMS)[FIRST], "system_b": np.array(SYSTEMS)[SECOND]}
    return data.assign_coords({k: ("pair", v) for k, v in names.items()}).assign(
        counts=(("pair", "outcome"), counts)
    )


@pytest.fixture(scope="module")
def counts(truth):
    return bt.counts.to_square(truth["counts"])


@pytest.fixture(scope="module")
def tree(counts):
    return model.fit(counts, sampling=Sampling(draws=500), rng=7)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, whole):
    whole(tree)
    assert tree["posterior"].attrs["square"] == 1
    assert tree["posterior"].attrs["seed"] == 7


@pytest.mark.sampled
def test_prior_sensitivity_where_the_prior_is_not_uniform(tree, counts, prior_matters):
    prior_matters(model, counts, (2.0, 3.0, 4.0))


@pytest.mark.sampled
def test_fit_agrees_with_the_closed_form(tree, counts, agrees):
    agrees(tree, model.closed_form(counts))


@pytest.mark.sampled
def test_means_agree_with_the_conjugate_posterior(tree, counts):
    import arviz as az

    theta = tree["posterior"]["theta"]
    n = bt.counts.to_pairs(counts)
    exact = (n + 1) / (n.sum("outcome") + 3)
    z = (theta.mean(("chain", "draw")) - exact.values) / az.mcse(theta, method="mean")
    assert float(abs(z).max()) < 4.5  # 30 numbers


@pytest.mark.sampled
def test_fit_finds_the_truth(tree, truth):
    known = truth["difference"].values[4:]
    answer = draws_difference(tree, ci_prob=0.99, ci_kind="hdi")
    lower, upper = (answer[k].values[FIRST, SECOND][4:] for k in ("lower", "upper"))
    assert ((lower < known) & (known < upper)).sum() >= 5  # of 6


@pytest.mark.sampled
def test_arviz_accepts_the_tree(tree, accepted):
    accepted(tree, "difference")
    accepted(tree, "theta")


@pytest.mark.sampled
def test_tree_survives_netcdf(tree, tmp_path, round_trip):
    round_trip(tree, tmp_path / "fit.nc")


@pytest.mark.sampled
def test_predictions_look_like_the_data(tree, counts):
    predicted = tree["posterior_predictive"]["y"]
    assert predicted.sizes == {"chain": 4, "draw": 500, "pair": 10, "outcome": 3}
    np.testing.assert_array_equal(
        predicted.sum("outcome").isel(chain=0, draw=0).values,
        bt.counts.to_pairs(counts).sum("outcome").values,
    )


def test_logp_is_that_of_scipy():
    counts = bt.counts.from_table({("A", "B"): (12, 2, 30)})
    built = model.build(counts, prior=(2, 3, 4))
    share, decisive = 0.4, 0.5
    theta = np.array([decisive * share, decisive * (1 - share), 1 - decisive])
    point = {
        built.value_vars[0].name: np.array(
            [[np.log(share / (1 - share)), np.log(decisive / (1 - decisive))]]
        )
    }
    jacobian = decisive**2 * (1 - decisive) * share * (1 - share)
    expected = (
        stats.dirichlet.logpdf(theta, [2, 3, 4])
        + stats.multinomial.logpmf([12, 2, 30], 44, theta)
        + np.log(jacobian)
    )
    found = built.compile_logp(mode="FAST_COMPILE")(point)
    assert found == pytest.approx(expected, rel=1e-12)


def test_published_cases():
    counts = bt.counts.from_table({("A", "B"): (12, 2, 986), ("C", "D"): (210, 200, 590)})
    exact = model.closed_form(counts)
    assert float(exact.sel(system_a="A", system_b="B")) == pytest.approx(
        0.996307373046875, rel=1e-12
    )
    assert float(exact.sel(system_a="C", system_b="D")) == pytest.approx(
        0.6890599769822636, rel=1e-9
    )
    np.testing.assert_allclose(exact.values + exact.values.T, 1)


def test_unknown_ties_are_refused():
    counts = bt.counts.from_table({("A", "B"): (12, 2)})
    for refuse in (model.build, model.fit, model.closed_form):
        with pytest.raises(ValueError, match="needs the number of ties"):
            refuse(counts)


def test_dropped_ties_are_refused_too():
    counts = bt.counts.apply_ties(bt.counts.from_table({("A", "B"): (12, 2, 30)}), "drop")
    with pytest.raises(ValueError, match="needs the number of ties"):
        model.build(counts)


def test_simulate_is_repeatable_and_checks():
    first, again = (model.simulate(30, pairs=4, rng=1) for _ in range(2))
    xr.testing.assert_identical(first, again)
    with pytest.raises(ValueError, match="at least 0"):
        model.simulate(-1)
    with pytest.raises(ValueError, match="pairs is 0"):
        model.simulate(5, pairs=0)
