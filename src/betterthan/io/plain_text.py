"""CSV and TSV without quotes, read at once; anything unusual is left to the careful reader."""

import csv
import io
import re
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from betterthan.io.roles import ALIASES
from betterthan.io.table import Table, make_table
from betterthan.io.written import Coded, Numbers

_BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(r"\s*([+-]?\.?\d|$)")  # how a number begins; nothing is a missing one
_NAMES = {alias for role in ("item", "system", "dataset", "cluster") for alias in ALIASES[role]}
_ROWS = 2**18  # read at once: all of many rows take longer, and more memory
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
    return make_table(
        source, header, _Cells(data, start, header, delimiter).columns(), range(2, n + 2)
    )


def _cells(line: bytes, delimiter: str) -> list[str]:
    return line.decode().rstrip("\r\n").split(delimiter)


def _rows(data: bytes, start: int, width: int, delimiter: str) -> int:
    """How many lines there are, if all have as many cells, none longer than csv reads; else 0."""
    found, block = 0, csv.field_size_limit()  # bytes that are looked at together
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
        start, found = end, found + lines
    return found


class _Cells:
    """The columns of rows below a header, as pandas takes them."""

    def __init__(self, data: bytes, start: int, header: list[str], delimiter: str) -> None:
        self._file, self._start = io.BytesIO(data), start
        self._width, self._delimiter = len(header), delimiter
        end = data.find(b"\n", start) + 1 or len(data)
        begins = [bool(_NUMBER.match(cell)) for cell in _cells(data[start:end], delimiter)]
        names = [name.strip().casefold() in _NAMES for name in header]
        self.kept = [  # 007 is no 7; and older ones do not tell texts from true and false
            k for k, named in enumerate(names) if (named if begins[k] else _PANDAS < (3,))
        ]
        self.numeric = [k for k, named in enumerate(names) if not named and begins[k]]

    def columns(self) -> list[Any]:
        """Numbers where a column holds nothing else, and is not called as one of names."""
        with self._frame(dict.fromkeys(self.kept, object), chunksize=_ROWS) as read:
            parts = list(read)
        types = list(zip(*(part.dtypes for part in parts), strict=True))
        numeric = [k for k in self.numeric if all(one.kind in "iuf" for one in types[k])]
        columns: dict[int, Any] = {}
        for k in numeric:
            values = _together([part[k].to_numpy(np.float64) for part in parts])
            if not np.isinf(values).any():
                columns[k] = self._numbers(k, values)
        for k in set(range(self._width)) - set(columns):
            as_read = k in self.kept or all(isinstance(one, pd.StringDtype) for one in types[k])
            cells = pd.concat([part[k] for part in parts]) if as_read else self._written[k]
            columns[k] = _texts(cells)
        return [columns[k] for k in range(self._width)]

    def _numbers(self, k: int, values: np.ndarray) -> Numbers:
        return Numbers(values, lambda: _texts(self._written[k]))

    @cached_property
    def _written(self) -> pd.DataFrame:
        """All cells as they are written."""
        return self._frame(object)

    def _frame(self, dtype: Any, chunksize: int | None = None) -> Any:
        self._file.seek(self._start)
        return pd.read_csv(
            self._file,
            sep=self._delimiter,
            header=None,
            names=range(self._width),
            index_col=False,
            dtype=dtype,
            na_values=[""],
            keep_default_na=False,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            chunksize=chunksize,
            **_EXACT,
        )


def _together(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _texts(cells: Any) -> Coded:
    """Cells by the distinct ones; what is nothing is an empty text again."""
    codes, distinct = cells.factorize(use_na_sentinel=False)
    found = distinct.tolist()
    if pd.isna(distinct).any():
        found = [cell if isinstance(cell, str) else "" for cell in found]
    return Coded(found, codes)
