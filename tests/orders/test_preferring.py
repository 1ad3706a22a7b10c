"""How often a system prefers the reference order: against counting by hand, and a known truth."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt


def scores(random, documents=5, orders=8, systems=("A", "B")):
    values = random.integers(0, 4, (documents, orders, len(systems))).astype(float)
    values[0, 5:] = np.nan
    coords = {
        "document": [f"d{k}" for k in range(documents)],
        "order": ["gold", *(f"p{k}" for k in range(orders - 1))],
        "system": list(systems),
    }
    return xr.DataArray(values, coords, dims=tuple(coords))


def test_pairs_are_counted_one_by_one():
    table = scores(np.random.default_rng(1))
    found = bt.orders.preference_accuracy(table, "gold")
    pairs = 0
    for d in table["document"].values:
        for s in table["system"].values:
            gold, *others = table.sel(document=d, system=s).values
            others = [v for v in others if not np.isnan(v)]
            wins = [1.0 if gold > v else 0.5 if gold == v else 0.0 for v in others]
            pairs += len(wins)
            assert found.sel(item=d, system=s).item() == pytest.approx(np.mean(wins))
    assert found.attrs["n_pairs"] == pairs == 2 * (4 + 4 * 7)


def test_it_is_the_rank_of_the_reference_in_another_unit():
    """1 less the share of orders above it, which `reference_rank` counts from a list."""
    random = np.random.default_rng(2)
    orders = [list(map(str, random.permutation(4))) for _ in range(9)]
    orders = [list(o) for o in dict.fromkeys(map(tuple, orders))]
    values = random.integers(0, 5, len(orders)).astype(float)
    labels = ["".join(o) for o in orders]
    table = pd.DataFrame([values], ["d"], labels)
    rank = bt.orders.reference_rank(values, orders, orders[3])
    found = bt.orders.preference_accuracy(table, labels[3])
    assert found.item() == pytest.approx(1 - rank["share"].item())


def test_a_random_system_is_right_on_half_and_tau_on_all():
    """Tau itself prefers the reference to every other order; noise does in half of the pairs."""
    random = np.random.default_rng(3)
    orders = {"gold": list(range(5))} | {f"p{k}": random.permutation(5) for k in range(20)}
    lists = {name: [f"s{k}" for k in order] for name, order in orders.items()}
    lists = {
        name: order for name, order in lists.items() if name == "gold" or order != lists["gold"]
    }
    taus = bt.orders.kendall_tau(lists | {"reference": lists["gold"]}, "reference")["tau"]
    table = taus.rename(system="order").expand_dims(document=["d"])
    assert bt.orders.preference_accuracy(table, "gold").item() == 1
    noise = pd.DataFrame(random.random((400, 21)), columns=["gold", *(f"p{k}" for k in range(20))])
    found = bt.orders.preference_accuracy(noise, "gold")
    assert found.mean().item() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 400))


def test_systems_of_a_mapping_are_those_of_an_array_and_can_be_compared():
    table = scores(np.random.default_rng(4), documents=12)
    tables = {s: table.sel(system=s).to_pandas() for s in ("A", "B")}
    found = bt.orders.preference_accuracy(tables, "gold")
    xr.testing.assert_allclose(found, bt.orders.preference_accuracy(table, "gold"))
    lacking = tables | {"B": tables["B"].drop(index="d3")}
    assert np.isnan(bt.orders.preference_accuracy(lacking, "gold").sel(item="d3", system="B"))
    assert bt.compare(found, tests="sign").data.sizes["system_a"] == 2


def test_what_it_refuses_in_one_line():
    table = scores(np.random.default_rng(5))
    for bad, reference, message in (
        (table, "p99", "reference is 'p99'; give the one of the orders that is the reference"),
        (table.isel(order=[0]), "gold", "and other orders"),
        (table.where(table["order"] != "gold"), "gold", "no document has a score"),
        (table.values, "gold", "scores are a ndarray; give a table"),
        (pd.DataFrame({"gold": ["x"], "p": ["y"]}), "gold", "scores are no numbers"),
        ({}, "gold", "scores are a dict; give a table"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            bt.orders.preference_accuracy(bad, reference)
        assert "\n" not in str(caught.value)


def test_a_document_occurs_once():
    table = pd.DataFrame({"gold": [1.0, 2.0], "other": [0.0, 3.0]}, ["d", "d"])
    for scored in (table, {"A": table, "B": table[:1]}):
        with pytest.raises(ValueError, match="document 'd' occurs more than once"):
            bt.orders.preference_accuracy(scored, "gold")
