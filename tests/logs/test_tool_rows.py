"""Rows of tools: what is an item, a score, an error, a label, by the columns of each tool."""

import math

import pandas as pd
import pytest

from betterthan.logs import of_tool_rows
from tests.logs import made_tool_rows as made
from tests.logs.expected_records import as_items, epochs, expected, folder, log_files, rows


def read(*paths):
    return of_tool_rows.runs(log_files(*paths))


def cells(run, by="text"):
    c = run.cells
    name = getattr(c, by)
    return {
        (name[of], c.epoch[of], metric): (raw, status)
        for of, metric, raw, status in zip(c.score_sample, c.metric, c.raw, c.status, strict=True)
    }


def stem(run):
    return run.files[0].split("_")[0]


@pytest.mark.parametrize("tool", made.HEADERS)
def test_the_columns_of_each_tool_are_recognised(tmp_path, tool):
    path = tmp_path / "any.csv"
    path.write_text(made.HEADERS[tool])
    assert of_tool_rows.recognises(log_files(path)[0].preview)


@pytest.mark.parametrize(
    "header",
    [
        "system,item,score",
        "item,a,b",
        "input,gpt_score,claude_score",
        "input,expected,gpt,claude",
        "id,gold,sysA,sysB",
        "model_a,model_b,winner",
        "trace_id,value",
        "user_input,sysA,sysB",
        "",
    ],
)
def test_other_tables_are_not_theirs(tmp_path, header):
    path = tmp_path / "any.csv"
    path.write_text(header + "\n1,2,3\n")
    assert not of_tool_rows.recognises(log_files(path)[0].preview)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_mlflow(tmp_path, name):
    given = made.mlflow()
    (run,) = read(made.write(tmp_path / name, given))
    assert run.tool == "MLflow"
    assert run.system is None
    assert run.metrics == ["graded", "judged", "exact"]
    assert (
        dict(run.notes)["labels"]
        == "'wanted', 'expected_response' left out: text or what was expected"
    )
    found = cells(run, "item")
    ids = list(dict.fromkeys(run.cells.item))
    assert len(ids) == 6
    assert ids[5] == f"{ids[0]} (2nd)"
    assert found[ids[4], 1, "graded"][1] == "error"
    assert found[ids[4], 1, "exact"] == (1, "ok")
    assert found[ids[1], 1, "judged"] == (1, "ok")
    assert found[ids[1], 1, "exact"] == (0, "ok")
    assert (run.own_ids, run.ordered) == (False, False)


def test_expectations_are_known_by_their_name_where_there_are_no_assessments(tmp_path):
    given = [{k: v for k, v in row.items() if k != "assessments"} for row in made.mlflow()]
    (run,) = read(made.write(tmp_path / "a.csv", given))
    assert run.metrics == ["graded", "judged", "exact", "wanted"]
    assert dict(run.notes)["labels"] == "'expected_response' left out: text or what was expected"


def test_the_content_of_an_mlflow_request_joins_what_its_random_ids_do_not(tmp_path):
    first = made.mlflow()
    other = [dict(row, trace_id=f"other-{row['trace_id']}") for row in reversed(first)]
    a, b = read(made.write(tmp_path / "a.csv", first), made.write(tmp_path / "b.jsonl", other))
    assert sorted(a.cells.content) == sorted(b.cells.content)
    assert sorted(a.cells.item) == sorted(b.cells.item)


def test_a_trace_that_failed_is_an_error_in_every_metric(tmp_path):
    given = made.mlflow()
    given[0]["state"] = "ERROR"
    (run,) = read(made.write(tmp_path / "a.csv", given))
    assert {status for (_, _, _), (_, status) in list(cells(run, "row").items())[:3]} == {"error"}
    assert run.cells.failed == [True] + [False] * 5


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_langsmith(tmp_path, name):
    (run,) = read(made.write(tmp_path / name, made.langsmith()))
    found = cells(run, "item")
    assert found == {
        ("e1", 1, "exact"): (1, "ok"),
        ("e2", 1, "exact"): (0, "error"),  # it writes False where the run failed
        ("e3", 1, "exact"): (pytest.approx(math.nan, nan_ok=True), "unscored"),
        ("e1", 2, "exact"): (0, "ok"),
    }
    assert (run.own_ids, run.epochs, run.why) == (True, 2, "timed out")
    assert run.notes == [("labels", "'note' left out: text or what was expected")]


def test_langsmith_without_ids_of_examples_goes_by_what_was_given(tmp_path):
    given = [{k: v for k, v in row.items() if k != "example_id"} for row in made.langsmith()]
    (run,) = read(made.write(tmp_path / "a.csv", given))
    assert not run.own_ids
    assert len(set(run.cells.item)) == 4


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_braintrust(tmp_path, name):
    given = made.braintrust()
    if name == "a.csv":
        given = [dict(row, scores=made.json.dumps(row["scores"])) for row in given]
    (run,) = read(made.write(tmp_path / name, given))
    c = run.cells
    assert list(zip(c.score_sample, c.metric, c.status, strict=True)) == [
        (0, "Factual", "ok"),
        (0, "Exact", "ok"),
        (1, "Factual", "unscored"),
        (1, "Exact", "ok"),
        (2, "Factual", "error"),
        (2, "Exact", "error"),
    ]


def test_ragas(tmp_path):
    (run,) = read(made.write(tmp_path / "a.csv", made.ragas()))
    assert run.metrics == ["faithfulness", "answer_relevancy"]
    assert [s for _, _, s in (run_status(run))] == ["ok", "ok", "unscored", "ok", "ok", "ok"]


def run_status(run):
    return list(zip(run.cells.score_sample, run.cells.metric, run.cells.status, strict=True))


@pytest.mark.parametrize("of", [made.mlflow, made.langsmith, made.braintrust, made.ragas])
def test_a_frame_gives_what_its_file_gives(tmp_path, of):
    frame = pd.DataFrame(of())
    run = of_tool_rows.frame_run(frame, "frame")
    (other,) = read(made.write(tmp_path / "a.jsonl", of()))
    assert run_status(run) == run_status(other)
    assert run.cells.content == other.cells.content
    assert of_tool_rows.frame_run(pd.DataFrame({"item": [1], "a": [0.5]}), "frame") is None


def test_rows_that_are_there_twice_count_once(tmp_path):
    (run,) = read(made.write(tmp_path / "a.jsonl", made.langsmith() * 2))
    assert len(run.cells) == 4


def test_a_row_that_is_there_twice_with_other_values_is_refused(tmp_path):
    given = [*made.mlflow(), dict(made.mlflow()[0], **{"exact/value": False})]
    with pytest.raises(ValueError, match=r"^a\.jsonl, row 7: 'tr-0-0' is there twice, .* in row 1"):
        read(made.write(tmp_path / "a.jsonl", given))


@pytest.mark.parametrize("value", ["high", [1], {"a": 1}, math.inf, "1e400", "50%", "1_0"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_what_is_no_score_among_scores_is_refused_with_its_place(tmp_path, value, name):
    given = made.mlflow()
    given[2]["graded/value"] = value
    row = 4 if name == "a.csv" else 3
    with pytest.raises(ValueError, match=rf"^{name}, row {row}, column 'graded', value .*: is no"):
        read(made.write(tmp_path / name, given))


def test_a_table_without_scores_is_refused(tmp_path):
    given = [{k: v for k, v in row.items() if k != "feedback.exact"} for row in made.langsmith()]
    with pytest.raises(ValueError, match=r"a\.csv: holds no column of scores; 'note' hold text"):
        read(made.write(tmp_path / "a.csv", given))


def test_a_header_alone_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(made.HEADERS["MLflow"])
    with pytest.raises(ValueError, match=r"a\.csv: holds names of columns but no rows"):
        read(path)


def test_a_cut_file_is_refused(tmp_path):
    path = made.write(tmp_path / "a.csv", made.langsmith())
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"^a\.csv, row 5: has 5 cells .* is the file cut\?"):
        read(path)
    path.write_text(made.HEADERS["LangSmith"] + 'q,a,,True,e1,"run')
    with pytest.raises(ValueError, match=r"^a\.csv, row 2: not readable as CSV"):
        read(path)


def test_scores_that_are_no_object_are_refused(tmp_path):
    given = made.braintrust()
    given[1]["scores"] = "0.5"
    with pytest.raises(ValueError, match=r"row 2, column 'scores', value 0.5: is no object"):
        read(made.write(tmp_path / "a.jsonl", given))


def test_what_is_expected_of_the_mlflow_sample():
    path = folder("mlflow/3.17_genai_evaluate")
    found = rows(read(path / "sysA_result_df.csv", path / "sysB_result_df.csv"), stem)
    wanted = expected(path)
    assert as_items(found) == as_items(wanted)
    assert epochs(found) == epochs(wanted)
    older = read(folder("mlflow") / "genai_evaluate_result_df.csv")[0]
    assert older.metrics == ["exact", "judged", "boom"]
