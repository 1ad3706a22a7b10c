"""A comparison runs through tables of engines and additions, and builds its Dataset when asked."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.comparison import compare as steps
from betterthan.comparison.engines import closed_form
from betterthan.counts.shapes import Table

DATA = bt.datasets.contingency_case("a")


def test_the_dataset_is_built_at_first_use_and_once():
    comparison = bt.compare(DATA)
    assert isinstance(comparison._data, Table)
    assert isinstance(comparison.data, xr.Dataset)
    assert comparison.data is comparison.data


def test_data_cannot_be_replaced():
    comparison = bt.compare(DATA)
    with pytest.raises(AttributeError):
        comparison.data = comparison.data


def test_a_new_addition_is_one_row(monkeypatch):
    def wins(evaluation, options, answer):
        return Table({"share_won": (("system_a", "system_b"), answer.table["prob_better"] > 0.5)})

    monkeypatch.setattr(steps, "ADDITIONS", (*steps.ADDITIONS, wins))
    assert bt.compare(DATA)["share_won"].values.tolist() == [[False, True], [False, False]]


def test_a_new_engine_is_one_row(monkeypatch):
    def twice(evaluation, options):
        first, second = closed_form(evaluation, options), closed_form(evaluation, options)
        return [first, steps.replace(second, engine="again")]

    monkeypatch.setitem(steps.ENGINES, "exact", twice)
    comparison = bt.compare(DATA)
    assert list(comparison.alternatives) == ["again"]
    np.testing.assert_array_equal(
        comparison.alternatives["again"]["prob_better"], comparison["prob_better"]
    )


def test_a_table_is_the_dataset_that_it_builds():
    data = bt.compare(DATA).data
    xr.testing.assert_identical(Table.of(data).to_dataset(), data)


def test_of_two_tables_the_first_wins():
    first = Table({"a": (("x",), np.ones(2))}, {"unit": "item"})
    second = Table({"a": (("x",), np.zeros(2)), "b": ((), np.array(3))}, {"unit": "cluster"})
    merged = Table.merged([first, second])
    assert merged["a"].tolist() == [1, 1]
    assert merged["b"] == 3
    assert merged.attrs == {"unit": "item"}
    assert merged.get("c", np.array(0)) == 0
