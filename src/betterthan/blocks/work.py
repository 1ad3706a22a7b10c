"""Who works out what is asked of each pair of systems: this thread, or dask in parts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names

MANY = 20_000  # pairs from which it pays to share them out
_PART = 4096  # pairs

Work = Callable[..., Any]


def here(function: Callable[..., Any], *of_pairs: np.ndarray, outputs: int) -> Any:
    """What `function` says of arrays with one number a pair; so many arrays."""
    return function(*of_pairs)


def shared_out(function: Callable[..., Any], *of_pairs: np.ndarray, outputs: int) -> Any:
    """The same, some thousands of pairs at a time, where dask works."""
    from dask.base import compute

    given = [xr.DataArray(each, dims=names.PAIR).chunk({names.PAIR: _PART}) for each in of_pairs]
    found = xr.apply_ufunc(
        function,
        *given,
        output_core_dims=[[]] * outputs,
        dask="parallelized",
        output_dtypes=[float] * outputs,
    )
    parts: Any = compute(*(found if outputs > 1 else (found,)))
    return tuple(part.values for part in parts) if outputs > 1 else parts[0].values


def work_on(pairs: int, blocks: bool) -> Work:
    """Shared out where scores are in blocks, so that dask is there, and pairs are many."""
    return shared_out if blocks and pairs >= MANY else here
