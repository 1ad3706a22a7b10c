"""A class that a dialogue does not have shows no skill: neither 0 nor 1."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def perfect(lacking, dialogues=20, turns=12):
    """Everything is classified rightly, and class c occurs in some dialogues alone."""
    random = np.random.default_rng(1)
    by = np.repeat(np.arange(dialogues), turns)
    gold = random.choice(["a", "b", "c"], dialogues * turns)
    gold[(by < lacking) & (gold == "c")] = "a"
    return bt.labels.confusion_matrix(gold, gold, by=by)


def test_a_perfect_classifier_is_perfect_wherever_it_could_be():
    """f.c was 0 and f.macro .667 in dialogues without class c."""
    features = bt.features.from_confusion(perfect(8))
    of_c = features.sel(feature=["precision.c", "recall.c", "f.c"])
    assert of_c[:8].isnull().all()
    assert (of_c[8:] == 1).all()
    averages = [f"{m}.{of}" for m in ("precision", "recall", "f") for of in bt_averages]
    assert (features.sel(feature=averages) == 1).all()


bt_averages = ("macro", "weighted", "pooled")


def test_absences_are_counted():
    features = bt.features.from_confusion(perfect(8))
    assert features["n_absent"].sel(feature="f.c") == 8
    assert features["n_absent"].sel(feature=["f.a", "f.macro"]).values.tolist() == [0, 0]
    one = bt.features.from_confusion(perfect(8)[0])
    assert one["n_absent"].sel(feature="recall.c") == 1


def test_a_class_that_is_never_found_scores_zero_still():
    matrix = bt.labels.confusion_matrix(["a", "b", "b"], ["a", "a", "a"])
    features = bt.features.from_confusion(matrix)
    assert features.sel(feature=["precision.b", "recall.b", "f.b"]).values.tolist() == [0, 0, 0]
    assert features.sel(feature="recall.macro") == pytest.approx(0.5)


def test_an_absent_class_that_is_named_costs_others_their_recall():
    matrix = bt.labels.confusion_matrix(["a", "a", "b"], ["a", "c", "b"])
    features = bt.features.from_confusion(matrix)
    assert features.sel(feature="f.c").isnull()
    assert features.sel(feature="recall.macro") == pytest.approx((0.5 + 1) / 2)


def test_stepwise_does_not_learn_which_classes_occurred():
    """The response is better where class c occurs; its score is 1 there, and there alone."""
    features = bt.features.from_confusion(perfect(8))
    random = np.random.default_rng(2)
    gain = (np.arange(20) >= 8) + random.normal(0, 0.1, 20)
    frame = features.to_pandas()[["f.c"]].assign(words=random.normal(size=20), gain=gain)
    with (
        pytest.warns(
            UserWarning, match="8 of 20 rows are left out, because they lack a feature, 8 of th"
        ),
        pytest.raises(ValueError, match=r"feature 'f\.c' is 1 in all 12 dialogues"),
    ):
        bt.features.performance_function(frame, "gain")
    assert bt.features.performance_function(frame.drop(columns="f.c"), "gain").fit.attrs["n"] == 20


def test_few_gaps_are_counted_and_no_more():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.normal(size=(30, 3)), columns=["x", "z", "y"])
    frame.iloc[[1, 2], 0] = np.nan
    assert bt.features.performance_function(frame, "y").fit.attrs["n_dropped_feature"] == 2


def test_beta_of_macro_f_is_of_the_classes_that_occur():
    """A classifier that is equally good in all dialogues: F does not rise with the classes."""
    random = np.random.default_rng(4)
    by = np.repeat(np.arange(30), 40)
    gold = random.choice(["a", "b", "c"], by.size)
    gold[(by < 15) & (gold == "c")] = "a"
    predicted = np.where(random.random(by.size) < 0.7, gold, None)
    matrix = bt.labels.confusion_matrix(gold, predicted, by=by)
    has = (np.arange(30) >= 15) + random.normal(0, 0.1, 30)
    with pytest.warns(UserWarning, match="a better F goes with a lower"):
        found = bt.features.fit_beta(matrix, has, average="macro")
    assert float(found["r2"]) < 0.5


def test_nothing_is_predicted_from_a_class_that_no_item_has():
    function = bt.features.PerformanceFunction.from_coefficients(0.5, {"recall.c": 0.1})
    with pytest.raises(ValueError, match=r"feature 'recall\.c' has no value, as the scores of a"):
        function.predict(perfect(8)[0])
    assert function.predict(perfect(8)[9]) == pytest.approx(0.6)
