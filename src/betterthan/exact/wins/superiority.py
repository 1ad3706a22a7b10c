"""Posterior of the probability that one of a first group is above one of a second, ties half.

By placements: the share of the other group that a value is above. Their means are normal in large
groups, with the variance of Brunner and Munzel (2000, Biometrical Journal 42(1), 17-25), which
does not need equal spreads; Satterthwaite's degrees of freedom, and a uniform prior on 0 to 1. One
more value in each group that ties with all others keeps the variance above 0 where no values
overlap. Of the forms tried it is the best calibrated (see ``docs/methods/calibration.md``).
"""

import numpy as np

from betterthan.exact.joint.student import Student


def superiority(some: np.ndarray, others: np.ndarray) -> Student:
    """Posterior of P(one of `some` > one of `others`) + P(they are equal) / 2.

    Parameters
    ----------
    some, others : numpy.ndarray of float, shapes (m,) and (n,)

    Returns
    -------
    Student
        Of one column; without an error where all values are equal.

    Examples
    --------
    >>> posterior = superiority(np.array([4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    >>> posterior.prob_above(0.5).round(3).tolist()
    [0.958]
    """
    first, second = placements(some, others), placements(others, some)
    a, b = (placed.var(ddof=1) / len(placed) for placed in (first, second))
    if not a + b:
        return Student(*np.array([[0.5], [0.0], [1.0]]), low=0, high=1)
    df = (a + b) ** 2 / (a**2 / (len(first) - 1) + b**2 / (len(second) - 1))
    return Student(*np.array([[first.mean()], [np.sqrt(a + b)], [df]]), low=0, high=1)


def placements(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The share of `among` below each value, ties half; both with one more value that ties with
    all others, which is the last.
    """
    ordered = np.sort(among)
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.append(((left + right) / 2 + 0.5) / (len(among) + 1), 0.5)
