import numpy as np
import pytest
import xarray as xr

from betterthan.counts.shapes import with_arrays, without_attrs


@pytest.fixture
def told():
    values = np.arange(6.0).reshape(2, 3)
    return xr.Dataset(
        {"v": (("a", "b"), values, {"unit": "points"}), "w": ("a", [1, 2], {"unit": "wins"})},
        {
            "a": ("a", ["x", "y"], {"is": "system"}),
            "b": ("b", [0, 1, 2]),
            "c": ("a", [5, 6], {"is": "size"}),
        },
        {"source": "a table"},
    )


@pytest.mark.parametrize("of", [lambda x: x, lambda x: x["v"], lambda x: x["c"]])
def test_without_attrs_is_drop_attrs(told, of):
    given = of(told)
    kept = given.copy(deep=True)
    assert without_attrs(given).identical(given.drop_attrs())
    assert given.identical(kept)  # what was given keeps its own


def test_arrays_that_are_added_leave_the_data_as_they_were(told):
    found = with_arrays(told, {"v": (("a", "b"), np.zeros((2, 3))), "more": ("b", [7, 8, 9])})
    xr.testing.assert_identical(
        found, told.assign(v=(("a", "b"), np.zeros((2, 3))), more=("b", [7, 8, 9]))
    )
    assert "more" not in told
    assert told["v"].attrs == {"unit": "points"}
