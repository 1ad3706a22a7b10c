"""Small tables as the tools write them that give rows."""

import json

import pandas as pd

HEADERS = {
    "MLflow": "trace_id,exact/value,request,state\n",
    "LangSmith": "inputs.q,outputs.a,error,feedback.exact,example_id,id\n",
    "Braintrust": "id,input,output,expected,error,scores\n",
    "Langfuse": "id,input,output,expectedOutput,scores\n",
    "scores in columns": "id,input,output,expected,factual_score\n",
    "ragas": "user_input,response,reference,faithfulness\n",
}


def write(path, rows):
    """Rows as CSV, JSON Lines or a JSON list, by the name of the file."""
    if path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    else:
        path.write_text(json.dumps(rows))
    return path


def mlflow(n=5, start=0):
    """``result_df``: a bool, a number whose scorer fails on the last, yes and no, an expectation.

    The first question stands twice.
    """
    found = []
    for k, q in enumerate([*range(start, start + n), start]):
        said = [
            {"assessment_name": "exact", "feedback": {"value": True}},
            {"assessment_name": "wanted", "expectation": {"value": 2 * q}},
            {"assessment_name": "expected_response", "expectation": {"value": 2 * q}},
        ]
        failed = q == start + n - 1
        found.append(
            {
                "trace_id": f"tr-{start}-{k}",
                "graded/value": None if failed else 0.5,
                "judged/value": "yes" if q % 2 else "no",
                "exact/value": q != start + 1,
                "wanted/value": 2 * q,
                "expected_response/value": 2 * q,
                "graded/error_message": "judge down" if failed else None,
                "trace": "x" * 200_000 if k == 0 else "",  # longer than a cell of csv is, by itself
                "client_request_id": None,
                "state": "OK",
                "request": str({"q": f"{q}+{q}"}),
                "response": str(2 * q),
                "assessments": str(said),
            }
        )
    return found


def langsmith():
    """``to_pandas()``: an example run twice, one that failed, one whose evaluator did."""
    rows = [("e1", True, None), ("e2", False, "timed out"), ("e3", None, None), ("e1", False, None)]
    return [
        {
            "inputs.question": f"what is {example}?",
            "outputs.answer": "a",
            "error": error,
            "reference.answer": "b",
            "feedback.exact": score,
            "feedback.note": "fine",
            "execution_time": 0.5,
            "example_id": example,
            "id": f"run-{k}",
        }
        for k, (example, score, error) in enumerate(rows)
    ]


def braintrust():
    """An export of an experiment: an object of scores, null where a scorer gave none."""
    scores = [{"Factual": 0.6, "Exact": 1}, {"Factual": None, "Exact": 0}, None]
    return [
        {
            "id": f"s{k}",
            "input": {"q": f"q{k}"},
            "output": "a",
            "expected": "b",
            "error": "boom" if one is None else None,
            "scores": one,
        }
        for k, one in enumerate(scores)
    ]


def ragas():
    """``to_pandas()``: a metric that is NaN where it could not be computed."""
    return [
        {
            "user_input": f"q{k}",
            "retrieved_contexts": ["c"],
            "response": "a",
            "reference": f"r{k}",
            "faithfulness": score,
            "answer_relevancy": 0.25,
        }
        for k, score in enumerate([1.0, float("nan"), 0.5])
    ]
