"""The same small result as each tool writes it: two systems, six questions, one error."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from tests.logs import made_inspect, made_lm_eval, made_promptfoo, made_reports, made_tool_rows


@dataclass(frozen=True)
class Row:
    """An answer; `wrote` is the number beside an error."""

    id: str
    q: str
    score: float = 1.0
    failed: bool = False
    wrote: float | None = None


def rows(scores):
    """A row for each score; None is an error."""
    return [
        Row(str(k + 1), f"What is {k} + {k}?", s or 0.0, s is None) for k, s in enumerate(scores)
    ]


A, B = rows([1, 1, 0, 1, 1, 0]), rows([1, 0, 0, 1, 0, None])
MEANS = {"a": 4 / 6, "b": 2 / 5}  # what the tools report, of rows that nobody changed
PROMPT = "Be brief."


def inspect(folder, results, prompts):
    for system, given in results.items():
        samples = [
            made_inspect.summary(
                one.id, _number(one), input=one.q, **({"error": "boom"} if one.failed else {})
            )
            for one in given
        ]
        told = [made_inspect.reported("match", MEANS[system])]
        params = {"template": prompts[system]}
        plan = {"name": "plan", "steps": [{"solver": "system_message", "params": params}]}
        more = {"scores": told, "plan": plan, "eval__task_id": f"{folder} {system}"}
        head = made_inspect.header(system, [one.id for one in A], **more)
        made_inspect.eval_log(folder / f"{system}.eval", head, samples)


def lm_eval(folder, results, prompts):
    for system, given in results.items():
        lines = [
            made_lm_eval.row(
                int(one.id), one.score, question=one.q, prompt=f"{prompts[system]} {one.q}"
            )
            for one in given
            if not one.failed  # it stops at an error
        ]
        made_lm_eval.samples(folder / system, "toy", lines)
        told = made_lm_eval.results({"toy": {"acc,none": MEANS[system]}}, system)
        count = {"toy": {"original": 6, "effective": 6 if system == "a" else 5}}
        made_lm_eval.written(folder / system, told | {"n-samples": count})


def promptfoo(folder, results, prompts):
    found = []
    for column, (system, given) in enumerate(results.items()):
        for one in given:
            failed = {"error": "boom" if one.failed else None}
            row = made_promptfoo.result(int(one.id), column, one.q, passed=one.score == 1, **failed)
            row |= {"provider": {"id": system, "label": system}}
            label = prompts[system] + " {{x}}"
            row["prompt"] = {"raw": label.replace("{{x}}", one.q), "label": label}
            row["promptId"] = label
            found.append(row | ({"score": one.wrote} if one.wrote is not None else {}))
    made_promptfoo.as_json(folder / "out.json", found, repeat=1)


def mlflow(folder, results, prompts):
    for system, given in results.items():
        table = [
            {
                "trace_id": f"{system}-{k}",
                "exact/value": _number(one),
                "exact/error_message": "boom" if one.failed else None,
                "request": str({"q": one.q}),
                "response": "a",
                "state": "OK",
            }
            for k, one in enumerate(given)
        ]
        made_tool_rows.write(folder / f"{system}.csv", table)


def langsmith(folder, results, prompts):
    for system, given in results.items():
        table = [
            {
                "inputs.q": one.q,
                "outputs.answer": "a",
                "error": "boom" if one.failed else None,
                "feedback.exact": 0.0 if one.failed else one.score,
                "example_id": f"e{one.id}",
                "id": f"{system}-{k}",
            }
            for k, one in enumerate(given)
        ]
        made_tool_rows.write(folder / f"{system}.csv", table)


def braintrust(folder, results, prompts):
    for system, given in results.items():
        table = [
            {
                "id": f"{system}{k}",
                "input": {"q": one.q},
                "output": "a",
                "expected": "b",
                "error": "boom" if one.failed else None,
                "scores": None if one.failed and one.wrote is None else {"Exact": _number(one)},
            }
            for k, one in enumerate(given)
        ]
        made_tool_rows.write(folder / f"{system}.jsonl", table)


def deepeval(folder, results, prompts):
    for system, given in results.items():
        cases = []
        for k, one in enumerate(given):
            failed = "boom" if one.failed else None
            metric = made_reports.deepeval_metric("Exact", one.score, error=failed)
            metric |= {"score": one.wrote} if one.wrote is not None else {}
            case = made_reports.deepeval_case(one.q, metric, place=k)
            cases.append(case | {"name": f"case {one.id}"})
        parameters = {"model": system, "prompt": prompts[system]}
        made_reports.deepeval(folder / f"{system}.json", cases, hyperparameters=parameters)


def pydantic_evals(folder, results, prompts):
    for system, given in results.items():
        cases = [
            made_reports.pydantic_case(f"c{one.id}", one.q, exact=one.score == 1)
            for one in given
            if not one.failed
        ]
        failed = [made_reports.pydantic_failure(f"c{one.id}", one.q) for one in given if one.failed]
        made_reports.pydantic(folder / f"{system}.json", cases, failed, name=system)


def every_eval_ever(folder, results, prompts):
    for system, given in results.items():
        lines = [
            {
                "schema_version": "0.3.0",
                "evaluation_id": f"toy/{system}/1",
                "model_id": system,
                "evaluation_name": "toy",
                "evaluation_result_id": "acc",
                "sample_id": one.id,
                "sample_hash": made_lm_eval.hashed(one.q),
                "interaction_type": "single_turn",
                "input": {"raw": one.q, "reference": ["0"]},
                "output": {"raw": ["x"]},
                "evaluation": {"score": one.score, "is_correct": one.score == 1},
            }
            for one in given
            if not one.failed  # such rows it leaves out
        ]
        told = {"score": MEANS[system], "uncertainty": {"num_samples": len(lines)}}
        result = {"evaluation_result_id": "acc", "evaluation_name": "toy", "score_details": told}
        about = {"schema_version": "0.3.0", "evaluation_id": f"toy/{system}/1"}
        about |= {"model_info": {"id": system}, "eval_library": {"name": "lm_eval"}}
        about |= {"evaluation_results": [result | {"metric_config": {"lower_is_better": False}}]}
        count = {"a": 6, "b": 5}[system]
        about |= {"detailed_evaluation_results": {"format": "jsonl", "total_rows": count}}
        made = "".join(json.dumps(line) + "\n" for line in lines)
        Path(folder, f"{system}_samples.jsonl").write_text(made)
        Path(folder, f"{system}.json").write_text(json.dumps(about))


def _number(one):
    return one.wrote if one.failed else one.score


# tool: how it writes, and the metric that the score stands under
TOOLS = {
    "Inspect": (inspect, "match"),
    "lm-eval": (lm_eval, "acc"),
    "promptfoo": (promptfoo, "score"),
    "MLflow": (mlflow, "exact"),
    "LangSmith": (langsmith, "exact"),
    "Braintrust": (braintrust, "Exact"),
    "deepeval": (deepeval, "Exact"),
    "pydantic-evals": (pydantic_evals, "EqualsExpected"),
    "Every Eval Ever": (every_eval_ever, "acc"),
}


def swapped(given):
    """With the ids of the first two exchanged."""
    first, second, *rest = given
    return [replace(first, id=second.id), replace(second, id=first.id), *rest]


def dropped(given):
    """Without the second."""
    return [given[0], *given[2:]]


def doubled(given):
    """With the second twice."""
    return [*given[:2], given[1], *given[2:]]


def reworded(given):
    """With another question in the place of the second."""
    return [given[0], replace(given[1], q="What is the capital of Peru?"), *given[2:]]


def scored_in_error(given):
    """With a score on the row that failed."""
    return [replace(one, wrote=1.0) if one.failed else one for one in given]
