"""The test against chance: exact against enumeration, sampled against exact."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betterthan as bt

DOCUMENTS = {
    "x": {"r1": list("abcd"), "r2": list("abdc"), "A": list("bacd")},
    "y": {"r1": list("pqr"), "r2": list("qpr"), "A": list("prq")},
}


def null_of(references, names):
    """Mean score of every pair of orders of the two documents."""
    scores = []
    for document, items in (("x", "abcd"), ("y", "pqr")):
        refs = {k: v for k, v in DOCUMENTS[document].items() if k in names}
        every = {
            f"{document}{k}": refs | {"A": list(o)}
            for k, o in enumerate(itertools.permutations(items))
        }
        scores.append(bt.orders.tau_scores(every, names, references=references).values[:, 0])
    return ((scores[0][:, None] + scores[1]) / 2).ravel()


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_one_reference_is_exact(alternative):
    null = null_of("mean", ["r1"])
    documents = {d: {k: v for k, v in inner.items() if k != "r2"} for d, inner in DOCUMENTS.items()}
    found = bt.orders.tau_test(documents, "r1", alternative=alternative)
    observed = found["mean_tau"].item()
    high, low = (null >= observed - 1e-12).mean(), (null <= observed + 1e-12).mean()
    expected = {"greater": high, "less": low, "two-sided": min(1, 2 * min(high, low))}[alternative]
    assert found["p_value"].item() == pytest.approx(expected, rel=1e-12)
    assert found["exact"].item()
    assert found["p_value_mcse"].item() == 0
    assert found["n_documents"].item() == 2


@pytest.mark.parametrize("references", ["mean", "weighted", "best"])
def test_several_references_are_sampled(references):
    null = null_of(references, ["r1", "r2"])
    found = bt.orders.tau_test(DOCUMENTS, ["r1", "r2"], references=references, rng=1)
    scores = bt.orders.tau_scores(DOCUMENTS, ["r1", "r2"], references=references)
    assert found["mean_tau"].item() == pytest.approx(scores.mean().item())
    expected = (null >= scores.mean().item() - 1e-12).mean()
    assert abs(found["p_value"].item() - expected) < 4 * np.sqrt(expected * (1 - expected) / 10_000)
    assert not found["exact"].item()
    again = bt.orders.tau_test(DOCUMENTS, ["r1", "r2"], references=references, rng=1)
    assert again["p_value"].item() == found["p_value"].item()


def test_consensus_is_one_reference():
    documents = {k: lists | {"r3": lists["r1"]} for k, lists in DOCUMENTS.items()}
    found = bt.orders.tau_test(documents, ["r1", "r2", "r3"], references="consensus")
    assert found["exact"].item()


def test_a_large_lattice_is_sampled_and_agrees():
    random = np.random.default_rng(2)
    documents = {}
    for k, n in enumerate(range(4, 24)):
        items = [f"i{j}" for j in range(n)]
        noisy = [items[j] for j in np.argsort(np.arange(n) + random.normal(0, 12, n))]
        documents[f"d{k}"] = {"r": items, "A": noisy}
    found = bt.orders.tau_test(documents, "r", rng=4)
    assert not found["exact"].item()
    taus = bt.orders.kendall_tau(documents, "r")
    n = taus["n_items"].values[:, 0]
    variance = (2 * (2 * n + 5) / (9 * n * (n - 1))).sum() / len(n) ** 2
    normal = stats.norm.sf(taus["tau"].mean().item() / np.sqrt(variance))
    assert found["p_value"].item() == pytest.approx(normal, abs=0.02)
    assert found["p_value"].item() > 0


def test_ties_of_the_system_are_kept_under_chance():
    cells = {
        "document": list("ddee"),
        "system": ["r", "A"] * 2,
        "order": ["a>b>c", "a=b>c", "a>b>c", "a>b=c"],
    }
    ranks = bt.orders.read(pd.DataFrame(cells))
    found = bt.orders.tau_test(ranks, "r", rng=1)
    # each document: 3 equally likely places of the pair, taus 2, 0 and -2 over the same root
    assert found["mean_tau"].item() == pytest.approx(2 / np.sqrt(6))
    assert abs(found["p_value"].item() - 1 / 9) < 4 * np.sqrt(8 / 81 / 10_000)


def test_nothing_to_test():
    with pytest.raises(ValueError, match="choose one of"):
        bt.orders.tau_test(DOCUMENTS, ["r1"], references="all")
    with pytest.raises(ValueError, match="shuffles is 0"):
        bt.orders.tau_test(DOCUMENTS, ["r1"], shuffles=0)


def test_documents_without_a_tau_are_no_exact_matches():
    orders = {d: {"ref": list("xyz"), "A": list("xzy"), "B": list("xyz")} for d in ("d1", "d2")}
    orders["d3"] = {name: ["x"] for name in ("ref", "A", "B")}  # one item has no tau
    with pytest.warns(UserWarning, match="not defined|rests on|no interval"):
        comparison = bt.orders.compare(orders, "ref", rng=1)
    data = comparison.data
    assert data["exact_matches"].sel(system=["A", "B"]).values.tolist() == [0, 2]
    assert data["n_documents"].values.tolist() == [2, 2]
    assert "1 document without a tau of every system is left out." in str(comparison)
    # of documents of equal weight the mean difference is the difference of the scores
    pair = data.sel(system_a="A", system_b="B")
    assert pair["difference_mean"].item() == pytest.approx(1 / 3 - 1, abs=1e-15)
