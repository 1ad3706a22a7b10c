"""Swaps of whole clusters: is the difference larger than if each cluster chose its sign by a coin?

Swapping two systems in a cluster changes the sign of its difference D. The two-sided p-value is the
share of the 2^K sign vectors with a sum at least as far from 0 as the observed one. It is exact for
clusters of any size when each cluster is as likely to be swapped as not.
"""

import numpy as np
from scipy import special

EXACT = 20  # clusters that differ, up to which all sign vectors are counted
NORMAL = 1_000  # clusters above which the sum is taken as normal
_SLACK = 1e-9  # of the sum of |D|: sums that are as close are equal
_INTEGERS_MAX = 4_000  # of the sum of |D|: integers up to here are counted one by one
_HELD = 2**22
_ROWS = 1_000  # sign vectors at once, whose sums the processor's cache holds
_EXACT_IN_SINGLE = 2**24  # whole numbers up to here are exact in single precision
_WORK = 1e9  # additions that exact swaps of clusters with unequal runs may take


def flips(differences: np.ndarray, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p-values and, where they were sampled, how many draws were as extreme, else -1.

    Parameters
    ----------
    differences : numpy.ndarray, (cluster, pair)
        Sums of A - B over the items of a cluster; 0 where the two do not differ.
    draws : int
        Random sign vectors, the same for all pairs, where there are more than 20 clusters.
    seed : int

    Examples
    --------
    >>> sums = np.array([[0.6], [-0.5], [0.3], [0.8], [2.0], [0.4]])
    >>> flips(sums, 0, 0)[0].tolist()
    [0.125]
    """
    count = (differences != 0).sum(0)
    p, extreme = np.ones(len(count)), np.full(len(count), -1)
    few, many = (count > 0) & (count <= EXACT), count > EXACT
    if few.any():
        p[few] = _counted(_packed(differences[:, few]))
    if many.any() and len(differences) > NORMAL:
        chosen = differences[:, many]
        z = np.abs(chosen.sum(0)) / np.sqrt((chosen**2).sum(0))
        p[many] = 2 * special.ndtr(-z)
    elif many.any():
        extreme[many] = _sampled(differences[:, many], draws, seed)
        p[many] = (1 + extreme[many]) / (1 + draws)
    return p, extreme


def _packed(differences: np.ndarray) -> np.ndarray:
    """Without rows in which no pair differs: those that do come first, (at most EXACT, pair)."""
    order = np.argsort(differences == 0, axis=0, kind="stable")
    return np.take_along_axis(differences, order, 0)[:EXACT]


def _counted(differences: np.ndarray) -> np.ndarray:
    """Exact p: sums of the first half of the clusters are looked up among those of the second; of
    whole numbers, such as right answers, those with each sum are counted.
    """
    size = np.abs(differences).sum(0)
    if size.max() <= _INTEGERS_MAX and (differences == np.round(differences)).all():
        return _counted_integers(np.abs(differences).astype(np.int64), np.abs(differences.sum(0)))
    total = np.abs(differences.sum(0)) - _SLACK * size
    half = len(differences) // 2
    step = max(1, _HELD // 2 ** (len(differences) - half))
    parts: list[np.ndarray] = []
    for start in range(0, len(size), step):
        pairs = slice(start, start + step)
        both = differences[:half, pairs], differences[half:, pairs]
        parts.append(_share(*both, total[pairs], size[pairs]))
    return np.concatenate(parts)


def _counted_integers(sizes: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The same of whole numbers (cluster, pair): the clusters whose sign is -1 hold at most half of
    what the sum of all has above `total`.
    """
    most = ((sizes.sum(0) - total) // 2).astype(np.int64)
    sums = np.arange(most.max(initial=0) + 1)
    ways = np.zeros((len(total), len(sums)))  # of choosing clusters with that sum
    ways[:, 0] = 1
    for size in sizes:
        before = sums - size[:, None]
        ways += np.where(before >= 0, np.take_along_axis(ways, np.maximum(before, 0), 1), 0)
    below = np.where(sums <= most[:, None], ways, 0).sum(1)
    return np.minimum(1.0, 2 * below / 2.0 ** len(sizes))


def _share(
    first: np.ndarray, second: np.ndarray, total: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """Share of sign vectors whose sum is `total` or further from 0."""
    left, right = _sums(first).T, np.sort(_sums(second).T, axis=1)  # (pair, sign vector)
    # one sorted sequence for all pairs, each in a place of its own: sums lie within [-1, 1]
    place = 4.0 * np.arange(len(size))[:, None]
    ordered = (right / size[:, None] + place).ravel()
    needed = np.minimum((total[:, None] - left) / size[:, None], 1.5) + place
    below = np.searchsorted(ordered, needed.ravel()).reshape(needed.shape)
    above = (right.shape[1] * (np.arange(len(size))[:, None] + 1) - below).sum(1)
    return np.minimum(1.0, 2 * above / (left.shape[1] * right.shape[1]))


def _sums(differences: np.ndarray) -> np.ndarray:
    """The sums of all sign vectors, (2^cluster, pair)."""
    sums = np.zeros((1, differences.shape[1]))
    for row in differences:
        sums = np.concatenate([sums + row, sums - row])
    return sums


def _sampled(differences: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Random sign vectors with a sum at least as far from 0, (pair,)."""
    random, size = np.random.default_rng(seed), np.abs(differences).sum(0)
    exact = size.max() <= _EXACT_IN_SINGLE and (differences == np.round(differences)).all()
    kind = np.float32 if exact else np.float64
    total = (np.abs(differences.sum(0)) - _SLACK * size).astype(kind)
    differences = differences.astype(kind)
    extreme = np.zeros(len(size), dtype=np.int64)
    step = min(_ROWS, max(1, _HELD // max(differences.shape)))
    for start in range(0, draws, step):
        signs = random.integers(0, 2, (min(step, draws - start), len(differences))).astype(kind)
        sums = (2 * signs - 1) @ differences
        far = np.abs(sums, out=sums) >= total
        extreme += far.view(np.uint8).sum(0, dtype=np.uint16)
    return extreme


def swaps(
    total_a: np.ndarray,
    size_a: np.ndarray,
    total_b: np.ndarray,
    size_b: np.ndarray,
    draws: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The same for the difference of means, from totals and sizes (cluster, pair) of both systems.

    Where the two have as many scores in each cluster, a swap changes the sign of a difference; else
    totals and sizes change places, and the means are computed again.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.nanmax(np.abs([total_a / size_a, total_b / size_b]), (0, 1), initial=0.0)
    if (size_a == size_b).all():
        difference = total_a - total_b
        return flips(
            np.where(np.abs(difference) > 1e-12 * largest * size_a, difference, 0.0), draws, seed
        )
    clusters, pairs = total_a.shape
    counted = clusters <= EXACT and 2.0**clusters * clusters * pairs <= _WORK
    rows = 2**clusters if counted else draws
    random, extreme = np.random.default_rng(seed), np.zeros(pairs, dtype=np.int64)

    def differences(swapped: np.ndarray) -> np.ndarray:
        changed = [swapped @ (b - a) for a, b in ((total_a, total_b), (size_a, size_b))]
        first = (total_a.sum(0) + changed[0]) / (size_a.sum(0) + changed[1])
        return first - (total_b.sum(0) - changed[0]) / (size_b.sum(0) - changed[1])

    observed = np.abs(differences(np.zeros((1, clusters)))[0]) - _SLACK * largest
    step = max(1, _HELD // max(total_a.shape))
    for start in range(0, rows, step):
        number = np.arange(start, min(start + step, rows))
        if counted:
            swapped = (number[:, None] >> np.arange(clusters)) & 1
        else:
            swapped = random.integers(0, 2, (len(number), clusters))
        extreme += (np.abs(differences(swapped.astype(float))) >= observed).sum(0)
    if counted:
        return extreme / rows, np.full(pairs, -1)
    return (1 + extreme) / (1 + rows), extreme
