"""Numbers that Inspect reports by other reducers than the mean."""

import itertools

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.auditing.run_checks import reduced
from tests.logs import made_inspect

RUNS = {"q0": [1, 1, 0], "q1": [0, 1, 0], "q2": [0, 0, 0], "q3": [1, 0.5, 0.5]}


def records(runs=RUNS, errors=()):
    rows = [
        {
            "item": item,
            "epoch": k,
            "score": score,
            "status": "error" if (item, k) in errors else "ok",
        }
        for item, scores in runs.items()
        for k, score in enumerate(scores, 1)
    ]
    return pd.DataFrame(rows, columns=["item", "epoch", "score", "status"])


@pytest.mark.parametrize("k", [1, 2, 3])
def test_of_k_is_over_every_choice_of_k_runs(k):
    """pass_at: one of them is right; pass_k: all are."""
    for name, how in (("pass_at", any), ("pass_k", all)):
        wanted = np.mean([
            np.mean([how(x >= 1 for x in some) for some in itertools.combinations(runs, k)])
            for runs in RUNS.values()
        ])  # fmt: skip
        assert reduced(records(), f"{name}_{k}") == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("max", 0.75),
        ("median", 1.5 / 4),
        ("mode", 1.5 / 4),
        ("at_least_1", 0.75),
        ("at_least_2", 0.25),
    ],
)
def test_others(name, wanted):
    assert reduced(records(), name) == wanted


def test_runs_that_failed_are_left_out_and_items_of_too_few_too():
    found = reduced(records(errors={("q0", 1), ("q2", 3)}), "pass_at_3")
    assert found == np.mean([1.0, 1.0])  # q1 and q3
    assert reduced(records(), "majority") is None


def written(folder, model, told):
    scores = [made_inspect.reported("match", 2 / 6)]
    scores += [made_inspect.reported("match", value, name) for name, value in told.items()]
    samples = [
        made_inspect.summary(item, score, epoch=k)
        for item, runs in {"q0": [1, 0, 1], "q1": [0, 0, 0]}.items()
        for k, score in enumerate(runs, 1)
    ]
    more = {"scores": scores, "eval__config": {"epochs": 3}, "eval__task_id": model}
    head = made_inspect.header(model, **more)
    made_inspect.eval_log(folder / f"{model}.eval", head, samples)


def test_a_number_that_the_items_do_not_give_is_told(tmp_path):
    right = {"at_least_2": 0.5, "max": 0.5, "pass_at_2": 0.5, "median": 0.5, "mode": 0.5}
    written(tmp_path, "a", right)
    written(tmp_path, "b", right | {"at_least_2": 1.0, "pass_at_2": 0.6})
    found = bt.audit(tmp_path).findings
    told = found.loc[found["code"] == "reported", ["level", "message"]].values.tolist()
    assert told == [
        ["warn", "b: reported 1.000 by at_least_2, items give 0.500"],
        ["warn", "b: reported 0.600 by pass_at_2, items give 0.500"],
    ]
