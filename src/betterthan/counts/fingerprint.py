"""A fingerprint of data, so that an answer says which data it is of."""

import hashlib

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import to_square
from betterthan.io.text_arrays import text_array


def fingerprint(data: xr.DataArray) -> str:
    """A short fingerprint of the data, values and names; the order of items and systems does not
    matter.
    """
    if names.PAIR in data.dims:
        data = to_square(data)
    data = data.transpose(*sorted(map(str, data.dims)))
    for dim in data.dims:
        if dim in data.coords and dim != names.OUTCOME:
            order = np.argsort(text_array(data[dim].values), kind="stable")
            if (np.diff(order) < 0).any():
                data = data.isel({dim: order})
    # what a system did against itself is no data
    if names.SYSTEM_A in data.dims and names.OUTCOME in data.dims:
        data = data.where(data[names.SYSTEM_A] != data[names.SYSTEM_B], 0).astype(np.int64)
    digest = hashlib.sha256(np.ascontiguousarray(data.values).tobytes())
    for dim in data.dims:
        if dim in data.coords:
            digest.update("\n".join(map(str, data[dim].values)).encode())
    return digest.hexdigest()[:12]
