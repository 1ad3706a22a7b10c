"""Orders sampled by bins of tau: each order of a bin is equally likely, and lists are a square."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.exact import rankings
from betterthan.orders.chance import _with_inversions


def test_every_order_with_so_many_inversions_is_equally_likely():
    random = np.random.default_rng(1)
    every = np.array(list(permutations(range(5))))
    number = rankings.inversions(every)
    for k in (0, 1, 4, 9, 10):
        expected = [tuple(order) for order in every[number == k].tolist()]
        drawn = [tuple(_with_inversions(5, k, random).tolist()) for _ in range(40 * len(expected))]
        times = np.array([drawn.count(order) for order in expected])
        assert times.sum() == len(drawn)
        if k in (0, 10):
            assert len(expected) == 1
        else:
            assert stats.chisquare(times).pvalue > 0.001


def test_orders_of_a_bin_are_drawn_by_how_many_there_are():
    """Of 4 items, bin of tau 0 to 1: 6, 5, 3 and 1 orders with 3, 2, 1 and 0 inversions."""
    texts = {f"t{k}": list("abcd") for k in range(3000)}
    tau = bt.orders.stimuli(texts, [0, 1], rng=2)["tau"].values.ravel()
    times = [int(np.isclose(tau, t).sum()) for t in (0, 1 / 3, 2 / 3, 1)]
    assert sum(times) == 3000
    assert stats.chisquare(times, np.array([6, 5, 3, 1]) * 200).pvalue > 0.001


def test_material_of_the_published_study():
    """Eight texts, eight bins: 64 orders, on each list every text and every bin once."""
    texts = {f"t{k}": [f"s{k}{j}" for j in range(8)] for k in range(8)}
    found = bt.orders.stimuli(texts, rng=3)
    assert found["order"].shape == (8, 8, 8)
    for name in ("document", "bin"):
        for k in found[name].values:
            lists = found["list"].sel({name: k}).values
            assert sorted(lists.tolist()) == list(range(1, 9))
    for text, items in texts.items():
        for b in found["bin"].values:
            order = found["order"].sel(document=text, bin=b).values.tolist()
            tau = bt.orders.kendall_tau({"r": items, "s": order}, "r")["tau"].item()
            assert tau == pytest.approx(found["tau"].sel(document=text, bin=b).item())
            low, high = found["low"].sel(bin=b).item(), found["high"].sel(bin=b).item()
            assert low - 1e-9 <= tau < high or tau == high == 1
    again = bt.orders.stimuli(texts, rng=3)
    assert again.identical(found)


def test_texts_of_unequal_length_and_fewer_texts_than_bins():
    found = bt.orders.stimuli({"a": list("abcdefgh"), "b": list("xyzuv")}, 4, rng=4)
    assert (found["order"].sel(document="b").values[:, 5:] == "").all()
    assert set(found["order"].sel(document="b", bin=1).values[:5]) == set("xyzuv")
    for text in "ab":
        assert sorted(found["list"].sel(document=text).values.tolist()) == [1, 2, 3, 4]
    for number in range(1, 5):  # nobody reads a text twice
        assert ((found["list"] == number).sum("bin") == 1).all()


def test_what_stimuli_refuse_in_one_line():
    for texts, edges, message in (
        ([list("abc")], 8, "references are a list; give a mapping"),
        ({}, 8, "references are empty"),
        ({"a": list("abc")}, 8, "no order of 3 items has a tau from -0.75 to -0.5; give fewer"),
        ({"a": ["b"]}, 2, "an order of 1 item; give 2 to 200"),
        ({"a": list("aab")}, 2, "'a' occurs at positions 1 and 2"),
        ({"a": list("abc")}, [1, 0], "edges must be two numbers"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            bt.orders.stimuli(texts, edges)
        assert "\n" not in str(caught.value)


def test_number_of_bins():
    texts = {"a": list("ABCDEFGH")}
    with pytest.raises(ValueError, match="give at most 40,000 bins"):
        bt.orders.stimuli(texts, 10**9)
    with pytest.raises(ValueError, match="edges is True"):
        bt.orders.stimuli(texts, True)
    assert bt.orders.stimuli(texts, np.int64(4), rng=1).sizes["bin"] == 4
