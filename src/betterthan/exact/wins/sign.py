"""The sign test on counts: exact, mid-p, and what it could reach at all with so many decisive
items.
"""

from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.exact.wins.halves import exactly, upper_tail
from betterthan.exact.wins.trinomial import trinomial_p, trinomial_tail

__all__ = ["decisive_needed", "settle_ties", "sign_mid_p", "sign_p", "smallest_p", "trinomial_p"]


def sign_p(wins: Any, losses: Any, alternative: str = "two-sided") -> np.ndarray:
    """Exact p of the sign test: the binomial tail of the decisive items.

    Parameters
    ----------
    wins, losses : array_like of int
        Of system A; they broadcast.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        ``greater``: A is better, P(X >= wins). ``two-sided``: twice the smaller one-sided p, at
        most 1.

    Returns
    -------
    numpy.ndarray
        1 where nothing was decisive. Relative error below 1e-12 up to a count of 1e9, also in the
        tail.

    Raises
    ------
    ValueError
        If a count is negative or fractional, or the alternative unknown.

    References
    ----------
    S. Siegel and N. J. Castellan (1988), Nonparametric Statistics for the Behavioral Sciences,
    McGraw-Hill.

    Examples
    --------
    >>> float(sign_p(9, 1, "greater"))
    0.0107421875
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    w, l = _counted(wins, losses)
    if alternative != "two-sided":
        return (upper_tail(w, l) if alternative == "greater" else upper_tail(l, w))[()]
    return _sided(upper_tail(w, l), upper_tail(l, w), alternative)


def sign_mid_p(wins: Any, losses: Any, alternative: str = "two-sided") -> np.ndarray:
    """Mid-p of the sign test: outcomes as extreme as the observed one count half.

    Parameters
    ----------
    wins, losses, alternative
        See `sign_p`. ``greater`` is P(X > wins) + P(X = wins) / 2.

    Returns
    -------
    numpy.ndarray
        Where wins equal losses, also where both are 0: 1 if two-sided, 1/2 if one-sided.

    Raises
    ------
    ValueError
        As `sign_p`.

    References
    ----------
    H. O. Lancaster (1961), Significance tests in discrete distributions, JASA 56(294), 223-234,
    doi:10.1080/01621459.1961.10482105.

    Examples
    --------
    >>> float(sign_mid_p(9, 1, "greater"))
    0.005859375
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    w, l = _counted(wins, losses)
    half = np.where(w == l, 0.5, 0.5 * exactly(w, l))
    greater = np.where(w == l, 0.5, upper_tail(w + 1, l - 1) + half)
    less = np.where(w == l, 0.5, upper_tail(l + 1, w - 1) + half)
    return _sided(greater, less, alternative)


def settle_ties(wins: Any, losses: Any, ties: Any, policy: str) -> tuple[np.ndarray, np.ndarray]:
    """Wins and losses under a tie policy of `names.TIES`; ``half`` leaves out an odd tie."""
    checks.one_of(policy, names.TIES[:-1], "ties")
    w, l, t = _counted(wins, losses, ties)
    if policy == "half":
        return w + t // 2, l + t // 2
    return w + t * (policy == "to_a"), l + t * (policy == "to_b")


def smallest_p(
    decisive: Any,
    ties: Any,
    policy: str = "drop",
    alternative: str = "two-sided",
    mid: bool = False,
) -> np.ndarray:
    """The smallest p attainable with so many decisive and tied items: all decisive ones for one
    side.

    Parameters
    ----------
    decisive, ties : array_like of int
        Number of items; they broadcast.
    policy : {"third", "drop", "half", "to_a", "to_b"}, default "drop"
        What happens to the ties; ``third`` is the trinomial test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
    mid : bool, default False
        Of the mid-p.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        As `sign_p`; if the policy is unknown, or a mid-p is asked of the trinomial test, which has
        none.

    Examples
    --------
    >>> float(smallest_p(5, 0)), float(smallest_p(5, 4, "half"))
    (0.0625, 0.1796875)
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.one_of(policy, names.TIES[:-1], "ties")
    m, t = _counted(decisive, ties)
    if policy == "third":
        if mid:
            raise ValueError(
                "ties='third' has no mid-p; give mid=False, or ties 'drop', 'half', 'to_a' or "
                "'to_b'"
            )
        p = trinomial_tail(m, m + t, t)
        return np.minimum(1.0, p * (2.0 if alternative == "two-sided" else 1.0))[()]
    test = sign_mid_p if mid else sign_p
    p = [test(*settle_ties(*split, t, policy), alternative) for split in ((m, 0), (0, m))]
    return np.minimum(*p)


def decisive_needed(
    ties: Any,
    policy: str = "drop",
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    mid: bool = False,
) -> np.ndarray:
    """The smallest number of decisive items with which p <= alpha can be reached at all, the ties
    being as they are.

    Parameters
    ----------
    ties : array_like of int
    policy, alternative, mid
        See `smallest_p`.
    alpha : float, default 0.05

    Returns
    -------
    numpy.ndarray of int64
        0 where the ties alone, given to one side, reach it.

    Raises
    ------
    ValueError
        As `smallest_p`, or if alpha is not between 0 and 1.

    Examples
    --------
    >>> int(decisive_needed(0)), int(decisive_needed(10, "half"))
    (6, 10)
    """
    alpha = checks.probability(alpha, "alpha")
    (t,) = _counted(ties)
    distinct, back = np.unique(t, return_inverse=True)
    low, high = np.full(distinct.shape, -1), np.zeros(distinct.shape, dtype=np.int64)

    def unreachable(m: np.ndarray) -> np.ndarray:
        return smallest_p(m, distinct, policy, alternative, mid) > alpha

    while (more := unreachable(high)).any():
        low, high = np.where(more, high, low), np.where(more, np.maximum(1, 2 * high), high)
    while (high - low > 1).any():
        middle = np.maximum((low + high) // 2, 0)
        more = unreachable(middle)
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return high[back].reshape(t.shape)[()]


def _counted(*values: Any) -> list[np.ndarray]:
    return list(np.broadcast_arrays(*(checks.nonnegative_integers(v, "counts") for v in values)))


def _sided(greater: np.ndarray, less: np.ndarray, alternative: str) -> np.ndarray:
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * np.minimum(greater, less))[()]
    return (greater if alternative == "greater" else less)[()]
