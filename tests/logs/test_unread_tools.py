"""Logs that are known and not read are refused by their name, and passed over in a folder."""

import json

import pandas as pd
import pytest

from betterthan.logs.reading import read_logs
from betterthan.logs.recognising import why_unread
from betterthan.logs.sniffing import LogFile
from tests.logs.expected_records import folder, log_files
from tests.logs.made_reports import deepeval

OPENAI = [{"spec": {"completion_fns": ["m"], "eval_name": "t"}}, {"run_id": "1", "type": "match"}]
BFCL = [{"accuracy": 0.5, "correct_count": 1, "total_count": 2}, {"id": "simple_1"}]


def lines(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def details(path):
    """A table of structs, as lighteval writes them."""
    pytest.importorskip("pyarrow")
    row = {"__doc__": {"query": "q"}, "__model_response__": {"text": "a"}, "__metric__": {"em": 1}}
    pd.DataFrame([row]).to_parquet(path)
    return path


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (OPENAI, "is a log of openai/evals, which is not read; write a table"),
        (BFCL, "is a score file of BFCL, which lists failures only"),
    ],
)
def test_they_are_refused_by_name(tmp_path, rows, what):
    path = lines(tmp_path / "a.jsonl", rows)
    with pytest.raises(ValueError, match=rf"^a\.jsonl: {what}"):
        read_logs(path)


def test_details_of_lighteval_are_told_from_other_parquet(tmp_path):
    with pytest.raises(ValueError, match=r"^a\.parquet: is a file of details of lighteval"):
        read_logs(details(tmp_path / "a.parquet"))
    other = tmp_path / "b.parquet"
    pd.DataFrame({"system": ["a"], "item": [1], "score": [1.0]}).to_parquet(other)
    head = LogFile(other, "b").preview
    assert head.kind == "parquet"
    assert "system" in head.members
    assert why_unread(head) is None


def test_cut_parquet_tells_nothing(tmp_path):
    path = details(tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:-4])
    assert LogFile(path, "a").preview.members == ()


def test_in_a_folder_they_are_passed_over(tmp_path):
    lines(tmp_path / "bfcl.json", BFCL)
    deepeval(tmp_path / "run.json")
    assert len(read_logs(tmp_path).runs) == 1


def test_the_sample():
    (file,) = log_files(folder("openai_evals") / "run.jsonl")
    assert "openai/evals" in str(why_unread(file.preview))
