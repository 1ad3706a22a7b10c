"""What a file may cost: one long text is not paid for by every cell, and bombs are refused."""

import gzip
import os
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli import commands

ROWS, LONG = 4000, 100_000
MOST = 40e6  # bytes; of fixed width one column alone is 1.6e9


def measured(call):
    """What a call returns, and the most memory it held."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def long_in(*columns, rows=ROWS):
    """A table of labels in which one cell of each of these columns is long."""
    frame = pd.DataFrame(
        {
            "item": [f"q{k}" for k in range(rows)],
            "cluster": [f"c{k // 2}" for k in range(rows)],
            "gold": np.resize(["x", "y"], rows),
            "A": np.resize(["x", "x", "y"], rows),
            "B": np.resize(["x", "y", "y"], rows),
        }
    )
    for column in columns:
        frame.loc[7, column] = "long " * (LONG // 5)
    return frame


@pytest.mark.parametrize("column", ["item", "cluster", "gold", "A"])
def test_one_long_text_is_not_paid_for_by_all(column):
    frame = long_in(column)
    labels, most = measured(lambda: bt.labels.read(frame))
    assert most < MOST
    assert labels.sizes == {"item": ROWS, "system": 2}
    if column != "cluster":
        found = labels[column] if column in ("item", "gold") else labels.sel(system=column)
        assert found.values[7] == frame.loc[7, column]
    scores, most = measured(lambda: bt.read(frame))
    assert most < MOST
    wrong = (frame["gold"] != frame["A"]).sum()
    assert int((scores.sel(system="A") == 0).sum()) == wrong


@pytest.mark.filterwarnings("ignore:Items of a cluster count as independent")
def test_all_that_is_told_of_labels_with_a_long_one():
    labels = bt.labels.read(long_in("A"))
    (confusions, tallies), most = measured(
        lambda: (bt.labels.confusions(labels), bt.labels.tallies(labels))
    )
    assert most < MOST
    assert int(tallies.sel(system="A", tally="fp", label=labels.values[7, 0]).sum()) == 1
    assert int(confusions.sum()) == 2 * ROWS


@pytest.mark.filterwarnings("ignore:items are taken as independent")
@pytest.mark.filterwarnings("ignore:.*cluster")
def test_a_comparison_of_items_of_which_one_has_a_long_id():
    frame = long_in("item", "cluster").drop(columns="gold")
    frame[["A", "B"]] = (frame[["A", "B"]] == "x").astype(float)
    comparison, most = measured(lambda: bt.compare(frame))
    assert most < 2 * MOST
    assert comparison.data.attrs["n_items"] == ROWS


def test_tallies_judgments_and_orders():
    ids = [f"q{k // 2}" if k > 1 else "long " * (LONG // 5) for k in range(ROWS)]
    frame = pd.DataFrame(
        {"item": ids, "system": ["A", "B"] * (ROWS // 2), "tp": 1, "fp": 0, "fn": 1}
    )
    tallies, most = measured(lambda: bt.read(frame))
    assert most < MOST
    assert tallies["item"].values[0] == ids[0]
    votes = pd.DataFrame({"left": "A", "right": "B", "winner": "tie", "prompt": ids})
    judged, most = measured(lambda: bt.io.read_judgments(votes, cluster="prompt"))
    assert most < MOST
    assert judged["cluster"].values[0] == ids[0]
    orders = pd.DataFrame({"doc": ids, "judge": ["A", "B"] * (ROWS // 2), "order": "a > b"})
    found, most = measured(lambda: bt.orders.read(orders))
    assert most < MOST
    assert found["document"].values[0] == ids[0]
    orders["order"] = [f"{'long ' * (LONG // 5)} > b", *["b > c"] * (ROWS - 1)]
    found, most = measured(lambda: bt.orders.read(orders))
    assert most < MOST


def test_texts_in_place_of_labels_are_refused_before_they_are_counted():
    said = [f"answer {k}" for k in range(15_000)]
    frame = pd.DataFrame({"gold": said, "A": said, "B": said[::-1]})
    labels = bt.labels.read(frame)
    for count in (bt.labels.confusions, bt.labels.tallies):
        with pytest.raises(ValueError, match="these are texts rather than labels"):
            count(labels)
    assert int(bt.read(frame).sel(system="A").sum()) == len(said)


def packed(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


def refused(call, match):
    """A refusal in one short line, before much memory is taken."""

    def caught():
        with pytest.raises(ValueError, match=match) as error:
            call()
        return str(error.value)

    said, most = measured(caught)
    assert most < 200e6
    assert "\n" not in said
    assert len(said) < 400


def test_a_bomb_of_gzip(tmp_path):
    path = packed(tmp_path / "r.csv.gz", "item,A,B\n" + "q,1,0\n" * 10_000_000)
    assert path.stat().st_size < 10**6
    refused(lambda: bt.read(path), r"^r\.csv\.gz: unpacks .* bytes to more than")


def test_a_plain_table_that_packs_well_is_read(tmp_path):
    rows = "".join(f"q{k},1,0\n" for k in range(20_000))
    assert bt.read(packed(tmp_path / "r.csv.gz", f"item,A,B\n{rows}")).shape == (20_000, 2)


def test_a_bomb_of_parquet(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "r.parquet"
    part = pa.table({"A": pa.array(np.zeros(10_000_000, dtype=np.int8)).dictionary_encode()})
    with parquet.ParquetWriter(path, part.schema) as writer:
        for _ in range(11):
            writer.write_table(part)
    assert path.stat().st_size < 10**6
    refused(lambda: bt.read(path), r"^r\.parquet: holds 110,000,000 rows of 1 columns, more than")


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize("name", ["r.json", "r.jsonl"])
def test_deep_json(tmp_path, name, depth):
    path = tmp_path / name
    inner = '{"a":' * depth + "1" + "}" * depth
    record = f'{{"item": {inner}, "A": 1, "B": 0}}'
    path.write_text(f"[{record}]" if name == "r.json" else record)
    refused(lambda: bt.read(path), r"^r\.jsonl?, row 1|^r\.json: not readable as JSON \(nested")


def test_json_of_a_new_key_in_every_object(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("".join(f'{{"k{k}": 1}}\n' for k in range(11_000)))
    refused(lambda: bt.read(path), r"^r\.jsonl, row 1536: holds 1,536 objects with 1,536 keys, of")


def test_names_that_hardly_ever_meet(tmp_path):
    path, number = tmp_path / "r.csv", 4_500
    path.write_text("system,item,score\n" + "".join(f"s{k},q{k},1\n" for k in range(number)))
    refused(lambda: bt.read(path), r"^r\.csv: holds 4,500 items x 4,500 systems, more than")
    path.write_text("left,right,winner\n" + "".join(f"s{k},t{k},tie\n" for k in range(number)))
    refused(lambda: bt.read(path), r"^r\.csv: holds 1 datasets x 9,000 systems x 9,000 opponents x")
    path.write_text("system,item,tp,fp,fn\n" + "".join(f"s{k},q{k},1,0,0\n" for k in range(number)))
    refused(lambda: bt.read(path), r"^r\.csv: holds 4,500 items x 4,500 systems x 1 labels x 3")
    ranks = "".join(f"s{k},q{k},1\n" for k in range(11_000))
    path.write_text("system,item,rank\n" + ranks)
    refused(lambda: bt.orders.read(path), r"^r\.csv: holds 1 documents x 11,000 systems x 11,000")


def test_names_that_seldom_meet_are_read_as_far_as_their_square_takes_little(tmp_path):
    path = tmp_path / "r.csv"
    rows = "".join(f"s{k % 500},q{k},{k % 2}\n" for k in range(25_000))
    path.write_text("system,item,score\n" + rows)
    assert bt.read(path).sizes == {"item": 25_000, "system": 500}
    path.write_text("left,right,winner\n" + "".join(f"s{k},t{k},tie\n" for k in range(1_000)))
    assert bt.read(path).sizes["system_a"] == 2_000


def test_many_ids_that_look_alike_take_no_more_than_a_line():
    ids = [f"{letter}{k}" for k in range(8_000) for letter in "qQ"]
    frame = pd.DataFrame({"item": ids, "A": np.resize([0, 1], 16_000), "B": 1})
    with pytest.warns(UserWarning, match=r"items 'q0' and 'Q0' \(and 7999 more such names\)"):
        assert bt.read(frame).shape == (16_000, 2)


@pytest.mark.parametrize("read", [bt.read, bt.orders.read, bt.labels.read])
def test_pipes_and_devices_are_not_waited_for(tmp_path, read):
    pipe, device = tmp_path / "r.csv", tmp_path / "z.csv"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        refused(lambda path=path: read(path), "is a pipe or a device, and may never end; save what")


def test_a_name_that_cannot_be_one(tmp_path):
    for name in ("x" * 5000 + ".csv", "a\0b.csv"):
        with pytest.raises(ValueError, match=r"cannot be read|null"):
            bt.read(tmp_path / name)
    (tmp_path / "r.csv").write_text("item,A,B\n")
    with pytest.raises(FileNotFoundError, match="no such file"):
        bt.read(tmp_path / "r.csv" / "r.csv")


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError(), "not enough memory"), (RecursionError(), "nested too deeply")],
)
def test_a_command_without_memory_ends_in_one_line(tmp_path, capsys, monkeypatch, error, said):
    def out_of(*_, **__):
        raise error

    monkeypatch.setattr("betterthan.read", out_of)
    monkeypatch.setattr("sys.argv", ["betterthan", "compare", "r.csv"])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
