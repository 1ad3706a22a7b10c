"""How often a gate on counts says what, by the sum over every outcome."""

import numpy as np

from betterthan import checks, names
from betterthan.exact.planning.edges import wins_needed
from betterthan.exact.swaps.corrections import binomial_tail
from betterthan.gating.boundaries import (
    Rates,
    binomial,
    wins_to_pass,
)


def characteristics(
    n: int,
    margin: float,
    *,
    share: float,
    difference: float = 0.0,
    threshold: float = names.VERDICT_PROB,
) -> Rates:
    """Probability of each verdict on n items, all of them scored 0 or 1 once.

    Parameters
    ----------
    n : int
        Items.
    margin : float in (0, 1)
    share : float in (0, 1]
        Of items on which the two systems differ.
    difference : float, default 0
        The true difference of accuracies, candidate - baseline: from -share to share.
    threshold : float, default 0.95

    Returns
    -------
    Rates

    Raises
    ------
    ValueError
        If an argument is not valid, or the difference is larger than the share.

    Notes
    -----
    The number of decisive items m is binomial. The candidate wins a binomial number of these, with
    probability (1 + difference / share) / 2. For each m the fewest wins that pass and the fewest
    losses that are worse are known, so that no outcome is simulated and none is left out.

    Examples
    --------
    >>> result = characteristics(50, 0.05, share=0.2)
    >>> round(result.passes, 3), round(result.worse, 3), round(result.inconclusive, 3)
    (0.19, 0.042, 0.768)
    """
    n, share, win = _checked(n, share, difference)
    m = np.arange(n + 1)
    weight = binomial(m, n, share)
    likely = weight > 1e-18  # the rest cannot move what is printed
    m, weight = m[likely], weight[likely]
    needed = wins_to_pass(m, n, margin, threshold)
    allowed = np.minimum(m - wins_needed(m, threshold=threshold), needed - 1)
    passes = float(weight @ binomial_tail(needed, m, win))
    worse = float(weight @ (1 - binomial_tail(allowed + 1, m, win)))
    return Rates(passes, worse, max(0.0, 1 - passes - worse))


def _checked(n: int, share: float, difference: float) -> tuple[int, float, float]:
    """Items, the share of decisive ones, and the probability that one of these is a win."""
    n, share = checks.whole(n, "n"), checks.real(share, "share")
    if not 0 < share <= 1:
        raise ValueError(f"share is {share:g}; give the share of items on which the systems differ")
    if not abs(checks.real(difference, "difference")) <= share:
        raise ValueError(
            f"difference is {difference:g}, but the systems differ on a share of {share:g} of the "
            "items; it cannot be larger than that"
        )
    return n, share, (1 + difference / share) / 2
