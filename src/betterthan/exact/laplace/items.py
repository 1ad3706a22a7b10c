"""Log likelihood of abilities on shared items, difficulties summed out, of many parameters at once.

The same integral as in the PyMC model, on the same nodes; the curvature that goes with it is that
of a sum over something not seen (Louis 1982, JRSS B 44(2), 226-233).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import special

from betterthan.exact.laplace.cells import logs_of
from betterthan.exact.laplace.newton import Curved

_BLOCK = 1_000_000  # numbers held at a time
_STEP = 1e-3  # of the differences by which all but abilities are looked at
_NOWHERE = 1e-9  # items at a node that say nothing of the curvature
_OVERFLOW = 600.0  # of an exponent


class OfAbilities(Protocol):
    """Log likelihood with slope and curvature in the abilities, given the rest."""

    @property
    def systems(self) -> int:
        """How many."""
        ...

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        ...

    def rows(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Log probability of each distinct row of data, (point, row)."""
        ...

    def total(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Of all data, (point,)."""
        ...

    def curved(self, each: np.ndarray, rest: np.ndarray, *, bent: bool) -> Curved:
        """(point,), and in the abilities; without curvature unless `bent`."""
        ...


@dataclass(frozen=True)
class Items:
    """Of abilities and the rest, in one vector: what is not an ability by differences."""

    inner: OfAbilities

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        size = max(1, _BLOCK // self.inner.cells)
        blocks = [x[k : k + size] for k in range(0, len(x), size)]
        return np.concatenate([self.inner.total(*self._parts(block)) for block in blocks])

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature, point by point."""
        found = [self._at(point) for point in x]
        return Curved(*(np.stack(part) for part in zip(*found, strict=True)))

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[:, : self.inner.systems], x[:, self.inner.systems :]

    def _at(self, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        here = self.inner.curved(*self._parts(x[None]), bent=True)
        step = _STEP * np.eye(len(x))[self.inner.systems :]
        more, height = len(step), here.height[0]
        near = self._near(x, step)
        after, before = np.split(near.height[:-1], 2)
        beside = np.diff(np.split(near.slope[:-1], 2), axis=0)[0] / (2 * _STEP)
        own = -np.diag(after + before - 2 * height)
        if more == 2:
            own += (np.eye(2) - 1) * (near.height[-1] - after.sum() + height)
        own /= _STEP**2
        slope = np.concatenate([here.slope[0], (after - before) / (2 * _STEP)])
        return float(height), slope, np.block([[here.down[0], beside.T], [beside, own]])

    def _near(self, x: np.ndarray, step: np.ndarray) -> Curved:
        """A step forward in each of the rest, back in each, and forward in all."""
        points = np.concatenate([x + step, x - step, x + step.sum(0)[None]])
        return self.inner.curved(*self._parts(points), bent=False)


@dataclass(frozen=True)
class Rasch:
    """Each system tries an item at most once: of an item it matters who tried, and how many solved
    it.
    """

    tried: np.ndarray  # (pattern, system), 0 and 1
    pattern: np.ndarray  # (group,): of the items of a group, who tried
    solved: np.ndarray  # (group,): by how many
    items: np.ndarray  # (group,): how many there are
    wins: np.ndarray  # (system,): items solved
    node: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def of(
        cls, successes: np.ndarray, trials: np.ndarray, node: np.ndarray, log_weight: np.ndarray
    ) -> "Rasch":
        """Of successes and trials (item, system)."""
        tried, of_item = np.unique(trials, axis=0, return_inverse=True)
        kinds = np.column_stack([of_item.ravel(), successes.sum(1)])
        (pattern, solved), items = (
            part.T if part.ndim > 1 else part
            for part in np.unique(kinds, axis=0, return_counts=True)
        )
        wins = successes.sum(0).astype(float)
        return cls(tried.astype(float), pattern, solved, items, wins, node, log_weight)

    @property
    def systems(self) -> int:
        """How many."""
        return len(self.wins)

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        return len(self.node) * (len(self.solved) + len(self.tried) + self.systems)

    def rows(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Of each group of items, less what says who solved it."""
        return self._held(each, np.exp(rest[:, 0]))[0]

    def total(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """(point,)."""
        return each @ self.wins + self.rows(each, rest) @ self.items

    def curved(self, each: np.ndarray, rest: np.ndarray, *, bent: bool) -> Curved:
        """In the abilities."""
        spread = np.exp(rest[:, 0])
        log, share = self._held(each, spread)
        height = each @ self.wins + log @ self.items
        share *= self.items[:, None]  # (point, group, node): items, by where their difficulty is
        chance = special.expit(each[:, :, None] - (spread[:, None] * self.node)[:, None, :])
        there = np.matmul(np.arange(len(self.tried))[:, None] == self.pattern, share)
        tries = np.matmul(self.tried.T, there)  # (point, system, node)
        slope = self.wins - (tries * chance).sum(2)
        if not bent:
            return Curved(height, slope, np.zeros((len(each), 0, 0)))
        return Curved(height, slope, self._bend(chance, share, there, tries))

    def _bend(
        self, chance: np.ndarray, share: np.ndarray, there: np.ndarray, tries: np.ndarray
    ) -> np.ndarray:
        """Less the second derivatives, from chances (point, system, node), and how many items are
        where by group, by pattern, and by system.
        """
        down = -self._together(chance, there)
        at = np.arange(self.systems)
        down[:, at, at] += (tries * chance * (1 - chance)).sum(2)
        solves = np.matmul(share, chance.swapaxes(1, 2)) * self.tried[self.pattern]
        return down + np.matmul(solves.swapaxes(1, 2) / self.items, solves)

    def _together(self, chance: np.ndarray, there: np.ndarray) -> np.ndarray:
        """Expected items that two systems solve, difficulties known, (point, system, system)."""
        if len(self.tried) == 1:
            both = np.outer(self.tried[0], self.tried[0])
            return both * np.matmul(chance * there, chance.swapaxes(1, 2))
        found = np.zeros((len(chance), self.systems, self.systems))
        for k in range(len(self.node)):
            both = np.matmul(self.tried.T * there[:, None, :, k], self.tried)
            found += both * chance[:, :, None, k] * chance[:, None, :, k]
        return found

    def _held(self, each: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of each group (point, group), and the posterior of its difficulty."""
        place = -spread[:, None] * self.node  # (point, node)
        missed = self._missed(each, place)
        log = self.solved[:, None] * place[:, None, :]
        log += (self.log_weight - missed)[:, self.pattern]
        top = log.max(2, keepdims=True)
        share = np.exp(log - top, out=log)
        total = share.sum(2, keepdims=True)
        share /= total
        return (top + np.log(total))[..., 0], share

    def _missed(self, each: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Less the log probability that nobody who tried solves it, (point, pattern, node)."""
        most = float(each.max() + place.max())
        if len(self.tried) > 1 or most > _OVERFLOW:
            return -np.matmul(self.tried, logs_of(each[:, :, None] + place[:, None, :])[1])
        odds, harder = np.exp(each), np.exp(place)
        room = max(1, int(_OVERFLOW / max(most, 1.0)))  # factors before the product is too large
        log, product = np.zeros_like(place), np.ones_like(place)
        for count, k in enumerate(np.flatnonzero(self.tried[0]), 1):
            product *= 1 + odds[:, [k]] * harder
            if count % room == 0:
                log += np.log(product)
                product.fill(1.0)
        return (log + np.log(product))[:, None]


@dataclass(frozen=True)
class Cells:
    """Any number of trials, or slopes: log probabilities of what is seen in a cell are tabled.

    ``table`` gives, at each node, the log probability of every kind of cell and its two derivatives
    in the ability.
    """

    table: "Table"
    seen: np.ndarray  # (row, system, kind): 0 and 1
    items: np.ndarray  # (row,)
    log_weight: np.ndarray

    @cached_property
    def flat(self) -> np.ndarray:
        """What is seen, (row, system and kind)."""
        return self.seen.reshape(len(self.seen), -1)

    @cached_property
    def kind(self) -> np.ndarray:
        """Which kind a cell is, from 1, (row, system); 0 where nothing was tried."""
        return np.where(self.seen.any(2), self.seen.argmax(2) + 1, 0)

    @classmethod
    def of(
        cls, table: "Table", successes: np.ndarray, trials: np.ndarray, log_weight: np.ndarray
    ) -> "Cells":
        """Of successes and trials (item, system)."""
        both, items = np.unique(np.hstack([successes, trials]), axis=0, return_counts=True)
        y, n = np.split(both, 2, axis=1)
        seen = (y[..., None] == table.kinds[:, 0]) & (n[..., None] == table.kinds[:, 1])
        return cls(table, seen.astype(float), items, log_weight)

    @property
    def systems(self) -> int:
        """How many."""
        return self.seen.shape[1]

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        return len(self.log_weight) * (len(self.items) + 4 * self.flat.shape[1])

    def rows(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Of each distinct row."""
        return self._held(self.table.log(each, rest))[0]

    def total(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """(point,)."""
        return self.rows(each, rest) @ self.items

    def curved(self, each: np.ndarray, rest: np.ndarray, *, bent: bool) -> Curved:
        """In the abilities."""
        log, first, second = self.table.bent(each, rest)  # (point, system, kind, node)
        height, share = self._held(log)
        share *= self.items[:, None]
        often = np.matmul(self.flat.T, share).reshape(log.shape)
        slope = (often * first).sum((2, 3))
        if not bent:
            return Curved(height @ self.items, slope, np.zeros((len(each), 0, 0)))
        down = -self._spread(first, share)
        at = np.arange(self.systems)
        down[:, at, at] -= (often * second).sum((2, 3))
        return Curved(height @ self.items, slope, down)

    def _spread(self, first: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Covariance of slopes over the difficulty of each row, summed, (point, system, system)."""
        return np.stack([self._spread_at(*point) for point in zip(first, share, strict=True)])

    def _spread_at(self, first: np.ndarray, share: np.ndarray) -> np.ndarray:
        """The same at one point."""
        there = np.flatnonzero(share.max(0) > _NOWHERE)
        padded = np.zeros((len(there), len(first), first.shape[1] + 1))
        padded[..., 1:] = first[..., there].transpose(2, 0, 1)
        slopes = padded[:, np.arange(self.systems), self.kind]  # (node, row, system)
        weighed = slopes * share.T[there][:, :, None]
        mean = weighed.sum(0)
        both = np.matmul(weighed.swapaxes(1, 2), slopes).sum(0)
        return both - (mean.T / self.items) @ mean

    def _held(self, log: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of each row (point, row), and the posterior of its difficulty."""
        of_rows = np.matmul(self.flat, log.reshape(len(log), -1, log.shape[-1])) + self.log_weight
        top = of_rows.max(2, keepdims=True)
        share = np.exp(of_rows - top, out=of_rows)
        total = share.sum(2, keepdims=True)
        share /= total
        return (top + np.log(total))[..., 0], share


class Table(Protocol):
    """Log probabilities of kinds of cells."""

    @property
    def kinds(self) -> np.ndarray:
        """Successes and trials (kind, 2)."""
        ...

    def log(self, each: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        ...

    def bent(self, each: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, with its first and second derivative in the ability."""
        ...
