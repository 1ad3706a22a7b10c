"""Rankings: inversions, the null distribution of Kendall's tau, distances, and consensus.

Inversions of many orders at once, and tied pairs, are what every kind of Kendall's tau is made of:
Knight (1966), A computer method for calculating Kendall's tau with ungrouped data, JASA 61(314),
436-439. How many orders of n items have k inversions (Mahonian numbers) is the null distribution of
tau: Kendall (1938), A new measure of rank correlation, Biometrika 30, 81-93; MacMahon (1916),
Combinatory Analysis, vol. 1.

Distances of permutations by the moves that undo them are those of Cayley (exchanges of two items)
and Ulam (moves of one): Diaconis (1988), Group Representations in Probability and Statistics,
chapter 6.

The order that disagrees least with many orders is Kemeny's, exactly; Borda's is by mean rank.
Kemeny (1959), Mathematics without numbers, Daedalus 88, 577-591; Truchon (1998), An extension of
the Condorcet criterion and Kemeny orders: what all of one part beat, stands after that part in
every Kemeny order.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special
from scipy.sparse.csgraph import connected_components


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


# items up to which the numbers are exact integers; beyond, a corrected normal distribution
EXACT_MAX = 200
_CELLS_MAX = 60_000  # of the exact null of a sum over documents
# largest error of one tail of the corrected normal from 200 items on, found by comparison at 200
_NORMAL_ERROR = 1e-6


@lru_cache(maxsize=EXACT_MAX + 1)
def orders_by_inversions(n: int) -> tuple[int, ...]:
    """Exact number of orders of n items with 0, 1, ..., n (n - 1) / 2 inversions.

    Item n can be put before 0 to n - 1 of the others: a running sum of n terms of the numbers for n
    - 1.
    """
    if n < 2:
        return (1,)
    before = np.array(orders_by_inversions(n - 1), dtype=object)
    running = np.cumsum(np.concatenate([before, np.zeros(n - 1, dtype=object)]))
    running[n:] = running[n:] - running[:-n].copy()
    return tuple(running.tolist())


@lru_cache(maxsize=32)
def probabilities(n: int) -> np.ndarray:
    """Probability of each number of inversions when all orders of n items are equally likely."""
    return _divided(np.array(orders_by_inversions(n), dtype=object), n)


@lru_cache(maxsize=32)
def _cumulative(n: int) -> np.ndarray:
    """P(inversions <= k), each correct to the last place."""
    return _divided(np.cumsum(np.array(orders_by_inversions(n), dtype=object)), n)


def _divided(counts: np.ndarray, n: int) -> np.ndarray:
    total = math.factorial(n)
    return np.array([count / total for count in counts])


def p_value(
    inversions: np.ndarray, n: np.ndarray, alternative: str
) -> tuple[np.ndarray, np.ndarray]:
    """P of so many inversions of n items when all orders are equally likely, and how wrong it may
    be.

    "greater" looks at few inversions (tau is high), "less" at many, "two-sided" doubles the
    smaller. NaN where n < 2.
    """
    inversions, n = np.broadcast_arrays(inversions, n)
    p, error = np.full(n.shape, np.nan), np.zeros(n.shape)
    for items in np.unique(n[n >= 2]):
        mask = n == items
        k, most = inversions[mask], int(items) * (int(items) - 1) // 2
        high, low = _lower_tail(k, int(items)), _lower_tail(most - k, int(items))  # symmetric
        both = {
            "greater": high,
            "less": low,
            "two-sided": np.minimum(2 * np.minimum(high, low), 1.0),
        }
        p[mask] = both[alternative]
        sides = 2 if alternative == "two-sided" else 1
        error[mask] = 0.0 if items <= EXACT_MAX else sides * _NORMAL_ERROR
    return p, error


def _lower_tail(k: np.ndarray, n: int) -> np.ndarray:
    return _cumulative(n)[k.astype(int)] if n <= EXACT_MAX else normal_tail(k, n)


def normal_tail(k: np.ndarray, n: int) -> np.ndarray:
    """P(inversions <= k) by the normal distribution, corrected for continuity and for the fourth
    cumulant.
    """
    variance = n * (n - 1) * (2 * n + 5) / 72
    j = np.arange(1.0, n + 1)
    fourth = -np.sum(j**4 - 1) / 120  # cumulants of independent uniform numbers 0 to j - 1 add up
    z = (k + 0.5 - n * (n - 1) / 4) / np.sqrt(variance)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    edgeworth = special.ndtr(z) - fourth / variance**2 / 24 * (z**3 - 3 * z) * density
    return np.clip(edgeworth, np.finfo(float).tiny, 1.0)


def sum_null(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Exact null of the sum of (inversions / pairs of items) over documents of these sizes; None
    when it is too large.

    Returns its probabilities on a lattice, the whole weight of an inversion in each document, and
    how many steps of the lattice make 1.
    """
    pairs = sizes * (sizes - 1) // 2
    steps = math.lcm(*np.unique(pairs).tolist())
    if sizes.max() > EXACT_MAX or len(sizes) * steps > _CELLS_MAX:
        return None
    null = np.ones(1)
    for n, times in zip(*np.unique(sizes, return_counts=True), strict=True):
        spread = steps // (n * (n - 1) // 2)
        document = np.zeros((len(probabilities(n)) - 1) * spread + 1)
        document[::spread] = probabilities(n)
        null = np.convolve(null, _power(document, int(times)))
    return null, steps // pairs, steps


def _power(base: np.ndarray, times: int) -> np.ndarray:
    """Convolution of `base` with itself; sums of positive numbers alone, so that tails keep their
    digits.
    """
    product = np.ones(1)
    while times:
        if times & 1:
            product = np.convolve(product, base)
        times >>= 1
        base = np.convolve(base, base) if times else base
    return product


def draw(sizes: np.ndarray, draws: int, random: np.random.Generator) -> np.ndarray:
    """Inversions of random orders, (draw, document)."""
    drawn = np.empty((draws, len(sizes)), dtype=np.int64)
    for n in np.unique(sizes):
        mask = sizes == n
        shape = (draws, int(mask.sum()))
        if n <= EXACT_MAX:
            drawn[:, mask] = np.searchsorted(_cumulative(int(n)), random.random(shape), side="left")
        else:
            drawn[:, mask] = sum(random.integers(0, j, shape) for j in range(2, n + 1))
    return drawn


def cayley(orders: np.ndarray) -> np.ndarray:
    """Fewest exchanges of any two items that sort each permutation of 0 to n - 1: items less
    cycles, (..., n) -> (...).
    """
    ahead, least = orders, np.broadcast_to(np.arange(orders.shape[-1]), orders.shape)
    for _ in range(int(orders.shape[-1]).bit_length()):  # doubles how far along its cycle each sees
        least = np.minimum(least, np.take_along_axis(least, ahead, -1))
        ahead = np.take_along_axis(ahead, ahead, -1)
    return (least != np.arange(orders.shape[-1])).sum(-1)


def ulam(orders: np.ndarray) -> np.ndarray:
    """Fewest items that must be moved to sort each permutation of 0 to n - 1, (..., n) -> (...):
    items less the longest rising subsequence.
    """
    n = orders.shape[-1]
    rows = orders.reshape(-1, n)
    last = np.full((len(rows), n), n)  # least last item of rising subsequences of each length
    for item in rows.T:
        length = (last < item[:, None]).sum(1)
        last[np.arange(len(rows)), length] = item
    return (last == n).sum(1).reshape(orders.shape[:-1])


PART_MAX = 16  # items of a majority cycle up to which all orders are searched


@dataclass(frozen=True)
class Consensus:
    """Items in order, how many pairs of the given orders disagree with it, and how many orders are
    as good.
    """

    order: list[int]
    distance: float
    n_best: int


def preferences(ranks: np.ndarray) -> np.ndarray:
    """How many orders put i before j, ties half, from ranks (order, item) with NaN where an item is
    not ranked.
    """
    differences = ranks[:, None, :] - ranks[:, :, None]
    return ((differences > 0) + (differences == 0) / 2).sum(0) * (1 - np.eye(ranks.shape[1]))


def distance(before: np.ndarray, order: list[int]) -> float:
    """Pairs of the given orders that disagree with this one."""
    return float(np.tril(before[np.ix_(order, order)], -1).sum())


def least_distance(before: np.ndarray) -> float:
    """No order can disagree with fewer pairs: each pair on its own goes with the majority."""
    return float(np.triu(np.minimum(before, before.T), 1).sum())


def largest_part(before: np.ndarray) -> int:
    """Items in the largest cycle of majorities, which is what the exact search takes time for."""
    return int(np.bincount(_parts(before)).max())


def kemeny(before: np.ndarray) -> Consensus:
    """An order of least distance; of several, one that puts items listed later at the end."""
    part = _parts(before)
    wins = (before > before.T).sum(1)
    firsts = [np.flatnonzero(part == p) for p in range(part.max() + 1)]
    outside = [
        wins[items[0]] - (before[items[0], items] > before[items, items[0]]).sum()
        for items in firsts
    ]
    order: list[int] = []
    n_best = 1
    for p in np.argsort(outside, kind="stable")[::-1]:
        items = firsts[p]
        inner, ways = _search(before[np.ix_(items, items)])
        order += items[inner].tolist()
        n_best *= ways
    return Consensus(order, distance(before, order), n_best)


def borda(ranks: np.ndarray) -> list[int]:
    """Items by their mean share of the way down the orders; of equal ones the first listed comes
    first.
    """
    length = (~np.isnan(ranks)).sum(1, keepdims=True)
    return np.argsort(
        np.nanmean((ranks - 0.5) / np.maximum(length, 1), axis=0), kind="stable"
    ).tolist()


def _parts(before: np.ndarray) -> np.ndarray:
    """Which items can reach each other along "at least as many orders put it first"."""
    return connected_components(before >= before.T, directed=True, connection="strong")[1]


def _search(before: np.ndarray) -> tuple[list[int], int]:
    """Best order of a few items and the number of them: the last item of every subset, in subsets
    of growing size.
    """
    n = len(before)
    behind = _behind(before)
    cost, ways = np.full(1 << n, np.inf), np.zeros(1 << n, dtype=object)
    last = np.zeros(1 << n, dtype=np.int8)
    cost[0], ways[0] = 0.0, 1
    subsets = np.arange(1 << n)
    size = np.bitwise_count(subsets.astype(np.uint32))
    for layer in [subsets[size == k] for k in range(1, n + 1)]:
        for i in range(n):
            sets = layer[layer >> i & 1 == 1]
            without = sets ^ (1 << i)
            total = cost[without] + behind[i, without]
            better, equal = total < cost[sets] - 1e-9, np.abs(total - cost[sets]) <= 1e-9
            ways[sets] = np.where(
                better, ways[without], ways[sets] + np.where(equal, ways[without], 0)
            )
            last[sets] = np.where(better | equal, i, last[sets])
            cost[sets] = np.where(better, total, cost[sets])
    return _from_the_end(last), int(ways[-1])


def _behind(before: np.ndarray) -> np.ndarray:
    """Disagreement when item i follows all of a subset, (item, subset)."""
    n = len(before)
    behind = np.zeros((n, 1 << n))
    for j in range(n):
        behind[:, 1 << j : 2 << j] = behind[:, : 1 << j] + before[:, j : j + 1]
    return behind


def _from_the_end(last: np.ndarray) -> list[int]:
    """The order whose last items these are, subset by subset."""
    order: list[int] = []
    left = len(last) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return order[::-1]
