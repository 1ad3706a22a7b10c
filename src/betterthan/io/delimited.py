"""CSV and TSV text."""

import csv
import io
from array import array

from betterthan.io.problems import problem
from betterthan.io.table import Table, make_table

_BLOCK = 512  # records that are put into columns together


def parse_delimited(text: str, source: str, delimiter: str) -> Table:
    """The table in CSV or TSV text; rows are numbered by the line they start on."""
    lines = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] = []
    columns: list[list[str]] = []
    last: list[list[str]] = []  # records that are in no column yet
    rows = array("q")
    start = 1
    try:
        for record in reader:
            if not header:
                header = record
                columns = [[] for _ in header]
            elif record:
                if len(record) != len(header):
                    raise problem(source, _ragged(len(record), len(header)), row=start)
                last.append(record)
                rows.append(start)
                if len(last) == _BLOCK:
                    _put(last, columns)
            start = reader.line_num + 1
    except csv.Error as error:
        raise problem(
            source, f"not readable as CSV ({error}); check the quotes", row=start
        ) from None
    if not header:
        raise problem(source, "is empty; give column names and at least one row")
    _refuse_other_delimiter(header, source, delimiter)
    _put(last, columns)
    return make_table(source, header, columns, rows)


def _put(records: list[list[str]], columns: list[list[str]]) -> None:
    """Move the cells of records into their columns."""
    for column, cells in zip(columns, zip(*records, strict=True), strict=False):
        column += cells
    records.clear()


def _ragged(found: int, expected: int) -> str:
    return (
        f"has {found} cells where the header has {expected}; give every row one cell for each "
        f"column"
    )


def _refuse_other_delimiter(header: list[str], source: str, delimiter: str) -> None:
    if len(header) > 1:
        return
    for other, name in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), ("|", "bars")):
        if other in header[0]:
            right = "tabs" if delimiter == "\t" else "commas"
            what = f"cells are separated by {name}; separate them by {right}, or say sep={other!r}"
            raise problem(source, what, row=1)
