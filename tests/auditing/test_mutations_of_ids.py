"""The same mutations in logs that hold ids and scores, and little else: what they show is told."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import betterthan as bt

from .toy_ids import TOOLS
from .toy_logs import A, B, doubled, dropped, reworded, scored_in_error, swapped

WITH_CONTENT = ("Harbor", "tau2")  # a check sum of the task, or the task itself
WITHOUT_CONTENT = tuple(tool for tool in TOOLS if tool not in WITH_CONTENT)
UNNUMBERED = tuple(tool for tool in TOOLS if tool != "sacrebleu")
REPORTING = ("SWE-bench", "HELM", "trec_eval", "ir_measures")
TWICE = dict.fromkeys(("SWE-bench", "tau2", "HELM", "trec_eval", "ir_measures"), "twice")
TWICE["Harbor"] = "repeats"  # another trial of the task
# where one row failed and has a score: what says so
SCORED = {"Harbor": "errors", "tau2": "errors", "SWE-bench": "rows"}


def logs(folder, tool, given=B):
    folder.mkdir()
    TOOLS[tool][0](folder, {"a": A, "b": given})
    return folder


def findings(folder, tool):
    return bt.audit(folder, metric=TOOLS[tool][1]).findings


def scores(folder, tool):
    return bt.read(folder, metric=TOOLS[tool][1])


@cache
def unchanged(tool):
    """What is found in logs that nobody changed."""
    with TemporaryDirectory() as folder:
        return findings(logs(Path(folder) / "before", tool), tool)


def fresh(tmp_path, tool, given):
    """What is found in changed logs and was not in those that nobody changed."""
    before = unchanged(tool)
    after = findings(logs(tmp_path / "after", tool, given), tool)
    told = set(zip(before["code"], before["message"], strict=True))
    return after[[k not in told for k in zip(after["code"], after["message"], strict=True)]]


@pytest.mark.parametrize("tool", WITH_CONTENT)
@pytest.mark.parametrize("change", [swapped, reworded])
def test_an_id_of_another_task_stops(tmp_path, tool, change):
    found = fresh(tmp_path, tool, change(B))
    assert "stop" in set(found.loc[found["code"] == "content", "level"])
    with pytest.raises(ValueError, match="have different content"):
        scores(tmp_path / "after", tool)


@pytest.mark.parametrize("tool", WITHOUT_CONTENT)
def test_where_nothing_says_what_was_asked_an_exchange_cannot_be_seen(tmp_path, tool):
    """As `docs/guides/logs.md` says: such a log is as good as its ids."""
    found = fresh(tmp_path, tool, swapped(B))
    assert set(found["code"]) <= {"zeros"}


@pytest.mark.parametrize("tool", UNNUMBERED)
def test_a_dropped_row_is_missed(tmp_path, tool):
    found = fresh(tmp_path, tool, dropped(B))
    assert {"unmatched", "denominators"} <= set(found["code"])
    if tool in REPORTING:
        assert "warn" in set(found.loc[found["code"] == "reported", "level"])
    if tool == "Harbor":
        assert "warn" in set(found.loc[found["code"] == "missing", "level"])


@pytest.mark.parametrize("change", [dropped, doubled])
def test_another_number_of_sentences_is_refused(tmp_path, change):
    logs(tmp_path / "after", "sacrebleu", change(B))
    for read in (scores, findings):
        with pytest.raises(ValueError, match=r"b.txt: has [57] sentences and a.txt 6"):
            read(tmp_path / "after", "sacrebleu")


@pytest.mark.parametrize("tool", TWICE)
def test_a_doubled_row_is_told(tmp_path, tool):
    assert TWICE[tool] in set(fresh(tmp_path, tool, doubled(B))["code"])
    if TWICE[tool] == "twice":
        before = scores(logs(tmp_path / "before", tool), tool)
        after = scores(tmp_path / "after", tool)
        np.testing.assert_array_equal(before.values, after.values)


@pytest.mark.parametrize("tool", SCORED)
def test_a_score_on_a_row_that_failed_is_told(tmp_path, tool):
    found = fresh(tmp_path, tool, scored_in_error(B))
    (said,) = found.loc[found["code"] == SCORED[tool], "message"]
    assert {
        "Harbor": "1 trial with both a reward and an exception",
        "tau2": "has a reward and ended in too_many_errors",
        "SWE-bench": "1 instance of b.json resolved and in another list too",
    }[tool] in said


def test_a_number_of_helm_over_nothing_is_no_score(tmp_path):
    folder = logs(tmp_path / "after", "HELM", scored_in_error(B))
    found = findings(folder, "HELM")
    assert found.loc[found["code"] == "unscored", "n"].tolist() == [1]
    assert np.isnan(scores(folder, "HELM").sel(system="b").values).sum() == 1
    assert bt.read(folder, unscored="raw").sel(system="b").sum() == 3


@pytest.mark.parametrize("tool", TOOLS)
def test_logs_that_nobody_changed_do_not_stop(tool):
    found = unchanged(tool)
    assert "stop" not in set(found["level"])
    assert set(found.loc[found["code"] == "reported", "level"]) <= {"note"}
