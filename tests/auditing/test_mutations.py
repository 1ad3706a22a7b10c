"""One thing is made wrong in a toy log of each tool: the audit says so, or nothing was wrong."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

from . import toy_logs
from .toy_logs import PROMPT, TOOLS, A, B, doubled, dropped, reworded, scored_in_error, swapped

PROMPTS = {"a": PROMPT, "b": PROMPT}
OWN_IDS = ("Inspect", "LangSmith", "deepeval", "pydantic-evals", "Every Eval Ever")
BY_CONTENT = ("lm-eval", "promptfoo", "MLflow", "Braintrust")
NUMBERED = tuple(tool for tool in BY_CONTENT if tool != "promptfoo")
# of a row that stands twice: counted once, taken as a run again, or refused as two of one question
TWICE = {
    "Inspect": "twice",
    "lm-eval": "twice",
    "Every Eval Ever": "twice",
    "LangSmith": "repeats",
    "pydantic-evals": "repeats",
    "promptfoo": "twice",
    "MLflow": "double",
    "Braintrust": "double",
    "deepeval": "double",
}
WITH_ERRORS = ("Inspect", "promptfoo", "MLflow", "LangSmith", "Braintrust", "deepeval")
WITH_PROMPTS = {"Inspect": "warn", "lm-eval": "warn", "promptfoo": "note"}
REPORTING = ("Inspect", "lm-eval", "Every Eval Ever")


def logs(folder, tool, given=B, prompts=PROMPTS):
    folder.mkdir()
    TOOLS[tool][0](folder, {"a": A, "b": given}, prompts)
    return folder


def findings(folder, tool):
    return bt.audit(folder, metric=TOOLS[tool][1]).findings


@cache
def unchanged(tool):
    """What is found in logs that nobody changed."""
    with TemporaryDirectory() as folder:
        return findings(logs(Path(folder) / "before", tool), tool)


def fresh(tmp_path, tool, given=B, prompts=PROMPTS):
    """What is found in changed logs and was not in those that nobody changed."""
    before = unchanged(tool)
    after = findings(logs(tmp_path / "after", tool, given, prompts), tool)
    told = set(zip(before["code"], before["message"], strict=True))
    new = [key not in told for key in zip(after["code"], after["message"], strict=True)]
    return after[new]


def scores(folder, tool):
    return bt.read(folder, metric=TOOLS[tool][1])


@pytest.mark.parametrize("tool", OWN_IDS)
@pytest.mark.parametrize("change", [swapped, reworded])
def test_an_id_that_stands_for_another_question_stops(tmp_path, tool, change):
    found = fresh(tmp_path, tool, change(B))
    assert "stop" in set(found.loc[found["code"] == "content", "level"])
    with pytest.raises(ValueError, match="have different content"):
        scores(tmp_path / "after", tool)


def test_tests_of_promptfoo_that_changed_places_are_told(tmp_path):
    found = fresh(tmp_path, "promptfoo", swapped(B))
    assert {"renamed", "unmatched"} <= set(found["code"])


@pytest.mark.parametrize("tool", NUMBERED)
def test_where_ids_are_places_exchanging_them_changes_nothing(tmp_path, tool):
    before = scores(logs(tmp_path / "before", tool), tool)
    after = scores(logs(tmp_path / "after", tool, swapped(B)), tool)
    np.testing.assert_array_equal(before.values, after.values)


@pytest.mark.parametrize("tool", BY_CONTENT)
def test_where_ids_are_places_another_question_is_another_item(tmp_path, tool):
    found = fresh(tmp_path, tool, reworded(B))
    assert "warn" in set(found.loc[found["code"] == "unmatched", "level"])


@pytest.mark.parametrize("tool", TOOLS)
def test_a_dropped_row_is_missed(tmp_path, tool):
    found = fresh(tmp_path, tool, dropped(B))
    assert {"unmatched", "denominators"} <= set(found["code"])
    if tool in REPORTING:
        assert "warn" in set(found.loc[found["code"] == "reported", "level"])


@pytest.mark.parametrize("tool", TOOLS)
def test_a_doubled_row_is_told(tmp_path, tool):
    found = fresh(tmp_path, tool, doubled(B))
    assert TWICE[tool] in set(found["code"])


@pytest.mark.parametrize("tool", [tool for tool, how in TWICE.items() if how == "twice"])
def test_a_row_counted_once_leaves_the_scores_as_they_were(tmp_path, tool):
    before = scores(logs(tmp_path / "before", tool), tool)
    after = scores(logs(tmp_path / "after", tool, doubled(B)), tool)
    np.testing.assert_array_equal(before.values, after.values)


@pytest.mark.parametrize("tool", WITH_ERRORS)
def test_a_score_on_a_row_that_failed_is_told_and_left_out(tmp_path, tool):
    after = logs(tmp_path / "after", tool, scored_in_error(B))
    codes = set(findings(after, tool)["code"])
    assert "errors" in codes
    if tool != "Inspect":
        assert "number-on-error" in codes
    assert np.isnan(scores(after, tool).sel(system="b").values).sum() == 1


def test_a_score_on_a_sample_of_inspect_that_failed_is_told(tmp_path):
    found = fresh(tmp_path, "Inspect", scored_in_error(B))
    assert found.loc[found["code"] == "number-on-error", "n"].tolist() == [1]


@pytest.mark.parametrize("tool", WITH_PROMPTS)
def test_another_prompt_is_told(tmp_path, tool):
    found = fresh(tmp_path, tool, prompts={"a": PROMPT, "b": "Think."})
    assert WITH_PROMPTS[tool] in set(found.loc[found["code"] == "prompt", "level"])


@pytest.mark.parametrize("tool", TOOLS)
def test_logs_that_nobody_changed_do_not_stop(tool):
    found = unchanged(tool)
    assert "stop" not in set(found["level"])
    assert set(found.loc[found["code"] == "reported", "level"]) <= {"note"}


def test_a_system_that_ran_twice_is_told_with_the_items_that_differ(tmp_path):
    folder = logs(tmp_path / "logs", "Inspect")
    TOOLS["Inspect"][0](tmp_path, {"b": toy_logs.rows([1, 1, 0, 1, 0, 0])}, PROMPTS)
    (tmp_path / "b.eval").rename(folder / "again.eval")
    with pytest.raises(ValueError, match="was run 2 times"):
        scores(folder, "Inspect")
    found = findings(folder, "Inspect")
    (told,) = found[found["code"] == "again"].to_dict("records")
    assert told["level"] == "warn"
    assert told["message"] == "b ran 2 times: 2 of 6 items differ"


def test_every_mutation_changes_the_rows():
    for change in (swapped, dropped, doubled, reworded, scored_in_error):
        assert change(toy_logs.B) != toy_logs.B


@pytest.mark.filterwarnings("ignore")
def test_items_that_joined_logs_lack_are_counted(tmp_path):
    random = np.random.default_rng(0)
    items = {"old": range(40), "new": range(38), "third": range(5, 45), "fourth": range(5, 45)}
    for name, ids in items.items():
        rows = "".join(f"map\tq{k}\t{random.integers(2)}\n" for k in ids)
        for folder in ("all", "a" if name in ("old", "new") else "b"):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{name}.txt").write_text(rows)
    parts = [bt.read(tmp_path / folder, metric="map") for folder in "ab"]
    joined = xr.concat(parts, "system", join="outer")
    for scores in (joined, bt.read(tmp_path / "all", metric="map")):
        assert "12 of 45 items lack a score" in " ".join(str(bt.audit(scores)).split())
    scores = parts[0].copy()
    scores.coords["status"] = scores["status"].dims, scores["status"].values  # its attrs are lost
    assert bt.compare(scores).data.attrs["n_items"] == bt.compare(parts[0]).data.attrs["n_items"]
    bt.audit(scores)
