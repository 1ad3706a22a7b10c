"""Clusters of items by an argument: metadata of samples, or what was asked."""

import pandas as pd
import pytest

import betterthan as bt
from tests.logs import made_inspect, made_tool_rows

TEXTS = {"q0": "1+1?", "q1": "2+2?", "q2": "1+1?"}


@pytest.fixture(params=[made_inspect.eval_log, made_inspect.json_log])
def folder(request, tmp_path):
    for model in ("a", "b"):
        samples = [
            made_inspect.summary(id, 1, input=text, metadata={"topic": text[:1], "n": k})
            for k, (id, text) in enumerate(TEXTS.items())
        ]
        head = made_inspect.header(model, list(TEXTS), eval__task_id=model)
        request.param(tmp_path / f"{model}.log", head, samples)
    return tmp_path


def test_by_metadata(folder):
    assert bt.read(folder, cluster="topic")["cluster"].values.tolist() == ["1", "2", "1"]
    assert bt.read(folder, cluster="n")["cluster"].values.tolist() == ["0", "1", "2"]
    assert "cluster" not in bt.read(folder).coords
    logs = bt.read_logs(folder, cluster="topic")
    assert logs.records["cluster"].tolist() == ["1", "2", "1"] * 2
    with pytest.raises(ValueError, match=r"sample 'q0': has no metadata 'x' .* has 'topic', 'n'"):
        bt.read(folder, cluster="x")


def test_by_content(folder):
    clusters = bt.read(folder, cluster="content")["cluster"].values.tolist()
    assert clusters[0] == clusters[2] != clusters[1]
    told = bt.audit(folder, cluster="content").findings
    assert "double" in set(told["code"])


def test_of_frames_and_tables(tmp_path):
    rows = [{"user_input": q, "response": "x", "faithfulness": 1.0} for q in ("a?", "b?")]
    frames = {"old": pd.DataFrame(rows), "new": pd.DataFrame(rows)}
    assert len(set(bt.read(frames, cluster="content")["cluster"].values.tolist())) == 2
    with pytest.raises(ValueError, match="does not apply to frames"):
        bt.read(frames, cluster="topic")
    with pytest.raises(ValueError, match="has no column 'topic'"):
        bt.read(pd.DataFrame({"item": ["q"], "a": [1], "b": [0]}), cluster="topic")
    for name in frames:
        made_tool_rows.write(tmp_path / f"{name}.jsonl", rows)
    with pytest.raises(ValueError, match="is for metadata of samples in logs of Inspect"):
        bt.read(tmp_path, cluster="topic")


def test_a_log_without_contents_has_no_clusters_by_content(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("map\tq1\t1.0\nmap\tq2\t0.5\n")
    with pytest.raises(ValueError, match="does not hold what was asked"):
        bt.read(tmp_path, cluster="content")
