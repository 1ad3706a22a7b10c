"""Whatever stands in a log where something else was meant, a reader reads it or says what is wrong
in one line.
"""

import copy
import json
import math

import pytest

from betterthan.logs.judgments import JUDGED
from betterthan.logs.record import STATUSES
from betterthan.logs.roster import READERS
from tests.logs import made_promptfoo, made_reports, made_tool_rows
from tests.logs.expected_records import log_files
from tests.logs.test_judged import games, pair, preference

VALUES = [None, "", "x", 3, -0.5, True, [], {}, [1], {"a": [1]}, math.inf, math.nan, "1e400"]
DEEP = "[" * 300 + "]" * 300


def of(writer, tmp_path, *given, **more):
    """The content that a maker of logs writes."""
    return json.loads(writer(tmp_path / "made.json", *given, **more).read_text())


def contents(tmp_path):
    results = made_promptfoo.results()[:1]
    done, failed = made_reports.pydantic_cases()
    return {
        "promptfoo": of(made_promptfoo.as_json, tmp_path, results),
        "deepeval": of(made_reports.deepeval, tmp_path, made_reports.deepeval_cases()[:1]),
        "pydantic_evals": of(made_reports.pydantic, tmp_path, done[:1], failed[:1]),
        "mlflow": [dict(row, trace="") for row in made_tool_rows.mlflow()[:2]],
        "langsmith": made_tool_rows.langsmith()[:2],
        "braintrust": made_tool_rows.braintrust()[:2],
        "mt_bench": [pair("tie", "tie")],
        "arena_hard": [games("A>B", "B>A")],
        "alpaca_eval": [preference(1)],
    }


def paths(value, before=()):
    """The way to every value in a content."""
    if before:
        yield before
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in items:
        if isinstance(one, dict | list):
            yield from paths(one, (*before, key))
        else:
            yield (*before, key)


def changed(content, way, value):
    found = copy.deepcopy(content)
    into = found
    for key in way[:-1]:
        into = into[key]
    into[way[-1]] = value
    return found


def read(kind, file):
    """The runs; or the refusal, where there is one."""
    try:
        return kind.table(file) and [] if kind in JUDGED else kind.runs([file])
    except ValueError as error:
        return str(error)


def check(file):
    """What recognises a file reads it, or refuses it in one line that begins with its name."""
    for kind in (*READERS, *JUDGED):
        found = read(kind, file) if kind.recognises(file.preview) else []
        if isinstance(found, str):
            assert found.startswith(file.name), found
            assert "\n" not in found
            continue
        for run in found:
            assert set(run.cells.status) <= set(STATUSES)
            assert not any(map(math.isinf, run.cells.raw))
            assert all(isinstance(x, str) and x for x in run.cells.item)
            assert isinstance(run.system, str | None)


@pytest.mark.parametrize(
    "name",
    [
        "promptfoo",
        "deepeval",
        "pydantic_evals",
        "mlflow",
        "langsmith",
        "braintrust",
        "mt_bench",
        "arena_hard",
        "alpaca_eval",
    ],
)
def test_any_value_in_any_place(tmp_path, name):
    content = contents(tmp_path)[name]
    path = tmp_path / "a.json"
    for way in paths(content):
        for value in VALUES:
            path.write_text(json.dumps(changed(content, way, value)))
            check(*log_files(path))
        path.write_text(json.dumps(changed(content, way, "DEEP")).replace('"DEEP"', DEEP))
        check(*log_files(path))


@pytest.mark.parametrize("name", ["promptfoo", "mlflow", "braintrust"])
def test_lines_that_are_no_objects(tmp_path, name):
    rows = contents(tmp_path)[name]
    rows = rows["results"]["results"] if name == "promptfoo" else rows
    path = tmp_path / "a.jsonl"
    for line in ("[]", "1", "null", '"x"', "{", "{}", "", DEEP, "\ufeff{}"):
        path.write_text(f"{json.dumps(rows[0])}\n{line}\n")
        check(*log_files(path))
