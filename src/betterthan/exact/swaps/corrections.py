"""Many tests at once: corrections of p-values, and the strength of many results together.

The corrections are Holm's, Benjamini and Hochberg's, and the step-down maxima of Westfall and
Young. Arrays of p-values hold one family on their last axis. NaN is no test: it stays NaN and does
not count.

The strength of results answers how surprising it is that m of n measures favor a system at p or
better. Under the null the measures are independent, each one-sided p-value is uniform, and
P(m or more of n are at or below v) is a binomial tail, that is I_v(m, n - m + 1). The smallest of
these tails over all v is a minimum, whose distribution is simulated.
"""

import numpy as np
from scipy import special


def holm(p: np.ndarray) -> np.ndarray:
    """Adjusted p-values that keep the probability of any false rejection at the level (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, np.nan]).round(4).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    if np.shape(p)[-1] == 1:  # alone it needs no correction
        return np.array(p, dtype=float)
    p, order, ascending, tests = _sorted(p)
    left = tests - np.arange(p.shape[-1])
    return _restored(p, order, np.maximum.accumulate(ascending * left, axis=-1))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjusted p-values that keep the expected share of false rejections at the level (Benjamini &
    Hochberg 1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, np.nan]).round(4).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    p, order, ascending, tests = _sorted(p)
    share = tests / np.arange(1, p.shape[-1] + 1)
    scaled = np.where(np.isnan(ascending), np.inf, ascending * share)
    return _restored(p, order, np.minimum.accumulate(scaled[..., ::-1], axis=-1)[..., ::-1])


def holm_steps(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What turns a cutoff on the adjusted p into one on p itself, and the order of the steps.

    Returns
    -------
    multiplier : numpy.ndarray of float
        Number of hypotheses not yet rejected when a p-value has its turn; the cutoff on p is the
        cutoff divided by it. Ties have their turn together.
    rank : numpy.ndarray of int
        Position from 1, in ascending order of p, the first of a tie; 0 for no test.

    Examples
    --------
    >>> [a.tolist() for a in holm_steps([0.03, 0.01, 0.03, 0.2])]
    [[3.0, 4.0, 3.0, 1.0], [2, 1, 2, 4]]
    """
    p, below, _, tests = _counted(p)
    tested = ~np.isnan(p)
    return np.where(tested, tests - below, np.nan), np.where(tested, below + 1, 0)


def bh_steps(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As `holm_steps`, for Benjamini-Hochberg: tests divided by rank, and the rank, the last of a
    tie.

    Examples
    --------
    >>> [a.tolist() for a in bh_steps([0.03, 0.01, 0.03, 0.2])]
    [[1.3333333333333333, 4.0, 1.3333333333333333, 1.0], [3, 1, 3, 4]]
    """
    p, _, reached, tests = _counted(p)
    tested = ~np.isnan(p)
    return np.where(tested, tests / np.maximum(reached, 1), np.nan), np.where(tested, reached, 0)


def step_down_maxima(observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Count the shuffles whose largest statistic, among a pair and all pairs of smaller observed
    ones, reaches it.

    Parameters
    ----------
    observed : array_like of float, shape (pairs,)
    null : array_like of float, shape (shuffles, pairs)
        A chunk of shuffles; the counts of chunks add up.

    Returns
    -------
    numpy.ndarray of int, shape (pairs,)

    References
    ----------
    P. H. Westfall and S. S. Young (1993), Resampling-Based Multiple Testing, Wiley, algorithm 4.1.

    Examples
    --------
    >>> step_down_maxima([3.0, 1.0, 2.0], [[0.5, 2.5, 1.0], [4.0, 0.0, 0.0]]).tolist()
    [1, 1, 1]
    """
    observed, null = np.asarray(observed, dtype=float), np.asarray(null, dtype=float)
    ascending = np.argsort(-observed, kind="stable")[::-1]
    largest = np.maximum.accumulate(null[:, ascending], axis=1)
    counts = np.empty(observed.shape, dtype=np.int64)
    counts[ascending] = np.count_nonzero(largest >= observed[ascending], axis=0)
    return counts


def critical_difference(ranges: np.ndarray, level: float) -> tuple[float, float]:
    """The largest difference that is not significant, and its Monte Carlo error; nan where so few
    permutations cannot reach the level.

    Parameters
    ----------
    ranges : array_like of float, shape (permutations,)
        Largest difference of any two systems in each permutation, ascending.
    level : float
        A difference above the result has p = (b + 1) / (n + 1) at or below it.

    Examples
    --------
    >>> critical_difference(np.arange(1, 100) / 100, 0.05)
    (0.95, 0.03)
    """
    ranges = np.asarray(ranges, dtype=float)
    n = len(ranges)
    exceeded = int(np.floor(level * (n + 1) + 1e-9)) - 1  # at most, of a significant difference
    if exceeded < 0:
        return np.nan, np.nan
    place = n - 1 - exceeded
    spread = int(np.ceil(np.sqrt(n * level * (1 - level))))
    low, high = ranges[max(place - spread, 0)], ranges[min(place + spread, n - 1)]
    return float(ranges[place]), round(float(high - low) / 2, 12)


def monotone_p(observed: np.ndarray, counts: np.ndarray, shuffles: int) -> np.ndarray:
    """Adjusted p-values, (b + 1) / (n + 1), never smaller than that of a larger observed statistic.

    Parameters
    ----------
    observed : array_like of float, shape (pairs,)
    counts : array_like of int, shape (pairs,)
        From `step_down_maxima`, of all shuffles together.
    shuffles : int

    Examples
    --------
    >>> monotone_p([3.0, 1.0, 2.0], [1, 0, 2], 9).tolist()
    [0.2, 0.3, 0.3]
    """
    descending = np.argsort(-np.asarray(observed, dtype=float), kind="stable")
    p = np.empty(descending.shape)
    p[descending] = np.maximum.accumulate((np.asarray(counts)[descending] + 1) / (shuffles + 1))
    return p


def _sorted(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """p, the order that sorts it, p sorted with NaN last, and the number of tests (..., 1)."""
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, axis=-1, kind="stable")
    tests = np.count_nonzero(~np.isnan(p), axis=-1, keepdims=True)
    return p, order, np.take_along_axis(p, order, axis=-1), tests


def _restored(p: np.ndarray, order: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Adjusted p-values in the order of p, within p and 1."""
    result = np.empty_like(p)
    np.put_along_axis(result, order, adjusted, axis=-1)
    return np.where(np.isnan(p), np.nan, np.clip(result, p, 1.0))


def _counted(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """p, how many p-values are below each, how many are at or below it, and the number of tests
    (..., 1).
    """
    p, _, ascending, tests = _sorted(p)
    flat, rows = ascending.reshape(-1, p.shape[-1]), p.reshape(-1, p.shape[-1])
    pairs = list(zip(flat, rows, strict=True))
    below = np.array([np.searchsorted(a, r, "left") for a, r in pairs], dtype=np.int64)
    reached = np.array([np.searchsorted(a, r, "right") for a, r in pairs], dtype=np.int64)
    return p, below.reshape(p.shape), reached.reshape(p.shape), tests


_NUMBERS = 1_000_000  # uniform numbers at once, 8 MB


def binomial_tail(k: np.ndarray, n: int | np.ndarray, p: float | np.ndarray) -> np.ndarray:
    """P(K >= k) for K ~ Binomial(n, p)."""
    inside = np.clip(k, 1, np.maximum(n, 1))
    tail = special.betainc(inside, n - inside + 1.0, p)
    return np.where(np.less_equal(k, 0), 1.0, np.where(np.greater(k, n), 0.0, tail))[()]


def subsets(p_values: np.ndarray, measures: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every distinct p, ascending, how many p-values are at or below it, and the tail of that many.

    Parameters
    ----------
    p_values : array_like of float, shape (k,)
        One-sided p-values in favour of one system.
    measures : int
        All measures, of either side; at least k.

    Returns
    -------
    p, m, tail : numpy.ndarray

    Examples
    --------
    >>> subsets([0.17, 0.02], 10)[2].round(4).tolist()
    [0.1829, 0.527]
    """
    p, count = np.unique(np.asarray(p_values, dtype=float), return_counts=True)
    m = np.cumsum(count)
    return p, m, binomial_tail(m, measures, p)


def thresholds(strongest: float, measures: int) -> np.ndarray:
    """How small the k-th smallest p-value must be, k = 1 ..., for a tail of `strongest` or less."""
    k = np.arange(1, measures + 1)
    return special.betaincinv(k, measures - k + 1, strongest)


def exceedances(
    strongest: np.ndarray, measures: int, simulations: int, seed: int
) -> tuple[np.ndarray, int]:
    """In how many simulations each system's smallest tail is at or below its own, and either's
    below the smaller one.

    A uniform number u below 1/2 favours the first system with p = u, another the second with p = 1
    - u.

    Parameters
    ----------
    strongest : array_like of float, shape (2,)
        The observed smallest tails.
    measures, simulations, seed : int

    Returns
    -------
    own : numpy.ndarray of int, shape (2,)
    either : int
    """
    rng = np.random.default_rng(seed)
    lines = [thresholds(v, measures) for v in (*strongest, min(strongest))]
    always = np.asarray(strongest) >= 1  # of a system that nothing favours
    counts, either = np.zeros(2, dtype=np.int64), 0
    rows = max(1, _NUMBERS // measures)
    for start in range(0, simulations, rows):
        u = np.sort(rng.random((min(rows, simulations - start), measures)), axis=1)
        # each ascending; from 1/2 on they favour the other system
        for k, p in enumerate((u, 1 - u[:, ::-1])):
            counts[k] += len(p) if always[k] else _any_below(p, lines[k]).sum()
        either += int((_any_below(u, lines[2]) | _any_below(1 - u[:, ::-1], lines[2])).sum())
    return counts, either if min(strongest) < 1 else simulations


def _any_below(p: np.ndarray, line: np.ndarray) -> np.ndarray:
    return ((p <= line) & (p < 0.5)).any(1)
