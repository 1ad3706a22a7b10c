"""Strength of results: how surprising is it that m of n measures favour a system at p or better?

Under the null the measures are independent, each one-sided p-value is uniform, and P(m or more of n
are at or below v) is a binomial tail, that is I_v(m, n - m + 1). Choosing the smallest of these
tails among all v makes it a minimum, whose own distribution is simulated here.
"""

import numpy as np
from scipy import special

_NUMBERS = 1_000_000  # uniform numbers at once, 8 MB


def binomial_tail(m: np.ndarray, measures: int, v: np.ndarray) -> np.ndarray:
    """P(Bin(measures, v) >= m), for m from 0 to `measures`."""
    m, v = np.broadcast_arrays(np.asarray(m, dtype=float), np.asarray(v, dtype=float))
    return np.where(
        m == 0, 1.0, special.betainc(np.maximum(m, 1.0), measures - np.maximum(m, 1.0) + 1, v)
    )[()]


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
