"""Choose the two systems whose rates of an event differ most."""

from collections.abc import Mapping

import numpy as np
from scipy.special import gammaln

_N_EXTREME = 8  # shares at either end of which pairs are looked at


def most_different_pair(counts: Mapping[str, tuple[int, int]]) -> tuple[str, str] | None:
    """The system with more and the one with less whose counts are the least probable if both had
    one share (Fisher's exact test, here only to rank pairs). None if all shares are equal.

    Parameters
    ----------
    counts : mapping of str to (int, int)
        Of each system how often, of how many.

    Examples
    --------
    >>> most_different_pair({"a": (4, 18), "b": (1, 2), "c": (0, 18)})
    ('a', 'c')
    """
    name_by_count = {count: name for name, count in list(counts.items())[::-1] if count[1]}
    ranked = sorted(name_by_count, key=lambda count: count[0] / count[1])
    pairs = [
        (tail(more, less), name_by_count[more], name_by_count[less])
        for less in ranked[:_N_EXTREME]
        for more in ranked[-_N_EXTREME:]
        if more[0] * less[1] > less[0] * more[1]
    ]
    return min(pairs)[1:] if pairs else None


def tail(more: tuple[int, int], less: tuple[int, int]) -> float:
    """P(so many or more of the first happen to it), given how often it happened in both."""
    (a, n), (b, m) = more, less
    x = np.arange(a, min(a + b, n) + 1)
    chosen = _log_choose(n, x) + _log_choose(m, a + b - x) - _log_choose(n + m, a + b)
    return float(np.exp(chosen).sum())


def _log_choose(n: int, k: np.ndarray | int) -> np.ndarray:
    return gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n + 1, k))
