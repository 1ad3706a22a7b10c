"""Text that can be no name: refused with its place wherever it would become one, and only there."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan import text

NUL = r"holds a control character \(U\+0000, character 2\); write it without$"
WIDE = [{"item": "q1", "A": 1, "B": 0}, {"item": "q2", "A": 0, "B": 1}]
VOTE = {"model_a": "A", "model_b": "B", "winner": "A"}
LONG = [{"system": s, "item": i, "score": 1} for s in "AB" for i in ("q1", "q2")]
TALLY = [{"system": s, "item": "q1", "tp": 1, "fp": 0, "fn": 0} for s in "AB"]

# Records, where the message says the flaw is, and the column.
TABLES = {
    "a system": ([{"item": "q1", "A": 1, "A\0": 0}], "column 'A\\x00'"),
    "an item": ([*WIDE, {"item": "q\0", "A": 1}], "row 3, column 'item', value 'q\\x00'"),
    "a cluster": ([one | {"cluster": "c\0"} for one in WIDE], "row 1, column 'cluster'"),
    "a data set": ([one | {"dataset": "d\0"} for one in WIDE], "row 1, column 'dataset'"),
    "an epoch": ([one | {"epoch": "1\0"} for one in WIDE], "row 1, column 'epoch'"),
    "a gold label": ([one | {"gold": "x\0"} for one in WIDE], "row 1, column 'gold'"),
    "a prediction": (
        [{"gold": "x", "A": "x", "B": "x"}, {"gold": "x", "A": "x", "B": "x\0"}],
        "row 2, column 'B', value 'x\\x00'",
    ),
    "a system, long": ([*LONG, LONG[0] | {"system": "A\0"}], "row 5, column 'system'"),
    "an item, long": ([*LONG, LONG[0] | {"item": "q\0"}], "row 5, column 'item'"),
    "a side": ([VOTE, VOTE | {"model_a": "A\0"}], "row 2, column 'model_a', value 'A\\x00'"),
    "a winner": ([VOTE, VOTE | {"winner": "A\0"}], "row 2, column 'winner', value 'A\\x00'"),
    "a tallied system": ([*TALLY, TALLY[0] | {"system": "A\0"}], "row 3, column 'system'"),
    "a tallied label": ([one | {"label": "x\0"} for one in TALLY], "row 1, column 'label'"),
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("form", ["json", "jsonl", "parquet", "frame"])
def test_no_name_in_a_table_loses_its_nul(tmp_path, case, form):
    records, where = TABLES[case]
    path = tmp_path / f"r.{form}"
    if form == "json":
        path.write_text(json.dumps(records))
    elif form == "jsonl":
        path.write_text("".join(json.dumps(one) + "\n" for one in records))
    elif form == "parquet":
        pytest.importorskip("pyarrow")
        pd.DataFrame(records).to_parquet(path)
    source, name = (path, path.name) if form != "frame" else (pd.DataFrame(records), "DataFrame")
    with pytest.raises(ValueError, match=NUL) as error:
        bt.read(source)
    if form == "frame" and "row" in where:
        return  # its rows are numbered from 0
    assert str(error.value).startswith(f"{name}, {where}")


@pytest.mark.parametrize("name", ["r.csv", "r.tsv"])
@pytest.mark.parametrize("cells", ["q1,1,0\nq\x1b[31m,0,1\n", '"q1",1,0\n"q\x1b[31m",0,1\n'])
def test_an_escape_in_a_text_file_is_refused(tmp_path, name, cells):
    (tmp_path / name).write_text(
        f"item,A,B\n{cells}".replace(",", "\t" if name == "r.tsv" else ",")
    )
    where = rf"^{name}, row 3, column 'item', value 'q\\x1b\[31m': .* \(U\+001B, character 2\)"
    with pytest.raises(ValueError, match=where):
        bt.read(tmp_path / name)


def test_white_space_may_stand_in_an_id_and_anything_in_text_that_is_not_read(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('item,A,B\n"two\nlines\tand a tab",1,0\n"page\x0cbreak",0,1\n')
    assert bt.read(path)["item"].values.tolist() == ["two\nlines\tand a tab", "page\x0cbreak"]
    free = [one | {"answer": "\x1b[31m\0\x9b \ud800"} for one in LONG]
    for source in (pd.DataFrame(free, dtype=object), tmp_path / "r.json"):
        (tmp_path / "r.json").write_text(json.dumps(free))
        assert "ignored columns 'answer'" in bt.read(source).attrs["reading"]


@pytest.mark.parametrize("cell", ["1\x1c", "\x1f0", "1\0"])
def test_a_number_beside_a_control_character_is_none(cell):
    frame = pd.DataFrame({"item": ["q1", "q2", "q3"], "A": [cell, "", "0"], "B": [0, 1, 1]})
    with pytest.raises(ValueError, match=r"^DataFrame, row 0, column 'A', value .*: not a number"):
        bt.read(frame)
    with pytest.raises(ValueError, match=r"^DataFrame, row 0, column 'A', value .*: not a number"):
        bt.read(frame.astype(object), decimal=",")
    labels = pd.DataFrame({"gold": ["1", "0", "1"], "A": [cell, "1", "0"]})
    with pytest.raises(ValueError, match=r"^DataFrame, row 0, column 'A', .*control character"):
        bt.labels.read(labels)


def _scores(**coords):
    axes = {"item": ["q1", "q2"], "system": ["A", "B"]} | coords
    return xr.DataArray(np.eye(2), {k: (k, np.array(v, object)) for k, v in axes.items()})


WIDE_FRAME = pd.DataFrame(WIDE)
GIVEN = {
    "an item": lambda: bt.compare(_scores(item=["q", "q\0"])),
    "a system": lambda: bt.compare(_scores(system=["A", "A\0"])),
    "a cluster": lambda: bt.compare(
        _scores().assign_coords(cluster=("item", np.array(["c", "c\0"], object)))
    ),
    "a frame": lambda: bt.compare(WIDE_FRAME.rename(columns={"B": "A\0"})),
    "an index": lambda: bt.compare(WIDE_FRAME.assign(item=["q", "q\0"]).set_index("item")),
    "a name of a table": lambda: bt.read({"d": WIDE_FRAME, "d\0": WIDE_FRAME}),
    "a new name": lambda: bt.read(WIDE_FRAME, systems={"A": "C\0"}),
    "a new name to compare": lambda: bt.compare(WIDE_FRAME, systems={"A": "C\0", "B": "B"}),
    "a series": lambda: bt.compare(
        pd.Series([1, 0], ["a", "b"], name="A"), pd.Series([1, 0], ["a", "b"], name="A\0")
    ),
    "a label of a series": lambda: bt.compare(*[pd.Series([1, 0], ["a", "a\0"])] * 2),
    "a pair": lambda: bt.counts.from_table({("A", "A\0"): (1, 2, 3)}),
    "two systems": lambda: bt.counts.from_contingency(1, 2, 3, 4, systems=("A", "A\0")),
    "a document": lambda: bt.orders.from_lists({"d\0": {"A": ["a", "b"]}}),
    "an item of an order": lambda: bt.orders.from_lists({"A": ["a", "a\0"]}),
    "an item of ranks": lambda: bt.orders.from_ranks(pd.DataFrame({"a": [1], "a\0": [2]})),
    "an order in a cell": lambda: bt.orders.read(
        pd.DataFrame({"judge": ["1", "2"], "order": ["a > b", "b > a\0"]})
    ),
    "a label": lambda: bt.labels.confusion_matrix(["a", "a\0"], ["a", "a"]),
    "a judge": lambda: bt.io.read_judgments(pd.DataFrame([VOTE | {"judge": "j\0"}]), judge="judge"),
    "a judge of judgments": lambda: bt.compare(
        bt.io.read_judgments(
            pd.DataFrame([VOTE | {"judge": "j"}] * 2), judge="judge"
        ).assign_coords(judge=("judgment", np.array(["j", "j\0"], object)))
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_no_name_that_is_passed_in_loses_its_nul(case):
    with pytest.raises(ValueError, match=NUL):
        GIVEN[case]()


def test_half_a_character_in_names_that_are_passed_in():
    with pytest.raises(ValueError, match=r"^system 'A\\ud800' holds half of a character"):
        bt.compare(_scores().assign_coords(system=["A\ud800", "B"]))


@pytest.mark.parametrize(
    "name", ["a b", "a\tb\r\n\x0b\x0c\x85", "\ue000", "\u0378", "e\u200d", "\u2028"]
)
def test_what_a_name_may_hold(name):
    assert (text.flaw(name), text.first_flawed([name]), text.escaped(name)) == ("", None, name)


def test_a_number_of_too_many_digits_has_its_line_in_the_error(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('[{"item": "q1",\n"A": ' + "9" * 5000 + ', "B": 0}]')
    said = r"^r\.json, row 2: not readable as JSON \(a number of more than 4,300 digits\)$"
    with pytest.raises(ValueError, match=said):
        bt.read(path)
