"""Some thousand damaged files; ``python -m validation.fuzzing.run`` takes the many: 100,000.

All of this takes about 15 seconds of processor time: 1,000 tables, 2,400 logs, 600 baselines, 300
saved comparisons with other bytes, and 5 with other values.
"""

import json
import random
import re
import sys

import pytest

import betterthan as bt
from tests.fuzz.corpus import DAMAGED
from validation.fuzzing import (
    checking,
    files,
    log_checking,
    log_mutations,
    log_oracle,
    oracle,
    run,
    saved_checking,
    tables,
)
from validation.fuzzing.log_seeds import SEEDS

NUMBERS = {"tables": 1000, "baselines": 600, "netcdf": 300, "netcdf_values": 5}
LOGS, PARTS = 2400, 4  # in several tests, which run next to each other


def no_failures(outcomes):
    assert [one for one in outcomes if one.wrong] == []
    return [one for one in outcomes if one.verdict == "read"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_no_file_is_misread_hangs_or_ends_in_another_exception(tmp_path, kind):
    read = no_failures([run.KINDS[kind](seed, tmp_path) for seed in range(NUMBERS[kind])])
    if kind == "tables":
        assert len(read) > NUMBERS[kind] / 4  # else the mutations leave nothing to read
        assert {one.kind.split()[0] for one in read} == {
            make(random.Random(1)).kind for make in tables.KINDS
        }


@pytest.mark.parametrize("part", range(PARTS))
def test_no_log_is_misread_hangs_or_ends_in_another_exception(tmp_path, part):
    seeds = range(part, LOGS, PARTS)
    read = no_failures([log_checking.checked(seed, tmp_path) for seed in seeds])
    assert len(read) > LOGS / PARTS / 4
    assert {one.kind.split()[1] for one in read} == set(SEEDS)


def test_no_file_of_the_published_run_was_misread():
    kinds = json.loads(run.RESULTS.read_text())
    assert set(kinds) == set(run.KINDS)
    for name, kind in kinds.items():
        outcomes = [outcome for of in kind["outcomes"].values() for outcome in of]
        more = {"no digest"} if name == "netcdf_no_digest" else set()
        assert set(outcomes) <= {"equal", "refused"} | more
        assert sum(sum(of.values()) for of in kind["outcomes"].values()) == kind["number"]


def plain(kind):
    """The files of a log without damage."""
    texts = {
        name: log_mutations.packed(random.Random(1), {k: as_bytes(k, v) for k, v in value.items()})
        if name.endswith(".eval")
        else as_bytes(name, value)
        for name, value in SEEDS[kind].files.items()
    }
    return texts


def as_bytes(name, value):
    return log_mutations.text_of(random.Random(2), name, value).encode()


@pytest.mark.parametrize("kind", SEEDS)
def test_a_log_without_damage_is_read_as_a_strict_reader_reads_it(tmp_path, kind):
    seed, data = SEEDS[kind], plain(kind)
    outcome = log_checking.of_files(kind, data, [], tmp_path)
    assert outcome.verdict == "read", outcome.said
    assert len(getattr(log_oracle, seed.tool)(data)) >= 1


@pytest.fixture
def usual_depth():
    """The recursion limit that Python starts with: PyTensor raises it where it is loaded."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("usual_depth")
@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_log_is_refused_with_its_place(tmp_path, case):
    kind, name, old, new, message = DAMAGED[case]
    data = plain(kind)
    text = data[name].decode()
    assert old in text
    data[name] = text.replace(old, new, 1).encode()
    outcome = log_checking.of_files(kind, data, [case], tmp_path)
    assert outcome.verdict.startswith("refused"), outcome.said
    assert re.match(message, outcome.said), outcome.said


def test_a_log_that_loses_a_score_is_seen(tmp_path, monkeypatch):
    read_logs = bt.read_logs

    def forgetful(*arguments, **choices):
        logs = read_logs(*arguments, **choices)
        return type(logs)(logs.records.iloc[1:], logs.runs)

    monkeypatch.setattr(bt, "read_logs", forgetful)
    outcome = log_checking.of_files("tau2", plain("tau2"), [], tmp_path)
    assert outcome.verdict == "read as what it does not say"


def test_a_setting_with_half_of_a_character_stands_in_a_name_as_its_escape(tmp_path):
    text = plain("harbor")["a__0/result.json"].decode()
    for k, more in enumerate(("", '"\\ud800": 1, ')):
        path = tmp_path / f"a__{k}" / "result.json"
        path.parent.mkdir()
        path.write_text(text.replace('"model_name"', f'{more}"model_name"'))
    systems = bt.read_logs(tmp_path).runs["system"]
    assert systems[1] == r"terminus gpt-x (\ud800=1)"


def test_another_answer_of_a_gate_is_seen(tmp_path, monkeypatch):
    saved_checking.baseline(0, tmp_path)  # the answers without damage are kept
    gate = bt.gate
    monkeypatch.setattr(bt, "gate", lambda *files, margin: gate(*files, margin=margin / 2))
    assert "read as what it does not say" in {
        saved_checking.baseline(seed, tmp_path).verdict for seed in range(60)
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
