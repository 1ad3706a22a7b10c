"""deepeval: a case without an id is its content; what has an error has no score."""

import json
import math

import pytest

from betterthan.logs import of_deepeval
from tests.logs import made_reports as made
from tests.logs.expected_records import as_items, epochs, expected, folder, log_files, rows


def read(*paths):
    return of_deepeval.runs(log_files(*paths))


def statuses(run):
    c = run.cells
    return [(c.text[k], m, s) for k, m, s in zip(c.score_sample, c.metric, c.status, strict=True)]


def test_a_scorer_that_failed_is_an_error_of_its_metric_alone(tmp_path):
    (run,) = read(made.deepeval(tmp_path / "a.json"))
    assert (run.system, run.parts, run.config) == ("sysA", {"prompt": "p1"}, {"top.k": 3})
    assert statuses(run)[4:6] == [("5+5", "Exact", "error"), ("5+5", "Toxicity", "ok")]
    assert [status for _, _, status in statuses(run)].count("error") == 1
    assert run.judge == "gpt-4o"


def test_one_question_that_stands_twice_is_two_items_of_one_content(tmp_path):
    (run,) = read(made.deepeval(tmp_path / "a.json"))
    assert run.cells.item[3] == f"{run.cells.item[0]} (2nd)"
    assert run.cells.content[3] == run.cells.content[0]
    assert not run.own_ids


def test_an_order_of_its_own_does_not_move_the_items(tmp_path):
    cases = made.deepeval_cases()
    swapped = [dict(case, name=f"test_case_{k}") for k, case in enumerate(cases[::-1])]
    a, b = read(
        made.deepeval(tmp_path / "a.json", cases), made.deepeval(tmp_path / "b.json", swapped)
    )
    assert sorted(a.cells.item) == sorted(b.cells.item)


def test_names_that_somebody_gave_are_ids(tmp_path):
    cases = [dict(case, name=f"q{k}") for k, case in enumerate(made.deepeval_cases())]
    (run,) = read(made.deepeval(tmp_path / "a.json", cases))
    assert run.own_ids
    assert run.cells.item == ["q0", "q1", "q2", "q3"]
    cases[3]["name"] = "q0"
    assert not read(made.deepeval(tmp_path / "a.json", cases))[0].own_ids


def test_less_is_better_where_what_is_below_the_threshold_passes(tmp_path):
    (run,) = read(made.deepeval(tmp_path / "a.json"))
    assert run.higher_is_better == {"Toxicity": False}


def test_conversations_are_read(tmp_path):
    case = {
        "name": "conversational_test_case_0",
        "turns": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}],
        "metricsData": [made.deepeval_metric("Helpful", 0.7)],
    }
    other = dict(case, turns=[{"role": "user", "content": "bye"}])
    path = made.deepeval(tmp_path / "a.json", [], conversationalTestCases=[case, other])
    assert of_deepeval.recognises(log_files(path)[0].preview)
    (run,) = read(path)
    assert len(set(run.cells.content)) == 2
    assert run.metrics == ["Helpful"]


def test_a_model_that_is_not_told_is_none(tmp_path):
    (run,) = read(made.deepeval(tmp_path / "a.json", hyperparameters=None))
    assert run.system is None


@pytest.mark.parametrize(
    ("cases", "what"),
    [
        ([], "holds no test cases"),
        ([made.deepeval_case("q")], "holds no scores: 1 test case without metrics"),
        (["q"], "an entry of testCases is no object"),
        ([made.deepeval_case("q", metricsData={"a": 1})], "metricsData of test case 1 is no list"),
        (
            [made.deepeval_case("q", made.deepeval_metric("Exact", math.inf))],
            "row 1, column 'Exact', value inf: is no finite number",
        ),
    ],
)
def test_bad_input_is_named(tmp_path, cases, what):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"testCases": cases, "metricsScores": []}))
    assert of_deepeval.recognises(log_files(path)[0].preview)
    with pytest.raises(ValueError, match=what) as error:
        read(path)
    assert str(error.value).startswith("a.json")


def test_a_blank_score_without_an_error_is_unscored(tmp_path):
    case = made.deepeval_case("q", made.deepeval_metric("Exact", math.nan))
    (run,) = read(made.deepeval(tmp_path / "a.json", [case]))
    assert run.cells.status == ["unscored"]


def test_what_is_expected_of_the_sample():
    path = folder("deepeval/4.3.1_two_runs")
    found = read(*sorted(path.glob("test_run*.json")))
    assert [run.system for run in found] == ["sysA", "sysB"]
    wanted = expected(path)
    assert as_items(rows(found, lambda run: run.system)) == as_items(wanted)
    assert epochs(rows(found, lambda run: run.system)) == epochs(wanted)
    for run in found:
        for metric, mean in run.reported.items():
            c = run.cells
            raw = [
                x
                for x, m, s in zip(c.raw, c.metric, c.status, strict=True)
                if (m, s) == (metric, "ok")
            ]
            assert sum(raw) / len(raw) == pytest.approx(mean, abs=1e-12)
    (older,) = read(folder("deepeval") / "test_run.json")
    assert (older.system, older.own_ids, older.metrics) == (None, True, ["EM"])
