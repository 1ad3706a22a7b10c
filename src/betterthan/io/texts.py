"""Many short texts kept as few long ones, and texts in arrays."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

BLOCK = 2**16  # texts that are Python's own at a time
_MARKS = "\n\t\x00\x1f"  # between texts stands one that is in none of them


class Texts(Sequence[str]):
    """Texts in blocks, of which one is unpacked where a text of it is asked for.

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
        cuts = np.searchsorted(places, self._ends).tolist()
        offsets = [places[a:b] - end for a, b, end in zip(cuts, cuts[1:], self._ends, strict=False)]
        selection = zip(self.blocks(), offsets, strict=True)
        return Texts([block[k] for k in local.tolist()] for block, local in selection)


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
    dtype = dtype_of(texts)
    if dtype.kind == "O":
        wide = np.empty(len(texts), dtype=object)
        wide[:] = texts
        return wide.reshape(array.shape)
    return np.array(texts, dtype=dtype).reshape(array.shape)


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
    dtype = _fitting(longest, int(sizes @ number), len(codes))
    return np.array(list(texts), dtype=dtype)[codes]


def dtype_of(texts: Sequence[str]) -> np.dtype:
    """The dtype of an array of texts: of fixed width, or objects if one is far longer than most."""
    sizes = [
        (max(map(len, block), default=0), sum(map(len, block))) for block in text_blocks(texts)
    ]
    longest = max((most for most, _ in sizes), default=0)
    return _fitting(longest, sum(size for _, size in sizes), len(texts))


def _fitting(longest: int, letters: int, n: int) -> np.dtype:
    """Of fixed width, unless far more would stay empty than there are letters."""
    if longest * n > max(_SMALL, _WIDTHS * letters):
        return np.dtype(object)
    return np.dtype(f"U{max(1, longest)}")
