"""Cells of text without quotes: numbers and repeated texts are read as bytes, a column at once."""

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import batched

import numpy as np

from betterthan.io.texts import MIX, Coded, by_first, coded, finite_numbers

LETTERS = 23  # of a number; behind a point there are at most 22 digits
_POWERS = np.array([float(10**k) for k in range(LETTERS)])  # exact, as those up to 22 are
_SPLIT = 2.0**27 + 1  # halves the digits of a float
_MOST, _SAFE = 2**58, 18  # a number that may grow by a digit; digits that need no such question


def decimals(letters: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and which cells are plainly such, or blank, which is NaN.

    Parameters
    ----------
    letters : numpy.ndarray of uint8
        (place, cell), with zeros behind each cell.
    sizes : numpy.ndarray of int
        Letters of each cell, also those that were left out.

    Returns
    -------
    values : numpy.ndarray of float64
        What `float` gives.
    plain : numpy.ndarray of bool
        Whether a cell is blank or has digits, with at most one point among them and a minus before
        them; False as well where it has too many digits.

    Examples
    --------
    >>> letters = np.array([b"-0.25", b"1e3", b"7", b""], dtype="S5")
    >>> decimals(letters.view(np.uint8).reshape(4, 5).T, np.array([5, 3, 1, 0]))
    (array([-0.25, 13.  ,  7.  ,   nan]), array([ True, False,  True,  True]))
    """
    digits = letters - np.uint8(ord("0"))
    is_digit, is_point, minus = digits < 10, letters == ord("."), letters[0] == ord("-")
    n_digits, n_points = (is_one.sum(0, dtype=np.uint8) for is_one in (is_digit, is_point))
    plain = (n_digits + n_points + minus == sizes) & (n_points < 2) & (n_digits > 0)
    whole = np.zeros(len(sizes), np.int64)
    factors, terms = 1 + np.uint8(9) * is_digit, digits * is_digit
    for k, (factor, term) in enumerate(zip(factors, terms, strict=True)):
        if k >= _SAFE:
            plain &= (factor == 1) | (whole <= _MOST)
        whole *= factor
        whole += term
    values = whole.astype(np.float64)
    if n_points.any():
        place = np.arange(len(letters), dtype=np.uint8)[:, None]
        point = (is_point * place).sum(0, dtype=np.uint8)
        power = _POWERS[np.where(plain & (n_points > 0), sizes - 1 - point, 0)]
        values, nearest = _quotients(whole, power)
        plain &= nearest
    values[minus] *= -1
    values[sizes == 0] = np.nan
    return values, plain | (sizes == 0)


def _quotients(whole: np.ndarray, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers by powers of ten, and whether each is certainly the nearest float."""
    high = whole.astype(np.float64)
    quotient = high / power
    if whole.max(initial=0) < 2**53:  # both are exact
        return quotient, np.ones(len(whole), dtype=bool)
    low = (whole - high.astype(np.int64)).astype(np.float64)
    product = quotient * power
    (head, tail), (power_head, power_tail) = map(_halves, (quotient, power))
    error = head * power_head - product + head * power_tail + tail * power_head + tail * power_tail
    rest = (high - product - error + low) / power
    nearest = quotient + rest * (1 + 2**-40) == quotient + rest * (1 - 2**-40)
    return quotient + rest, nearest


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first digits of floats and the others, whose products are exact."""
    head = values * _SPLIT
    head -= head - values
    return head, values - head


_SAMPLE = 64  # cells of a column that show whether few are distinct
_CELLS = 2**15  # that are read as numbers together
_BYTES = 32  # of a cell that is not split from its line
_MASKS = np.array([2 ** (8 * k) - 1 for k in range(9)], "<u8")  # of the first bytes of a word
_MIXES = np.array([pow(int(MIX), k, 2**64) for k in range(1, _BYTES // 8)], "<u8")


def plain_cells(
    text: bytes, delimiter: str, end: bytes, width: int, above: int
) -> "PlainCells | None":
    r"""The cells of lines that all have as many, without quotes; None where some differ.

    Parameters
    ----------
    text : bytes
        Lines in UTF-8, without zero bytes.
    delimiter : str
    end : bytes
        Of a line; `\r\n` is read as `\n`.
    width : int
        Cells of a line.
    above : int
        Lines at the beginning that belong to no column.

    Examples
    --------
    >>> cells = plain_cells(b"item,A\nq1,0.5\nq2,1\nq1,\n", ",", b"\n", width=2, above=1)
    >>> cells.texts(0), list(cells.coded(0)), cells.numbers([0, 1])
    (['q1', 'q2', 'q1'], ['q1', 'q2', 'q1'], {1: array([0.5, 1. , nan])})
    """
    if width < 2 or delimiter not in ",;\t|" or b'"' in text:
        return None
    if b"\r" in text and end == b"\n":
        text = text.replace(b"\r\n", end)
        if b"\r" in text:
            return None
    text = text if text.endswith(end) else text + end
    letters = np.frombuffer(text, np.uint8)
    is_end = letters == ord(end)
    ends = np.flatnonzero(is_end | (letters == ord(delimiter)))
    if len(ends) % width:
        return None
    ends = ends.reshape(-1, width)
    if np.count_nonzero(is_end) != len(ends) or not is_end[ends[:, -1]].all():
        return None
    cells = PlainCells(text, ends, above)
    return None if cells.longest > csv.field_size_limit() else cells


class PlainCells:
    """The cells of some lines.

    Parameters
    ----------
    text : bytes
        Lines in UTF-8, without quotes or zero bytes; the last one ends as the others do.
    ends : numpy.ndarray
        Where each cell ends: (line, column).
    above : int
        Lines at the beginning that belong to no column.
    """

    def __init__(self, text: bytes, ends: np.ndarray, above: int) -> None:
        self._text, self._marks, self._above = text, ends[0], above
        begins = np.empty_like(ends)
        begins.ravel()[0], begins.ravel()[1:] = 0, ends.ravel()[:-1] + 1
        self._begins = np.ascontiguousarray(begins[above:].T)
        self._sizes = np.ascontiguousarray((ends - begins)[above:].T)
        self._words = np.ndarray(len(text) + _BYTES, "<u8", text + bytes(_BYTES + 8), strides=(1,))

    def __len__(self) -> int:
        return self._above + self._sizes.shape[1]

    @property
    def longest(self) -> int:
        """Bytes of the longest cell."""
        return int(self._sizes.max(initial=0))

    def columns(
        self, wanted: Iterable[int], numbers: Collection[int]
    ) -> Iterator[tuple[int, Coded | np.ndarray]]:
        """Columns as numbers, where these may be and each cell is plainly such, else as texts."""
        for group in batched(wanted, max(1, _CELLS // max(1, self._sizes.shape[1]))):
            values = self.numbers([k for k in group if k in numbers])
            yield from ((k, values[k] if k in values else self.coded(k)) for k in group)

    def texts(self, column: int) -> list[str]:
        """The cells of a column."""
        width = len(self._sizes)
        return self._cells[self._above * width + column : -1 : width]

    @cached_property
    def _cells(self) -> list[str]:
        delimiter, end = (self._text[k : k + 1] for k in self._marks[[0, -1]])
        return self._text.replace(end, delimiter).decode().split(delimiter.decode())

    def coded(self, column: int) -> Coded:
        """The cells of a column by the distinct ones."""
        sizes = self._sizes[column]
        longest = int(sizes.max(initial=0))
        if longest > _BYTES:
            return coded(self.texts(column))
        words = self._read(self._begins[column], sizes, longest)
        keys = words[0]
        for word, mix in zip(words[1:], _MIXES, strict=False):
            keys = keys + word * mix
        if len({*keys[:_SAMPLE].tolist()}) > _SAMPLE // 2:
            return coded(self.texts(column))
        first, codes = by_first(keys)
        distinct = np.stack([word[first] for word in words], axis=1)
        if len(words) > 1 and any(
            (of_code[codes] != word).any() for of_code, word in zip(distinct.T, words, strict=True)
        ):  # as good as never: one number of two texts
            return coded(self.texts(column))
        cells = distinct.view(f"S{8 * len(words)}").ravel().tolist()
        return Coded(b"\n".join(cells).decode().split("\n"), codes)

    def numbers(self, columns: Sequence[int]) -> dict[int, np.ndarray]:
        """The columns whose cells are finite numbers, most of them plainly written, or blank."""
        n = self._sizes.shape[1]
        begins, sizes = self._begins[columns].ravel(), self._sizes[columns].ravel()
        longest = min(LETTERS, max(1, int(sizes.max(initial=0))))
        words = [word.view(np.uint8) for word in self._read(begins, sizes, longest)]
        letters = np.concatenate([word.reshape(-1, 8).T for word in words])[:longest]
        values, plain = decimals(np.ascontiguousarray(letters), sizes)
        numbers = {}
        by_column = values.reshape(-1, n), plain.reshape(-1, n)
        for column, values, plain in zip(columns, *by_column, strict=True):
            if not plain.all():
                odd = np.flatnonzero(~plain)
                others = finite_numbers(self._some(column, odd)) if len(odd) < n / 8 else None
                if others is None:
                    continue
                values[odd] = others
            numbers[column] = values
        return numbers

    def _some(self, column: int, lines: np.ndarray) -> list[str]:
        """The cells of a column in some lines."""
        begins, sizes = self._begins[column][lines], self._sizes[column][lines]
        ends = (begins + sizes).tolist()
        return [self._text[a:b].decode() for a, b in zip(begins.tolist(), ends, strict=True)]

    def _read(self, begins: np.ndarray, sizes: np.ndarray, longest: int) -> list[np.ndarray]:
        """The first eight bytes of each cell, the next eight and so on, with zeros behind them."""
        if longest <= 8:
            return [self._words[begins] & _MASKS[sizes]]
        return [
            self._words[begins + done] & _MASKS[np.clip(sizes - done, 0, 8)]
            for done in range(0, longest, 8)
        ]
