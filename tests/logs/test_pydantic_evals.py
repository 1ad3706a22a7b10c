"""pydantic-evals: failed cases count, and failed evaluators are errors of their metrics."""

import json

import pytest

from betterthan.logs import of_pydantic_evals
from tests.logs import made_reports as made
from tests.logs.expected_records import as_items, epochs, expected, folder, log_files, rows


def read(*paths):
    return of_pydantic_evals.runs(log_files(*paths))


def statuses(run):
    c = run.cells
    return {(c.text[k], m): s for k, m, s in zip(c.score_sample, c.metric, c.status, strict=True)}


def test_a_case_that_failed_is_an_error_in_every_metric(tmp_path):
    (run,) = read(made.pydantic(tmp_path / "a.json"))
    assert statuses(run)["2+2", "brevity"] == "error"
    assert statuses(run)["2+2", "EqualsExpected"] == "error"
    assert run.cells.failed == [False, False, False, True]
    assert run.why == "RuntimeError: 429"


def test_an_evaluator_that_failed_is_an_error_of_the_metric_that_it_gives(tmp_path):
    (run,) = read(made.pydantic(tmp_path / "a.json"))
    assert statuses(run)["5+5", "brevity"] == "error"
    assert statuses(run)["5+5", "EqualsExpected"] == "ok"
    assert run.metrics == ["brevity", "EqualsExpected"]
    assert run.notes == [("labels", "'label' left out: text, not scores")]


def test_an_evaluator_that_always_failed_is_known_from_another_report(tmp_path):
    failing = [made.pydantic_case("c0", "1+1", failed=True)]
    bad = made.pydantic(tmp_path / "a.json", failing, [])
    assert read(bad)[0].metrics == ["EqualsExpected", "Short"]
    found = read(bad, made.pydantic(tmp_path / "b.json", name="sysB"))
    assert found[0].metrics == ["brevity", "EqualsExpected"]


def test_copies_of_a_case_keep_their_place_where_one_fails(tmp_path):
    a = made.pydantic(tmp_path / "a.json", *made.pydantic_cases(failing=""))
    b = made.pydantic(tmp_path / "b.json", *made.pydantic_cases(failing="c0"), name="sysB")
    one, other = read(a, b)
    assert set(other.cells.item) == set(one.cells.item)
    first = one.cells.item[0]  # of c0, which fails in b
    c = other.cells
    assert {s for k, s in zip(c.score_sample, c.status, strict=True) if c.item[k] == first} == {
        "error"
    }


def test_names_that_somebody_gave_are_ids_and_repeats_go_by_their_source(tmp_path):
    cases = [
        made.pydantic_case(f"c0 [{k}/2]", "1+1", source_case_name="c0", exact=k == 1)
        for k in (1, 2)
    ]
    (run,) = read(made.pydantic(tmp_path / "a.json", [*cases, made.pydantic_case("c1", "2")], []))
    assert run.own_ids
    assert list(zip(run.cells.item, run.cells.epoch, strict=True)) == [
        ("c0", 1),
        ("c0", 2),
        ("c1", 1),
    ]
    assert run.epochs == 2


def test_a_score_and_an_assertion_of_one_name_are_two_metrics(tmp_path):
    case = made.pydantic_case("c0", "q", scores=made.of_evaluator("EqualsExpected", 0.5))
    (run,) = read(made.pydantic(tmp_path / "a.json", [case], []))
    assert dict(zip(run.cells.metric, run.cells.raw, strict=True)) == {
        "EqualsExpected": 0.5,
        "EqualsExpected (assertion)": 1,
    }


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({"cases": [], "failures": []}, "holds no cases"),
        ({"cases": [], "failures": [made.pydantic_failure("c", "q")]}, "holds no scores"),
        ({"cases": [1], "failures": []}, "an entry of cases is no object"),
        ({"cases": [], "failures": {"a": 1}}, "failures is no list"),
        (
            {"cases": [made.pydantic_case("c", "q", brevity="high")], "failures": []},
            "row 1, column 'brevity', value 'high': is no score",
        ),
    ],
)
def test_bad_input_is_named(tmp_path, content, what):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "s"} | content))
    with pytest.raises(ValueError, match=what) as error:
        read(path)
    assert str(error.value).startswith("a.json")


def test_a_cut_report_is_refused(tmp_path):
    path = made.pydantic(tmp_path / "a.json")
    path.write_text(path.read_text()[:-40])
    assert of_pydantic_evals.recognises(log_files(path)[0].preview)
    with pytest.raises(ValueError, match=r"^a\.json, row 1: not valid JSON .*is the file cut\?"):
        read(path)


def test_what_is_expected_of_the_sample():
    path = folder("pydantic_evals/2.62_two_reports")
    found = rows(read(path / "sysA.json", path / "sysB.json"), lambda run: run.system)
    wanted = expected(path)
    assert as_items(found) == as_items(wanted)
    assert epochs(found) == epochs(wanted)
