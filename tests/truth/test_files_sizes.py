"""What a file may cost: one long text is not paid for by every cell, and bombs are refused."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

ROWS, LONG = 4000, 100_000
MOST = 40e6  # bytes; of fixed width one column alone is 1.6e9


def measured(call):
    """What a call returns, and the most memory it held."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def long_in(*columns, rows=ROWS):
    """A table of labels in which one cell of each of these columns is long."""
    frame = pd.DataFrame(
        {
            "item": [f"q{k}" for k in range(rows)],
            "cluster": [f"c{k // 2}" for k in range(rows)],
            "gold": np.resize(["x", "y"], rows),
            "A": np.resize(["x", "x", "y"], rows),
            "B": np.resize(["x", "y", "y"], rows),
        }
    )
    for column in columns:
        frame.loc[7, column] = "long " * (LONG // 5)
    return frame


@pytest.mark.parametrize("column", ["item", "cluster", "gold", "A"])
def test_one_long_text_is_not_paid_for_by_all(column):
    frame = long_in(column)
    labels, most = measured(lambda: bt.labels.read(frame))
    assert most < MOST
    assert labels.sizes == {"item": ROWS, "system": 2}
    if column != "cluster":
        found = labels[column] if column in ("item", "gold") else labels.sel(system=column)
        assert found.values[7] == frame.loc[7, column]
    scores, most = measured(lambda: bt.read(frame))
    assert most < MOST
    wrong = (frame["gold"] != frame["A"]).sum()
    assert int((scores.sel(system="A") == 0).sum()) == wrong


def test_all_that_is_told_of_labels_with_a_long_one():
    labels = bt.labels.read(long_in("A"))
    (confusions, tallies), most = measured(
        lambda: (bt.labels.confusions(labels), bt.labels.tallies(labels))
    )
    assert most < MOST
    assert int(tallies.sel(system="A", tally="fp", label=labels.values[7, 0]).sum()) == 1
    assert int(confusions.sum()) == 2 * ROWS


@pytest.mark.filterwarnings("ignore:items are taken as independent")
@pytest.mark.filterwarnings("ignore:.*cluster")
def test_a_comparison_of_items_of_which_one_has_a_long_id():
    frame = long_in("item", "cluster").drop(columns="gold")
    frame[["A", "B"]] = (frame[["A", "B"]] == "x").astype(float)
    comparison, most = measured(lambda: bt.compare(frame))
    assert most < 2 * MOST
    assert comparison.data.attrs["n_items"] == ROWS


def test_tallies_judgments_and_orders():
    ids = [f"q{k // 2}" if k > 1 else "long " * (LONG // 5) for k in range(ROWS)]
    frame = pd.DataFrame(
        {"item": ids, "system": ["A", "B"] * (ROWS // 2), "tp": 1, "fp": 0, "fn": 1}
    )
    tallies, most = measured(lambda: bt.read(frame))
    assert most < MOST
    assert tallies["item"].values[0] == ids[0]
    votes = pd.DataFrame({"left": "A", "right": "B", "winner": "tie", "prompt": ids})
    judged, most = measured(lambda: bt.io.read_judgments(votes, cluster="prompt"))
    assert most < MOST
    assert judged["cluster"].values[0] == ids[0]
    orders = pd.DataFrame({"doc": ids, "judge": ["A", "B"] * (ROWS // 2), "order": "a > b"})
    found, most = measured(lambda: bt.orders.read(orders))
    assert most < MOST
    assert found["document"].values[0] == ids[0]
    orders["order"] = [f"{'long ' * (LONG // 5)} > b", *["b > c"] * (ROWS - 1)]
    found, most = measured(lambda: bt.orders.read(orders))
    assert most < MOST


def test_texts_in_place_of_labels_are_refused_before_they_are_counted():
    said = [f"answer {k}" for k in range(15_000)]
    frame = pd.DataFrame({"gold": said, "A": said, "B": said[::-1]})
    labels = bt.labels.read(frame)
    for count in (bt.labels.confusions, bt.labels.tallies):
        with pytest.raises(ValueError, match="these are texts rather than labels"):
            count(labels)
    assert int(bt.read(frame).sel(system="A").sum()) == len(said)
