"""Good input of every layout."""

import logging
import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan import names
from betterthan.io import layouts


@pytest.fixture
def write(tmp_path):
    def _write(text, name="results.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def pair(counts, a, b):
    return counts.sel(system_a=a, system_b=b).values.tolist()


def test_wide(write):
    scores = bt.read(write("item,A,B,C\nq1,1,0,0.5\nq2,,1,1e-3\n"))
    np.testing.assert_array_equal(scores.values, [[1, 0, 0.5], [np.nan, 1, 0.001]])
    assert scores.dims == ("item", "system")
    assert scores.dtype == np.float64
    assert scores["item"].values.tolist() == ["q1", "q2"]
    assert scores.system.values.tolist() == ["A", "B", "C"]
    assert scores.attrs == {
        "source": "results.csv",
        "layout": "wide",
        "higher_is_better": 1,
        "n_missing": 1,
        "reading": "results.csv read as wide: 2 items x 3 systems ('A', 'B', 'C'), item ids from "
        "column 'item', 1 score missing",
    }


def test_the_reading_is_logged(write, caplog):
    with caplog.at_level(logging.INFO, logger="betterthan"):
        scores = bt.read(write("item,A,B\nq1,1,0\n"))
    assert caplog.messages == [scores.attrs["reading"]]


def test_wide_without_ids_says_that_items_are_row_numbers(write):
    scores = bt.read(write("A,B\n1,0\n0,0\n1,1\n"))
    assert scores["item"].values.tolist() == ["1", "2", "3"]
    assert "items are row numbers (no column of item ids)" in scores.attrs["reading"]


@pytest.mark.parametrize(
    "name", ["Item", "item_id", "ID", "example", "instance_id", "question_id", "i", ""]
)
def test_names_of_the_item_column(write, name):
    scores = bt.read(write(f"{name},A,B\n7,1,0\n3,0,1\n"))
    assert scores["item"].values.tolist() == ["7", "3"]
    assert scores.system.values.tolist() == ["A", "B"]


def test_item_ids_stay_as_written(write):
    scores = bt.read(write("item,A,B\n007,1,0\n7,0,1\n7.0,0,1\nNA,1,1\n q ,1,1\n"))
    assert scores["item"].values.tolist() == ["007", "7", "7.0", "NA", " q "]


def test_the_nameless_column_of_a_saved_frame_is_left_out_beside_ids(write):
    scores = bt.read(write(",item,A,B\n0,q1,1,0\n1,q2,0,0\n"))
    assert scores.system.values.tolist() == ["A", "B"]
    assert scores.attrs["reading"].endswith("ignored columns ''")


def test_coordinates_beside_the_items(write):
    text = "item,dataset,cluster,epoch,A,B\nq1,x,c1,0,1,0\nq1,y,c2,0,0,0\nq1,x,c1,1,1,1\n"
    scores = bt.read(write(text))
    assert scores.system.values.tolist() == ["A", "B"]
    assert scores.dataset.values.tolist() == ["x", "y", "x"]
    assert scores.cluster.values.tolist() == ["c1", "c2", "c1"]
    assert scores.epoch.values.tolist() == [0, 0, 1]
    assert scores.dataset.dims == ("item",)


@pytest.mark.parametrize("blank", ["", " ", "NA", "n/a", "NaN", "nan", "null", "None"])
def test_blank_scores_are_missing(write, blank):
    scores = bt.read(write(f"item,A,B\nq1,1,{blank}\nq2,0,1\n"))
    assert np.isnan(scores.sel(item="q1", system="B"))
    assert scores.attrs["n_missing"] == 1


def test_true_and_false_are_one_and_zero(write):
    scores = bt.read(write("item,A,B\nq1,True,false\nq2,FALSE,true\n"))
    np.testing.assert_array_equal(scores.values, [[1, 0], [0, 1]])


def test_headers_are_stripped_and_a_byte_order_mark_is_no_part_of_them(tmp_path):
    path = tmp_path / "results.csv"
    path.write_bytes("\ufeffitem , A ,B\r\nq1, 1 ,0\r\n\r\n".encode())
    scores = bt.read(path)
    assert scores.system.values.tolist() == ["A", "B"]
    np.testing.assert_array_equal(scores.values, [[1, 0]])


def test_system_names_may_hold_anything(write):
    scores = bt.read(write('item,"a, b","say ""x""",Łódź,None\nq1,1,0,1,0\n'))
    assert scores.system.values.tolist() == ["a, b", 'say "x"', "Łódź", "None"]


def test_long_is_joined_by_item_not_by_row_order(write):
    rows = ["A,q1,1", "B,q2,0", "A,q2,0.5", "B,q1,", "A,q3,1"]
    scores = bt.read(write("\n".join(["system,item,score", *rows])))
    again = bt.read(write("\n".join(["system,item,score", *reversed(rows)]), "shuffled.csv"))
    np.testing.assert_array_equal(scores.values, [[1, np.nan], [0.5, 0], [1, np.nan]])
    assert scores.attrs["n_missing"] == 2
    np.testing.assert_array_equal(
        again.sel(item=scores["item"], system=scores.system).values, scores.values
    )


def test_long_with_dataset_cluster_and_epoch(write):
    text = (
        "model,item,score,task,cluster,epoch,prompt\n"
        "A,q1,1,x,c1,0,hello\nA,q1,0,x,c1,1,hello\nB,q1,1,x,c1,1,hello\nB,q1,0,y,c2,0,hello\n"
    )
    scores = bt.read(write(text))
    assert scores["item"].values.tolist() == ["q1", "q1", "q1"]
    assert scores.dataset.values.tolist() == ["x", "x", "y"]
    assert scores.epoch.values.tolist() == [0, 1, 0]
    assert scores.cluster.values.tolist() == ["c1", "c1", "c2"]
    np.testing.assert_array_equal(scores.values, [[1, np.nan], [0, 1], [np.nan, 0]])
    assert scores.attrs["reading"].endswith("4 runs with a score, ignored columns 'prompt'")
    assert "read as long: 3 rows of runs x 2 systems" in scores.attrs["reading"]


def test_predictions(write):
    scores = bt.read(write("id,gold,A,B\n1,PER,PER,ORG\n2,LOC,,LOC\n3,ORG,PER,ORG\n"))
    np.testing.assert_array_equal(scores.values, [[1, 0], [np.nan, 1], [0, 1]])
    assert scores.attrs["layout"] == "predictions"
    assert scores.attrs["n_missing"] == 1


def test_labels_may_be_called_none_or_na(write):
    scores = bt.read(write("id,gold,A,B\n1,None,None,NA\n2,NA,None,NA\n3,x,,None\n"))
    np.testing.assert_array_equal(scores.values, [[1, 0], [0, 1], [np.nan, 0]])


@pytest.mark.parametrize("word", ["NA", "n/a", "nan", "None", "null", "-", "--", "#N/A", "<NA>"])
@pytest.mark.parametrize("read", [bt.read, bt.labels.read])
def test_a_word_of_missing_that_is_no_label_is_missing_or_wrong(write, read, word):
    path = write(f"id,gold,A,B\n1,x,x,{word}\n2,y,x,y\n3,x,,x\n")
    with pytest.raises(
        ValueError,
        match=rf"column 'B': holds '{word}', which is no label of column 'gold'; leave the cell "
        r"blank if the answer is missing, or pass systems=\['A', 'B'\] if it is wrong",
    ):
        read(path)
    assert read(path, systems=["A", "B"]).values[0, 1] in (0, word)


@pytest.mark.parametrize("label", ["label", "labels", "y_true", "actual", "true", "gt"])
def test_numeric_labels_are_read_once_the_layout_is_given(write, label):
    path = write(f"id,{label},A,B\n1,0,0,1\n2,1,1,1\n")
    either = f"column '{label}' holds the labels, or is a system; pass layout='predictions' or"
    with pytest.raises(ValueError, match=f"{either} layout='wide'"):
        bt.read(path)
    np.testing.assert_array_equal(bt.read(path, layout="predictions").values, [[1, 0], [1, 1]])
    assert bt.read(path, layout="wide").system.values.tolist() == [label, "A", "B"]


def test_numeric_labels_of_a_frame_match_although_blanks_made_them_floats():
    frame = pd.DataFrame({"id": [1, 2, 3], "gold": [1, 2, 3], "A": [1, np.nan, 2], "B": [1, 2, 3]})
    scores = bt.read(frame, layout="predictions")
    np.testing.assert_array_equal(scores.values, [[1, 1], [np.nan, 1], [0, 1]])


@pytest.mark.parametrize("name", ["model_{}", "system_{}", "model{}", "system{}"])
def test_votes_between_numbered_systems(write, name):
    first, second = name.format(1), name.format(2)
    rows = f"A,B,{first}\nB,A,{first}\nA,B,B\nA,B,tie\n"
    counts = bt.read(write(f"{first},{second},winner\n{rows}"))
    assert counts.sel(system_a="A", system_b="B").values.tolist() == [1, 2, 1]


def test_counts(write):
    counts = bt.read(write("system_a,system_b,wins,losses,ties\nA,B,12,2,986\nC,A,1,2,3\n"))
    assert counts.dims == ("system_a", "system_b", "outcome")
    assert counts.dtype == np.int64
    assert counts.outcome.values.tolist() == ["win", "loss", "tie"]
    assert pair(counts, "A", "B") == [12, 2, 986]
    assert pair(counts, "B", "A") == [2, 12, 986]
    assert pair(counts, "A", "C") == [2, 1, 3]
    assert pair(counts, "B", "C") == [0, 0, 0]
    assert counts.attrs["unit"] == "unknown"
    assert counts.attrs["ties"] == "third"
    assert "3 systems, 2 pairs, ties from column 'ties'" in counts.attrs["reading"]


def test_counts_without_ties_and_in_both_directions(write):
    counts = bt.read(
        write("model_a,model_b,wins_a,wins_b\nA,B,12,2\nB,A,2,12\nA,A,0,0\n"), unit="item"
    )
    assert counts.outcome.values.tolist() == ["win", "loss"]
    assert pair(counts, "A", "B") == [12, 2]
    assert counts.attrs["unit"] == "item"
    assert counts.attrs["ties"] == "unknown"
    assert "2 systems, 1 pair, ties unknown (no column 'ties')" in counts.attrs["reading"]


def test_counts_with_a_dataset(write):
    counts = bt.read(write("dataset,system_a,system_b,wins,losses\nx,A,B,1,2\ny,B,A,3,4\n"))
    assert counts.dims == ("dataset", "system_a", "system_b", "outcome")
    assert pair(counts.sel(dataset="x"), "A", "B") == [1, 2]
    assert pair(counts.sel(dataset="y"), "A", "B") == [4, 3]


def test_votes(write):
    rows = "A,B,model_a/B,A,model_b/A,B,tie/A,B,tie (bothbad)/B,A,both_bad/A,C,/C,A,C/A,B,Draw"
    rows += "/A,B,model_b"
    counts = bt.read(write("model_a,model_b,winner\n" + rows.replace("/", "\n")))
    assert pair(counts, "A", "B") == [2, 1, 4]
    assert pair(counts, "B", "A") == [1, 2, 4]
    assert pair(counts, "C", "A") == [1, 0, 0]
    assert {k: counts.attrs[k] for k in ("unit", "ties", "n", "n_missing")} == {
        "unit": "judgment",
        "ties": "third",
        "n": 8,
        "n_missing": 1,
    }
    assert "1 more without a winner left out" in counts.attrs["reading"]


def test_votes_name_the_systems_by_left_and_right_rather_than_by_number(write):
    counts = bt.read(write("id,model_x,model_y,winner,left,right\n0,97,98,right,Apple pie,Rice\n"))
    assert pair(counts, "Rice", "Apple pie") == [1, 0, 0]
    counts = bt.read(write("model_x,model_y,winner\n97,98,model_y\n97,98,98\n"))
    assert pair(counts, "98", "97") == [2, 0, 0]


@pytest.mark.parametrize("name", [None, "item", "question"])
def test_a_frame_may_carry_the_items_in_its_index(name):
    frame = pd.DataFrame({"A": [1, 0], "B": [0.5, None]}, index=pd.Index(["007", "q2"], name=name))
    scores = bt.read(frame)
    assert scores["item"].values.tolist() == ["007", "q2"]
    np.testing.assert_array_equal(scores.values, [[1, 0.5], [0, np.nan]])


def test_index_levels_are_read_by_their_names():
    index = pd.MultiIndex.from_tuples([("x", 1), ("y", 1)], names=["dataset", "id"])
    scores = bt.read(pd.DataFrame({"A": [1, 0], "B": [0, 0]}, index=index))
    assert scores["dataset"].values.tolist() == ["x", "y"]
    assert scores["item"].values.tolist() == ["1", "1"]


def test_the_numbered_index_of_a_selection_is_not_read():
    scores = bt.read(pd.DataFrame({"A": [1, 0, 1], "B": [0, 0, 1]}).iloc[[0, 2]])
    assert scores.system.values.tolist() == ["A", "B"]
    assert scores["item"].values.tolist() == ["1", "2"]


def test_a_frame_of_many_dtypes():
    frame = pd.DataFrame(
        {
            "item": pd.array([1, 2], dtype="Int64"),
            "A": pd.array([True, None], dtype="boolean"),
            "B": pd.array([0.5, None], dtype="Float64"),
            "C": pd.Categorical(["1", "0"]),
            "D": np.array([True, False]),
        }
    )
    scores = bt.read(frame)
    assert scores["item"].values.tolist() == ["1", "2"]
    np.testing.assert_array_equal(scores.values, [[1, 0.5, 1, 1], [np.nan, np.nan, 0, 0]])


def test_attributes_survive_netcdf(write, tmp_path):
    import xarray as xr

    for text in ("item,A,B\nq1,1,\n", "model_a,model_b,winner\nA,B,tie\n"):
        data = bt.read(write(text))
        data.to_netcdf(tmp_path / "data.nc", engine="h5netcdf")
        with xr.open_dataarray(tmp_path / "data.nc", engine="h5netcdf") as again:
            xr.testing.assert_identical(again.load(), data)


def test_lower_may_be_better(write):
    path = write("item,A,B\nq1,1,0\n")
    assert not bt.read(path, higher_is_better=False).attrs["higher_is_better"]


def test_the_input_frame_is_not_changed():
    frame = pd.DataFrame({"item": ["a", "b"], "A": [1.0, 0.0], "B": ["1", ""]})
    before = frame.copy(deep=True)
    scores = bt.read(frame)
    scores.values[:] = 7
    pd.testing.assert_frame_equal(frame, before)


def test_a_layout_is_one_row_that_the_caller_can_read_of():
    assert tuple(row.name for row in layouts.LAYOUTS) == names.LAYOUTS
    told = " ".join(bt.read.__doc__.split())
    for row in layouts.LAYOUTS:
        assert f"- ``{row.name}``: {row.sentence}" in told
        assert row.by in ("columns", "gold", "rest", "asking")


def test_judgments_are_kept_apart_where_that_is_asked_for(write):
    path = write("model_a,model_b,winner,judge,prompt\nA,B,A,x,1\nB,A,tie,y,1\nA,C,,x,2\n")
    found = bt.read(path, layout="judgments")
    expected = bt.io.read_judgments(path, judge="judge")
    assert found.equals(expected)
    assert (
        found.attrs["reading"]
        == expected.attrs["reading"]
        == (
            "results.csv read as judgments: 2 judgments on 3 systems in columns 'model_a' and "
            "'model_b', 1 more without a winner left out, ignored columns 'prompt'"
        )
    )
    assert found.attrs["unit"] == "judgment"
    assert bt.read(path).attrs["layout"] == "votes"
    for choice in ({"scale": 2}, {"unit": "item"}):
        with pytest.raises(ValueError, match="this was read as judgments"):
            bt.read(path, layout="judgments", **choice)
    with pytest.raises(ValueError, match="several files of judgments are not joined"):
        bt.read({"a": path, "b": path}, layout="judgments")


@pytest.mark.parametrize("column", ["item", "question_id", "prompt", "dialog_id", "conversation"])
def test_several_votes_of_a_pair_on_one_item_raise_a_warning(column):
    sides = {"model_a": ["X"] * 6 + ["Y"] * 6, "model_b": ["Y"] * 6 + ["X"] * 6}
    votes = pd.DataFrame(sides | {"winner": "X", column: [*"uvwxyz"] * 2})
    with pytest.warns(UserWarning, match=f"'{column}': 12 votes are on 6 items of a pair, so"):
        assert pair(bt.read(votes), "X", "Y") == [12, 0, 0]
    with pytest.warns(UserWarning, match=f"'{column}': 12 votes are on 6 items of a pair, so"):
        judgments = bt.io.read_judgments(votes)
    comparison = bt.compare(judgments)
    assert "! 12 votes are on 6 items of a pair" in " ".join(str(comparison).split())
    sentence = bt.report(comparison, format="sentence")
    assert "[State this, too: 12 votes are on 6 items of a pair, so they are not" in sentence
    in_clusters = str(bt.compare(votes, layout="judgments", cluster=column))
    assert "of a pair" not in " ".join(in_clusters.split())
    groups = pd.concat([votes.rename(columns={column: "context"}).assign(context=[*"st"] * 6)] * 4)
    assert pair(bt.read(groups), "X", "Y") == [48, 0, 0]  # 48 votes on short and long contexts
    few = bt.compare(judgments.isel(judgment=slice(6)))  # one vote on each item
    assert "of a pair" not in " ".join(str(few).split())
    third = votes.assign(model_b=["Y"] * 6 + ["Z"] * 6, winner="tie")
    with pytest.warns(UserWarning, match=f"'{column}': 24 votes are on"):
        judgments = bt.io.read_judgments(pd.concat([votes, third.assign(model_a="X")]))
    part = " ".join(str(bt.compare(judgments, systems=["X", "Y"])).split())
    assert "! several votes are on one item of a pair, so they are not independent" in part
    same = votes.rename(columns={column: "instruction"}).assign(instruction="Which is better?")
    assert pair(bt.read(same), "X", "Y") == [12, 0, 0]  # of all votes
    once = votes.assign(model_a=["X"] * 6 + ["Z"] * 6, model_b="Y", winner="Y")
    assert pair(bt.read(once), "X", "Y") == [0, 6, 0]


def test_other_items_of_pairs_that_differ_in_strength_do_not_warn():
    """The stronger systems win in both files, as they do on any items."""
    rng = np.random.default_rng(2)
    pairs = [("A", "B", 0.9), ("C", "D", 0.1), ("A", "C", 0.85), ("B", "D", 0.15)]

    def month():
        rows = [
            (f"p{k}", a, b, "model_a" if rng.random() < p else "model_b")
            for a, b, p in pairs
            for k in range(50)
        ]
        return pd.DataFrame(rows, columns=["item", "model_a", "model_b", "winner"])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            bt.read({"may": month(), "june": month()})


def test_one_table_is_not_two_data_sets(write):
    path = write("item,A,B\nx,1,0\ny,1,1\n")
    copy = path.with_name("copy.csv")
    copy.write_bytes(path.read_bytes())
    message = r"data sets 'old', 'new': .* are the same, byte for byte; give it once"
    with pytest.raises(ValueError, match=message):
        bt.read({"old": path, "new": copy})
    frame = pd.read_csv(path)
    with pytest.raises(ValueError, match="one table is two; give it once"):
        bt.read({"old": frame, "new": frame})
    copy.write_text("item,A,B\nx,1,0\ny,0,1\n")
    assert bt.read({"old": path, "new": copy}).sizes["item"] == 4


def test_the_reading_names_the_column_of_the_items(write):
    path = write("question,A,B\nx,1,0\ny,1,1\n")
    assert "item ids from column 'question'" in bt.read(path, item="question").attrs["reading"]


@pytest.mark.parametrize("columns", [{}, {"item": "q", "cluster": "doc"}])
def test_files_of_one_system_each_are_joined_by_the_column_as_it_is_called(write, columns):
    item, _ = columns.values() or ("instance_id", "")
    paths = {}
    for name in "ab":
        path = write(f"{item},score,doc\n" + "".join(f"i{k},{k % 2},d{k // 4}\n" for k in range(8)))
        paths[name] = path.rename(path.with_name(f"{name}.csv"))
    paths["b"].write_text(paths["b"].read_text().replace("i0,0", "i0,1"))
    how = columns or {"ignore": "doc"}
    reading = bt.read(paths, **how).attrs["reading"]
    assert f"joined by column '{item}'" in reading
    assert ("cluster from column 'doc'" in reading) == ("cluster" in how)


def test_votes_are_read_by_what_is_preferred(write):
    votes = bt.read(write("item,model_a,model_b,preferred\nq1,X,Y,X\nq2,Y,X,tie\nq3,Y,X,X\n"))
    assert pair(votes, "X", "Y") == [2, 0, 1]


def test_votes_in_clusters_of_items_raise_a_warning_that_the_answer_repeats():
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": [*"XXYXXX"]})
    votes = votes.assign(item=[*"uvwxyz"], cluster=[*"112233"])
    with pytest.warns(UserWarning, match="'cluster': 6 votes are on 3 clusters of a pair, so"):
        counts = bt.read(votes)
    assert pair(counts, "X", "Y") == [5, 1, 0]
    note = "6 votes are on 3 clusters of a pair, so they are not independent, and verdicts"
    assert note in " ".join(str(bt.compare(counts)).split())
    renamed = bt.compare(counts, systems={"X": "left", "Y": "right"})
    assert note in " ".join(str(renamed).split())


@pytest.mark.parametrize("column", ["ties", "Draws", "tie"])
def test_ties_are_read_by_their_other_names(write, column):
    counts = bt.read(write(f"model_a,model_b,wins,losses,{column}\nA,B,12,2,30\n"))
    assert pair(counts, "A", "B") == [12, 2, 30]


def test_swapped_sides_that_are_not_read_raise_a_warning():
    votes = pd.DataFrame(
        {"model_a": "gpt", "model_b": "pal", "winner": ["A", "B"], "swapped": [0, 1]}
    )
    with pytest.warns(UserWarning, match="column 'swapped': is not read: .* give winners by name"):
        assert pair(bt.read(votes), "gpt", "pal") == [1, 1, 0]
    for known in (votes.assign(winner="gpt"), votes.assign(swapped=1)):
        assert bt.read(known).attrs["n"] == 2


@pytest.mark.parametrize("doc", [[*"aaaabbbbcccc"], [1] * 4 + [2] * 4 + [3] * 4])
@pytest.mark.parametrize("layout", ["long", "wide", "files"])
def test_a_column_that_another_takes_the_place_of_is_ignored_and_may_group(layout, doc):
    frame = pd.DataFrame({"seg": [*range(12)], "doc": doc, "A": 1.0, "B": [0, 1] * 6})
    if layout == "long":
        frame = frame.melt(["seg", "doc"], var_name="system", value_name="score")
    sides = {k: frame[["seg", "doc", k]] for k in "AB"} if layout == "files" else frame
    scores = bt.read(sides, item="seg")
    assert scores.shape == (12, 2)
    assert layout == "files" or "ignored columns 'doc'" in scores.attrs["reading"]
    assert layout == "files" or "pass cluster='doc'" in scores.attrs["reading"]


def test_folds_are_no_items():
    frame = pd.DataFrame({"fold": range(12), "A": np.linspace(0, 1, 12), "B": 0.5})
    with pytest.warns(UserWarning, match=r"folds share training data.*compare_folds"):
        bt.read(frame, item="fold")


def test_another_column_takes_the_place_of_data_sets():
    frame = pd.DataFrame({"item": range(6), "dataset": "all", "A": [1, 0] * 3, "B": [0, 1] * 3})
    frame["language"] = [*"ddeeff"]
    with pytest.raises(ValueError, match="pass ignore='dataset' with dataset='language'"):
        bt.read(frame, dataset="language")
    scores = bt.read(frame, dataset="language", ignore="dataset")
    assert scores["dataset"].values.tolist() == [*"ddeeff"]


def test_a_total_of_texts_is_checked_as_numbers_are():
    counts = {"system_a": ["A"], "system_b": ["B"], "wins": ["9"], "losses": ["5"], "ties": ["3"]}
    with pytest.raises(ValueError, match="18 items, but the sum of 'wins', 'losses', 'ties' is 17"):
        bt.read(pd.DataFrame(counts | {"n": ["18"]}))
    assert bt.read(pd.DataFrame(counts | {"n": ["n/a"]})).sum() == 2 * 17


@pytest.mark.parametrize("kept", [1.0, 0.9])  # a copy, or another judge of the same items
def test_votes_on_the_same_items_in_two_files_raise_a_warning(kept):
    rng = np.random.default_rng(1)
    votes = pd.DataFrame({"item": [f"q{k}" for k in range(100)], "model_a": "X", "model_b": "Y"})
    votes["winner"] = rng.choice(["model_a", "model_b"], 100, p=[0.6, 0.4])
    again = votes["winner"].where(rng.random(100) < kept, "model_b")
    more = pd.DataFrame({"item": ["r1", "r2"], "model_a": "Y", "model_b": "X", "winner": "model_a"})
    other = pd.concat([votes.assign(winner=again), more])
    with pytest.warns(UserWarning, match="100 items of a pair have votes in several tables, which"):
        counts = bt.read({"one": votes, "two": other})
    text = " ".join(str(bt.compare(counts)).split())
    assert "! 100 items of a pair have votes in several tables" in text
    new = votes.assign(winner=rng.choice(["model_a", "model_b"], 100))  # other items of these ids
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.read({"one": votes, "two": new})


def rows_in_two_orders(column="task_id"):
    """The same 40 tasks of two systems, each sorted by its scores, with numbers of rows."""
    rng, parts = np.random.default_rng(3), []
    for system in ("A", "B"):
        rows = {column: [f"HumanEval/{k}" for k in range(40)], "system": system}
        part = pd.DataFrame(rows | {"score": rng.integers(0, 2, 40)})
        parts.append(part.sort_values("score", ignore_index=True))
    return parts


@pytest.mark.parametrize("index", ["", "index", "id"])
def test_numbers_of_rows_do_not_join_what_another_column_joins_otherwise(tmp_path, index):
    parts = rows_in_two_orders()
    path = tmp_path / "all.csv"
    pd.concat(parts).to_csv(path, index_label=index)
    with pytest.raises(ValueError, match=r"column 'task_id': 'HumanEval/\d+' is item .* pass item"):
        bt.read(path)
    by_task = bt.read(path, item="task_id")
    assert bt.read(pd.concat(parts), item="task_id").equals(by_task)
    assert bt.read(path, ignore="task_id").sizes["item"] == 40


def test_numbers_of_rows_do_not_join_files_that_another_column_joins_otherwise(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for part, path in zip(rows_in_two_orders(), paths, strict=True):
        part.drop(columns="system").to_csv(path)
    with pytest.raises(ValueError, match=r"^a\.csv, b\.csv, row \d of b\.csv, column 'task_id'"):
        bt.read(paths, score="score")
    assert bt.read(paths, score="score", item="task_id").sizes["item"] == 40


def test_columns_that_say_the_same_or_nothing_of_items_do_not_stop_the_reading(tmp_path):
    parts = rows_in_two_orders()
    for part in parts:
        part["task_id"] = parts[0]["task_id"]  # the same order
    assert bt.read(pd.concat(parts).reset_index()).sizes["item"] == 40
    answers = [p.assign(task_id=p["task_id"] + p["system"]) for p in parts]
    assert bt.read(pd.concat(answers).reset_index()).sizes["item"] == 40


def votes_once(n=60):
    winners = np.random.default_rng(1).choice(["model_a", "model_b", "tie"], n)
    columns = {"uuid": [f"x{k}" for k in range(n)], "model_a": "A", "model_b": "B"}
    return pd.DataFrame(columns | {"winner": winners})


COPIED = "votes are the same as others in all columns, and count again"


@pytest.mark.parametrize("layout", ["votes", "judgments"])
def test_votes_that_are_copied_are_warned_of(layout):
    once = votes_once()
    bt.read(once, layout=layout)  # no warning
    bt.read(pd.concat([once, once]).drop(columns="uuid"), layout=layout)  # votes are often alike
    with pytest.warns(UserWarning, match=f"60 of 120 {COPIED}; leave copies out"):
        counts = bt.read(pd.concat([once, once]), layout=layout)
    assert f"! 60 of 120 {COPIED}" in " ".join(str(bt.compare(counts)).split())
    with pytest.warns(UserWarning, match=f"6 of 66 {COPIED}"):
        bt.read(pd.concat([once, once.head(6)]), layout=layout)
    times = once.assign(uuid=[k // 2 for k in range(60)], winner=["A", "tie"] * 30)
    bt.read(times, layout=layout)  # two votes at a time are none


def test_votes_that_are_copied_to_another_file_are_warned_of(tmp_path):
    votes_once().to_csv(tmp_path / "one.csv", index=False)
    votes_once()[::-1].to_csv(tmp_path / "two.csv", index=False)
    with pytest.warns(UserWarning, match=rf"^one\.csv, two\.csv: 60 of 120 {COPIED}"):
        bt.read(tmp_path)


def test_judged_rows_that_are_copied_are_warned_of():
    once = votes_once().rename(columns={"winner": "gpt"}).assign(human=["model_a", ""] * 30)
    bt.judged.count(once, judge="gpt", human="human")
    with pytest.warns(UserWarning, match=f"60 of 120 {COPIED}"):
        twice = bt.judged.count(pd.concat([once, once]), judge="gpt", human="human")
    assert f"! 60 of 120 {COPIED}" in " ".join(str(bt.compare(twice)).split())


def test_votes_on_other_pairs_in_each_file_are_one_table(tmp_path):
    votes = {"model_a": "base", "winner": ["model_a", "tie", "model_b", "model_a"]}
    for name in ("m1", "m2"):
        frame = pd.DataFrame(votes | {"model_b": name})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    counts = bt.read(tmp_path)
    assert counts.system_a.values.tolist() == ["base", "m1", "m2"]
    assert "dataset" not in counts.dims  # of an average, each pair would be in half the data
    assert pair(counts, "base", "m2") == [2, 1, 1]
    assert pair(counts, "m1", "m2") == [0, 0, 0]
    with pytest.raises(ValueError, match="give files of the same systems"):
        bt.read(tmp_path, names="datasets")
    assert "1 cannot be compared: no judgment compares them" in str(bt.compare(counts))
    frame.assign(model_a="M1 ", model_b="other").to_csv(tmp_path / "m3.csv", index=False)
    with pytest.raises(ValueError, match="give files of the same systems"):
        bt.read(tmp_path)


def test_votes_on_other_pairs_in_each_file_are_judged_as_one_table(tmp_path):
    """What is wrong is in a row of a file; judges and items are clusters over all files."""
    random, tables = np.random.default_rng(1), {}
    for a, b in (("gpt", "pal"), ("gpt", "yak"), ("pal", "yak")):
        winner = random.choice(["model_a", "model_b", "tie"], 80)
        columns = {"item": np.arange(80) // 2, "judge": ["ann", "bob"] * 40, "model_a": a}
        frame = pd.DataFrame(columns | {"model_b": b, "winner": winner})
        tables[f"{a}_{b}"] = tmp_path / f"{a}_{b}.csv"
        frame.to_csv(tables[f"{a}_{b}"], index=False)
    files = [*tables.values()]
    with pytest.warns(UserWarning, match="240 votes are on 120 items of a pair") as told:
        counts = bt.read(files)
    assert len(told) == 1
    assert counts.attrs["reading"].count("240 votes on 3 systems") == 1
    assert bt.compare(files, layout="judgments", cluster="item")["n_units"].values.max() == 40
    assert bt.compare(files, layout="judgments", cluster="judge")["n_units"].values.max() == 2
    text = tables["gpt_yak"].read_text().splitlines()
    text[3] = text[3].rpartition(",")[0] + ",nobody"
    tables["gpt_yak"].write_text("\n".join(text))
    with pytest.raises(ValueError, match=r"row 4 of gpt_yak\.csv, column 'winner'"):
        bt.read(files)


def test_votes_of_several_people_or_at_one_time_are_no_copies():
    random = np.random.default_rng(1)
    winners = random.choice(["model_a", "model_b"], 600, p=[0.6, 0.4])
    votes = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": winners})
    bt.read(votes.assign(source=[f"s{k // 3}" for k in range(600)]))  # three people each
    bt.read(votes.assign(minute=random.integers(0, 900, 600)))
    bt.read(votes.assign(conversation=[[{"role": "user", "n": k}] for k in range(600)]))


@pytest.mark.parametrize("column", ["messages", "tags", "participant", "rated_at"])
def test_what_is_no_id_does_not_stop_the_reading_of_numbered_items(column):
    order = [np.roll(np.arange(20), shift) for shift in (0, 7)]
    cells = {
        "messages": lambda k: [{"role": "user", "content": str(k)}],
        "tags": lambda k: ["x", str(k)],
        "participant": lambda k: f"person {k}",
        "rated_at": lambda k: f"2026-01-01T10:{k:02}:00.000000Z",
    }
    rows = [
        {"item": k, "system": system, "score": k % 2, column: cells[column](int(order[s][k]))}
        for s, system in enumerate("AB")
        for k in range(20)
    ]
    assert bt.read(pd.DataFrame(rows)).sizes["item"] == 20


def test_numbers_of_rows_do_not_join_what_other_numbers_or_texts_join_otherwise():
    parts = rows_in_two_orders("problem_id")
    for part in parts:
        part["problem_id"] = part["problem_id"].str.removeprefix("HumanEval/").astype(int)
    with pytest.raises(ValueError, match=r"column 'problem_id': '.*' is item .* pass item='prob"):
        bt.read(pd.concat(parts).reset_index(names="idx"))
    for part in parts:
        part["task"] = [f"Write a function that returns number {k}" for k in part["problem_id"]]
    tables = pd.concat(parts).drop(columns="problem_id").reset_index(names="idx")
    with pytest.raises(ValueError, match=r"'Write a function that.* is item"):
        bt.read(tables.rename(columns={"task": "sentence"}))


def test_votes_without_the_name_of_a_judge_are_not_of_one_judge():
    votes = votes_once(600).drop(columns="uuid")
    bt.read(votes.assign(judge=[f"u{k}" for k in range(300)] + [None] * 300))  # no warning
    bt.read(votes.assign(judge=[*range(300)] + [np.nan] * 300))
    with pytest.warns(UserWarning, match="400 votes are by 4 judges; .* name all judges to take"):
        bt.read(votes.assign(judge=[f"u{k % 4}" for k in range(400)] + [None] * 200))


def test_a_system_in_two_spellings_in_two_files_of_votes_is_refused():
    votes = votes_once(20).drop(columns="uuid")
    other = votes.assign(model_a="a")
    with pytest.raises(ValueError, match="give files of the same systems"):
        bt.read({"en": votes, "de": other})
    chain = {"ab": votes, "cd": votes.assign(model_a="C", model_b="D")}
    with pytest.raises(ValueError, match="give files of the same systems"):
        bt.read(chain)
    chain["bc"] = votes.assign(model_a="B", model_b="C")
    assert bt.read(chain).sizes["system_a"] == 4


def test_a_missing_category_is_no_text_in_a_long_frame():
    n = 70_000
    gold = pd.Series(["no", "yes"] * (n // 2))
    frame = pd.DataFrame({"item": range(n), "gold": gold, "A": "yes", "B": gold.astype("category")})
    frame.loc[0, "B"] = None
    assert np.isnan(bt.read(frame).sel(system="B").values[0])


def test_categories_of_a_long_frame_are_in_the_order_of_its_rows():
    system = pd.Categorical(["a", "c", "b"] * 25_000, categories=["a", "b", "c"])
    frame = pd.DataFrame({"item": np.repeat(range(25_000), 3), "system": system, "score": 1.0})
    assert bt.read(frame)["system"].values.tolist() == ["a", "c", "b"]
