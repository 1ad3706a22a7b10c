"""Scores of 0 and 1 without gaps: a Dirichlet process over whole rows of items, whose base is a
fair coin for every system, four items heavy.

Then a system with k of n right has a mean ~ Beta(2 + k, 2 + n - k), and a pair has (win, loss, tie)
~ Dirichlet(1 + wins, 1 + losses, 2 + ties) (Ferguson 1973, Annals of Statistics 1(2), 209-230).
"""

import numpy as np

from betterthan.exact.joint.shrinkage import PSEUDO

_STICKS = 80  # leave .8^80 = 2e-8 of the base's share
_ATOMS = 8  # systems up to which every vector of coins has a weight of its own
_HELD = 2**22


def moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (system,) and covariance (system, system) of the systems' means, from (item, system).

    Examples
    --------
    >>> mean, covariance = moments(np.array([[1.0, 1], [1, 0], [0, 0], [1, 1]]))
    >>> mean.tolist(), covariance.round(4).tolist()
    ([0.625, 0.5], [[0.026, 0.0069], [0.0069, 0.0278]])
    """
    n, systems = values.shape
    mean = (values.sum(0) + PSEUDO / 2) / (n + PSEUDO)
    square = (values.T @ values + 1 + np.eye(systems)) / (n + PSEUDO)
    return mean, (square - np.outer(mean, mean)) / (n + PSEUDO + 1)


def draws(values: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Joint draws (draw, system) of the means, from (item, system)."""
    n, systems = values.shape
    found = np.empty((number, systems))
    step = max(1, _HELD // max(n, _STICKS * systems, 2 ** min(systems, _ATOMS)))
    for start in range(0, number, step):
        size = min(step, number - start)
        items = rng.standard_exponential((size, n))
        share, mass = _of_coins(size, systems, rng)
        found[start : start + size] = (items @ values + share) / (items.sum(1) + mass)[:, None]
    return found


def _of_coins(size: int, systems: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """What the base adds to the sum of each system (draw, system), and its mass (draw,)."""
    if systems <= _ATOMS:
        coins = (np.arange(2**systems)[:, None] >> np.arange(systems)) & 1
        weight = rng.standard_gamma(PSEUDO / 2**systems, (size, 2**systems))
        return weight @ coins, weight.sum(1)
    mass = rng.standard_gamma(PSEUDO, size)
    broken = rng.beta(1, PSEUDO, (size, _STICKS))
    left = np.cumprod(1 - broken, axis=1)
    weight = broken * np.concatenate([np.ones((size, 1)), left[:, :-1]], axis=1)
    coins = rng.integers(0, 2, (size, _STICKS, systems), dtype=np.int8)
    return mass[:, None] * np.einsum("dk,dks->ds", weight, coins), mass
