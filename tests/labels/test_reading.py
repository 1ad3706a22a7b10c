"""Labels and confusion matrices from files: what is read, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

FRAME = pd.DataFrame(
    {
        "item": [f"q{k}" for k in range(6)],
        "gold": ["a", "b", "a", "c", "b", "a"],
        "A": ["a", "b", "b", "c", "", "a"],
        "B": ["a", "a", "a", "a", "b", None],
    }
)


def test_labels_confusions_and_tallies_agree(tmp_path):
    FRAME.to_csv(tmp_path / "labels.csv", index=False)
    labels = bt.labels.read(tmp_path / "labels.csv")
    assert labels.attrs["reading"].endswith(
        "6 items x 2 systems ('A', 'B'), item ids from column 'item', 2 unclassified"
    )
    confusions = bt.labels.confusions(labels)
    tallies = bt.labels.tallies(labels)
    scores = bt.labels.precision_recall_f(confusions)
    totals = bt.counts.tally_totals(tallies)
    for system in "AB":
        alone = bt.labels.confusion_matrix(FRAME["gold"], FRAME[system], labels=["a", "b", "c"])
        np.testing.assert_array_equal(confusions.sel(system=system), alone)
        np.testing.assert_array_equal(confusions.sel(system=system)["n_actual"], alone["n_actual"])
        tp, fp, fn = totals.sel(system=system).values
        np.testing.assert_array_equal(tp, np.diag(alone))
        np.testing.assert_array_equal(tp + fp, alone.sum("actual"))
        np.testing.assert_array_equal(tp + fn, alone["n_actual"])
        f = 2 * tp / (2 * tp + fp + fn)
        np.testing.assert_allclose(scores["by_label"].sel(system=system, measure="f"), f)
    both = bt.scores.bootstrap_draws(tallies, statistic="macro_f1", draws=5, rng=1)
    assert both.sizes == {"draw": 5, "system": 2}


def test_one_system_is_enough():
    labels = bt.labels.read(FRAME[["gold", "A"]])
    assert labels.sizes["system"] == 1
    assert bt.labels.confusions(labels).sizes == {"system": 1, "predicted": 3, "actual": 3}


def test_a_printed_confusion_matrix(tmp_path):
    beetle = bt.datasets.beetle_confusion()
    frame = beetle.to_pandas()
    frame.loc["unclassified"] = beetle["n_actual"].values - beetle.values.sum(0)
    frame.iloc[::-1].to_csv(tmp_path / "beetle.csv", index_label="predicted")  # rows in any order
    found = bt.labels.read_confusion(tmp_path / "beetle.csv")
    np.testing.assert_array_equal(found, beetle)
    np.testing.assert_array_equal(found["n_actual"], beetle["n_actual"])
    assert found.attrs["reading"].endswith("5 labels, 3,379 items, 1,064 unclassified")


@pytest.mark.parametrize("corner", ["actual", "Gold label", "true", "actual / predicted"])
def test_rows_are_what_their_name_says(tmp_path, corner):
    """As in tables whose rows are actual labels, of scikit-learn and of pandas.crosstab."""
    gold, predicted = ["a"] * 23 + ["b"] * 17, ["a"] * 20 + ["b"] * 3 + ["a"] * 5 + ["b"] * 12
    wanted = bt.labels.confusion_matrix(gold, predicted)
    table = pd.crosstab(pd.Series(gold, name=corner), pd.Series(predicted, name="predicted"))
    table.to_csv(tmp_path / "t.csv")
    read = [bt.labels.read_confusion(source) for source in (table, tmp_path / "t.csv")]
    for found in (bt.labels.from_table(table), bt.labels.from_table(table.T), *read):
        np.testing.assert_array_equal(found, wanted)
        assert found.dims == ("predicted", "actual")
    assert "(rows actual): 2 labels, 40 items" in read[1].attrs["reading"]
    lost = table.assign(unclassified=[2, 3])
    lost.to_csv(tmp_path / "t.csv")
    found = bt.labels.read_confusion(tmp_path / "t.csv")
    assert found["n_actual"].values.tolist() == [25, 20]
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="both axes are named actual; name one actual and the"):
        bt.labels.from_table(table.rename_axis(index="gold", columns="actual"))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (FRAME.drop(columns="gold"), "layout 'predictions' needs columns gold"),
        (FRAME[["item", "gold"]], "no column of predicted labels"),
        (FRAME.assign(gold=["a", "", "a", "a", "b", "b"]), "row 1, column 'gold'"),
    ],
)
def test_bad_labels(frame, words):
    with pytest.raises(ValueError, match=words) as caught:
        bt.labels.read(frame)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"p": ["a", "b"], "a": [1, 2], "c": [1, 2]}), "no confusion matrix"),
        (pd.DataFrame({"p": ["a"], "a": [1], "b": [2]}), "no confusion matrix"),
        (pd.DataFrame({"p": ["a", "b"], "a": [1, -2], "b": [1, 2]}), "value -2.*: negative"),
        (pd.DataFrame({"p": ["a", "b"], "a": [1, 0.5], "b": [1, 2]}), "value 0.5: not whole"),
        (
            pd.DataFrame({"p": ["a", "a", "b"], "a": [1, 2, 3], "b": [1, 2, 3]}),
            "row label 'a' occurs more than once",
        ),
    ],
)
def test_bad_confusions(frame, words):
    with pytest.raises(ValueError, match=words):
        bt.labels.read_confusion(frame)
    with pytest.raises(ValueError, match="source is a int"):
        bt.labels.read_confusion(3)


def test_what_are_no_labels():
    for function in (bt.labels.confusions, bt.labels.tallies):
        with pytest.raises(ValueError, match=r"see betterthan.labels.read"):
            function(bt.datasets.beetle_confusion())


def test_margins_of_a_cross_table_are_no_class():
    predicted, actual = ["cat"] * 50 + ["dog"] * 50, ["cat"] * 40 + ["dog"] * 30 + ["cat"] * 30
    sides = (pd.Series(x, name=n) for x, n in ((predicted, "predicted"), (actual, "actual")))
    table = pd.crosstab(*sides, margins=True)
    with pytest.raises(ValueError, match="label 'All' holds the sums of all others"):
        bt.labels.from_table(table)
    inner = table.drop(index="All", columns="All")
    assert int(bt.labels.from_table(inner)["n_actual"].sum()) == 100


def test_labels_in_series_are_those_of_the_same_items():
    gold = pd.Series(["a", "b", "a", "b"], index=list("wxyz"))
    with pytest.raises(ValueError, match="gold and predicted name different items: 'w' and 'z'"):
        bt.labels.confusion_matrix(gold, gold[::-1])
    numbers = pd.Series([0, 1, 1, 0, 1])
    gap = numbers.astype(float)
    gap[0] = np.nan  # one item is unclassified, which makes pandas write 0.0 and 1.0
    matrix = bt.labels.confusion_matrix(numbers, gap)
    assert matrix["predicted"].values.tolist() == ["0", "1"]
    assert matrix.values.tolist() == [[1, 0], [0, 3]]


def test_labels_that_are_all_true_or_false_are_labels(tmp_path):
    gold = np.arange(12) % 3 > 0
    table = pd.DataFrame({"item": range(12), "gold": gold, "A": ~gold, "B": gold})
    table.to_csv(tmp_path / "truths.csv", index=False)
    for source in (table, tmp_path / "truths.csv"):
        labels = bt.labels.read(source)
        assert (labels.sel(system="B") == labels["gold"]).all()
        assert bt.read(source, layout="predictions").sel(system="A").sum() == 0
    with pytest.raises(ValueError, match="numbers, while the labels in column 'gold' are text"):
        bt.labels.read(table.assign(A=0.5 + 0.01 * np.arange(12)))


@pytest.mark.parametrize("dtype", ["string", "object", "Int64"])
def test_a_missing_prediction_is_unclassified_whatever_its_type(dtype):
    gold = pd.Series([1, 2, 2] if dtype == "Int64" else ["a", "b", "b"], dtype=dtype)
    matrix = bt.labels.confusion_matrix(gold, gold.where([True, True, False]))
    assert matrix.values.tolist() == [[1, 0], [0, 1]]
    assert matrix["n_actual"].values.tolist() == [1, 2]


def test_labels_of_the_same_parts_in_another_order_are_warned_of():
    frame = pd.DataFrame({"gold": ["a|b", "c", "a|b"], "A": ["b|a", "c", "a|b"], "B": list("ccc")})
    with pytest.warns(UserWarning, match=r"'a\|b' and 'b\|a' hold the same parts, and count as di"):
        bt.labels.read(frame.assign(item=range(3)))


@pytest.mark.parametrize("pair", [("1/2", "2/1"), ("2024/03/04", "2024/04/03"), ("3,5", "5,3")])
def test_numbers_and_dates_of_the_same_parts_are_other_labels(pair):
    frame = pd.DataFrame({"item": range(4), "gold": [*pair, *pair], "A": [*pair, pair[0], pair[0]]})
    bt.labels.read(frame.assign(B=frame["gold"]))
