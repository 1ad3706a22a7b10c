"""All systems at once: ranks, the luckiest of many, triads, separation."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.wins import davidson
from betterthan.model_registry import ROSTER
from betterthan.models import hierarchical, likelihood_data
from betterthan.models.priors import Prior
from betterthan.results.provenance import OWN_PRIOR


@pytest.fixture(scope="module")
def equal():
    """Twelve systems that are equally able, on 60 items."""
    random = np.random.default_rng(3)
    chance = 1 / (1 + np.exp(-1.2 * random.normal(size=(60, 1))))
    scores = (random.random((60, 12)) < chance).astype(float)
    return xr.DataArray(
        scores, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(12)]}
    )


@pytest.fixture(scope="module")
def items(equal):
    return bt.models.item_response.fit(equal, rng=1, predictive=False)


@pytest.fixture(scope="module")
def judged():
    return bt.datasets.example_fit("davidson")


@pytest.fixture(scope="module")
def rao_kupper():
    """Of the same judgments."""
    return bt.datasets.example_fit("rao_kupper")


@pytest.mark.sampled
def test_the_luckiest_is_moved_back(items, equal):
    found = bt.fits.compare(items)
    top = int(found["score"].values.argmax())
    assert found["score"].values == pytest.approx(equal.mean("item").values)
    gain = found["score"].values[top] - found["score"].values.mean()
    kept = found["expected_score"].values[top] - found["expected_score"].values.mean()
    assert 0 < kept < 0.75 * gain
    assert found["tied_with_top"].sum() > 6
    assert found["prob_best"].max() < 0.6


@pytest.mark.sampled
def test_answers_hang_together(items):
    found = bt.fits.compare(items, rope=0.02)
    p = found["prob_better"].values
    assert p + p.T == pytest.approx(1.0)
    assert found["mass"].sum("region").values == pytest.approx(1.0)
    assert found["prob_rank"].sum("rank").values == pytest.approx(1.0)
    assert found["prob_best"].values == pytest.approx(found["prob_rank"].sel(rank=1).values)
    apart = found["expected_score"].values[:, None] - found["expected_score"].values
    assert found["difference_mean"].values == pytest.approx(apart, abs=1e-9)


def test_next_judgment(judged):
    found = bt.fits.compare(judged)
    expected = found["expected"].values
    assert expected.sum(-1) == pytest.approx(1.0)
    assert expected[..., 0] == pytest.approx(expected[..., 1].T)
    assert found["difference_mean"].values == pytest.approx(
        expected[..., 0] - expected[..., 1], abs=1e-6
    )
    posterior = judged["posterior"].to_dataset()
    d = posterior["ability"].isel(system=0) - posterior["ability"].isel(system=1)
    win = (1 / (1 + np.exp(-d) + np.exp(posterior["tie"] - d / 2))).mean()
    assert expected[0, 1, 0] == pytest.approx(win.item())


def test_rao_kupper_answers(rao_kupper):
    found = bt.fits.compare(rao_kupper)
    assert found["expected"].sum("outcome").values == pytest.approx(1.0)
    assert (found["expected"] > -1e-12).all()
    rows = rao_kupper["constant_data"].to_dataset()
    seen = rows["counts"].values / rows["counts"].values.sum(1, keepdims=True)
    expected = found["expected"].values[rows["a"].values, rows["b"].values]
    assert expected == pytest.approx(seen, abs=0.08)  # 64 to 68 judgments a pair
    even = found["expected"].sel(outcome="tie").values[0, 0]
    assert float(rao_kupper["posterior"]["tie_propensity"].mean()) == pytest.approx(even)


def test_models_of_the_same_judgments(judged, rao_kupper):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = bt.fits.loo({"davidson": judged, "rao_kupper": rao_kupper})
    assert table.attrs["warnings"] == list(dict.fromkeys(str(w.message) for w in caught))
    assert (table["elpd_diff"] <= 0).all()
    assert table["weight"].sum() == pytest.approx(1, abs=1e-6)


def test_models_of_other_data_are_refused(judged):
    other = judged.copy()
    other["log_likelihood"] = other["log_likelihood"].to_dataset().isel(row=[0, 1])
    with pytest.raises(ValueError, match="compare models of the same data"):
        bt.fits.loo({"a": judged, "b": other})
    with pytest.raises(ValueError, match="trees is 1 of them; give two fits or more"):
        bt.fits.loo({"a": judged})
    with pytest.raises(ValueError, match="has no log likelihood"):
        bt.fits.loo(
            {
                "a": judged,
                "b": bt.posterior.draws(bt.datasets.contingency_case("a"), draws=9, rng=1),
            }
        )


def test_transitive_judgments_pass(judged):
    assert bt.fits.transitivity(judged)["p_value"].min() > 0.01


@pytest.mark.sampled
def test_circles_do_not():
    circle = {("A", "B"): (40, 5, 5), ("B", "C"): (40, 5, 5), ("A", "C"): (5, 40, 5)}
    counts = bt.counts.from_table(circle).assign_attrs(unit="judgment")
    found = bt.fits.transitivity(bt.models.davidson.fit(counts, rng=1))
    assert found["observed"].sel(check="circular_triads") == 1
    assert found["p_value"].sel(check="misfit") < 0.01


def test_circular_triads_by_enumeration():
    random = np.random.default_rng(1)
    upper = np.triu(random.integers(-2, 3, size=(7, 7)), 1)
    margin = upper - upper.T
    beats = margin > 0
    by_hand = sum(
        bool(beats[a, b] & beats[b, c] & beats[c, a])
        or bool(beats[a, c] & beats[c, b] & beats[b, a])
        for a in range(7)
        for b in range(a)
        for c in range(b)
    )
    assert davidson.circular(margin[None])[0] == pytest.approx(by_hand)


@pytest.mark.sampled
def test_separation_is_answered_with_a_note(equal):
    all_right = equal.copy()
    all_right[:, 0] = 1.0
    tree = bt.models.item_response.fit(all_right, rng=1, predictive=False)
    found = bt.fits.compare(tree)
    assert "! Only the prior bounds the differences from 's0', which solved everything" in str(
        found
    )
    assert found["prob_best"].values[0] > 0.95
    assert found["expected_score"].values[0] < 1


@pytest.mark.sampled
def test_a_comparison_by_abilities_says_who_won_everything():
    won = [("A", "B", "model_a"), ("A", "C", "model_a"), ("B", "C", "model_a")] * 4
    columns = ["model_a", "model_b", "winner"]
    votes = pd.DataFrame([*won, ("B", "C", "model_b")], columns=columns)
    compared = bt.compare(votes, method="advised", rng=1)
    assert "! Only the prior bounds the differences from 'A', which won every" in str(compared)


def test_replications_are_needed(judged):
    tree = judged.copy()
    del tree["posterior_predictive"]  # as without predictive=True
    with pytest.raises(ValueError, match="fit with predictive=True"):
        bt.fits.transitivity(tree)


@pytest.mark.parametrize("name", ["davidson", "rao_kupper", "graded", "mallows"])
def test_a_model_with_priors_of_its_own_names_no_beta_prior(name):
    answer = bt.fits.compare(bt.datasets.example_fit(name))
    model = answer.attrs["model"]
    assert f"| prior=that of {model} |" in bt.signature(answer)


def test_models_with_priors_of_their_own_are_those_of_the_roster():
    own = {spec.name for spec in ROSTER if spec.own_prior and spec.fitted}
    assert set(OWN_PRIOR) == own


def test_crossed_data_sets_name_no_beta_prior():
    counts = bt.models.hierarchical.simulate((2, 3), n=20, rng=1)["counts"]
    groups = likelihood_data.by_dataset(counts)
    attrs = hierarchical._attrs(groups, Prior.parse(None, groups.pairs), None, None)
    assert attrs["prior"] == "Normal(0, 1.5) of mu, HalfNormal(0.5) of effects"


def changed(tree, change):
    """The tree with another posterior, as a user puts it back."""
    new = tree.copy()
    posterior = tree["posterior"].to_dataset()
    new["posterior"] = change(posterior).assign_attrs(posterior.attrs)
    return new


def test_a_posterior_in_another_order_is_joined_to_its_data_by_name(items):
    order = [f"s{k}" for k in reversed(range(12))]
    answer = bt.fits.compare(items)
    turned = bt.fits.compare(changed(items, lambda posterior: posterior.sel(system=order)))
    xr.testing.assert_identical(turned["score"], answer["score"])
    xr.testing.assert_allclose(turned["prob_better"], answer["prob_better"])
    with pytest.raises(ValueError, match="no draws of system 's0', which its data have; keep all"):
        bt.fits.compare(changed(items, lambda posterior: posterior.isel(system=slice(1, None))))


@pytest.mark.parametrize("systems", [["s2", "s1", "s0"], ["s0", "s1"]])
def test_a_tree_whose_systems_were_reordered_or_cut_is_refused(systems):
    votes = bt.models.davidson.simulate(3, judgments=60, rng=1)
    tree = bt.models.davidson.fit(votes, sampler="laplace", rng=1, predictive=False)
    assert bt.fits.compare(tree).data["system"].values.tolist() == ["s0", "s1", "s2"]
    with pytest.raises(ValueError, match="systems of tree were put in another order, or left"):
        bt.fits.compare(tree.sel(system=systems))
