"""A saved comparison opens as it was, and a damaged file ends in one line: no hang, no crash."""

import io
import re
import sys
from importlib.util import find_spec

import h5netcdf
import numpy as np
import pandas.testing
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import saved as files

ENGINES = ["h5netcdf", *(["netcdf4"] if find_spec("netCDF4") else [])]


@pytest.fixture(scope="module")
def comparison():
    return bt.compare(bt.datasets.contingency_case("a"))


@pytest.fixture
def saved(comparison, tmp_path):
    comparison.save(tmp_path / "c.nc")
    return tmp_path / "c.nc"


@pytest.fixture
def no_digest(comparison, tmp_path):
    comparison.data.to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    return tmp_path / "other.nc"


@pytest.fixture
def no_child(monkeypatch):
    """No file is read by a child process."""
    monkeypatch.setattr(files, "read_in_child", lambda path: pytest.fail(f"{path} has no digest"))


@pytest.fixture
def in_process(monkeypatch):
    """Files without a digest are read as by the child process, which takes a second to start."""

    def read(path):
        content = io.BytesIO()
        np.savez(content, **files._packed(xr.load_datatree(path, engine="h5netcdf")))
        return files._unpacked(content.getvalue())

    monkeypatch.setattr(files, "read_in_child", read)


def refusal(path):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: ") as caught:
        bt.load(path)
    said = str(caught.value)
    assert "\n" not in said
    return said.removeprefix(f"{path}: ")


def test_a_saved_comparison_comes_back_without_a_child_process(saved, comparison, no_child):
    back = bt.load(saved)
    xr.testing.assert_identical(back.data, comparison.data)
    assert str(back) == str(comparison)


@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_xarray_opens_a_file_that_has_a_digest(saved, comparison, engine):
    with xr.open_dataset(saved, engine=engine) as data:
        xr.testing.assert_identical(data.load(), comparison.data.assign_attrs(format=2))
    with xr.open_datatree(saved, engine=engine) as tree:
        xr.testing.assert_identical(
            tree.to_dataset().load(), comparison.data.assign_attrs(format=2)
        )


def test_one_changed_byte_anywhere_is_refused(saved, no_child):
    content = saved.read_bytes()
    digest = range(len(content) - 132, len(content), 4)
    for offset in (*np.linspace(0, len(content) - 1, 51, dtype=int).tolist(), *digest):
        changed = bytearray(content)
        changed[offset] ^= 0x40
        saved.write_bytes(changed)
        assert refusal(saved).startswith("was changed or damaged after it was saved; copy it again")


def test_a_file_cut_in_its_digest_or_with_more_behind_it_is_refused(saved, no_child):
    content = saved.read_bytes()
    for changed in (content[:-1], content[:-70], content + b"\n", content.replace(b"\n", b"\r\n")):
        saved.write_bytes(changed)
        assert refusal(saved).startswith("was changed or damaged after it was saved")


@pytest.mark.parametrize("part", [0.001, 0.5, 0.99])
def test_a_file_cut_before_its_digest_is_refused(saved, part):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * part)])
    assert refusal(saved) == "is damaged, or no netCDF file; give a file that save wrote"


@pytest.mark.parametrize(("content", "what"), [(b"", "is empty"), (b"text", "is no netCDF file")])
def test_what_is_no_netcdf_file_needs_no_child_process(saved, no_child, content, what):
    saved.write_bytes(content)
    assert refusal(saved) == f"{what}; give a file that save wrote"


def test_a_file_of_another_tool_comes_back_the_same(no_digest, comparison):
    back = bt.load(no_digest)
    xr.testing.assert_identical(back.data, comparison.data)
    assert str(back) == str(comparison)


def test_a_saved_file_that_a_tool_changed_has_no_digest_and_is_read(saved, comparison):
    both = type(comparison)(comparison.data, {"exact": comparison.data[["prob_better", "verdict"]]})
    both.save(saved)
    with h5netcdf.File(saved, "a") as file:
        file.attrs["comment"] = "seen"
    back = bt.load(saved)
    assert back.attrs["comment"] == "seen"
    xr.testing.assert_equal(back.data, both.data)
    xr.testing.assert_identical(back.alternatives["exact"], both.alternatives["exact"])


@pytest.fixture(scope="module")
def average():
    scores = np.random.default_rng(0).integers(0, 2, (40, 2)).astype(float)
    coords = {"system": ["A", "B"], "dataset": ("item", ["x", "y"] * 20)}
    data = xr.DataArray(scores, dims=("item", "system"), coords=coords)
    return bt.compare(data, over="dataset").data


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    "lacking", ["dataset_weight", "dataset_items", "counts_dataset", "prob_better_dataset"]
)
def test_an_average_without_its_data_sets_is_refused(average, tmp_path, lacking):
    average.drop_vars(lacking).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    assert f"it has no variable {lacking}" in refusal(tmp_path / "a.nc")


@pytest.mark.usefixtures("in_process")
def test_a_verdict_against_its_probability_is_refused(comparison, tmp_path):
    changed = comparison.data.copy(deep=True)
    changed["verdict"] = changed["verdict"].astype("U16")
    behind = tuple(np.argwhere(changed["prob_better"].values < 0.4)[0])
    changed["verdict"].values[behind] = "a_better"
    changed.to_netcdf(tmp_path / "v.nc", engine="h5netcdf")
    assert "a verdict for the system that prob_better favors" in refusal(tmp_path / "v.nc")


# libhdf5 2.0 loops on a file of this kind whose byte 516 is 8, but another version may not
@pytest.mark.parametrize(
    ("program", "what"),
    [
        ("import time; time.sleep(600)", "could not be read within 1 seconds, it may be damaged"),
        ("import os; os.abort()", "is damaged, or no netCDF file"),
    ],
)
def test_a_file_on_which_libhdf5_loops_or_crashes_is_refused(no_digest, monkeypatch, program, what):
    monkeypatch.setattr(files, "_SECONDS", 1.0)
    monkeypatch.setattr(files, "_READ", program)
    assert refusal(no_digest) == f"{what}; give a file that save wrote"


def test_a_file_is_refused_where_no_child_process_starts(no_digest, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(no_digest.parent / "nothing"))
    assert refusal(no_digest).startswith("has no digest, and the process that should read it")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_a_small_file_that_claims_terabytes_is_refused(tmp_path):
    with h5netcdf.File(tmp_path / "large.nc", "w") as file:
        file.dimensions = {"x": 10**6, "y": 10**6}
        file.create_variable("prob_better", ("x", "y"), float, chunks=(1000, 1000))
    assert (tmp_path / "large.nc").stat().st_size < 10**5
    assert refusal(tmp_path / "large.nc").startswith("is damaged, or no netCDF file")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("number", [1, 3])
def test_a_file_of_another_format_is_refused(comparison, tmp_path, number):
    path = tmp_path / "other.nc"
    comparison.data.assign_attrs(format=number).to_netcdf(path)
    match = f"holds a comparison of format {number}, and this version reads format 2; compare the"
    with pytest.raises(ValueError, match=match):
        bt.load(path)


@pytest.mark.usefixtures("in_process")
def test_a_file_of_the_former_format_is_known_by_its_columns(comparison, tmp_path):
    path = tmp_path / "former.nc"
    comparison.data.assign(among_verdict=comparison.data["verdict"]).to_netcdf(path)
    with pytest.raises(ValueError, match="holds a comparison of format 1"):
        bt.load(path)


def test_the_format_is_no_attribute_of_an_answer(comparison, saved):
    assert "format" not in bt.load(saved).attrs
    assert "format" not in comparison.attrs


def of_five(systems="zydca", rng=1):
    right = np.random.default_rng(1).random((100, 5)) < [0.9, 0.7, 0.5, 0.3, 0.1]
    coords = {"system": list(systems)}
    return bt.compare(xr.DataArray(right * 1.0, coords, ("item", "system")), rng=rng)


@pytest.mark.usefixtures("in_process")
def test_pairs_in_another_order_keep_the_scores_of_their_systems(tmp_path):
    comparison = of_five()
    for dims in (["system_a", "system_b"], ["system"]):
        moved = comparison.data.sortby(dims)
        moved.to_netcdf(tmp_path / "moved.nc", engine="h5netcdf")
        back = bt.load(tmp_path / "moved.nc")
        assert back.statement() == comparison.statement()
        pandas.testing.assert_frame_equal(back.systems, comparison.systems)


@pytest.mark.usefixtures("in_process")
def test_a_part_of_a_comparison_is_refused(tmp_path):
    some = {dim: ["z", "d", "a"] for dim in ("system", "system_a", "system_b")}
    of_five().data.sel(some).to_netcdf(tmp_path / "part.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match="ranks go to 5 among 3 systems: a part of a comparison"):
        bt.load(tmp_path / "part.nc")


def test_systems_are_listed_alike_where_there_is_no_joint_answer():
    wins = {"AB": (8, 13), "AC": (24, 5), "AD": (18, 4), "BC": (9, 2), "BD": (20, 15), "CD": (3, 5)}
    counts = bt.counts.from_table({tuple(pair): (*n, 0) for pair, n in wins.items()})
    comparison = bt.compare(counts)
    printed = str(comparison).split("highest mean P(better) first")[1].splitlines()[4:8]
    assert [line.split()[0] for line in printed] == comparison.systems["system"].tolist()
