"""Random and complete sets of swaps, in chunks, and the sums they move from one system to another.

A swap is a row of 0s and 1s, one for each item: where it is 1 the two systems exchange their responses. One set of
swaps serves all pairs of systems. Bits come straight from the generator, a whole number of words for each swap, so
the size of a chunk does not change them.
"""

from collections.abc import Iterator

import numpy as np

_WORD = 64
_FLOAT32 = 2**24  # below this float32 holds whole numbers


def random_swaps(items: int, shuffles: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of at most `rows` random swaps, uint8 (rows, items)."""
    words = max(1, -(-items // _WORD))
    source = np.random.PCG64(seed)
    for start in range(0, shuffles, rows):
        size = min(rows, shuffles - start)
        raw = source.random_raw(size * words).astype("<u8", copy=False)
        bits = np.unpackbits(raw.view(np.uint8), bitorder="little")  # flat is twice as fast as along an axis
        yield bits.reshape(size, words * _WORD)[:, :items]


def all_swaps(items: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of all 2**items swaps, uint8 (rows, items)."""
    total = 2**items
    for start in range(0, total, rows):
        numbers = np.arange(start, min(start + rows, total))
        yield ((numbers[:, None] >> np.arange(items)) & 1).astype(np.uint8)


def moved(swaps: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """Sums of the swapped items' responses, (..., rows) from (item, ...), as floats; whole numbers stay exact."""
    flat = responses.reshape(len(responses), -1)
    whole = flat.dtype.kind in "iu"
    small = whole and float(np.abs(flat).sum(0).max(initial=0)) < _FLOAT32
    kind = np.float32 if small else np.float64
    sums = swaps.astype(kind) @ flat.astype(kind)
    return sums.T.astype(float, order="C").reshape(*responses.shape[1:], len(swaps))
