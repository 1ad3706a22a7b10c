"""Every file type, several files, and what reading may not cost."""

import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.io import frames

FRAME = pd.DataFrame({"item": ["007", "q2", "q3"], "A": [1.0, 0.5, 0.0], "B": [0.0, np.nan, 1.0]})
SUFFIXES = [".csv", ".tsv", ".jsonl", ".json", ".parquet"]


def save(frame, path):
    """Write a frame as what the path's extension says."""
    kind = path.name.removesuffix(".gz").rsplit(".", 1)[1]
    if kind == "parquet":
        data = frame.to_parquet(index=False)
    elif kind in ("json", "jsonl"):
        data = frame.to_json(orient="records", lines=kind == "jsonl").encode()
    else:
        data = frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",").encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("suffix", [*SUFFIXES, *(f"{s}.gz" for s in SUFFIXES), ".CSV"])
def test_every_file_type_gives_the_same_scores(tmp_path, suffix):
    if "parquet" in suffix:
        pytest.importorskip("pyarrow")
    path = tmp_path / f"results{suffix}"
    save(FRAME, path) if suffix != ".CSV" else FRAME.to_csv(path, index=False)
    scores = bt.read(str(path))
    np.testing.assert_array_equal(scores.values, FRAME[["A", "B"]].to_numpy())
    assert scores["item"].values.tolist() == ["007", "q2", "q3"]
    assert scores.attrs["source"] == f"results{suffix}"


def test_parquet_without_pyarrow_says_so(tmp_path, monkeypatch):
    path = tmp_path / "results.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ValueError, match=r"^results\.parquet: reading Parquet needs pyarrow; run: pip install"
    ):
        bt.read(path)


def test_json_keeps_types_apart(tmp_path):
    records = [
        {"id": 1, "gold": "None", "A": None, "B": "None"},
        {"id": 2, "gold": "x", "A": "x"},
    ]
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n\n")
    scores = bt.read(path)
    np.testing.assert_array_equal(scores.values, [[np.nan, 1], [1, np.nan]])
    assert scores["item"].values.tolist() == ["1", "2"]


def test_line_breaks_within_quotes_do_not_shift_the_rows_of_messages(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text('item,A,B\n"q\n1",1,0\n\nq2,1,zero\n')
    with pytest.raises(ValueError, match="row 5, column 'B', value 'zero'"):
        bt.read(path)


def test_several_files_are_several_datasets(tmp_path):
    one = save(FRAME, tmp_path / "one.csv.gz")
    two = save(FRAME[["item", "B", "A"]].iloc[:2], tmp_path / "two.jsonl")
    scores = bt.read([one, two])
    assert scores["item"].values.tolist() == ["007", "q2", "q3", "007", "q2"]
    assert scores.dataset.values.tolist() == ["one"] * 3 + ["two"] * 2
    assert scores.system.values.tolist() == ["A", "B"]
    np.testing.assert_array_equal(scores.values[3:], scores.values[:2])
    assert scores.attrs["n_missing"] == 2
    assert scores.attrs["source"] == "one.csv.gz, two.jsonl"
    assert scores.attrs["reading"].endswith("2 scores missing, datasets one, two")


def test_a_mapping_names_the_datasets(tmp_path):
    scores = bt.read({"first": FRAME, "second": save(FRAME, tmp_path / "x.csv")})
    assert scores.dataset.values.tolist() == ["first"] * 3 + ["second"] * 3
    assert bt.read({"alone": FRAME}).dataset.values.tolist() == ["alone"] * 3


def test_a_list_of_one_file_is_that_file(tmp_path):
    path = save(FRAME, tmp_path / "x.csv")
    xr.testing.assert_identical(bt.read([path]), bt.read(path))


def test_several_files_of_counts(tmp_path):
    (tmp_path / "x.csv").write_text("model_a,model_b,winner\nA,B,model_a\n")
    (tmp_path / "y.csv").write_text("model_a,model_b,winner\nB,A,model_a\nB,A,tie\n")
    counts = bt.read([tmp_path / "x.csv", tmp_path / "y.csv"])
    assert counts.dims == ("dataset", "system_a", "system_b", "outcome")
    assert counts.sel(system_a="A", system_b="B").values.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert counts.attrs["n"] == 3
    assert "3 votes on 2 systems" in counts.attrs["reading"]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            FRAME.rename(columns={"B": "C"}),
            "b: lacks 'B' and has 'C' besides, compared with a; give files",
        ),
        (FRAME.assign(C=1), "b: has 'C' besides, compared with a; give files of the same systems"),
        (
            FRAME.assign(epoch=[0, 0, 0]),
            "b: only one of this file and a has epoch; give it in all or none",
        ),
        (FRAME.assign(dataset="x"), "b: has a column for the dataset of its own; leave it out"),
        (
            pd.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"]}),
            "b: is votes, but a is wide; give files of one layout",
        ),
    ],
)
def test_several_files_that_do_not_go_together(other, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        bt.read({"a": FRAME, "b": other})


def test_several_counts_know_ties_all_or_none():
    known = pd.DataFrame(
        {"system_a": ["A"], "system_b": ["B"], "wins": [1], "losses": [2], "ties": [3]}
    )
    with pytest.raises(ValueError, match=r"^b: only one of this file and a has a column 'ties'"):
        bt.read({"a": known, "b": known.drop(columns="ties")})


def test_two_files_of_one_name_need_a_mapping(tmp_path):
    (tmp_path / "y").mkdir()
    for path in (tmp_path / "x.csv", tmp_path / "y" / "x.tsv"):
        path.write_text("item\tA\tB\n")
    with pytest.raises(
        ValueError, match="two files are called 'x'; give a mapping of name to file"
    ):
        bt.read([tmp_path / "x.csv", tmp_path / "y" / "x.tsv"])


def test_importing_io_loads_no_heavy_library():
    heavy = ("scipy.stats", "pymc", "arviz", "matplotlib")
    code = f"import sys, betterthan.io.reading; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("graded", [False, True])
def test_a_large_table_is_not_read_cell_by_cell(tmp_path, graded):
    rng = np.random.default_rng(7)
    values = rng.random((2000, 134)) if graded else rng.integers(0, 2, (2000, 134))
    frame = pd.DataFrame(values, columns=[f"system {k}" for k in range(134)])
    frame.insert(0, "item", [f"q{k}" for k in range(2000)])
    path = save(frame, tmp_path / "results.csv.gz")
    bt.read(path)  # what is imported on the way is not counted
    calls = []
    before = sys.getprofile()
    sys.setprofile(lambda _, event, __: calls.append(0) if event in ("call", "c_call") else None)
    try:
        scores = bt.read(path)
    finally:
        sys.setprofile(before)
    np.testing.assert_array_equal(scores.values, values)
    # an eighth of the cells, and nearly as few for a fifth of the rows: by column
    assert len(calls) < values.size / 6


SCORES = pd.DataFrame({"item": ["a", "b", "c"], "A": [1, 300, 2], "B": [0.5, 1, None]})
FRAMES = {
    "plain": SCORES,
    "mixed": SCORES.assign(C=["x", None, ""], D=[True, False, True], E=pd.array([1, None, 2])),
    "an index of ids": SCORES.set_index("item"),
    "a named index": SCORES.rename_axis("row"),
    "other rows": SCORES.set_index(pd.Index([5, 7, 9])),
    "numbers as names": pd.DataFrame(SCORES[["A", "B"]].to_numpy(), columns=[1, 2]),
    "points in names": SCORES.rename(columns={"A": "A.1", "B": "A.2"}),
    "lists": SCORES.assign(C=[[1], [2, 3], []]),
    "categories": SCORES.assign(item=pd.Categorical(SCORES["item"])),
}


@pytest.mark.parametrize("what", FRAMES)
def test_columns_of_parquet_are_those_of_its_frame(tmp_path, monkeypatch, what):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(frames, "_CELLS", 1)
    path = tmp_path / "a.parquet"
    FRAMES[what].to_parquet(path)
    found = frames.parse_parquet(path.read_bytes(), "a")
    same = frames.table_from_frame(pd.read_parquet(path), "a", range(1, 4))
    assert list(found.columns) == list(same.columns)
    assert found.rows == same.rows
    for one, other in zip(found.columns.values(), same.columns.values(), strict=True):
        pd.testing.assert_series_equal(
            pd.Series(list(one), dtype=object), pd.Series(list(other), dtype=object)
        )


@pytest.mark.parametrize("ids", ["in order", "in any order", "in several parts", "each its own"])
def test_codes_of_parquet_are_its_texts(tmp_path, monkeypatch, ids):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(frames, "BLOCK", 16)
    numbers = {
        "in order": np.repeat(np.arange(40), 100),
        "each its own": np.arange(4000),
    }.get(ids, np.random.default_rng(1).permutation(np.repeat(np.arange(40), 100)))
    frame = pd.DataFrame({"item": [f"é{k}" for k in numbers], "A": numbers % 2, "B": numbers % 3})
    path = tmp_path / "a.parquet"
    frame.to_parquet(path, row_group_size=999 if ids == "in several parts" else None)
    found = frames.parse_parquet(path.read_bytes(), "a").columns["item"]
    assert list(found) == frame["item"].tolist()
    codes, distinct = pd.factorize(frame["item"])
    assert list(found.distinct) == distinct.tolist()
    np.testing.assert_array_equal(found.codes, codes)


def test_categories_of_a_frame_are_its_texts(monkeypatch):
    monkeypatch.setattr(frames, "BLOCK", 2)
    cells = pd.Categorical(["b", "a", "b", "c"], categories=["a", "b", "c", "never"])
    table = frames.table_from_frame(pd.DataFrame({"item": cells, "A": range(4)}), "a")
    assert list(table.columns["item"]) == ["b", "a", "b", "c"]
    assert list(table.columns["item"].distinct) == ["b", "a", "c"]


@pytest.mark.parametrize("levels", [["question"], ["question", "take"]])
def test_options_name_levels_of_an_index(levels):
    runs = pd.DataFrame(
        {"question": ["x", "y"] * 2, "take": [1, 1, 2, 2], "A": [1, 0, 1, 1], "B": [0, 0, 1, 0]}
    )
    options = {"item": "question", "run": "take"}
    scores = bt.read(runs.set_index(levels), **options)
    xr.testing.assert_identical(scores.drop_attrs(), bt.read(runs, **options).drop_attrs())


def test_tables_of_one_run_each_are_runs_of_the_same_items(tmp_path):
    rng = np.random.default_rng(2)
    paths, frames = [], []
    for run in range(3):
        values = (rng.random((20, 2)) < 0.6).astype(int)
        frames.append(pd.DataFrame(values, columns=["A", "B"]).assign(epoch=run))
        frames[-1].insert(0, "item", [f"task{k}" for k in range(20)])
        paths.append(tmp_path / f"run{run}.csv")
        frames[-1].to_csv(paths[-1], index=False)
    whole = bt.read(pd.concat(frames))
    for source in (paths, tmp_path, {f"run{k}": frame for k, frame in enumerate(frames)}):
        scores = bt.read(source)
        assert "dataset" not in scores.coords
        assert "datasets" not in scores.attrs["reading"]
        np.testing.assert_array_equal(scores.values, whole.values)
        assert scores["epoch"].values.tolist() == whole["epoch"].values.tolist()
    assert set(bt.read(paths, names="datasets")["dataset"].values) == {"run0", "run1", "run2"}
    lost = {str(k): frame.iloc[: 20 - k] for k, frame in enumerate(frames)}  # some are lost
    assert "dataset" not in bt.read(lost).coords
    rows = {str(k): frame.drop(columns="item") for k, frame in enumerate(frames)}  # without ids
    assert "dataset" in bt.read(rows).coords
    assert bt.read(paths).attrs["reading"].endswith("each table with runs of the same items")
    long = [frame.melt(["item", "epoch"], None, "system", "score") for frame in frames]
    for topics, datasets in (("aaa", False), ("abc", True)):  # what the items ask
        asked = {str(k): long[k].assign(question=f"on {x}") for k, x in enumerate(topics)}
        assert ("dataset" in bt.read(asked).coords) == datasets
    for labels, datasets in ((range(20), False), (range(1, 21), True)):
        gold = {
            str(k): f.assign(gold=[f"label {x % 5}" for x in range(20)])
            for k, f in enumerate(frames)
        }
        gold["2"]["gold"] = [f"label {x % 5}" for x in labels]
        gold = {k: f.assign(A=f["gold"], B="label 1") for k, f in gold.items()}
        assert ("dataset" in bt.read(gold).coords) == datasets
    frames[2]["item"] = [f"other{k}" for k in range(20)]  # of other items
    assert "dataset" in bt.read({str(k): frame for k, frame in enumerate(frames)}).coords
    frames[1]["epoch"] = 0  # twice the same run
    assert "dataset" in bt.read({str(k): frame for k, frame in enumerate(frames[:2])}).coords
