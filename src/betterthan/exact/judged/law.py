"""The law of d of pairs, as its counts."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from betterthan.exact.judged import moments


@dataclass(frozen=True)
class Law:
    """Of each pair the cells of win, loss, tie, (pair, signal, truth), and how many items have no
    label, (pair, signal).
    """

    cells: np.ndarray
    unlabeled: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """A of each signal: its cells, and what has no label."""
        return self.cells.sum(-1) + self.unlabeled

    def select(self, rows: np.ndarray) -> Self:
        """The law of these pairs."""
        return type(self)(self.cells[rows], self.unlabeled[rows])

    def mirrored(self, where: np.ndarray | None = None) -> Self:
        """The law of -d, of all pairs or of those in `where`."""
        other = self.cells[..., [1, 0, 2]]
        cells = other if where is None else np.where(where[:, None, None], other, self.cells)
        return type(self)(cells, self.unlabeled)

    def joined(self, other: Self) -> Self:
        """Concatenate the pairs of two laws."""
        return type(self)(
            np.concatenate([self.cells, other.cells]),
            np.concatenate([self.unlabeled, other.unlabeled]),
        )

    def mean_and_sd(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of d of each pair."""
        return moments.mean_and_sd(self.cells, self.size)

    def signal_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the g of each signal, (pair, signal)."""
        return moments.signal_moments(self.cells)
