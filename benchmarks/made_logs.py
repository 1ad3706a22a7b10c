"""Tables and logs as large as they come, for timing how they are read."""

import json
import random
import zipfile

import numpy as np
import pandas as pd

WORDS = [f"word{k}" for k in range(2000)]
_STAMP = "2026-11-20T21-54-07.000000"


def long_csv(path, rows, graded=False):
    """One row for each of 10 systems on each item."""
    rng = np.random.default_rng(1)
    scores = rng.random(rows).round(4) if graded else rng.integers(0, 2, rows)
    systems = np.tile([f"system {k}" for k in range(10)], rows // 10)
    items = np.repeat([f"q{k}" for k in range(rows // 10)], 10)
    frame = pd.DataFrame({"system": systems, "item": items, "score": scores})
    frame.to_csv(path, index=False)
    return path


def lm_eval(folder, size):
    """Samples of two models that take `size` bytes together, 7 kB a row, with their results."""
    for model in ("a", "b"):
        (folder / model).mkdir()
        told = {
            "results": {"toy": {"alias": "toy", "acc,none": 0.5}},
            "configs": {"toy": {"task": "toy", "metric_list": [{"metric": "acc"}]}},
            "versions": {"toy": 1},
            "config": {"model": "hf", "model_args": f"pretrained={model}"},
            "model_name": model,
        }
        (folder / model / f"results_{_STAMP}.json").write_text(json.dumps(told))
        made, written, row = random.Random(5), 0, 0  # the same questions for both
        with (folder / model / f"samples_toy_{_STAMP}.jsonl").open("w") as file:
            while written < size / 2:
                written += file.write(json.dumps(_row(row, made, model)) + "\n")
                row += 1
    return folder


def _row(row, made, model):
    question = " ".join(made.choices(WORDS, k=300))
    shots = " ".join(made.choices(WORDS, k=200))
    hashes = {f"{what}_hash": f"{made.getrandbits(256):064x}" for what in _HASHED}
    answers = [[str(-made.random()), "False"] for _ in range(4)]
    return {
        "doc_id": row,
        "doc": {"question": question, "choices": list("abcd"), "answer": made.randrange(4)},
        "target": "2",
        "arguments": {"gen_args_0": {"arg_0": f"{shots} {question}", "arg_1": " a"}},
        "resps": [[answer] for answer in answers],
        "filtered_resps": answers,
        "filter": "none",
        "metrics": ["acc"],
        "acc": float(hash((row, model)) % 2),
        **hashes,
    }


_HASHED = ("doc", "prompt", "target")


def _header(model, ids):
    about = {
        **{"eval_id": "e1", "run_id": "r1", "task": "toy", "task_id": "t1", "task_version": 0},
        **{"created": "2026-11-20T21:54:07+00:00", "model": model, "model_args": {}},
        "dataset": {"name": "toy", "samples": len(ids), "sample_ids": ids},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "match", "options": {}, "metrics": []}],
    }
    plan = {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}}
    stats = {"started_at": "2026-11-20T21:54:07+00:00"}
    told = {"version": 2, "status": "success", "eval": about, "plan": plan, "stats": stats}
    return told | {"results": {"total_samples": len(ids), "scores": []}}


def _sample(k, right):
    answer = {"answer": "ANSWER: 0", "explanation": "ANSWER: 0", "history": []}
    usage = {"input_tokens": 90, "output_tokens": 30, "total_tokens": 120}
    moment = "2026-11-20T21:54:07.613876+00:00"
    return {
        **{
            "id": f"q{k}",
            "epoch": 1,
            "input": f"What is {k}? {' '.join(WORDS[k % 1900 : k % 1900 + 40])}",
        },
        **{"target": "0", "metadata": {"subject": "sums", "level": 3}},
        "scores": {"match": {"value": "C" if right else "I"} | answer},
        "model_usage": {"model": usage},
        **{"started_at": moment, "completed_at": moment, "total_time": 0.393},
        **{"working_time": 0.393, "uuid": f"38eLVGRA7CkEjp4WgbrrJ{k}", "retries": 0},
        **{"completed": True, "message_count": 2, "turn_count": 1},
    }


def inspect_eval(path, model, samples, transcript):
    """An archive of samples with transcripts of so many letters, that hardly compress."""
    made, ids = random.Random(model), [f"q{k}" for k in range(samples)]
    rows = [_sample(k, made.random() < 0.5) for k in range(samples)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            events = [{"event": "model", "output": f"{made.getrandbits(4 * transcript):x}"}]
            member = f"samples/{row['id']}_epoch_1.json"
            archive.writestr(member, json.dumps(row | {"events": events}))
        archive.writestr("summaries.json", json.dumps(rows))
        archive.writestr("header.json", json.dumps(_header(model, ids)))
    return path


def inspect_json(path, model, samples, transcript, lost=0.0, seed=""):
    """The same as one JSON object, sample after sample; a share of them is lost to errors."""
    made, ids = random.Random(model + seed), [f"q{k}" for k in range(samples)]
    with path.open("w") as file:
        file.write(json.dumps(_header(model, ids))[:-1] + ', "samples": [')
        for k in range(samples):
            events = [{"event": "model", "output": f"{made.getrandbits(4 * transcript):x}"}]
            sample = _sample(k, made.random() < 0.5) | {"events": events}
            if made.random() < lost:
                sample |= {"error": {"message": "timeout"}, "scores": {}}
            file.write(("," if k else "") + json.dumps(sample))
        file.write("]}")
    return path


def small_logs(folder, files, samples=10, models=10):
    """Logs of 10 models, one file for each model and task."""
    for k in range(files):
        task, model = divmod(k, models)
        path = inspect_json(
            folder / f"{task}_{model}.json", f"m{model}", samples, 100, seed=f" {task}"
        )
        path.write_text(path.read_text().replace('"task": "toy"', f'"task": "t{task}"'))
    return folder
