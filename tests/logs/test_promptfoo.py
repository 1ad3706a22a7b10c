"""promptfoo: systems are provider and prompt, items are contents; no number of an error counts."""

import json
import math

import pytest

import betterthan as bt
from betterthan.logs import of_promptfoo
from tests.logs.expected_records import as_items, epochs, expected, folder, log_files, rows
from tests.logs.made_promptfoo import CHECKS, as_json, as_lines, result, results


def system(run):
    return f"{run.system} | {run.parts['prompt']}"


def read(*paths):
    return of_promptfoo.runs(log_files(*paths))


def cells(run):
    """(item, epoch, metric): (raw, status); an item by the text it has."""
    c = run.cells
    return {
        (c.text[of], c.epoch[of], metric): (raw, status)
        for of, metric, raw, status in zip(c.score_sample, c.metric, c.raw, c.status, strict=True)
    }


def test_systems_are_provider_and_prompt_in_the_order_of_the_columns(tmp_path):
    found = read(as_json(tmp_path / "out.json"))
    assert [system(run) for run in found] == [
        "sysA | Say {{x}}",
        "sysA | Please say {{x}}",
        "sysB | Say {{x}}",
        "sysB | Please say {{x}}",
    ]
    assert {run.version for run in found} == {"0.123.1"}
    assert found[0].metrics == ["score", "success", "has", "exact"]


def test_the_number_on_an_error_and_on_what_was_not_checked_is_raw_alone(tmp_path):
    found = cells(read(as_json(tmp_path / "out.json"))[2])
    assert found["boom", 1, "score"] == (0, "error")
    assert found["boom", 2, "score"] == (1, "ok")
    assert found["free", 1, "score"] == (1, "unscored")
    assert found["free", 2, "success"] == (1, "unscored")
    assert ("free", 1, "has") not in found


def test_repeats_are_told_by_the_json_and_guessed_from_lines(tmp_path):
    whole = read(as_json(tmp_path / "out.json"))
    lines = read(as_lines(tmp_path / "out.jsonl"))
    assert rows(whole, system) == rows(lines, system)
    assert [run.epochs for run in whole + lines] == [2] * 8
    assert not any(run.notes for run in whole)
    assert "or the test is given twice" in dict(lines[0].notes)["repeats"]


def test_a_test_given_twice_is_two_items_where_the_repeats_are_known(tmp_path):
    given = [result(test, 0, "hello", passed=test != 3) for test in range(4)]
    run = read(as_json(tmp_path / "out.json", given, repeat=2))[0]
    ids = list(dict.fromkeys(run.cells.item))
    assert len(ids) == 2
    assert ids[1] == f"{ids[0]} (2nd)"
    assert run.cells.epoch == [1, 2, 1, 2]
    once = read(as_json(tmp_path / "out.json", given, repeat=1))[0]
    assert len(set(once.cells.item)) == 4
    assert set(once.cells.content) == {once.cells.content[0]}


def test_blocks_of_repeats_follow_the_whole_expansion_of_vars(tmp_path):
    given = [result(k, 0, x) for k, x in enumerate(["u1", "u2", "u1", "u2"])]
    run = read(as_json(tmp_path / "out.json", given, repeat=2))[0]
    assert run.cells.text == ["u1", "u2", "u1", "u2"]
    assert run.cells.epoch == [1, 1, 2, 2]


def test_an_epoch_is_that_of_the_test_also_where_a_system_lacks_one(tmp_path):
    given = [result(0, 0, "a"), result(1, 0, "a"), result(1, 2, "a")]
    found = read(as_json(tmp_path / "out.json", given))
    assert [run.cells.epoch for run in found] == [[1, 2], [2]]


def test_descriptions_and_checks_tell_tests_apart(tmp_path):
    other = [dict(CHECKS[0], value="bye")]
    described = result(1, 0, "hello")
    described["testCase"] = dict(described["testCase"], description="greet")
    given = [result(0, 0, "hello"), described, result(2, 0, "hello", checks=other)]
    run = read(as_lines(tmp_path / "out.jsonl", given))[0]
    assert len(set(run.cells.item)) == 3
    assert len(set(run.cells.content)) == 2


def test_two_providers_of_one_name_are_no_retries_of_each_other(tmp_path):
    given = [
        result(k, column, str(k), passed=column == 0, provider={"id": "gpt"})
        for k in range(3)
        for column in (0, 2)
    ]
    path = as_json(tmp_path / "out.json", given)
    with pytest.raises(ValueError, match="gpt was run 2 times, with equal settings"):
        bt.read_logs(path)


def test_the_same_evaluation_in_several_files_is_read_once(tmp_path):
    table = tmp_path / "out.csv"
    table.write_text("x,[sysA] Say {{x}},Status,Score\nhello,Say hello,PASS,1.00\n")
    paths = [table, as_lines(tmp_path / "out.jsonl"), as_json(tmp_path / "out.json")]
    assert all(of_promptfoo.recognises(file.preview) for file in log_files(*paths))
    found = read(*paths)
    assert len(found) == 4
    assert dict(found[0].notes)["skipped"].startswith("'out.csv', 'out.jsonl' left out")


@pytest.mark.parametrize(
    "text",
    [
        "x,[sysA] Say {{x}},Status,Score,Named Scores\nhello,Say hello,PASS,1.00,{}\n",
        'x,[sysA] Say {{x}}\nhello,"[PASS] (1.00, has: 1.00)\n\nSay hello"\n',
        'x,[sysA] Say {{x}}\nhello,"[ERROR] server exploded"\nhello,"[FAIL] (0.00)"\n',
    ],
)
def test_the_csv_alone_is_refused_and_says_what_to_give(tmp_path, text):
    path = tmp_path / "out.csv"
    path.write_text(text)
    assert of_promptfoo.recognises(log_files(path)[0].preview)
    with pytest.raises(ValueError, match=r"out\.csv: is promptfoo's CSV, .* give its JSON"):
        read(path)


def test_other_tables_are_not_promptfoos(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("item,[a] b,[c] d\n1,0,1\n2,1,1\n")
    assert not of_promptfoo.recognises(log_files(path)[0].preview)


def test_a_file_appended_to_itself_is_read_once(tmp_path):
    once = read(as_lines(tmp_path / "once.jsonl"))
    twice = read(as_lines(tmp_path / "twice.jsonl", results() * 2))
    assert rows(once, system) == rows(twice, system)


def test_a_row_that_is_there_twice_with_other_results_is_refused(tmp_path):
    path = as_lines(tmp_path / "out.jsonl", [*results(), result(0, 1, "hello")])
    with pytest.raises(ValueError, match=r"out\.jsonl, row 25: testIdx 0 of 'sysA' is there twice"):
        read(path)


def test_tests_without_their_vars_are_refused(tmp_path):
    given = [
        dict(row, vars={}, testCase={"assert": CHECKS})
        for row in (result(0, 0, "hello"), result(1, 0, "bye"))
    ]
    with pytest.raises(ValueError, match="PROMPTFOO_STRIP_TEST_VARS"):
        read(as_lines(tmp_path / "out.jsonl", given))


@pytest.mark.parametrize("value", ["high", [1], {"a": 1}, math.inf, -math.inf])
def test_what_is_no_score_is_refused_with_its_place(tmp_path, value):
    path = as_json(tmp_path / "out.json", [result(0, 0, "a", namedScores={"has": value})])
    with pytest.raises(ValueError, match=r"^out\.json, row 1, column 'has', value .*: is no"):
        read(path)


@pytest.mark.parametrize("value", [None, math.nan])
def test_a_blank_score_is_unscored(tmp_path, value):
    path = as_json(tmp_path / "out.json", [result(0, 0, "a", namedScores={"has": value})])
    assert cells(read(path)[0])["a", 1, "has"][1] == "unscored"


def test_a_cut_line_is_named(tmp_path):
    path = as_lines(tmp_path / "out.jsonl")
    path.write_text(path.read_text()[:-30])
    with pytest.raises(ValueError, match=r"out\.jsonl, row 24: not valid JSON"):
        read(path)


@pytest.mark.parametrize("found", [[], None, {}, ["a"]])
def test_no_results_are_refused(tmp_path, found):
    path = as_json(tmp_path / "out.json", results={"version": 3, "results": found})
    assert of_promptfoo.recognises(log_files(path)[0].preview)
    with pytest.raises(ValueError, match=r"out\.json: holds no (results|list of results)"):
        read(path)


def test_keys_of_a_provider_are_not_kept(tmp_path):
    provider = {"id": "openai:x", "config": {"apiKey": "sk-1", "temperature": 0.5, "max_tokens": 9}}
    run = read(as_lines(tmp_path / "out.jsonl", [result(0, 0, "a", provider=provider)]))[0]
    assert run.config == {"temperature": 0.5, "max_tokens": 9}


def test_an_older_row_without_a_reason_or_a_test(tmp_path):
    row = result(0, 0, "a")
    failed = result(1, 0, "b", error="down")
    for one in (row, failed):
        del one["failureReason"], one["testCase"]
    run = read(as_lines(tmp_path / "out.jsonl", [row, failed]))[0]
    assert run.cells.status == ["ok"] * 4 + ["error"] * 2


def test_what_is_expected_of_the_sample():
    path = folder("promptfoo/0.123.1_repeat2_errors")
    wanted = expected(path)
    for file in ("out.json", "out.jsonl"):
        found = rows(read(path / file), system)
        if file == "out.json":
            assert as_items(found) == as_items(wanted)
        assert epochs(found) == epochs(wanted)
    stats = json.loads((path / "EXPECTED.json").read_text())["stats"]
    scored = [(row[4], row[5]) for row in found if row[2] == "success"]
    assert scored.count((1, "ok")) + sum(s == "unscored" for _, s in scored) == stats["successes"]
    assert scored.count((0, "ok")) == stats["failures"]
    assert sum(status == "error" for _, status in scored) == stats["errors"]


def test_the_reported_means_count_every_row():
    path = folder("promptfoo/0.123.1_repeat2_errors")
    for run in read(path / "out.json"):
        assert run.rule == "mean of raw"
        for metric in ("score", "success"):
            raw = [x for x, m in zip(run.cells.raw, run.cells.metric, strict=True) if m == metric]
            assert sum(raw) / len(raw) == pytest.approx(run.reported[metric], abs=1e-12)


def test_the_reported_means_are_those_of_what_was_written(tmp_path):
    for run in read(as_json(tmp_path / "out.json")):
        raw = [x for x, m in zip(run.cells.raw, run.cells.metric, strict=True) if m == "score"]
        assert run.reported["score"] == pytest.approx(sum(raw) / len(raw), abs=1e-12)
    assert read(as_lines(tmp_path / "out.jsonl"))[0].reported == {}


def test_an_older_sample_of_lines():
    found = read(folder("promptfoo") / "results.jsonl")
    assert [run.system for run in found] == ["sysA", "sysA", "sysB", "sysB"]
    assert {run.epochs for run in found} == {2}
    assert {len(run.cells) for run in found} == {4}
