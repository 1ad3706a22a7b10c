"""Audit of repeated runs: copies, whole runs that differ, and what a standard error contains."""

import json

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


@pytest.fixture(scope="module")
def runs():
    random = np.random.default_rng(1)
    rows = [
        (f"t{k}", system, run, int(random.random() < p))
        for k, p in enumerate(random.beta(0.6, 0.5, 50))
        for system in "AB"
        for run in range(1, 6)
    ]
    return pd.DataFrame(rows, columns=["item", "system", "epoch", "score"])


def findings(frame):
    table = bt.audit(bt.read(frame)).findings
    return table.set_index("code")["message"]


def test_independent_runs_have_no_finding(runs):
    assert not {"copies", "days"} & set(findings(runs).index)


def test_copies_are_named(runs):
    first = runs.groupby(["item", "system"])["score"].transform("first")
    copies = runs.assign(score=np.where(runs["system"] == "A", first, runs["score"]))
    assert findings(copies)["copies"].startswith(
        "all runs of each of 50 items agree for A: a cache"
    )


def test_a_run_on_a_bad_day_is_named(runs):
    bad = (runs["epoch"] == 3) & (runs["system"] == "B") & (np.arange(len(runs)) % 4 > 0)
    message = findings(runs.assign(score=runs["score"].where(~bad, 0)))["days"]
    assert message.startswith("whole runs of B differ more than chance (run 3 ")


def log(path, name, scores, reported):
    """A log of Inspect with 3 epochs, and the standard error that it reports."""
    samples = [
        {"id": f"q{k}", "epoch": e + 1, "input": f"What is {k}?", "target": "x",
         "scores": {"match": {"value": "C" if score else "I"}}}
        for k, row in enumerate(scores) for e, score in enumerate(row)
    ]  # fmt: skip
    metrics = {"accuracy": {"name": "accuracy", "value": float(np.mean(scores))}}
    metrics["stderr"] = {"name": "stderr", "value": reported}
    content = {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "t", "run_id": name, "model": name, "config": {"epochs": 3},
            "dataset": {"sample_ids": [f"q{k}" for k in range(len(scores))]},
            "scorers": [{"name": "match"}],
        },
        "results": {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]},
        "samples": samples,
    }  # fmt: skip
    (path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("which", "words"),
    [("items", None), ("runs", "is the run-to-run noise; for items like these it is"),
     ("pooled", "counts every run as an item; for items like these it is"),
     ("other", "is not that of the items")],
)  # fmt: skip
def test_reported_standard_errors_are_recomputed(tmp_path, which, words):
    random = np.random.default_rng(3)
    scores = (random.random((30, 3)) < random.beta(0.6, 0.5, (30, 1))).astype(int)
    means = scores.mean(1)
    errors = {
        "items": means.std(ddof=1) / np.sqrt(30),
        "runs": np.sqrt((scores.var(1, ddof=1) / 3).mean() / 30),
        "pooled": scores.std(ddof=1) / np.sqrt(90),
        "other": 0.5,
    }
    log(tmp_path, "alpha", scores, errors[which])
    log(tmp_path, "beta", scores[::-1], errors["items"])
    table = bt.audit(tmp_path).findings
    messages = table[table["code"] == "standard error"]["message"].tolist()
    assert len(messages) == (words is not None)
    assert all(words in message and "alpha" in message for message in messages)
