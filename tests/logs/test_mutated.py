"""Logs with a value taken out or replaced: read, or refused in one line, never a traceback."""

import copy
import json
import random

import pytest

from betterthan.logs.reading import read_logs
from betterthan.logs.roster import READERS
from validation.fuzzing.log_mutations import places

from . import made_inspect, made_lm_eval
from .samples import files_in
from .test_every_eval_ever import aggregate, row
from .test_harbor import trial
from .test_helm import SPEC, instance, stat
from .test_swebench import REPORT
from .test_tau2 import INFO, simulation

STRANGE = [None, True, 0, -1, 1.5, float("inf"), float("nan"), 10**400, "", "x", "\ud800"]
STRANGE += ["x\0", "\x1b[31m", 2**53 + 1]
STRANGE += [[], [1], [[]], {}, {"a": 1}, [{}], {"a": {"b": [1]}}]


def inspect():
    scores = [made_inspect.reported("match", 1.0)]
    return {
        "header.json": made_inspect.header(scores=scores),
        "summaries.json": [made_inspect.summary("q0"), made_inspect.summary("q1", {"a": 1})],
    }


def inspect_json():
    return {"a.json": made_inspect.header() | {"samples": inspect()["summaries.json"]}}


def lm_eval():
    stamp = made_lm_eval.STAMP
    rows = [made_lm_eval.row(0), made_lm_eval.row(1, chosen="strict")]
    results = made_lm_eval.results({"toy": {"acc,none": 1.0}})
    return {f"samples_toy_{stamp}.jsonl": rows, f"results_{stamp}.json": results}


def every_eval_ever():
    return {"a_samples.jsonl": [row("q0"), row("q1")], "a.json": aggregate()}


def harbor():
    told = {"reward_stats": {"reward": {"1.0": ["a", "b"]}}}
    job = {"n_total_trials": 2, "stats": {"evals": {"k": told}}}
    return {"a/result.json": trial("a"), "b/result.json": trial("b"), "result.json": job}


def swebench():
    details = {"a__a-1": {"resolved": True}, "a__a-2": {"resolved": False}}
    results = {"resolved": ["a__a-1"], "no_generation": []}
    return {"report.json": REPORT, "s/details.json": details, "s/results.json": results}


def tau2():
    tasks = [{"id": "0"}, {"id": "1"}]
    simulations = [simulation("0"), simulation("1", 1, None)]
    return {"a.json": {"info": INFO, "tasks": tasks, "simulations": simulations}}


def helm():
    rows = [instance("id1", stat("em")), instance("id2", stat("em"))]
    return {"per_instance_stats.json": rows, "run_spec.json": SPEC, "stats.json": [stat("em")]}


def mutated(value, path, strange):
    """The value with another in its place, or without it where `strange` is the value itself."""
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    if strange is STRANGE:
        del at[path[-1]]
    else:
        at[path[-1]] = copy.deepcopy(strange)
    return value


def write(folder, files, zipped):
    if zipped:
        members = [(name, json.dumps(value).encode()) for name, value in files.items()]
        made_inspect.archive(folder / "a.eval", members, method=made_inspect.STORED)
        return
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        lines = isinstance(value, list) and name.endswith(".jsonl")
        text = "".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value)
        path.write_text(text)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("inspect", inspect),
        ("inspect", inspect_json),
        ("lm_eval", lm_eval),
        ("every_eval_ever", every_eval_ever),
        ("harbor", harbor),
        ("swebench", swebench),
        ("tau2", tau2),
        ("helm", helm),
    ],
)
def test_any_value_may_be_anything(tmp_path, name, made):
    reader = next(reader for reader in READERS if reader.name == name)
    files = made()
    chance = random.Random(1)
    everywhere = list(places(files))
    refused = []
    for k in range(80):
        path = min(chance.choices(everywhere, k=2), key=len)
        strange = chance.choice([*STRANGE, STRANGE])
        folder = tmp_path / str(k)
        folder.mkdir()
        write(folder, mutated(files, path, strange) if len(path) > 1 else files, made is inspect)
        known = [file for file in files_in(folder) if reader.recognises(file.preview)]
        try:
            runs = reader.runs(known) if known else []
            if runs:
                read_logs(folder, again="last", items=["0"] if name == "swebench" else None)
        except ValueError as error:
            refused.append(error)
            continue
        for run in runs:
            assert all(isinstance(text, str) for text in (*run.cells.item, *run.metrics, run.task))
            assert all(isinstance(epoch, int) for epoch in run.cells.epoch)
            assert isinstance(run.system, str | None)
    assert all(type(error) is ValueError and "\n" not in str(error) for error in refused)
