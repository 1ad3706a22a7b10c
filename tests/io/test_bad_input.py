"""Bad input: one clear line each, with the file, row, column and value where they apply."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

WIDE = "item,A,B\n"
LONG = "system,item,score\n"
COUNTS = "system_a,system_b,wins,losses,ties\n"
VOTES = "model_a,model_b,winner\n"
NO_HEADER = ": seems to have no header line; add one with the names of the columns"

# Name of the file, its content, and what the message must hold besides the name.
CASES = {
    "empty": ("r.csv", "", ["is empty"]),
    "empty after packing": ("r.csv.gz", gzip.compress(b""), ["is empty"]),
    "only line breaks": ("r.csv", "\n\n", ["is empty"]),
    "empty list": ("r.json", "[]", ["is empty"]),
    "header only": ("r.csv", WIDE, ["no rows"]),
    "one system": ("r.csv", "item,A\nq1,1\n", ["only one system, 'A'", "at least two"]),
    "no system": ("r.csv", "item\nq1\n", ["no system"]),
    "one system, long": ("r.csv", LONG + "A,q1,1\n", ["only one system, 'A'"]),
    "one system, predictions": ("r.csv", "id,gold,A\n1,x,y\n", ["only one system, 'A'"]),
    "duplicate item": (
        "r.csv",
        WIDE + "q1,1,0\nq2,1,0\nq1,0,0\n",
        ["row 4", "'item'", "'q1'", "row 2"],
    ),
    "duplicate item in an epoch": (
        "r.csv",
        "item,epoch,A,B\nq1,0,1,0\nq1,1,1,0\nq1,1,1,0\n",
        ["row 4", "'q1'", "epoch 1", "row 3"],
    ),
    "confidences beside predictions": (
        "r.csv",
        "id,gold,A,A_score,B,B_score\nq1,x,y,0.9,x,0.5\nq2,y,y,0.8,x,0.5\n",
        ["'A_score'", "as in 'B_score'", "labels in column 'gold' are text", "ignore="],
    ),
    "scores by another name": (
        "r.csv",
        "system,doc,mqm\nA,q1,1\nB,q1,2\n",
        ["no score (long)", "pass score='mqm' if that holds the scores"],
    ),
    "scores of several other names": (
        "r.csv",
        "system,doc,mqm,length\nA,q1,1,3\nB,q1,2,4\n",
        ["no score (long)", "pass score= with the column of scores"],
    ),
    "winners and losers": (
        "r.csv",
        "winner,loser\nA,B\nB,A\n",
        [
            "column 'winner' of votes",
            "among 'winner', 'loser'",
            "name them 'model_a' and 'model_b'",
        ],
    ),
    "winners without what they won against": (
        "r.csv",
        "item,winner\nq1,A\nq2,B\n",
        ["column 'winner' of votes", "among 'item', 'winner'", "name them 'model_a' and 'model_b'"],
    ),
    "an item twice": (
        "r.csv",
        LONG + "A,q1,1\nA,q1,0\nB,q1,1\n",
        ["row 3", "already in row 2", "pass item="],
    ),
    "no header": ("r.csv", "q000,1,0\nq001,0,1\n", [NO_HEADER]),
    "no header, both right": ("r.csv", "q000,1,1\nq001,0,1\n", [NO_HEADER]),
    "no header, the first item again": ("r.csv", "q0,1,0\nq0,1,0\nq1,1,0\n", [NO_HEADER]),
    "no header, numbered": ("r.csv", "0,1,0\n1,1,0\n2,0,0\n3,0,1\n", [NO_HEADER]),
    "no header, scores alone": ("r.csv", "0,0\n1,0\n", [NO_HEADER]),
    "no header, graded": ("r.tsv", "q-1\t0.31\t.5\nq-2\t0.4\t1e-3\n", [NO_HEADER]),
    "no header, long": ("r.csv", "A,q0,1\nA,q1,0\nB,q0,0\nB,q1,1\n", [NO_HEADER]),
    "no header, words": ("r.csv", "q0,yes,no\nq1,no,no\nq2,yes,yes\n", [NO_HEADER]),
    "duplicate system": ("r.csv", "item,A, A\nq1,1,0\n", ["'A'", "twice", "columns 2 and 3"]),
    "duplicate key": ("r.jsonl", '{"item": 1, "A": 1, "A": 0}\n', ["row 1", "'A'", "twice"]),
    "nameless column": ("r.csv", "item,A,\nq1,1,0\n", ["column 3 of 3 has no name"]),
    "blank item": ("r.csv", WIDE + "q1,1,0\n,1,0\n", ["row 3", "'item'", "''", "blank"]),
    "blank cluster": ("r.csv", "item,cluster,A,B\nq1,,1,0\n", ["row 2", "'cluster'", "blank"]),
    "two item columns": (
        "r.csv",
        "item,id,A,B\nq1,1,1,0\n",
        ["'item', 'id'", "pass item= for the right one"],
    ),
    "text for a number": (
        "r.csv",
        WIDE + "q1,1,0\nq2,1,good\n",
        ["row 3", "'B'", "'good'", "not a number"],
    ),
    "percentage": ("r.csv", WIDE + "q1,1,0\nq2,1,85%\n", ["row 3", "'B'", "'85%'", "not a number"]),
    "decimal comma": ("r.tsv", "item\tA\tB\nq1\t1\t0\nq2\t1\t0,5\n", ["row 3", "'B'", "'0,5'"]),
    "digits in groups": ("r.csv", WIDE + "q1,1,0\nq2,1,1_000\n", ["row 3", "'B'", "'1_000'"]),
    "text for a number, long": ("r.csv", LONG + "A,q1,1\nB,q1,x\n", ["row 3", "'score'", "'x'"]),
    "text column": (
        "r.csv",
        "uid_,A,B\nx1,1,0\n",
        ["row 2", "'uid_'", "'x1'", "or item= if it holds"],
    ),
    "column that counts the rows": (
        "r.csv",
        "number,A,B\n" + "".join(f"{k},1,0\n" for k in range(6)),
        ["'number'", "counts the rows", "pass item='number'"],
    ),
    "column that counts the rows in another order": (
        "r.csv",
        "number,A,B\n" + "".join(f"{k},1,0\n" for k in (3, 1, 2, 9, 8, 5, 4, 7, 6, 10)),
        ["'number'", "counts the rows", "pass item='number'"],
    ),
    "column that counts the rows in another order, with gaps": (
        "r.csv",
        "number,A,B\n" + "".join(f"{7 * k % 31},1,0\n" for k in range(20)),
        ["'number'", "counts the rows", "pass item='number'"],
    ),
    "column that counts the rows in another order, next to percentages": (
        "r.csv",
        "number,A,B\n"
        + "".join(f"{1 + 7 * k % 30},{3.1 * k:.1f},{90 - 2.9 * k:.1f}\n" for k in range(30)),
        ["'number'", "counts the rows", "pass item='number'"],
    ),
    "column that counts the rows, with ids": (
        "r.csv",
        "item,number,A\n" + "".join(f"q{k},{13 - k},0\n" for k in range(10)),
        ["'number'", "counts the rows", "ignore='number'"],
    ),
    "runs of no items": (
        "r.csv",
        "epoch,A,B\n1,1,0\n2,1,1\n",
        ["'epoch' numbers runs, and no column holds the ids of items", "pass item="],
    ),
    "infinite": ("r.csv", WIDE + "q1,1,0\nq2,-inf,0\n", ["row 3", "'A'", "'-inf'", "infinite"]),
    "overflow": ("r.csv", WIDE + "q1,1,1e999\n", ["row 2", "'B'", "'1e999'", "infinite"]),
    "infinite in JSON": (
        "r.jsonl",
        '{"item": 1, "A": Infinity, "B": 1}\n',
        ["row 1", "'A'", "infinite"],
    ),
    "nested score": ("r.jsonl", '{"item": 1, "A": [1], "B": 1}\n', ["row 1", "'A'", "[1]", "list"]),
    "nested id": (
        "r.jsonl",
        '{"item": {"a": 1}, "A": 1, "B": 1}\n',
        ["row 1", "'item'", "{'a': 1}"],
    ),
    "unknown winner": (
        "r.csv",
        VOTES + "A,B,tie\nA,B,C\n",
        ["row 3", "'winner'", "'C'", "'A' or 'B'", "tie"],
    ),
    "winner of two meanings": (
        "r.csv",
        VOTES + "b,a,a\n",
        ["row 2", "'winner'", "'a'", "another outcome", "write model_a, model_b or tie"],
    ),
    "vote on itself": (
        "r.csv",
        VOTES + "A,B,tie\nA,A,tie\n",
        ["row 3", "'model_b'", "'A'", "itself"],
    ),
    "vote on nobody": ("r.csv", VOTES + "A,B,tie\nA,,tie\n", ["row 3", "'model_b'", "blank"]),
    "negative count": (
        "r.csv",
        COUNTS + "A,B,1,2,3\nA,C,1,-2,3\n",
        ["row 3", "'losses'", "'-2'", "negative"],
    ),
    "fractional count": ("r.csv", COUNTS + "A,B,1.5,2,3\n", ["row 2", "'wins'", "'1.5'", "whole"]),
    "text count": ("r.csv", COUNTS + "A,B,few,2,3\n", ["row 2", "'wins'", "'few'", "not a number"]),
    "blank count": ("r.csv", COUNTS + "A,B,1,2,\n", ["row 2", "'ties'", "''", "blank"]),
    "A against A": (
        "r.csv",
        COUNTS + "A,B,1,2,3\nA,A,1,0,3\n",
        ["row 3", "'system_b'", "'A'", "itself"],
    ),
    "contradicting triangles": (
        "r.csv",
        COUNTS + "A,B,1,2,3\nB,A,2,2,3\n",
        ["row 3", "'B' against 'A' is [2, 2, 3]", "row 2 has [1, 2, 3]", "exchanged"],
    ),
    "duplicate pair": (
        "r.csv",
        COUNTS + "A,B,1,2,3\nA,B,1,2,3\n",
        ["row 3", "'A' against 'B'", "row 2"],
    ),
    "duplicate score": (
        "r.csv",
        LONG + "A,q1,1\nB,q1,1\nA,q1,1\n",
        ["row 4", "'A'", "'q1'", "row 2"],
    ),
    "duplicate score in an epoch": (
        "r.csv",
        "system,item,score,epoch,dataset\nA,q1,1,0,x\nB,q1,1,1,x\nA,q1,,0,x\n",
        ["row 4", "'A'", "'q1'", "epoch 0", "dataset 'x'", "row 2"],
    ),
    "two clusters of an item": (
        "r.csv",
        "system,item,score,cluster\nA,q1,1,c\nB,q1,1,d\n",
        ["row 3", "'cluster'", "'d'", "'c'", "row 2"],
    ),
    "blank gold": ("r.csv", "id,gold,A,B\n1,x,x,y\n2,,x,y\n", ["row 3", "'gold'", "''", "blank"]),
    "confidences": (
        "r.csv",
        "id,gold,A,A_score,B\n1,x,x,0.5,y\n",
        ["'A_score'", "numbers", "'gold'", "text"],
    ),
    "ambiguous": (
        "r.csv",
        "model_a,model_b,winner,wins,losses\nA,B,tie,1,2\n",
        ["votes and counts", "layout='votes' or layout='counts'"],
    ),
    "two columns of ties": (
        "r.csv",
        "system_a,system_b,wins,losses,ties,draws\nA,B,3,2,1,0\n",
        ["'ties' and 'draws' both hold ties", "ignore='draws'"],
    ),
    "more items than wins, losses and ties": (
        "r.csv",
        COUNTS.replace("ties", "ties,n") + "A,B,3,2,1,6\nA,C,3,2,1,7\n",
        ["row 3", "'n'", "7 items", "is 6", "ignore='n'"],
    ),
    "items that neither won": (
        "r.csv",
        "system_a,system_b,wins,losses,games\nA,B,30,20,60\n",
        ["row 2", "'games'", "60 items", "is 50", "as a column 'ties'"],
    ),
    "pairs without an outcome": (
        "r.csv",
        "model_a,model_b\nA,B\n",
        ["'model_a'", "winner", "wins, losses"],
    ),
    "long without items": ("r.csv", "system,score\nA,1\nA,0\n", ["'system'", "no item", "long"]),
    "Latin-1": (
        "r.csv",
        "item,A,B\nq1,1,0\nqé,1,0\n".encode("latin-1"),
        ["row 3", "not UTF-8", "0xe9"],
    ),
    "UTF-16": ("r.csv", "item,A,B\nq1,1,0\n".encode("utf-16"), ["UTF-16", "save it as UTF-8"]),
    "UTF-16 without a mark": ("r.csv", "item,A,B\nq1,1,0\n".encode("utf-16-le"), ["UTF-8"]),
    "short row": ("r.csv", WIDE + "q1,1,0\nq2,1\n", ["row 3", "2 cells", "header has 3"]),
    "long row": ("r.csv", WIDE + "q1,1,0,1\n", ["row 2", "4 cells", "header has 3"]),
    "open quote": ("r.csv", WIDE + 'q1,1,0\n"q2,1,0\n', ["row 3", "quotes"]),
    "semicolons": ("r.csv", "item;A;B\nq1;1;0\n", ["row 1", "semicolons", "commas"]),
    "tabs": ("r.csv", "item\tA\tB\nq1\t1\t0\n", ["tabs", "commas"]),
    "unknown type": ("r.doc", "x", ["'.doc'", ".csv", ".parquet", ".gz"]),
    "a spreadsheet": ("r.xlsx", "x", ["save the sheet as CSV", "pandas.read_excel"]),
    "a text file": ("r.txt", "x y\n", ["rename it to .csv or .tsv"]),
    "no type": ("results", "x", ["unknown file type ''"]),
    "corrupt gzip": ("r.csv.gz", b"item,A,B", ["gzip"]),
    "cut gzip": ("r.csv.gz", gzip.compress(WIDE.encode() * 99)[:-9], ["gzip"]),
    "corrupt Parquet": ("r.parquet", b"PAR1 no PAR1", ["Parquet"]),
    "corrupt JSON line": ("r.jsonl", '{"item": 1}\n{"item": \n', ["row 2", "JSON"]),
    "JSON line that is no object": (
        "r.jsonl",
        '{"item": 1}\n[1, 2]\n',
        ["row 2", "object", "[1, 2]"],
    ),
    "corrupt JSON": ("r.json", '[{"item": 1},\n {"item": ]', ["row 2", "JSON"]),
    "JSON that is no list": ("r.json", '{"A": [1, 2]}', ["list of objects"]),
}


@pytest.mark.parametrize("case", CASES)
def test_message(tmp_path, case):
    name, content, parts = CASES[case]
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ValueError, match=f"^{re.escape(name)}[,:]") as error:
        bt.read(path)
    message = str(error.value)
    assert "\n" not in message
    assert [part for part in parts if part not in message] == []
    assert list(tmp_path.iterdir()) == [path]


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^no such file: .*nowhere\.csv$"):
        bt.read(tmp_path / "nowhere.csv")


def test_a_folder_without_files(tmp_path):
    with pytest.raises(ValueError, match="is a folder without a file; give one that holds logs"):
        bt.read(tmp_path)


def test_a_value_with_line_breaks_stays_on_one_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('item,"A\nA",B\nq1,"1\n2\n' + "3" * 500 + '",0\n')
    with pytest.raises(ValueError, match=r"column 'A\\nA', value") as error:
        bt.read(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


FRAMES = {
    "duplicate item": (
        pd.DataFrame({"item": ["a", "a"], "A": [1, 2], "B": [1, 2]}),
        "row 1, column 'item'",
    ),
    "text": (
        pd.DataFrame({"item": ["a", "b"], "A": [1, "x"], "B": [1, 2]}, index=[10, 20]),
        "row 20, column 'A', value 'x'",
    ),
    "infinite": (
        pd.DataFrame({"item": ["a", "b"], "A": [1, np.inf], "B": [1, 2]}),
        "row 1, column 'A', value inf",
    ),
    "duplicate column": (
        pd.DataFrame([[1, 2]], columns=["A", "A"]),
        "column name 'A' occurs twice",
    ),
    "no rows": (pd.DataFrame({"A": [], "B": []}), "no rows"),
    "column levels": (
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "A"), ("a", "B")])),
        "column names of several levels",
    ),
    "index levels": (
        pd.DataFrame({"A": [1], "B": [2]}, index=pd.MultiIndex.from_tuples([("x", "y")])),
        "index level None is not a known name",
    ),
    "index and column": (
        pd.DataFrame({"item": ["a"], "A": [1], "B": [2]}, index=pd.Index(["a"], name="item")),
        "'item' is both a column and the index",
    ),
    "fractional count": (
        pd.DataFrame({"system_a": ["A"], "system_b": ["B"], "wins": [1.5], "losses": [2]}),
        "row 0, column 'wins', value 1.5",
    ),
    "missing count": (
        pd.DataFrame({"system_a": ["A"], "system_b": ["B"], "wins": [np.nan], "losses": [2]}),
        "row 0, column 'wins', value nan: blank",
    ),
}


@pytest.mark.parametrize("case", FRAMES)
def test_frames(case):
    frame, part = FRAMES[case]
    with pytest.raises(ValueError, match=f"^DataFrame.*{re.escape(part)}") as error:
        bt.read(frame)
    assert "\n" not in str(error.value)


WIDE_FRAME = pd.DataFrame({"item": ["a", "b"], "A": [1, 2], "B": [1, 2]})
VOTES_FRAME = pd.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["A"]})


@pytest.mark.parametrize(
    ("source", "choices", "message"),
    [
        (WIDE_FRAME, {"layout": "tall"}, "layout is 'tall'; choose one of wide, long"),
        (
            WIDE_FRAME,
            {"layout": "long"},
            "layout 'long' needs columns system, item, score; no system, score among",
        ),
        (
            WIDE_FRAME,
            {"unit": "item"},
            "unit='item' is for counts and votes; this was read as wide",
        ),
        (VOTES_FRAME, {"unit": "vote"}, "unit is 'vote'; choose one of"),
        (
            VOTES_FRAME,
            {"higher_is_better": False},
            "higher_is_better=False is for scores; votes already say",
        ),
        (WIDE_FRAME, {"higher_is_better": "no"}, "higher_is_better is 'no'; give True or False"),
        (7, {}, "source is a int; give a path"),
        ([], {}, "source is an empty list"),
        ({}, {}, "source is an empty mapping"),
        ([WIDE_FRAME], {}, "source holds a DataFrame; give paths, or a mapping"),
    ],
)
def test_arguments(source, choices, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        bt.read(source, **choices)
    assert "\n" not in str(error.value)


def test_json_lines_under_another_name_are_told_theirs(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"item": "q1", "A": 1, "B": 0}\n{"item": "q2", "A": 1, "B": 1}\n')
    with pytest.raises(
        ValueError, match=r"row 2: .*; if each line is an object, name the file .js"
    ):
        bt.read(path)
    assert bt.read(path.rename(path.with_suffix(".jsonl"))).sizes["item"] == 2
    path.with_suffix(".jsonl").write_text('{"item": "q1", "A": 1}{"item": "q2", "A": 1}\n')
    with pytest.raises(ValueError, match=r"row 1: .*; give one object a line$"):
        bt.read(path.with_suffix(".jsonl"))


@pytest.mark.parametrize("how", [{}, {"sep": ";"}])
def test_the_line_that_a_spreadsheet_needs_is_to_be_deleted(how, tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("sep=;\nitem;A;B\nq1;1;0\nq2;1;1\n")
    with pytest.raises(ValueError, match=r"excel.csv, row 1: holds 'sep=;' for a spreadsheet; del"):
        bt.read(path, **how)


def test_rows_that_were_appended_with_two_columns_exchanged(tmp_path):
    path = tmp_path / "log.csv"
    rows = "".join(f"q{k},{s},{k % 2}\n" for k in range(20) for s in ("old", "new"))
    late = "".join(f"{s},q{k},{k % 2}\n" for k in range(19, 30) for s in ("old", "new"))
    path.write_text(f"item,system,score\n{rows}{late}")
    message = "log.csv, row 42, column 'item': 'old' is an item here and a system in row 2; are two"
    with pytest.raises(ValueError, match=message):
        bt.read(path)
    late = "".join(f"third,q{k},{k % 2}\n" for k in range(20))  # a system that is new
    path.write_text(f"item,system,score\n{rows}{late}")
    with pytest.raises(ValueError, match="row 42, column 'item': 'q0' is a system here and an"):
        bt.read(path)
    judges = "".join(f"{s},{j},{k}\n" for k, s in enumerate("abcd") for j in "dcba")
    path.write_text(f"item,system,score\n{judges}")  # systems that rate each other
    assert bt.read(path).sizes == {"item": 4, "system": 4}
