import pytest
import xarray as xr

from betterthan.io.items import text_axes
from betterthan.io.texts import text_array


@pytest.mark.parametrize(
    "texts",
    [["a", "bcd"], [], ["", "a"], ["日本", "é"], ["\ud800", "x"], ["a"] * 4000 + ["b" * 100_000]],
    ids=["usual", "none", "empty text", "letters", "half a letter", "one far longer"],
)
def test_axes_are_what_arrays_would_give(texts):
    made = xr.Variable("item", range(len(texts)))
    quick = xr.DataArray(made, text_axes({"item": texts}))
    plain = xr.DataArray(made, {"item": text_array(texts)})
    assert quick.identical(plain)
    assert quick["item"].dtype == plain["item"].dtype
    assert quick.indexes["item"].dtype == plain.indexes["item"].dtype
