"""The report on orders, and its command: every format, every kind of data, any name."""

import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betterthan as bt
from betterthan.cli.commands import main

FORMATS = ["text", "markdown", "html", "latex"]
HOSTILE = ["a_b$%&", "<b>|`x`\\"]


def documents(systems=("A", "B"), n=40):
    random = np.random.default_rng(3)
    items = [f"s{k}" for k in range(7)]
    found = {}
    for d in range(n):
        found[f"d{d}"] = {"gold": items} | {
            s: [items[k] for k in np.argsort(np.arange(7) + random.normal(0, 3 + j, 7))]
            for j, s in enumerate(systems)
        }
    return bt.orders.from_lists(found)


@pytest.fixture(scope="module")
def orders():
    return documents()


@pytest.fixture(scope="module")
def compared(orders):
    return bt.orders.compare(orders, "gold", rope=0.02, rng=2)


def test_comparison_counts_documents(orders, compared):
    scores = bt.orders.tau_scores(orders, "gold")
    counts = bt.count(scores).sel(system_a="A", system_b="B")
    pair = compared.data.sel(system_a="A", system_b="B")
    assert [pair[k].item() for k in ("ahead", "behind", "equal")] == counts.values.tolist()
    one = {"system_a": "A", "system_b": "B"}
    assert pair["prob_ahead"].item() == bt.prob_better(bt.count(scores)).sel(one).item()
    assert pair["p_sign"].item() == bt.sign_test(scores)["p_value"].sel(one).item()
    assert compared["score"].values == pytest.approx(scores.mean("item").values)
    assert pair["p_value"].item() == bt.randomization_test(scores, rng=2)["p_value"].sel(one).item()
    assert compared["p_chance"].values == pytest.approx(
        bt.orders.tau_test(orders, "gold", rng=2)["p_value"].values
    )
    assert compared.attrs["n_dropped"] == 0


def test_a_missing_order_drops_its_document_and_says_so(orders):
    holed = orders.copy()
    holed.loc[{"document": "d3", "system": "B"}] = ""
    found = bt.orders.compare(holed, "gold", rng=2)
    assert found.attrs["n_items"] == 39
    assert found.attrs["n_dropped"] == 1
    assert found["n_documents"].values.tolist() == [40, 39]
    assert (
        found[["ahead", "behind", "equal"]].sel(system_a="A", system_b="B").to_array().sum() == 39
    )
    written = bt.report(bt.orders.kendall_tau(holed, "gold"), found)
    assert "on 39 of 40 documents" in written
    assert "1 ranking missing" in written
    with pytest.raises(ValueError, match="documents have an order of every system"):
        bt.orders.compare(holed.isel(document=[3, 4]), "gold")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_taus(orders, compared, format):
    taus, one = bt.orders.kendall_tau(orders, "gold"), orders.isel(document=0)
    written = bt.report(orders, taus, compared, format=format, figures=False)
    for value in compared["score"].values:
        assert f"{value:+.3f}" in written
    assert "p (random rankings)" in written
    assert "Bayesian bootstrap of documents" in written
    agreed = [bt.orders.agreement(one), bt.orders.consensus(one)]
    judged = bt.report(*agreed, format=format, figures=False)
    assert "Kemeny, exact" in judged
    assert "all systems can agree on a bad ranking" in judged
    single = bt.report(bt.orders.kendall_tau(one, "gold"), format=format, figures=False)
    assert "exact, if all rankings are equally likely" in single


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names(format):
    orders = documents(HOSTILE, 6)
    compared = bt.orders.compare(orders, "gold", rng=2)
    taus, one = bt.orders.kendall_tau(orders, "gold"), orders.isel(document=0)
    written = bt.report(taus, compared, format=format)
    assert "<b>" not in written or format == "text"
    if format == "latex":
        assert "a_b$" not in written
    if format == "html":
        assert written.count("<figure>") == 1
        assert bt.report(one, bt.orders.agreement(one), format=format).count("<figure>") == 1
        assert bt.report(bt.orders.kendall_tau(one, "gold"), format=format).count("<figure>") == 1


def test_several_references_are_named():
    three = documents(("A", "B", "gold 2"))
    found = bt.orders.compare(three, ["gold", "gold 2"], references="weighted", rng=1)
    taus = bt.orders.kendall_tau(three, ["gold", "gold 2"])
    written = bt.report(taus, found)
    assert "gold, gold 2" in written
    assert "weighted" in written
    with pytest.raises(ValueError, match="format"):
        bt.report(taus, format="pdf")


def test_facts_of_several_answers_stand_under_one_heading(orders, compared):
    taus = bt.orders.kendall_tau(orders, "gold")
    read = orders.assign_attrs(reading="orders.csv read as orders")
    written = bt.report(read, taus, compared, format="markdown")
    assert written.startswith("# Rankings of 2 systems")
    assert written.count("## Data and method") == 1
    data = written.split("## Data and method")[1].split("## Limits")[0]
    places = [data.index(fact) for fact in ("- Source: orders.csv", "- Reference: gold", "- Test:")]
    assert places == sorted(places)
    assert written.count("\n- Pairs of items within a ranking are not independent") == 1


def test_consensus_of_every_document_is_a_row(orders):
    found = bt.orders.consensus(orders)
    written = bt.report(found)
    assert "the first 40 of" not in written
    for document in ("d0", "d39"):
        (row,) = [r for r in written.splitlines() if r.split()[:1] == [document]]
        assert " > ".join(found["order"].sel(document=document).values) in row


def test_sure_of_tau_by_document(orders):
    by_document = bt.orders.posterior(orders, "gold", rng=1)
    scores = bt.orders.tau_scores(orders, "gold").values
    assert by_document["tau"].values == pytest.approx(scores.mean(0))
    assert (
        np.abs(by_document["mean"].values - scores.mean(0)).max()
        < 5 * by_document["mean_mcse"].values.max()
    )
    # Student's t of the mean over documents
    half = stats.t.ppf(0.975, 39) * scores.std(0, ddof=1) / np.sqrt(40)
    width = (by_document["upper"] - by_document["lower"]).values
    assert width == pytest.approx(2 * half, rel=0.1)
    with pytest.raises(ValueError, match=r"on 1 document; the weights need 2; models\.mallows"):
        bt.orders.posterior(orders.isel(document=[0]), "gold")


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["betterthan", "order", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code or 0, *capsys.readouterr()


def test_command(tmp_path, monkeypatch, capsys):
    orders = documents()
    rows = [
        (d, s, " > ".join(orders.sel(document=d, system=s).values))
        for d in orders["document"].values
        for s in "AB"
    ]
    rows += [(d, "gold", " > ".join(f"s{k}" for k in range(7))) for d in orders["document"].values]
    frame = pd.DataFrame(rows, columns=["document", "system", "order"])
    path = tmp_path / "orders.csv"
    frame.to_csv(path, index=False)
    order = partial(run, monkeypatch, capsys, path)
    code, out, err = order("--reference", "gold", "--seed", 1)
    assert code == 0, err
    assert "orders.csv read as orders: 40 documents" in err
    assert "p (random rankings)" in out
    assert "Agreement of each system with the others" in order()[1]
    code, _, err = order("--reference", "silver", "-o", tmp_path / "never.html")
    assert code == 2
    assert (
        err.splitlines()[-1]
        == "error: there is no system 'silver' to be the reference; there are A, B, gold"
    )
    assert not (tmp_path / "never.html").exists()
    assert order("--reference", "gold", "-o", tmp_path / "o.md")[0] == 0
    assert (tmp_path / "o.md").read_text("utf-8").startswith("# Rankings of 2 systems")


def test_means_are_of_the_documents_that_all_systems_ranked():
    whole = [*"abcdef"]
    documents = {}
    for k in range(20):
        documents[f"d{k}"] = {"gold": whole, "A": whole[:: 1 if k > 3 else -1]}
        if k > 3:
            documents[f"d{k}"]["A"] = [*"abcdfe"] if k % 2 else whole
            documents[f"d{k}"]["B"] = whole[k % 5 :] + whole[: k % 5]
    taus = bt.orders.kendall_tau(documents, "gold")
    text = " ".join(bt.report(taus, format="text").split())
    assert "A is closest to the reference ranking gold over 16 documents (mean tau +0.933)" in text
    answer = bt.orders.compare(documents, "gold", draws=200, shuffles=200, rng=1)
    text = " ".join(str(answer).split())
    assert "Mean tau: A 0.933" in text  # 1 and 13/15 on 8 documents each; of all 20 it is 0.547
    assert "On 16 documents." in text
    assert text.count("left out") == 1
    assert "4 documents without a tau of every system are left out." in text
    page = " ".join(bt.report(answer, format="text").split())
    assert "Documents of its own" in page
    assert answer.data["n_documents"].values.tolist() == [20, 16]
