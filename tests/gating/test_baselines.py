"""A baseline file that was edited: its digest sees every edit, and its schema every bad value."""

import json
import re
import sys

import pandas as pd
import pytest
from gating.made import answers, first, log, rehashed, table

import betterthan as bt
from betterthan.cli import commands
from betterthan.cli.options import in_options
from betterthan.gating import baseline_files
from betterthan.gating.inputs import accept_candidate

OLD = first(60)
NEW = answers(OLD, 0.1, 0.04)
DEEP = "[" * 100_000 + "]" * 100_000
LONG = "9" * 5_000


@pytest.fixture
def sides(tmp_path):
    """Of each kind the file of a baseline, and results to compare with it."""
    made = {"table": (table, "csv"), "logs": (log, "json")}
    found = {}
    for kind, (writer, suffix) in made.items():
        old, new = (tmp_path / f"{name}.{suffix}" for name in ("old", "new"))
        kept = tmp_path / f"{kind}-base.csv"
        baseline_files.write(kept, accept_candidate(writer(old, OLD), {}))
        found[kind] = kept, writer(new, NEW)
    return found


def header(key, value):
    """The line of a key with another value; without the line where there is none."""
    line = "" if value is None else f"# {key}: {value}\n"
    return lambda text: re.sub(rf"# {key}: .*\n", lambda _: line, text, count=1)


def run(**keys):
    """The only run with other values; without the key where there is none."""

    def edited(text):
        (one,) = json.loads(re.search(r"# runs: (.*)\n", text)[1])
        one |= {key: value for key, value in keys.items() if value is not None}
        kept = {key: value for key, value in one.items() if keys.get(key, "") is not None}
        return header("runs", json.dumps([kept]))(text)

    return edited


def cell(column, value):
    """The third row with another cell."""

    def edited(text):
        lines = text.splitlines(keepends=True)
        at = next(k for k, line in enumerate(lines) if not line.startswith("#"))
        cells = lines[at + 3].rstrip("\n").split(",")
        cells[lines[at].rstrip("\n").split(",").index(column)] = value
        lines[at + 3] = ",".join(cells) + "\n"
        return "".join(lines)

    return edited


def replaced(before, after):
    return lambda text: text.replace(before, after, 1)


def added(line):
    return replaced("# items: ", f"{line}\n# items: ")


HEADER = {
    "version a number": ("table", header("version", 5), "key 'version', value 5: give text"),
    "no version": ("table", header("version", None), "key 'version' is missing"),
    "no kind": ("table", header("kind", None), "key 'kind' is missing"),
    "kind a list": ("table", header("kind", '["table"]'), "value ['table']: give table or logs"),
    "kind unknown": ("logs", header("kind", '"log"'), "key 'kind', value 'log': give table or"),
    "kind of the other": ("table", header("kind", '"logs"'), "key 'metric' is missing"),
    "no source": ("table", header("source", None), "key 'source' is missing"),
    "source a number": ("logs", header("source", 1), "key 'source', value 1: give text"),
    "no sources": ("table", header("sources", None), "key 'sources' is missing"),
    "sources a text": ("table", header("sources", '"ab"'), "key 'sources', value 'ab': give a"),
    "sources of numbers": ("logs", header("sources", "[1]"), "key 'sources', value [1]: give"),
    "no items": ("table", header("items", None), "key 'items' is missing"),
    "no digest": ("table", header("digest", None), "key 'digest' is missing"),
    "digest a number": ("logs", header("digest", 12), "key 'digest', value 12: give 12 hexa"),
    "no direction": ("table", header("higher_is_better", None), "'higher_is_better' is missing"),
    "direction a text": ("table", header("higher_is_better", '"no"'), "give true or false"),
    "unknown key": ("table", added("# note: 1"), "key 'note' is unknown; give version, kind"),
    "a key twice": ("table", added('# kind: "table"'), "row 7: the key 'kind' occurs twice"),
    "no value": ("table", added("# a note"), "row 7: not valid JSON"),
    "value cut": ("logs", header("sources", '["ab'), "row 5: not valid JSON"),
    "value deep": ("logs", header("runs", DEEP), "row 7: not readable as JSON (nested"),
    "value long": ("logs", header("runs", LONG), "row 7: not readable as JSON"),
    "a key twice in a run": ("logs", replaced('"tool":', '"task": "", "tool":'), "'task' occurs"),
    "another form": ("table", replaced("baseline 2:", "baseline 99:"), "of form '99'"),
    "no form": ("table", replaced("baseline 2:", "baseline :"), "is a baseline of form ''"),
    "no metric": ("logs", header("metric", None), "key 'metric' is missing"),
    "metric a list": ("logs", header("metric", "[]"), "key 'metric', value []: give text"),
    "no runs": ("logs", header("runs", None), "key 'runs' is missing"),
    "runs a number": ("logs", header("runs", 5), "key 'runs', value 5: give a list"),
    "runs empty": ("logs", header("runs", "[]"), "key 'runs', value []: give a list of at least"),
    "a run a number": ("logs", header("runs", "[5]"), "key 'runs', value [5]: give a list"),
    "run without lower": ("logs", run(lower=None), "key 'runs[0].lower' is missing"),
    "run with another key": ("logs", run(note=1), "key 'runs[0].note' is unknown; give system"),
    "run, tool a number": ("logs", run(tool=1), "key 'runs[0].tool', value 1: give text"),
    "run, system a number": ("logs", run(system=1), "'runs[0].system', value 1: give text"),
    "run, task no text": ("logs", run(task="\ud800"), "'runs[0].task', value '\\ud800': give text"),
    "run, config a list": ("logs", run(config=[1]), "'runs[0].config', value [1]: give an object"),
    "run, epochs a text": ("logs", run(epochs="x"), "'runs[0].epochs', value 'x': give a whole"),
    "run, epochs 0": ("logs", run(epochs=0), "'runs[0].epochs', value 0: give a whole"),
    "run, epochs true": ("logs", run(epochs=True), "'runs[0].epochs', value True: give a whole"),
    "run, own_ids a text": ("logs", run(own_ids="x"), "'runs[0].own_ids', value 'x': give true"),
    "run, lower a number": ("logs", run(lower=0), "'runs[0].lower', value 0: give true or false"),
    "run, state unknown": ("logs", run(state="fine"), "value 'fine': give done or failed or died"),
}
ROWS = {
    "run 99": ("logs", cell("run", "99"), "column 'run', value '99': give 0, the only run"),
    "run -1": ("logs", cell("run", "-1"), "column 'run', value '-1': give 0"),
    "run a word": ("logs", cell("run", "x"), "column 'run', value 'x': give 0"),
    "no run": ("logs", cell("run", ""), "column 'run', value '': give 0"),
    "epoch long": ("logs", cell("epoch", "9" * 30), "column 'epoch', value '999"),
    "epoch beyond 32 bits": ("logs", cell("epoch", "2147483648"), "value '2147483648'"),
    "epoch a word": ("logs", cell("epoch", "x"), "column 'epoch', value 'x': give a whole number"),
    "no epoch": ("logs", cell("epoch", ""), "column 'epoch', value '': give a whole number"),
    "epoch a fraction": ("logs", cell("epoch", "1.5"), "column 'epoch', value '1.5': give a whole"),
    "content no digest": ("logs", cell("content", "zz"), "'content', value 'zz': give 32 hexa"),
    "content cut": ("logs", cell("content", "abc"), "column 'content', value 'abc': give 32 hexa"),
    "prompt cut": ("logs", cell("prompt", "ab"), "column 'prompt', value 'ab': give 32 hexa"),
    "score a word": ("logs", cell("score", "x"), "'score', value 'x': give a finite"),
    "score not finite": ("logs", cell("score", "1e999"), "'score', value '1e999': give a finite"),
    "ok with an infinite score": ("logs", cell("score", "inf"), "value 'inf': give the score"),
    "ok without a score": ("logs", cell("score", ""), "column 'score', value '': give the score"),
    "status unknown": ("logs", cell("status", "fine"), "column 'status', value 'fine': give ok or"),
    "table, score a word": ("table", cell("score", "x"), "'score', value 'x': give a finite"),
    "table, score nan": ("table", cell("score", "nan"), "'score', value 'nan': give a finite"),
    "table, no item": ("table", cell("item", " "), "column 'item', value ' ': give an id"),
    "a cell too many": ("table", cell("score", "1,1"), "has 6 cells where the header has 5"),
    "a cell too few": ("table", replaced(",q3,,,1\n", ",q3,,1\n"), "row 12: has 4 cells"),
    "a quote left open": ("table", cell("item", '"q3'), "row 12: not readable as CSV"),
    "a column renamed": ("table", replaced("item,epoch", "id,epoch"), "columns are 'dataset,id,"),
    "no rows": ("table", lambda text: text[: text.index(",q1,")], "no row"),
    "no table": ("table", lambda text: text[: text.index("dataset,")], "is empty"),
    "zero bytes": ("table", replaced("q3", "q\0"), "holds zero bytes"),
}
EDITS = HEADER | ROWS


def refused(monkeypatch, capsys, kept, new, said):
    """In one line by Python and by the command line, which names the file."""
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        bt.gate(kept, new, margin=0.05)
    line = str(caught.value)
    assert line.startswith(kept.name)
    assert "\n" not in line
    monkeypatch.setattr(
        sys, "argv", ["betterthan", "gate", str(kept), str(new), "--margin", "0.05"]
    )
    with pytest.raises(SystemExit) as stop:
        commands.main()
    out = capsys.readouterr()
    assert (stop.value.code, out.out, out.err) == (2, "", f"error: {in_options(line)}\n")


@pytest.mark.parametrize("rehash", [False, True], ids=["", "rehashed"])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_that_fits_no_schema_is_one_line_with_its_place(
    sides, monkeypatch, capsys, edit, rehash
):
    kind, change, said = EDITS[edit]
    kept, new = sides[kind]
    before = kept.read_text()
    after = change(before)
    assert after != before
    kept.write_text(rehashed(after) if rehash else after)
    refused(monkeypatch, capsys, kept, new, said)


def test_a_row_that_is_refused_is_the_line_of_the_file(sides):
    kept, new = sides["logs"]
    kept.write_text(cell("run", "-1")(kept.read_text()))
    line = 1 + next(k for k, one in enumerate(kept.read_text().splitlines()) if one[:2] == "-1")
    with pytest.raises(ValueError, match=rf"^logs-base.csv, row {line}, column 'run', value '-1'"):
        bt.gate(kept, new, margin=0.05)


def test_a_file_that_is_not_utf_8_is_refused_with_its_row(sides):
    kept, new = sides["table"]
    kept.write_bytes(kept.read_bytes().replace(b"q3", b"\xff3"))
    with pytest.raises(ValueError, match=r"^table-base.csv, row 12: not UTF-8 \(byte 0xff\)"):
        bt.gate(kept, new, margin=0.05)


FITTING = {
    "version": ("table", header("version", '"0.0.1"')),
    "source": ("table", header("source", '"other.csv"')),
    "sources": ("table", header("sources", "[]")),
    "direction": ("table", header("higher_is_better", "false")),
    "items": ("table", header("items", '"0123456789ab"')),
    "digest": ("table", header("digest", '"0123456789ab"')),
    "first line": ("table", replaced("which writes it again", "by hand")),
    "score": ("table", cell("score", "0")),
    "item": ("table", cell("item", "q300")),
    "row gone": ("table", replaced(",q3,,,1\n", "")),
    "row twice": ("table", replaced(",q3,,,1\n", ",q3,,,1\n,q3,,,1\n")),
    "metric": ("logs", header("metric", '"f1"')),
    "run": ("logs", run(lower=True)),
    "settings": ("logs", run(config={})),
    "log score": ("logs", cell("score", "0")),
    "log status": ("logs", cell("status", "error")),
    "prompt": ("logs", cell("prompt", "0" * 32)),
    "content": ("logs", cell("content", "")),
}


@pytest.mark.parametrize("edit", FITTING)
def test_an_edit_of_any_key_or_row_is_seen(sides, edit):
    kind, change = FITTING[edit]
    kept, new = sides[kind]
    assert bt.gate(kept, new, margin=0.05).verdict != "not comparable"
    kept.write_text(change(kept.read_text()))
    found = bt.gate(kept, new, margin=0.05)
    assert (found.verdict, found.exit_code) == ("not comparable", 4)
    assert found.why == (f"{kept.name} was changed after it was accepted; accept it again",)


def test_a_turned_direction_turns_no_verdict(sides, tmp_path):
    kept, _ = sides["table"]
    worse = table(tmp_path / "worse.csv", answers(OLD, 0.0, 0.5))
    assert bt.gate(kept, worse, margin=0.05).verdict == "worse"
    kept.write_text(header("higher_is_better", "false")(kept.read_text()))
    assert bt.gate(kept, worse, margin=0.05).verdict == "not comparable"


def test_the_digest_is_no_signature(sides):
    kept, new = sides["table"]
    kept.write_text(rehashed(cell("score", "0")(kept.read_text())))
    assert bt.gate(kept, new, margin=0.05).verdict != "not comparable"


def test_an_infinite_number_of_a_sample_without_a_score_is_read_again(sides):
    kept, new = sides["logs"]
    text = cell("status", "unscored")(cell("score", "inf")(kept.read_text()))
    kept.write_text(rehashed(text))
    assert bt.gate(kept, new, margin=0.05).evidence.missing == (1, 0)


def test_a_baseline_by_another_metric_is_not_comparable(sides):
    kept, new = sides["logs"]
    kept.write_text(rehashed(header("metric", '"f1\\n"')(kept.read_text())))
    found = bt.gate(kept, new, margin=0.05)
    assert found.exit_code == 4
    assert found.why == (r"the candidate has no score by 'f1\n', the metric of logs-base.csv",)


def test_an_item_that_occurs_twice_is_refused_with_its_row(sides, monkeypatch, capsys):
    kept, new = sides["table"]
    kept.write_text(rehashed(cell("item", "q1")(kept.read_text())))
    refused(monkeypatch, capsys, kept, new, "'q1'")
    with pytest.raises(ValueError, match=r"^table-base.csv, row 12"):
        bt.gate(kept, new, margin=0.05)


@pytest.mark.parametrize("column", ["dataset", "epoch", "cluster"])
def test_a_column_that_is_filled_in_one_row_is_refused(sides, monkeypatch, capsys, column):
    kept, new = sides["table"]
    kept.write_text(rehashed(cell(column, "1")(kept.read_text())))
    refused(monkeypatch, capsys, kept, new, f"column '{column}', value '': blank")


def test_a_baseline_that_an_editor_saved_with_a_mark_is_one(tmp_path):
    """Notepad and Excel put a byte order mark in front."""
    old = table(tmp_path / "old.csv", [1.0, 0.0] * 100)
    kept = tmp_path / "base.csv"
    baseline_files.write(kept, accept_candidate(old, {}))
    kept.write_bytes(b"\xef\xbb\xbf" + kept.read_bytes())
    new = table(tmp_path / "new.csv", [0.0, 0.0, *[1.0, 0.0] * 99])
    assert bt.gate(kept, new, margin=0.1).verdict == "pass"


GOLD = ["yes", "no", "yes", "no", "no"] * 30
ANSWERS = ["yes", "no", "yes", "no", "yes"] * 30
BETTER = GOLD[:75] + ANSWERS[75:]


@pytest.mark.parametrize("what", ["question", "gold"])
def test_a_baseline_knows_the_questions_and_labels_that_it_was_accepted_with(what, tmp_path):
    def results(name, answers, changed):
        labels = ANSWERS[:10] + GOLD[10:] if changed else GOLD
        rows = pd.DataFrame({"item": range(150), "gold": labels, "prediction": answers})
        if what == "question":
            kind = "easier question" if changed else "question"
            rows["score"] = (rows.pop("gold") == rows.pop("prediction")).astype(int)
            rows["question"] = [f"{kind} {k}" for k in range(150)]
        rows.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    kept = tmp_path / "base.csv"
    baseline_files.write(kept, accept_candidate(results("old.csv", ANSWERS, changed=False), {}))
    assert ",content\n" in kept.read_text()
    assert bt.gate(kept, results("new.csv", BETTER, changed=False), margin=0.05).verdict == "pass"
    decision = bt.gate(kept, results("other.csv", BETTER, changed=True), margin=0.05)
    assert decision.verdict == "not comparable"
    assert "had another question or gold label when base.csv was accepted" in decision.why[0]
    pd.DataFrame({"item": range(150), "score": 1}).to_csv(tmp_path / "plain.csv", index=False)
    assert bt.gate(kept, tmp_path / "plain.csv", margin=0.05).verdict == "pass"  # knows neither


def test_an_id_that_begins_with_an_apostrophe_is_read_as_it_was_accepted(tmp_path):
    rows = [{"item": item, "score": "1"} for item in ("'tis", "'=1", "=1", "tis")]
    about = {"source": "a.csv", "higher_is_better": True, "sources": []}
    baseline_files.write(tmp_path / "b.csv", baseline_files.Baseline("table", rows, about))
    stored = baseline_files.read(tmp_path / "b.csv")
    assert not stored.refusal
    assert [row["item"] for row in stored.baseline.rows] == ["'tis", "'=1", "=1", "tis"]
