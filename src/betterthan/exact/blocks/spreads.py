"""Sums of products of graded scores about means that are known. A unit is an item."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from betterthan.exact.blocks.outcomes import Leaf, Rule, Tables, leaves
from betterthan.exact.joint.units import PairMeans

_ULPS = 8
_ALIKE = 1e-13  # of a sum of squares: what is left of scores that differ by a constant


@dataclass(frozen=True)
class Spreads:
    """Of a block; two can be added. Pairs are (system, system), z is score less mean."""

    products: np.ndarray  # z_a z_b
    squares: np.ndarray  # z_a^2 where both have a score
    sums: np.ndarray  # z_a where both have a score
    cubes: np.ndarray  # z_a^3 where both have a score
    mixed: np.ndarray  # z_a^2 z_b

    def plus(self, other: "Spreads") -> "Spreads":
        """What two blocks say together."""
        return Spreads(
            self.products + other.products,
            self.squares + other.squares,
            self.sums + other.sums,
            self.cubes + other.cubes,
            self.mixed + other.mixed,
        )


def means(counts: Tables) -> np.ndarray:
    """Mean score, (system,); 0 for a system without scores."""
    number, total = np.diag(counts.shared), np.diag(counts.sums)
    return total / np.maximum(number, 1)


def spreads(block: np.ndarray, start: int, rule: Rule, mean: np.ndarray) -> Spreads:
    """Of a block (item, system) of graded scores whose first item has the number `start`."""
    none = Spreads(*np.zeros((5, len(mean), len(mean))))
    return reduce(
        Spreads.plus, (_leaf_sums(leaf, mean) for leaf in leaves(block, start, rule)), none
    )


def added(parts: list[Spreads]) -> Spreads:
    """What several blocks say together, in their order."""
    return reduce(Spreads.plus, parts)


def _leaf_sums(leaf: Leaf, mean: np.ndarray) -> Spreads:
    z = leaf.values.astype(float) - mean
    if leaf.present is not None:
        z = np.where(leaf.present, z, 0.0)
    present = np.ones(z.shape) if leaf.present is None else leaf.present.astype(float)
    square = z * z
    return Spreads(
        z.T @ z, square.T @ present, z.T @ present, (square * z).T @ present, square.T @ z
    )


def pair_means(counts: Tables, mean: np.ndarray, spreads: Spreads, sign: int) -> PairMeans:
    """Differences of means on the items that both have, of graded scores; `sign` -1 where less is
    better.
    """
    a, b = np.triu_indices(len(mean), 1)
    n = counts.shared[a, b]
    with np.errstate(invalid="ignore", divide="ignore"):
        z_a, z_b = spreads.sums[a, b] / n, spreads.sums[b, a] / n
        difference = mean[a] - mean[b] + z_a - z_b
        both = spreads.squares[a, b] + spreads.squares[b, a]
        left = both - 2 * spreads.products[a, b] - n * (z_a - z_b) ** 2
        error = np.sqrt(np.maximum(left, 0.0) / np.maximum(n - 1, 1) / n)
    slack = _ULPS * np.finfo(float).eps * counts.largest
    error = np.where((error > slack) & (left > _ALIKE * both), error, 0.0)
    difference = sign * np.where(np.abs(difference) > slack, difference, 0.0)
    mixed, cubes = spreads.mixed, spreads.cubes
    third = cubes[a, b] - cubes[b, a] - 3 * (mixed[a, b] - mixed[b, a])
    skewness = sign * skewness_of(n, z_a - z_b, left, third)
    # only used where the standard error is 0, and all items show the same difference
    won, lost = n * (difference > 0), n * (difference < 0)
    return PairMeans(difference, error, n, won, lost, n - 1.0, skewness)


def skewness_of(
    n: np.ndarray, mean: np.ndarray, squares: np.ndarray, cubes: np.ndarray
) -> np.ndarray:
    """From sums of squares about the mean, and of cubes about 0; 0 without a spread."""
    with np.errstate(invalid="ignore", divide="ignore"):
        third = cubes / n - 3 * mean * squares / n - mean**3
        skewness = third / (squares / n) ** 1.5
    return np.where(np.isfinite(skewness), skewness, 0.0)
