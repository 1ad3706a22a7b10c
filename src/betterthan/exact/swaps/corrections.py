"""Many tests at once: Holm, Benjamini-Hochberg, and the step-down maxima of Westfall and Young.

Arrays of p-values hold one family on their last axis; NaN is no test: it stays NaN and does not
count.
"""

import numpy as np


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
