"""CSV and TSV: a fast reader of text without quotes, and a careful one."""

import csv
import io
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from betterthan.io.coded_columns import Coded, Coding, Numbers, plain_numbers
from betterthan.io.layouts import ALIASES
from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table

_NAMED = ("item", "system", "dataset", "cluster", "epoch")
_NAMES = {alias for role in _NAMED for alias in ALIASES[role]}
Blocks = Callable[[Mapping[int, bool]], Iterator[Mapping[int, Any]]]


def collect_columns(blocks: Blocks, header: Sequence[str]) -> list[Coded | Numbers]:
    """The columns of a text.

    Parameters
    ----------
    blocks : callable
        Gives the cells of some rows, then of the next ones: of each column that is asked for
        numbers as an array where they are asked for and all cells are such, else texts as they are
        written, or None where that is not known.
    header : sequence of str
        The names of the columns: 007 is no 7 where they are ids.
    """
    named = [name.strip().casefold() in _NAMES for name in header]
    columns = _grown(blocks, {k: not is_text for k, is_text in enumerate(named)})
    return [columns[k] for k in range(len(header))]


def _grown(blocks: Blocks, may_be_numbers: Mapping[int, bool]) -> dict[int, Any]:
    """Collect columns by index; `may_be_numbers` marks those that may hold numbers."""
    numbers: dict[int, list[np.ndarray]] = {k: [] for k, may in may_be_numbers.items() if may}
    texts = {k: Coding() for k, may in may_be_numbers.items() if not may}
    again: dict[int, bool] = {}  # columns that hold both numbers and texts
    for block in blocks(may_be_numbers):
        for k, cells in block.items():
            kind = getattr(cells, "dtype", np.dtype(object)).kind  # of texts an object
            if kind != "O" and k in numbers:
                numbers[k].append(_narrow(cells))
                continue
            if kind == "O" and cells is not None and not numbers.get(k) and k not in again:
                numbers.pop(k, None)
                texts.setdefault(k, Coding()).add(cells)
                continue
            for store in (numbers, texts):
                store.pop(k, None)
            again[k] = False
    number_columns = {k: np.concatenate(numbers.pop(k)) for k in list(numbers) if numbers[k]}
    again |= {
        k: False
        for k, values in number_columns.items()
        if values.dtype.kind == "f" and np.isinf(values).any()
    }
    number_columns = {k: values for k, values in number_columns.items() if k not in again}
    written = cache(lambda: _grown(blocks, dict.fromkeys(number_columns, False)))
    columns: dict[int, Any] = {k: [] for k in numbers}  # where there are no rows
    columns |= {k: texts.pop(k).done() for k in list(texts)}
    columns |= {
        k: Numbers(values, lambda k=k: written()[k]) for k, values in number_columns.items()
    }
    return columns | (_grown(blocks, again) if again else {})


def _narrow(numbers: np.ndarray) -> np.ndarray:
    """Numbers in a byte each where that holds them, as it holds most scores."""
    with np.errstate(invalid="ignore"):  # NaN, and what is larger than a byte
        small = numbers.astype(np.int8)
    return small if (small == numbers).all() else numbers.astype(np.float64, copy=False)


_BLOCK = 2**12  # records that are put into columns together


def parse_delimited(data: bytes, source: str, delimiter: str) -> Table:
    """The table in CSV or TSV text in UTF-8; rows are numbered by the line they start on."""
    records = _Records(data, source, delimiter)
    _, header = next(iter(records), (0, []))
    if not header:
        raise problem(source, "is empty; give column names and at least one row")
    columns = collect_columns(records.blocks, header)
    _refuse_other_delimiter(header, source, delimiter)
    return make_table(source, header, columns, records.rows)


class _Records:
    """The records of a text, each with the line it starts on; they can be read again."""

    def __init__(self, data: bytes, source: str, delimiter: str) -> None:
        self._data, self._source, self._delimiter = data, source, delimiter
        self.rows = array("I")  # of the records below the header

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        lines = io.TextIOWrapper(io.BytesIO(self._data), encoding="utf-8-sig", newline="")
        reader, start = csv.reader(lines, delimiter=self._delimiter, strict=True), 1
        try:
            for record in reader:
                if record:
                    yield start, record
                start = reader.line_num + 1
        except csv.Error as error:
            reason = f"not readable as CSV ({error}); check the quotes"
            raise problem(self._source, reason, row=start) from None

    def blocks(self, wanted: Mapping[int, bool]) -> Iterator[dict[int, Any]]:
        """The cells of columns in some records, then in the next; see `growing.collect_columns`."""
        self.rows = array("I")
        records = iter(self)
        _, header = next(records)
        last: list[list[str]] = []  # records that were not given yet
        for start, record in records:
            if len(record) != len(header):
                raise problem(self._source, _ragged(len(record), len(header)), row=start)
            last.append(record)
            self.rows.append(start)
            if len(last) == _BLOCK:
                yield _columns(last, wanted)
                last = []
        if last:
            yield _columns(last, wanted)


def _columns(records: list[list[str]], wanted: Mapping[int, bool]) -> dict[int, Any]:
    """Cells of records by their columns: as numbers where these may be, and all are such."""
    columns = list(zip(*records, strict=True))
    return {k: _cells(columns[k], numbers) for k, numbers in wanted.items()}


def _cells(cells: Sequence[str], numbers: bool) -> Any:
    values = plain_numbers(cells) if numbers else None
    if numbers and values is None and "" in cells:
        values = plain_numbers([cell or "nan" for cell in cells])
    return list(cells) if values is None else values


def _ragged(actual: int, expected: int) -> str:
    return (
        f"has {actual} cells where the header has {expected}; give every row one cell for each "
        f"column"
    )


def _refuse_other_delimiter(header: list[str], source: str, delimiter: str) -> None:
    if len(header) > 1:
        return
    for other, name in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), ("|", "bars")):
        if other in header[0]:
            right = "tabs" if delimiter == "\t" else "commas"
            reason = (
                f"cells are separated by {name}; separate them by {right}, or say sep={other!r}"
            )
            raise problem(source, reason, row=1)


_BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(r"\s*([+-]?\.?\d|$)")  # how a number begins; nothing is a missing one
_ROWS = 2**16  # read at once: all of many rows take longer, and more memory
_PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))
# older ones are off by a last digit unless told
_EXACT: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}


def parse_plain(data: bytes, source: str, delimiter: str) -> Table | None:
    """The table in UTF-8 text, if each line is a row, and each row has a cell for each column.

    Parameters
    ----------
    data : bytes
    source : str
    delimiter : str

    Returns
    -------
    Table or None
        The same as `delimited.parse_delimited` gives, or nothing where that is to be asked.
    """
    data = data.removeprefix(_BOM)
    start = data.find(b"\n", 0, csv.field_size_limit()) + 1
    header = _line_cells(data[:start], delimiter)
    width = len(header)
    if delimiter not in ",;\t|" or width < 2 or data.startswith(_BOM, start):
        return None
    if b'"' in data or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n")):
        return None
    n = _rows(data, start, width, delimiter)
    if n < width:  # none, or so few that each column costs more than its cells
        return None
    columns = collect_columns(_Cells(data, start, header, delimiter).blocks, header)
    return make_table(source, header, columns, range(2, n + 2))


def _line_cells(line: bytes, delimiter: str) -> list[str]:
    return line.decode().rstrip("\r\n").split(delimiter)


def _rows(data: bytes, start: int, width: int, delimiter: str) -> int:
    """Count the lines, if all have as many cells and none is longer than csv reads; else return
    0.
    """
    n_lines, block = 0, csv.field_size_limit()  # bytes that are looked at together
    row = delimiter.encode() * (width - 1) + b"\n"
    others = bytes(set(range(256)) - set(row))
    while start < len(data):
        end = data.rfind(b"\n", start, start + block) + 1
        if len(data) - start <= block:
            end = len(data)
        if not end:
            return 0
        marks = data[start:end].translate(None, others)
        if data[end - 1] != ord("\n"):
            marks += b"\n"
        lines = len(marks) // width
        if marks != row * lines:
            return 0
        start, n_lines = end, n_lines + lines
    return n_lines


class _Cells:
    """The columns of rows below a header, as pandas takes them."""

    def __init__(self, data: bytes, start: int, header: list[str], delimiter: str) -> None:
        self._file, self._start = io.BytesIO(data), start
        self._width, self._delimiter = len(header), delimiter
        end = data.find(b"\n", start) + 1 or len(data)
        cells = enumerate(_line_cells(data[start:end], delimiter))
        self._begun = {k for k, cell in cells if _NUMBER.match(cell)}

    def blocks(self, wanted: Mapping[int, bool]) -> Iterator[dict[int, Any]]:
        """The cells of columns in some rows, then in the next; see `growing.collect_columns`."""
        texts: dict[Any, Any] = dict.fromkeys(
            (k for k, numbers in wanted.items() if not numbers or k not in self._begun), object
        )
        self._file.seek(self._start)
        read: Any = pd.read_csv(
            self._file,
            sep=self._delimiter,
            header=None,
            names=range(self._width),
            usecols=sorted(wanted),
            index_col=False,
            dtype=texts,
            na_values={k: [""] for k in wanted if k not in texts},
            keep_default_na=False,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            chunksize=_ROWS,
            **_EXACT,
        )
        with read as parts:
            for part in parts:
                yield {k: _convert_block(part[k], k in texts) for k in wanted}


def _convert_block(cells: Any, as_written: bool) -> Any:
    """Return numbers, or texts as written; None for anything else that pandas made."""
    if cells.dtype.kind in "iuf":
        return cells.to_numpy()
    if as_written:
        return cells.to_numpy(object)
    if isinstance(cells.dtype, pd.StringDtype):
        return cells.fillna("").to_numpy(object)
    return None
