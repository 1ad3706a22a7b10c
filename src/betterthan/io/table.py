"""What every file format becomes first: named columns of cells as written, and the row each came
from.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from betterthan.io.problems import printable, problem, quoted
from betterthan.io.texts import Numbers, as_coded
from betterthan.text import flaw

MOST_CELLS = 10**8  # of an array that is made of a table; each takes 8 bytes or more
_FEW_CELLS = 15_000_000  # take 120 MB, whatever the file holds
_CELLS_OF_A_ROW = 8  # take 64 bytes; a row of a long table takes about 12 in the file
_DIGIT = re.compile(r"[-+.\d]")
NAMELESS = ("", "Unnamed: 0")  # what an unnamed first column is called: the index of a saved frame


@dataclass(frozen=True)
class Table:
    """Columns of equal length; a column is a numeric array, or a sequence of str, number, bool or
    None.
    """

    source: str
    columns: dict[str, Any]
    rows: Sequence[Any]  # line in a text file, record in JSON and Parquet, index label in a frame
    unused: tuple[str, ...] = ()  # columns that play no role, whatever their names
    written: Mapping[str, str] = field(default_factory=dict)  # names in the file, where others

    @cached_property
    def by_name(self) -> dict[str, str]:
        """The columns by their names without regard to letter case; of equal ones the first."""
        return {column.casefold(): column for column in reversed(unread(self, self.unused))}

    def problem(self, k: int, reason: str, **where: Any) -> ValueError:
        """The refusal of a row, or of the value of a column in it."""
        return problem(self.source, reason, row=self.rows[k], **where)

    def cell_problem(self, k: int, column: str, reason: str, values: Any = None) -> ValueError:
        """The refusal of a cell, which is of these values where the column was read as such."""
        value = (self.columns[column] if values is None else values)[k]
        value = value.item() if isinstance(value, np.generic) else value
        return self.problem(k, reason, column=column, value=value)

    def refuse_first(self, bad: np.ndarray, column: str, reason: str, values: Any = None) -> None:
        """Refuse the first cell that is bad, if one is; see `cell_problem`."""
        if bad.any():
            raise self.cell_problem(int(bad.argmax()), column, reason, values)


@dataclass(frozen=True)
class Reading:
    """What was read from a table, how, in words, and the columns that nothing was read from."""

    data: Any  # plain scores, a DataArray, or a Dataset of judgments
    summary: str
    ignored: list[str]


def unread(table: Table, used: Iterable[str | None]) -> list[str]:
    """The columns that are not among `used`."""
    used = set(used)
    return [column for column in table.columns if column not in used]


def most_cells(rows: int) -> int:
    """Cells that an array may have in which some rows are placed, a cell each: where names hardly
    ever meet, it is much larger than its file.
    """
    return min(MOST_CELLS, _FEW_CELLS + _CELLS_OF_A_ROW * rows)


def refuse_large(source: str, most: int = MOST_CELLS, **sizes: int) -> None:
    """Refuse an array that a few rows would make larger than memory.

    Parameters
    ----------
    source : str
        Of the table, for the message.
    most : int
        Cells that it may have.
    **sizes : int
        How many there are of what.
    """
    if math.prod(sizes.values()) > most:
        size_text = " x ".join(f"{number:,} {dimension}" for dimension, number in sizes.items())
        right = "check which column says what, or give parts of it"
        raise problem(source, f"holds {size_text}, more than can be read at once; {right}")


def make_table(
    source: str, header: Sequence[Any], columns: Sequence[Any], rows: Sequence[Any]
) -> Table:
    """A table with stripped, unique column names and at least one row."""
    for name in map(str, header):
        if reason := flaw(name):
            raise problem(source, reason, column=name)
    names = [str(name).strip() for name in header]
    place: dict[str, int] = {}
    for k, name in enumerate(names):
        if not name and k:
            reason = f"column {k + 1} of {len(names)} has no name; name it or leave it out"
            raise problem(source, reason)
        if name in place:
            twice = f"occurs twice (columns {place[name] + 1} and {k + 1})"
            right = "every column and every system needs its own name"
            raise problem(source, f"column name {quoted(name)} {twice}; {right}")
        place[name] = k
    if not names:
        raise problem(source, "has no columns; give column names and at least one row")
    if not len(rows):
        right = "give one row for each item, pair or vote"
        raise problem(source, f"holds column names but no rows; {right}")
    table = Table(printable(source), dict(zip(names, columns, strict=True)), rows)
    _refuse_second_header(table)
    return table


def _refuse_second_header(table: Table) -> None:
    """Refuse a row that repeats the header, as after concatenating files."""
    header = sorted(name.casefold() for name in table.columns)
    header_words = {*header}
    for column in table.columns.values():
        if isinstance(column, Numbers) and not _matching_rows(column, header_words):
            return
    first, *_ = table.columns.values()
    for k in _matching_rows(first, header_words):
        row = [column[k] for column in table.columns.values()]
        if header == sorted([x.strip().casefold() for x in row if isinstance(x, str)]):
            raise table.problem(k, "repeats the names of the columns; leave the line out")


def _matching_rows(column: Any, words: set[str]) -> list[int]:
    """Find the rows in which a column holds one of these words."""
    if isinstance(column, Numbers) and not any(_DIGIT.match(word) for word in words):
        return np.flatnonzero(np.isnan(column.values)).tolist() if "" in words else []
    cells = as_coded(column)
    distinct = column if cells is None else cells.distinct
    texts = ((k, cell) for k, cell in enumerate(distinct) if cell.__class__ is str)
    matches = [k for k, text in texts if text.strip().casefold() in words]
    if cells is None or not matches:
        return matches
    return np.flatnonzero(np.isin(cells.codes, matches)).tolist()
