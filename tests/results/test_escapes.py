"""Names are told as names: no terminal, spreadsheet or typesetter acts on what stands in them."""

import io
import json
import os
import re
import sys
import unicodedata

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli import commands
from betterthan.results import numbers as escapes
from betterthan.text import no_formula

NAMES = ["=1+1\u202eA", "@\u2066B\u200e", "+C\ufeff1m", "-D", "E"]
CONTROLLED = ["\x1b[31mA", "B\x07", "C\x9b1m", "D\0d", "E"]  # which no reader takes
PLAIN = "\n\u200c\u200d"  # no terminal acts on what joins two letters
FORMATS = ("text", "markdown", "html", "latex")


def acted_on(text):
    """Characters that a terminal acts on, and halves of characters."""
    return sorted(
        {ascii(c) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in PLAIN}
    )


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.integers(0, 2, 30) for name in NAMES})


@pytest.fixture
def path(frame, tmp_path):
    path = tmp_path / "r\x1b[2J\u202e.csv"
    frame.to_csv(path, index=False)
    return path


def run(capsys, monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, args)])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    out = capsys.readouterr()
    return stop.value.code or 0, out.out, out.err


@pytest.mark.parametrize("form", [*FORMATS, "json"])
def test_what_a_command_prints(path, capsys, monkeypatch, form):
    code, out, err = run(capsys, monkeypatch, "compare", path, "-f", form)
    assert code == 0
    assert (acted_on(out), acted_on(err)) == ([], [])
    if form == "json":
        assert {row["system"] for row in json.loads(out)["systems"]} == set(NAMES)


def test_what_a_refusal_prints(path, capsys, monkeypatch, tmp_path):
    path.write_text("item,\x1bA,B\nq1,1,\x1b]0;x\n")
    missing, other = tmp_path / "no\x1b.csv", tmp_path / "x\x1b.xlsx"
    other.write_text("x")
    target = tmp_path / "r\x1b.html"
    target.symlink_to(path)
    for args in ([path], [missing], [other], [tmp_path], [path, "-o", target]):
        code, out, err = run(capsys, monkeypatch, "compare", *args)
        assert (code, out, acted_on(err)) == (2, "", [])
        assert len(err.splitlines()) == 1


def test_an_answer_that_shows_itself(frame):
    comparison = bt.compare(frame)
    assert acted_on(repr(comparison)) == acted_on(comparison._repr_html_()) == []
    assert {*comparison.pairs["system"]} <= set(NAMES)


def test_names_that_no_reader_takes(frame):
    data = bt.compare(frame).by_engine()
    names = np.array(CONTROLLED, dtype=object)
    named = data.assign_coords({k: (k, names) for k in ("system_a", "system_b", "system")})
    for form in FORMATS:
        assert acted_on(bt.report(named, format=form, figures=False)) == []


def test_orders_with_figures():
    orders = bt.orders.read(
        pd.DataFrame({"judge": NAMES[:3], "order": ["a\u202e > b", "b > a\u202e", "a\u202e > b"]})
    )
    for form in FORMATS:
        assert acted_on(bt.report(orders, bt.orders.agreement(orders), format=form)) == []


def test_no_name_is_a_formula_in_the_table_that_is_written(path, capsys, monkeypatch, tmp_path):
    assert run(capsys, monkeypatch, "compare", path, "-o", tmp_path / "out")[0] == 0
    table = pd.read_csv(io.StringIO((tmp_path / "out" / "pairs.csv").read_text()))
    told = {*table["system"], *table["other"]}
    assert told == {f"'{name}" for name in NAMES[:4]} | {"E"}
    assert table["prob_better"].dtype == float


@pytest.mark.parametrize("text", ["=A1", "+1", "-x", "@x", "\tx", "\rx", "\uff1dA1"])
def test_formulas(text):
    assert no_formula(text) == f"'{text}"


def test_latex_knows_every_letter_of_what_it_is_given(frame):
    written = bt.compare(frame).report(format="latex")
    assert "\N{REPLACEMENT CHARACTER}" not in written
    assert escapes.latex("a\x1b\ufffd\ud800b") == "a???b"
    assert escapes.latex(" ") == ""


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
@pytest.mark.parametrize("record", ['{"item": "q\\ud800", "A": 1}', '{"item": "q", "A\\udfff": 1}'])
def test_half_a_character_is_refused(tmp_path, name, record):
    path = tmp_path / name
    path.write_text(f"[{record}]" if name == "t.json" else record)
    with pytest.raises(ValueError, match=rf"^{name}, .*holds half of a character") as error:
        bt.read(path)
    assert acted_on(str(error.value)) == []
    frame = pd.DataFrame({"gold": ["x", "y"], "A": ["x", "y\udc00"], "B": ["x", "y"]}, dtype=object)
    with pytest.raises(ValueError, match=r"row 1, column 'A', value .*half of a character"):
        bt.read(frame)


def test_a_file_whose_name_is_no_text(tmp_path, capsys, monkeypatch, frame):
    path = os.fsencode(tmp_path) + b"/r\xff.csv"
    with open(path, "w") as file:
        frame[["E", "-D"]].to_csv(file, index=False)
    code, out, err = run(capsys, monkeypatch, "compare", os.fsdecode(path), "-o", tmp_path / "r.md")
    assert (code, out, acted_on(err)) == (0, "", [])
    with open(path, encoding="utf-8") as file:
        assert file.readline() == "E,-D\n"


def test_letters_that_join_others_are_printed():
    """Persian words need U+200C, and emoji of several signs U+200D."""
    persian, emoji = "پارسی\u200cگو", "👩\u200d💻 coder"
    comparison = bt.compare({persian: [1, 1, 0, 1] * 9, emoji: [1, 0, 0, 1] * 9})
    for form in ("text", "markdown", "html"):
        page = comparison.report(format=form)
        assert "\N{REPLACEMENT CHARACTER}" not in page
        assert persian in page
        assert emoji in page
    assert "پارسیگو" in comparison.report(format="latex")


def test_names_written_from_right_to_left_stand_by_themselves():
    comparison = bt.compare({"جيس": [1, 1, 0, 1] * 9, "علام v2": [1, 0, 0, 1] * 9})
    page = comparison.report(format="html")
    shown = re.sub(
        r"<(script|style|svg|title)\b.*?</\1>|<(?!/?bdi)[^>]*>", "", page, flags=re.DOTALL
    )
    assert "<bdi>جيس</bdi> − <bdi>علام</bdi> v2" in shown
    assert not re.search("[ء-ي]", re.sub("<bdi>.*?</bdi>", "", shown))
    assert "<bdi>" not in bt.compare({"a": [1, 0] * 9, "b": [1, 1] * 9}).report(format="html")
