"""Small valid logs of every tool, written here: for each file JSON, JSON Lines, rows, or text."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Seed:
    """The files of a log by name; a list in ``.jsonl`` has a value a line, one in ``.csv`` rows."""

    tool: str  # as `read_logs` names it, or the layout of judgments
    files: dict[str, Any]
    items: tuple[str, ...] | None = None  # the ids of the data set, which SWE-bench needs
    judged: bool = False


def _inspect_header(**more):
    about = {"task": "toy", "task_id": "t1", "run_id": "r1", "model": "org/alpha"}
    about |= {"created": "2026-11-21T12:00:00", "dataset": {"sample_ids": ["q0", "q1", 7]}}
    about |= {"config": {"epochs": 1, "limit": None}, "packages": {"inspect_ai": "0.3.240"}}
    return {
        "version": 2,
        "status": "success",
        "eval": about | {"scorers": [{"name": "match"}]},
        "plan": {"steps": [{"solver": "generate", "params": {}}]},
        **more,
    }


def _inspect_samples():
    values = [("q0", {"match": {"value": "C"}}), ("q1", {"match": {"value": 0.25}})]
    values += [(7, {"match": {"value": {"a": 1, "b": "I"}}}), ("q3", {"match": {"value": "N"}})]
    samples = [
        {"id": id, "epoch": 1, "input": f"What is {id}?", "target": "0", "scores": scores}
        for id, scores in values
    ]
    failed = {"id": "q4", "epoch": 1, "input": "w", "target": "0", "error": {"message": "429"}}
    return [*samples, failed]


def _lm_eval_row(doc_id, score, chosen="none"):
    return {
        "doc_id": doc_id,
        "doc": {"q": f"What is {doc_id}?"},
        "target": "0",
        "arguments": [["prompt"]],
        "filter": chosen,
        "metrics": ["acc", "acc_norm"],
        "doc_hash": f"d{doc_id}",
        "prompt_hash": f"p{doc_id}",
        "target_hash": "t",
        "acc": score,
        "acc_norm": 1.0,
    }


def _eee_row(sample, score, result="acc"):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "toy/org/1",
        "model_id": "org/alpha",
        "evaluation_name": "toy",
        "evaluation_result_id": result,
        "sample_id": sample,
        "sample_hash": f"hash of {sample}",
        "input": {"raw": f"What is {sample}?", "reference": ["0"]},
        "evaluation": {"score": score, "is_correct": bool(score)},
        "error": None,
    }


def _trial(task, rewards, name, error=None):
    return {
        "task_name": task,
        "trial_name": name,
        "source": "toy",
        "task_checksum": f"sum of {task}",
        "config": {"agent": {"name": "terminus", "model_name": "m"}, "timeout_multiplier": 1.0},
        "agent_info": {"name": "terminus", "version": "1", "model_info": {"name": "gpt-x"}},
        "verifier_result": {"rewards": rewards},
        "exception_info": error,
        "started_at": "2026-11-21T12:00:00Z",
    }


def _simulation(task, trial, reward):
    info = None if reward is None else {"reward": reward}
    ended = {"termination_reason": "user_stop", "trial": trial, "messages": ["m"]}
    return {"id": f"{task}{trial}", "task_id": task, "reward_info": info} | ended


_TAU2 = {
    "timestamp": "2026-11-21T12:00:00",
    "info": {
        "num_trials": 2,
        "agent_info": {"implementation": "llm_agent", "llm": "gpt-x", "llm_args": {}},
        "environment_info": {"domain_name": "airline"},
    },
    "tasks": [{"id": "0", "user_scenario": "a"}, {"id": "1", "user_scenario": "b"}],
    "simulations": [
        _simulation("0", 0, 1.0),
        _simulation("0", 1, 0.5),
        _simulation("1", 0, 0),
        _simulation("1", 1, None),
    ],
}


def _stat(name, mean, count=1):
    return {"name": {"name": name, "split": "test"}, "count": count, "sum": mean, "mean": mean}


def _instance(id, *stats, trial=0):
    return {"instance_id": id, "train_trial_index": trial, "stats": list(stats)}


def _promptfoo_result(test, score, **more):
    return {
        "error": None,
        "gradingResult": {"pass": bool(score), "reason": "", "namedScores": {"has": score}},
        "id": f"r{test}",
        "namedScores": {"has": score},
        "prompt": {"raw": f"Say {test}", "label": "Say {{x}}"},
        "promptIdx": 0,
        "provider": {"id": "echo", "label": "sysA"},
        "response": {"output": f"said {test}"},
        "score": score,
        "success": bool(score),
        "testCase": {"vars": {"x": f"x{test}"}, "assert": [{"type": "contains", "value": "x"}]},
        "testIdx": test,
        "vars": {"x": f"x{test}"},
        "failureReason": 0 if score else 1,
    } | more


_PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "timestamp": "2026-11-21T12:00:00Z",
        "prompts": [{"raw": "Say {{x}}", "provider": "sysA", "metrics": {"score": 1.5}}],
        "results": [
            _promptfoo_result(0, 1),
            _promptfoo_result(1, 0.5),
            _promptfoo_result(2, 0, error="boom", failureReason=2),
            _promptfoo_result(3, 1, testCase={"vars": {"x": "x3"}, "assert": []}),
        ],
    },
    "config": {"tests": []},
    "metadata": {"promptfooVersion": "0.123.1"},
    "runtimeOptions": {"repeat": 1},
}


def _case(question, score, error=None):
    metrics = [
        {"name": "Exact", "threshold": 0.5, "success": True, "score": score, "error": error},
        {"name": "Tone", "threshold": 0.5, "success": False, "score": 0.1},
    ]
    return {"name": "test_case_0", "input": question, "expectedOutput": "4", "metricsData": metrics}


_DEEPEVAL = {
    "testCases": [_case("1+1", 1.0), _case("2+2", 0.25), _case("3+3", None, "judge failed")],
    "conversationalTestCases": [],
    "metricsScores": [{"metric": "Exact", "scores": [1.0, 0.25]}],
    "hyperparameters": {"model": "sysA", "top": {"k": 3}},
}


def _result(name, value):
    return {name: {"name": name, "value": value, "source": {"name": name, "arguments": None}}}


def _pydantic_case(name, question, exact, brevity):
    scores, assertions = _result("brevity", brevity), _result("Exact", exact)
    case = {"name": name, "inputs": question, "expected_output": "4", "output": "a"}
    return case | {"scores": scores, "labels": {}, "assertions": assertions, "task_duration": 0.5}


_PYDANTIC = {
    "name": "sysA",
    "cases": [
        _pydantic_case("c0", "1+1", exact=True, brevity=1.0),
        _pydantic_case("c1", "2+2", exact=False, brevity=0.25),
    ],
    "failures": [{"name": "c2", "inputs": "3+3", "error_message": "RuntimeError: 429"}],
    "dataset_name": "toy",
}

_MLFLOW = [
    ["trace_id", "exact/value", "graded/value", "graded/error_message", "request", "state"],
    ["tr-0", "True", "0.5", "", "1+1", "OK"],
    ["tr-1", "False", "0.25", "", "2+2", "OK"],
    ["tr-2", "True", "", "judge down", "3+3", "OK"],
]

_LANGSMITH = [
    {
        "inputs.question": f"what is {example}?",
        "outputs.answer": "a",
        "error": error,
        "feedback.exact": score,
        "example_id": example,
        "id": f"run-{k}",
    }
    for k, (example, score, error) in enumerate(
        [("e1", True, None), ("e2", False, "timed out"), ("e3", 0.5, None)]
    )
]

_BRAINTRUST = [
    {"id": f"s{k}", "input": {"q": f"q{k}"}, "output": "a", "expected": "b", "scores": scores}
    for k, scores in enumerate([{"Factual": 0.6, "Exact": 1}, {"Factual": None, "Exact": 0}, None])
]

_RAGAS = [
    ["user_input", "response", "reference", "faithfulness"],
    ["q0", "a", "r0", "1.0"],
    ["q1", "a", "r1", ""],
    ["q2", "a", "r2", "0.5"],
]

_TREC = "map \tq1\t0.5000\nmap \tq2\t0.2500\nP_5 \tq1\t0.4\nP_5 \tq2\t0\nmap \tall\t0.3750\n"
_SIGNED = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
_SACREBLEU = "".join(f"{_SIGNED} = {x} 50.0/20.0 (BP = 1.000)\n" for x in ("57.1", "0.0", "12.25"))

_STAMP = "2026-11-21T21-00-22.307630"
_LM_EVAL = {
    f"samples_toy_{_STAMP}.jsonl": [
        _lm_eval_row(0, 1.0),
        _lm_eval_row(1, 0.0),
        _lm_eval_row(1, 0.5, "strict"),
    ],
    f"results_{_STAMP}.json": {
        "results": {"toy": {"alias": "toy", "acc,none": 0.5}},
        "configs": {"toy": {"task": "toy", "num_fewshot": 0}},
        "n-shot": {"toy": 0},
        "higher_is_better": {"toy": {"acc": True}},
        "config": {"model": "hf", "model_args": {"pretrained": "org/alpha"}},
        "date": 1795294819.0,
        "model_name": "org/alpha",
    },
}

_REPORT = {
    "total_instances": 4,
    "resolved_instances": 1,
    "submitted_ids": ["a__a-1", "b__b-2", "c__c-3"],
    "resolved_ids": ["a__a-1"],
    "unresolved_ids": ["b__b-2"],
    "error_ids": ["c__c-3"],
    "empty_patch_ids": [],
}
_PAIR = {"question_id": 81, "model_1": "a", "model_2": "b", "judge": ["gpt-4", "pair-v2"]}
_GAMES = {"uid": "0001", "model": "m", "baseline": "base", "judge": "gpt-4"}
_PREFERENCE = {"instruction": "why?", "generator_1": "ref", "generator_2": "m", "annotator": "w"}
_HOT = ["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"]

SEEDS = {
    "inspect": Seed(
        "inspect",
        {"a.eval": {"header.json": _inspect_header(), "summaries.json": _inspect_samples()}},
    ),
    "inspect_json": Seed("inspect", {"a.json": _inspect_header(samples=_inspect_samples())}),
    "lm_eval": Seed("lm_eval", _LM_EVAL),
    "every_eval_ever": Seed(
        "every_eval_ever",
        {
            "a_samples.jsonl": [
                _eee_row("q0", 1.0),
                _eee_row("q1", 0.25),
                _eee_row("q0", 0.5, "acc_norm"),
                _eee_row("q1", 0.0, "acc_norm"),
            ]
        },
    ),
    "harbor": Seed(
        "harbor",
        {
            "a__0/result.json": _trial("a", {"reward": 1.0}, "a__0"),
            "b__1/result.json": _trial("b", {"reward": 0.25}, "b__1"),
            "result.json": {"n_total_trials": 2, "stats": {"evals": {}}, "finished_at": "2026"},
        },
    ),
    "swebench_report": Seed("swebench", {"report.json": _REPORT}),
    "swebench_details": Seed(
        "swebench",
        {
            "s/per_instance_details.json": {
                "a__a-1": {"resolved": True, "applied": True},
                "b__b-2": {"resolved": False, "applied": True},
            }
        },
    ),
    "swebench_results": Seed(
        "swebench",
        {"results.json": {"resolved": ["a__a-1"], "no_generation": ["b__b-2"], "no_logs": []}},
        items=("a__a-1", "b__b-2", "c__c-3"),
    ),
    "tau2": Seed("tau2", {"a.json": _TAU2}),
    "helm": Seed(
        "helm",
        {
            "per_instance_stats.json": [
                _instance("id1", _stat("em", 1.0), _stat("num_prompt_tokens", 300)),
                _instance("id1", _stat("em", 0.5), trial=1),
                _instance("id2", _stat("em", None, count=0)),
            ],
            "run_spec.json": {
                "name": "mmlu:subject=philosophy,model=openai_gpt2",
                "scenario_spec": {"class_name": "x"},
                "adapter_spec": {"model": "openai/gpt2", "temperature": 0.0},
            },
        },
    ),
    "promptfoo": Seed("promptfoo", {"a.json": _PROMPTFOO}),
    "deepeval": Seed("deepeval", {"test_run_1.json": _DEEPEVAL}),
    "pydantic_evals": Seed("pydantic_evals", {"a.json": _PYDANTIC}),
    "mlflow": Seed("tool_rows", {"a.csv": _MLFLOW}),
    "langsmith": Seed("tool_rows", {"a.jsonl": _LANGSMITH}),
    "braintrust": Seed("tool_rows", {"a.json": _BRAINTRUST}),
    "ragas": Seed("tool_rows", {"a.csv": _RAGAS}),
    "trec": Seed("trec", {"a.txt": _TREC}),
    "sacrebleu": Seed("sacrebleu", {"a.txt": _SACREBLEU}),
    "mt_bench": Seed(
        "mt_bench",
        {
            "a.jsonl": [
                _PAIR | {"g1_winner": "model_1", "g2_winner": "model_1"},
                _PAIR | {"question_id": 82, "g1_winner": "tie", "g2_winner": "model_2"},
            ]
        },
        judged=True,
    ),
    "arena_hard": Seed(
        "arena_hard",
        {
            "a.jsonl": [
                _GAMES | {"games": [{"score": "A>B"}, {"score": "B>>A"}]},
                _GAMES | {"uid": "0002", "games": [{"score": "A=B"}, {"score": None}]},
            ]
        },
        judged=True,
    ),
    "alpaca_eval": Seed(
        "alpaca_eval",
        {"a.json": [_PREFERENCE | {"preference": x, "instruction": str(x)} for x in (1.2, 1.5, 2)]},
        judged=True,
    ),
    "one_hot": Seed(
        "one_hot",
        {"a.csv": [_HOT, ["a", "b", "1", "0", "0"], ["a", "b", "0", "0", "1"]]},
        judged=True,
    ),
}
