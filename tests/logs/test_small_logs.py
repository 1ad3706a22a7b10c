"""A small log is parsed once, and read as a large one is."""

import csv
import json
import re

import numpy as np
import pytest
from logs import made_inspect as made

import betterthan as bt
from betterthan.logs import recognising
from betterthan.logs.json_values import table_rows
from betterthan.logs.sniffing import LogFile

SAMPLE = {"id": 1, "epoch": 1, "input": "q", "target": "a", "scores": {"match": {"value": "C"}}}


def log(samples, **more):
    return {**made.header(ids=(1, 2)), **more, "samples": samples}


GOOD = json.dumps(log([SAMPLE, SAMPLE | {"id": 2}]))
DOCUMENTS = {
    "good": GOOD,
    "blanks around it": f"\n {GOOD}\r\n",
    "a byte order mark": f"\ufeff{GOOD}",
    "not a number": GOOD.replace('"C"', "NaN", 1),
    "no list of samples": json.dumps(log(3)),
    "null for samples": json.dumps(log(None)),
    "a sample that is null": json.dumps(log([SAMPLE, None])),
    "no sample": json.dumps(log([SAMPLE, {"x": 1}])),
    "an odd epoch": json.dumps(log([SAMPLE, SAMPLE | {"id": 2, "epoch": 1.5}, {"x": 1}])),
    "a key twice": GOOD.replace('"epoch": 1', '"epoch": 1, "epoch": 1', 1),
    "a field twice": GOOD[:-1] + ', "status": "success"}',
    "more digits than Python reads": GOOD.replace('"epoch": 1', f'"epoch": {"1" * 5000}', 1),
    "a number that vanishes": GOOD.replace('"C"', "1e-400", 1),
    "nested deeply": GOOD.replace('"C"', 3000 * "[" + 3000 * "]", 1),
    "text behind it": f"{GOOD} x",
    "a blank that JSON has not": f"{GOOD}\x0b",
    "a second object": f"{GOOD} {GOOD}",
    "cut": GOOD[:-1],
    "unprintable text": GOOD.replace('"q"', '"q\\u0000"'),
    "half a letter": GOOD.replace('"q"', '"\\ud800"'),
}


def outcome(path):
    """The scores of a log next to those of another model, or why it is refused."""
    try:
        logs = bt.read_logs(path)
    except ValueError as error:
        return re.sub(r"character [\d,]+", "character", str(error))  # it ends elsewhere
    return repr((logs.records.to_dict("list"), logs.runs.to_dict("list")))


@pytest.mark.parametrize("what", DOCUMENTS)
def test_a_small_log_is_read_and_refused_as_a_large_one(tmp_path, what):
    path, data = tmp_path / "log.json", DOCUMENTS[what].encode("utf-8", "surrogatepass")
    path.write_bytes(data)
    small = outcome(path)
    path.write_bytes(data + b" " * 2**16)
    assert small == outcome(path)


def test_bytes_of_half_a_letter_at_its_end_are_refused(tmp_path):
    path = tmp_path / "log.json"
    path.write_bytes(GOOD.encode() + b"\xc3")
    with pytest.raises(ValueError, match="not readable as UTF-8"):
        bt.read_logs(path)


def test_small_logs_are_opened_once_and_the_last_reader_is_asked_first(tmp_path, monkeypatch):
    for k in range(5):
        (tmp_path / f"{k}.json").write_text(GOOD.replace("openai/gpt", f"model {k}"))
    opened, asked = [], []
    open_file, find_reader = LogFile.open, recognising.find_reader
    monkeypatch.setattr(
        LogFile, "open", lambda file, *size: opened.append(file.name) or open_file(file, *size)
    )
    monkeypatch.setattr(
        recognising, "find_reader", lambda *given: asked.append(given[1]) or find_reader(*given)
    )
    scores = bt.read({str(k): tmp_path / f"{k}.json" for k in range(5)})
    assert np.all(scores.values == 1)
    assert sorted(opened) == [f"{k}.json" for k in range(5)]
    assert [reader and reader.name for reader in asked] == [None, *4 * ["inspect"]]


def test_two_readers_of_long_cells_at_once(tmp_path):
    """The limit of cells is one of the process, and threads read at the same time."""
    before, files = csv.field_size_limit(), []
    for name in ("old", "new"):
        path = tmp_path / f"{name}.csv"
        with path.open("w", newline="") as file:
            rows = [[f"q{k}", "word " * 40_000, k % 2] for k in range(4)]
            csv.writer(file).writerows([["user_input", "response", "right"], *rows])
        files.append(LogFile(path, path.name))
    one, two = map(table_rows, files)
    next(one), next(two)
    one.close()  # as a thread that has read its file
    assert len(list(two)) == 3
    assert csv.field_size_limit() == before
