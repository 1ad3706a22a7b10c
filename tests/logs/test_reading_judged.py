"""Files of judgments are read like votes, and how a verdict counts is said."""

import json

import pandas as pd
import pytest

import betterthan as bt
from tests.logs import made_tool_rows
from tests.logs.test_judged import HEADER, games, pair, preference, write


def test_games_are_votes_and_judgments(tmp_path):
    path = write(tmp_path / "a.jsonl", [games("A>B", "B>A"), games(None, "A=B", uid="2")])
    with pytest.warns(UserWarning, match="3 votes are on 2 clusters of a pair"):
        votes = bt.read(path)
    assert votes.sel(system_a="base", system_b="m").values.tolist() == [2, 0, 1]
    assert (votes.attrs["n"], votes.attrs["n_missing"]) == (3, 1)
    assert "a strong verdict counts once" in votes.attrs["reading"]
    one_by_one = bt.read(path, layout="judgments")
    assert one_by_one["outcome"].values.tolist() == [1, -1, 0]
    assert one_by_one["cluster"].values.tolist() == ["0001", "0001", "2"]
    assert "a strong verdict counts once" in one_by_one.attrs["reading"]


@pytest.mark.parametrize(
    ("name", "rows", "wins"),
    [
        ("a.jsonl", [pair("model_1", "model_1"), pair("model_1", "tie", q=2)], [1, 0, 1]),
        ("a.csv", [HEADER, "a,b,1,0,0", "a,b,0,1,0"], [1, 1, 0]),
        (
            "a.json",
            [preference(1.2, generator_1="a", generator_2="b"), preference(1.9)],
            [1, 0, 0],
        ),
    ],
)
def test_the_other_kinds(tmp_path, name, rows, wins):
    votes = bt.read(write(tmp_path / name, rows))
    assert votes.sel(system_a="a", system_b="b").values.tolist() == wins
    assert votes.attrs["layout"] == "votes"


def test_several_files_are_data_sets(tmp_path):
    one = write(tmp_path / "one.jsonl", [games("A>B"), games(None, uid="2")])
    two = write(tmp_path / "two.jsonl", [games("B>A"), games(None, uid="2")])
    for source in ([one, two], {"one": one, "two": two}, tmp_path):
        votes = bt.read(source)
        assert votes["dataset"].values.tolist() == ["one", "two"]
        assert votes.sel(system_a="m", system_b="base")[..., 0].values.tolist() == [0, 1]


def test_a_table_of_votes_is_read_as_before(tmp_path):
    path = write(tmp_path / "a.csv", ["model_a,model_b,winner", "a,b,model_a"])
    assert bt.read(path).attrs["reading"].endswith("columns 'model_a' and 'model_b'")


def test_frames_of_a_tool_are_logs():
    given = [pd.DataFrame(made_tool_rows.mlflow()) for _ in range(2)]
    given[1]["exact/value"] = ~given[1]["exact/value"]
    scores = bt.read({"a": given[0], "b": given[1]}, metric="exact")
    assert scores["system"].values.tolist() == ["a", "b"]
    assert (scores.sel(system="a") != scores.sel(system="b")).all()
    other = pd.DataFrame({"item": ["q"], "score": [1.0]})
    with pytest.raises(ValueError, match=r"^b: has not the columns of MLflow, as others here have"):
        bt.read({"a": given[0], "b": other}, metric="exact")


def test_logs_that_are_known_and_not_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"spec": {"eval_name": "t"}}) + "\n")
    with pytest.raises(ValueError, match=r"^a\.jsonl: is a log of openai/evals, which is not read"):
        bt.read(path)
