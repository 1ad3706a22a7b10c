"""Values on a grid of one to three coordinates, smooth in between; draws of a tabled density."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

REACH = 5.0  # of standard normal coordinates
_FINE = {1: 2000, 2: 150, 3: 40}  # steps of each coordinate, by how many there are
_FITTING = 1.6  # how much longer than need be a side may be


@dataclass(frozen=True)
class Grid:
    """Nodes of each coordinate, and every combination of them."""

    axes: tuple[np.ndarray, ...]

    @property
    def nodes(self) -> np.ndarray:
        """(node, coordinate)."""
        return np.stack([m.ravel() for m in np.meshgrid(*self.axes, indexing="ij")], axis=1)

    def weights(self, v: np.ndarray) -> np.ndarray:
        """Of the nodes (point, node) in a cubic spline at points (point, coordinate); beyond the
        grid as on its edge.
        """
        splines = (_cardinal(axis, column) for axis, column in zip(self.axes, v.T, strict=True))
        return reduce(_products, splines)

    def part(self, count: int) -> tuple["Grid", np.ndarray]:
        """So many nodes of each coordinate, from end to end, and their places among all."""
        chosen = [
            np.unique(np.linspace(0, len(a) - 1, count).round().astype(int)) for a in self.axes
        ]
        places = np.arange(len(self.nodes)).reshape([len(a) for a in self.axes])[np.ix_(*chosen)]
        return Grid(tuple(a[k] for a, k in zip(self.axes, chosen, strict=True))), places.ravel()

    def linear(self, v: np.ndarray) -> np.ndarray:
        """Weights of the nodes (point, node) by linear interpolation."""
        hats = (
            np.stack([np.interp(column, axis, row) for row in np.eye(len(axis))], axis=1)
            for axis, column in zip(self.axes, v.T, strict=True)
        )
        return reduce(_products, hats)

    def fine(self, values: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Ends of fine steps of each coordinate, and values (step, ...) in their middles."""
        count = _FINE[len(self.axes)]
        edges = [np.linspace(axis[0], axis[-1], count + 1) for axis in self.axes]
        fine = values.reshape([len(axis) for axis in self.axes])
        for k, (axis, steps) in enumerate(zip(self.axes, edges, strict=True)):
            middle = _cardinal(axis, (steps[1:] + steps[:-1]) / 2)
            fine = np.moveaxis(np.tensordot(middle, fine, axes=(1, k)), 0, k)
        return edges, fine

    def needed(self, log: np.ndarray, deep: float) -> np.ndarray:
        """Ends (coordinate, 2) where a log density, (node,), has fallen so far; further out where
        it has not.
        """
        edges, height = self.fine(log)
        limits = []
        for k, steps in enumerate(edges):
            others = tuple(j for j in range(len(edges)) if j != k)
            profile = height.max(axis=others)
            high = np.flatnonzero(profile > profile.max() - deep)
            low, top = steps[high[0]], steps[high[-1] + 1]
            more = (steps[-1] - steps[0]) / 2
            shallow = profile.max() - profile[[0, -1]] < deep / 2
            limits.append([low - more * shallow[0], top + more * shallow[1]])
        return np.clip(limits, -REACH, REACH)

    def fits(self, limits: np.ndarray) -> bool:
        """Whether the grid covers these limits, and not much more."""
        span = np.array([[axis[0], axis[-1]] for axis in self.axes])
        reaches = (span[:, 0] <= limits[:, 0]).all() and (span[:, 1] >= limits[:, 1]).all()
        return bool(reaches and (np.diff(span) <= _FITTING * np.diff(limits)).all())


def between(limits: np.ndarray, count: int) -> Grid:
    """Grid of `count` nodes of each coordinate between its limits (coordinate, 2)."""
    return Grid(tuple(np.linspace(low, high, count) for low, high in limits))


@dataclass(frozen=True)
class Tabled:
    """A density that is constant on each of fine steps."""

    edges: list[np.ndarray]
    chance: np.ndarray

    @classmethod
    def from_log_density(cls, grid: Grid, log: np.ndarray) -> "Tabled":
        """From a log density at the nodes of a grid."""
        edges, height = grid.fine(log)
        chance = np.exp(height - height.max())
        return cls(edges, chance / chance.sum())

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points (point, coordinate), and their log density up to a constant."""
        flat = random.choice(self.chance.size, size=number, p=self.chance.ravel())
        steps = np.unravel_index(flat, self.chance.shape)
        low = np.stack([edges[k] for edges, k in zip(self.edges, steps, strict=True)], axis=1)
        width = np.array([edges[1] - edges[0] for edges in self.edges])
        v = low + width * random.random(low.shape)
        return v, np.log(self.chance[steps])


def _cardinal(axis: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Splines (point, node) that are 1 at one node and 0 at the others."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(axis, np.eye(len(axis)))(np.clip(v, axis[0], axis[-1]))


def _products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Products of all columns of two tables with the same rows."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
