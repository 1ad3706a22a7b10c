"""A comparison, scores and counts draw the same figure; systems= picks, orders and renames."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names

pytestmark = pytest.mark.usefixtures("no_layout")

RANDOM = np.random.default_rng(4)
SCORES = xr.DataArray(
    (RANDOM.random((80, 3)) < [0.8, 0.6, 0.5]).astype(float),
    dims=("item", "system"),
    coords={"system": ["new", "old", "base"]},
)
COUNTS = bt.count(SCORES)
COMPARISON = bt.compare(SCORES, rope=0.05, prior="jeffreys")
COMPARED = COMPARISON.data
GIVEN = {"object": COMPARISON, "dataset": COMPARED, "counts": COUNTS, "scores": SCORES}
PAIR = {"systems": ["new", "old"]}


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def cells(ax):
    return ax.images[0].get_array()


def legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("data", GIVEN.values(), ids=GIVEN)
def test_the_matrix_is_that_of_the_counts(data):
    ax = bt.plot.matrix(data)
    assert rows(ax) == ["new", "old", "base"]
    joint = data is COMPARED or data is COMPARISON
    expected = COMPARED["prob_better"] if joint else bt.prob_better(COUNTS)
    order = dict.fromkeys(("system_a", "system_b"), rows(ax))
    np.testing.assert_allclose(cells(ax), expected.sel(order), rtol=1e-12)
    assert ("joint model of all systems" in ax.get_title(loc="left")) is joint


@pytest.mark.parametrize("data", GIVEN.values(), ids=GIVEN)
def test_the_bars_are_the_counts(data):
    ax = bt.plot.outcomes(data, baseline="base")
    assert rows(ax) == ["new", "old"]
    widths = np.array([p.get_width() for p in ax.patches]).reshape(3, 2)
    expected = COUNTS.sel(system_a=["new", "old"], system_b="base", outcome=["win", "tie", "loss"])
    np.testing.assert_array_equal(widths.T, expected)
    assert ax.get_xlabel() == "Number of items"


@pytest.mark.parametrize("data", GIVEN.values(), ids=GIVEN)
def test_the_forest_has_the_closed_form(data):
    ax = bt.plot.differences(data, baseline="base", rope=0.05)
    means = np.concatenate([line.get_xdata() for line in ax.lines])
    joint = data is COMPARED or data is COMPARISON
    expected = COMPARED["difference_mean"] if joint else bt.difference(COUNTS)["mean"]
    expected = expected.sel(system_a=["new", "old"])
    np.testing.assert_allclose(sorted(means), sorted(expected.sel(system_b="base").values))
    assert "ROPE: |d| ≤ 0.05" in legend(ax)


def test_the_verdicts_of_counts_are_those_of_compare():
    """Pair by pair, for a figure of counts has no joint model."""
    pairwise = COUNTS.assign_attrs(unit="unknown")
    for rope in (0.0, 0.3):
        of_counts = legend(bt.plot.differences(COUNTS, rope=rope))
        assert of_counts == legend(bt.plot.differences(bt.compare(pairwise, rope=rope)))
    nothing = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    assert legend(bt.plot.differences(nothing)) == ["no data: prior only"]


@pytest.mark.parametrize("show", ["outcomes", "decisive", "difference"])
@pytest.mark.parametrize("data", GIVEN.values(), ids=GIVEN)
def test_densities_are_those_of_the_pair(data, show):
    ax = bt.plot.densities(data, show=show, **PAIR)
    compared = (data is COMPARED or data is COMPARISON) and show != "outcomes"
    choice = {"prior": "jeffreys"} if compared else {}
    choice |= {"rope": 0.05} if compared and show == "difference" else {}
    again = bt.plot.densities(COUNTS, show=show, **PAIR, **choice)
    assert legend(ax) == legend(again)
    for one, two in zip(ax.lines, again.lines, strict=True):
        np.testing.assert_allclose(one.get_xydata(), two.get_xydata())


@pytest.mark.parametrize("data", GIVEN.values(), ids=GIVEN)
def test_the_simplex_is_that_of_the_pair(data):
    ax = bt.plot.simplex(data, **PAIR)
    compared = data is COMPARED or data is COMPARISON
    better = bt.prob_better(COUNTS, prior="jeffreys" if compared else None)
    p = better.sel(system_a="new", system_b="old").item()
    assert ax.get_title(loc="left").endswith(f"{p:.3f}")
    assert ("|win − loss| ≤ 0.05" in legend(ax)) == compared


def test_judgments_are_counted():
    frame = {
        "model_a": list("AAB"),
        "model_b": list("BCC"),
        "winner": ["model_a", "tie", "model_b"],
    }
    judged = bt.io.read_judgments(pd.DataFrame(frame))
    np.testing.assert_array_equal(
        cells(bt.plot.matrix(judged, systems=list("ABC"))),
        bt.prob_better(bt.count(judged)).sel(system_a=list("ABC"), system_b=list("ABC")),
    )


def test_ties_that_a_comparison_dropped_are_known_to_be():
    dropped = bt.compare(COUNTS, ties="drop")
    assert "ties were resolved or left out" in " ".join(
        bt.plot.outcomes(dropped).get_xlabel().split()
    )
    assert bt.plot.densities(dropped, show="difference", **PAIR)
    unknown = bt.compare(bt.counts.from_table({("A", "B"): (12, 30)}))
    assert "ties are unknown" in " ".join(bt.plot.outcomes(unknown).get_xlabel().split())
    with pytest.raises(ValueError, match="needs the number of ties"):
        bt.plot.differences(unknown)


def test_a_pair_that_never_met_is_a_gap():
    counts = bt.counts.to_pairs(COUNTS)[:2]  # new with old and base; old and base never met
    ax = bt.plot.matrix(counts, systems=["new", "old", "base"])
    assert cells(ax).mask.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    np.testing.assert_allclose(cells(ax)[0, 1:], bt.prob_better(counts))
    np.testing.assert_allclose(np.diagonal(cells(ax)), 0.5)


def test_the_level_of_a_verdict_is_that_of_the_comparison():
    loose = COMPARED.assign_attrs(threshold=0.5)
    counts = bt.prob_better(COUNTS).assign_attrs(threshold=0.5)
    assert {t.get_fontweight() for t in bt.plot.matrix(counts).texts} == {"bold"}
    assert "P ≥ 0.5" in bt.plot.matrix(loose).get_title(loc="left")
    named = np.isin(COMPARED["verdict"].values, ["a_better", "b_better"]).sum()
    drawn = [t.get_fontweight() for t in bt.plot.matrix(COMPARED).texts]
    assert drawn.count("bold") == named
    assert any("P ≥ 0.5" in t for t in legend(bt.plot.differences(loose)))


def test_every_verdict_has_a_mark():
    for verdict in names.VERDICTS:
        told = COMPARED["verdict"].copy(data=np.full(COMPARED["verdict"].shape, verdict, object))
        ax = bt.plot.differences(COMPARED.assign(verdict=told), all_pairs=True)
        assert sum(len(line.get_xdata()) for line in ax.lines) == 3, verdict


RANKED = bt.scores.bootstrap(SCORES, draws=200, rng=1)
LISTS = {"ref": list("abcd"), "new": list("abdc"), "old": list("bcda"), "base": list("dcba")}
TAUS = bt.orders.tau_scores({f"d{k}": LISTS for k in range(3)}, "ref")
ROWS = {
    "matrix": lambda **choice: rows(bt.plot.matrix(COMPARISON, **choice)),
    "ranks": lambda **choice: rows(bt.plot.ranks(RANKED, **choice)),
    "tau": lambda **choice: rows(bt.plot.tau(TAUS, **choice)),
    "orders": lambda **choice: [
        t.get_text() for t in bt.plot.orders(LISTS, **choice).get_xticklabels()
    ],
}


@pytest.mark.parametrize("drawn", ROWS.values(), ids=ROWS)
def test_a_list_picks_and_orders_and_a_mapping_renames(drawn):
    assert drawn(systems=["base", "new"]) == ["base", "new"]
    assert drawn(systems={"base": "2019", "new": "2026"}) == ["2019", "2026"]
    assert set(drawn()) >= {"new", "old", "base"}
    for bad, said in (
        (["new", "none"], "systems names 'none', which is not among the systems: "),
        (["new", "new"], "'new' occurs more than once"),
        ({"new": "X", "old": "X"}, "name in systems 'X' occurs more than once"),
        ("new", "systems is 'new'; give a list of systems, or a mapping"),
        (7, "systems is 7; give a list of systems"),
        ([], "systems is empty"),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            drawn(systems=bad)
        assert "\n" not in str(caught.value)


def test_pairs_are_picked_and_renamed():
    called = {"old": "before", "new": "after"}
    assert rows(bt.plot.differences(COMPARISON, systems=called)) == ["after − before"]
    assert rows(bt.plot.differences(SCORES, systems=["new", "old"])) == ["new − old"]
    assert rows(bt.plot.differences(COUNTS, systems=called, baseline="old")) == ["after"]
    ax = bt.plot.outcomes(COUNTS, systems=called, baseline="old")
    assert rows(ax) == ["after"]
    assert ax.get_title(loc="left").endswith("against before")
    ax = bt.plot.densities(COUNTS, systems=called, show="decisive")
    assert ax.get_title(loc="left") == "Posterior of the non-tied items, before against after"
    assert "before against after" in bt.plot.simplex(COUNTS, systems=called).get_title(loc="left")


def test_ranks_of_scores_and_what_has_none():
    ax = bt.plot.ranks(SCORES, rng=1)
    assert rows(ax) == ["new", "old", "base"]
    np.testing.assert_array_equal(cells(ax), bt.scores.bootstrap(SCORES, rng=1)["prob_rank"].values)
    few = SimpleNamespace(data=xr.Dataset(attrs={"no_joint": "some scores are missing"}))
    for data, said in ((COUNTS, "data hold no ranks"), (few, "no ranks: some scores are missing")):
        with pytest.raises(ValueError, match=said):
            bt.plot.ranks(data)


@pytest.mark.parametrize(
    "draw",
    [bt.plot.matrix, bt.plot.outcomes, bt.plot.differences, bt.plot.densities, bt.plot.simplex],
)
def test_what_is_no_comparison_is_told_in_one_line(draw):
    for data in ([1, 2], SCORES.sum("item"), xr.Dataset({"x": 1}), SimpleNamespace(data=3)):
        with pytest.raises(ValueError, match=r"^data (is|are)") as caught:
            draw(data)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["matrix", "differences", "leaderboard", "cliques", "ranks"])
def test_selected_and_sorted_pairs_keep_their_systems(name):
    right = np.random.default_rng(1).random((100, 5)) < [0.9, 0.7, 0.5, 0.3, 0.1]
    scores = xr.DataArray(right * 1.0, {"system": list("zydca")}, ("item", "system"))
    data, draw = bt.compare(scores, rng=1).data, getattr(bt.plot, name)

    def listed(data):
        return [label.get_text() for label in draw(data).get_yticklabels()]

    assert listed(data.sortby(["system_a", "system_b"])) == listed(data) == list("zydca")
    assert listed(data.sel(system_a=["a", "y", "d"], system_b=["a", "y", "d"])) == list("yda")
