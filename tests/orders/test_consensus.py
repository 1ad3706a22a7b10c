"""Consensus and agreement of orders, and the rank of the reference."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def test_consensus_of_documents_and_of_one():
    judges = {"1": list("abc"), "2": list("bac"), "3": list("abc")}
    one = bt.orders.consensus(judges)
    assert "".join(one["order"].values) == "abc"
    assert one["distance"].item() == 1
    assert one["method"].item() == "kemeny"
    many = bt.orders.consensus({"x": judges, "y": {"1": list("pq"), "2": list("qp")}})
    assert many["order"].values.tolist() == [["a", "b", "c"], ["p", "q", ""]]
    assert many["n_best"].values.tolist() == [1, 2]


def test_borda_where_circles_are_large():
    random = np.random.default_rng(1)
    items = [f"i{k:02d}" for k in range(40)]
    judges = {str(j): [items[k] for k in random.permutation(40)] for j in range(4)}
    found = bt.orders.consensus(judges)
    assert found["method"].item() == "borda"
    assert found["n_best"].item() == 0
    assert found["least_distance"].item() < found["distance"].item()
    with pytest.raises(ValueError, match="a majority cycle has"):
        bt.orders.consensus(judges, method="kemeny")
    assert bt.orders.consensus(judges, method="borda")["order"].equals(found["order"])


def test_agreement_finds_the_one_apart():
    judges = {str(k): list("abcdefgh") for k in range(4)}
    judges |= {"swap": list("bacdefgh"), "odd": list("hgfedcba")}
    found = bt.orders.agreement(judges)
    assert found["tau"].sel(system_a="0", system_b="odd").item() == -1
    assert found["tau"].values.diagonal().tolist() == [1] * 6
    assert found["mean_tau"].idxmin().item() == "odd"
    assert found["outlier_p"].sel(system="odd").item() < 0.001
    found = bt.orders.agreement({f"d{k}": judges for k in range(6)})
    assert found["outlier_p"].sel(system="odd").item() == pytest.approx(6 / 6**6)
    assert found["outlier_p"].sel(system="0").item() == 1
    assert np.isnan(bt.orders.agreement({"1": list("ab"), "2": list("ba")})["outlier_p"]).all()
    with pytest.raises(ValueError, match="system"):
        bt.orders.agreement({"1": list("ab")})


def test_rank_of_the_reference():
    orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert bt.orders.reference_rank([6, 5, 4, 3, 2, 1], orders, "bac")["rank"].item() == 2
    assert bt.orders.reference_rank([1, 5, 1, 3, 2, 1], orders, "abc")["rank"].item() == 4
    assert bt.orders.reference_rank([9, 0, 0, 0, 0, 0], orders, list("abc"))["share"].item() == 0
    for scores, given, wanted, said in (
        ([1, 2], ["ab"], "ab", "2 scores of 1 orders"),
        ([1, np.nan], ["ab", "ba"], "ab", "not a finite"),
        ([1, 2], ["ab", "ab"], "ab", "more than once"),
        ([1, 2], ["ab", "ba"], "bb", "not among the orders"),
    ):
        with pytest.raises(ValueError, match=said):
            bt.orders.reference_rank(scores, given, wanted)


def test_read_layouts_say_the_same():
    cells = pd.DataFrame({"judge": ["1", "2"], "order": ["b > a = c", "a > b > c"]})
    wide = pd.DataFrame({"judge": ["1", "2"], "a": [2, 1], "b": [1, 2], "c": [2, 3]})
    rows = wide.melt("judge", var_name="item", value_name="rank")
    found = [
        bt.orders.kendall_tau(bt.orders.read(f), "2")["tau"].item() for f in (cells, wide, rows)
    ]
    assert found == pytest.approx([0.0] * 3)
    lists = pd.DataFrame(
        {"system": ["A", "B"], "order": [["x", "y"], ["y", "x"]], "document": ["d", "d"]}
    )
    assert bt.orders.read(lists).sizes == {"document": 1, "system": 2, "position": 2}
    assert "1 document from column 'document'" in bt.orders.read(lists).attrs["reading"]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"name": ["A"], "order": ["a>b"]}, "no column of systems"),
        ({"system": ["A", "A"], "order": ["a>b", "b>a"]}, "row 1: a second order of system 'A'"),
        ({"system": ["A", "B"], "order": ["a>b>a", "b>a"]}, "item 'a' occurs at positions 1 and 3"),
        ({"system": ["A", "B"], "order": ["a>b=a", "b>a"]}, "item 'a' occurs twice"),
        (
            {"system": ["A", "B"], "order": ["a>b", None]},
            "row 1, column 'order', value None: the order is empty",
        ),
        ({"system": ["A", "A"], "item": ["x", "x"], "rank": [1, 2]}, "ranked twice by system 'A'"),
        ({"system": ["A", "A"], "item": ["x", "y"], "rank": [1, 3]}, "have a gap"),
        ({"system": ["A"], "x": ["u"]}, "column 'x', value 'u': no rank"),
        ({"system": ["A"]}, "no column 'order'"),
        ({"system": ["A", "A"], "x": [1, 1], "y": [2, 2]}, "second order"),
    ],
)
def test_bad_files_are_named(frame, said):
    with pytest.raises(ValueError, match=said):
        bt.orders.read(pd.DataFrame(frame))
    with pytest.raises(ValueError, match="give a path"):
        bt.orders.read(3)
