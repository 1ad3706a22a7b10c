"""Records of one content are one item, whatever they are called and however often they come."""

import json

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.logs.pivoting import _by_content

from . import made_lm_eval


def one_by_one(records):
    """The same in a loop over samples: runs, ids and contents, in the order in which they come."""
    called, taken, times, seen = {}, set(), {}, {}
    for run, item, digest in records[["run", "item", "item_hash"]].itertuples(index=False):
        if (run, item, digest) in seen:
            continue
        k = times[run, digest] = times.get((run, digest), -1) + 1
        if (digest, k) not in called:
            name = item
            while name in taken:
                name += "'"
            taken.add(name)
            called[digest, k] = name
        seen[run, item, digest] = called[digest, k]
    return [seen[key] for key in records[["run", "item", "item_hash"]].itertuples(index=False)]


@pytest.mark.parametrize("seed", range(20))
def test_contents_are_joined_as_one_by_one(seed):
    random = np.random.default_rng(seed)
    copies = random.integers(1, 3, 8)  # a content stands as often in each run that holds it
    rows = []
    for run in range(3):
        held = [(k, c) for k in range(8) if random.random() < 0.8 for c in range(copies[k])]
        for place in random.permutation(len(held)):
            k, c = held[place]
            # some runs number their items; another content may have the same id
            item = str(place) if run == 1 else f"q{(k if c == 0 else 10 * k + c) % 20}"
            rows += [(run, item, bytes([k]))] * int(random.integers(1, 3))
    records = pd.DataFrame(rows, columns=["run", "item", "item_hash"])
    records = records.assign(system=records["run"].map("m{}".format), text="a question")
    assert _by_content(records).tolist() == one_by_one(records)


def test_an_uneven_number_of_copies_is_refused():
    records = pd.DataFrame(
        {"run": [0, 0, 1], "item": ["1", "2", "1"], "item_hash": [b"x"] * 3, "text": "Why?"}
    ).assign(system="m")
    with pytest.raises(ValueError, match="occur a different number of times"):
        _by_content(records)


def test_ids_of_two_tools_that_number_the_same_questions_in_other_ways_are_refused(tmp_path):
    """Inspect counts samples from 1, and lm-eval, as Every Eval Ever has it, from 0."""
    samples = [
        {"id": k + 1, "epoch": 1, "input": f"question {k}", "target": "0"}
        | {"scores": {"match": {"value": "C"}}}
        for k in range(4)
    ]
    about = {"run_id": "r", "task_id": "t", "task": "toy", "model": "a"}
    log = {"version": 2, "status": "success", "eval": about, "samples": samples}
    (tmp_path / "a.json").write_text(json.dumps(log))
    row = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "b"}
    for start, other in ((0, True), (1, False)):
        rows = [
            row
            | {"evaluation_name": "toy", "evaluation_result_id": "match", "sample_id": f"{k}"}
            | {"input": {"raw": f"question {k - start}"}, "evaluation": {"score": 1.0}}
            for k in range(start, 4 + start)
        ]
        path = tmp_path / f"b{start}_samples.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        sources = {"a": tmp_path / "a.json", "b": path}
        if other:
            with pytest.raises(ValueError, match=r"'question 0' is item '1' in a.json and '0' in"):
                bt.read_logs(sources)
        else:
            assert set(bt.read_logs(sources).records["item"]) == set("1234")


def test_a_mapping_of_two_tools_keeps_its_order_and_the_reason_is_their_ids(tmp_path):
    row = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "b", "sample_id": "1"}
    row |= {"evaluation_name": "toy", "evaluation_result_id": "acc", "input": {"raw": "Q"}}
    one = tmp_path / "b_samples.jsonl"
    one.write_text(json.dumps(row | {"evaluation": {"score": 1.0}}))
    made_lm_eval.samples(tmp_path / "a", "toy", [made_lm_eval.row(1)])
    made_lm_eval.written(tmp_path / "a", made_lm_eval.results({"toy": {"acc,none": 1.0}}))
    for files in ({"b": one, "a": tmp_path / "a"}, {"a": tmp_path / "a", "b": one}):
        with pytest.raises(ValueError, match=r"^logs of several tools are joined by id, and those"):
            bt.read(files, metric="acc")
        assert bt.read_logs(files).runs["system"].tolist() == [*files]
