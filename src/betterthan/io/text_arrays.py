"""Texts in arrays, without a place of the longest one's size for each."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from betterthan.io.texts import Texts, text_blocks

_WIDTHS = 4  # times the letters there are: so much may stay empty
_SMALL = 2**20  # letters that need no second thought


def text_array(values: Any) -> np.ndarray:
    """Return texts as an array of fixed width, or of objects if one is far longer than most.

    Examples
    --------
    >>> text_array(["a", "bc"]).dtype.kind, text_array(["a"] * 4000 + ["b" * 100_000]).dtype.kind
    ('U', 'O')
    """
    array = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if array.dtype.kind == "U":
        return array
    texts = array.ravel().tolist()
    if set(map(type, texts)) - {str}:
        texts = [text if type(text) is str else str(text) for text in texts]
    dtype = _dtype(texts)
    if dtype.kind == "O":
        wide = np.empty(len(texts), dtype=object)
        wide[:] = texts
        return wide.reshape(array.shape)
    return np.array(texts, dtype=dtype).reshape(array.shape)


def array_from_codes(texts: Sequence[str], codes: np.ndarray) -> np.ndarray:
    """Build the same array as `text_array` from the distinct texts and the code of each place.

    Examples
    --------
    >>> array_from_codes(["a", "bc", "much longer"], np.array([0, 1, 0])).tolist()
    ['a', 'bc', 'a']
    """
    number = np.bincount(codes, minlength=len(texts))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    longest = int(sizes[number > 0].max(initial=0))
    dtype = _fitting(longest, int(sizes @ number), len(codes))
    return np.array(list(texts), dtype=dtype)[codes]


def text_axes(axes: Mapping[str, Sequence[str]]) -> xr.Coordinates:
    """Dims and the texts along each: what `text_array` would give, whose array is not made, as
    pandas keeps texts of an index in its own way.
    """
    indexes = {dim: _index(dim, texts) for dim, texts in axes.items()}
    variables = {dim: index.create_variables()[dim] for dim, index in indexes.items()}
    return xr.Coordinates(variables, indexes=indexes)


def _index(dim: str, texts: Sequence[str]) -> PandasIndex:
    dtype = _dtype(texts)
    kind = object if dtype.kind == "O" or not len(texts) else None
    try:
        index = _index_from_blocks(texts, dim, kind)
    except UnicodeEncodeError:  # half a letter, which some JSON holds
        index = _index_from_blocks(texts, dim, object)
    return PandasIndex(index, dim, coord_dtype=dtype)


def _index_from_blocks(texts: Sequence[str], name: str, dtype: Any) -> pd.Index:
    if not isinstance(texts, Texts):
        return pd.Index(list(texts), name=name, dtype=dtype)
    parts = [pd.Series(block, dtype=dtype) for block in texts.blocks()]
    return pd.Index(pd.concat(parts, ignore_index=True), name=name, dtype=dtype)


def _dtype(texts: Sequence[str]) -> np.dtype:
    sizes = [
        (max(map(len, block), default=0), sum(map(len, block))) for block in text_blocks(texts)
    ]
    longest = max((most for most, _ in sizes), default=0)
    return _fitting(longest, sum(size for _, size in sizes), len(texts))


def _fitting(longest: int, letters: int, n: int) -> np.dtype:
    """Of fixed width, unless far more would stay empty than there are letters."""
    if longest * n > max(_SMALL, _WIDTHS * letters):
        return np.dtype(object)
    return np.dtype(f"U{max(1, longest)}")
