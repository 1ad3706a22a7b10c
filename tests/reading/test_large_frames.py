"""Frames of many rows, whose texts are read by the distinct ones, are read as their CSV is."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.io.texts import BLOCK

ROWS = BLOCK + 1_000


@pytest.mark.parametrize("items", [40, ROWS // 2])
def test_a_long_frame_is_read_as_its_file(tmp_path, items):
    order = np.random.default_rng(1).permutation(2 * items)
    frame = pd.DataFrame(
        {
            "item": [f"q{k // 2}" for k in order],
            "system": [("old", "new")[k % 2] for k in order],
            "score": order % 3 % 2,
        }
    )
    path = tmp_path / "long.csv"
    frame.to_csv(path, index=False)
    by_file = bt.read(path)
    assert bt.read(frame).equals(by_file)
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "long.parquet")
    assert bt.read(tmp_path / "long.parquet").equals(by_file)


def test_long_votes_are_counted_as_by_hand():
    random = np.random.default_rng(2)
    first, winner = random.integers(0, 2, ROWS), random.integers(0, 3, ROWS)
    names = np.array(["A", "B"])
    columns = {"model_a": names[first], "model_b": names[1 - first]}
    columns["winner"] = np.array(["model_a", "model_b", "tie"])[winner]
    counts = bt.read(pd.DataFrame(columns)).sel(system_a="A", system_b="B")
    of_a = np.where(winner == 2, 2, winner ^ first)  # 0 where A wins
    assert counts.values.tolist() == [int((of_a == k).sum()) for k in range(3)]
    columns["winner"] = pd.Series(columns["winner"]).where(np.arange(ROWS) != 70, None)
    assert bt.read(pd.DataFrame(columns)).sel(system_a="A", system_b="B").sum() == ROWS - 1
