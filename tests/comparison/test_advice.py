"""Advice follows the data, and a comparison follows the advice."""

import functools
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.comparison.data import recognise
from betterthan.comparison.engines import Answer
from betterthan.comparison.evaluation import evaluate
from betterthan.comparison.joint_ranking import joint_posterior
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Table
from betterthan.models import Sampling
from betterthan.posterior.table import Question
from validation import designs

DESIGN = designs.Design(60, 0.4, 3, 3)


@pytest.fixture(scope="module")
def scores():
    return designs.scores_of(DESIGN, 5)


@pytest.fixture(scope="module")
def advised(scores):
    """The advised comparison of each kind of data, sampled once."""
    data = {model: data for data, model in kinds(scores).values()}
    return functools.cache(lambda model: bt.compare(data[model], method="advised", rng=1))


def kinds(scores):
    """Data of each kind, and the model that answers them."""
    graded = designs.graded_scores(DESIGN, 5)
    plain, judgments = scores.drop_vars(["cluster", "dataset"]), designs.judgments_of(DESIGN, 5)
    two_each = [f"j{k // 2}" for k in range(judgments.sizes["judgment"])]
    return {
        "clusters": (scores, "among_all"),
        "two in clusters": (scores.isel(system=[0, 1]), "student_t"),
        "data sets": (scores.drop_vars("cluster"), "hierarchical"),
        "items": (plain, "among_all"),
        "two": (plain.isel(system=[0, 1]), "dirichlet_multinomial"),
        "graded": (graded.drop_vars("cluster"), "among_all"),
        "two graded": (graded.drop_vars("cluster").isel(system=[0, 1]), "student_t"),
        "judgments": (judgments.assign_coords(judge=("judgment", two_each)), "davidson"),
        "judges": (judgments, "davidson_by_cluster"),
    }


def test_each_kind_of_data_has_its_model(scores):
    for data, model in kinds(scores).values():
        advice = bt.advise(data)
        assert advice.model == model
        assert len(str(advice).split("\n")) == 3


def test_counts_and_trials(scores):
    plain = scores.drop_vars(["cluster", "dataset"])
    assert bt.advise(bt.count(scores, by="dataset")).model == "hierarchical"
    assert "unequal" not in bt.advise(bt.count(scores, by="dataset")).why
    assert bt.advise(bt.count(scores, by="cluster")).model == "student_t"
    assert bt.advise(bt.count(designs.judgments_of(DESIGN, 5))).model == "davidson"
    assert bt.advise(bt.counts.trials(plain)).model == "among_all"
    of_items = bt.advise(bt.count(plain))
    assert of_items.model == "dirichlet_multinomial"
    assert "shared items" in of_items.why
    assert "unknown" in bt.advise(bt.count(plain).assign_attrs(unit="unknown")).why
    tallies = bt.io.tallies_from_table(
        pd.DataFrame(
            {"system": list("ABAB"), "doc": [1, 1, 2, 2], "tp": [1, 2, 3, 4], "fp": 0, "fn": 1}
        )
    )
    assert bt.advise(tallies).model == "bayesian_bootstrap"


CALLS = {
    "data sets": "fits.compare(betterthan.models.hierarchical.fit(betterthan.count(data, "
    "by='dataset')))",
    "graded": "compare(data, quantity='mean')",
    "two graded": "compare(data, quantity='mean')",
    "judgments": "fits.compare(betterthan.models.davidson.fit(data, judges=True))",
    "judges": "models.davidson.by_cluster(data, by='judge')",
}


def test_what_is_printed_is_what_is_done(scores):
    """The code that is printed, and what the row of the model makes of the data."""
    for kind, (data, model) in kinds(scores).items():
        advice = bt.advise(data)
        assert advice.call == f"betterthan.{CALLS.get(kind, 'compare(data)')}"
        ready = advice.spec.prepare(advice.loaded)
        counted = bt.count(data, by="dataset") if model == "hierarchical" else data
        xr.testing.assert_equal(ready, counted)
        options = {"graded": {"quantity": "mean"}, "two graded": {"quantity": "mean"}}
        options |= {"judgments": {"judges": True}, "judges": {"by": "judge"}}
        assert advice.options == options.get(kind, {})


def test_the_closed_form_that_is_advised_is_what_compare_does(scores):
    for kind, (data, model) in kinds(scores).items():
        if model in ("among_all", "student_t"):
            choices = bt.advise(data).options
            advised = bt.compare(data, method="advised", rng=1)
            plain = bt.compare(data, rng=1, **choices)
            for name in ("prob_better", "difference_lower", "verdict"):
                np.testing.assert_array_equal(advised[name].values, plain[name].values, kind)


def test_advice_of_no_model_of_the_package_is_in_words(scores):
    assert str(bt.advise(scores)).startswith("Use the joint model of all systems: betterthan.")
    assert str(bt.advise(scores.isel(system=[0, 1]))).startswith("Use Student's t: betterthan.")


def test_other_data_are_refused():
    with pytest.raises(ValueError, match="data is ndarray; give scores, tallies, counts"):
        bt.advise(np.zeros(3))


@pytest.mark.sampled
def test_comparison_follows_the_advice(scores, advised):
    data, model = kinds(scores)["judgments"]
    comparison = advised(model)
    assert (comparison.provenance.model, list(comparison.alternatives)) == (model, ["exact"])
    p = comparison["prob_better"].values
    assert p + p.T == pytest.approx(1.0)
    assert comparison["prob_best"].sum().item() == pytest.approx(1.0)
    assert comparison.attrs["advice"] == str(bt.advise(data))
    assert f"method=advised ({model}, judges)" in bt.signature(comparison)
    text = bt.report(comparison)
    assert f"({model})" in text
    assert "position of the two outputs is ignored" in text
    assert "one set of independent ones" in " ".join(text.split())
    assert "P(best)" in text
    for form in ("markdown", "html", "latex"):
        assert "Advised" in bt.report(comparison, format=form)


def test_closed_form_is_advised_for_two_systems(scores):
    data = kinds(scores)["two"][0]
    comparison = bt.compare(data, method="advised", rng=1)
    assert not comparison.alternatives
    assert "prob_best" not in comparison
    three = bt.count(scores.drop_vars(["cluster", "dataset"])).assign_attrs(unit="unknown")
    comparison = bt.compare(three, method="advised")
    assert not comparison.alternatives
    assert "it needs the scores of the items" in comparison.attrs["no_joint"]


def test_an_advised_model_sees_what_is_counted(scores, monkeypatch):
    seen = {}

    def caught(counts, **_):
        seen["counts"] = counts
        raise StopIteration

    monkeypatch.setattr(bt.models.hierarchical, "fit", caught)
    gaps = kinds(scores)["data sets"][0].copy()
    gaps[4, 1] = np.nan
    with pytest.raises(StopIteration):
        bt.compare(gaps, method="advised", missing="wrong")
    wrong = bt.compare(gaps, missing="wrong")["counts"]
    np.testing.assert_array_equal(seen["counts"].sum("dataset").values, wrong.values)


@pytest.mark.parametrize(
    ("kind", "choices", "message"),
    [
        ("judgments", {"prior": "jeffreys"}, "a prior of win, loss and tie says nothing of the ad"),
        ("judgments", {"missing": "wrong"}, "missing='wrong' is for scores"),
        ("two in clusters", {"prior": "jeffreys"}, "says nothing of Student's t on clusters"),
    ],
)
def test_what_a_model_does_not_know_is_refused(scores, kind, choices, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(kinds(scores)[kind][0], method="advised", **choices)


def test_tallies_are_drawn_as_they_are_scored():
    random = np.random.default_rng(3)
    coords = {"system": list("ABC"), "tally": ["tp", "fp", "fn"]}
    tallies = xr.DataArray(
        random.integers(0, 4, (40, 3, 3)), dims=("item", "system", "tally"), coords=coords
    )
    comparison = bt.compare(tallies, method="advised", rng=1)
    alone = bt.scores.bootstrap(tallies, rng=1)
    assert (comparison.provenance.model, list(comparison.alternatives)) == (
        "bayesian_bootstrap",
        ["exact"],
    )
    np.testing.assert_array_equal(comparison["prob_best"].values, alone["prob_best"].values)
    assert "prior=zero | method=advised (bayesian_bootstrap)" in bt.signature(comparison)
    assert "4,000, independent" in bt.report(comparison)
    # the score and its difference are F1 of all items together
    np.testing.assert_array_equal(comparison["score"].values, alone["score"].values)
    assert comparison.provenance.quantity == "F1"
    text = bt.report(comparison)
    assert "Difference in F1" in text
    assert "<small>F1</small>" in bt.report(comparison, format="html")
    assert "win rate" not in text
    assert "Mean score" not in text


def test_runs_of_tallies_are_one_unit():
    random = np.random.default_rng(3)
    coords = {
        "system": list("AB"),
        "tally": ["tp", "fp", "fn"],
        "item": [f"q{k}" for k in range(30)],
    }
    once = xr.DataArray(
        random.integers(0, 4, (30, 2, 3)), dims=("item", "system", "tally"), coords=coords
    )
    often = xr.concat([once] * 6, "item").assign_coords(epoch=("item", np.repeat(np.arange(6), 30)))
    one, six = (bt.compare(t, method="advised", tests=["sign"], rng=1) for t in (once, often))
    assert six["prob_better"].values == pytest.approx(one["prob_better"].values)
    assert six["difference_lower"].values == pytest.approx(one["difference_lower"].values)
    grouped = once.assign_coords(cluster=("item", np.arange(30) // 3))
    assert "unit='cluster'" in bt.advise(grouped).call


def test_dims_of_counts_that_a_model_does_not_know_are_summed(scores):
    by_cluster = bt.count(scores, by="cluster")
    two_sets = xr.concat([by_cluster, by_cluster], "dataset")
    advice = bt.advise(two_sets)
    assert advice.model == "student_t"
    once, twice = bt.compare(by_cluster), bt.compare(two_sets)
    np.testing.assert_array_equal(twice["counts"].values, 2 * once["counts"].values)
    np.testing.assert_allclose(twice["prob_better"].values, once["prob_better"].values)
    one = bt.count(kinds(scores)["two"][0]).expand_dims(cluster=["all"])
    assert bt.advise(one).model == "dirichlet_multinomial"
    comparison = bt.compare(one, method="advised")  # a warning would be an error
    assert comparison.attrs["notes"] == ""
    assert bt.compare(one.rename(cluster="dataset")).attrs["notes"] == ""


def test_counts_are_counted_once(scores):
    two = kinds(scores)["two"][0]
    assert "one set of 60 items" in str(bt.advise(bt.count(two)))
    trials = bt.counts.trials(two)
    assert "one set of 60 items" in str(bt.advise(trials.transpose("system", "item")))


def test_trials_of_several_data_sets_and_of_clusters(scores):
    trials = bt.counts.trials(kinds(scores)["data sets"][0])
    advice = bt.advise(trials)
    assert advice.model == "hierarchical"
    assert "data['successes'].where(data['trials'] > 0), by='dataset'" in advice.call
    counts = advice.spec.prepare(advice.loaded)
    assert counts.sizes["dataset"] == 3
    trials["trials"] = 2 * trials["trials"]
    in_clusters = trials.assign_coords(cluster=("item", np.arange(60) // 4))
    assert "60 items with all their runs" in bt.advise(trials).why
    assert "15 clusters are the units" in bt.advise(in_clusters).why


def test_choices_that_do_not_fit_the_advice(scores):
    with pytest.raises(ValueError, match="method='advised' keeps ties"):
        bt.compare(scores, method="advised", ties="drop")
    found = bt.compare(kinds(scores)["graded"][0], method="advised", rope=0.01)
    assert (found.provenance.quantity, found.provenance.rope) == (
        "mean",
        0.01,
    )  # in units of the score


@pytest.mark.sampled
def test_comparison_survives_netcdf(advised, tmp_path):
    comparison = advised("davidson")
    comparison.save(tmp_path / "c.nc")
    back = bt.load(tmp_path / "c.nc")
    assert str(back) == str(comparison)
    assert bt.report(back) == bt.report(comparison)


@pytest.mark.sampled
def test_the_report_shows_each_data_set(scores, advised):
    comparison = advised("hierarchical")
    text = bt.report(comparison)
    sizes = scores["dataset"].to_series().value_counts()
    assert "Examples of each data set" in text
    assert f"d0 {sizes['d0']}" in text
    assert comparison["prob_better_dataset"].sizes["dataset"] == 3
    sure = abs(comparison["prob_better"] - 0.5)
    assert (abs(comparison["prob_better_new"] - 0.5) <= sure + 0.02).all()
    for form in ("text", "markdown", "html", "latex"):
        assert "a new one" in bt.report(comparison, format=form)
    assert "data sets as draws of one kind" in text
    average = "The answer is the average over 3 data sets, each counted once. Scores, wins,"
    assert average in " ".join(text.split())


def joint(data, taken):
    """The joint answer beside a model that takes this into account."""
    choices = {"method": "exact", "ties": "third", "missing": "pairwise", "margin": 0.0}
    options = Options.validate(
        **vars(Question()),
        prior=None,
        systems=None,
        baseline=None,
        tests=None,
        rng=5,
        sampling=Sampling(),
        quantity=None,
        unit=None,
        weight="item",
        **choices,
    )
    advice: Any = SimpleNamespace(spec=SimpleNamespace(fitted=True, takes=taken), options={})
    evaluation = evaluate(recognise(data), options, advice)
    table = joint_posterior(evaluation, options, Answer("exact", Table()))
    return table.with_arrays(evaluation.columns).to_dataset()


def test_the_joint_answer_weighs_data_sets_alike():
    random = np.random.default_rng(1)
    large, small = (
        random.random((200, 3)) < [0.7, 0.6, 0.5],
        random.random((60, 3)) < [0.3, 0.5, 0.6],
    )
    data = xr.DataArray(
        np.concatenate([large, small]).astype(float),
        dims=("item", "system"),
        coords={"system": list("ABC"), "dataset": ("item", ["x"] * 200 + ["y"] * 60)},
    )
    found, pooled = joint(data, ["dataset"]), joint(data, [])
    assert pooled["prob_best"].values[0] > found["prob_best"].values[0] + 0.2
    assert found.attrs["joint_units"] == "260 items of data sets, which weigh the same"
    # the mean of the two means, each with its own error: A and C are at .5, as is B at .55
    middle = (data[:200].mean("item") + data[200:].mean("item")) / 2
    order = np.argsort(-middle.values)
    assert found["expected_rank"].values[order].tolist() == sorted(found["expected_rank"].values)


def test_runs_beside_a_model_are_averaged(scores, monkeypatch):
    once = kinds(scores)["items"][0]
    again = once.copy(data=np.where(np.arange(60)[:, None] % 4 == 0, 1 - once.values, once.values))
    runs = xr.concat([once, again], "item").assign_coords(epoch=("item", np.repeat([1, 2], 60)))
    monkeypatch.setattr("betterthan.comparison.engines.advised", lambda *_: None)
    comparison = bt.compare(runs, method="advised", rng=1)
    shares = ((once + again) / 2).assign_coords(item=once["item"])
    np.testing.assert_array_equal(comparison["counts"].values, bt.count(shares).values)
    assert comparison.attrs["n_items"] == 60
    assert comparison.attrs["data_hash"] == bt.compare(runs).attrs["data_hash"]
    runs[3, 1] = np.nan
    comparison = bt.compare(runs, method="advised", missing="wrong", rng=1)
    assert (
        comparison.attrs["missing"],
        comparison.attrs["n_blank"],
        comparison.attrs["n_items"],
    ) == ("wrong", 1, 60)
    assert "compare the mean of an item's runs" in comparison.attrs["notes"]


def test_advice_says_what_is_given_up(scores):
    assert "it pools the 3 data sets" in bt.advise(scores).why
    assert "the mean decides" in bt.advise(kinds(scores)["graded"][0]).why
    with pytest.raises(FileNotFoundError, match=r"no such file: results.csv"):
        bt.advise("results.csv")


def test_advice_can_be_kept():
    advice = bt.advise(bt.datasets.contingency_case("a"))
    assert str(pickle.loads(pickle.dumps(advice))) == str(advice)
