"""Scores in a Zarr store or in Parquet files, on the command line, and what is refused in one
line.
"""

import subprocess
import sys
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scale.made_blocks import graded, labelled, right_or_wrong, run, store

import betterthan as bt

VALUES = right_or_wrong(4000, 3, missing=0.02)
GAPPED = np.where(VALUES < 0, np.nan, VALUES)


def parts(folder, values, kind="Int64"):
    """Three Parquet files, one after the other."""
    paths = []
    for k, part in enumerate(np.array_split(values, 3)):
        frame = pd.DataFrame(part, columns=[f"s{j}" for j in range(values.shape[1])])
        frame = frame.astype(kind)
        frame.insert(0, "item", [f"q{k}-{j}" for j in range(len(part))])
        frame.to_parquet(folder / f"{k}.parquet", row_group_size=300)
        paths.append(folder / f"{k}.parquet")
    return paths


def test_a_store_stays_where_it_is_and_whole_numbers_stay_int8(tmp_path):
    scores = bt.read(store(tmp_path / "scores.zarr", VALUES, missing_value=-1))
    assert scores.chunks is not None
    assert scores.dtype == np.int8
    assert "4,000 items x 3 systems (int8, -1 is missing)" in scores.attrs["reading"]
    np.testing.assert_array_equal(bt.count(scores), bt.count(labelled(GAPPED)))


def test_floats_of_a_store_keep_their_gaps(tmp_path):
    values = graded(1000, 3, missing=0.05)
    scores = bt.read(store(tmp_path / "scores.zarr", values), higher_is_better=False)
    whole = labelled(values, higher_is_better=False)
    np.testing.assert_array_equal(bt.count(scores), bt.count(whole))


def without_a_chunk(path, values, zarr_format, **attrs):
    """A store of which one of eight chunks is lost."""
    data = labelled(values, **attrs).chunk(item=500).to_dataset()
    data.to_zarr(path, consolidated=False, zarr_format=zarr_format)
    (path / "scores" / {2: "1.0", 3: "c/1/0"}[zarr_format]).unlink()
    return path


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("attrs", [{}, {"missing_value": -1}])
def test_a_store_that_lost_a_chunk_is_refused(tmp_path, zarr_format, attrs):
    values = VALUES if attrs else np.abs(VALUES)
    path = without_a_chunk(tmp_path / "scores.zarr", values, zarr_format, **attrs)
    said = "scores.zarr: has 1 of 8 chunks of 'scores' not in the store, which would be read as"
    with pytest.raises(ValueError, match=said):
        bt.read(path)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_scores_of_a_lost_chunk_are_missing_where_the_store_says_so(tmp_path, zarr_format):
    path = without_a_chunk(tmp_path / "scores.zarr", GAPPED, zarr_format)
    lost = GAPPED.copy()
    lost[500:1000] = np.nan
    np.testing.assert_array_equal(bt.count(bt.read(path)), bt.count(labelled(lost)))


@pytest.mark.parametrize("kind", ["Int64", "Float32"])
def test_parquet_files_are_parts_of_one_table(tmp_path, kind):
    scores = bt.read(parts(tmp_path, pd.DataFrame(GAPPED).to_numpy(), kind), lazy=True)
    assert scores.dtype == (np.int8 if kind == "Int64" else np.float64)
    np.testing.assert_array_equal(bt.count(scores), bt.count(labelled(GAPPED)))
    some = bt.read(parts(tmp_path, GAPPED, kind), lazy=True, systems=["s2", "s0"])
    assert some["system"].values.tolist() == ["s2", "s0"]


def test_the_command_line_compares_a_store_and_parts_alike(tmp_path, capsys):
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    out, err, code = run(capsys, "compare", zarr, "--seed", 1, "--format", "json")
    assert code == 0
    assert "read as scores in" in err
    files = parts(tmp_path, GAPPED)
    again, err, code = run(
        capsys, "compare", *files, "--scheduler", "threads", "--seed", 1, "--format", "json"
    )
    assert code == 0
    assert "3 files, one after the other, read as scores in" in err
    assert '"prob_better"' in out
    kept = [line for line in out.splitlines() if "reading" not in line and "hash" not in line]
    assert [x for x in again.splitlines() if "reading" not in x and "hash" not in x] == kept


def test_an_unreachable_scheduler_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("betterthan.blocks.scheduling._SECONDS", 0.3)
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    target = tmp_path / "report.html"
    _, err, code = run(capsys, "compare", zarr, "--scheduler", "tcp://127.0.0.1:9", "-o", target)
    assert code == 2
    line = err.splitlines()[-1]
    assert line.startswith("error: no dask scheduler answers at tcp://127.0.0.1:9")
    assert "Traceback" not in err
    assert not target.exists()


BAD = {
    "a code that nobody named": (lambda path: store(path, VALUES), "is -1 in int8"),
    "another dim": (
        lambda path: (
            labelled(VALUES)
            .rename(item="row")
            .to_dataset()
            .to_zarr(path, consolidated=False, zarr_format=2)
        ),
        "has no array over (item, system): 'scores (row, system)'",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_wrong_store_is_one_line_and_code_2(what, tmp_path, capsys):
    make, words = BAD[what]
    make(tmp_path / "scores.zarr")
    out, err, code = run(capsys, "compare", tmp_path / "scores.zarr")
    assert code == 2
    assert not out
    assert words in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("error: ")


def test_parts_must_have_the_same_systems_and_be_parquet(tmp_path):
    files = parts(tmp_path, GAPPED)
    pd.DataFrame({"item": ["a"], "s0": [1], "s1": [0]}).to_parquet(files[1])
    with pytest.raises(ValueError, match=r"1\.parquet: has no column 's2'"):
        bt.read(files, lazy=True)
    with pytest.raises(ValueError, match=r"0\.parquet: has no column 'nope'; it has 'item', 's0'"):
        bt.read(files[0], lazy=True, systems=["s0", "nope"])
    with pytest.raises(ValueError, match="systems is str; give a list of names"):
        bt.read(files[0], lazy=True, systems="s0")
    (tmp_path / "x.csv").write_text("item,A,B\nq,1,0\n")
    with pytest.raises(ValueError, match=r"x\.csv: is read in blocks only as"):
        bt.read(tmp_path / "x.csv", lazy=True)
    pd.DataFrame({"who": ["a"], "s0": [1], "s1": [0]}).to_parquet(files[0])
    with pytest.raises(
        ValueError, match="column 'who', value 'a': text, not scores; pass ignore='who'"
    ):
        bt.read(files[0], lazy=True)
    assert bt.read(files[0], lazy=True, ignore="who").shape == (1, 2)
    with pytest.raises(ValueError, match="source is an empty list"):
        bt.read([], lazy=True)


def with_ids(path, ids, **coords):
    scores = labelled(np.eye(4)).assign_coords(item=ids, **coords)
    scores.chunk(item=2).to_dataset().to_zarr(path, consolidated=False, zarr_format=2)
    return path


def test_no_item_comes_twice(tmp_path):
    files = parts(tmp_path, GAPPED)
    assert "no item id comes twice" in bt.read(files, lazy=True).attrs["reading"]
    with pytest.raises(ValueError, match=r"0\.parquet: row 1, .* 'q0-0': .* in 0\.parquet, row 1;"):
        bt.read([files[0], files[1], files[0]], lazy=True)
    frame = pd.read_parquet(files[2])
    frame.loc[700, "item"] = "q1-350"
    frame.to_parquet(files[2], row_group_size=300)
    with pytest.raises(ValueError, match=r"2\.parquet: row 701, .* in 1\.parquet, row 351;"):
        bt.read(files, lazy=True)
    with pytest.raises(ValueError, match=r"b\.zarr: row 4, column 'item', value 'a'"):
        bt.read(with_ids(tmp_path / "b.zarr", list("abca")))
    assert "no item id comes" in bt.read(with_ids(tmp_path / "c.zarr", range(4))).attrs["reading"]


def test_ids_are_compared_by_whatever_name(tmp_path):
    files = parts(tmp_path, GAPPED)
    for path in files:
        pd.read_parquet(path).rename(columns={"item": "question_id"}).to_parquet(path)
    assert "no item id comes twice" in bt.read(files, lazy=True).attrs["reading"]
    twice = (
        r"0\.parquet: row 1, column 'question_id', value 'q0-0': .* or pass ignore='question_id'"
    )
    with pytest.raises(ValueError, match=twice):
        bt.read([*files, files[0]], lazy=True)
    pd.read_parquet(files[1]).set_index("question_id").to_parquet(files[1])
    with pytest.raises(ValueError, match=r"1\.parquet: row 1, column 'question_id', value 'q1-0'"):
        bt.read([*files, files[1]], lazy=True)
    pd.read_parquet(files[2]).drop(columns="question_id").to_parquet(files[2])
    with pytest.raises(ValueError, match=r"2\.parquet: has no item ids, such as 'question_id'"):
        bt.read(files, lazy=True)


def test_ids_are_those_of_tables_in_memory(tmp_path):
    files = parts(tmp_path, GAPPED)
    for k, ids in enumerate(([1, 2, 3], [5.0, 3.0, np.nan], [4, None, 6])):
        frame = pd.DataFrame({"item": pd.Series(ids), "A": [1, 0, 1], "B": [0, 1, 1]})
        frame.to_parquet(files[k])
    with pytest.raises(ValueError, match=r"1\.parquet, row 3, column 'item'.*: blank; give each"):
        bt.read(files[:2], lazy=True)
    pd.DataFrame({"item": [5.0, 3.0], "A": [1, 0], "B": [0, 1]}).to_parquet(files[1])
    with pytest.raises(ValueError, match=r"1\.parquet: row 2, .* '3': .* in 0\.parquet, row 3;"):
        bt.read(files[:2], lazy=True)


def test_a_blank_id_beyond_the_first_rows_is_refused(tmp_path):
    for blank in (None, " "):
        files = parts(tmp_path, GAPPED)
        last = pd.read_parquet(files[2])
        last.loc[1210, "item"] = blank
        last.to_parquet(files[2], row_group_size=300)
        with pytest.raises(ValueError, match=r"2\.parquet, row 1211, column 'item'.*: blank; give"):
            bt.read(files, lazy=True)


def test_spaces_around_the_name_of_a_column_are_not_read(tmp_path):
    files = parts(tmp_path, GAPPED)
    for path in files[1:]:
        pd.read_parquet(path).rename(columns={"s1": " s1 "}).to_parquet(path)
    scores = bt.read(files, lazy=True)
    np.testing.assert_array_equal(bt.count(scores), bt.count(labelled(GAPPED)))


def test_a_system_that_only_a_later_part_has_is_refused(tmp_path):
    files = parts(tmp_path, GAPPED)
    pd.read_parquet(files[1]).assign(s3=1).to_parquet(files[1])
    with pytest.raises(ValueError, match=r"1\.parquet: has a column 's3', which 0"):
        bt.read(files, lazy=True)
    for choice in ({"ignore": "s3"}, {"systems": ["s0", "s1"]}):
        assert bt.read(files, lazy=True, **choice).sizes["item"] == len(GAPPED)


def test_scores_on_two_scales_are_seen_beyond_the_first_rows(tmp_path):
    files = parts(tmp_path, GAPPED)
    last = pd.read_parquet(files[2])
    last.assign(s1=100 * last["s1"]).to_parquet(files[2])
    with pytest.raises(ValueError, match=r"3 files: scores of 's1' run from 0 to 100 and those of"):
        bt.read(files, lazy=True)
    with pytest.warns(UserWarning, match="not on one scale"):
        bt.read(files, lazy=True, systems=["s0", "s1"])


def test_a_part_of_percentages_next_to_shares_is_warned_of(tmp_path):
    shares = np.random.default_rng(2).random((1200, 2))
    percentages = [shares[:400], 100 * shares[400:800], shares[800:]]
    files = parts(tmp_path, np.concatenate(percentages), kind="float")
    with pytest.warns(UserWarning, match=r"1\.parquet.* run .*0\.parquet"):
        bt.read(files, lazy=True)
    one = tmp_path / "one.parquet"
    frames = [pd.read_parquet(path) for path in files]
    pd.concat(frames).to_parquet(one, row_group_size=400)
    with pytest.warns(UserWarning, match=r"row group 2.* run .*row group 1"):
        bt.read(one, lazy=True)


def test_sorted_ratings_are_on_one_scale(tmp_path):
    ratings = np.sort(10 * np.random.default_rng(3).random((1200, 2)), axis=0)
    files = parts(tmp_path, ratings, kind="float")
    assert bt.read(files, lazy=True).shape == (1200, 2)


def test_infinite_scores_are_refused_where_they_are_counted(tmp_path):
    graded = np.random.default_rng(4).random((1200, 2))
    graded[700, 1] = np.inf
    scores = bt.read(parts(tmp_path, graded, kind="float"), lazy=True)
    with pytest.raises(ValueError, match="infinite"):
        bt.count(scores)


@pytest.mark.parametrize("far", [31.0, -50.0])
def test_one_number_far_from_the_others_is_no_other_scale(tmp_path, far):
    graded = np.random.default_rng(1).random((2000, 2))
    graded[1500, 0] = far
    files = parts(tmp_path, graded, kind="float")
    assert bt.read(files, lazy=True).shape == bt.read(files).shape == (2000, 2)


def test_the_index_of_pandas_is_no_system_and_no_id(tmp_path):
    frame = pd.DataFrame(right_or_wrong(40, 2), columns=["A", "B"])
    for name in (None, "row"):
        dropped = frame.drop(index=3).rename_axis(name)
        for order in ((frame.rename_axis(name), dropped), (dropped, frame.rename_axis(name))):
            files = [tmp_path / f"{k}.parquet" for k in range(2)]
            for part, path in zip(order, files, strict=True):
                part.to_parquet(path)
            assert bt.read(files, lazy=True).shape == (79, 2)


def test_an_index_that_is_ignored_is_not_compared(tmp_path):
    frame = pd.DataFrame(right_or_wrong(60, 2), columns=["A", "B"])
    frame.set_index(pd.Index([*range(30)] * 2, name="row")).to_parquet(tmp_path / "x.parquet")
    assert bt.read(tmp_path / "x.parquet", lazy=True, ignore="row").shape == (60, 2)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_files_do_not_stay_open(tmp_path):
    frame = pd.DataFrame(right_or_wrong(4, 2), columns=["A", "B"])
    files = [tmp_path / f"{k}.parquet" for k in range(30)]
    for path in files:
        frame.to_parquet(path)
    before = len([*Path("/proc/self/fd").iterdir()])
    scores = bt.read(files, lazy=True)
    assert len([*Path("/proc/self/fd").iterdir()]) < before + 10
    assert scores.shape == (120, 2)


def test_a_column_of_labels_is_no_system(tmp_path):
    labels = pd.DataFrame(right_or_wrong(100, 3), columns=["gold", "A", "B"])
    labels.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"column 'gold' holds the labels, or is a system; pass"):
        bt.read(tmp_path / "x.parquet", lazy=True)
    votes = pd.DataFrame({"system_a": ["A"], "system_b": ["B"], "winner": ["A"]})
    votes.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x\.parquet: has the columns of layout 'votes'"):
        bt.read(tmp_path / "x.parquet", lazy=True)


def test_decimals_are_numbers_and_words_are_not(tmp_path):
    import pyarrow
    from pyarrow import decimal128, parquet

    written = [Decimal(k) / 100 for k in range(50, 150)]
    columns = {name: pyarrow.array(written, decimal128(5, 2)) for name in "AB"}
    for whole in (False, True):
        table = pyarrow.table(columns)
        parquet.write_table(table, tmp_path / "x.parquet", store_decimal_as_integer=whole)
        scores = bt.read(tmp_path / "x.parquet", lazy=True)
        expected = [float(value) for value in written]
        np.testing.assert_allclose(scores.values[:, 0], expected, rtol=1e-15)  # Arrow divides
    files = parts(tmp_path, GAPPED)
    pd.read_parquet(files[2]).assign(s1="right").to_parquet(files[2])
    with pytest.raises(ValueError, match=r"2\.parquet, column 's1': holds something that is no"):
        bt.compare(bt.read(files, lazy=True))


def test_fields_of_an_ignored_column_are_no_columns(tmp_path):
    frame = pd.DataFrame(right_or_wrong(40, 2), columns=["A", "B"])
    for more in ([["x"]] * 40, [{"dataset": "x", "item": 1}] * 40):
        frame.assign(more=more).to_parquet(tmp_path / "x.parquet", use_compliant_nested_type=False)
        assert bt.read(tmp_path / "x.parquet", lazy=True, ignore="more").shape == (40, 2)


@pytest.mark.parametrize("group", ["epoch", "Cluster", "task"])
def test_groups_of_items_are_not_lost_in_silence(tmp_path, group):
    files = parts(tmp_path, GAPPED)
    pd.read_parquet(files[1]).assign(**{group: 1}).to_parquet(files[1])
    for more in ({}, {"systems": ["s0", "s1"]}):
        with pytest.raises(ValueError, match=rf"1\.parquet: has '{group}' of the items"):
            bt.read(files, lazy=True, **more)
    assert bt.read(files, lazy=True, ignore=group).sizes["item"] == len(GAPPED)
    stored = with_ids(tmp_path / "x.zarr", range(4), **{group: ("item", [0, 0, 1, 1])})
    with pytest.raises(ValueError, match=rf"x\.zarr: has '{group}' of the items"):
        bt.read(stored)
    moved = xr.open_zarr(stored, consolidated=False).reset_coords(group)
    moved.to_zarr(tmp_path / "y.zarr", consolidated=False, zarr_format=2)
    with pytest.raises(ValueError, match=rf"y\.zarr: has '{group}' of the items"):
        bt.read(tmp_path / "y.zarr")


def test_columns_that_are_no_systems_are_told_from_the_first_rows(tmp_path):
    random, path = np.random.default_rng(2), tmp_path / "x.parquet"
    frame = pd.DataFrame((random.random((500, 2)) < [0.5, 0.6]) * 1.0, columns=["base", "new"])
    for indexed in (frame.sample(frac=1, random_state=1), frame.assign(doc_id=frame.index)):
        indexed.to_parquet(path)
        assert bt.read(path, lazy=True)["system"].values.tolist() == ["base", "new"]
    others = {
        "latency": random.gamma(2, 0.5, 500),
        "run": frame.index % 3,
        "base": frame["base"] * 100,
    }
    for name, column in others.items():
        frame.assign(**{name: column}).to_parquet(path)
        with pytest.raises(ValueError, match=f"column '{name}': "):
            bt.read(path, lazy=True)
        with pytest.warns(UserWarning, match="one scale") if name == "base" else nullcontext():
            named = bt.read(path, lazy=True, systems=[name, "new"])
        assert named["system"].values.tolist() == [name, "new"]


def test_an_array_of_errors_needs_its_direction(tmp_path):
    scores = xr.DataArray(VALUES, {"system": list("ABC")[: VALUES.shape[1]]}, ("item", "system"))
    scores.to_dataset(name="wer").to_zarr(tmp_path / "x.zarr", consolidated=False)
    with pytest.raises(ValueError, match=r"less is better in 'wer'; pass higher_is_better=False"):
        bt.read(tmp_path / "x.zarr")
    assert not bt.read(tmp_path / "x.zarr", higher_is_better=False).attrs["higher_is_better"]


def test_choices_that_do_not_apply(tmp_path):
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    with pytest.raises(ValueError, match=r"layout='wide' does not apply: .* scores in blocks"):
        bt.read(zarr, layout="wide")


def test_without_the_extra_one_line_names_it(tmp_path, monkeypatch):
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    monkeypatch.setattr("betterthan.blocks.scheduling.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs dask, .* pip install '\.\[scale\]'"):
        bt.read(zarr)


def test_scores_in_memory_need_no_dask():
    # xarray loads dask.array by itself wherever it is installed
    code = (
        "import sys; absent = dict.fromkeys(('dask', 'distributed', 'zarr')); "
        "sys.modules.update(absent)\n"
        "import betterthan as bt, numpy as np, xarray as xr\n"
        "data = xr.DataArray(np.eye(6), dims=('item', 'system'), "
        "coords={'system': list('abcdef')})\n"
        "bt.count(data); bt.compare(data)\n"
        "assert not any(sys.modules[name] for name in absent)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
