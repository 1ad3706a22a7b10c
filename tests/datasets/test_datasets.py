"""The published tables, cell by cell."""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.mark.parametrize("task", ["named_entity", "template_element", "scenario_template"])
def test_every_check_mark(task):
    printed = pd.read_csv(REFERENCE / f"muc6_{task}.csv", index_col="rank")
    ours = bt.datasets.muc6_similarity(task)
    np.testing.assert_array_equal(ours["score"], printed.pop("f_measure"))
    np.testing.assert_array_equal(ours, printed.to_numpy().astype(bool))


@pytest.mark.parametrize(
    ("task", "one_way"),
    [("named_entity", []), ("template_element", [("9", "7")]), ("scenario_template", [])],
)
def test_where_the_marks_are_one_way(task, one_way):
    marks = bt.datasets.muc6_similarity(task)
    systems = marks["system_a"].values.tolist()
    found = [(a, b) for a in systems for b in systems if marks.loc[a, b] and not marks.loc[b, a]]
    assert found == one_way
    if one_way:
        assert "row 9 marks rank 7, row 7 does not mark rank 9" in marks.attrs["erratum"]


def test_unknown_task():
    with pytest.raises(ValueError, match="task is 'coreference'; choose one of named_entity"):
        bt.datasets.muc6_similarity("coreference")


def test_every_probability_of_the_intent_detection_systems():
    printed = pd.read_csv(REFERENCE / "intent_detection.csv", comment="#")
    square = printed.pivot(
        index="system_a", columns="system_b", values="probability_a_better_percent"
    )
    ours = bt.datasets.intent_detection_probabilities().to_pandas()
    np.testing.assert_array_equal(ours, square.loc[ours.index, ours.columns])


def test_published_functions_take_features_of_their_sets():
    sets = bt.datasets.beetle_feature_sets()
    functions = bt.datasets.beetle_functions()
    assert list(sets) == list(functions)
    for name, function in functions.items():
        assert set(function.coefficients) <= set(sets[name])
        assert set(function.confusions) <= set(sets[name])
    assert {name: len(features) for name, features in sets.items()} == {
        "scores.f": 7,
        "scores.precision": 7,
        "scores.recall": 7,
        "conf": 3,
        "scores.all": 21,
        "conf+scores.f": 10,
        "full": 24,
    }


def test_published_feature_sets_are_features_of_confusions():
    labels = bt.datasets.beetle_confusion()["actual"].values
    random = np.random.default_rng(1)
    gold, dialogue = np.tile(labels, 60), np.repeat([0, 1, 2], 100)
    predicted = np.where(random.random(300) < 0.5, gold, random.choice(labels, 300))
    confusion = bt.labels.confusion_matrix(gold, predicted, by=dialogue, labels=list(labels))
    features = bt.features.from_confusion(confusion, least=0)["feature"].values
    assert set(bt.datasets.beetle_feature_sets()["full"]) <= set(features)


def test_numbers_of_the_ordering_study():
    printed = tomllib.loads((REFERENCE / "tau.toml").read_text("utf-8"))
    table, statistics = printed["table_1"], bt.datasets.ordering_statistics()
    ranks = bt.datasets.ordering_ranks()
    for system in ("reference", "system 1", "system 2"):
        assert ranks.sel(system=system).values.tolist() == table[system.replace(" ", "_")]
    value = statistics["value"]
    assert value.filter(regex="^tau,").tolist() == table["printed"]
    assert value["values of tau"] == printed["figure_1"]["values"]
    assert set(value.filter(like="orders at tau")) == {printed["figure_1"]["orders"]}
    by_items = statistics.loc["F of ratings, by items"]
    analysis = printed["analysis_of_variance"]
    assert [by_items["value"], by_items["df1"], by_items["df2"]] == [analysis["f"], *analysis["df"]]
    study = printed["not_reproducible"]
    assert value["r, tau and ratings"] == study["tau_ratings"]
    assert value["r, tau and reading times"] == study["tau_times"]
    assert value["r, ratings and reading times"] == study["ratings_times"]
    assert value["their mean"] == study["intersubject"]
    assert value["subjects"] == study["subjects"]


def test_ratings_of_the_ordering_study_are_within_their_scale():
    ratings = bt.datasets.ordering_ratings()
    assert ((ratings["min"] >= 1) & (ratings["max"] == 7)).all()
    assert ratings["mean"].between(ratings["min"], ratings["max"]).all()
    assert ratings["mean"].idxmax() == 1
