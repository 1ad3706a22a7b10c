"""CSV and TSV text."""

import csv
import io
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from betterthan.io.growing import collect_columns
from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table
from betterthan.io.written import plain_numbers

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
