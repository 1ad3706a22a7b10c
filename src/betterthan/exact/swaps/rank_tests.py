"""Rank tests: Friedman's of all systems, and the rank sum of two groups of items or people."""

import math
from typing import Any

import numpy as np
from scipy import special

from betterthan.rounding import in_order, slack

_SIGNED = 100  # differences up to which every sign of their ranks is counted


def friedman(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Mean ranks, the statistic and its p by chi-square, of complete values (item, system), of
    which more is better; rank 1 is the best, ties share their mean (Conover 1999, 5.8).

    Of values of which none differ on any item nothing can be told: nan, and p = 1. Of 0 and 1 the
    statistic is Cochran's Q.

    Examples
    --------
    >>> ranks, statistic, p = friedman(np.array([[3, 2, 1], [3, 1, 2], [2, 1, 1], [3, 2, 1]]))
    >>> ranks.round(3).tolist(), round(statistic, 3), round(p, 3)
    ([1.0, 2.375, 2.625], 6.533, 0.038)
    """
    systems = values.shape[1]
    ranks = _ranks(-values.astype(float))
    spread = ((ranks - (systems + 1) / 2) ** 2).sum() / (systems - 1)
    if not spread:
        return ranks.mean(0), np.nan, 1.0
    sums = (ranks - (systems + 1) / 2).sum(0)
    statistic = float((sums**2).sum() / spread)
    return ranks.mean(0), statistic, float(special.chdtrc(systems - 1, statistic))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row from 1, of values that are equal but for rounding their mean rank:
    `scipy.stats` is slow to load.
    """
    if not values.size:
        return values.astype(float)
    top = values == values.max()
    differ = np.ptp(values) > slack(values, 0.0)
    if differ and (top | (values == values.min())).all():  # as right and wrong items
        low = (~top).sum(1, keepdims=True)
        return np.where(top, low + (values.shape[1] - low + 1) / 2, (low + 1) / 2)
    order, _, steps = in_order(values)
    place = np.arange(values.shape[1])
    first = np.maximum.accumulate(np.where(steps, place, 0), axis=1)
    edges = np.where(np.roll(steps, -1, axis=1), place, place[-1])  # the first is always a step
    last = np.minimum.accumulate(edges[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


_STEPS_MAX = 2_000_000  # additions spent on the exact null, some milliseconds
_FEW = 20  # distinct ranks up to which their numbers are drawn
_BATCH, _ENOUGH = 500, 25  # shuffles at a time; as extreme ones after which p is plainly not small


def signed_rank_p(differences: np.ndarray) -> tuple[float, int]:
    """Two-sided p of Wilcoxon's signed-rank test without zeros, and which sign has the larger sum:
    exact, with ties too, up to `_SIGNED` differences, then by the normal approximation.

    References
    ----------
    F. Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1(6), 80-83,
    doi:10.2307/3001968.

    Examples
    --------
    >>> signed_rank_p(np.array([1.0, 2.0, 3.0, -4.0, 5.0, 0.0]))
    (0.4375, 1)
    """
    nonzero = differences[differences != 0]
    ranks = _doubled_ranks(np.abs(nonzero))
    total = int(ranks.sum())
    lead = int(2 * ranks[nonzero > 0].sum()) - total
    if len(ranks) > _SIGNED:
        return math.erfc(abs(lead) / math.sqrt(2 * float((ranks.astype(float) ** 2).sum()))), int(
            np.sign(lead)
        )
    prob = np.zeros(total + 1)
    prob[0] = 1.0
    for rank in ranks.tolist():
        prob /= 2
        prob[rank:] += prob[: total + 1 - rank].copy()
    extreme = np.abs(2 * np.arange(total + 1) - total) >= abs(lead)
    return min(1.0, float(prob[extreme].sum())), int(np.sign(lead))


def auc_below(some: Any, others: Any) -> float:
    """P(one of `some` < one of `others`) + P(they are equal) / 2.

    Parameters
    ----------
    some, others : array_like of float
        At least one number each.

    Returns
    -------
    float

    Examples
    --------
    >>> auc_below([0.0, 0.5], [0.5, 1.0])
    0.875
    """
    some, others = np.asarray(some, dtype=float), np.sort(np.asarray(others, dtype=float))
    left, right = (np.searchsorted(others, some, side=side) for side in ("left", "right"))
    return float((len(others) - (left + right) / 2).sum() / (len(some) * len(others)))


def rank_sum_p(some: Any, others: Any, *, shuffles: int, seed: int) -> float:
    """Two-sided p of the rank sum if every choice of as many items is as probable as `some`.

    Exact by recursion over the items with ties as they are, where that is quick; else by shuffles,
    (b + 1) / (shuffles + 1) on each side, fewer where both sides had 25 as extreme ones (Besag and
    Clifford 1991).

    Parameters
    ----------
    some, others : array_like of float
        At least one number each.
    shuffles, seed : int
        Of the sampled one.

    Returns
    -------
    float
        Twice the smaller tail, at most 1.

    Examples
    --------
    >>> rank_sum_p([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], shuffles=99, seed=1)
    0.1
    """
    p = exact_rank_sum_p(some, others, _STEPS_MAX)
    return _two_sided(_sampled_tails(*_ranked(some, others), shuffles, seed)) if p is None else p


def exact_rank_sum_p(some: Any, others: Any, steps: int) -> float | None:
    """The same where the recursion takes at most so many additions, else None."""
    ranks, m, observed = _ranked(some, others)
    if len(ranks) * m * (m * int(ranks.max()) + 1) > steps:
        return None
    return _two_sided(_exact_tails(ranks, m, observed))


def normal_rank_sum_p(some: Any, others: Any) -> float:
    """The same by the normal approximation, with its corrections for ties and for continuity.

    Examples
    --------
    >>> round(normal_rank_sum_p([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 4)
    0.0809
    """
    m, n = len(some), len(others)
    total, number = m + n, np.unique(np.concatenate([some, others]), return_counts=True)[1]
    lost = (number.astype(float) ** 3 - number).sum() / (total * (total - 1))
    variance = m * n / 12 * (total + 1 - lost)
    off = abs(auc_below(some, others) - 0.5) * m * n - 0.5
    return float(2 * special.ndtr(-off / math.sqrt(variance))) if off > 0 else 1.0


def _ranked(some: Any, others: Any) -> tuple[np.ndarray, int, int]:
    """Whole ranks of all, the smaller group first; its size, and the sum of its ranks."""
    some, others = np.asarray(some, dtype=float), np.asarray(others, dtype=float)
    if len(some) > len(others):  # the fewer of the two are the same question
        some, others = others, some
    ranks = _doubled_ranks(np.concatenate([some, others]))
    ranks = ranks - ranks.min()
    ranks //= max(1, math.gcd(*ranks.tolist()))  # of two distinct numbers: 0 and 1
    return ranks, len(some), int(ranks[: len(some)].sum())


def _two_sided(tails: tuple[float, float]) -> float:
    return float(min(1.0, 2 * min(tails)))


def _doubled_ranks(values: np.ndarray) -> np.ndarray:
    """Twice the mean rank of each number, a whole number with ties too."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(number) - number + 1)[place.reshape(values.shape)]


def _exact_tails(ranks: np.ndarray, m: int, observed: int) -> tuple[float, float]:
    """P(sum <= observed) and P(sum >= observed), m of the ranks drawn without replacement."""
    size = int(np.sort(ranks)[-m:].sum()) + 1
    share = np.zeros((m + 1, size))  # of the choices so far: how many drawn, and their sum
    share[0, 0] = 1.0
    for k, rank in enumerate(ranks.tolist()):
        drawn = (m - np.arange(m + 1)) / (len(ranks) - k)  # of the items left, those still to draw
        drawn = np.clip(drawn, 0.0, 1.0)[:, None]
        chosen = share * drawn
        share = share * (1 - drawn)
        share[1:, rank:] += chosen[:-1, : size - rank]
    return float(share[m, : observed + 1].sum()), float(share[m, observed:].sum())


def _sampled_tails(
    ranks: np.ndarray, m: int, observed: int, shuffles: int, seed: int
) -> tuple[float, float]:
    """The same from random choices, the observed one among them."""
    rng = np.random.default_rng(seed)
    low = high = done = 0
    while done < shuffles and min(low, high) < _ENOUGH:
        size = min(_BATCH, shuffles - done)
        sums, done = _random_sums(ranks, m, size, rng), done + size
        low, high = low + int((sums <= observed).sum()), high + int((sums >= observed).sum())
    return (low + 1) / (done + 1), (high + 1) / (done + 1)


def _random_sums(ranks: np.ndarray, m: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Sums of m of the ranks: by how many of each where few differ, else by their places."""
    distinct, number = np.unique(ranks, return_counts=True)
    if len(distinct) <= _FEW:
        drawn = rng.multivariate_hypergeometric(number, m, size=size, method="marginals")
        return drawn @ distinct
    if m * m <= len(ranks):
        return ranks[_few_places(len(ranks), m, size, rng)].sum(1)
    places = np.argpartition(rng.random((size, len(ranks))), m - 1, axis=1)[:, :m]
    return ranks[places].sum(1)


def _few_places(n: int, m: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Places of m of n, (size, m): rows that hold one twice are drawn again."""
    places = np.empty((size, m), np.int64)
    again = np.arange(size)
    while len(again):
        places[again] = rng.integers(n, size=(len(again), m))
        ordered = np.sort(places[again], axis=1)
        again = again[(ordered[:, 1:] == ordered[:, :-1]).any(1)]
    return places
