"""Columns beside gold that are no predictions: which are refused, and which are systems."""

import re
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli import commands

GOLD = ["pos", "neg", "pos", "neu", "neg", "pos"] * 20
M1 = ["pos", "neg", "pos", "pos", "neg", "neu"] * 20
M2 = ["pos", "neg", "neg", "neu", "pos", "pos"] * 20
OTHERS = {
    "text": [f"this film is number {k}" for k in range(120)],
    "difficulty": ["easy", "hard"] * 60,
    "split": ["test"] * 120,
    "seconds": [f"{k / 7:.3f}s" for k in range(120)],
    "notes": ["unclear"] + [""] * 119,
    "nothing": [""] * 120,
}
WAY_OUT = "or systems=['m1', 'm2']"


def table(**columns) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(GOLD)), "gold": GOLD} | columns)


@pytest.mark.parametrize("name", OTHERS)
def test_a_column_that_shares_no_label_with_gold_is_refused(name):
    frame = table(**{name: OTHERS[name]}, m1=M1, m2=M2)
    for read in (bt.read, bt.labels.read, bt.compare):
        with pytest.raises(ValueError, match=rf"^DataFrame, column '{name}': holds ") as e:
            read(frame)
        assert str(e.value).endswith(f"pass ignore='{name}' to leave it out, {WAY_OUT}")
        assert "\n" not in str(e.value)
    for read in (bt.read, bt.labels.read):
        for how in ({"ignore": name}, {"systems": ["m1", "m2"]}):
            assert read(frame, **how).system.values.tolist() == ["m1", "m2"]
        blank = name == "nothing"
        with nullcontext() if blank else pytest.warns(UserWarning, match="so nearly all are wrong"):
            assert read(frame, systems=["m1", name]).system.values.tolist() == ["m1", name]


def test_the_message_has_values_and_labels():
    with pytest.raises(ValueError, match="column 'difficulty'") as e:
        bt.read(table(difficulty=OTHERS["difficulty"], m1=M1, m2=M2))
    assert str(e.value).startswith(
        "DataFrame, column 'difficulty': holds 'easy', 'hard'; no value is a label of column "
        "'gold' ('neg', 'neu', 'pos'); write labels as gold does, pass ignore='difficulty' to"
    )


def test_several_such_columns_are_refused_together():
    frame = table(text=OTHERS["text"], m1=M1, difficulty=OTHERS["difficulty"], m2=M2)
    said = r"column 'text': .*, as in 'difficulty'; .* pass ignore=\['text', 'difficulty'\]"
    with pytest.raises(ValueError, match=said):
        bt.read(frame)


def test_a_text_that_happens_to_be_a_label_once_is_refused():
    n = 200
    gold = ["yes", "no"] * (n // 2)
    text = ["no", *(f"a review of length {k}" for k in range(n - 1))]
    frame = pd.DataFrame({"gold": gold, "text": text, "m1": gold, "m2": ["no"] * n})
    with pytest.raises(
        ValueError, match=r"column 'text': .*; 1 of 200 values are labels of column"
    ):
        bt.read(frame)


WEAK = {
    "one label alone": ["pos"] * 120,
    "wrong on all": ["neg", "pos", "neu", "neg", "pos", "neg"] * 20,
    "another class on most": (["other"] * 4 + ["pos"]) * 24,
    "prose on most": [f"I think it is {k}" for k in range(110)] + ["pos"] * 10,
    "blank on most": ["", "", "", "", "", "neg"] * 20,
}


@pytest.mark.parametrize("case", WEAK)
def test_a_weak_system_is_a_system(case):
    scores = bt.read(table(m1=M1, weak=WEAK[case]))
    assert scores.system.values.tolist() == ["m1", "weak"]
    right = [float(a == b) if a else np.nan for a, b in zip(WEAK[case], GOLD, strict=True)]
    np.testing.assert_array_equal(scores.sel(system="weak"), right)


def test_a_class_that_gold_lacks_and_another_system_uses_is_a_label():
    safe = pd.DataFrame({"gold": ["no"] * 10, "m1": ["no"] * 8 + ["yes"] * 2, "m2": ["yes"] * 10})
    assert bt.read(safe).sum("item").values.tolist() == [8, 0]


def test_a_column_of_which_most_is_no_label_is_named_in_the_reading():
    said = bt.read(table(m1=M1, weak=WEAK["prose on most"])).attrs["reading"]
    assert "92% of column 'weak' no label of gold ('I think it is 0', 'I think it is 1'" in said
    assert "no label of gold" not in bt.read(table(m1=M1, m2=M2)).attrs["reading"]


def test_answers_of_each_item_alone_are_compared():
    gold = [f"city {k}" for k in range(40)]
    answers = {
        "m1": [f"city {k}" if k % 2 else f"the city of {k}" for k in range(40)],
        "m2": [f"city {k}" if k == 7 else f"it is {k}" for k in range(40)],
    }
    scores = bt.read(pd.DataFrame({"id": range(40), "gold": gold} | answers))
    assert scores.sum("item").values.tolist() == [20, 1]
    assert "no label of gold" not in scores.attrs["reading"]
    frame = pd.DataFrame(
        {"question": [f"where is {k}?" for k in range(40)], "gold": gold} | answers
    )
    with pytest.raises(ValueError, match="column 'question': holds 'where is 0"):
        bt.read(frame)


def test_labels_that_differ_by_case_alone_are_refused():
    frame = table(m1=M1, m2=[label.title() for label in M2])
    with pytest.raises(
        ValueError, match=r"column 'm2': holds 'Pos', 'Neg', 'Neu'; .*only by blank"
    ):
        bt.read(frame)


def test_numbers_that_never_equal_gold_are_sent_to_errors_as_scores():
    gold = np.arange(20) / 7
    frame = pd.DataFrame({"id": range(20), "gold": gold, "m1": gold + 0.01, "m2": gold - 0.1})
    for more in ({}, {"text": [f"text {k}" for k in range(20)]}):
        with pytest.raises(ValueError, match=r"column 'm1': .* size of each error as a score"):
            bt.read(frame.assign(**more), layout="predictions")


def test_confidences_beside_digits_are_refused():
    digits = [1, 2, 3, 4] * 5
    sure = np.linspace(0.1, 0.9, 20)
    frame = pd.DataFrame({"gold": digits, "m1": digits, "m1_score": sure, "m2": [1] * 20})
    with pytest.raises(ValueError, match=r"column 'm1_score': .*systems=\['m1', 'm2'\]"):
        bt.read(frame, layout="predictions")


def test_numbers_that_are_named_are_predictions():
    frame = table(m1=M1, m2=M2, sure=np.linspace(0.1, 0.9, 120))
    with pytest.raises(ValueError, match=rf"column 'sure': numbers, while .*{re.escape(WAY_OUT)}$"):
        bt.read(frame)
    with pytest.warns(UserWarning, match="column 'sure': .* so nearly all are wrong"):
        scores = bt.read(frame, systems=["m1", "sure"])
    assert scores.sum("item").values.tolist() == [80, 0]


def test_a_mapping_renames_and_names_no_systems():
    renamed = bt.labels.read(table(m1=M1, m2=M2), systems={"m1": "new"})
    assert renamed.system.values.tolist() == ["new", "m2"]
    with pytest.raises(ValueError, match="column 'text'"):
        bt.labels.read(table(m1=M1, text=OTHERS["text"]), systems={"m1": "new"})


@pytest.mark.parametrize("command", ["compare", "groups", "measures"])
def test_the_command_line_takes_what_the_message_says(tmp_path, capsys, monkeypatch, command):
    path = tmp_path / "r.csv"
    table(text=OTHERS["text"], m1=M1, m2=M2).to_csv(path, index=False)
    options = [([], 2), (["--systems", "m1,m2"], 0)]
    options += [] if command == "groups" else [(["--ignore", "text"], 0)]
    for given, code in options:
        monkeypatch.setattr("sys.argv", ["betterthan", command, str(path), *given])
        with pytest.raises(SystemExit) as stop:
            commands.main()
        said = capsys.readouterr()
        assert (stop.value.code or 0) == code, said.err
        if code:
            assert said.err.startswith("error: r.csv, column 'text': holds 'this film is number 0'")
            assert said.out == ""


def test_labels_as_a_layout_take_systems_and_ignore():
    frame = table(text=OTHERS["text"], m1=M1, m2=M2)
    assert bt.read(frame, layout="labels", ignore="text").sizes["system"] == 2
    assert bt.read(frame, layout="labels", systems=["m2"]).sizes["system"] == 1
    with pytest.raises(ValueError, match="sep=';' does not apply: the source is labels"):
        bt.read(frame, layout="labels", sep=";")
    with pytest.raises(ValueError, match=r"ignore=.* does not apply: the source is trials"):
        bt.read(frame, layout="trials", ignore="x")


@pytest.mark.parametrize("column", ["label", "prediction"])
def test_how_sure_labels_of_a_long_table_are_is_no_score(column):
    random = np.random.default_rng(1)
    gold = random.choice(["yes", "no"], 40)
    rows = {"item": [*range(20)] * 2, "system": ["A"] * 20 + ["B"] * 20, "gold": gold}
    frame = pd.DataFrame(rows | {column: random.choice(["yes", "no"], 40)})
    frame["score"] = random.random(40)
    with pytest.raises(ValueError, match=rf"column 'score': scores may be how sure .* '{column}'"):
        bt.read(frame)
    assert bt.read(frame, ignore=column).sizes == {"item": 20, "system": 2}
    right = frame.assign(score=(frame["gold"] == frame[column]).astype(int))
    assert bt.read(right).sizes == {"item": 20, "system": 2}
    answers = frame.assign(**{column: [f"answer {k}" for k in range(40)]})
    assert bt.read(answers).sizes == {"item": 20, "system": 2}


def test_blanks_do_not_make_a_column_of_notes_predictions():
    gold = ["yes", "no"] * 20
    notes = ["", "", *(f"see {k}" for k in range(38))]
    frame = pd.DataFrame({"gold": gold, "A": ["", *gold[1:]], "B": gold, "remark": notes})
    with pytest.raises(ValueError, match=r"column 'remark': holds .* no value is a label"):
        bt.read(frame)


def test_blank_predictions_are_not_told_as_labels_that_gold_lacks():
    gold = ["yes", "no"] * 20
    frame = pd.DataFrame({"gold": gold, "A": gold, "B": [*gold[:10], *[""] * 30]})
    assert "no label of gold" not in bt.read(frame).attrs["reading"]
