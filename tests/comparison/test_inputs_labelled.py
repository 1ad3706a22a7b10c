"""Labelled scores of several systems: direction, clusters and names are kept, or refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt


def side(values, **of):
    items = [f"q{k}" for k in range(len(values))]
    coords = {"item": items} | {name: ("item", list(labels)) for name, labels in of.items()}
    return xr.DataArray(np.array(values, float), dims="item", coords=coords)


@pytest.fixture
def errors():
    rng = np.random.default_rng(1)
    lower = {"higher_is_better": False}
    return {s: side(rng.random(40) + k).assign_attrs(lower) for k, s in enumerate("ab")}


def test_a_dict_of_dataarrays_keeps_the_direction(errors):
    row = bt.compare(errors).pairs.iloc[0]
    assert (row["system"], row["verdict"]) == ("a", "better")


def test_two_dataarrays_keep_the_direction(errors):
    assert bt.compare(*errors.values()).pairs["system"].tolist() == ["A"]


def test_directions_that_differ_are_refused(errors):
    errors["b"].attrs.clear()
    with pytest.raises(ValueError, match="of system 'a' are worse, and those of system 'b' better"):
        bt.compare(errors)


def test_clusters_of_dataarrays_are_kept():
    rng = np.random.default_rng(2)
    clusters = np.arange(40) // 10
    sides = {s: side(rng.random(40), cluster=clusters) for s in "ab"}
    assert bt.compare(sides).provenance.n_units == 4


def test_clusters_that_differ_are_refused():
    sides = {"a": side([1, 0, 1, 0], cluster=[1, 1, 2, 2]), "b": side([1, 0, 1, 0])}
    with pytest.raises(ValueError, match="system 'b' has no coordinate 'cluster'"):
        bt.compare(sides)
    sides["b"] = side([1, 0, 1, 0], cluster=[1, 1, 1, 2])
    with pytest.raises(ValueError, match="another cluster than system 'a' for item 'q2'"):
        bt.compare(sides)


def test_the_name_of_one_series_is_kept():
    won, lost = [1, 1, 1] * 8, [0, 0, 1] * 8
    found = bt.compare(pd.Series(won, name="new"), pd.Series(lost))
    assert found.pairs[["system", "other"]].values.tolist() == [["new", "B"]]
    with pytest.raises(ValueError, match="'B'"):
        bt.compare(pd.Series(won, name="B"), pd.Series(lost))


def test_names_that_are_one_without_white_space_are_not_two_systems():
    sides = pd.Series([1, 1, 1] * 8, name="x"), pd.Series([0, 0, 1] * 8, name="x ")
    assert bt.compare(*sides).pairs[["system", "other"]].values.tolist() == [["A", "B"]]


@pytest.mark.parametrize("dtype", ["category", "Sparse[int]", "Int64"])
def test_scores_of_special_types_are_numbers(dtype):
    won = pd.Series([1, 1, 1, 0] * 6).astype(dtype)
    lost = pd.Series([0, 0, 1, 0] * 6).astype(dtype)
    assert bt.compare(won, lost).pairs["wins"].tolist() == [12]


def test_na_in_a_list_is_missing():
    found = bt.compare([1, 1, pd.NA, 1], [0, 0, 1, 0])
    assert found.data["n"].values[0, 1] == 3


@pytest.mark.filterwarnings("ignore:.*differ only by blanks")
@pytest.mark.parametrize("names", [("x\ny", "x y"), ("a  b", "a b")])
@pytest.mark.parametrize("make", [dict, pd.DataFrame])
def test_names_that_are_printed_alike_are_refused(names, make):
    columns = dict(zip(names, ([1, 1, 1] * 8, [0, 0, 1] * 8), strict=True))
    with pytest.raises(ValueError, match="differ only in white space; give them other names"):
        bt.compare(make(columns))


def test_the_same_name_twice_is_refused():
    with pytest.raises(ValueError, match="'A' occurs more than once"):
        bt.compare(np.eye(4)[:, :2], systems=["A", "A"])


@pytest.mark.parametrize(("names", "which"), [(("B", None), "second"), ((None, "A"), "first")])
def test_one_without_a_name_that_would_have_the_name_of_the_other_is_refused(names, which):
    a, b = (pd.Series([1, 0, 1] * 8, name=name) for name in names)
    with pytest.raises(ValueError, match=f"the {which} has no name, and would be '[AB]'"):
        bt.compare(a, b)
    answer = bt.compare(*(s.rename("C") if s.name is None else s for s in (a, b)))
    assert "C" in answer.data["system"]


def test_text_is_no_score():
    with pytest.raises(ValueError, match="holds what is no number"):
        bt.compare({"a": ["1", "0"], "b": [1, 0]})


def test_a_gate_takes_lists_of_one_table(tmp_path):
    for name, values in (("old", [1, 0] * 20), ("new", [1, 1] * 20), ("other", [1, 0, 0, 1] * 10)):
        table = pd.DataFrame({"item": range(40), "score": values})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    assert bt.gate([old], [new], margin=0.1).verdict == bt.gate(old, new, margin=0.1).verdict
    with pytest.raises(ValueError, match="is 2 tables; give one, of one system"):
        bt.gate([old, tmp_path / "other.csv"], [new], margin=0.1)
