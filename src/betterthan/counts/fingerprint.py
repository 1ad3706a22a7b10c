"""A fingerprint of data, so that an answer says which data it is of."""

import hashlib
from collections.abc import Iterator

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import to_square
from betterthan.io.text_arrays import text_array

_BLOCK = 2**16  # labels that are looked at together


def fingerprint(data: xr.DataArray) -> str:
    """A short fingerprint of the data, values and names; the order of items and systems does not
    matter.
    """
    if names.PAIR in data.dims:
        data = to_square(data)
    data = data.transpose(*sorted(map(str, data.dims)))
    for dim in data.dims:
        if dim in data.coords and dim != names.OUTCOME and not _ascend(data[dim].variable):
            data = data.isel({dim: np.argsort(text_array(data[dim].values), kind="stable")})
    # what a system did against itself is no data
    if names.SYSTEM_A in data.dims and names.OUTCOME in data.dims:
        data = data.where(data[names.SYSTEM_A] != data[names.SYSTEM_B], 0).astype(np.int64)
    digest = hashlib.sha256(np.ascontiguousarray(data.values).tobytes())
    for dim in data.dims:
        mark = ""
        for labels in _blocks(data[dim].variable) if dim in data.coords else ():
            digest.update((mark + "\n".join(map(str, labels))).encode())
            mark = "\n"
    return digest.hexdigest()[:12]


def _blocks(labels: xr.Variable) -> Iterator[np.ndarray]:
    """Labels along a dim, some at a time: all of millions take far more memory than the data."""
    return (labels[k : k + _BLOCK].values for k in range(0, len(labels), _BLOCK))


def _ascend(labels: xr.Variable) -> bool:
    """Whether labels are sorted as they are."""
    last = ""
    for block in map(text_array, _blocks(labels)):
        if block[0] < last or (block[1:] < block[:-1]).any():
            return False
        last = block[-1]
    return True
