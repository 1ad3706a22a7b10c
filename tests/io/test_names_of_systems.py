"""Two spellings of one name, a second header, a column that is no system: refused or named."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli import commands


def read_text(tmp_path, text, **choices):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return bt.read(path, **choices)


HEADERS = {
    "predictions": "id,gold,A,B\nq1,x,x,y\nid,gold,A,B\nq2,y,y,y\n",
    "blanks and case": "id,gold,A,B\nq1,x,x,y\nID, Gold,A,B\nq2,y,y,y\n",
    "another order": "id,gold,A,B\nq1,x,x,y\ngold,id,B,A\nq2,y,y,y\n",
    "wide": "item,A,B\nq1,1,0\nitem,A,B\n",
    "long": "system,item,score\nA,q1,1\nsystem,item,score\nB,q1,0\n",
    "votes": "model_a,model_b,winner\nA,B,tie\nmodel_a,model_b,winner\n",
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_in_the_body_is_refused(tmp_path, case):
    with pytest.raises(ValueError, match=r"^t\.csv, row [34]: repeats the names of the columns"):
        read_text(tmp_path, HEADERS[case])


def test_a_header_in_the_body_of_labels_orders_and_frames(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADERS["predictions"])
    with pytest.raises(ValueError, match="row 3: repeats the names"):
        bt.labels.read(path)
    with pytest.raises(ValueError, match="row 2: repeats the names"):
        bt.read(
            pd.DataFrame({"id": ["q", "r", "id"], "gold": ["x", "x", "gold"], "A": ["x", "y", "A"]})
        )
    path.write_text("judge,order\n1,a > b\njudge,order\n2,b > a\n")
    with pytest.raises(ValueError, match="row 3: repeats the names"):
        bt.orders.read(path)


# one spelling: composed and decomposed, blanks, no-break and zero-width ones, case, full width
BLANKS = [("q1", "q1 "), ("a b", "a  b"), ("q1", "q\u200b1"), ("a b", "a\u00a0b")]
PAIRS = [*BLANKS, ("q1", "Q1"), ("caf\u00e9", "cafe\u0301"), ("q1", "\uff511")]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_ids_that_no_system_has_both_of_are_one_item_in_two_spellings(tmp_path, one, other):
    said = rf"^t\.csv: items {re.escape(repr(one))} and {re.escape(repr(other))} differ only by"
    rows = f"A,{one},1\nB,{other},0\nA,z,1\nB,z,1\n"
    with pytest.raises(ValueError, match=f"{said}.*no system has a score on both; give them one"):
        read_text(tmp_path, f"system,item,score\n{rows}")
    with pytest.raises(ValueError, match=said):
        read_text(tmp_path, f"item,A,B\n{one},1,\n{other},,0\nz,1,1\n")
    with pytest.raises(ValueError, match=said):
        read_text(tmp_path, f"item,gold,A,B\n{one},x,x,\n{other},x,,y\nz,x,x,x\n")
    tallies = f"A,{one},1,0,0\nB,{other},1,0,0\nA,z,1,0,0\nB,z,1,0,0\n"
    with pytest.raises(ValueError, match=said):
        read_text(tmp_path, f"system,item,tp,fp,fn\n{tallies}")


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_ids_of_the_same_systems_are_two_items_and_said(tmp_path, one, other):
    said = rf"^t\.csv: items {re.escape(repr(one))} and {re.escape(repr(other))} differ only by"
    with pytest.warns(UserWarning, match=f"{said}.*and are taken as different ones$"):
        scores = read_text(tmp_path, f"item,A,B\n{one},1,0\n{other},0,1\n")
    assert scores["item"].values.tolist() == [one, other]
    np.testing.assert_array_equal(scores.values, [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("one", "other"), [("GPT-4", "gpt-4"), ("caf\u00e9", "cafe\u0301"), ("G 4", "G  4")]
)
def test_systems(tmp_path, one, other):
    said = rf"^t\.csv: systems {re.escape(repr(one))} and {re.escape(repr(other))} differ only by"
    long = "system,item,score\nB,q1,1\nB,q2,1\n"
    with pytest.raises(ValueError, match=f"{said}.*never have a score on the same item"):
        read_text(tmp_path, f"{long}{one},q1,1\n{other},q2,0\n")
    with pytest.raises(ValueError, match=said):
        read_text(tmp_path, f"item,{one},{other},B\nq1,1,,1\nq2,,0,1\n")
    for head, end in (("model_a,model_b,winner", "tie"), ("system_a,system_b,wins,losses", "1,2")):
        with pytest.raises(ValueError, match=f"{said}.*never meet each other"):
            read_text(tmp_path, f"{head}\n{one},B,{end}\nB,{other},{end}\n")
        with pytest.warns(UserWarning, match=said):
            read_text(tmp_path, f"{head}\n{one},B,{end}\n{one},{other},{end}\n")
    with pytest.warns(UserWarning, match=said):
        read_text(tmp_path, f"{long}{one},q1,1\n{other},q1,0\n")
    with pytest.warns(UserWarning, match=said):
        read_text(tmp_path, f"item,{one},{other}\nq1,1,0\nq2,0,0\n")


def test_blanks_around_a_name_are_said_where_they_join_two(tmp_path):
    votes = "model_a,model_b,winner\nA,B,tie\nA ,B,model_a\n"
    with pytest.warns(UserWarning, match="column 'model_a': 'A' and 'A ' are read as one system"):
        counts = read_text(tmp_path, votes)
    assert counts.sel(system_a="A", system_b="B").values.tolist() == [1, 0, 1]


@pytest.mark.parametrize("role", ["dataset", "cluster"])
def test_groups_of_items(tmp_path, role):
    with pytest.warns(UserWarning, match=f"{role}s 'Dev' and 'dev' differ only by"):
        read_text(tmp_path, f"item,{role},A,B\nq1,Dev,1,0\nq2,dev,1,0\n")


def test_labels_of_one_spelling_are_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="labels 'Yes' and 'yes' differ only by blanks, case"):
        scores = read_text(tmp_path, "id,gold,A,B\nq1,Yes,yes,Yes\nq2,No,No,Yes\n")
    np.testing.assert_array_equal(scores.values, [[0, 1], [1, 0]])


def test_labels_of_one_spelling_are_two_labels(tmp_path):
    (tmp_path / "a.csv").write_text("id,gold,A\nq1,Yes,Yes \nq2,No,No\n")
    with pytest.warns(UserWarning, match="labels 'Yes' and 'Yes ' differ only by blanks, case"):
        labels = bt.labels.read(tmp_path / "a.csv")
    confusions = bt.labels.confusions(labels)
    assert confusions["predicted"].values.tolist() == ["Yes", "No", "Yes "]


def test_a_label_that_is_one_number_in_two_spellings_is_refused(tmp_path):
    text = "id,gold,A,B\nq1,1,1.0,1\nq2,0,0.0,1\n"
    with pytest.raises(ValueError, match=r"labels '1' and '1\.0' are one number, written in two"):
        read_text(tmp_path, text, layout="predictions")


OTHERS = {
    "a latency": ("latency_ms", "300,281,420,350"),
    "a length": ("length", "45,12,80,33"),
    "percent": ("C", "100,0,100,100"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_column_of_another_range_is_refused_and_systems_is_the_way_out(
    tmp_path, capsys, monkeypatch, case
):
    name, cells = OTHERS[case]
    rows = zip("1101" * 5, "0110" * 5, cells.split(",") * 5, strict=True)
    text = f"item,A,B,{name}\n" + "".join(f"q{k},{','.join(r)}\n" for k, r in enumerate(rows))
    with pytest.raises(
        ValueError, match=rf"^t\.csv, column '{name}': runs from .* not scores"
    ) as e:
        read_text(tmp_path, text)
    assert str(e.value).endswith(f"pass ignore='{name}' to leave it out, or systems=['A', 'B']")
    scores = read_text(tmp_path, text, systems=["B", "A"])
    assert scores.system.values.tolist() == ["B", "A"]
    assert scores.attrs["reading"].endswith(f"ignored columns '{name}'")
    comparison = bt.compare(tmp_path / "t.csv", systems=["A", "B"])
    assert comparison.data.system_a.values.tolist() == ["A", "B"]
    for command in ("compare", "groups", "measures"):
        for options, code in (([], 2), (["--systems", "A,B"], 0)):
            argv = ["betterthan", command, str(tmp_path / "t.csv"), *options]
            monkeypatch.setattr("sys.argv", argv)
            with pytest.raises(SystemExit) as stop:
                commands.main()
            assert (stop.value.code or 0) == code, capsys.readouterr().err


def test_a_column_that_is_named_is_a_system_whatever_it_holds(tmp_path):
    text = "item,A,B\nq1,1,300\nq2,0,280\nq3,1,300\n"
    with pytest.raises(
        ValueError, match=r"column 'B': runs from 280 to 300, while 'A' runs from 0"
    ):
        read_text(tmp_path, text)
    assert read_text(tmp_path, text, systems=["A", "B"]).shape == (3, 2)


@pytest.mark.parametrize("name", ["Average", "C"])
def test_a_column_that_is_the_mean_of_the_others(tmp_path, name):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, (20, 4))
    frame = pd.DataFrame(values, columns=["A", "B", "D", "E"])
    frame[name] = frame.mean(axis=1).round(2)
    with pytest.raises(ValueError, match=f"column '{name}': is the mean of the other columns"):
        bt.read(frame)
    frame[name] = frame[["A", "B", "D", "E"]].sum(axis=1)
    with pytest.raises(ValueError, match=f"column '{name}': is the sum of the other columns"):
        bt.read(frame)
    assert bt.read(frame, systems=["A", "B", "D", "E"]).shape == (20, 4)


@pytest.mark.parametrize("total", ["sum", "mean"])
def test_a_row_that_sums_up_is_refused(tmp_path, total):
    rows = np.array([[1, 0], [1, 1], [0, 1], [1, 0]])
    last = getattr(rows, total)(0)
    frame = pd.DataFrame(np.vstack([rows, last]), columns=["A", "B"])
    frame.insert(0, "item", ["q1", "q2", "q3", "q4", "Total"])
    with pytest.raises(ValueError, match=f"item 'Total' is the {total} of all other items; leave"):
        bt.read(frame)
    long = frame.melt("item", var_name="system", value_name="score")
    with pytest.raises(ValueError, match=f"item 'Total' is the {total} of all other items; leave"):
        bt.read(long)


@pytest.mark.parametrize("total", ["sum", "mean"])
@pytest.mark.parametrize("first", [True, False])
def test_a_row_that_sums_up_answers_is_refused_whatever_its_name(total, first):
    rows = np.array([[1.0, 0], [1, 1], [0, 1], [1, 0]])
    summary = getattr(rows, total)(0)
    values = np.vstack([summary, rows] if first else [rows, summary])
    frame = pd.DataFrame(values, columns=["A", "B"])
    ids = ["q1", "q2", "q3", "q4"]
    frame.insert(0, "item", ["Accuracy", *ids] if first else [*ids, "Accuracy"])
    with pytest.raises(ValueError, match=f"item 'Accuracy' is the {total} of all other items;"):
        bt.read(frame)
    one = pd.DataFrame([["Share", 0.75, 0.5]], columns=frame.columns)
    two = [one, frame] if first else [frame, one]  # the rows that sum up do not hide each other
    with pytest.raises(ValueError, match=r"item '(Accuracy|Share)' is the"):
        bt.read(pd.concat(two, ignore_index=True))
    frame.iloc[0 if first else -1, 1:] = [0.5, 0.5]
    assert bt.read(frame).shape == (5, 2)  # a graded item


@pytest.mark.parametrize("end", [[2, 4], [0.6, 0.4]], ids=["beyond 1", "weights"])
def test_a_last_row_that_has_no_answer_of_0_or_1_is_warned_of(end):
    rows = np.array([[1.0, 0], [1, 1], [0, 1], [1, 0]] * 2)
    frame = pd.DataFrame(np.vstack([rows, end]), columns=["A", "B"])
    frame.insert(0, "item", [*(f"q{k}" for k in range(8)), "Errors"])
    with pytest.warns(UserWarning, match="item 'Errors' is taken as one item; if it sums"):
        assert bt.read(frame).shape == (9, 2)


def test_rows_that_may_be_systems_are_warned_of():
    frame = pd.DataFrame([[1, 0] * 20, [0, 1] * 20], index=["A", "B"])
    frame.columns = [f"q{k}" for k in range(40)]
    with pytest.warns(UserWarning, match="2 items and 40 systems; if each row is a system, transp"):
        bt.read(frame)


@pytest.mark.parametrize("name", ["latency", "n_tokens", "average", "new_prob", "old score"])
def test_a_column_that_is_only_called_no_system_is_refused_until_it_is_named(name):
    cells = np.linspace(0.4, 0.8, 20)
    frame = pd.DataFrame({"item": range(20), "old": [1, 0] * 10, "new": [1, 1] * 10, name: cells})
    with pytest.raises(ValueError, match=f"column '{name}': by its name no scores") as e:
        bt.read(frame)
    assert str(e.value).endswith("systems=['old', 'new']")
    with pytest.raises(ValueError, match=f"column '{name}': by its name no scores"):
        bt.compare(frame)
    assert bt.read(frame, ignore=name).system.values.tolist() == ["old", "new"]
    assert bt.read(frame, systems=["old", "new"]).system.values.tolist() == ["old", "new"]
    assert bt.read(frame, systems=["old", name]).system.values.tolist() == ["old", name]


def test_probabilities_and_scores_of_systems_without_other_columns_are_scores():
    frame = pd.DataFrame({"old_score": [0.5, 0.25, 1], "new_score": [0.5, 0.75, 0]})
    assert bt.read(frame).sizes == {"item": 3, "system": 2}


@pytest.mark.parametrize(
    "name",
    [
        *("is_hard", "gold_label", "topic", "Difficulty", "true answer", "target", "ties"),
        *("class", "outcome", "solution", "targets", "n_steps", "weight"),
        *("order", "display_position", "page"),
    ],
)
def test_a_column_that_describes_items_is_refused_until_it_is_named(name):
    frame = pd.DataFrame({"item": range(20), "old": [1, 0] * 10, "new": [1, 1] * 10})
    frame[name] = [0, 1] * 10
    with pytest.raises(ValueError, match=f"column '{name}': by its name describes items") as e:
        bt.compare(frame)
    assert f"pass ignore='{name}' to leave it out, or systems=['old', 'new']" in str(e.value)
    assert bt.read(frame, ignore=name).system.values.tolist() == ["old", "new"]
    assert bt.read(frame, systems=["old", name]).system.values.tolist() == ["old", name]


MELTED = {  # columns of a table that was melted whole
    "latency": "system 'latency': by its name no scores of a system; pass systems=['old', 'new']",
    "old_confidence": "system 'old_confidence': by its name no scores of a system",
    "average": "system 'average': by its name no scores of a system",
    "difficulty": "system 'difficulty': by its name describes items; pass systems=['old', 'new']",
    "max score": "system 'max score': no score exceeds it on any item, so it is what scores are",
}


def melted(columns):
    return pd.DataFrame(columns).melt("item", var_name="system", value_name="score")


@pytest.mark.parametrize("name", MELTED)
def test_a_column_that_was_melted_with_the_systems_is_no_system(name):
    both = {"item": range(20), "old": [1, 0] * 10, "new": [1, 1] * 10}
    frame = melted(both | {name: np.linspace(0.5, 1, 20) if name != "max score" else 1.0})
    with pytest.raises(ValueError, match=re.escape(MELTED[name])):
        bt.read(frame)
    assert bt.read(frame, systems=["new", "old"]).system.values.tolist() == ["new", "old"]


def test_systems_of_a_long_table_that_may_be_runs_are_not_compared_unless_named(tmp_path):
    frame = melted({"item": range(4), "old-run1": [1, 0] * 2, "old-run2": [1, 1] * 2})
    path = tmp_path / "runs.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"^runs\.csv: systems 'old-run1', .* may be runs"):
        bt.compare(path)
    names = ["old-run1", "old-run2"]
    assert bt.read(path, systems=names).system.values.tolist() == names


def test_files_and_what_a_mapping_names_are_systems_but_runs():
    frames = {
        name: pd.DataFrame({"item": range(4), "score": [1, 0, k, k]})
        for k, name in enumerate(("target", "class"))
    }
    assert bt.read(frames | {"base": frames["class"]}).system.values.tolist()[0] == "target"
    with pytest.raises(ValueError, match="systems 'old run 1', 'old run 2' may be runs of one"):
        bt.read({"old run 1": frames["target"], "old run 2": frames["class"]})


def test_scores_of_a_long_table_that_are_text_say_what_reads_them():
    frame = melted({"item": range(4), "old": ["yes", "no"] * 2, "new": ["yes", "yes"] * 2})
    with pytest.raises(ValueError, match="text, not scores; pass true='yes' and false='no'"):
        bt.read(frame)
    assert bt.read(frame, true="yes", false="no").sum() == 6
    for text, right in (("80%", "percent=True"), ("0,5", "decimal=','")):
        with pytest.raises(ValueError, match=f"pass {right}"):
            bt.read(frame.assign(score=text))
    with pytest.raises(ValueError, match="value 'good': not a number; give a number, or leave"):
        bt.read(frame.assign(score="good"))


@pytest.mark.parametrize("name", ["human", "isa", "hard-prompt", "goldfish"])
def test_what_a_system_may_be_called_is_a_system(name):
    frame = pd.DataFrame({"item": range(20), "old": [1, 0] * 10, name: [1, 1] * 10})
    assert bt.read(frame).system.values.tolist() == ["old", name]


def test_names_that_all_describe_are_those_of_systems():
    frame = pd.DataFrame({"item": range(4), "gpt label": [1, 0, 1, 0], "no label": [1, 1, 0, 0]})
    assert bt.read(frame).system.values.tolist() == ["gpt label", "no label"]


RUNS = ["run_1", "run_2", "run_3"]


SEEDS = ["gpt_seed2", "gpt_seed1", "pal_seed1", "pal_seed2"]


@pytest.mark.parametrize("columns", [RUNS, SEEDS])
def test_columns_of_runs_are_not_compared_until_it_is_said_what_they_are(columns):
    """They may be runs of a system, or what each team submitted: averaged, the best may lose."""
    frame = pd.DataFrame(np.eye(len(columns)), columns=columns)
    said = f"'{columns[0]}', .* may be runs of one system, .* bt.runs.reliability, or pass sys"
    with pytest.raises(ValueError, match=said):
        bt.compare(frame)
    assert bt.read(frame, systems=columns).system.values.tolist() == columns


def test_checkpoints_of_a_training_are_systems():
    columns = ["bert_epoch1", "bert_epoch2"]
    assert bt.read(pd.DataFrame(np.eye(2), columns=columns)).system.values.tolist() == columns


def test_columns_of_runs_of_several_systems_are_runs_where_runs_are_asked_for():
    values = np.random.default_rng(1).integers(0, 2, (20, 4))
    found = bt.runs.reliability(pd.DataFrame(values, columns=SEEDS).assign(item=range(20)), k=2)
    assert found.data["system"].values.tolist() == ["gpt", "pal"]
    both = [values[:, [0, 1]].all(1).mean(), values[:, [2, 3]].all(1).mean()]
    assert found.data["pass_k"].values.ravel().tolist() == pytest.approx(both)


@pytest.mark.parametrize("last", ["pal_seed1", "pal", "gpt_seed_2"])
def test_columns_that_are_not_the_same_runs_of_each_are_systems(last):
    columns = ["gpt_seed1", "gpt_seed2", last]
    scores = bt.read(pd.DataFrame(np.eye(3), columns=columns))
    assert scores["system"].values.tolist() == columns


def test_columns_of_runs_are_the_runs_of_one_system(tmp_path):
    values = np.random.default_rng(1).integers(0, 2, (20, 3))
    rows = [",".join(map(str, [f"q{k}", *row])) for k, row in enumerate(values)]
    path = tmp_path / "agent.csv"
    path.write_text("\n".join(["item," + ",".join(RUNS), *rows, ""]))
    found = bt.runs.reliability(path, k=3).data
    assert found["system"].values.tolist() == ["agent.csv"]
    assert found["pass_k"].item() == pytest.approx(values.all(1).mean())


def test_several_columns_that_are_called_no_systems_are_refused_together():
    columns = {"A b": [1, 0], "B": [1, 1], "cost": [0, 1], "total": [1, 0]}
    said = r"column 'cost': .* as those of 'total'; pass ignore=\['cost', 'total'\]"
    with pytest.raises(ValueError, match=said) as e:
        bt.read(pd.DataFrame(columns))
    assert str(e.value).endswith("to leave them out, or systems=['A b', 'B']")


def test_an_item_that_is_only_called_a_summary_is_named_in_a_warning():
    frame = pd.DataFrame({"item": ["q1", "q2", "total"], "A": [1, 0, 1], "B": [1, 1, 0]})
    with pytest.warns(UserWarning, match="DataFrame: item 'total' is taken as one item; if it sum"):
        bt.read(frame)


def test_the_reading_names_the_systems(tmp_path):
    scores = read_text(tmp_path, "item,A,B,length\nq1,1,0,3\nq2,1,0,9\n", systems=["A", "B"])
    assert "2 items x 2 systems ('A', 'B')" in scores.attrs["reading"]
    many = pd.DataFrame({f"s{k}": [0, 1] for k in range(12)})
    assert "12 systems ('s0', 's1', " in bt.read(many).attrs["reading"]


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ("A", "systems is 'A'; give a list of names"),
        (["A"], "a comparison needs at least two systems; found only 'A'"),
        (["A", "A"], "system 'A' occurs more than once"),
        (["A", "C"], r"t\.csv: has no column 'C' of a system among 'A', 'B'"),
    ],
)
def test_systems_that_cannot_be_read(tmp_path, systems, said):
    with pytest.raises(ValueError, match=said):
        read_text(tmp_path, "item,A,B\nq1,1,0\nq2,1,1\n", systems=systems)


def test_systems_of_other_layouts(tmp_path):
    long = "system,item,score\nA,q1,1\nB,q1,0\nC,q1,1\n"
    assert read_text(tmp_path, long, systems=["C", "A"]).values.tolist() == [[1, 1]]
    votes = "left,right,winner\nA,B,left\nB,C,left\nA,C,tie\n"
    assert read_text(tmp_path, votes, systems=["C", "B"]).values[0, 1].tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match=r"^t\.csv: has no system 'D' among 'A', 'B', 'C'"):
        read_text(tmp_path, votes, systems=["C", "D"])
    with pytest.raises(ValueError, match="judgments are read whole"):
        read_text(tmp_path, votes, systems=["C", "B"], layout="judgments")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("f,y\n1,2\nx,3\n4,3\n", [], "t.csv, row 3, column 'f', value 'x': not a number"),
        ("f,y\n1,2\n2,x\n4,3\n", [], "t.csv, row 3, column 'y', value 'x': not a number"),
        ("f,y\n1,2\n2,3\n4,3\n", ["--features", "g"], "t.csv: there is no column 'g'; the columns"),
        ("f,y\n1,2\n2,3\n4,3\n", ["--leave-out", "g"], "t.csv: there is no column 'g'"),
    ],
)
def test_an_outcome_names_file_and_row(tmp_path, capsys, monkeypatch, text, options, said):
    path = tmp_path / "t.csv"
    path.write_text(text)
    argv = ["betterthan", "outcome", str(path), "--outcome", "y", *options]
    monkeypatch.setattr("sys.argv", argv)
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {said}")


@pytest.mark.parametrize("name", ["n", "max", "max_score", "attempts", "out_of"])
def test_what_scores_are_out_of_is_no_system(name):
    frame = pd.DataFrame({"item": range(20), name: [4, 7] * 10, "A": [4, 2] * 10, "B": [1, 7] * 10})
    with pytest.raises(ValueError, match=f"column '{name}': no score exceeds it .* and no system"):
        bt.read(frame)
    assert bt.read(frame, systems=[name, "A"]).system.values.tolist() == [name, "A"]
    larger = frame.assign(A=[5, 2] * 10)  # so it is a system
    assert bt.read(larger).sizes["system"] == 3


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_system_without_a_name_is_refused_with_its_place(blank):
    message = f"^(system|system_b|table) 2 of 2 is '{blank.strip()}', blank; give it a name"
    frame = pd.DataFrame({"item": ["p", "q"], "A": [1, 0], "B": [0, 0]})
    array = bt.read(frame).assign_coords(system=["A", blank])
    counts = bt.counts.from_table({("A", "B"): (3, 1, 2)})
    by_pair = bt.counts.to_pairs(counts).assign_coords(system_b=("pair", [blank]))
    calls = [
        lambda: bt.compare({"A": [1, 0], blank: [0, 0]}),
        lambda: bt.compare({"A": frame[["item", "A"]], blank: frame[["item", "B"]]}),
        lambda: bt.compare(np.eye(2), systems=["A", blank]),
        lambda: bt.read(frame, systems={"B": blank}),
        lambda: bt.compare(array),
        lambda: bt.counts.from_table({("A", blank): (3, 1, 2)}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message.replace("''", "' *'")):
            call()
    with pytest.raises(ValueError, match=r"system_b 1 of 1 is ' *', blank; give it a name"):
        bt.prob_better(by_pair)


@pytest.mark.parametrize("other", ["1.0", "01", "+1"])
def test_items_that_are_one_number_in_two_spellings_are_said(tmp_path, other):
    files = {"A": "1,1\n2,0\n3,1", "B": f"{other},1\n2,1\n03,0"}
    paths = [tmp_path / f"{name}.csv" for name in files]
    for path, rows in zip(paths, files.values(), strict=True):
        path.write_text(f"item,score\n{rows}\n")
    message = rf"items '1' and '{re.escape(other)}' \(and 1 more such pair\) are one number in two"
    with pytest.warns(UserWarning, match=message):
        assert bt.read(paths).sizes["item"] == 5
    for path in paths:  # with the same words before each number
        path.write_text(re.sub("^([0-9+])", r"task q\1", path.read_text(), flags=re.MULTILINE))
    with pytest.warns(UserWarning, match=rf"items 'task q1' and 'task q{re.escape(other)}' .and"):
        assert bt.read(paths).sizes["item"] == 5
    both = pd.DataFrame({"item": ["1", other, "2"], "A": [1, 0, 1], "B": [None, 1, 0]})
    assert bt.read(both).sizes["item"] == 3  # A has both


@pytest.mark.parametrize("form", ["{subject}-{number}", "q{number}.json", "2024-{number}-3"])
def test_numbers_within_ids_are_said_to_have_two_spellings(tmp_path, form):
    def ids(width):
        subjects = ["bio", "math"] * 20
        return [form.format(subject=s, number=f"{k:0{width}}") for k, s in enumerate(subjects)]

    for name, width in (("A", 1), ("B", 2)):
        pd.DataFrame({"item": ids(width), "score": [1, 0] * 20}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    with pytest.warns(UserWarning, match=r"\(and 9 more such pairs\) are one number in two"):
        bt.read([tmp_path / "A.csv", tmp_path / "B.csv"])


def test_ids_that_are_hashes_are_no_numbers_in_two_spellings(tmp_path):
    path = tmp_path / "hashes.csv"
    rows = ["5e1234567,1,", "7e9999999,,0", "1e999,1,", "1e99999999999999999999,,1", "q,1,0"]
    path.write_text("\n".join(["item,A,B", *rows]) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert bt.read(path).sizes["item"] == 5


def test_a_baseline_may_be_a_column_that_is_a_number():
    frame = pd.DataFrame({7: [1, 0, 1, 1], 13: [0, 1, 1, 0]})
    assert bt.compare(frame, baseline=7).provenance.baseline == "7"


def test_counts_that_happen_to_be_sums_are_items_and_subtotals_of_groups_are_none():
    counts = np.zeros((12, 2))
    counts[[1, 2, 10], [0, 0, 1]], counts[3, 0] = 1, 2
    frame = pd.DataFrame(counts, [f"q{k}" for k in range(12)], ["A", "B"]).rename_axis("item")
    assert bt.read(frame).shape == (12, 2)
    counts[[7, 8], 1], counts[6, 1] = 1, 3
    with pytest.raises(ValueError, match="'q3' is the sum of the 3 items next to it"):
        bt.read(frame.assign(A=counts[:, 0], B=counts[:, 1]))


@pytest.mark.parametrize("name", ["trial", "Attempt", "run", "seed"])
def test_a_column_that_numbers_runs_is_no_system(name):
    frame = pd.DataFrame(
        {"task": [*"aabb"], name: [1, 2] * 2, "A": [1, 0, 1, 1], "B": [1, 0, 0, 0]}
    )
    match = rf"by its name numbers repeated runs; pass run='{name}', and item= with the column of"
    with pytest.raises(ValueError, match=match):
        bt.read(frame.drop(columns="task"))
    assert bt.read(frame, item="task", run=name)["epoch"].values.tolist() == [1, 2, 1, 2]


def test_answers_of_another_system_group_no_items():
    answers = [*"abcd"] * 6
    frame = pd.DataFrame({"item": range(24), "label": answers, "A": answers, "B": answers[::-1]})
    frame["C"] = [*answers[1:], "a"]
    reading = bt.read(frame.assign(topic=[*"xyz"] * 8), systems=["A", "B"]).attrs["reading"]
    assert "ignored columns 'C', 'topic'; column 'topic' groups 24 items into 3" in reading


def test_a_system_that_is_named_may_have_other_numbers_in_each_row():
    order = [7 * k % 31 for k in range(20)]
    frame = pd.DataFrame({"A": order, "B": [0, 1] * 10})
    with pytest.raises(ValueError, match="counts the rows"):
        bt.read(frame)
    with pytest.warns(UserWarning, match="not on one scale"):
        scores = bt.read(frame, systems=["A", "B"])
    assert scores.sel(system="A").values.tolist() == order


@pytest.mark.parametrize("form", ["files", "frames", "long"])
def test_systems_called_by_errors_are_asked_for_their_direction(tmp_path, form):
    """As columns of a wide table are."""
    a = np.linspace(0, 0.3, 20)
    tables = {
        name: pd.DataFrame({"item": range(20), "score": scores})
        for name, scores in {"wer_a": a, "wer_b": a + 0.1}.items()
    }
    data = tables
    if form == "long":
        data = pd.concat([table.assign(system=name) for name, table in tables.items()])
    elif form == "files":
        data = [tmp_path / f"{name}.csv" for name in tables]
        for path, table in zip(data, tables.values(), strict=True):
            table.to_csv(path, index=False)
    with pytest.raises(
        ValueError, match=r"by its name \(wer\), less is better in 'wer_a', 'wer_b'"
    ):
        bt.compare(data)
    assert bt.compare(data, higher_is_better=False).pairs["verdict"].tolist() == ["better"]


def test_systems_called_by_errors_of_a_column_of_accuracies_are_not(tmp_path):
    table = pd.DataFrame(
        {"item": [1, 1, 2, 2], "system": ["wer_a", "wer_b"] * 2, "accuracy": [0.5, 0.2, 0.4, 0.3]}
    )
    assert bt.read(table, score="accuracy").attrs["higher_is_better"]


def test_names_that_look_like_the_requested_one_are_told_from_it():
    scores = [1, 0, 1, 1, 0] * 4
    frame = pd.DataFrame({"item": range(20), "cafe\u0301": scores, "b": scores[::-1]})
    alike = r"\('caf\\xe9' and 'cafe\\u0301' differ only by blanks, case or unicode form\)"
    for choice in ({"baseline": "caf\u00e9"}, {"systems": ["caf\u00e9", "b"]}):
        with pytest.raises(ValueError, match=alike):
            bt.compare(frame, **choice)
    a, b = (pd.Series(scores, index=index) for index in (range(20), map(str, range(20))))
    with pytest.raises(ValueError, match="system 'B' has no item '0' of type int, and one of"):
        bt.compare({"A": a, "B": b})


NEXT_TO_SYSTEMS = [
    *("A_lo", "A_hi", "A_std", "A_rank", "A steps", "A (sec)", "A_correct", "diff", "delta"),
    *("improvement", "A-B diff", "agree", "same", "winner", "rank", "annotator"),
]


@pytest.mark.parametrize("name", NEXT_TO_SYSTEMS)
def test_a_column_about_systems_is_no_system(name):
    both = {"item": range(20), "A": np.linspace(0, 0.8, 20), "B": np.linspace(0.1, 1, 20)}
    frame = pd.DataFrame(both | {name: [2, 3] * 10})
    with pytest.raises(ValueError, match=rf"column '{re.escape(name)}': by its name .* ignore="):
        bt.read(frame)
    assert bt.read(frame, ignore=name).system.values.tolist() == ["A", "B"]


@pytest.mark.parametrize(
    "name", ["o3-high", "bert-mean", "delta-rule", "sameAsB", "B2", "o3-sd", "bert (lo)", "diff"]
)
def test_a_system_may_be_called_after_another(name):
    frame = pd.DataFrame({"item": range(20), "o3": [1, 0] * 10, "bert": [1, 1] * 10, name: 1})
    assert bt.read(frame).system.values.tolist() == ["o3", "bert", name]
    letters = frame.rename(columns={"o3": "alpha", "bert": "beta", name: "delta"})
    assert bt.read(letters).system.values.tolist() == ["alpha", "beta", "delta"]
    assert bt.read(letters / 2).system.values.tolist() == ["alpha", "beta", "delta"]


def test_the_sum_of_two_columns_names_the_one_that_is_negative():
    a, b = np.linspace(0, 0.9, 20), np.linspace(0.9, 0, 20) ** 2
    frame = pd.DataFrame({"item": range(20), "A": a, "B": b, "other": a - b})
    with pytest.raises(ValueError, match="column 'other': is the difference of the other columns"):
        bt.read(frame)
    with pytest.raises(ValueError, match=r"column 'diff': by its name .* systems=\['A', 'B'\]"):
        bt.read(frame.rename(columns={"other": "diff"}))


def test_what_says_whether_predictions_are_right_is_no_prediction():
    labels = np.random.default_rng(1).choice(["yes", "no"], (20, 5))
    columns = ["gold", "A", "A_correct", "B", "B_correct"]
    frame = pd.DataFrame(labels, columns=columns).assign(item=range(20))
    with pytest.raises(ValueError, match=r"column 'A_correct': by its name no scores .* 'B_c"):
        bt.read(frame)
    assert bt.read(frame, systems=["A", "B"]).system.values.tolist() == ["A", "B"]


@pytest.mark.parametrize("square", [["A", "B", "C"], ["B", "C", "A"]])
def test_a_table_of_systems_against_systems_has_no_items(square):
    wins = pd.DataFrame(np.full((3, 3), 0.5), columns=["A", "B", "C"]).assign(item=square)
    with pytest.raises(ValueError, match=r"rows and columns have the same names, .* system_a"):
        bt.read(wins)
    assert bt.read(wins, systems=["A", "B"]).sizes["item"] == 3


def test_statistics_are_no_items():
    scores = pd.DataFrame(np.random.default_rng(1).random((30, 2)), columns=["A", "B"])
    with pytest.raises(ValueError, match="'count', 'mean', 'std' are statistics"):
        bt.read(scores.describe().reset_index())
    answers = scores.round().assign(item=[f"q{k}" for k in range(30)]).set_index("item")
    feet = [answers.sum(), answers.count(), answers.mean()]
    table = pd.concat([answers, pd.DataFrame(feet, index=["Correct", "Out of", "Accuracy"])])
    with pytest.raises(ValueError, match="item 'Correct' is the sum of all other items"):
        bt.read(table)


SEVERAL_RUNS = ["A (seed 1)", "A (seed 2)", "B (seed 1)", "B (seed 2)"]


@pytest.mark.parametrize(
    "columns", [SEVERAL_RUNS, ["seed1_A", "seed2_A", "seed1_B", "seed2_B"], ["run 1 A", "run 2 A"]]
)
def test_runs_are_called_so_in_several_ways(columns):
    frame = pd.DataFrame(np.eye(len(columns)), columns=columns)
    with pytest.raises(ValueError, match="may be runs of one system"):
        bt.compare(frame)


def test_the_mean_of_runs_is_no_system():
    frame = pd.DataFrame(np.eye(4), columns=SEVERAL_RUNS).assign(**{"A mean": 0.5})
    with pytest.raises(ValueError, match="column 'A mean': by its name no scores of a system"):
        bt.read(frame)


def test_a_table_about_the_items_is_no_system_next_to_a_table_for_each(tmp_path):
    names = {"A": "score", "B": "score", "items": "difficulty"}
    for name, column in names.items():
        frame = pd.DataFrame({"item": range(12), column: np.linspace(0, 1, 12)})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(
        ValueError, match=r"^items\.csv, column 'difficulty': by its name describes"
    ):
        bt.read(tmp_path)


def test_averages_of_data_sets_are_no_data_set(tmp_path):
    for name in ("en", "de"):
        frame = pd.DataFrame(np.eye(4), columns=list("ABCD")).assign(item=range(4))
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    frame.head(2).assign(item=["en", "de"]).to_csv(tmp_path / "summary.csv", index=False)
    with pytest.raises(ValueError, match=r"^summary\.csv: has the other tables as items"):
        bt.read(tmp_path)


@pytest.mark.parametrize(
    "other", ["bag_of_words", "n_gram", "low_cost", "max_confidence", "with labels", "o3-hi"]
)
def test_a_name_of_several_words_is_that_of_a_system_in_a_long_table(other):
    frame = melted({"item": range(12), "o3": np.linspace(0, 1, 12), other: np.linspace(1, 0, 12)})
    assert bt.read(frame).system.values.tolist() == ["o3", other]


@pytest.mark.parametrize("names", [["bm25_run1", "dense_run1"], ["llama seed 42", "gpt seed 42"]])
def test_one_run_of_each_of_several_systems_is_a_system(names):
    frame = melted({"item": range(12), names[0]: [1, 0] * 6, names[1]: 1})
    assert bt.read(frame).system.values.tolist() == names
    wide = frame.pivot(index="item", columns="system", values="score")
    assert {*bt.compare(wide).data.system_a.values.tolist()} == {*names}


@pytest.mark.parametrize("column", ["correct", "match", "total", "average"])
def test_scores_of_a_system_may_be_called_otherwise_than_those_of_another(column):
    items = {"item": range(12)}
    frames = {"A": pd.DataFrame(items | {"score": [1, 0] * 6})}
    frames["B"] = pd.DataFrame(items | {column: [1, 1] * 6})
    assert bt.read(frames).system.values.tolist() == ["A", "B"]


RESULTS = {"score": "valid", "correct": "parsed", "accuracy": "category_number", "em": "ok"}


@pytest.mark.parametrize("column", RESULTS)
def test_results_of_one_system_are_not_compared_with_another_column(tmp_path, column):
    for name in ("gpt", "pal"):
        frame = pd.DataFrame({"item": range(12), column: [1, 0] * 6, RESULTS[column]: 1})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(ValueError, match=rf"column '{column}': by its name .* score="):
        bt.read(tmp_path)
    assert bt.read(tmp_path, score=column).system.values.tolist() == ["gpt", "pal"]


def test_counts_of_one_system_are_no_systems():
    frame = pd.DataFrame({"item": range(5), "TP": 3, "FP": [0, 1, 0, 1, 0], "FN": 1})
    with pytest.raises(ValueError, match="tp, fp and fn are counts of one system; give one table"):
        bt.read(frame)


def test_all_names_with_all_fields_of_nested_records_are_no_systems():
    records = [{"gpt": {"ok": 1, "format": k % 2}, "pal": {"ok": 0, "format": 1}} for k in range(9)]
    frame = pd.json_normalize(records)
    with pytest.raises(ValueError, match=r"systems=\['gpt.format', 'pal.format'\]"):
        bt.read(frame)
    assert bt.read(frame, systems=["gpt.ok", "pal.ok"]).mean("item").values.tolist() == [1, 0]
    versions = ["llama-3.1-8b", "llama-3.2-8b", "qwen-3.1-8b", "qwen-3.2-8b"]
    assert bt.read(frame.set_axis(versions, axis=1)).system.values.tolist() == versions


def test_numbered_data_sets_may_have_numbered_items():
    tables = {str(k): pd.DataFrame({"item": range(3), "A": 1, "B": [0, 1, 0]}) for k in range(3)}
    assert bt.read(tables).sizes["item"] == 9


def test_what_is_no_system_in_a_frame_is_none_in_memory():
    cases = {
        "by its name holds the ids": ["id", "A", "B"],
        "are measures and no systems": ["passed", "seconds"],
        "may be runs of one system": ["A_seed0", "A_seed1", "B_seed0", "B_seed1"],
    }
    for reason, names in cases.items():
        values = np.random.default_rng(1).integers(0, 2, (12, len(names)))
        with pytest.raises(ValueError, match=reason):
            bt.compare(dict(zip(names, values.T.tolist(), strict=True)))


def two_close_systems(n=60):
    random = np.random.default_rng(19)
    base = random.beta(3, 5, n)
    scores = {k: (base + random.normal(0, 0.05, n)).clip(0, 1).round(2) for k in "AB"}
    return pd.DataFrame({"item": [f"d{k}" for k in range(n)]} | scores)


SPREADS = {
    "sd": lambda two: two.std(axis=1),
    "se": lambda two: two.sem(axis=1),
    "var": lambda two: two.var(axis=1, ddof=0),
    "range": lambda two: np.ptp(two, axis=1),
    "Z": lambda two: two.std(axis=1, ddof=0),
    "σ": lambda two: two.std(axis=1),
}


@pytest.mark.parametrize("column", SPREADS)
@pytest.mark.parametrize("higher", [True, False])
def test_how_far_systems_lie_apart_on_an_item_is_no_system(column, higher):
    """With higher_is_better=False this column would be the best system."""
    frame = two_close_systems()
    frame[column] = SPREADS[column](frame[["A", "B"]]).round(3)
    with pytest.raises(ValueError, match=f"column '{column}': is the .* of the other columns"):
        bt.compare(frame, higher_is_better=higher)
    assert bt.read(frame, ignore=column).system.values.tolist() == ["A", "B"]


@pytest.mark.parametrize(
    "columns",
    [["stddev"], ["stdev"], ["Std. Dev."], ["A ±"], ["sd_A", "sd_B"], ["rank_A", "rank_B"]],
)
def test_spreads_and_ranks_are_no_systems_by_their_names(columns):
    frame = two_close_systems()
    frame[columns] = np.random.default_rng(1).integers(1, 4, (len(frame), len(columns)))
    with pytest.raises(ValueError, match=f"'{columns[0]}': by its name no scores of a system"):
        bt.read(frame)


@pytest.mark.parametrize("higher", [True, False])
def test_the_spread_of_one_system_is_no_system(higher):
    frame = two_close_systems()
    frame["sd_A"] = frame["A"] * np.random.default_rng(1).uniform(0.05, 0.4, len(frame))
    with pytest.raises(ValueError, match="'sd_A': by its name and numbers a spread, and no system"):
        bt.compare(frame, higher_is_better=higher)
    frame = frame.rename(columns={"A": "ResNet", "sd_A": "SE_ResNet"})
    similar = frame.assign(SE_ResNet=frame["ResNet"] * 0.8)
    assert bt.read(similar).system.values.tolist() == ["ResNet", "B", "SE_ResNet"]


@pytest.mark.parametrize("scale", [1, 100])
def test_the_spread_of_runs_of_one_system_is_no_system(scale):
    rng = np.random.default_rng(2)
    runs = rng.random((60, 2, 5)) < rng.beta(1, 1, (60, 1, 1))
    frame = pd.DataFrame(scale * runs.mean(axis=2), columns=["A", "B"])
    frame["sd_A"] = (scale * runs[:, 0].std(axis=1, ddof=1)).round(2)
    with pytest.raises(ValueError, match="'sd_A': by its name and numbers a spread, and no system"):
        bt.read(frame)
    graded = pd.DataFrame(scale * rng.beta(1, 1, (60, 2)), columns=["A", "B"])
    graded["sd_A"] = scale * np.minimum(graded["A"] / scale * 0.3, 0.1)
    graded.loc[:2, ["A", "sd_A"]] = [0.0, 0.02 * scale]  # some means are smaller than their spread
    with pytest.raises(ValueError, match="'sd_A': by its name and numbers a spread, and no system"):
        bt.read(graded)


def test_a_system_of_shares_next_to_another_is_one():
    rng = np.random.default_rng(3)
    runs = (rng.random((60, 2, 5)) < rng.beta(1, 1, (60, 1, 1))).mean(axis=2)
    frame = pd.DataFrame(runs, columns=["ResNet", "SE_ResNet"]).assign(B=runs[::-1, 0])
    assert bt.read(frame).system.values.tolist() == ["ResNet", "SE_ResNet", "B"]


SIMILAR = [
    *(["ResNet", "SE_ResNet"], ["gpt", "rank_gpt", "bm25"], ["body", "upper_body", "lower_body"]),
    *(["transformer", "std_transformer"], ["llama", "ci_llama", "var_llama"], ["α", "β", "σ"]),
]


@pytest.mark.parametrize("systems", SIMILAR, ids="-".join)
def test_systems_may_be_called_as_another_with_a_prefix(systems):
    scores = np.random.default_rng(2).uniform(0.6, 0.9, (40, len(systems))).round(3)
    assert bt.read(pd.DataFrame(scores, columns=systems)).system.values.tolist() == systems
