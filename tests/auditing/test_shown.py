"""An audit shows itself in text, HTML, Markdown and JSON, and on the command line."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.auditing.answer import lines as findings
from betterthan.auditing.answer_checks import bounds_lines
from betterthan.cli.commands import main
from betterthan.results.kinds import build_page
from betterthan.results.text import as_text

from .test_checks import SIX, of, run, scores
from .toy_logs import MEANS, PROMPT, A, B, inspect

LONG = of(run("<b>a|b</b>", SIX), run("b\u202e[31m", SIX | {"q5": None}))


def test_levels_stand_in_order_and_the_table_below():
    few = {k: v for k, v in SIX.items() if k != "q5"}
    text = repr(bt.audit(of(run("a", SIX), run("b", few))))
    lines = text.splitlines()
    assert lines[0].endswith("can be misleading: 2 warnings, 2 info messages.")
    first = lines.index("Errors and warnings") + 4
    starts = [line.split()[0] for line in lines[first:] if line[1:8].strip()]
    assert [word for word in starts if word in ("error", "warning", "info")] == [
        "warning",
        "warning",
        "info",
        "info",
    ]
    heads = "System Items Runs per item Runs Scored Errors Unscored Missing Mean score"
    assert heads.split() in [line.split() for line in lines]
    assert "Scores by system" in lines
    assert lines[-1].endswith("| audit | 2 logs of Toy, 2 systems")


def test_names_are_no_markup():
    found = bt.audit(LONG)
    assert "<b>" not in found._repr_html_().replace("<b>warn", "").replace("<b>note", "").replace(
        "<p><b>", ""
    )
    assert "\u202e" not in found._repr_html_() + repr(found) + found.to_markdown()
    assert r"\<b\>a\|b" in found.to_markdown()


def test_findings_take_the_width_that_there_is():
    page = bt.audit(LONG).document()
    for width in (60, 80, 160):
        lines = as_text(page, width).splitlines()
        assert all(len(line) <= width for line in lines if not line.startswith("betterthan "))
    wide = as_text(page, 160)
    assert all(said in wide for _, _, said in findings(bt.audit(LONG)))


def test_a_report_has_what_is_printed_and_more():
    found = bt.audit(LONG)
    whole, brief = build_page(found), found.document()
    assert whole.signatures == brief.signatures
    assert whole.answer[0] == brief.answer[0]
    assert [part.tables[0].rows for part in brief.parts] == [
        part.tables[0].rows for part in whole.parts if part.tables
    ]


def test_five_cases_of_a_check_are_shown_and_all_are_in_the_table():
    values = np.tile([[1.0], [0.0]], (10, 8))
    found = bt.audit(scores(values, "ABCDEFGH"))
    assert (found.findings["code"] == "twins").sum() == 28
    assert repr(found).count("have the same score on") == 5
    assert "and 23 more: .findings has all" in repr(found)


def test_json_has_a_schema_and_all_tables():
    found = bt.audit(LONG)
    told = json.loads(found.to_json())
    assert told["schema"] == "betterthan.audit/1"
    assert told["level"] == "warn"
    assert set(told) == {*("schema", "version", "source", "level"), "findings", "table", "bounds"}
    assert len(told["findings"]) == len(found.findings)
    assert isinstance(found.bounds, pd.DataFrame)
    assert told["bounds"][0]["n_missing"] == 1


def code_of(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["betterthan", "audit", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code or 0


def logs(folder, given=B, prompts=PROMPT):
    folder.mkdir()
    inspect(folder, {"a": A, "b": given}, dict.fromkeys(MEANS, prompts))
    return folder


def test_exit_codes(tmp_path, monkeypatch, capsys):
    folder = logs(tmp_path / "warned")
    assert code_of(monkeypatch, folder) == 0
    assert "runs that ended in an error: b 1 of 6" in capsys.readouterr().out
    assert code_of(monkeypatch, folder, "--strict") == 1
    swapped = [B[1], B[0], *B[2:]]
    stopped = logs(tmp_path / "stopped", [type(b)(A[k].id, b.q) for k, b in enumerate(swapped)])
    capsys.readouterr()
    assert code_of(monkeypatch, stopped, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["level"] == "stop"
    assert code_of(monkeypatch, tmp_path / "nothing") == 2
    assert code_of(monkeypatch, folder, "--metric", "no such") == 2
    assert code_of(monkeypatch, folder, "--format", "html") == 2
    assert "format is 'html'; choose one of text, markdown, json" in capsys.readouterr().err


def test_a_table_is_audited_too(tmp_path, monkeypatch, capsys):
    path = tmp_path / "results.csv"
    path.write_text("item,A,B\nq1,1,0\nq2,0,\nq3,1,1\n")
    assert code_of(monkeypatch, path, "--format", "markdown") == 0
    assert (
        "| warning | unmatched | 1 of 3 items lacks a score of some system"
        in capsys.readouterr().out
    )


def test_an_answer_has_the_lines_that_stop_or_warn():
    values = [(1, 0)] * 6 + [(1, 1)] * 3 + [(np.nan, 0)] * 2
    found = bt.compare(scores(values))
    (line,) = found.provenance.bounds
    assert (
        line == 'the verdict "A better than B" holds for every value of the 2 missing scores: P(A '
        "better) is between 0.992 and 0.998"
    )
    said = " ".join(repr(found).split())
    assert "Audit" not in said  # that a verdict holds changes nothing for its reader
    assert "! Missing data" not in said
    assert f"Audit - {line}" in " ".join(bt.report(found).split())
    assert bt.compare(scores(values[:9])).provenance.bounds is None
    assert bt.compare(scores(values), missing="complete").provenance.bounds is None


def test_an_answer_from_logs_has_their_errors(tmp_path):
    found = bt.compare(bt.read(logs(tmp_path / "logs")))
    assert found.provenance.audit[0] == "runs that ended in an error: b 1 of 6"
    assert any(
        "holds for every value of the missing score" in line for line in found.provenance.bounds
    )


def test_whether_a_verdict_holds_is_told_from_the_side_that_is_ahead():
    scores = xr.DataArray(
        [[0, 1], [0, 1], [1, 0], [np.nan, 1]],
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    (line,) = bounds_lines(scores)
    assert line.startswith(
        'the verdict on B and A, "undecided", holds for every value of the missing score'
    )
    (turned,) = bounds_lines(scores[:, ::-1])
    assert turned == line
