import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.models import independent_betas as model
from betterthan.models.sampling import Sampling
from betterthan.posterior.sampled import draws_difference, draws_prob_better


@pytest.fixture(scope="module")
def truth():
    data = model.simulate([20, 50, 100, 200, 400] * 5, pairs=25, rng=5)
    return data.isel(pair=np.flatnonzero(data["decisive"].sum("outcome") <= data["n"])[:10])


@pytest.fixture(scope="module")
def counts(truth):
    tie = truth["n"] - truth["decisive"].sum("outcome")
    data = xr.concat([truth["decisive"], tie.expand_dims(outcome=["tie"])], "outcome").transpose(
        "pair", "outcome"
    )
    values = np.concatenate([data.values, [(12, 2, 986), (210, 200, 590), (0, 0, 0)]])
    a = [*truth["system_a"].values, "a", "b", "c"]
    return xr.DataArray(
        values,
        dims=("pair", "outcome"),
        coords={
            "pair": [f"{x} vs other" for x in a],
            "system_a": ("pair", a),
            "system_b": ("pair", [f"other {x}" for x in a]),
            "outcome": ["win", "loss", "tie"],
        },
    )


@pytest.fixture(scope="module")
def tree(counts):
    return model.fit(counts, sampling=Sampling(draws=500), rng=7)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, whole):
    whole(tree)
    assert {"p_win", "p_loss", "difference"} == set(tree["posterior"].data_vars)


@pytest.mark.sampled
def test_prior_sensitivity_where_the_prior_is_not_uniform(tree, counts, prior_matters):
    prior_matters(model, counts, (2.0, 3.0))


@pytest.mark.sampled
def test_fit_agrees_with_the_closed_form(tree, counts, agrees):
    agrees(tree, model.closed_form(counts))


@pytest.mark.sampled
def test_fit_finds_the_truth(tree, truth):
    answer = draws_difference(tree, ci_prob=0.95, ci_kind="eti").isel(pair=slice(10))
    known = truth["difference"].values
    assert ((answer["lower"].values < known) & (known < answer["upper"].values)).sum() >= 8  # of 10


@pytest.mark.sampled
def test_arviz_accepts_the_tree(tree, accepted):
    accepted(tree, "difference")


@pytest.mark.sampled
def test_tree_survives_netcdf(tree, tmp_path, round_trip):
    round_trip(tree, tmp_path / "fit.nc")


def test_logp_is_that_of_scipy():
    built = model.build(bt.counts.from_table({("A", "B"): (12, 2, 30)}), prior=(2, 3))
    win, loss = 0.3, 0.1
    expected = sum(
        stats.beta.logpdf(p, 2, 3) + stats.binom.logpmf(k, 44, p) + np.log(p * (1 - p))
        for p, k in ((win, 12), (loss, 2))
    )
    point = {
        v.name: np.array([np.log(p / (1 - p))])
        for v, p in zip(built.value_vars, (win, loss), strict=True)
    }
    assert built.compile_logp(mode="FAST_COMPILE")(point) == pytest.approx(expected, rel=1e-7)


@pytest.mark.sampled
def test_published_cases_and_how_far_they_are_off(tree):
    counts = bt.counts.from_table({("A", "B"): (12, 2, 986), ("C", "D"): (210, 200, 590)})
    exact = model.closed_form(counts)
    assert float(exact.sel(system_a="A", system_b="B")) == pytest.approx(0.99641068147406, rel=1e-9)
    assert float(exact.sel(system_a="C", system_b="D")) == pytest.approx(0.7099604608263, rel=1e-9)
    sampled = draws_prob_better(tree).isel(pair=11)
    assert abs(float(sampled) - 0.70996) < 4 * float(sampled["mcse"])


def test_a_three_way_prior_means_something_else():
    counts = bt.counts.from_table({("A", "B"): (12, 2, 30)})
    with pytest.raises(ValueError, match="two numbers, of success and failure"):
        model.closed_form(counts, prior=(1, 1, 1))


def test_unknown_ties_are_refused():
    counts = bt.counts.from_table({("A", "B"): (12, 2)})
    for refuse in (model.build, model.fit, model.closed_form):
        with pytest.raises(ValueError, match="needs the number of ties"):
            refuse(counts)
