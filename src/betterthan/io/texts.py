"""Texts of a column: packed in blocks, by their distinct ones, and as arrays."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from operator import itemgetter
from typing import Any

import numpy as np

from betterthan.text import vanishes

BLOCK = 2**16  # texts that are Python's own at a time
_MARKS = "\n\t\x00\x1f"  # between texts stands one that is in none of them


class Texts(Sequence[str]):
    """Texts in blocks, of which one is unpacked where a text of it is wanted for.

    Examples
    --------
    >>> texts = Texts([["a", "b"], ["c"]])
    >>> len(texts), texts[2], list(texts), list(texts.take(np.array([0, 2])))
    (3, 'c', ['a', 'b', 'c'], ['a', 'c'])
    """

    def __init__(self, blocks: Iterable[Sequence[str]] = ()) -> None:
        self._packed: list[tuple[str, str] | list[str]] = []
        self._ends = [0]
        self._last: tuple[int, list[str]] = (-1, [])
        for block in blocks:
            self.add(block)

    def add(self, block: Sequence[str]) -> None:
        """Add some texts behind the others."""
        if len(block):
            self._packed.append(_packed(block))
            self._ends.append(len(self) + len(block))

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.blocks())

    def __getitem__(self, k: Any) -> Any:
        if not 0 <= k < len(self):
            raise IndexError(k)
        place = int(np.searchsorted(self._ends, k, "right")) - 1
        if self._last[0] != place:
            self._last = place, _unpacked(self._packed[place])
        return self._last[1][int(k) - self._ends[place]]

    def blocks(self) -> Iterator[list[str]]:
        """The texts, some at a time."""
        return map(_unpacked, self._packed)

    def joined(self, mark: str) -> Iterator[str]:
        """The texts of each block in one, with a mark between them."""
        for block in self._packed:
            yield mark.join(block) if isinstance(block, list) else block[0].replace(block[1], mark)

    def take(self, places: np.ndarray) -> "Texts":
        """Return the texts at ascending positions."""
        return Texts(self.blocks_at(places))

    def blocks_at(self, places: np.ndarray) -> Iterator[list[str]]:
        """The texts at ascending positions, some at a time."""
        cuts = np.searchsorted(places, self._ends).tolist()
        for k, block in enumerate(self.blocks()):
            local = places[cuts[k] : cuts[k + 1]] - self._ends[k]
            yield block if len(local) == len(block) else [block[j] for j in local.tolist()]


def _packed(block: Sequence[str]) -> tuple[str, str] | list[str]:
    for mark in _MARKS:
        letters = mark.join(block)
        if letters.count(mark) == len(block) - 1:
            return letters, mark
    return list(block)


def _unpacked(packed: tuple[str, str] | list[str]) -> list[str]:
    return packed if isinstance(packed, list) else packed[0].split(packed[1])


def few(texts: Texts) -> Sequence[str]:
    """Texts as Python's own, where they are few."""
    return texts if len(texts) > BLOCK else list(texts)


def text_blocks(texts: Sequence[str]) -> Iterable[Sequence[str]]:
    """Return texts in blocks; a plain sequence is one block."""
    return texts.blocks() if isinstance(texts, Texts) else [texts]


def joined(texts: Sequence[str], mark: str = "") -> Iterable[str]:
    """The texts of each block in one, with a mark between them."""
    return texts.joined(mark) if isinstance(texts, Texts) else [mark.join(texts)]


def hashes(blocks: Iterable[Sequence[str]]) -> np.ndarray:
    """A number of 64 bits for each text; of equal texts the same."""
    parts = [np.fromiter(map(hash, block), np.int64, len(block)) for block in blocks]
    return np.concatenate([np.empty(0, np.int64), *parts])


def repeated(numbers: np.ndarray) -> np.ndarray:
    """The numbers that stand there more than once.

    Examples
    --------
    >>> repeated(np.array([3, 1, 3, 2])).tolist()
    [3]
    """
    ordered = np.sort(numbers)
    return ordered[1:][ordered[1:] == ordered[:-1]]


_WIDTHS = 4  # times the letters there are: so much may stay empty
_SMALL = 2**20  # letters that need no second thought


def text_array(values: Any) -> np.ndarray:
    """Return texts as an array of fixed width, or of objects if one is far longer than most.

    Examples
    --------
    >>> text_array(["a", "bc"]).dtype.kind, text_array(["a"] * 4000 + ["b" * 100_000]).dtype.kind
    ('U', 'O')
    """
    array = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if array.dtype.kind == "U":
        return array
    texts = array.ravel().tolist()
    if set(map(type, texts)) - {str}:
        texts = [text if type(text) is str else str(text) for text in texts]
    return np.array(texts, dtype=dtype_of(texts)).reshape(array.shape)


def array_from_codes(texts: Sequence[str], codes: np.ndarray) -> np.ndarray:
    """Build the same array as `text_array` from the distinct texts and the code of each place.

    Examples
    --------
    >>> array_from_codes(["a", "bc", "much longer"], np.array([0, 1, 0])).tolist()
    ['a', 'bc', 'a']
    """
    number = np.bincount(codes, minlength=len(texts))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    longest = int(sizes[number > 0].max(initial=0))
    return array_of(texts, _fitting(longest, int(sizes @ number), len(codes)))[codes]


def array_of(texts: Sequence[str], dtype: np.dtype) -> np.ndarray:
    """The texts as an array, a block at a time."""
    array, begin = np.empty(len(texts), dtype=dtype), 0
    for block in text_blocks(texts):
        array[begin : begin + len(block)] = block
        begin += len(block)
    return array


def dtype_of(texts: Sequence[str]) -> np.dtype:
    """The dtype of an array of texts: of fixed width, or objects if one is far longer than most."""
    by_block = (list(map(len, block)) for block in text_blocks(texts))
    sizes = [(max(block, default=0), sum(block)) for block in by_block]
    longest = max((most for most, _ in sizes), default=0)
    return _fitting(longest, sum(size for _, size in sizes), len(texts))


def _fitting(longest: int, letters: int, n: int) -> np.dtype:
    """Of fixed width, unless far more would stay empty than there are letters."""
    if longest * n > max(_SMALL, _WIDTHS * letters):
        return np.dtype(object)
    return np.dtype(f"U{max(1, longest)}")


MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads numbers over 64 bits
_SLOTS = 2**16
_IN_BYTE = 256  # numbers that a byte holds
_SAMPLE = 64  # values that show whether few are distinct
_SIGNED = re.compile(r"[+-]nan", re.IGNORECASE)
_TINY = ("e-", "E-", f".{300 * '0'}")  # in a number that may be 0 as a float


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
    """The rows where distinct cells first occur; these are looked for when one is wanted for, as
    messages do.
    """

    cells: Coded
    rows: Sequence[Any]

    def __len__(self) -> int:
        return len(self.cells.distinct)

    def __getitem__(self, k: Any) -> Any:
        return self.rows[int(self.cells.first[k])]


_MISSING_BYTE = -128


def in_bytes(numbers: np.ndarray) -> np.ndarray:
    """Numbers in a byte each where that holds them, as it holds most scores; NaN is -128.

    Examples
    --------
    >>> stored = in_bytes(np.array([1.0, np.nan]))
    >>> stored, from_bytes(stored)
    (array([   1, -128], dtype=int8), array([ 1., nan]))
    """
    if len(numbers) and numbers[0] % 1 > 0:  # most often there is no need to look at the others
        return numbers
    missing = np.isnan(numbers)
    with np.errstate(invalid="ignore"):  # NaN, and what is larger than a byte
        small = numbers.astype(np.int8)
    fits = ((small == numbers) & (numbers > _MISSING_BYTE)) | missing
    if not fits.all():
        return numbers
    small[missing] = _MISSING_BYTE
    return small


def from_bytes(stored: np.ndarray) -> np.ndarray:
    """The numbers that `in_bytes` returned, as float64."""
    values = stored.astype(np.float64, copy=False)
    if stored.dtype == np.int8:
        values[stored == _MISSING_BYTE] = np.nan
    return values


@dataclass(frozen=True, eq=False)
class Numbers(Sequence[Any]):
    """Cells that are all plainly numbers, or blank.

    Attributes
    ----------
    stored : numpy.ndarray
        Finite or NaN, as `in_bytes` returns them.
    read : callable
        Gives the cells as they are written, which few ask for.
    """

    stored: np.ndarray
    read: Callable[[], Coded]

    @property
    def values(self) -> np.ndarray:
        """As float64."""
        return from_bytes(self.stored)

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

    def add(self, cells: Sequence[str] | np.ndarray) -> None:
        """Add some texts."""
        part = cells if isinstance(cells, Coded) else coded(cells)
        self._parts.append((len(self._texts), slice(len(cells)) if part.once else part.codes))
        self._texts.add(part.distinct)

    def done(self) -> Coded:
        """Return all texts as coded column."""
        texts = self._texts
        numbers = hashes(texts.blocks())
        if all(isinstance(code, slice) for _, code in self._parts) and not len(repeated(numbers)):
            return Coded(few(texts))
        first, same = by_first(numbers)
        del numbers
        if self._differ(first[same]):  # as good as never: one number of two texts
            recoded = coded(list(texts))
            return Coded(recoded.distinct, self._codes(recoded.codes))
        return Coded(few(texts.take(first)), self._codes(same))

    def _differ(self, first: np.ndarray) -> bool:
        """Whether an added text is another one than that where its number first occurs."""
        again = first != np.arange(len(first))
        wanted = again.copy()
        wanted[first[again]] = True
        others = np.zeros(len(first), np.int64)
        blocks = self._texts.blocks_at(np.flatnonzero(wanted))
        others[wanted] = hashes([text + "\0" for text in block] for block in blocks)
        return bool((others[again] != others[first[again]]).any())

    def _codes(self, numbers: np.ndarray) -> np.ndarray:
        """Return the code of each added text; `numbers` are those of the texts of all blocks."""
        return np.concatenate([numbers[begin:][code] for begin, code in self._parts])


def coded(values: Sequence[Any] | np.ndarray) -> Coded:
    """The values by the distinct ones.

    Examples
    --------
    >>> result = coded(["b", "a", "b"])
    >>> result.distinct, result.codes.tolist(), result.first.tolist()
    (['b', 'a'], [0, 1, 0], [0, 1])
    """
    if len({*values[:_SAMPLE]}) > _SAMPLE // 2 and len(once := dict.fromkeys(values)) == len(
        values
    ):
        return Coded(list(once))
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    several: Any = itemgetter(*values) if len(values) > 1 else lambda d: [d[v] for v in values]
    codes = several(places)  # faster than one by one
    if len(places) <= _IN_BYTE:
        return Coded(list(places), np.frombuffer(bytearray(codes), np.uint8))
    return Coded(list(places), np.fromiter(codes, np.int64, len(values)))


def by_first(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct number first occurs, in that order, and which of them each is.

    Parameters
    ----------
    numbers : numpy.ndarray
        Of 64 bits each.

    Examples
    --------
    >>> by_first(np.array([7, 2, 7, 5]))
    (array([0, 1, 3]), array([0, 1, 0, 2], dtype=int8))
    """
    if len(numbers) <= _SLOTS:
        rows, table = np.arange(len(numbers)), np.empty(_SLOTS, np.intp)
        slots = ((numbers.view(np.uint64) * MIX) >> np.uint64(48)).astype(np.intp)
        table[slots[::-1]] = rows[::-1]  # the first row of each slot
        first = table[slots]
        if (numbers[first] == numbers).all():  # as a rule there are few, and each has its slot
            distinct = np.flatnonzero(first == rows)
            table[distinct] = np.arange(len(distinct))
            return distinct, narrow(table[first], len(distinct))
    _, first, same = np.unique(numbers, return_index=True, return_inverse=True)
    is_first = np.zeros(len(numbers), dtype=bool)
    is_first[first] = True
    place = narrow(np.cumsum(is_first)[first] - 1, len(first))
    return np.flatnonzero(is_first), place[same]


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
    if any(sign in text for sign in _TINY) and any(map(vanishes, cells)):
        return None
    return array


def finite_numbers(cells: Sequence[str]) -> np.ndarray | None:
    """Cells as finite numbers, NaN where blank; None where some are not plainly such."""
    values = plain_numbers(cells)
    if values is None and "" in cells:
        values = plain_numbers([cell or "nan" for cell in cells])
    return None if values is None or np.isinf(values).any() else values


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
