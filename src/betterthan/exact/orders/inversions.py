"""Inversions of many orders at once, and tied pairs: what every kind of Kendall's tau is made of.

Knight (1966), A computer method for calculating Kendall's tau with ungrouped data, JASA 61(314),
436-439.
"""

import numpy as np


def inversions(orders: np.ndarray) -> np.ndarray:
    """Number of pairs that stand the wrong way round in each permutation of 0 to n - 1, (..., n) ->
    (...) int64.

    Radix sort from the highest bit down. Values that share their higher bits fill one aligned
    block, half of them with the next bit set; a pair is counted at the bit where it parts, if the
    larger one stands first. In each block, the k-th of the small values has as many large ones
    before it as its place exceeds k.
    """
    values = _padded(orders)
    rows, width = values.shape
    values = values.ravel()
    total = np.zeros(rows, dtype=np.int64)
    half = width
    while half := half // 2:
        large = (values & half).astype(bool)
        small = np.flatnonzero(~large)
        places = (small & (2 * half - 1)).reshape(rows, -1)
        total += places.sum(-1) - width // 2 * (half - 1) // 2
        parted = np.empty((len(small) // half, 2, half), dtype=np.int32)
        parted[:, 0] = values[small].reshape(-1, half)
        parted[:, 1] = values[np.flatnonzero(large)].reshape(-1, half)
        values = parted.ravel()
    return total.reshape(orders.shape[:-1])


def _padded(orders: np.ndarray) -> np.ndarray:
    """One order a row, up to a power of two: what is added stands after all others, in order."""
    *shape, n = orders.shape
    rows, width = int(np.prod(shape)), 1 << max(n - 1, 0).bit_length()
    values = np.empty((rows, width), dtype=np.int32)
    values[:, :n] = orders.reshape(rows, n)
    values[:, n:] = np.arange(n, width)
    return values


def permutations(x: np.ndarray, y: np.ndarray, *, tied: bool = True) -> np.ndarray:
    """Ranks of y when sorted by x, with no inversion among values tied in x or in y, (..., n) ->
    (..., n) int.

    Quicker where `tied` says that no values of x are equal.
    """
    by = np.lexsort((y, x), axis=-1) if tied else np.argsort(x, axis=-1)
    return rank_values(np.take_along_axis(y, by, axis=-1))


def rank_values(values: np.ndarray) -> np.ndarray:
    """Rank of each value from 0, equal values in the order in which they stand."""
    by = np.argsort(values, axis=-1, kind="stable")
    ranks = np.empty_like(by)
    np.put_along_axis(ranks, by, np.broadcast_to(np.arange(values.shape[-1]), by.shape), axis=-1)
    return ranks


def tied_pairs(values: np.ndarray) -> np.ndarray:
    """Number of pairs of equal values, (..., n) -> (...) int64; NaN is equal to nothing."""
    ordered = np.sort(values, axis=-1)
    return _within_runs(ordered[..., 1:] == ordered[..., :-1])


def tied_in_both(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Number of pairs equal in x and in y."""
    by = np.lexsort((y, x), axis=-1)
    x, y = np.take_along_axis(x, by, axis=-1), np.take_along_axis(y, by, axis=-1)
    return _within_runs((x[..., 1:] == x[..., :-1]) & (y[..., 1:] == y[..., :-1]))


def distinct(values: np.ndarray) -> np.ndarray:
    """Number of different values, NaN left out."""
    ordered = np.sort(values, axis=-1)
    new = (ordered[..., 1:] != ordered[..., :-1]) & ~np.isnan(ordered[..., 1:])
    return new.sum(-1) + ~np.isnan(ordered[..., 0])


def tau(
    concordant: np.ndarray,
    discordant: np.ndarray,
    x_tied: np.ndarray,
    y_tied: np.ndarray,
    n: np.ndarray,
    kind: str,
    fewest: np.ndarray,
) -> np.ndarray:
    """Kendall's tau-a, tau-b or tau-c; NaN where it is not defined. `fewest` is the smaller number
    of distinct ranks.

    Kendall & Gibbons (1990), Rank Correlation Methods, chapter 3.
    """
    pairs = n * (n - 1) / 2
    score = (concordant - discordant).astype(float)
    if kind == "a":
        below = pairs
    elif kind == "b":
        below = np.sqrt((pairs - x_tied) * (pairs - y_tied))
    else:
        below = n**2 * (fewest - 1) / (2 * np.maximum(fewest, 1))
    return np.divide(score, below, out=np.full(score.shape, np.nan), where=below > 0)


def _within_runs(same: np.ndarray) -> np.ndarray:
    """Pairs within runs, where `same` says of each value but the first whether it equals the one
    before.
    """
    place = np.arange(1, same.shape[-1] + 1)
    start = np.maximum.accumulate(np.where(same, 0, place), axis=-1)
    return np.where(same, place - start, 0).sum(-1)
