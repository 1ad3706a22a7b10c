"""Small folders as lm-eval writes them."""

import json
from hashlib import sha256

STAMP = "2026-11-21T21-00-22.307630"


def hashed(text):
    return sha256(text.encode()).hexdigest()


def row(doc_id, score=1.0, metric="acc", chosen="none", question=None, prompt=None, **more):
    """A sample of a document and filter."""
    question = question or f"What is {doc_id}?"
    doc = {"q": question, "a": "0"}
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": "0",
        "arguments": {"gen_args_0": {"arg_0": prompt or question}},
        "resps": [["x"]],
        "filtered_resps": ["x"],
        "filter": chosen,
        "metrics": [metric],
        "doc_hash": hashed(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": hashed(prompt or question),
        "target_hash": hashed("0"),
        metric: score,
        **more,
    }


def results(tasks, model="org/alpha", **changes):
    """Results; `tasks` are means by task."""
    told = {task: {"alias": task, **means} for task, means in tasks.items()}
    metrics = {task: {key.partition(",")[0] for key in means} for task, means in tasks.items()}
    found = {
        "results": told,
        "configs": {task: {"task": task, "num_fewshot": 0} for task in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: dict.fromkeys(names, True) for task, names in metrics.items()},
        "config": {"model": "hf", "model_args": {"pretrained": model}, "limit": None},
        "date": 1795294819.0,
        "lm_eval_version": "0.4.13",
        "model_name": model,
    }
    return found | changes


def samples(folder, task, rows, stamp=STAMP):
    """The samples of a task; the folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{stamp}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def written(folder, value, stamp=STAMP):
    """The results beside."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path
