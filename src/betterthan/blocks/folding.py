"""One road over all blocks: each is read once, what is seen of it is added up in a fixed tree."""

from collections.abc import Callable
from typing import Any

import numpy as np

from betterthan.blocks.lazy import Blocks

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

    Notes
    -----
    Where the work is done is dask's: its threads here, or the workers of the
    ``distributed.Client`` that is there.
    """
    from dask.delayed import delayed

    starts = np.cumsum([0, *blocks.sizes[:-1]]).tolist()
    read = delayed(see, pure=False)
    parts = [
        read(block, start)
        for block, start in zip(blocks.scores.data.to_delayed().ravel(), starts, strict=True)
    ]
    together = delayed(add, pure=False)
    while len(parts) > 1:
        parts = [together(parts[k : k + _TOGETHER]) for k in range(0, len(parts), _TOGETHER)]
    return parts[0].compute()
