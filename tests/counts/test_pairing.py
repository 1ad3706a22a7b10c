import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.shapes import as_pairs, to_square


def test_square_and_pairs_become_the_same_pairs():
    counts = bt.counts.from_table({("A", "B"): (1, 2, 3), ("A", "C"): (4, 5, 6)})
    pairs, square = as_pairs(counts)
    again, pairwise = as_pairs(bt.counts.to_pairs(counts))
    assert (square, pairwise) == (True, False)
    xr.testing.assert_identical(pairs, again)
    assert pairs.dtype == np.int64


def test_pairs_without_a_label_get_one():
    counts = xr.DataArray(
        [[1, 2]],
        dims=("pair", "outcome"),
        coords={
            "outcome": ["win", "loss"],
            "system_a": ("pair", ["x"]),
            "system_b": ("pair", ["y"]),
        },
    )
    assert as_pairs(counts)[0]["pair"].values.tolist() == ["x vs y"]


@pytest.mark.parametrize(
    "dims", [("pair", "outcome"), ("dataset", "pair", "outcome"), ("outcome",)]
)
def test_other_shapes_are_refused_in_one_line(dims):
    counts = xr.DataArray(
        np.ones((1,) * (len(dims) - 1) + (3,), int),
        dims=dims,
        coords={"outcome": ["win", "loss", "tie"]},
    )
    with pytest.raises(ValueError, match="counts") as caught:
        as_pairs(counts)
    assert "\n" not in str(caught.value)


def test_answers_go_back_to_the_shape_they_came_in():
    pairs, square = as_pairs(bt.counts.from_table({("A", "B"): (1, 2, 3)}))
    answer = pairs.isel(outcome=0, drop=True) * 0.25
    assert square
    assert to_square(answer, mirror="probability", diagonal=0.5).values.tolist() == [
        [0.5, 0.25],
        [0.75, 0.5],
    ]
