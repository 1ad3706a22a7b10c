"""Confusion matrices: the published tables, scikit-learn where definitions coincide, and what is
refused.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import betterthan as bt

REFERENCE = Path(__file__).parents[1] / "reference"
LABELS = ["a", "b", "c"]
PAIRS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40
)

# Table 2 of Dzikovska et al. 2012: precision, recall, F; its "micro" weighs labels by their size.
BEETLE = {
    "correct": (0.93, 0.52, 0.67),
    "pc_incomplete": (0.42, 0.53, 0.47),
    "contradictory": (0.57, 0.22, 0.31),
    "irrelevant": (0.17, 0.15, 0.16),
    "non_content": (0.91, 0.41, 0.57),
}


def test_every_cell_of_the_published_matrix():
    printed = pd.read_csv(REFERENCE / "beetle_confusion.csv", index_col="predicted")
    ours = bt.datasets.beetle_confusion().to_pandas()
    np.testing.assert_array_equal(ours.loc[printed.index, printed.columns], printed)


def test_published_scores():
    scores = bt.labels.precision_recall_f(bt.datasets.beetle_confusion())
    for label, printed in BEETLE.items():
        np.testing.assert_array_equal(scores["by_label"].sel(label=label).round(2), printed)
    averaged = scores["averaged"].round(2)
    np.testing.assert_array_equal(averaged.sel(average="macro"), (0.60, 0.37, 0.44))
    np.testing.assert_array_equal(averaged.sel(average="weighted"), (0.70, 0.43, 0.51))
    assert scores["averaged"].sel(average="pooled", measure="precision").item() == pytest.approx(
        1457 / 2315
    )


def test_published_baseline():
    scores = bt.labels.precision_recall_f(
        bt.labels.majority_baseline(bt.datasets.beetle_confusion())
    )
    np.testing.assert_array_equal(
        scores["by_label"].sel(label="correct").round(2), (0.43, 1.0, 0.60)
    )
    np.testing.assert_array_equal(
        scores["averaged"].sel(average="macro").round(2), (0.09, 0.20, 0.12)
    )
    np.testing.assert_array_equal(
        scores["averaged"].sel(average="weighted").round(2), (0.18, 0.43, 0.25)
    )


def test_published_confusion_frequency():
    share = bt.labels.frequencies(bt.datasets.beetle_confusion())
    assert share.sel(predicted="pc_incomplete", actual="contradictory").item() == pytest.approx(
        200 / 858
    )
    assert share.sum().item() == pytest.approx(1)
    assert np.diag(share).tolist() == [0] * 5


@given(PAIRS, st.sampled_from([0.5, 1.0, 2.0]))
def test_against_scikit_learn(pairs, beta):
    gold, predicted = zip(*pairs, strict=True)
    matrix = bt.labels.confusion_matrix(gold, predicted, labels=LABELS)
    np.testing.assert_array_equal(
        matrix.values.T, metrics.confusion_matrix(gold, predicted, labels=LABELS)
    )
    scores = bt.labels.precision_recall_f(matrix, beta=beta)

    def other(average):
        found = metrics.precision_recall_fscore_support(
            gold, predicted, beta=beta, labels=LABELS, average=average, zero_division=0
        )
        return np.array(found[:3], dtype=float).T

    np.testing.assert_allclose(scores["by_label"], other(None))
    np.testing.assert_allclose(scores["averaged"].sel(average="macro"), other("macro"))
    np.testing.assert_allclose(scores["averaged"].sel(average="weighted"), other("weighted"))
    np.testing.assert_allclose(scores["averaged"].sel(average="pooled"), other("micro"))


def test_unclassified_items_count_in_recall_alone():
    matrix = bt.labels.confusion_matrix(["a", "a", "a", "b"], ["a", None, "", float("nan")])
    assert matrix.values.tolist() == [[1, 0], [0, 0]]
    assert matrix["n_actual"].values.tolist() == [3, 1]
    scores = bt.labels.precision_recall_f(matrix)
    np.testing.assert_allclose(scores["by_label"].sel(label="a"), [1, 1 / 3, 1 / 2])
    np.testing.assert_allclose(scores["averaged"].sel(average="pooled"), [1, 1 / 4, 2 / 5])


def test_nothing_classified():
    scores = bt.labels.precision_recall_f(bt.labels.confusion_matrix(["a", "b"], [None, None]))
    assert scores["by_label"].values.tolist() == [[0, 0, 0]] * 2
    assert bt.labels.frequencies(bt.labels.confusion_matrix(["a"], ["a"])).values.tolist() == [[0]]


def test_relabelling_changes_nothing():
    table = bt.datasets.beetle_confusion()
    order = [3, 0, 4, 1, 2]
    turned = bt.labels.precision_recall_f(table.isel(predicted=order, actual=order))
    plain = bt.labels.precision_recall_f(table)
    np.testing.assert_allclose(turned["averaged"], plain["averaged"])
    np.testing.assert_allclose(turned["by_label"], plain["by_label"].isel(label=order))


TABLE = pd.DataFrame({"a": [8, 2], "b": [1, 5]}, index=["a", "b"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bt.labels.confusion_matrix(["a"], ["a", "b"]),
            "gold has 1 labels and predicted 2",
        ),
        (lambda: bt.labels.confusion_matrix([], []), "gold is empty"),
        (
            lambda: bt.labels.confusion_matrix([1, 0, 1, 1, 0], [True, False, True, True, True]),
            "no predicted label is one of gold: predicted has 'True', 'False', gold '1'",
        ),
        (
            lambda: bt.labels.confusion_matrix(["a"], "a"),
            "predicted is a str; give a sequence of labels",
        ),
        (
            lambda: bt.labels.confusion_matrix(["a", None], ["a", "a"]),
            "gold label at position 1 is missing",
        ),
        (
            lambda: bt.labels.confusion_matrix(["a"], ["b"], labels=["a"]),
            "predicted label 'b' at position 0 is not among labels",
        ),
        (
            lambda: bt.labels.from_table(TABLE.drop(index="b")),
            r"label 'b' is among the actual labels alone",
        ),
        (
            lambda: bt.labels.from_table(TABLE - 3),
            "cells of the confusion matrix hold -2; a count is at least 0",
        ),
        (
            lambda: bt.labels.from_table(TABLE / 4),
            r"cells of the confusion matrix hold 0\.25; give whole numbers",
        ),
        (lambda: bt.labels.from_table([[1]]), "table is a list; give a pandas.DataFrame"),
        (lambda: bt.labels.from_table(TABLE, actual_counts={"a": 10}), "'b' is in one alone"),
        (
            lambda: bt.labels.from_table(TABLE, actual_counts={"a": 9, "b": 6}),
            "'a' is 9, but its column sums to 10",
        ),
        (
            lambda: bt.labels.precision_recall_f(bt.datasets.beetle_confusion(), beta=0),
            "beta is 0; give a positive number",
        ),
        (
            lambda: bt.labels.precision_recall_f(bt.datasets.contingency_case("a")),
            "expected a confusion matrix",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("nested", [["a", "b"], ("a",), {"a"}, {"a": 1}])
def test_several_labels_of_one_item_are_no_label(nested):
    with pytest.raises(ValueError, match=r"gold: label 2 is a \w+; give one label$"):
        bt.labels.confusion_matrix(["a", nested], ["a", "b"])


def test_labels_that_differ_little_are_warned_of_or_refused():
    with pytest.warns(UserWarning, match="'Yes' and 'yes' differ only by blanks, case or unicode"):
        bt.labels.confusion_matrix(["Yes", "No"], ["yes", "No"])
    with pytest.raises(ValueError, match=r"labels '1' and '1\.0' are one number"):
        bt.labels.confusion_matrix(["1", "0"], ["1.0", "0"])
    bt.labels.confusion_matrix(["Yes", "No"], ["yes", "No"], labels=["Yes", "yes", "No"])
    ids = ["1234567890123456789", "1234567890123456790"]
    assert bt.labels.confusion_matrix(ids, ids).values.tolist() == [[1, 0], [0, 1]]
