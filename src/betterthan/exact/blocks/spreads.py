"""Second sums of scores about means that are known: what a joint posterior of all systems needs.

A unit is an item. It adds to the error of a mean r_is = n (x_is - mean_s) / n_s, and 0 where the
score is missing (`exact.joint.units`).
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from betterthan.exact.blocks.leaves import Leaf, Rule, leaves
from betterthan.exact.blocks.outcomes import Tables
from betterthan.exact.joint.shrinkage import Moments, helmert
from betterthan.exact.joint.units import PairMeans

_ULPS = 8
_ALIKE = 1e-13  # of a sum of squares: what is left of scores that differ by a constant


@dataclass(frozen=True)
class About:
    """Means (system,) of the scores, and by what an item's distance from them is multiplied."""

    mean: np.ndarray
    scale: np.ndarray
    graded: bool


@dataclass(frozen=True)
class Spreads:
    """Of a block; two can be added. Pairs are (system, system), z is score less mean."""

    fourth: float  # sum over items of the squared length, squared, of r without its mean
    products: np.ndarray  # z_a z_b
    squares: np.ndarray  # z_a^2 where both have a score
    sums: np.ndarray  # z_a where both have a score
    cubes: np.ndarray  # z_a^3 where both have a score
    mixed: np.ndarray  # z_a^2 z_b

    def plus(self, other: "Spreads") -> "Spreads":
        """What two blocks say together."""
        return Spreads(
            self.fourth + other.fourth,
            self.products + other.products,
            self.squares + other.squares,
            self.sums + other.sums,
            self.cubes + other.cubes,
            self.mixed + other.mixed,
        )


def about(found: Tables) -> About:
    """Means of what was counted; 0 of a system that has no score."""
    number, total = np.diag(found.shared), np.diag(found.sums)
    some = np.maximum(number, 1)
    return About(total / some, np.where(number > 0, found.items / some, 0.0), found.graded)


def spreads(block: np.ndarray, start: int, rule: Rule, of: About) -> Spreads:
    """Of a block (item, system) whose first item has the number `start`."""
    none = np.zeros((len(of.mean),) * 2 if of.graded else (0, 0))
    each = (
        _graded(leaf, of) if of.graded else _linear(leaf, of) for leaf in leaves(block, start, rule)
    )
    return reduce(Spreads.plus, each, Spreads(0.0, *[none] * 5))


def added(parts: list[Spreads]) -> Spreads:
    """What several blocks say together, in their order."""
    return reduce(Spreads.plus, parts)


def _linear(leaf: Leaf, of: About) -> Spreads:
    """Of 0 and 1 squares are linear, and all products were counted: x^2 is x."""
    c, m = of.scale, of.mean
    long, across = c**2 * (1 - 2 * m), c**2 * m**2
    columns = leaf.values.astype(float) @ np.stack([long, c], axis=1)
    if leaf.seen is None:
        columns += np.array([across.sum(), -(c * m).sum()])
    else:
        columns += leaf.seen.astype(float) @ np.stack([across, -c * m], axis=1)
    return _with_fourth(columns[:, 0], columns[:, 1], len(m), np.zeros((5, 0, 0)))


def _graded(leaf: Leaf, of: About) -> Spreads:
    z = leaf.values.astype(float) - of.mean
    if leaf.seen is not None:
        z = np.where(leaf.seen, z, 0.0)
    seen = np.ones(z.shape) if leaf.seen is None else leaf.seen.astype(float)
    r = z * of.scale
    square = z * z
    found = np.stack([z.T @ z, square.T @ seen, z.T @ seen, (square * z).T @ seen, square.T @ z])
    return _with_fourth((r * r).sum(1), r.sum(1), z.shape[1], found)


def _with_fourth(square: np.ndarray, total: np.ndarray, size: int, found: np.ndarray) -> Spreads:
    length = square - total**2 / size  # without the mean of all systems
    return Spreads(float((length**2).sum()), *found)


def moments(found: Tables, of: About, seen: Spreads) -> Moments:
    """Of the contrasts of all systems."""
    n, q = found.items, helmert(len(of.mean))
    if of.graded:
        products = seen.products
    else:
        # x_a x_b - m_b x_a - m_a x_b + m_a m_b, over items that both have
        m, both = of.mean, found.sums - found.wins
        products = both - m * found.sums - m[:, None] * found.sums.T
        products = products + np.outer(m, m) * found.shared
    products = products * np.outer(of.scale, of.scale)
    return Moments(n, q.T @ products @ q / n, seen.fourth / n)


def pair_means(found: Tables, of: About, seen: Spreads, sign: int) -> PairMeans:
    """Differences of means on the items that both have, of graded scores; `sign` -1 where less is
    better.
    """
    a, b = np.triu_indices(len(of.mean), 1)
    n = found.shared[a, b]
    with np.errstate(invalid="ignore", divide="ignore"):
        z_a, z_b = seen.sums[a, b] / n, seen.sums[b, a] / n
        apart = of.mean[a] - of.mean[b] + z_a - z_b
        both = seen.squares[a, b] + seen.squares[b, a]
        left = both - 2 * seen.products[a, b] - n * (z_a - z_b) ** 2
        error = np.sqrt(np.maximum(left, 0.0) / np.maximum(n - 1, 1) / n)
    slack = _ULPS * np.finfo(float).eps * found.largest
    error = np.where((error > slack) & (left > _ALIKE * both), error, 0.0)
    apart = sign * np.where(np.abs(apart) > slack, apart, 0.0)
    mixed, cubes = seen.mixed, seen.cubes
    third = cubes[a, b] - cubes[b, a] - 3 * (mixed[a, b] - mixed[b, a])
    skewness = sign * skewness_of(n, z_a - z_b, left, third)
    # only read where there is no error, and all items say the same
    won, lost = n * (apart > 0), n * (apart < 0)
    return PairMeans(apart, error, n, won, lost, n - 1.0, skewness)


def skewness_of(
    n: np.ndarray, mean: np.ndarray, squares: np.ndarray, cubes: np.ndarray
) -> np.ndarray:
    """From sums of squares about the mean, and of cubes about 0; 0 without a spread."""
    with np.errstate(invalid="ignore", divide="ignore"):
        third = cubes / n - 3 * mean * squares / n - mean**3
        found = third / (squares / n) ** 1.5
    return np.where(np.isfinite(found), found, 0.0)
