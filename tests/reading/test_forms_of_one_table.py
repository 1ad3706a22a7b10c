"""One table in several forms: what a file is refused for, data in memory are refused for, too."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

RNG = np.random.default_rng(9)
ITEMS = pd.Index([f"q{k}" for k in range(30)], name="item")


def right(systems=("old", "new")):
    return pd.DataFrame(RNG.integers(0, 2, (30, 2)), ITEMS, list(systems))


@pytest.mark.parametrize("level", ["seed", "topic"])
def test_a_level_of_an_index_that_is_not_known_is_no_part_of_an_id(level):
    levels = pd.MultiIndex.from_product([ITEMS, range(2)], names=["item", level])
    frame = pd.DataFrame(RNG.integers(0, 2, (60, 2)), levels, ["old", "new"])
    for data in ((frame,), ({s: frame[s] for s in frame},), (frame["old"], frame["new"])):
        with pytest.raises(ValueError, match=f"index level '{level}' is not a known name"):
            bt.compare(*data)
    named = frame.rename_axis(["item", "epoch"])
    assert bt.compare({s: named[s] for s in named}).data.attrs["n_units"] == 30


def test_an_array_of_error_rates_states_its_direction():
    rates = right(["wer_old", "wer_new"]) * 0.5
    array = rates.to_xarray().to_array("system")
    for function in (bt.compare, bt.count):
        with pytest.raises(ValueError, match=r"less is better in .*assign_attrs\(higher_is_better"):
            function(array)
        function(array.assign_attrs(higher_is_better=False))
        function(array.assign_coords(system=["old", "new"]))


@pytest.mark.parametrize(
    "form", [dict, lambda t: {s: t[s].tolist() for s in t}, lambda t: t.to_numpy()]
)
def test_a_row_of_totals_in_memory_is_no_item(form):
    table = right()
    total = pd.concat([table, table.sum().to_frame("All").T.rename_axis("item")])
    systems = {} if isinstance(form(table), dict) else {"systems": ["old", "new"]}
    bt.compare(form(table), **systems)
    with pytest.raises(ValueError, match=r"item '(All|30)' is the sum of all other items"):
        bt.compare(form(total), **systems)


def test_a_blank_next_to_a_name_is_no_part_of_it():
    table = right()
    stripped = bt.compare(table.to_numpy(), systems=["old ", "new"])
    assert stripped.data["system_a"].values.tolist() == ["old", "new"]


def test_files_that_are_called_runs_and_do_not_number_them(tmp_path):
    for k in range(3):
        right().reset_index().to_csv(tmp_path / f"run{k}.csv", index=False)
    with pytest.raises(ValueError, match="are called runs, and hold the same items; give each"):
        bt.read(tmp_path)
    assert len(set(bt.read(tmp_path, names="datasets")["dataset"].values)) == 3
    assert bt.read({"run1": right()})["dataset"].values[0] == "run1"
    (tmp_path / "run2.csv").write_text("item,old,new\nother,1,0\nanother,0,1\n")
    assert len(set(bt.read(tmp_path)["dataset"].values)) == 3


@pytest.mark.parametrize("form", [pd.Series, list, np.array, xr.DataArray])
def test_a_gate_names_the_frame_that_it_takes(form):
    with pytest.raises(ValueError, match=r"the baseline is a \w+; give a path, logs, or a Data"):
        bt.gate(form([1, 0, 1]), form([1, 1, 1]), margin=0.1)
