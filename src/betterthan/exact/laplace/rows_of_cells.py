"""Log likelihood of abilities on shared items from a table of what may be seen of a system on an
item: any number of trials, or items that differ in slope.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from betterthan.exact.laplace.newton import Curved

_NOWHERE = 1e-9  # items at a node that say nothing of the curvature


@dataclass(frozen=True)
class Cells:
    """Any number of trials, or slopes: log probabilities of what is seen in a cell are tabled.

    ``table`` gives, at each node, the log probability of every kind of cell and its two derivatives
    in the ability.
    """

    table: "Table"
    indicator: np.ndarray  # (row, system, kind): 0 and 1
    items: np.ndarray  # (row,)
    row: np.ndarray  # (item,)
    log_weight: np.ndarray

    @cached_property
    def flat(self) -> np.ndarray:
        """What is seen, (row, system and kind)."""
        return self.indicator.reshape(len(self.indicator), -1)

    @cached_property
    def kind(self) -> np.ndarray:
        """Which kind a cell is, from 1, (row, system); 0 where nothing was tried."""
        return np.where(self.indicator.any(2), self.indicator.argmax(2) + 1, 0)

    @classmethod
    def from_counts(
        cls, table: "Table", successes: np.ndarray, trials: np.ndarray, log_weight: np.ndarray
    ) -> "Cells":
        """Of successes and trials (item, system)."""
        both = np.hstack([successes, trials])
        rows, row, items = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        y, n = np.split(rows, 2, axis=1)
        indicator = (y[..., None] == table.kinds[:, 0]) & (n[..., None] == table.kinds[:, 1])
        return cls(table, indicator.astype(float), items, row.ravel(), log_weight)

    @property
    def systems(self) -> int:
        """How many."""
        return self.indicator.shape[1]

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        return len(self.log_weight) * (len(self.items) + 4 * self.flat.shape[1])

    def rows(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Log probability of each distinct row."""
        return self._held(self.table.log(ability, others))[0]

    def total(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point,)."""
        return self.rows(ability, others) @ self.items

    def pointwise(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, item)."""
        return self.rows(ability, others)[:, self.row]

    def curved(self, ability: np.ndarray, others: np.ndarray, *, bent: bool) -> Curved:
        """In the abilities."""
        log, first, second = self.table.bent(ability, others)  # (point, system, kind, node)
        height, share = self._held(log)
        share *= self.items[:, None]
        often = np.matmul(self.flat.T, share).reshape(log.shape)
        slope = (often * first).sum((2, 3))
        if not bent:
            return Curved(height @ self.items, slope, np.zeros((len(ability), 0, 0)))
        down = -self._spread(first, share)
        index = np.arange(self.systems)
        down[:, index, index] -= (often * second).sum((2, 3))
        return Curved(height @ self.items, slope, down)

    def _spread(self, first: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Covariance of slopes over the difficulty of each row, summed, (point, system, system)."""
        return np.stack([self._point_spread(*point) for point in zip(first, share, strict=True)])

    def _point_spread(self, first: np.ndarray, share: np.ndarray) -> np.ndarray:
        """`_spread` at one point."""
        nodes = np.flatnonzero(share.max(0) > _NOWHERE)
        padded = np.zeros((len(nodes), len(first), first.shape[1] + 1))
        padded[..., 1:] = first[..., nodes].transpose(2, 0, 1)
        slopes = padded[:, np.arange(self.systems), self.kind]  # (node, row, system)
        weighed = slopes * share.T[nodes][:, :, None]
        mean = weighed.sum(0)
        both = np.matmul(weighed.swapaxes(1, 2), slopes).sum(0)
        return both - (mean.T / self.items) @ mean

    def _held(self, log: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of each row (point, row), and the posterior of its difficulty."""
        logs = np.matmul(self.flat, log.reshape(len(log), -1, log.shape[-1])) + self.log_weight
        top = logs.max(2, keepdims=True)
        share = np.exp(logs - top, out=logs)
        total = share.sum(2, keepdims=True)
        share /= total
        return (top + np.log(total))[..., 0], share


class Table(Protocol):
    """Log probabilities of kinds of cells."""

    @property
    def kinds(self) -> np.ndarray:
        """Successes and trials (kind, 2)."""
        ...

    def log(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        ...

    def bent(
        self, ability: np.ndarray, others: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, with its first and second derivative in the ability."""
        ...
