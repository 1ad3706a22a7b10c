"""Measures in different units: the published example, directions, rounding, bad tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

REFERENCE = Path(__file__).parents[1] / "reference"
PAIR = {"system_a": "DIAG-NLP", "system_b": "DIAG-orig"}


def frame(**columns):
    return pd.DataFrame(
        {"measure": ["time", "score", "cost"], "A": [1, 5, 2], "B": [2, 6, 2]} | columns
    )


def test_the_published_measures():
    counts = bt.counts.from_measures(bt.datasets.diag_measures())
    assert counts.sel(PAIR).values.tolist() == [8, 1, 1]
    assert counts.attrs["left_out"] == "feedback time (min)"
    assert counts.attrs["unit"] == "measure"
    assert counts.attrs["n_items"] == 10


def test_every_cell_of_the_published_table():
    printed = pd.read_csv(REFERENCE / "diag_measures.csv", index_col="measure")
    ours = bt.datasets.diag_measures()
    assert ours.index.tolist() == printed.index.tolist()
    np.testing.assert_array_equal(ours.to_numpy(), printed.to_numpy())


@pytest.mark.parametrize(
    ("ties", "with_time", "p"),
    [
        ("to_a", True, 0.0107421875),  # 9 of 10; printed 0.011
        ("to_b", True, 0.0546875),  # 8 of 10; printed 0.0545
        ("to_a", False, 0.01953125),  # 8 of 9; printed 0.02
        ("to_b", False, 0.08984375),  # 7 of 9; printed 0.09
        ("drop", True, 0.01953125),  # 8 of 9; printed 0.02
        ("drop", False, 0.03515625),  # 7 of 8; printed 0.035
    ],
)
def test_published_p_values(ties, with_time, p):
    measures = bt.datasets.diag_measures()[
        ["DIAG-NLP", "DIAG-orig", "higher_is_better", "independent"]
    ]
    if not with_time:
        measures = measures.drop(index="total time (min)")
    test = bt.sign_test(measures, ties=ties, alternative="greater")
    assert test["p_value"].sel(PAIR).item() == pytest.approx(p, rel=1e-12)


def test_directions_and_three_systems():
    table = frame(C=[3, 7, 1], higher_is_better=[0, 1, 0])
    counts = bt.counts.from_measures(table)
    assert counts.sel(system_a="A", system_b="B").values.tolist() == [1, 1, 1]
    assert counts.sel(system_a="C", system_b="A").values.tolist() == [2, 1, 0]


def test_rounding_in_one_unit_is_a_tie_whatever_the_others_are():
    table = frame(A=[0.1 + 0.2, 1e-9, 1e12], B=[0.3, 2e-9, 1e12 + 1], higher_is_better=[1, 1, 1])
    assert bt.counts.from_measures(table).sel(system_a="A", system_b="B").values.tolist() == [
        0,
        2,
        1,
    ]


def test_missing_values_leave_their_pairs():
    table = frame(C=[np.nan, 1, 1], higher_is_better=[1, 1, 1])
    counts = bt.counts.from_measures(table)
    assert counts["n_dropped"].sel(system_a="A").values.tolist() == [0, 0, 1]
    assert counts.sel(system_a="A", system_b="C").values.sum() == 2


def test_a_missing_value_of_any_kind():
    for blank in (pd.array([1, None, 2], dtype="Int64"), [1, None, 2], [1.0, np.nan, 2.0]):
        counts = bt.counts.from_measures(frame(C=blank, higher_is_better=[0, 1, 1]))
        assert counts.sel(system_a="C", system_b="A").values.tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2], "measures are a list; give a pandas.DataFrame"),
        (frame(), "no column 'higher_is_better'"),
        (
            frame(higher_is_better=[1, 2, 0]),
            "measure 'score', column 'higher_is_better' is 2; give 0 or 1",
        ),
        (
            frame(higher_is_better=[1, 1, None]),
            "measure 'cost', column 'higher_is_better' is nan; give 0 or 1",
        ),
        (
            frame(higher_is_better=pd.array([1, 1, None], dtype="boolean")),
            "measure 'cost', .* is <NA>; give 0 or 1",
        ),
        (
            frame(B=pd.Series([10**400, 1, 2], dtype=object), higher_is_better=1),
            "measure 'time', column 'B' is 10+; give a finite number",
        ),
        (
            frame(B=["x", 1, 2], higher_is_better=1),
            "measure 'time', column 'B' is 'x'; give a finite number",
        ),
        (
            frame(B=[np.inf, 1, 2], higher_is_better=1),
            "measure 'time', column 'B' is inf; give a finite number",
        ),
        (frame(measure=["t", "t", "c"], higher_is_better=1), "measure 't' occurs more than once"),
        (frame(higher_is_better=1).drop(columns="B"), "at least two systems; found only 'A'"),
        (frame(higher_is_better=1, independent=0), "no measure is independent"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(ValueError, match=message):
        bt.counts.from_measures(table)
