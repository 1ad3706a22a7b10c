"""Who works out what is asked of each pair of systems: this thread, or dask in parts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names

MANY = 20_000  # pairs from which it pays to share them out
_PART = 4096  # pairs

Work = Callable[..., Any]


def run_locally(function: Callable[..., Any], *arrays: np.ndarray, outputs: int) -> Any:
    """Apply `function` to arrays with one number per pair, in this thread."""
    return function(*arrays)


def shared_out(function: Callable[..., Any], *arrays: np.ndarray, outputs: int) -> Any:
    """Apply `function` to some thousands of pairs at a time, by dask."""
    from dask.base import compute

    chunked = [xr.DataArray(array, dims=names.PAIR).chunk({names.PAIR: _PART}) for array in arrays]
    results = xr.apply_ufunc(
        function,
        *chunked,
        output_core_dims=[[]] * outputs,
        dask="parallelized",
        output_dtypes=[float] * outputs,
    )
    parts: Any = compute(*(results if outputs > 1 else (results,)))
    return tuple(part.values for part in parts) if outputs > 1 else parts[0].values


def work_on(pairs: int, blocks: bool) -> Work:
    """Shared out where scores are in blocks, so that dask is there, and pairs are many."""
    return shared_out if blocks and pairs >= MANY else run_locally
