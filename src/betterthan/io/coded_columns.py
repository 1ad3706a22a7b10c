"""Columns of a text file: distinct cells with a number for each row, or plain numbers."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from betterthan.io.texts import BLOCK, Texts, few, hashes, repeated

_SAMPLE = 64  # values that show whether few are distinct
_SIGNED = re.compile(r"[+-]nan", re.IGNORECASE)


class Coded(Sequence[Any]):
    """Cells by the distinct ones.

    Parameters
    ----------
    distinct : sequence
        In the order they first occur.
    codes : numpy.ndarray of int, optional
        Which of them each row holds; each the next one when not given.
    """

    def __init__(self, distinct: Sequence[Any], codes: np.ndarray | None = None) -> None:
        self.distinct = distinct
        if codes is not None:
            codes = narrow(codes, len(distinct)) if len(codes) > len(distinct) else None
        self._codes = codes

    @cached_property
    def codes(self) -> np.ndarray:
        """Which of the distinct ones each row holds."""
        n = len(self.distinct)
        return narrow(np.arange(n), n) if self._codes is None else self._codes

    @property
    def once(self) -> bool:
        """Whether each occurs once."""
        return self._codes is None

    def __len__(self) -> int:
        return len(self.distinct if self._codes is None else self._codes)

    def __getitem__(self, k: Any) -> Any:
        return self.distinct[k if self._codes is None else int(self._codes[k])]

    def __iter__(self) -> Iterator[Any]:
        if self._codes is None:
            return iter(self.distinct)
        return map(list(self.distinct).__getitem__, self._codes.tolist())

    @property
    def texts(self) -> Sequence[str]:
        """The text of each row."""
        if self._codes is None:
            return self.distinct
        cells, codes = list(self.distinct), self._codes
        parts = (codes[k : k + BLOCK].tolist() for k in range(0, len(codes), BLOCK))
        return few(Texts([cells[k] for k in part] for part in parts))

    @cached_property
    def first(self) -> np.ndarray:
        """The row where each of the distinct ones first occurs."""
        return first_rows(self.codes)

    @property
    def counted(self) -> list[tuple[Any, int]]:
        """Each of the distinct ones, and in how many rows it stands."""
        number = np.bincount(self.codes, minlength=len(self.distinct))
        return list(zip(self.distinct, number.tolist(), strict=True))


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
    kept : numpy.ndarray
        Finite; NaN where a cell is blank. In a byte each where that holds them, else float64.
    read : callable
        Gives the cells as they are written, which few ask for.
    """

    stored: np.ndarray
    read: Callable[[], Coded]

    @property
    def values(self) -> np.ndarray:
        """As float64."""
        return self.stored.astype(np.float64, copy=False)

    @cached_property
    def cells(self) -> Coded:
        """As written."""
        return self.read()

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, k: Any) -> Any:
        return self.cells[k]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cells)


class Coding:
    """Texts that come some at a time, each block by its own distinct ones, to be put together.

    Examples
    --------
    >>> coding = Coding()
    >>> coding.add(["b", "a", "b"])
    >>> coding.add(["a", "c"])
    >>> list(coding.done()), list(coding.done().distinct)
    (['b', 'a', 'b', 'a', 'c'], ['b', 'a', 'c'])
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self._parts: list[tuple[int, np.ndarray | slice]] = []

    def add(self, cells: Sequence[str]) -> None:
        """Add some texts."""
        part = coded(cells)
        codes = slice(len(cells)) if part.once else part.codes
        self._parts.append((len(self._texts), codes))
        self._texts.add(part.distinct)

    def done(self) -> Coded:
        """Return all texts as coded column."""
        texts = self._texts
        numbers = hashes(texts.blocks())
        if not len(repeated(numbers)):
            once = all(isinstance(code, slice) for _, code in self._parts)
            n = len(texts)
            return Coded(few(texts), None if once else self._codes(narrow(np.arange(n), n)))
        _, first, same = np.unique(numbers, return_index=True, return_inverse=True)
        del numbers
        order = np.argsort(first)  # as they occur
        first, place = first[order], np.argsort(order)
        same = narrow(place, len(same))[same]
        others = hashes([text + "\0" for text in block] for block in texts.blocks())
        if (others != others[first][same]).any():  # as good as never: one number of two texts
            recoded = coded(list(texts))
            return Coded(recoded.distinct, self._codes(recoded.codes))
        del others
        return Coded(few(texts.take(first)), self._codes(same))

    def _codes(self, numbers: np.ndarray) -> np.ndarray:
        """Return the code of each added text; `numbers` are those of the texts of all blocks."""
        return np.concatenate([numbers[begin:][code] for begin, code in self._parts])


def coded(values: Sequence[Any]) -> Coded:
    """The values by the distinct ones.

    Examples
    --------
    >>> found = coded(["b", "a", "b"])
    >>> found.distinct, found.codes.tolist(), found.first.tolist()
    (['b', 'a'], [0, 1, 0], [0, 1])
    """
    if len({*values[:_SAMPLE]}) > _SAMPLE // 2 and len(once := dict.fromkeys(values)) == len(
        values
    ):
        return Coded(list(once))
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(places.__getitem__, values), np.int64, len(values))
    return Coded(list(places), codes)


def plain_numbers(cells: Sequence[Any]) -> np.ndarray | None:
    """Cells as numbers, or None where some are not plainly such."""
    try:
        text = "".join(cells)
        array = np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError):
        return None
    # float() takes 1_000 and digits of other scripts, which nobody types as scores, and a NaN with
    # a sign, which some printf writes for a computation that failed.
    if not text.isascii() or "_" in text or (np.isnan(array).any() and _SIGNED.search(text)):
        return None
    return array


def as_coded(cells: Any) -> Coded | None:
    """A column of a text file by its distinct cells, if it was read so."""
    return (
        cells.cells if isinstance(cells, Numbers) else cells if isinstance(cells, Coded) else None
    )


def first_rows(codes: np.ndarray) -> np.ndarray:
    """Where each number first stands; they are numbered in the order they occur."""
    before = np.maximum.accumulate(codes)
    new = np.ones(len(codes), dtype=bool)
    np.greater(before[1:], before[:-1], out=new[1:])
    return np.flatnonzero(new)


def narrow(codes: np.ndarray, n: int) -> np.ndarray:
    """Numbers below `n`, in as few bytes each as hold them."""
    return codes.astype(np.min_scalar_type(-max(n, 1)), copy=False)
