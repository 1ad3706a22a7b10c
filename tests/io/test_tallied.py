"""Tables of tallies: layouts, joins, partial credit, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

ROWS = """system,doc,type,tp,fp,fn
A,d1,PER,2,1,0
A,d1,LOC,1,0,0
B,d1,PER,3,0,0
B,d1,LOC,0,0,1
A,d2,LOC,0,0,1
B,d2,LOC,1,0,0
"""


def written(tmp_path, text=ROWS, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_recognised_and_joined_by_item(tmp_path):
    tallies = bt.read(written(tmp_path))
    assert tallies.dims == ("item", "system", "label", "tally")
    assert tallies.sel(item="d1", system="A", label="PER").values.tolist() == [2, 1, 0]
    assert tallies.sel(item="d1", system="B", label="LOC").values.tolist() == [0, 0, 1]
    assert tallies.sel(item="d2", system="B", label="PER").values.tolist() == [0, 0, 0]
    assert tallies.dtype == np.int64
    lines = ROWS.splitlines()
    shuffled = "\n".join([lines[0], *lines[:0:-1]]) + "\n"
    again = bt.read(written(tmp_path, shuffled, "u.csv"))
    assert again.sel(tallies.coords).equals(tallies)


def test_the_reading_says_what_was_filled(tmp_path):
    assert bt.read(written(tmp_path)).attrs["reading"] == (
        "t.csv read as tallies: 2 items x 2 systems ('A', 'B'), item ids from column 'doc', "
        "2 labels from column 'type' "
        "(2 rows absent and taken as 0)"
    )


def test_a_row_whose_mentions_another_system_has_is_not_zero(tmp_path):
    missed = ROWS.replace("B,d1,LOC,0,0,1\n", "")
    said = "item 'd1', label 'LOC' has no row of 'B', and 1 gold mentions by that of 'A' .1 such"
    with pytest.raises(ValueError, match=said):
        bt.read(written(tmp_path, missed))


def test_the_whole_way_to_a_test(tmp_path):
    result = bt.randomization_test(bt.read(written(tmp_path)))
    assert result["score"].sel(system="A").item() == pytest.approx(6 / 8)
    # 6/8 and 8/9: each of the four ways to swap documents gives the same two scores
    assert result["p_value"].sel(system_a="A", system_b="B").item() == 1.0


def test_partial_credit_in_halves():
    frame = pd.DataFrame(
        {"system": ["A", "B"], "doc": ["d", "d"], "tp": [1.5, 2], "fp": [0.5, 1], "fn": [0, 0.5]}
    )
    tallies = bt.read(frame, scale=2)
    assert tallies.values.tolist() == [[[3, 1, 0], [4, 2, 1]]]
    assert tallies.attrs["scale"] == 2
    assert bt.counts.tally_scores(tallies).values[0, 0] == pytest.approx(3 / 3.5)


def test_item_coordinates(tmp_path):
    text = (
        "system,item,cluster,tp,fp,fn\nA,i1,c1,1,0,0\nB,i1,c1,0,1,1\nA,i2,c1,1,0,0\nB,i2,c1,1,0,0\n"
    )
    tallies = bt.read(written(tmp_path, text))
    assert tallies["cluster"].values.tolist() == ["c1", "c1"]
    assert bt.randomization_test(tallies, unit="cluster")["n"].values[0, 1] == 1


@pytest.mark.parametrize("role", ["dataset", "epoch"])
def test_one_id_in_two_datasets_or_epochs(tmp_path, role):
    text = f"system,item,{role},tp,fp,fn\nA,1,x,1,0,0\nB,1,y,4,0,0\nA,1,y,3,0,0\nB,1,x,2,0,0\n"
    tallies = bt.read(written(tmp_path, text))
    assert tallies["item"].values.tolist() == ["1", "1"]
    assert tallies[role].values.tolist() == ["x", "y"]
    assert tallies.sel(tally="tp").values.tolist() == [[1, 2], [3, 4]]
    assert f"{role} from column {role!r}" in tallies.attrs["reading"]
    units = 2 if role == "dataset" else 1  # two runs of an item are one unit
    assert bt.randomization_test(tallies)["n"].values[0, 1] == units
    assert bt.count(bt.counts.tally_scores(tallies), by=role).dims[0] == role
    with pytest.raises(ValueError, match=f"item '1', {role} 'x' has no row for system 'B'"):
        bt.read(written(tmp_path, text.replace("B,1,x,2,0,0\n", "")))
    with pytest.raises(
        ValueError,
        match=f"row 5: duplicate tallies of system 'B' on item '1', {role} 'y', already in",
    ):
        bt.read(written(tmp_path, text.replace("B,1,x", "B,1,y")))


def test_one_item_in_two_clusters(tmp_path):
    text = "system,item,cluster,tp,fp,fn\nA,i1,c1,1,0,0\nB,i1,c2,0,1,1\n"
    with pytest.raises(
        ValueError, match=r"row 3, column 'cluster', value 'c2': the same item is in cluster 'c1'"
    ):
        bt.read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("A,d1,PER,2,1,0", "A,d1,PER,-2,1,0", r"t.csv, row 2, column 'tp', value -2.0: negative"),
        (
            "A,d1,PER,2,1,0",
            "A,d1,PER,2.5,1,0",
            r"value 2.5: not whole; for partial credit give a scale",
        ),
        ("A,d1,PER,2,1,0", "A,d1,PER,,1,0", r"row 2, column 'tp', value nan: blank"),
        ("A,d1,PER,2,1,0", "A,d1,PER,x,1,0", r"row 2, column 'tp', value 'x': not a number"),
        (
            "A,d1,LOC,1,0,0",
            "A,d1,PER,1,0,0",
            r"row 3: duplicate tallies of system 'A' on item 'd1', label 'PER'",
        ),
        (
            "B,d2,LOC,1,0,0",
            "B,d1,ORG,0,1,0",
            r"item 'd2' has no row for system 'B' \(1 missing in all\)",
        ),
        ("fn\n", "missed\n", "no score"),
    ],
)
def test_bad_rows(tmp_path, old, new, message):
    with pytest.raises(ValueError, match=message):
        bt.read(written(tmp_path, ROWS.replace(old, new)))


def test_bad_choices(tmp_path):
    path = written(tmp_path)
    with pytest.raises(ValueError, match="scale is 0"):
        bt.read(path, scale=0)
    with pytest.raises(ValueError, match="scale=2 is for tallies; this was read as wide"):
        bt.read(pd.DataFrame({"item": ["q"], "A": [1], "B": [0]}), scale=2)
    with pytest.raises(ValueError, match="several files of tallies are not joined"):
        bt.read([path, written(tmp_path, name="u.csv")])
    with pytest.raises(ValueError, match="table is a list"):
        bt.io.tallies_from_table([1])
    with pytest.raises(ValueError, match="higher_is_better=False is for scores"):
        bt.read(path, higher_is_better=False)
    alone = "\n".join(line for line in ROWS.splitlines() if not line.startswith("B")) + "\n"
    with pytest.raises(ValueError, match="only one system, 'A'"):
        bt.read(written(tmp_path, alone))


def test_misses_alone_are_gold_mentions_of_a_label_too():
    rows = {"system": [*"AAB"], "item": "d", "label": [*"xyy"], "tp": [0, 1, 1], "fp": 0}
    with pytest.raises(ValueError, match="label 'x' has no row of 'B', and 1 gold mentions by"):
        bt.io.tallies_from_table(pd.DataFrame(rows | {"fn": [1, 0, 0]}))
