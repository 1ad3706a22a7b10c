"""Figures of orders: what they show, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

LISTS = {"reference": list("ABCDE"), "x": list("BACDE"), "y": list("EDCBA")}


def texts(ax):
    return [t.get_text() for t in ax.texts]


def test_distribution_marks_what_was_observed():
    ax = bt.plot.tau_distribution(8, {"new": 0.6, "old": -0.2})
    assert len(ax.patches) == 29
    heights = [bar.get_height() for bar in ax.patches]
    assert sum(heights) == pytest.approx(1)
    assert any(t.startswith("new 0.60, P(tau ≥) =") for t in texts(ax))
    assert len(ax.get_lines()) == 2
    assert bt.plot.tau_distribution(5, 1.0).get_lines()
    assert not bt.plot.tau_distribution(5).get_lines()
    ax.figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in ax.texts]
    assert not boxes[0].overlaps(boxes[1])
    with pytest.raises(ValueError, match="between -1 and 1"):
        bt.plot.tau_distribution(5, 1.2)


def test_lines_cross_as_often_as_pairs_are_inverted():
    ax = bt.plot.orders(LISTS, ["reference", "y"])
    assert "10 pairs inverted" in ax.get_title(loc="left")
    assert len(ax.get_lines()) == 5
    ax = bt.plot.orders(LISTS)
    assert "10 pairs inverted between their neighbours" in ax.get_title(loc="left")  # 1 and 9
    tied = bt.orders.from_ranks(
        pd.DataFrame([[1, 2, 3], [1, 1, 3]], columns=list("abc"), index=["r", "s"])
    )
    assert "a = b" in texts(bt.plot.orders(tied))
    many = {s: [f"i{k}" for k in range(61)] for s in "rs"}
    for bad, choice, said in (
        (LISTS, {"systems": ["x"]}, "system"),
        (LISTS, {"systems": ["x", "z"]}, "systems names 'z'"),
        ({"d": LISTS, "e": LISTS}, {}, "say which one"),
        ({"d": LISTS, "e": LISTS}, {"document": "f"}, "document is 'f'; there is no such"),
        (many, {}, "61 items"),
    ):
        with pytest.raises(ValueError, match=said):
            bt.plot.orders(bad, **choice)
    assert bt.plot.orders({"d": LISTS, "e": LISTS}, document="e").get_lines()


def test_taus_of_documents():
    documents = {f"d{k}": LISTS for k in range(4)} | {
        "d4": {"reference": list("ab"), "x": list("ba")}
    }
    scores = bt.orders.tau_scores(documents, "reference")
    ax = bt.plot.tau(scores)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x", "y"]
    assert texts(ax) == ["+0.44 of 5", "-1.00 of 4"]
    again = bt.plot.tau(bt.orders.kendall_tau(documents, "reference"))
    assert texts(again) == texts(ax)
    with pytest.raises(ValueError, match="scores are a DataArray, not taus of documents"):
        bt.plot.tau(scores.isel(item=0))
    assert np.isfinite(ax.get_xlim()).all()


def test_bins_of_tau_hold_all_orders():
    """The bins of 8 items: shares that are counted in the exact distribution."""
    ax = bt.plot.tau_bins(8)
    assert len(ax.patches) == 29
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1)
    tau = bt.orders.tau_distribution(8)
    share = float(tau["probability"].where((tau["tau"] >= 0) & (tau["tau"] < 0.25), 0).sum())
    assert f"bin 5\n{100 * share:.0f}%" in texts(ax)
    assert len(texts(ax)) == 8
    colors = [bar.get_facecolor() for bar in ax.patches]
    assert len(set(colors)) == 2
    assert "bin 2\n<1%" in texts(bt.plot.tau_bins(8, [-1, 0.9, 1]))
    for edges, message in (([0, -1], "edges must be two numbers"), (0, "edges is 0")):
        with pytest.raises(ValueError, match=message):
            bt.plot.tau_bins(8, edges)


def test_ratings_against_tau_with_means_of_bins():
    random = np.random.default_rng(1)
    tau = pd.Series(random.uniform(-1, 1, 40), name="tau")
    rating = pd.Series(4 + tau + random.normal(0, 1, 40), name="rating")
    edges = [-1, 0, 1]
    ax = bt.plot.correlation(tau, rating, edges=edges)
    np.testing.assert_allclose(ax.get_lines()[0].get_xdata(), tau)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("tau", "rating")
    r = bt.people.correlation(tau, rating)["r"].sel(measure="pearson").item()
    assert f"r {r:.2f} of 40 pairs" in ax.get_title(loc="left")
    bins = bt.people.bin_by(rating, tau, edges)
    means = [segment[0][1] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(means, bins["mean"])
    assert texts(ax) == [f"n {n}" for n in bins["n"].values]
    assert "interval" not in bt.plot.correlation([1, 2, 3, 4], [1, 2, 3, 4]).get_title(loc="left")
    with pytest.raises(ValueError, match="y is constant"):
        bt.plot.correlation([1, 2, 3, 4], [1, 1, 1, 1])
