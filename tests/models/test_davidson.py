"""Judgments with ties: Davidson and Rao-Kupper against a grid, a published table and the truth."""

import tomllib
import warnings
from functools import partial
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.models import davidson as model
from betterthan.models import paired_judgments
from betterthan.posterior.from_draws import diagnose
from validation import distances, of_davidson

REFERENCE = Path(__file__).parents[2] / "models" / "davidson" / "reference.toml"
TABLE = tomllib.loads(REFERENCE.read_text("utf-8"))["table"]


@pytest.fixture(scope="module")
def data():
    return model.simulate(5, judgments=400, judges=4, position=True, rng=11)


@pytest.fixture(scope="module")
def tree(data):
    return model.fit(data, position=True, judges=True, sampler="nuts", rng=1)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, sensitive):
    assert diagnose(tree).passed, diagnose(tree).failures
    assert int(tree["sample_stats"]["diverging"].sum()) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(az.loo(tree).elpd)
    sensitive(tree)
    assert tree["posterior"].attrs["n_judgments"] == 400


@pytest.mark.sampled
def test_truth_is_within_reach(tree, data):
    posterior = tree["posterior"].to_dataset()
    for name in ("ability", "tie", "position"):
        z = (posterior[name].mean(("chain", "draw")) - data[name]) / posterior[name].std(
            ("chain", "draw")
        )
        assert float(np.abs(z).max()) < 4, name
    assert np.abs(posterior["ability"].sum("system")).max() < 1e-9


@pytest.mark.sampled
def test_draws_by_weights_are_as_by_nuts(data, roads_agree):
    roads_agree(partial(model.fit, data, position=True, judges=True))


@pytest.mark.parametrize("d", [0.0, 1e-9, 0.7, -3.0, 60.0, -2000.0, 1e6])
@pytest.mark.parametrize("tie", [-800.0, -0.7, 0.0, 40.0, 1e5])
def test_a_lead_is_exact_where_logits_are_extreme(d, tie):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        win, loss, tied = np.exp(
            paired_judgments.log_probabilities(np.array([d]), tie, "davidson")
        )[0]
        lead = paired_judgments.ahead(np.array([d]), np.zeros(1), np.array([tie]), "davidson")[0]
        either = paired_judgments.probabilities(np.array([d]), np.array([tie]), "davidson")
    np.testing.assert_allclose(np.ravel(either), [win, loss], rtol=1e-10, atol=1e-300)
    assert win + loss + tied == pytest.approx(1)
    # a difference as small as 1e-9 is lost in win - loss, not in the lead: tanh(d / 2) of the rest
    assert lead == pytest.approx(np.tanh(d / 2) * (win + loss), rel=1e-10, abs=1e-300)


def test_probabilities_of_either_form_sum_to_one_and_mirror():
    d, tie = np.linspace(-8, 8, 33), np.full(33, 0.3)
    for ties in paired_judgments.TIE_MODELS:
        both = np.exp(paired_judgments.log_probabilities(d, tie, ties))
        assert both.sum(-1) == pytest.approx(1.0)
        assert both[:, [1, 0, 2]] == pytest.approx(both[::-1])
        assert paired_judgments.log_chances(d, tie, ties).eval(
            mode="FAST_COMPILE"
        ) == pytest.approx(np.log(both), rel=1e-7)
    # Davidson: a tie is as likely as the geometric mean of win and loss, times a constant
    win, loss, tied = np.exp(paired_judgments.log_probabilities(d, tie, "davidson")).T
    assert tied / np.sqrt(win * loss) == pytest.approx(np.exp(0.3))


@pytest.mark.parametrize("ties", paired_judgments.TIE_MODELS)
def test_two_systems_by_weights_agree_with_a_grid(ties):
    for seed in (5, 6):
        data = model.simulate(2, judgments=30, tie_model=ties, rng=seed)
        tree = model.fit(data, tie_model=ties, sampler="laplace", rng=2, predictive=False)
        exact = of_davidson.two_abilities(tree["constant_data"]["counts"].values[0], ties)
        z = distances.from_weights(tree["posterior"]["ability"].isel(system=0), exact)
        assert max(z.values()) < 4


def test_published_table_by_maximum_likelihood():
    found = of_davidson.published(TABLE)
    assert found["max_error_of_abilities"] < 0.005 + 1e-3  # printed to two decimals


@pytest.mark.sampled
def test_published_order_is_the_posterior_order():
    table = {
        (a, b): (TABLE["wins"][i][j], TABLE["wins"][j][i], 0)
        for i, a in enumerate(TABLE["systems"])
        for j, b in enumerate(TABLE["systems"])
        if i < j
    }
    counts = bt.counts.from_table(table).assign_attrs(unit="judgment")
    tree = model.fit(counts, rng=1, predictive=False)
    found = bt.fits.compare(tree)
    assert (
        found["ability"].sortby(found["ability"], ascending=False)["system"].values.tolist()
        == TABLE["systems"]
    )
    last = found["ability"].values - found["ability"].values[-1]
    assert (last < np.array(TABLE["ability"]) + 0.05).all()  # drawn to their mean


def test_pairs_of_shared_items_are_refused():
    counts = bt.count(scores())
    with pytest.raises(ValueError, match=r"come from items that systems share.*item_response"):
        model.build(counts)
    with pytest.raises(ValueError, match=r"unknown what was counted.*unit='judgment'"):
        model.build(counts.assign_attrs(unit="unknown"))


def scores():
    return bt.read(
        pd.DataFrame(
            {"item": list("abcd"), "A": [1, 0, 1, 1], "B": [1, 1, 0, 0], "C": [0, 0, 1, 0]}
        )
    )


def test_systems_that_never_meet_are_named():
    counts = bt.counts.from_table(
        {("A", "B"): (3, 2, 1), ("C", "D"): (4, 1, 0), ("B", "E"): (1, 1, 1)}
    )
    with pytest.raises(ValueError, match="'C', 'D' never met any of the other systems"):
        model.build(counts.assign_attrs(unit="judgment"))


def test_bad_choices(data):
    with pytest.raises(ValueError, match="tie_model is 'coin'"):
        model.build(data, tie_model="coin")
    with pytest.raises(ValueError, match="needs judgments one by one"):
        model.build(bt.count(data), position=True)
    with pytest.raises(ValueError, match="the judgments have no judge"):
        model.build(data.drop_vars("judge"), judges=True)
    one = data.isel(judgment=(data["judge"] == "j0").values)
    with pytest.raises(ValueError, match="needs two judges or more"):
        model.build(one, judges=True)


def shown(*games):
    """Judgments of A and B: which was first, which won, and how often."""
    sides = {"A": ("one", "two"), "B": ("two", "one")}
    rows = [(*sides[f], sides[w][0]) for f, w, n in games for _ in range(n)]
    votes = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    return bt.io.read_judgments(votes)


def test_one_order_alone_does_not_tell_place_from_ability():
    data = shown(("A", "A", 40), ("A", "B", 10))
    for fit in (model.build, model.fit):
        with pytest.raises(ValueError, match="systems always met in one order; leave it out"):
            fit(data, position=True)
    with pytest.raises(ValueError, match="systems always met in one order"):
        model.by_cluster(data.assign_coords(cluster=("judgment", ["a", "b"] * 25)), position=True)
    with pytest.warns(UserWarning, match="the system shown first won all of 60 judgments that are"):
        model.build(shown(("A", "A", 50), ("B", "B", 10)), position=True)


def test_a_strong_advantage_of_place_is_no_ability():
    """The first won 90 of 100 and 9 of 10, whoever it was: the prior leaves room for it."""
    data = shown(("A", "A", 90), ("A", "B", 10), ("B", "B", 9), ("B", "A", 1))
    tree = model.fit(data, position=True, sampler="laplace", rng=1, predictive=False)
    better = bt.fits.compare(tree)["prob_better"].sel(system_a="one", system_b="two").item()
    assert 0.4 < better < 0.7
