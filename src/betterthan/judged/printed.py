"""A fingerprint of judged counts, so that an answer says which data it is of."""

import hashlib

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.judged.dataset import GOLD, JUDGED, SIGNAL


def fingerprint_of(data: xr.Dataset) -> str:
    """A short fingerprint of the counts and the names of pairs and signals."""
    digest = hashlib.sha256()
    for name in (GOLD, JUDGED):
        digest.update(np.ascontiguousarray(data[name].values.astype(np.int64)).tobytes())
    for name in (*names.SQUARE, SIGNAL):
        digest.update("\n".join(map(str, data[name].values)).encode())
    return digest.hexdigest()[:12]
