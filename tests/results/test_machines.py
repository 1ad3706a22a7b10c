"""What programs that run tests read of an answer."""

from xml.etree import ElementTree as Xml

import pandas as pd
import pytest

import betterthan as bt
from betterthan.auditing.answer import Audit
from betterthan.cli.gating import cases_of
from betterthan.results import machines

COUNTS = {("new", "old"): (12, 2, 86), ("bad", "old"): (1, 20, 79), ("new", "bad"): (5, 4, 91)}


@pytest.fixture(scope="module")
def comparison():
    return bt.compare(bt.counts.from_table(COUNTS), baseline="old")


def test_what_is_worse_than_the_baseline_has_failed(comparison):
    found = {frozenset(c.name.split(", ")): c for c in machines.pair_cases(comparison)}
    assert found[frozenset({"new", "old"})].state == "passed"
    assert found[frozenset({"bad", "old"})].state == "failed"
    assert found[frozenset({"new", "bad"})].state == "skipped"
    assert "P 0.99" in found[frozenset({"new", "old"})].message


def test_without_a_baseline_nothing_fails():
    cases = machines.pair_cases(bt.compare(bt.counts.from_table(COUNTS)))
    assert sorted(case.state for case in cases) == ["passed", "passed", "skipped"]


def test_the_probability_is_that_of_the_verdict():
    counts = {("A", "B"): (31, 30, 439), ("A", "C"): (90, 2, 908), ("C", "D"): (0, 0, 0)}
    comparison = bt.compare(bt.counts.from_table(counts), rope=0.05)
    found = {case.name: case.message for case in machines.pair_cases(comparison)}
    within, other = comparison.pairs.set_index(["system", "other"]).loc[("A", "B")][
        ["within_rope", "prob_better"]
    ]
    assert found["A, B"] == f"A equivalent: P {within:.3f}"
    assert 0.5 < other < 0.95 < within < 0.999
    assert found["A, C"] == "A better: P > 0.999"
    assert {found[name][1:] for name in found if "D" in name} == {" no data"}


def test_junit_counts_its_cases_and_can_be_parsed(comparison):
    odd = machines.Case('<a> & "b"\x1b', "failed", "\x07 <worse>")
    root = Xml.fromstring(
        machines.junit("pairs", [*machines.pair_cases(comparison), odd]).split("\n", 1)[1]
    )
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "2", "1")
    last = root.findall("testcase")[-1]
    assert last.get("name") == '<a> & "b"?'
    assert last.find("failure").get("message") == "? <worse>"


def test_only_what_stops_a_comparison_has_failed():
    rows = [("content", "stop", "ids differ"), ("limit", "warn", "limit 6 and 5")]
    findings = pd.DataFrame(rows, columns=["code", "level", "message"])
    audit = Audit(findings, pd.DataFrame(), pd.DataFrame())
    cases = cases_of(audit, strict=False)
    assert [(c.name, c.state) for c in cases] == [
        ("content: ids differ", "failed"),
        ("limit: limit 6 and 5", "passed"),
    ]
    assert [c.state for c in cases_of(audit, strict=True)] == ["failed", "failed"]


def test_a_step_summary_is_added_to_or_said_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    with pytest.raises(ValueError, match="GITHUB_STEP_SUMMARY is not set"):
        machines.step_summary("# A")
    file = tmp_path / "summary.md"
    file.write_text("# before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    machines.step_summary("# A\n")
    assert file.read_text() == "# before\n# A\n\n"
