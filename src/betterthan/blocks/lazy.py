"""Arrays in blocks: what is known before any block is read, one reading of all blocks, and work on
pairs in parts.

Nothing here loads dask: an array in blocks has loaded it already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.schemas import missing_code

MOST = 2**28  # bytes of a block: several are in memory at once


@dataclass(frozen=True)
class Blocks:
    """Scores (item, system) in blocks of items."""

    scores: xr.DataArray
    systems: tuple[str, ...]
    sizes: tuple[int, ...]  # items of each block
    code: int | None  # stands for a missing score, where scores are whole numbers

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(self.sizes)

    @property
    def higher_is_better(self) -> bool:
        """The direction of the scores."""
        return bool(self.scores.attrs.get("higher_is_better", True))


def in_blocks(data: Any) -> TypeGuard[xr.DataArray]:
    """Whether this is an array that dask holds."""
    return isinstance(data, xr.DataArray) and data.chunks is not None


def blocks_of(data: xr.DataArray) -> Blocks:
    """Scores in blocks, looked at without reading any.

    Raises
    ------
    ValueError
        If they are no scores, an item comes twice, or the blocks are cut over systems, too large,
        or of unknown size.
    """
    if set(data.dims) != {names.ITEM, names.SYSTEM}:
        right = "give scores (item, system), or load the data with .compute()"
        raise ValueError(f"data in blocks have dims ({', '.join(map(str, data.dims))}); {right}")
    if names.SYSTEM not in data.coords:
        raise ValueError("scores need a coordinate 'system' with the names of the systems")
    systems = tuple(str(s) for s in data[names.SYSTEM].values)
    checks.several_systems(systems)
    ids = data.indexes.get(names.ITEM)  # what lies in files, its reader has looked at
    if ids is not None and not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        groups = [name for name in (names.DATASET, "epoch") if name in data.coords]
        right = "give each item one row"
        if groups:
            right = f"blocks do not know {groups[0]!r}: load the data with .compute()"
        raise ValueError(f"item {twice!r} occurs more than once; {right}")
    direction = data.attrs.get("higher_is_better", True)
    if direction not in (0, 1):
        raise ValueError(f"attrs['higher_is_better'] is {direction!r}; give True or False")
    ordered = data.transpose(names.ITEM, names.SYSTEM)
    return Blocks(ordered, systems, _sizes(ordered), missing_code(ordered))


def _sizes(scores: xr.DataArray) -> tuple[int, ...]:
    """Items of each block."""
    if scores.dtype.kind not in "fiub":
        right = "give numbers, with NaN where a score is missing"
        raise ValueError(f"scores are {scores.dtype}; {right}")
    cut: Any = scores.chunksizes
    rows, columns = cut[names.ITEM], cut[names.SYSTEM]
    if any(np.isnan(rows)):
        raise ValueError("the blocks have no known sizes; call compute_chunk_sizes() on the data")
    if len(columns) > 1:
        cuts = f"{len(columns)} blocks of at most {max(columns)}"
        right = "each needs all systems: data.chunk(system=-1)"
        raise ValueError(f"blocks are cut over systems ({cuts}); {right}")
    if not sum(rows):
        raise ValueError("scores hold no items")
    width = columns[0] * scores.dtype.itemsize
    if max(rows) * width > MOST:
        raise ValueError(
            f"a block of {max(rows):,} items x {columns[0]:,} systems of {scores.dtype} takes "
            f"{max(rows) * width / 2**20:,.0f} MB, of at most {MOST // 2**20} MB; cut it: "
            f"data.chunk(item={max(1, MOST // 8 // width)})"
        )
    return tuple(int(n) for n in rows)


_TOGETHER = 4  # results that are added at once, in the order of the items


def folded(
    blocks: Blocks, see: Callable[[np.ndarray, int], Any], add: Callable[[list[Any]], Any]
) -> Any:
    """Reduce over all blocks in a fixed tree.

    Parameters
    ----------
    blocks : Blocks
    see : callable
        From a block (item, system) and the number of its first item to a summary; small next to
        the block. Workers may be other processes, so that it is a function of a module, or a
        `partial` of one.
    add : callable
        From several summaries, in order, to one.

    Raises
    ------
    ValueError
        If the workers stopped.

    Notes
    -----
    Where the work is done is dask's: its threads here, or the workers of the
    ``distributed.Client`` that is there.
    """
    from dask.config import set as set_dask
    from dask.delayed import delayed

    starts = np.cumsum([0, *blocks.sizes[:-1]]).tolist()
    read = delayed(see, pure=False)
    lazy_blocks = blocks.scores.data.to_delayed().ravel()
    parts = list(map(read, lazy_blocks, starts))
    together = delayed(add, pure=False)
    while len(parts) > 1:
        parts = [together(parts[k : k + _TOGETHER]) for k in range(0, len(parts), _TOGETHER)]
    try:
        with set_dask({"optimization.fuse.delayed": True}):  # no block is sent to another worker
            return parts[0].compute()
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # of distributed, which is not always loaded
            raise
        stopped: Any = error
        raise ValueError(
            f"{stopped.allowed_failures + 1} dask workers stopped at the same block, often for "
            "lack of memory; give workers more memory, or cut the data: "
            f"data.chunk(item={max(1, max(blocks.sizes) // 4)})"
        ) from None


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
    shape = {"output_core_dims": [[]] * outputs, "output_dtypes": [float] * outputs}
    results = xr.apply_ufunc(function, *chunked, dask="parallelized", **shape)
    parts: Any = compute(*(results if outputs > 1 else (results,)))
    return tuple(part.values for part in parts) if outputs > 1 else parts[0].values


def work_on(pairs: int, blocks: bool) -> Work:
    """Shared out where scores are in blocks, so that dask is there, and pairs are many."""
    return shared_out if blocks and pairs >= MANY else run_locally
