"""A baseline signed with a key of the environment: no edit is believed, and no text has the key."""

import re
import sys

import pandas as pd
import pytest
from gating.made import answers, first, log, rehashed, table

import betterthan as bt
from betterthan.cli import commands
from betterthan.gating import baseline_files

OLD = first(60)
KEY = "correct horse battery staple"
OTHER = "staple battery horse correct"
VARIABLE = "BETTERTHAN_GATE_KEY"


@pytest.fixture
def gate(tmp_path, monkeypatch, capsys):
    """Run the command with a key; exit code, stdout and stderr, in which the key never is."""

    def run(key, *args):
        monkeypatch.delenv(VARIABLE, raising=False)
        if key is not None:
            monkeypatch.setenv(VARIABLE, key)
        monkeypatch.setattr(sys, "argv", ["betterthan", "gate", *map(str, args)])
        try:
            commands.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        for text in (out, err, *(path.read_text() for path in tmp_path.iterdir())):
            assert not key or key not in text
        return code, out, err

    return run


@pytest.fixture
def sides(tmp_path):
    writer = {"csv": table, "json": log}
    found = {}
    for suffix, write in writer.items():
        old = write(tmp_path / f"old.{suffix}", OLD)
        new = write(tmp_path / f"new.{suffix}", answers(OLD, 0.1, 0.04))
        found[suffix] = old, new, tmp_path / f"{suffix}-base.csv"
    return found


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_signed_baseline_is_compared_as_an_unsigned_one(gate, sides, suffix):
    old, new, kept = sides[suffix]
    assert gate(None, kept, old, "--accept")[:2] == (
        0,
        f"accepted: {kept} holds 60 scores of {old.name}; commit it\n",
    )
    plain = gate(None, kept, new, "--margin", 0.05)
    code, out, _ = gate(KEY, kept, old, "--accept")
    assert (code, out) == (
        0,
        f"accepted and signed: {kept} holds 60 scores of {old.name}; commit it\n",
    )
    assert re.search(r"^# signature: \"[0-9a-f]{64}\"$", kept.read_text(), re.M)
    assert gate(KEY, kept, new, "--margin", 0.05) == plain
    unverified = gate(None, kept, new, "--margin", 0.05)
    assert unverified[0] == plain[0]
    assert f"{kept.name} is signed, and unverified: {VARIABLE} is not set" in unverified[1]


def signature(text, other=None):
    """The text without its signature, or with that of another."""
    line = re.compile(r'# signature: "[0-9a-f]+"\n')
    return line.sub("" if other is None else line.search(other)[0], text)


WRONG = {
    "unsigned": signature,
    "another score": lambda text: rehashed(text.replace(",q3,,,1\n", ",q3,,,0\n")),
    "another direction": lambda text: rehashed(text.replace("better: true", "better: false")),
    "another source": lambda text: rehashed(text.replace("old.csv", "odd.csv")),
    "another version": lambda text: rehashed(re.sub("version: .*", 'version: "0.0.1"', text)),
    "a row gone": lambda text: rehashed(text.replace(",q3,,,1\n", "")),
    "signature of others": lambda text: re.sub("signature: .*", f'signature: "{"0" * 64}"', text),
    "digest alone": lambda text: re.sub("digest: .*", 'digest: "0123456789ab"', text),
}


@pytest.mark.parametrize("edit", WRONG)
def test_an_edit_that_was_rehashed(gate, sides, edit):
    old, new, kept = sides["csv"]
    gate(KEY, kept, old, "--accept")
    before = kept.read_text()
    kept.write_text(WRONG[edit](before))
    assert kept.read_text() != before
    code, out, _ = gate(KEY, kept, new, "--margin", 0.05)
    assert (code, out.splitlines()[-1]) == (4, "gate: not comparable")
    expected = "is not signed" if edit == "unsigned" else "was changed after it was accepted"
    assert f"not comparable: {kept.name} {expected}" in out


def test_another_key_is_not_comparable(gate, sides):
    old, new, kept = sides["csv"]
    gate(OTHER, kept, old, "--accept")
    code, out, _ = gate(KEY, kept, new, "--margin", 0.05)
    assert code == 4
    assert f"{kept.name} was changed after it was accepted, or signed with another key" in out


def test_a_table_as_baseline_is_unsigned(gate, sides, monkeypatch):
    old, new, _ = sides["csv"]
    assert gate(None, old, new, "--margin", 0.05)[0] != 4
    code, out, _ = gate(KEY, old, new, "--margin", 0.05)
    assert code == 4
    assert f"not comparable: the baseline is not signed, and {VARIABLE} is set" in out
    frames = [pd.read_csv(path) for path in (old, new)]
    assert bt.gate(*frames, margin=0.05).verdict != "not comparable"


@pytest.mark.parametrize("key", ["", "tiny-key", "x" * 15, "é" * 7])
@pytest.mark.parametrize("args", [["--accept"], ["--margin", "0.05"]])
def test_a_short_key_is_one_line_and_code_2(gate, sides, key, args):
    old, new, kept = sides["csv"]
    code, out, err = gate(key, old if args[1:] else kept, new, *args)
    assert (code, out) == (2, "")
    assert err == f"error: {VARIABLE} is shorter than 16 bytes; set a longer key, or unset it\n"
    assert not kept.exists()


def test_sixteen_bytes_are_a_key(monkeypatch):
    monkeypatch.setenv(VARIABLE, "é" * 8)
    assert baseline_files.signing_key() == "é".encode() * 8


def test_a_signature_that_is_none_is_refused_with_its_key(gate, sides):
    old, new, kept = sides["csv"]
    gate(KEY, kept, old, "--accept")
    kept.write_text(re.sub("signature: .*", "signature: 5", kept.read_text()))
    code, _, err = gate(KEY, kept, new, "--margin", 0.05)
    assert code == 2
    assert "key 'signature', value 5: give 64 hexadecimal digits" in err
