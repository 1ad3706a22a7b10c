"""Random and complete sets of swaps, in chunks, and the sums they move from one system to another.

A swap is a row of bits, one for each item: where it is 1 the two systems exchange their responses.
One set of swaps serves all pairs of systems. Bits come straight from the generator, a whole number
of words for each swap, so the size of a chunk does not change them; they stay packed, eight items
in a byte, the first one lowest.
"""

from collections.abc import Iterator

import numpy as np

_WORD = 64
_FLOAT32 = 2**24  # below this float32 holds whole numbers
_HALF = 2**31  # below this two whole numbers share an int64
_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(
    np.int64
)


def random_swaps(items: int, shuffles: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of at most `rows` random swaps, packed: uint8 (rows, bytes)."""
    words = max(1, -(-items // _WORD))
    source = np.random.PCG64(seed)
    for start in range(0, shuffles, rows):
        size = min(rows, shuffles - start)
        raw = source.random_raw(size * words).astype("<u8", copy=False)
        yield raw.view(np.uint8).reshape(size, words * 8)


def all_swaps(items: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of all 2**items swaps, packed; at most 63 items."""
    total = 2**items
    for start in range(0, total, rows):
        numbers = np.arange(start, min(start + rows, total), dtype="<u8")
        yield numbers.view(np.uint8).reshape(len(numbers), 8)


def unpacked(swaps: np.ndarray, items: int) -> np.ndarray:
    """One 0 or 1 for each item, uint8 (rows, item)."""
    bits = np.unpackbits(swaps, bitorder="little")  # flat is twice as fast as along an axis
    return bits.reshape(len(swaps), -1)[:, :items]


def tabled(responses: np.ndarray) -> bool:
    """Whether `moved` looks sums up by the byte: for one or two columns of whole numbers that is
    fastest.
    """
    columns = responses.reshape(len(responses), -1)
    few = columns.shape[1] <= 2 and columns.dtype.kind in "iu"
    return few and float(np.abs(columns).sum(0).max(initial=0)) < _HALF


def moved(swaps: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """Sums of the swapped items' responses, (..., rows) from (item, ...), as floats; whole numbers
    stay exact.
    """
    flat = responses.reshape(len(responses), -1)
    if tabled(flat):
        return _looked_up(swaps, flat).reshape(*responses.shape[1:], len(swaps))
    integral = flat.dtype.kind in "iu"
    small = integral and float(np.abs(flat).sum(0).max(initial=0)) < _FLOAT32
    kind = np.float32 if small else np.float64
    sums = unpacked(swaps, len(flat)).astype(kind) @ flat.astype(kind)
    return sums.T.astype(float, order="C").reshape(*responses.shape[1:], len(swaps))


def _looked_up(swaps: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(column, rows): a table of 256 sums for every byte of items, both columns in one int64."""
    groups = -(-len(columns) // 8)
    packed = np.zeros(groups * 8, dtype=np.int64)
    packed[: len(columns)] = (
        columns[:, 0] * (2 * _HALF) + columns[:, 1] if columns.shape[1] == 2 else columns[:, 0]
    )
    tables = packed.reshape(groups, 8) @ _BYTES.T
    by_group = swaps[:, :groups].T.astype(np.intp, order="C")
    total, sums_byte = np.zeros((2, len(swaps)), dtype=np.int64)
    for table, byte in zip(tables, by_group, strict=True):
        # no byte is out of range; clip skips the search for one
        total += table.take(byte, out=sums_byte, mode="clip")
    if columns.shape[1] == 1:
        return total.astype(float)[None]
    sums = np.empty((2, len(swaps)))
    sums[1] = low = ((total + _HALF) & (2 * _HALF - 1)) - _HALF
    sums[0] = (total - low) >> 32
    return sums
