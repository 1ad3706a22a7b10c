"""Features from confusion matrices, learning gain, published functions, and what a function
refuses.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

WORST = "freq.predicted.pc_incomplete.actual.contradictory"


@pytest.fixture(scope="module")
def functions():
    return bt.datasets.beetle_functions()


@pytest.fixture(scope="module")
def dialogues():
    gold = ["a", "a", "b", "b", "a", "b", "b", "b", "a"]
    predicted = ["a", "b", "b", "a", "b", None, "a", "b", "b"]
    return bt.labels.confusion_matrix(gold, predicted, by=["d1"] * 4 + ["d2"] * 5)


def test_one_matrix_for_each_dialogue(dialogues):
    assert dialogues.dims == ("dialogue", "predicted", "actual")
    assert dialogues.values.tolist() == [[[1, 1], [1, 1]], [[0, 1], [2, 1]]]
    assert dialogues["n_actual"].values.tolist() == [[2, 2], [2, 3]]
    alone = bt.labels.confusion_matrix(
        ["a", "b", "b", "b", "a"], ["b", None, "a", "b", "b"], labels=["a", "b"]
    )
    np.testing.assert_array_equal(dialogues.sel(dialogue="d2"), alone)


def test_features_of_dialogues_are_those_of_each_matrix(dialogues):
    features = bt.features.from_confusion(dialogues)
    for dialogue in ("d1", "d2"):
        one = bt.features.from_confusion(dialogues.sel(dialogue=dialogue))
        np.testing.assert_allclose(features.sel(dialogue=dialogue), one)
        scores = bt.labels.precision_recall_f(dialogues.sel(dialogue=dialogue))
        for average in ("macro", "weighted", "pooled"):
            for measure in ("precision", "recall", "f"):
                expected = scores["averaged"].sel(average=average, measure=measure).item()
                assert one.sel(feature=f"{measure}.{average}").item() == pytest.approx(expected)
    np.testing.assert_allclose(
        bt.labels.precision_recall_f(dialogues)["by_label"].sel(dialogue="d1"),
        bt.labels.precision_recall_f(dialogues.sel(dialogue="d1"))["by_label"],
    )
    assert features.sel(dialogue="d2", feature="freq.predicted.b.actual.a").item() == pytest.approx(
        2 / 3
    )


def test_rare_confusions_are_left_out(dialogues):
    assert bt.features.from_confusion(dialogues).attrs["confusions"] == [
        "freq.predicted.a.actual.b",
        "freq.predicted.b.actual.a",
    ]
    # d1 has each of them once
    assert bt.features.from_confusion(dialogues, least=2).attrs["confusions"] == []
    doubled = dialogues.copy(data=dialogues.values * [[[1, 1], [2, 1]]]).drop_vars("n_actual")
    kept = bt.features.from_confusion(doubled, least=2)
    assert kept.attrs["confusions"] == ["freq.predicted.b.actual.a"]
    # the share is still of all errors: those left out of the features were errors, too
    assert kept.sel(dialogue="d1", feature="freq.predicted.b.actual.a").item() == pytest.approx(
        2 / 3
    )


def test_a_label_named_like_an_average():
    with pytest.raises(ValueError, match="'macro' is also the name of an average"):
        bt.features.from_confusion(bt.labels.confusion_matrix(["macro", "b"], ["macro", "b"]))


def test_dialogues_missing_or_too_few():
    with pytest.raises(ValueError, match="dialogue of the item at position 1 is missing"):
        bt.labels.confusion_matrix(["a", "b"], ["a", "b"], by=["d", None])
    with pytest.raises(ValueError, match="by names the dialogue of 1 items, gold has 2"):
        bt.labels.confusion_matrix(["a", "b"], ["a", "b"], by=["d"])


def test_learning_gain():
    pre, post = np.array([0.2, 0.5, 0.9, np.nan]), np.array([0.6, 0.5, 0.8, 0.7])
    np.testing.assert_allclose(bt.features.learning_gain(pre, post), [0.5, 0, -1, np.nan])
    labelled = bt.features.learning_gain(
        xr.DataArray(pre, dims="dialogue"), xr.DataArray(post, dims="dialogue")
    )
    assert labelled.dims == ("dialogue",)
    with pytest.raises(ValueError, match="pre is 1 at position 1: nothing was left to gain"):
        bt.features.learning_gain([0.5, 1.0], [0.7, 1.0])
    for bad, words in (
        ([70], "post holds 70; give shares"),
        ([], "post is empty; give shares"),
        ("all", "post is 'all'; give shares"),
        ({}, "post is a dict; give shares"),
    ):
        with pytest.raises(ValueError, match=words):
            bt.features.learning_gain([0.5], bad)


@pytest.mark.parametrize(
    ("name", "component", "expected", "printed"),
    [
        ("scores.all", "beetle", 0.6469, 0.66),
        ("scores.all", "majority", 0.2744, 0.28),
        ("scores.all", "decision_tree", 0.6191, 0.63),
        ("full", "beetle", 0.5949, 0.59),
    ],
)
def test_published_predictions(functions, name, component, expected, printed):
    beetle = bt.datasets.beetle_confusion()
    given = {
        "beetle": beetle,
        "majority": bt.labels.majority_baseline(beetle),
        "decision_tree": bt.datasets.beetle_scores().sel(system="decision_tree"),
    }[component]
    found = functions[name].predict(given)
    assert round(found, 4) == expected
    assert abs(found - printed) < 0.015  # the printed coefficients have two decimals


def test_every_published_coefficient(functions):
    printed = {
        "scores.f": "0.32 + 0.56 f.weighted",
        "scores.precision": "0.61",
        "scores.recall": "0.37 + 0.56 recall.weighted",
        "conf": f"0.74 - 0.56 {WORST}",
        "scores.all": "0.63 + 4.2 f.weighted - 1.3 precision.weighted - 2.79 recall.weighted - "
        "0.07 recall.non_content",
        "conf+scores.f": f"0.52 - 0.66 {WORST} + 0.42 f.correct - 0.07 f.non_content",
        "full": f"0.88 - 0.68 {WORST} - 0.06 precision.non_content + 0.28 recall.correct "
        "- 0.79 precision.weighted + 0.65 f.weighted",
    }
    assert {name: str(f) for name, f in functions.items()} == {
        k: f"learning gain = {v}" for k, v in printed.items()
    }


def test_printed_tables_are_what_the_matrix_gives():
    printed = bt.datasets.beetle_scores()
    beetle = bt.datasets.beetle_confusion()
    for system, matrix in (
        ("beetle_ii", beetle),
        ("majority", bt.labels.majority_baseline(beetle)),
    ):
        ours = bt.features.from_confusion(matrix)
        for label in printed["label"].values:
            for measure in printed["measure"].values:
                expected = printed.sel(system=system, label=label, measure=measure).item()
                assert round(ours.sel(feature=f"{measure}.{label}").item(), 2) == expected


@pytest.mark.parametrize("name", ["conf", "conf+scores.f", "full"])
def test_a_component_with_other_confusions_is_refused(functions, name):
    baseline = bt.labels.majority_baseline(bt.datasets.beetle_confusion())
    with pytest.raises(
        ValueError,
        match="only 0 % of the component's errors are confusions that the training data had",
    ):
        functions[name].predict(baseline)
    perfect = bt.labels.from_table(
        pd.DataFrame(
            np.eye(5, dtype=int) * 9,
            *[["contradictory", "correct", "irrelevant", "non_content", "pc_incomplete"]] * 2,
        )
    )
    with pytest.raises(ValueError, match="only 0 %"):
        functions[name].predict(perfect)


def test_predict_takes_many_components_at_once(functions):
    table = pd.DataFrame({"f.weighted": [0.5, 0.6]}, index=["A", "B"])
    predicted = functions["scores.f"].predict(table)
    assert predicted.name == "learning gain"
    np.testing.assert_allclose(predicted, [0.6, 0.656])
    assert functions["scores.precision"].predict(table).tolist() == [0.61, 0.61]
    by_dialogue = functions["scores.f"].predict(bt.datasets.beetle_scores())
    assert by_dialogue.dims == ("system",)


def test_predict_refuses_what_lacks_a_feature(functions):
    with pytest.raises(ValueError, match=r"missing; component has recall\.weighted"):
        functions["scores.f"].predict({"recall.weighted": 0.5})
    with pytest.raises(ValueError, match="component is a float"):
        functions["scores.f"].predict(0.5)
    with pytest.raises(ValueError, match="coefficient of 'f' is nan"):
        bt.features.PerformanceFunction.from_coefficients(1, {"f": float("nan")})


def test_the_share_of_unclassified_items_is_a_feature_if_asked_for():
    """1,064 of 3,379 answers of the published matrix got no label; by dialogue it is counted."""
    matrix = bt.datasets.beetle_confusion()
    assert "unclassified" not in bt.features.from_confusion(matrix)["feature"]
    found = bt.features.from_confusion(matrix, unclassified=True).sel(feature="unclassified")
    assert found.item() == pytest.approx(1064 / 3379)
    gold, predicted = list("aabbaabb"), ["a", None, "b", "a", "", None, "b", "b"]
    by = bt.labels.confusion_matrix(gold, predicted, by=[1, 1, 1, 1, 2, 2, 2, 2])
    shares = bt.features.from_confusion(by, unclassified=True).sel(feature="unclassified")
    assert shares.values.tolist() == [0.25, 0.5]
    function = bt.features.PerformanceFunction.from_coefficients(0.5, {"unclassified": -1.0})
    assert function.predict(matrix) == pytest.approx(0.5 - 1064 / 3379)
