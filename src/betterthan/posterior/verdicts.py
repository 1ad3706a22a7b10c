"""The one rule that turns the posterior probabilities of the regions into a verdict."""

import numpy as np

from betterthan import names


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
    ahead = np.where(
        a_ahead >= threshold, "a_better", np.where(b_ahead >= threshold, "b_better", "undecided")
    )
    equivalent = (within >= threshold) & (rope > 0)
    return np.where(equivalent, "equivalent", ahead), equivalent & (ahead != "undecided")
