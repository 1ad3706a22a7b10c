"""Small logs as promptfoo writes them."""

import json

CHECKS = [
    {"type": "contains", "value": "hello", "metric": "has"},
    {"type": "equals", "value": "Say hello", "weight": 2, "metric": "exact"},
]
PROMPTS = ("Say {{x}}", "Please say {{x}}")


def result(test, column, x, *, passed=True, checks=CHECKS, error=None, provider=None, **more):
    """A row of results; what errored is written with a score of 0, as promptfoo does."""
    prompt = PROMPTS[column % 2]
    named = {} if error or not checks else {"has": int(passed), "exact": int(passed)}
    return {
        "error": error,
        "gradingResult": None if error else {"pass": passed, "reason": "", "namedScores": named},
        "id": f"{test}-{column}",
        "latencyMs": 1,
        "namedScores": named,
        "prompt": {"raw": prompt.replace("{{x}}", x), "label": prompt},
        "promptId": f"sha{column % 2}",
        "promptIdx": column,
        "provider": provider or {"id": "echo", "label": "sysA" if column < 2 else "sysB"},
        "response": {"error": error} if error else {"output": f"said {x}"},
        "score": 0 if error else int(passed),
        "success": passed and not error,
        "testCase": {"vars": {"x": x}, "assert": checks},
        "testIdx": test,
        "vars": {"x": x},
        "failureReason": 2 if error else int(not passed),
    } | more


def results():
    """2 providers, 2 prompts; a test run twice, one that fails, one without a check."""
    found = []
    for column in (1, 3, 0, 2):  # in order of completion
        found += [
            result(0, column, "hello", passed=column != 1),
            result(1, column, "hello"),
            result(2, column, "boom", error="server exploded" if column > 1 else None),
            result(3, column, "boom"),
            result(4, column, "free", checks=[]),
            result(5, column, "free", checks=[]),
        ]
    return found


def column(k, rows):
    """What promptfoo says of a provider and prompt: sums over all rows, whatever their status."""
    of = [row for row in rows if row["promptIdx"] == k]
    counts = {
        "score": sum(row["score"] for row in of),
        "testPassCount": sum(row["success"] for row in of),
        "testFailCount": sum(row["failureReason"] == 1 for row in of),
        "testErrorCount": sum(row["failureReason"] == 2 for row in of),
    }
    return {"raw": PROMPTS[k % 2], "provider": "sysA" if k < 2 else "sysB", "metrics": counts}


def as_json(path, rows=None, *, repeat=2, **more):
    """The file of ``promptfoo eval -o out.json``."""
    rows = results() if rows is None else rows
    content = {
        "evalId": "eval-Mcy",
        "results": {
            "version": 3,
            "timestamp": "2026-11-21T21:06:43.552Z",
            "prompts": [column(k, rows) for k in range(4)],
            "results": rows,
            "stats": {"successes": 1, "failures": 1, "errors": 1},
        },
        "config": {"tests": [], "evaluateOptions": {}},
        "metadata": {"promptfooVersion": "0.123.1"},
        "runtimeOptions": {"repeat": repeat},
    } | more
    path.write_text(json.dumps(content))
    return path


def as_lines(path, rows=None):
    """The file of ``promptfoo eval -o out.jsonl``."""
    found = results() if rows is None else rows
    path.write_text("\n".join(map(json.dumps, found)) + "\n")
    return path
