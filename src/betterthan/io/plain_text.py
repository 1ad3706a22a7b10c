"""CSV and TSV without quotes, read at once; anything unusual is left to the careful reader."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from betterthan.io.growing import collect_columns
from betterthan.io.table import Table, make_table

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
    header = _cells(data[:start], delimiter)
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


def _cells(line: bytes, delimiter: str) -> list[str]:
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
        cells = enumerate(_cells(data[start:end], delimiter))
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
