"""Small reports as deepeval and pydantic-evals write them."""

import json


def deepeval_metric(name, score, *, threshold=0.5, error=None, lower=False):
    passed = error is None and ((score <= threshold) if lower else (score >= threshold))
    one = {"name": name, "threshold": threshold, "success": passed, "evaluationModel": "gpt-4o"}
    return one | ({"error": error} if error else {"score": score})


def deepeval_case(q, *metrics, place=0, **more):
    return {
        "name": f"test_case_{place}",
        "input": q,
        "actualOutput": "a",
        "expectedOutput": f"answer to {q}",
        "success": all(one["success"] for one in metrics),
        "metricsData": list(metrics),
        "order": place,
    } | more


def deepeval_cases(exact=(1, 0, 1, 1)):
    """Four questions, the first twice; the scorer fails on the third."""
    found = []
    for k, (q, score) in enumerate(zip(("1+1", "2+2", "5+5", "1+1"), exact, strict=True)):
        failed = "judge failed" if q == "5+5" else None
        metrics = (
            deepeval_metric("Exact", score, error=failed),
            deepeval_metric("Toxicity", 0.1, lower=True),
        )
        found.append(deepeval_case(q, *metrics, place=k))
    return found


def deepeval(path, cases=None, *, model="sysA", **more):
    """A file of the folder of results."""
    cases = deepeval_cases() if cases is None else cases
    scores: dict = {}
    for case in cases:
        for one in case.get("metricsData") or ():
            if "score" in one:
                scores.setdefault(one["name"], []).append(one["score"])
    content = {
        "testCases": cases,
        "conversationalTestCases": [],
        "metricsScores": [{"metric": m, "scores": of} for m, of in scores.items()],
        "hyperparameters": {"model": model, "prompt": "p1", "top": {"k": 3}},
        "testPassed": 1,
        "testFailed": 1,
    } | more
    path.write_text(json.dumps(content))
    return path


def of_evaluator(name, value, evaluator=None):
    source = {"name": evaluator or name, "arguments": None}
    return {name: {"name": name, "value": value, "reason": None, "source": source}}


def pydantic_case(name, q, *, exact=True, brevity=1.0, failed=None, **more):
    """A case; `failed` is an evaluator that raised."""
    source = {"name": "Short", "arguments": None}
    failures = [{"name": "Short", "error_message": "judge", "source": source}] if failed else []
    return {
        "name": name,
        "inputs": q,
        "expected_output": f"answer to {q}",
        "output": "a",
        "scores": {} if failed else of_evaluator("brevity", brevity, "Short"),
        "labels": {} if failed else of_evaluator("label", "short", "Short"),
        "assertions": of_evaluator("EqualsExpected", exact),
        "task_duration": 0.5,
        "source_case_name": None,
        "evaluator_failures": failures,
    } | more


def pydantic_failure(name, q, **more):
    return {
        "name": name,
        "inputs": q,
        "expected_output": f"answer to {q}",
        "error_message": "RuntimeError: 429",
        "error_stacktrace": "...",
        "source_case_name": None,
    } | more


def pydantic_cases(failing="2+2"):
    """Four questions, the first twice; one fails, and so does an evaluator on another."""
    given = [("c0", "1+1"), ("c1", "2+2"), ("c2", "5+5"), ("Case 4", "1+1")]
    done = [pydantic_case(n, q, failed=q == "5+5") for n, q in given if n != failing != q]
    return done, [pydantic_failure(n, q) for n, q in given if failing in (n, q)]


def pydantic(path, cases=None, failures=None, *, name="sysA", **more):
    """``EvaluationReportAdapter.dump_json``."""
    done, failed = pydantic_cases()
    content = {
        "name": name,
        "cases": done if cases is None else cases,
        "failures": failed if failures is None else failures,
        "analyses": [],
        "dataset_name": "toy",
    } | more
    path.write_text(json.dumps(content))
    return path
