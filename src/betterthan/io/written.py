"""Columns of a text file: distinct cells with a number for each row, or plain numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False)
class Coded(Sequence[Any]):
    """Cells by the distinct ones.

    Attributes
    ----------
    distinct : sequence
        In the order they first occur.
    codes : numpy.ndarray of int
        Which of them each row holds.
    """

    distinct: Sequence[Any]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, k: Any) -> Any:
        return self.distinct[int(self.codes[k])]

    def __iter__(self) -> Iterator[Any]:
        if len(self.distinct) == len(self.codes):  # each occurs once, in this order
            return iter(self.distinct)
        return map(self.distinct.__getitem__, self.codes.tolist())

    @cached_property
    def first(self) -> np.ndarray:
        """The row where each of the distinct ones first occurs."""
        return first_rows(self.codes)


@dataclass(frozen=True, eq=False)
class FirstRows(Sequence[Any]):
    """The rows where distinct cells first occur; these are looked for when one is asked for, as
    messages do.
    """

    cells: Coded
    rows: Sequence[Any]

    def __len__(self) -> int:
        return len(self.cells.distinct)

    def __getitem__(self, k: Any) -> Any:
        return self.rows[int(self.cells.first[k])]


@dataclass(frozen=True, eq=False)
class Numbers(Sequence[Any]):
    """Cells that are all plainly numbers, or blank.

    Attributes
    ----------
    values : numpy.ndarray of float64
        Finite; NaN where a cell is blank.
    read : callable
        Gives the cells as they are written, which few ask for.
    """

    values: np.ndarray
    read: Callable[[], Coded]

    @cached_property
    def cells(self) -> Coded:
        """As written."""
        return self.read()

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, k: Any) -> Any:
        return self.cells[k]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cells)


def coded(values: Any) -> Coded:
    """The values by the distinct ones.

    Examples
    --------
    >>> found = coded(["b", "a", "b"])
    >>> found.distinct, found.codes.tolist(), found.first.tolist()
    (['b', 'a'], [0, 1, 0], [0, 1])
    """
    if isinstance(values, list):
        values = np.fromiter(values, dtype=object, count=len(values))
    codes, distinct = pd.factorize(values)
    return Coded(distinct.tolist(), codes)


def as_coded(cells: Any) -> Coded | None:
    """A column of a text file by its distinct cells, if it was read so."""
    return (
        cells.cells if isinstance(cells, Numbers) else cells if isinstance(cells, Coded) else None
    )


def first_rows(codes: np.ndarray) -> np.ndarray:
    """Where each number first stands; they are numbered in the order they occur."""
    before = np.maximum.accumulate(codes)
    return np.flatnonzero(np.diff(before, prepend=-1))
