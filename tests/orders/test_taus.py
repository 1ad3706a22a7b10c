"""Kendall's tau of documents and systems: published numbers, scipy, identities and bad input."""

import itertools
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt

PRINTED = tomllib.loads((Path(__file__).parents[1] / "reference" / "tau.toml").read_text("utf-8"))
permutation = st.integers(2, 9).flatmap(lambda n: st.permutations(range(n)))


def table_1():
    frame = pd.DataFrame(
        {k: PRINTED["table_1"][k] for k in ("reference", "system_1", "system_2")},
        index=list("ABCDEFGHIJ"),
    )
    return bt.orders.from_ranks(frame.T)


def test_published_taus():
    ranks = table_1()
    first = bt.orders.kendall_tau(ranks, "reference")["tau"].round(2).values.tolist()
    third = (
        bt.orders.kendall_tau(ranks.sel(system=["system_1", "system_2"]), "system_1")["tau"]
        .round(2)
        .item()
    )
    assert [*first, third] == PRINTED["table_1"]["tau"]
    agreement = bt.orders.agreement(ranks)["tau"]
    assert agreement.sel(system_a="system_1", system_b="system_2").item() == pytest.approx(7 / 45)


def test_published_distribution():
    found = bt.orders.tau_distribution(PRINTED["figure_1"]["items"])
    assert found.sizes["inversions"] == PRINTED["figure_1"]["values"]
    near = found["orders"].where(abs(abs(found["tau"]) - 0.07) < 0.005, drop=True)
    assert near.values.tolist() == [PRINTED["figure_1"]["orders"]] * 2
    assert found["p_value"].values[-1] == 1
    assert bt.orders.tau_distribution(25)["orders"].values[3] > 0
    for bad in (1, 201, 2.5):
        with pytest.raises(ValueError, match="items is"):
            bt.orders.tau_distribution(bad)


@given(permutation)
def test_identities(order):
    n = len(order)
    items = [f"i{k}" for k in range(n)]
    lists = {
        "ref": items,
        "A": [items[k] for k in order],
        "back": [items[k] for k in reversed(order)],
    }
    found = bt.orders.kendall_tau(lists, "ref")
    tau, rank = found["tau"].values, found["spearman"].values
    assert tau[1] == pytest.approx(-tau[0])
    assert (np.abs(3 * tau - 2 * rank) <= 1 + 1e-12).all()
    assert found["inversions"].values.sum() == n * (n - 1) / 2
    renamed = {s: [f"z{i}" for i in o] for s, o in lists.items()}
    assert bt.orders.kendall_tau(renamed, "ref")["tau"].values.tolist() == tau.tolist()
    assert bt.orders.kendall_tau({"ref": lists["A"], "A": items}, "ref")[
        "tau"
    ].item() == pytest.approx(tau[0])
    assert tau[0] == pytest.approx(stats.kendalltau(range(n), np.argsort(order)).statistic)
    weighted = bt.orders.weighted_tau(lists, ["ref"])
    assert weighted["mean"].values == pytest.approx(tau)


@given(permutation, st.randoms(use_true_random=False))
def test_weighted_tau_identities(order, random):
    n = len(order)
    items = [f"i{k}" for k in range(n)]
    second = random.sample(items, n)
    lists = {
        "r1": items,
        "r2": second,
        "A": [items[k] for k in order],
        "back": [items[k] for k in reversed(order)],
    }
    found = bt.orders.weighted_tau(lists, ["r1", "r2"])
    assert found["mean"].values[0] == pytest.approx(-found["mean"].values[1])
    assert (np.abs(found["tau"].values) <= 1 + 1e-12).all()
    by_hand = []
    for r in (items, second):
        total = wrong = 0.0
        for a, b in itertools.combinations(r, 2):
            weight = np.mean([q.index(a) < q.index(b) for q in (items, second)])
            total += weight
            wrong += weight * (lists["A"].index(a) > lists["A"].index(b))
        by_hand.append(1 - 2 * wrong / total)
    assert found["tau"].values[0] == pytest.approx(by_hand)
    assert bt.orders.weighted_tau({"r1": items, "r2": items, "A": lists["A"]}, ["r1", "r2"])[
        "mean"
    ].item() == pytest.approx(
        bt.orders.kendall_tau({"r": items, "A": lists["A"]}, "r")["tau"].item()
    )


def test_ragged_documents_with_a_missing_and_a_short_order():
    lists = {
        "long": {"ref": list("abcde"), "A": list("abced"), "B": list("edcba")},
        "short": {"ref": ["x"], "A": ["x"], "B": ["x"]},
        "gap": {"ref": list("pq"), "A": list("qp")},
    }
    with pytest.warns(
        UserWarning, match=r"not defined for 2 of 6 orders, first on document 'short'"
    ):
        found = bt.orders.kendall_tau(lists, "ref")
    assert found["tau"].sel(document="long").values == pytest.approx([0.8, -1])
    assert np.isnan(found["tau"].sel(document="short")).all()
    assert np.isnan(found["tau"].sel(document="gap", system="B"))
    assert found.attrs["n_missing"] == 1
    assert found.attrs["n_undefined"] == 2
    assert found["n_items"].sel(document="gap").values.tolist() == [2, 0]
    assert found["exact_match"].sel(document="long").values.tolist() == [0, 0]
    with pytest.raises(ValueError, match="not defined for 1 of 1"):
        bt.orders.kendall_tau({"ref": ["x"], "A": ["x"]}, "ref")


def test_many_documents_at_once_are_scipys():
    random = np.random.default_rng(3)
    values = np.stack([np.stack([random.permutation(9) + 1 for _ in range(3)]) for _ in range(50)])
    ranks = xr.DataArray(
        values, dims=("document", "system", "item"), coords={"system": ["r", "A", "B"]}
    )
    found = bt.orders.kendall_tau(ranks, "r")
    for d in (0, 17, 49):
        for s in (1, 2):
            expected = stats.kendalltau(values[d, 0], values[d, s], method="exact")
            at = found.isel(document=d).sel(system="AB"[s - 1])
            assert at["tau"].item() == pytest.approx(expected.statistic)
            assert at["p_value"].item() == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("variant", ["a", "b", "c"])
def test_variants_differ_by_ties_alone(variant):
    ranks = bt.orders.from_ranks(
        pd.DataFrame({"a": [1, 1], "b": [2, 1], "c": [3, 3], "d": [4, 4]}, index=["r", "A"])
    )
    expected = {"a": 5 / 6, "b": 5 / np.sqrt(6 * 5), "c": 5 * 2 / (16 * 2 / 3)}
    found = bt.orders.kendall_tau(ranks, "r", variant=variant)
    assert found["tau"].item() == pytest.approx(expected[variant])
    assert found["ties"].item() == 1
    assert np.isnan(found["p_value"].item())


def test_common_items_with_their_coverage():
    lists = {"ref": list("abcd"), "A": list("badx")}
    with pytest.raises(
        ValueError, match=r"'x' only in the order; 'c' only in the reference; restrict='common'"
    ):
        bt.orders.kendall_tau(lists, "ref")
    found = bt.orders.kendall_tau(lists, "ref", restrict="common")
    assert found["coverage"].item() == 0.75
    assert found["tau"].item() == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="no order shares an item"):
        bt.orders.kendall_tau({"ref": list("ab"), "A": list("xy")}, "ref", restrict="common")


def test_several_references_as_scores():
    lists = {"r1": list("abcd"), "r2": list("bacd"), "A": list("bacd"), "B": list("abdc")}
    documents = {f"d{k}": lists for k in range(2)}
    each = bt.orders.kendall_tau(documents, ["r1", "r2"])["tau"]
    assert each.dims == ("document", "system", "reference")
    mean, best = each.mean("reference").values, each.max("reference").values
    assert bt.orders.tau_scores(documents, ["r1", "r2"]).values == pytest.approx(mean)
    assert bt.orders.tau_scores(documents, ["r1", "r2"], references="best").values == pytest.approx(
        best
    )
    three = {k: lists | {"r3": list("bacd")} for k in documents}
    consensus = bt.orders.consensus({k: three["d0"][k] for k in ("r1", "r2", "r3")})
    expected = bt.orders.kendall_tau({k: lists[k] for k in "AB"}, consensus["order"])["tau"].values
    assert bt.orders.tau_scores(three, ["r1", "r2", "r3"], references="consensus").values[
        0
    ] == pytest.approx(expected)
    for function in (bt.orders.tau_scores, bt.orders.tau_test):
        with pytest.warns(UserWarning, match="on 2 of 2 documents several orders are equally"):
            function(documents, ["r1", "r2"], references="consensus")  # names would decide
    with pytest.raises(ValueError, match="no documents"):
        bt.orders.tau_scores(lists, "r1")
    with pytest.raises(ValueError, match="takes neither"):
        bt.orders.tau_scores(documents, ["r1"], references="weighted", restrict="common")


def test_references_from_elsewhere():
    orders = bt.orders.from_lists({"d1": {"A": list("abc")}, "d2": {"A": list("yx")}})
    own = bt.orders.from_lists({"d2": {"ref": list("xy")}, "d1": {"ref": list("acb")}})
    assert bt.orders.kendall_tau(orders, own)["tau"].values.ravel() == pytest.approx([1 / 3, -1])
    with pytest.raises(ValueError, match="document 'd2' has no reference"):
        bt.orders.kendall_tau(orders, own.sel(document=["d1"]))


@pytest.mark.parametrize(
    ("lists", "reference", "said"),
    [
        ({"r": list("ab"), "A": list("aa")}, "r", r"item 'a' occurs at positions 1 and 2"),
        ({"r": list("ab"), "A": []}, "r", "order is empty"),
        ({"r": list("ab"), "A": "ab"}, "r", "give a list of items"),
        ({"r": list("ab"), "A": ["a", None]}, "r", "position 2: the item is blank"),
        ({"r": list("ab"), "A": list("ab")}, "q", "there is no system 'q'"),
        ({"r": list("ab")}, "r", "every system is a reference"),
        ({"r": list("ab"), "A": list("ab")}, 3, "reference is 3"),
        ({}, "r", "give a mapping"),
        ({"d1": {"r": list("ab")}, "d2": list("ab")}, "r", "document 'd2' has no mapping"),
    ],
)
def test_bad_orders_are_named(lists, reference, said):
    with pytest.raises(ValueError, match=said):
        bt.orders.kendall_tau(lists, reference)


@pytest.mark.parametrize("row", [[1, 2, 4], [0, 1, 2], [2, 3, 4]])
def test_ranks_with_gaps_are_refused(row):
    with pytest.raises(ValueError, match="have a gap or do not start at 1"):
        bt.orders.from_ranks(pd.DataFrame([row], columns=list("abc"), index=["A"]))


@pytest.mark.parametrize("row", [[1, 1, 3], [1.5, 1.5, 3], [2, 2, 3], [1, 1, 2], [1, np.nan, 2]])
def test_ties_of_any_kind_are_ranks(row):
    assert bt.orders.from_ranks(pd.DataFrame([row], columns=list("abc"), index=["A"])).sizes == {
        "system": 1,
        "item": 3,
    }


def test_choices_are_checked():
    lists = {"r": list("ab"), "A": list("ab")}
    for bad in ({"variant": "d"}, {"restrict": "some"}, {"alternative": "both"}):
        with pytest.raises(ValueError, match="choose one of"):
            bt.orders.kendall_tau(lists, "r", **bad)
    with pytest.raises(ValueError, match="dims"):
        bt.orders.kendall_tau(xr.DataArray([1, 2], dims="x"), "r")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bt.orders.kendall_tau(lists, "r")["p_value"].item() == 1


LISTS = {"r": list("abcd"), "A": list("abdc")}


@pytest.mark.filterwarnings("ignore:no interval where")
def test_answers_say_what_they_answer():
    ahead, behind = (LISTS | {"B": list(order)} for order in ("bcda", "abcd"))
    documents = {f"d{k}": ahead if k % 3 else behind for k in range(18)}
    signed = {
        "taus": bt.orders.kendall_tau(documents, "r"),
        "agreement": bt.orders.agreement(documents),
        "orders": bt.orders.compare(documents, "r", draws=100, shuffles=100, rng=1),
        "tau_posterior": bt.orders.posterior(documents, "r", draws=100, rng=1),
    }
    for answer, found in signed.items():
        assert found.attrs["answer"] == answer
        assert found.attrs["version"] == bt.__version__
    told = signed["tau_posterior"].attrs
    assert (told["unit"], told["ci_prob"], told["ci_kind"]) == ("document", 0.95, "hdi")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bt.orders.from_lists([1]), "lists is a list; give a mapping from systems"),
        (lambda: bt.orders.from_lists({}), "lists is empty; give a mapping from systems"),
        (lambda: bt.orders.from_ranks([[1, 2]]), "table is a list; give a pandas.DataFrame"),
        (lambda: bt.orders.kendall_tau([1], "r"), "orders are a list; give orders with dims"),
        (lambda: bt.orders.kendall_tau(LISTS, [[1]]), "reference is a list; give the name of"),
        (lambda: bt.orders.reference_rank(["x"], ["ab"], "ab"), "scores are no numbers; give one"),
        (lambda: bt.orders.reference_rank([1], 5, "ab"), "orders is 5; give lists of items"),
        (lambda: bt.orders.reference_rank([1], ["ab"], 5), "reference is 5; give lists of items"),
        (lambda: bt.orders.tau_distribution([3]), "items is a list; give a whole number"),
    ],
)
def test_what_is_no_order_is_told_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_rope_that_no_difference_of_tau_exceeds_is_refused():
    with pytest.raises(ValueError, match="rope is 2, and no two values of tau are further apart"):
        bt.orders.compare({}, "r", rope=2)
