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
        each = (_cardinal(axis, own) for axis, own in zip(self.axes, v.T, strict=True))
        return reduce(_products, each)

    def part(self, count: int) -> tuple["Grid", np.ndarray]:
        """So many nodes of each coordinate, from end to end, and their places among all."""
        each = [np.unique(np.linspace(0, len(a) - 1, count).round().astype(int)) for a in self.axes]
        places = np.arange(len(self.nodes)).reshape([len(a) for a in self.axes])[np.ix_(*each)]
        return Grid(tuple(a[k] for a, k in zip(self.axes, each, strict=True))), places.ravel()

    def linear(self, v: np.ndarray) -> np.ndarray:
        """Of the nodes (point, node), straight from one to the next."""
        each = (
            np.stack([np.interp(own, axis, row) for row in np.eye(len(axis))], axis=1)
            for axis, own in zip(self.axes, v.T, strict=True)
        )
        return reduce(_products, each)

    def fine(self, values: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Ends of fine steps of each coordinate, and values (step, ...) in their middles."""
        count = _FINE[len(self.axes)]
        ends = [np.linspace(axis[0], axis[-1], count + 1) for axis in self.axes]
        found = values.reshape([len(axis) for axis in self.axes])
        for k, (axis, own) in enumerate(zip(self.axes, ends, strict=True)):
            middle = _cardinal(axis, (own[1:] + own[:-1]) / 2)
            found = np.moveaxis(np.tensordot(middle, found, axes=(1, k)), 0, k)
        return ends, found

    def needed(self, log: np.ndarray, deep: float) -> np.ndarray:
        """Ends (coordinate, 2) where a log density, (node,), has fallen so far; further out where
        it has not.
        """
        ends, height = self.fine(log)
        found = []
        for k, own in enumerate(ends):
            others = tuple(j for j in range(len(ends)) if j != k)
            profile = height.max(axis=others)
            high = np.flatnonzero(profile > profile.max() - deep)
            low, top = own[high[0]], own[high[-1] + 1]
            more = (own[-1] - own[0]) / 2
            shallow = profile.max() - profile[[0, -1]] < deep / 2
            found.append([low - more * shallow[0], top + more * shallow[1]])
        return np.clip(found, -REACH, REACH)

    def fits(self, ends: np.ndarray) -> bool:
        """Whether the grid reaches so far, and not much further."""
        own = np.array([[axis[0], axis[-1]] for axis in self.axes])
        reaches = (own[:, 0] <= ends[:, 0]).all() and (own[:, 1] >= ends[:, 1]).all()
        return bool(reaches and (np.diff(own) <= _FITTING * np.diff(ends)).all())


def between(ends: np.ndarray, count: int) -> Grid:
    """So many nodes of each coordinate between its ends (coordinate, 2)."""
    return Grid(tuple(np.linspace(low, high, count) for low, high in ends))


@dataclass(frozen=True)
class Tabled:
    """A density that is constant on each of fine steps."""

    ends: list[np.ndarray]
    chance: np.ndarray

    @classmethod
    def of(cls, grid: Grid, log: np.ndarray) -> "Tabled":
        """From a log density at the nodes of a grid."""
        ends, height = grid.fine(log)
        chance = np.exp(height - height.max())
        return cls(ends, chance / chance.sum())

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points (point, coordinate), and their log density up to a constant."""
        flat = random.choice(self.chance.size, size=number, p=self.chance.ravel())
        steps = np.unravel_index(flat, self.chance.shape)
        low = np.stack([own[k] for own, k in zip(self.ends, steps, strict=True)], axis=1)
        width = np.array([own[1] - own[0] for own in self.ends])
        v = low + width * random.random(low.shape)
        return v, np.log(self.chance[steps])


def _cardinal(axis: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Splines (point, node) that are 1 at one node and 0 at the others."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(axis, np.eye(len(axis)))(np.clip(v, axis[0], axis[-1]))


def _products(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Of all columns of two tables of the same rows."""
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
