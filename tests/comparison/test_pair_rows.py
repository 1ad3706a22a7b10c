"""A comparison as rows: the better system first, everything told from its side."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.tables import ahead_first, pair_rows, system_rows
from betterthan.significance import Tests


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 5, (40, 4)) / 4 + [0.0, 0.5, 0.2, 0.1]
    systems = [f"s{k}" for k in range(4)]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": systems})


@pytest.fixture(scope="module")
def comparison(scores):
    return bt.compare(
        scores, quantity="wins", rope=0.05, ties="all", tests=Tests(shuffles=200), rng=1
    ).by_engine()


def test_every_pair_once_and_told_from_the_side_of_the_one_ahead(comparison):
    rows = pair_rows(comparison)
    assert len(rows) == 6
    assert len({frozenset(pair) for pair in rows[["system", "other"]].values.tolist()}) == 6
    assert (rows["prob_better"] >= 0.5).all()
    assert not set(rows["verdict"]) & {"a_better", "b_better", "worse"}
    for row in rows.itertuples():
        cell = comparison.sel(system_a=row.system, system_b=row.other).isel(engine=0)
        assert [row.wins, row.losses, row.ties] == cell["counts"].values.tolist()
        for column, name in (
            ("prob_better", "prob_better"),
            ("difference", "difference_mean"),
            ("lower", "difference_lower"),
            ("upper", "difference_upper"),
            ("n", "n"),
            ("bayes_factor_01", "bayes_factor_01"),
        ):
            assert getattr(row, column) == cell[name].item()
        assert row.lower <= row.difference <= row.upper
        assert row.within_rope == cell["mass"].sel(region="rope").item()
        assert row.p_value_randomization == cell["p_value"].sel(test="randomization").item()
        assert row.p_adjusted_randomization == cell["p_adjusted"].sel(test="randomization").item()


def test_the_order_of_the_data_does_not_matter(scores, comparison):
    turned = bt.compare(
        scores[:, ::-1], quantity="wins", rope=0.05, ties="all", tests=Tests(shuffles=200), rng=1
    ).by_engine()
    here, there = pair_rows(comparison), pair_rows(turned)
    assert here["system"].tolist() == there["system"].tolist()
    assert here["wins"].tolist() == there["wins"].tolist()
    np.testing.assert_allclose(here["difference"], there["difference"], rtol=1e-9)


def test_unknown_ties_and_the_numbers_of_the_comparison():
    comparison = bt.compare(bt.datasets.intent_detection()).by_engine()
    rows = pair_rows(comparison).set_index(["system", "other"])
    assert len(rows) == 28
    assert not {"ties", "difference", "within_rope", "engine", "mcse"} & set(rows)
    assert rows.loc[("NN W", "LUIS"), ["wins", "losses"]].tolist() == [78, 62]
    cell = comparison["prob_better"].sel(system_a="NN W", system_b="LUIS", engine="exact")
    assert rows.loc[("NN W", "LUIS"), "prob_better"] == cell.item()


def test_a_circle_is_told_pair_by_pair():
    counts = {("X", "Y"): (9, 2, 0), ("Y", "Z"): (9, 2, 0), ("Z", "X"): (9, 2, 0)}
    comparison = bt.compare(bt.counts.from_table(counts)).by_engine()
    rows = pair_rows(comparison)
    assert {(r.system, r.other) for r in rows.itertuples()} == set(counts)
    assert (rows["wins"] == 9).all()
    assert len(ahead_first(comparison.isel(engine=0))) == 3
    lines = [line.split() for line in bt.report(comparison).splitlines()]
    # of each pair the system ahead stands first
    assert all(line[9:11] == [line[0], "better"] for line in lines if line[6:9] == ["9", "2", "0"])
    assert sum(line[6:9] == ["9", "2", "0"] for line in lines) == 3
    assert "Y better than X" not in bt.report(comparison)


def test_several_engines_have_rows_of_their_own(comparison):
    two = comparison.isel(engine=[0, 0]).assign_coords(engine=["x", "exact"])
    rows = pair_rows(two)
    assert rows["engine"].tolist() == ["x"] * 6 + ["exact"] * 6
    assert rows["system"][:6].tolist() == rows["system"][6:].tolist()


def test_one_row_a_system(comparison):
    rows = system_rows(comparison)
    ended = ["better_than", "worse_than", "equivalent_to", "undecided", "never_compared"]
    assert (rows[ended].sum(axis=1) == 3).all()
    assert rows["better_than"].sum() == rows["worse_than"].sum()
    best = rows["system"][0]
    assert rows["score"][0] == comparison["score"].sel(system=best).item()
    assert "in_best_set" not in rows  # wins of graded scores are answered pair by pair
    better = comparison["prob_better"].isel(engine=0).mean("system_b")
    assert best == better.idxmax().item()


@pytest.mark.parametrize("rows", [pair_rows, system_rows])
def test_one_line_on_what_is_no_comparison(rows, comparison):
    for data in (xr.Dataset(), comparison.isel(system_a=[0]), comparison["n"]):
        with pytest.raises(ValueError, match="comparison") as caught:
            rows(data)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("known", [{}, {"ties": 0}])
def test_a_pair_without_a_row_was_never_compared_also_where_ties_are_unknown(known):
    table = pd.DataFrame({"system_a": "A", "system_b": [*"BC"], "wins": [3, 10], "losses": [12, 4]})
    compared = bt.compare(table.assign(**known))
    assert compared["verdict"].sel(system_a="B", system_b="C") == "no_data"
    assert compared["verdict"].sel(system_a="B", system_b="A") == "a_better"
    dropped = bt.counts.from_table({("A", "B"): (0, 0, 7), ("A", "C"): (5, 1, 0)})
    assert bt.compare(dropped, ties="drop")["verdict"].sel(system_a="A", system_b="B") != "no_data"
