"""The one rule that turns the posterior probabilities of the regions into a verdict."""

from collections.abc import Mapping

import numpy as np

from betterthan import names
from betterthan.exact.wins import beta, dirichlet

_VERDICTS = np.array(["undecided", "a_better", "b_better", "equivalent"])


def decide(
    a_ahead: np.ndarray,
    b_ahead: np.ndarray,
    within: np.ndarray | float,
    rope: float,
    threshold: float = names.VERDICT_PROB,
) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts from masses of d = A - B.

    With rope > 0: ``equivalent`` if P(|d| <= rope) >= threshold. Else ``a_better`` if P(d > 0) >=
    threshold, ``b_better`` if P(d < 0) >= threshold, else ``undecided``.

    Parameters
    ----------
    a_ahead, b_ahead : array_like of float
        P(d > 0) and P(d < 0).
    within : array_like of float
        P(|d| <= rope); not looked at when rope is 0.
    rope : float
    threshold : float, default 0.95

    Returns
    -------
    verdict : numpy.ndarray of str
    also_ahead : numpy.ndarray of bool
        Where the verdict is ``equivalent`` although one side is also ahead with `threshold`: a
        sure, small difference.

    Examples
    --------
    >>> decide([0.97, 0.97, 0.5], [0.03, 0.03, 0.5], [0.96, 0.2, 0.2], rope=0.01)[0].tolist()
    ['equivalent', 'a_better', 'undecided']
    """
    a_ahead, b_ahead, within = np.broadcast_arrays(
        np.asarray(a_ahead), np.asarray(b_ahead), np.asarray(within)
    )
    a_better, b_better = a_ahead >= threshold, b_ahead >= threshold
    equivalent = (within >= threshold) & (rope > 0)
    verdict = np.where(equivalent, 3, np.where(a_better, 1, 2 * b_better))
    return _VERDICTS[verdict], equivalent & (a_better | b_better)


def of_parameters(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, rope: float, threshold: float
) -> np.ndarray:
    """The verdict of each Dirichlet(a, b, t) of win, loss and tie; t is 0 where there are no ties.

    Examples
    --------
    >>> of_parameters(np.array([13.0, 3.0]), np.array([3.0, 3.0]), np.array([9.0, 9.0]), 0, 0.95)
    array(['a_better', 'undecided'], dtype='<U16')
    """
    ahead, behind = beta.prob_above_half(a, b), beta.prob_above_half(b, a)
    within = dirichlet.prob_within(a, b, t, rope) if rope else 0.0
    return decide(ahead, behind, within, rope, threshold)[0].astype("U16")


def of_masses(
    masses: Mapping[str, np.ndarray],
    behind: np.ndarray,
    others: np.ndarray,
    rope: float,
    threshold: float,
    *,
    converged: bool = True,
    empty: np.ndarray | bool = False,
) -> dict[str, np.ndarray]:
    """See `table.with_verdicts`, on plain arrays.

    Parameters
    ----------
    masses : mapping of str to numpy.ndarray
        ``prob_better`` and, with a rope, ``mass`` (..., region); the ``*_mcse`` of both, where they
        are sampled.
    behind : numpy.ndarray
        The other tail of ``prob_better``.
    others : numpy.ndarray of bool
        Where a cell is of two systems, and not of one against itself.
    rope, threshold
    converged : bool, default True
    empty : numpy.ndarray of bool, default False
        Where there is no example.
    """
    better, error = masses["prob_better"], masses.get("prob_better_mcse")
    regions = np.moveaxis(masses["mass"], -1, 0) if rope else np.zeros((3, *better.shape))
    verdict, also = decide(better, behind, regions[1], rope, threshold)
    flags = {}
    if error is not None and (error > 0).any():
        two, width = 2 * np.nan_to_num(error), masses["mass_mcse"][..., 1] if rope else 0.0
        within = regions[1] - 2 * np.nan_to_num(width)
        sure, also = decide(better - two, behind - two, within, rope, threshold)
        flags["too_close"] = (sure != verdict) & converged & others
        verdict = sure
    if not converged:
        verdict, also = np.where(others, "no_verdict", verdict), np.zeros_like(also)
    verdict = np.where(empty & others, "no_data", verdict)
    if rope:
        b_beyond, _, a_beyond = regions >= threshold
        a_better, b_better = verdict == "a_better", verdict == "b_better"
        flags["beyond_rope"] = (a_better & a_beyond) | (b_better & b_beyond)
    return {"verdict": verdict, "also_ahead": also} | flags
