"""CSV and TSV: blocks of lines without quotes are split, the others are read by `csv`."""

import csv
import io
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from betterthan.io.layouts import ALIASES
from betterthan.io.plain_cells import plain_cells
from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table
from betterthan.io.texts import Coded, Coding, Numbers, coded, finite_numbers, from_bytes, in_bytes

BLOCK_BYTES = 2**18  # of text that are put into columns together
_COLUMN_BYTES, _MOST_BYTES = 2**9, 2**21  # of each column, and of all, where there are many
_BOM = b"\xef\xbb\xbf"
_IDS = {a for role in ("item", "system", "dataset", "cluster", "epoch") for a in ALIASES[role]}
_COMMA = re.compile(rb"\d,\d")  # a decimal comma, between semicolons
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?%?", re.IGNORECASE)
_FIRST, _WIDEST = 12, 1000  # records and columns that show whether the first is a header
_SPREADSHEET = re.compile(r"sep=.", re.IGNORECASE)
Columns = Iterable[tuple[int, Coded | np.ndarray]]
Blocks = Callable[[Collection[int], Collection[int]], Iterator[Columns]]


def parse_delimited(data: bytes, source: str, delimiter: str) -> Table:
    """The table in CSV or TSV text in UTF-8; rows are numbered by the line they start on."""
    text = _Text(data, source, delimiter)
    header = text.header
    if not header:
        raise problem(source, "is empty; give column names and at least one row")
    if _SPREADSHEET.fullmatch(first := delimiter.join(header)):
        raise problem(source, f"holds {first!r} for a spreadsheet; delete this line", row=1)
    may_be_numbers = {k: name.strip().casefold() not in _IDS for k, name in enumerate(header)}
    _refuse_other_delimiter(header, source, delimiter, data)
    _refuse_no_header(text, source)
    columns = _columns(text.blocks, may_be_numbers)
    return make_table(source, header, [columns[k] for k in may_be_numbers], text.rows)


class _Text:
    """The records of a text, which can be read again.

    Attributes
    ----------
    header : list of str
        Empty where there is no record.
    rows : array
        The line on which each record below the header starts; complete after the last block.
    """

    def __init__(self, data: bytes, source: str, delimiter: str) -> None:
        self._data, self._source, self._delimiter = data, source, delimiter
        self.rows = array("I")
        self.header = next(iter(self.first(1)), [])
        self._line_end = b"\n" if b"\n" in data else b"\r"

    def first(self, number: int) -> list[list[str]]:
        """The first records, the header among them."""
        lines = io.TextIOWrapper(io.BytesIO(self._data), encoding="utf-8-sig", newline="")
        return [record for _, record in islice(self._records(lines, 1), number)]

    def blocks(self, wanted: Collection[int], numbers: Collection[int]) -> Iterator[Columns]:
        """The cells of columns in some records, column by column, then in the next.

        Columns in `numbers` may come as finite numbers; the caller may remove some after a block.
        """
        width, line, self.rows = len(self.header), 1, array("I")
        begin = len(_BOM) if self._data.startswith(_BOM) else 0
        size = max(BLOCK_BYTES, min(_COLUMN_BYTES * width, _MOST_BYTES))
        above = 1  # the header, the first record of all
        while begin < len(self._data):
            end = self._end(begin, size)
            plain = plain_cells(
                self._data[begin:end], self._delimiter, self._line_end, width, above
            )
            if plain is None:
                end, rows, records = self._read(begin, end, line)
                n = len(rows)
                columns = zip(*records[above:], strict=True)
                columns = ((k, coded(cells)) for k, cells in enumerate(columns) if k in wanted)
                self.rows.extend(rows[above:])
                ends = [self._data.count(mark, begin, end) for mark in (b"\n", b"\r", b"\r\n")]
                line += ends[0] + ends[1] - ends[2]
            else:
                n = len(plain)
                columns = plain.columns(wanted, numbers)
                self.rows.frombytes(np.arange(line + above, line + n, dtype=np.uintc).tobytes())
                line += n
            if n > above:
                yield columns
            above = 0 if n else above
            begin = end

    def _end(self, begin: int, size: int) -> int:
        """The end of the last line within some bytes, or of the first."""
        if len(self._data) - begin <= size:
            return len(self._data)
        last = self._data.rfind(self._line_end, begin, begin + size) + 1
        return last or self._data.find(self._line_end, begin + size) + 1 or len(self._data)

    def _read(self, begin: int, end: int, line: int) -> tuple[int, list[int], list[list[str]]]:
        """The end of a block, moved behind the record that it cuts; the line of each record, and
        its cells.
        """
        width = len(self.header)
        lines = io.StringIO(self._data[begin:end].decode(), newline="")
        rows, records = [], []
        try:
            for start, record in self._records(lines, line):
                if len(record) != width:
                    reason = f"has {len(record)} cells where the header has {width}"
                    right = "give every row one cell for each column"
                    raise problem(self._source, f"{reason}; {right}", row=start)
                rows.append(start)
                records.append(record)
        except ValueError:
            if end == len(self._data) or lines.read(1):
                raise
            return self._read(begin, self._end(end, end - begin), line)
        return end, rows, records

    def _records(self, lines: Iterable[str], line: int) -> Iterator[tuple[int, list[str]]]:
        """Records, each with the line it starts on, of lines of which the first has a number."""
        reader, start = csv.reader(lines, delimiter=self._delimiter, strict=True), line
        try:
            for record in reader:
                if record:
                    yield start, record
                start = line + reader.line_num
        except csv.Error as error:
            reason = f"not readable as CSV ({error}); check the quotes"
            raise problem(self._source, reason, row=start) from None


def _columns(blocks: Blocks, may_be_numbers: Mapping[int, bool]) -> dict[int, Any]:
    """Columns by their numbers: numbers where these may be and all cells are such, else texts."""
    numbers: dict[int, list[np.ndarray]] = {k: [] for k, may in may_be_numbers.items() if may}
    texts = {k: Coding() for k, may in may_be_numbers.items() if not may}
    mixed: dict[int, bool] = {}  # columns of texts that began with numbers, whose cells are gone
    for block in blocks(may_be_numbers, numbers):
        for k, cells in block:
            values = None
            if k in numbers:
                values = cells if isinstance(cells, np.ndarray) else _as_numbers(cells)
            if values is not None:
                numbers[k].append(in_bytes(values))
            elif numbers.pop(k, None):
                mixed[k] = False
            elif k not in mixed:
                texts.setdefault(k, Coding()).add(cells)
    written = cache(lambda: _columns(blocks, dict.fromkeys(numbers, False)))
    columns: dict[int, Any] = {k: coding.done() for k, coding in texts.items()}
    for k in list(numbers):
        parts, numbers[k] = numbers[k], []
        if len({part.dtype for part in parts}) > 1:
            parts = [from_bytes(part) for part in parts]
        values = np.concatenate([np.empty(0, np.int8), *parts])
        columns[k] = Numbers(values, lambda k=k: written()[k])
    return columns | (_columns(blocks, mixed) if mixed else {})


def _as_numbers(cells: Coded) -> np.ndarray | None:
    """Cells as finite numbers, NaN where blank; None if some are no such."""
    values = finite_numbers(cells.distinct)
    return values if values is None or cells.once else values[cells.codes]


def _refuse_no_header(text: _Text, source: str) -> None:
    """Refuse a first line of data alone: numbers, and ids or words like those below it."""
    header = [name.strip() for name in text.header]
    if not 2 <= len(header) <= _WIDEST or not any(map(_DIGITS.search, header)):
        return
    records = text.first(_FIRST)[1:]
    if not records or any(len(record) != len(header) for record in records):
        return
    numbers, has_ids = [], False
    for name, column in zip(header, zip(*records, strict=True), strict=True):
        cells = [cell.strip() for cell in column]
        is_id = _continues(name, cells)
        if _NUMBER.fullmatch(name):
            numbers.append(name)
        elif not is_id and (not name or name not in cells):
            return
        has_ids = has_ids or is_id
    if has_ids or len(set(numbers)) < len(numbers):
        raise problem(source, "seems to have no header line; add one with the names of the columns")


def _continues(name: str, cells: list[str]) -> bool:
    """Whether cells go on as a name begins: q0, q1, q2, or 1, 2, 3."""
    if name.isdecimal():
        return len(cells) > 2 and cells == [str(int(name) + k) for k in range(1, len(cells) + 1)]
    shape = _DIGITS.sub("#", name)
    is_id = shape != name and not _NUMBER.fullmatch(name)
    return is_id and all(_DIGITS.sub("#", cell) == shape for cell in cells)


_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}


def _refuse_other_delimiter(header: list[str], source: str, delimiter: str, data: bytes) -> None:
    if len(header) > 1:
        return
    for other, name in _SEPARATORS.items():
        if other in header[0]:
            expected = _SEPARATORS.get(delimiter, repr(delimiter))
            reason = f"cells are separated by {name}, not by {expected}; pass sep={other!r}"
            reason += " and decimal=','" if other == ";" and _COMMA.search(data) else ""
            raise problem(source, reason, row=1)
