"""Of the samples each is of one kind at most, and of the right one; tables of results are none."""

import json

import pytest

import betterthan as bt
from betterthan.logs.judgments import JUDGED
from betterthan.logs.roster import READERS
from betterthan.logs.sniffing import LogFile
from tests.logs.expected_records import FORMATS, folder
from tests.logs.test_any_value import contents

KNOWN = {
    "promptfoo": ("out.csv", "out.json", "out.jsonl"),
    "tool_rows": ("sysA_result_df.csv", "sysB_result_df.csv", "genai_evaluate_result_df.csv"),
    "deepeval": (
        "test_run.json",
        "test_run_20261121_210136.json",
        "test_run_20261121_210136_2.json",
    ),
    "pydantic_evals": ("sysA.json", "sysB.json"),
    "trec": (
        "runA.irm.txt",
        "runB.irm.txt",
        "runA.trec_eval_q.txt",
        "runB.trec_eval_q.txt",
        "trec_eval_q.txt",
    ),
    "sacrebleu": ("a.sl.txt", "b.sl.txt", "sentence_level.txt"),
    "one_hot": ("kaggle_onehot.csv",),
    "mt_bench": ("mt_bench_gpt-4_pair.jsonl",),
    "arena_hard": ("arena_hard_judgment.jsonl",),
    "alpaca_eval": ("annotations.json",),
}
OLDER = ("results.csv", "results.jsonl", "results.trimmed.json")


def test_every_sample_is_of_one_kind_at_most():
    folder("promptfoo")
    found = {}
    for path in sorted(p for p in FORMATS.rglob("*") if p.is_file()):
        head = LogFile(path, path.name).preview
        kinds = [kind.name for kind in (*READERS, *JUDGED) if kind.recognises(head)]
        assert len(kinds) <= 1, (path, kinds)
        for kind in kinds:
            found.setdefault(kind, set()).add(path.name)
    found["promptfoo"] -= set(OLDER)
    assert {kind: found.get(kind) for kind in KNOWN} == {k: set(v) for k, v in KNOWN.items()}


def test_every_made_log_is_of_one_kind(tmp_path):
    found = {}
    for name, content in contents(tmp_path).items():
        path = tmp_path / "a.json"
        path.write_text(json.dumps(content))
        head = LogFile(path, path.name).preview
        found[name] = [kind.name for kind in (*READERS, *JUDGED) if kind.recognises(head)]
    rows = dict.fromkeys(("mlflow", "langsmith", "braintrust"), "tool_rows")
    assert found == {name: [rows.get(name, name)] for name in found}


@pytest.mark.parametrize(
    ("name", "n", "missing"),
    [
        ("arena/kaggle_onehot.csv", 3, 0),
        ("arena/mt_bench_gpt-4_pair.jsonl", 3, 1),
        ("arena/arena_hard_judgment.jsonl", 5, 1),
        ("alpaca_eval/annotations.json", 3, 1),
    ],
)
def test_the_samples_as_judgments(name, n, missing):
    path = folder("arena").parent / name
    found = bt.read(path, layout="judgments")
    assert (found.attrs["n"], found.attrs["n_missing"]) == (n, missing)
    assert found.attrs["unit"] == "judgment"
    assert found.sizes["judgment"] == n


def test_how_a_judgment_is_read_is_said():
    path = folder("arena") / "arena_hard_judgment.jsonl"
    with pytest.warns(UserWarning, match="5 votes are on 3 clusters of a pair"):
        assert "a strong verdict counts once" in bt.read(path).attrs["reading"]
    path = folder("arena") / "battles_new.csv"  # of no tool
    assert bt.read(path).attrs["n"] == 4
