"""From how many items on a probability reaches a target: the curve is a sawtooth."""

from collections.abc import Callable

import numpy as np

_RATIO = 1.1  # of one number of items to the one before, where not every one is tried


def crossing(
    prob: Callable[[np.ndarray], np.ndarray], target: float, most: int, every: int, around: float
) -> tuple[float, float]:
    """The first n at which `prob` reaches `target`, and that from which on it stays there.

    Parameters
    ----------
    prob : callable
        Probabilities at ascending numbers of items.
    target : float
    most : int
        The largest number of items that is thought of.
    every : int
        Up to here every n is looked at. Beyond, n a tenth apart, and every n that is within
        `around` (a share) of a crossing.

    Returns
    -------
    tuple of float
        nan where there is none.

    Examples
    --------
    >>> crossing(lambda n: 1 - 1 / n + 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (5.0, 5.0)
    >>> crossing(lambda n: 1 - 1 / n - 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (6.0, 6.0)
    """
    n = np.empty(0, np.int64)
    met = np.empty(0, bool)
    for block in _blocks(most, every):
        n, met = np.concatenate([n, block]), np.concatenate([met, prob(block) >= target])
        if _stays_above(n, met):
            break
    if not met.any():
        return np.nan, np.nan
    close = _candidates(n, met, most, around)
    n, met = np.concatenate([n, close]), np.concatenate([met, prob(close) >= target])
    return _crossings(n, met)


def _blocks(most: int, every: int) -> list[np.ndarray]:
    """Every n to `every`, then some, in blocks that double."""
    every = min(every, most)
    spread = every * _RATIO ** np.arange(1, 1 + max(0.0, np.log(most / every)) / np.log(_RATIO))
    n = np.concatenate([np.arange(1, every + 1), np.rint([*spread, most]).astype(np.int64)])
    n = np.unique(n)
    cuts = np.searchsorted(n, 128 * 2 ** np.arange(32))
    return [block for block in np.split(n, cuts) if len(block)]


def _stays_above(n: np.ndarray, met: np.ndarray) -> bool:
    """Whether the curve has stayed above the target for as many items as it took."""
    below = n[~met].max(initial=0)
    return bool(met.any() and n[-1] >= 2 * below + 32)


def _candidates(n: np.ndarray, met: np.ndarray, most: int, around: float) -> np.ndarray:
    """Untried numbers of items, close to where the curve crosses the target."""
    left, right = n[met].min(), n[~met].max(initial=1)
    parts = [np.arange(int(k * (1 - around)), int(k * (1 + around)) + 2) for k in (left, right)]
    numbers = np.unique(np.concatenate(parts))
    return np.setdiff1d(numbers[(numbers >= 1) & (numbers <= most)], n)


def _crossings(n: np.ndarray, met: np.ndarray) -> tuple[float, float]:
    first, below = n[met].min(), n[~met].max(initial=0)
    later = n[met & (n > below)]
    return float(first), float(later.min()) if len(later) else np.nan
