"""Some hundred mutated files; ``python -m validation.fuzzing.run 20000`` takes the many."""

import pytest

import betterthan as bt
from validation.fuzzing import checking, files, oracle, tables

NUMBER = 600


def test_no_file_is_misread_hangs_or_ends_in_another_exception(tmp_path):
    found = [checking.checked(seed, tmp_path) for seed in range(NUMBER)]
    assert [one for one in found if one.wrong] == []
    read = [one for one in found if one.verdict == "read"]
    assert len(read) > NUMBER / 4  # else the mutations leave nothing to read
    assert {one.kind.split()[0] for one in read} == {
        make(checking.random.Random(1)).kind for make in tables.KINDS
    }


def test_a_reading_that_loses_a_row_is_seen(tmp_path, monkeypatch):
    read = bt.read

    def forgetful(*given, **choices):
        data = read(*given, **choices)
        return data.isel(item=slice(1, None)) if "item" in data.dims else data

    monkeypatch.setattr(bt, "read", forgetful)
    found = {checking.checked(seed, tmp_path).verdict for seed in range(100)}
    assert "read as what it does not say" in found


def test_an_exception_of_another_kind_and_a_hang_are_seen(tmp_path, monkeypatch):
    for read, verdict in ((lambda *_, **__: 1 / 0, "another exception"), (_endless, "hang")):
        monkeypatch.setattr(bt, "read", read)
        monkeypatch.setattr(checking, "SECONDS", 0.05)
        assert verdict in {checking.checked(seed, tmp_path).verdict for seed in range(8)}


def _endless(*_, **__):
    while True:
        pass


@pytest.mark.parametrize(
    ("content", "records"),
    [
        ('a,b\n1,"x,\n""y"""\n', [["a", "b"], ["1", 'x,\n"y"']]),
        ("a\r\n\r\nb\rc", [["a"], ["b"], ["c"]]),
        ('a,"b\n', None),
        ('"a"b\n', None),
        (",\n", [["", ""]]),
    ],
)
def test_the_plain_parser(content, records):
    found = files.parsed(content.encode(), "csv")
    assert found == (None if records is None else (records[0], records[1:]))


def test_the_careful_reader():
    header = ["system", "item", "score"]
    rows = [["A", "q", "1"], ["B", "q", "0"]]
    right = {((None, "q", None), "A"): 1.0, ((None, "q", None), "B"): 0.0}
    assert oracle.reading("read", header, rows)["scores"] == right
    for bad in (["B", "q", "x"], ["A", "q", "0"], ["B", "Q", "0"], header, ["", "q", "1"]):
        assert oracle.reading("read", header, [rows[0], bad]) is None
    assert oracle.order_of("a > b = c") == [["a"], ["b", "c"]]
