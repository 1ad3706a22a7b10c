"""Tables that are almost right: one file a system, other names, words, per cent, commas."""

import logging

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt


def save(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


def table(scores):
    return scores.to_pandas().to_dict()


@pytest.fixture
def old(tmp_path):
    return save(tmp_path, "old.csv", "item,score\nq1,1\nq2,0\nq3,1\n")


@pytest.fixture
def new(tmp_path):
    return save(tmp_path, "new.csv", "item,acc\nq3,0\nq1,1\n")


def test_files_of_one_score_column_are_systems_joined_by_item(old, new):
    found = bt.read({"before": old, "after": new})
    assert table(found)["before"] == {"q1": 1, "q2": 0, "q3": 1}
    assert table(found)["after"]["q3"] == 0
    assert np.isnan(table(found)["after"]["q2"])
    assert "each file a system" in found.attrs["reading"]
    assert bt.read([old, new])["system"].values.tolist() == ["old", "new"]
    assert bt.read(old.parent)["system"].values.tolist() == ["new", "old"]  # of a folder, sorted


@pytest.mark.parametrize(
    ("option", "coordinate"), [("cluster", "cluster"), ("dataset", "dataset"), ("run", "epoch")]
)
def test_a_named_column_of_groups_is_read_next_to_a_named_score(tmp_path, option, coordinate):
    rows = "".join(f"q{k},g{k % 2},{k % 3},7\n" for k in range(6))
    a, b = (save(tmp_path, f"{name}.csv", f"utt,group,wer,words\n{rows}") for name in "ab")
    columns = {"item": "utt", "score": "wer", option: "group"}
    found = bt.read([a, b], **columns, higher_is_better=False)
    assert found[coordinate].values.tolist() == ["g0", "g1"] * 3
    assert found.sel(system="a").values.tolist() == [0, 1, 2] * 2


def test_long_files_of_one_system_each_keep_its_name(tmp_path):
    a = save(tmp_path, "x.csv", "system,item,score\nA,q1,1\nA,q2,0\n")
    b = save(tmp_path, "y.csv", "system,item,score\nB,q1,0\nB,q2,0\n")
    assert bt.read([a, b])["system"].values.tolist() == ["A", "B"]
    assert bt.read({"first": a, "second": b})["system"].values.tolist() == ["first", "second"]


@pytest.fixture
def predictions(tmp_path):
    a = save(tmp_path, "a.csv", "id,label,pred\nq1,x,x\nq2,y,x\nq3,x,\n")
    b = save(tmp_path, "b.csv", "id,label,guess\nq3,x,x\nq2,y,y\nq1,x,y\n")
    return a, b


def test_files_of_labels_and_one_prediction_each_are_systems(predictions, tmp_path):
    scores = bt.read(list(predictions))
    assert table(scores)["a"] | {"q3": None} == {"q1": 1, "q2": 0, "q3": None}
    assert np.isnan(table(scores)["a"]["q3"])
    assert table(scores)["b"] == {"q1": 0, "q2": 1, "q3": 1}
    assert scores.attrs["reading"].endswith(
        ", 1 where a prediction equals column 'label', each file a system"
    )
    numbers = [save(tmp_path, f"{n}.csv", "id,y_true,p\nq1,1,1\nq2,0,1\n") for n in ("c", "d")]
    with pytest.raises(ValueError, match=r"c.csv: column 'y_true' holds the labels"):
        bt.read(numbers)
    assert table(bt.read(numbers, layout="predictions"))["d"] == {"q1": 1, "q2": 0}
    assert table(bt.read(numbers, names="systems"))["d"] == {"q1": 1, "q2": 0}
    right = save(tmp_path, "e.csv", "id,score\nq1,0\nq2,1\n")
    mixed = bt.gate(right, numbers[0], margin=0.1)
    assert mixed.verdict == "inconclusive"


def test_an_item_with_two_labels_is_refused(predictions, tmp_path):
    other = save(tmp_path, "other.csv", "id,label,pred\nq1,x,x\nq2,x,x\n")
    said = r"other.csv, row 3, column 'label', value 'x': item 'q2' has label 'y' in a.csv"
    with pytest.raises(ValueError, match=said):
        bt.read([predictions[0], other])
    scores = save(tmp_path, "s.csv", "id,answer,correct\nq1,red,1\nq2,blue,0\n")
    again = save(tmp_path, "t.csv", "id,answer,correct\nq1,red,1\nq2,blue,0\n")
    with pytest.raises(ValueError, match=r"column 'correct': .*pass score='correct' if it holds"):
        bt.read([scores, again])


@pytest.mark.parametrize("labels", ["1,0", "yes,no", "red,blue"])
def test_whether_an_answer_is_right_is_no_prediction(tmp_path, labels):
    yes, no = labels.split(",")
    cells = (f"q1,{yes},{yes}", f"q2,{no},{yes}", f"q3,{no},{no}")
    header = "id,label,correct"
    files = [save(tmp_path, f"{n}.csv", "\n".join((header, *cells[:n]))) for n in (2, 3)]
    said = "column 'correct': by its name says which predictions are right, and holds none; pass s"
    with pytest.raises(ValueError, match=said):
        bt.gate(*files, margin=0.1)
    wide = "\n".join(("id,label,A_correct,B_correct", *(f"{row},{yes}" for row in cells)))
    with pytest.raises(
        ValueError, match=r"column 'A_correct': by its name|holds the labels, or is"
    ):
        bt.read(save(tmp_path, "w.csv", wide))


def test_files_of_the_same_systems_stay_data_sets(tmp_path):
    both = [save(tmp_path, f"{n}.csv", f"item,A,B\n{n}1,1,0\n{n}2,1,1\n") for n in "xy"]
    assert set(bt.read(both)["dataset"].values.tolist()) == {"x", "y"}
    with pytest.raises(ValueError, match=r"x.csv: holds 2 systems"):
        bt.read(both, names="systems")
    with pytest.raises(ValueError, match="names is 'both'"):
        bt.read(both, names="both")


def test_one_file_of_several_systems_among_those_of_one_is_refused(tmp_path, old):
    wide = save(tmp_path, "wide.csv", "item,A,B\nq1,1,0\nq2,1,1\n")
    with pytest.raises(ValueError, match=r"wide.csv: holds 2 systems .*while old.csv has one"):
        bt.read([old, wide])


def test_files_without_ids_are_not_put_side_by_side(tmp_path):
    a, b = (save(tmp_path, f"{n}.csv", "score\n1\n0\n") for n in "ab")
    with pytest.raises(ValueError, match=r"a.csv: has no column of item ids.*item="):
        bt.read([a, b])


def test_columns_by_other_names(tmp_path):
    path = save(tmp_path, "r.csv", "q,who,points,id\nx,A,1,7\nx,B,0,8\ny,A,0,9\ny,B,1,10\n")
    found = bt.read(path, item="q", system="who", score="points", ignore="id")
    assert table(found) == {"A": {"x": 1, "y": 0}, "B": {"x": 0, "y": 1}}
    # another column that is called like an item is not what was meant
    found = bt.read(path, item="q", system="who", score="points")
    assert found["item"].values.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="no column 'question' among 'q', 'who'"):
        bt.read(path, item="question")


def test_one_score_column_of_each_file(tmp_path):
    a = save(tmp_path, "a.csv", "id,f1,latency\nx,.5,100\ny,.7,200\n")
    b = save(tmp_path, "b.csv", "id,f1,latency\nx,.4,100\ny,.9,200\n")
    assert table(bt.read([a, b], score="f1")) == {
        "a": {"x": 0.5, "y": 0.7},
        "b": {"x": 0.4, "y": 0.9},
    }


def test_words_are_scores_where_they_are_said_to_be(tmp_path):
    path = save(tmp_path, "r.csv", "item,A,B\nq1,C,i\nq2,pass,I\nq3,,C\n")
    found = bt.read(path, true=["C", "pass"], false="I")
    assert table(found)["B"] == {"q1": 0, "q2": 0, "q3": 1}
    assert np.isnan(found.sel(item="q3", system="A"))
    with pytest.raises(ValueError, match="no cell holds 'yes', 'no'"):
        bt.read(path, true="yes", false="no")
    with pytest.raises(ValueError, match="'c' is both true and false"):
        bt.read(path, true="C", false="c")
    with pytest.raises(ValueError, match=r"row 2, column 'A', value 'C'"):
        bt.read(path)
    with pytest.raises(ValueError, match=r"row 3, column 'A', value 'pass'"):  # a word not named
        bt.read(path, true="C", false="I")


def test_per_cent_and_decimal_commas(tmp_path):
    path = save(tmp_path, "r.csv", "item;A;B\nq1;50,5%;40\nq2;7;0\n")
    found = bt.read(path, sep=";", decimal=",", percent=True)
    np.testing.assert_allclose(found.values, [[0.505, 0.4], [0.07, 0]])
    plain = save(tmp_path, "plain.csv", "item;A;B\nq1;50;40\n")
    with pytest.raises(ValueError, match="pass sep=';'"):
        bt.read(plain)
    with pytest.raises(ValueError, match="decimal is ';'"):
        bt.read(path, decimal=";")
    frame = pd.DataFrame({"item": ["q1"], "A": [50], "B": [40.0]})
    np.testing.assert_allclose(bt.read(frame, percent=True).values, [[0.5, 0.4]])


NOT_SCORES = {
    "votes": "model_a,model_b,winner\nA,B,A\nA,B,tie\n",
    "counts": "system_a,system_b,wins,losses\nA,B,100,200\n",
    "tallies": "system,item,tp,fp,fn,note\nA,q1,100,0,0,yes\nB,q1,0,100,0,yes\n",
}


@pytest.mark.parametrize("layout", NOT_SCORES)
@pytest.mark.parametrize("choice", ["percent", "true", "false"])
def test_what_scores_are_written_as_is_for_scores(layout, choice, tmp_path):
    path = save(tmp_path, "r.csv", NOT_SCORES[layout])
    word = {"votes": "tie", "counts": "A", "tallies": "yes"}[layout]
    with pytest.raises(ValueError, match=f"^{choice}=.* is for scores; .* read as {layout}$"):
        bt.read(path, **{choice: True if choice == "percent" else word})


def test_systems_are_picked_and_renamed_as_in_compare(tmp_path):
    path = save(tmp_path, "r.csv", "item,A,B,C\nq1,1,0,1\nq2,1,1,0\n")
    assert bt.read(path, systems=["C", "A"])["system"].values.tolist() == ["C", "A"]
    assert bt.read(path, systems={"B": "new"})["system"].values.tolist() == ["A", "new", "C"]
    with pytest.raises(ValueError, match="no system 'D' among 'A', 'B', 'C'"):
        bt.read(path, systems={"D": "new"})


def test_choices_of_logs_do_not_apply_to_tables(old, new):
    for choice in ({"task": "acc"}, {"join": "id"}, {"errors": "raw"}, {"again": "last"}):
        with pytest.raises(ValueError, match=r"does not apply: the source is a table"):
            bt.read([old, new], **choice)
    with pytest.raises(ValueError, match=r"metric='acc' does not apply: no column names metrics"):
        bt.read([old, new], metric="acc")


def test_a_folder_of_other_things_says_what_it_holds(tmp_path):
    save(tmp_path, "README.md", "# nothing")
    with pytest.raises(ValueError, match=r"holds no log and no table \('README.md'\)"):
        bt.read(tmp_path)


def test_other_layouts_by_name(tmp_path):
    orders = save(tmp_path, "o.csv", "system,order\nA,x > y > z\nB,y > x > z\n")
    assert "position" in bt.read(orders, layout="orders").dims
    labels = save(tmp_path, "l.csv", "item,gold,A,B\n1,x,x,y\n2,y,y,y\n")
    assert bt.read(labels, layout="labels").attrs["reading"]
    trials = save(tmp_path, "t.csv", "system,item,successes,trials\nA,q1,3,5\nB,q1,1,5\n")
    found = bt.read(trials, layout="trials")
    assert found["successes"].values.tolist() == [[3, 1]]
    assert found.attrs["reading"].startswith("t.csv read as trials")
    bad = save(tmp_path, "b.csv", "system,item,successes,trials\nA,q1,x,5\nB,q1,1,5\n")
    with pytest.raises(ValueError, match=r"b.csv, row 2, column 'successes', value 'x'"):
        bt.read(bad, layout="trials")
    with pytest.raises(ValueError, match="layout 'trials' needs a column 'item'"):
        bt.read(orders, layout="trials")


def test_what_is_skipped_of_a_folder_of_logs_is_told(tmp_path, caplog):
    for system in "ab":
        save(tmp_path, f"{system}.json", '[{"user_input": "Who?", "response": "x", "good": 1}]')
    save(tmp_path, "README.md", "# notes")
    save(tmp_path, "big.bin", "version https://git-lfs.github.com/spec/v1\n")
    with caplog.at_level(logging.INFO, "betterthan"):
        scores = bt.read(tmp_path)
    assert scores["system"].values.tolist() == ["a", "b"]
    skipped = "skipped 2 files: README.md (no log of a known tool), big.bin (a Git LFS pointer)"
    assert skipped in caplog.text
    assert skipped in scores.attrs["reading"]
    assert skipped in bt.audit(tmp_path).findings["message"].tolist()


def test_what_is_skipped_of_a_folder_of_tables_is_told_and_a_damaged_table_refused(tmp_path):
    for system in "ab":
        save(tmp_path, f"{system}.csv", "item,score\nq1,1\nq2,0\n")
    save(tmp_path, "README.md", "# notes")
    assert bt.read(tmp_path).attrs["reading"].endswith("; skipped 1 file: README.md (no table)")
    empty = save(tmp_path, "c.csv", "")
    with pytest.raises(ValueError, match=r"c.csv: is empty"):
        bt.read(tmp_path)
    empty.write_bytes(b"\0\1\2")
    with pytest.raises(ValueError, match=r"c.csv: holds zero bytes"):
        bt.read(tmp_path)


def test_logs_and_a_table_named_together_are_refused(tmp_path):
    log = save(tmp_path, "a.json", '[{"user_input": "Who?", "response": "x", "good": 1}]')
    other = save(tmp_path, "t.csv", "item,A,B\nq1,1,0\n")
    with pytest.raises(ValueError, match=r"t.csv: is no log of a tool that is read"):
        bt.read([log, other])


@pytest.mark.parametrize(("name", "text"), [("r.txt", "hello"), ("r.json", '{"a": 1}')])
def test_unknown_content_by_name_says_what_is_read(tmp_path, name, text):
    path = save(tmp_path, name, text)
    with pytest.raises(ValueError, match=f"{name}: .*a log of a tool that is read: Inspect, "):
        bt.read(path)


def test_a_point_beside_decimal_commas_is_refused(tmp_path):
    """1.200 may be 1200 or 1.2: read as the latter, the other system would be named."""
    path = save(tmp_path, "r.csv", "item;A;B\nq1;1.200;900\nq2;1.100,5;800\n")
    with pytest.raises(ValueError, match=r"row 2, column 'A', value '1.200': a point where"):
        bt.read(path, sep=";", decimal=",")


def test_shares_beside_per_cent_are_refused(tmp_path):
    path = save(tmp_path, "r.csv", "item,A,B\nq1,87,0.95\nq2,90,0.93\n")
    with pytest.raises(ValueError, match=r"no score of 'B' is above 0.95, while others reach 90"):
        bt.read(path, percent=True)
    zero = save(tmp_path, "z.csv", "item,A,B\nq1,87,0\nq2,90,0\n")
    assert bt.read(zero, percent=True).sel(system="B").sum() == 0


def test_a_column_of_names_is_not_one_of_scores_of_a_file():
    frames = {"old": pd.DataFrame({"item": ["a", "b"], "em": [1, 0]})}
    frames["new"] = frames["old"].assign(em=[1, 1])
    with pytest.raises(ValueError, match=r"^system='em' is for .* \('em'\); leave it out"):
        bt.read(frames, system="em")
    assert bt.read(frames, score="em").sel(system="new").values.tolist() == [1, 1]


def test_a_named_column_of_clusters_or_runs_may_hold_numbers_that_are_scores_too():
    scores = {"A": [1, 0, 1, 1], "B": [0, 0, 1, 0]}
    frame = pd.DataFrame({"item": [0, 1, 2, 3], "doc": [0, 1, 1, 0], "trial": 1} | scores)
    read = bt.read(frame, cluster="doc", run="trial")
    assert read["cluster"].values.tolist() == ["0", "1", "1", "0"]
    assert read["epoch"].values.tolist() == [1, 1, 1, 1]
    assert read["system"].values.tolist() == ["A", "B"]
    assert bt.read(frame.drop(columns="doc"), run="trial").equals(read.drop_vars("cluster"))
    files = {name: frame[["item", "doc", name]] for name in scores}
    assert bt.read(files, cluster="doc")["cluster"].equals(read["cluster"].drop_vars("epoch"))


def test_a_column_of_fractions_is_none_of_clusters():
    frame = pd.DataFrame({"item": list("abc"), "A": [0, 0.25, 1], "B": [0, 1, 1]})
    frame["C"] = frame["A"]
    for role in ("cluster", "run"):
        with pytest.raises(ValueError, match=f"{role}='C' is a column of scores"):
            bt.read(frame, **{role: "C"})


def test_names_of_files_and_columns_that_cross(tmp_path):
    items = {"item": list("abc")}
    frames = {"x": pd.DataFrame(items | {"y": [1, 0, 1]}), "y": pd.DataFrame(items | {"x": 0})}
    files = [
        save(tmp_path, f"{name}.csv", frame.to_csv(index=False)) for name, frame in frames.items()
    ]
    message = r"^x(\.csv)?: scores called 'y' would be those of 'x', and another table is 'y'; give"
    long = {
        name: frame.melt("item", var_name="system", value_name="score")
        for name, frame in frames.items()
    }
    for source in (files, frames, long):
        with pytest.raises(ValueError, match=message):
            bt.read(source)
    one = {name: frame.set_axis(["item", "y"], axis=1) for name, frame in frames.items()}
    assert bt.read(one)["system"].values.tolist() == ["x", "y"]
    third = frames | {"y": frames["y"].rename(columns={"x": "z"})}
    with pytest.raises(ValueError, match=message):
        bt.read(third)


def test_two_files_of_one_system(tmp_path):
    paths = [
        save(tmp_path, f"{k}.csv", f"item,system,score\np,{system},1\nq,{system},{k}\n")
        for k, system in enumerate("AAB")
    ]
    message = r"^1\.csv: is of system 'A', as 0\.csv is; give a mapping of name to file if they"
    with pytest.raises(ValueError, match=message):
        bt.read(paths)
    named = dict(zip("ABC", paths, strict=True))
    with pytest.raises(ValueError, match=r"^1\.csv: scores called 'A' would be those of 'B'"):
        bt.read(named)
    named = dict(zip("xyz", paths, strict=True))
    assert bt.read(named).sel(item="q").values.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["systems", "datasets"])
def test_names_of_one_table_are_of_nothing(tmp_path, kind):
    frame = pd.DataFrame({"item": ["a", "b"], "A": [1, 0], "B": [0, 1]})
    path = save(tmp_path, "x.csv", frame.to_csv(index=False))
    for source in (path, [path], frame):
        with pytest.raises(ValueError, match=f"^names='{kind}' is for several tables, and there"):
            bt.read(source, names=kind)


def asked(questions, scores):
    return pd.DataFrame({"id": range(len(scores)), "question": questions, "score": scores})


def test_rows_of_one_id_that_ask_different_questions_are_not_joined():
    old, new = asked(["x", "y", "z"], [1, 0, 1]), asked(["x", "z", ""], [0, 0, 1])
    reason = r"row 1 of \w+, column 'question', value 'z': item '1' is 'y' in row 1 of \w+; give"
    for refused in (
        lambda: bt.read({"old": old, "new": new}),
        lambda: bt.gate(old, new, margin=0.5),
        lambda: bt.gate(old, new, margin=0.5, score="score"),
    ):
        with pytest.raises(ValueError, match=reason):
            refused()
    both = pd.concat([old.assign(system="old"), new.assign(system="new")], ignore_index=True)
    with pytest.raises(ValueError, match=r"row 4, column 'question', value 'z': item '1' is 'y'"):
        bt.read(both)
    for ignored in (
        bt.read(both, ignore="question"),
        bt.read({"a": old, "b": new}, ignore="question"),
    ):
        assert ignored.values.tolist() == [[1, 0], [0, 0], [1, 1]]


def test_tables_that_ask_the_same_questions_are_joined_by_id():
    old, new = asked(["x", "y", "z"], [1, 0, 1]), asked(["y", "x", "z"], [0, 0, 1])
    new["id"] = [1, 0, 2]
    scores = bt.read({"old": old, "new": new})
    assert scores.values.tolist() == [[1, 0], [0, 0], [1, 1]]
    assert "ignored columns 'question'" in scores.attrs["reading"]
    assert bt.read({"old": old, "new": new.drop(columns="question")}).equals(scores)


def test_questions_may_be_lists_of_messages():
    def asked_as(*texts):
        return [[{"role": "user", "content": text}] for text in texts]

    old = pd.DataFrame(
        {"system": "A", "item": [1, 2], "input": asked_as("x", "y"), "score": [0, 1]}
    )
    new = old.assign(system="B")
    assert bt.read(pd.concat([old, new], ignore_index=True)).shape == (2, 2)
    new["input"] = asked_as("x", "z")
    with pytest.raises(ValueError, match=r"item '2' is .*'y'.* in row 1; give each input an id"):
        bt.read(pd.concat([old, new], ignore_index=True))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            "item,text,gold,pred\nq1,a b,x,x\nq2,c d,y,x\n",
            r"a.csv, column 'text': holds 'a b', 'c d'; no value is a label of column 'gold' "
            r"\('x', 'y'\); write labels as gold does, pass ignore='text' to leave it out$",
        ),
        (
            "item,gold,p,q\nq1,x,x,y\nq2,y,x,y\n",
            r"a.csv: holds 2 systems \('p', 'q'\), while b.csv has one; give it one column of "
            r"predictions$",
        ),
        (
            "item,gold\nq1,x\nq2,y\n",
            "a.csv: holds no system, while b.csv has one; give it one column of predictions$",
        ),
    ],
)
def test_of_labels_each_side_of_a_gate_has_one_column_of_predictions(tmp_path, columns, message):
    one = save(tmp_path, "b.csv", "item,gold,pred\nq1,x,x\nq2,y,x\n")
    with pytest.raises(ValueError, match=message):
        bt.gate(save(tmp_path, "a.csv", columns), one, margin=0.05)


@pytest.mark.parametrize("second", ["2025/results.csv", "2024/results.tsv"])
def test_tables_of_a_folder_with_one_name_are_refused(tmp_path, second):
    for name in ("2024/results.csv", second):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        text = f"item,A,B\nq1,1,0\nq2,0,{int(name == second)}\n"
        save(tmp_path, name, text.replace(",", "\t" if name.endswith("tsv") else ","))
    message = r"two files are called 'results', .*results\..*results\..*; give a mapping of name"
    with pytest.raises(ValueError, match=message):
        bt.read(tmp_path)
    files = {"old": tmp_path / "2024/results.csv", "new": tmp_path / second}
    assert bt.read(files).sizes["item"] == 4


def test_the_tables_that_fit_a_pattern_are_those_of_its_files(tmp_path):
    for system, second in (("a", 0), ("b", 1)):
        save(tmp_path, f"{system}.csv", f"item,score\nq1,1\nq2,{second}\n")
    named = bt.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    for pattern in (str(tmp_path / "*.csv"), [str(tmp_path / "[ab].csv")]):
        xr.testing.assert_equal(bt.read(pattern), named)
    alone = save(tmp_path, "wide.tsv", "item\tA\tB\nq1\t1\t0\n")
    xr.testing.assert_equal(bt.read(str(tmp_path / "*.tsv")), bt.read(alone))


def test_a_score_among_predictions_is_refused_and_a_system_called_llm_has_a_way_out(tmp_path):
    rows = "".join(f"q{k},x,{'xy'[k % 2]},x\n" for k in range(12))
    path = save(tmp_path, "labels.csv", f"item,gold,svm,llm\n{rows}")
    with pytest.raises(ValueError, match=r"'llm' but no score .*; pass layout='predictions' if"):
        bt.read(path)
    assert bt.read(path, layout="predictions")["system"].values.tolist() == ["svm", "llm"]
    for column, layout in (("llm", None), ("svm", "predictions")):
        with pytest.raises(ValueError, match=rf"score='{column}' .* read as predictions, where"):
            bt.read(path, score=column, layout=layout)


def runs_of_two_systems():
    random = np.random.default_rng(1)
    rows = [
        {"item": f"q{k}", "model": model, "seed": seed, "score": int(random.integers(0, 2))}
        for seed in range(3)
        for model in "AB"
        for k in range(12)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("by", [["model", "seed"], ["seed"]])
def test_runs_of_systems_in_a_folder_are_those_of_their_columns(tmp_path, by):
    frame = runs_of_two_systems()
    for k, (_, part) in enumerate(frame.groupby(by)):
        part.to_csv(tmp_path / f"part{k}.csv", index=False)
    with pytest.raises(ValueError, match="run='seed'"):
        bt.read(tmp_path)
    scores = bt.read(tmp_path, run="seed")
    assert (scores.system.values.tolist(), scores.sizes["item"]) == (["A", "B"], 36)
    means = frame.groupby("model")["score"].mean()
    assert scores.mean("item").values.tolist() == pytest.approx(means.tolist())


def test_a_system_on_other_items_in_each_file_is_one_system(tmp_path):
    frame = runs_of_two_systems().query("seed == 0").drop(columns="seed")
    for k, part in enumerate((frame[:6], frame[6:12], frame[12:])):
        part.to_csv(tmp_path / f"part{k}.csv", index=False)
    assert bt.read(tmp_path).sizes == {"item": 12, "system": 2}
