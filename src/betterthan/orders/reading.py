"""Orders of items from files: one order a row, one rank a row, or one row of ranks each."""

import json
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.cells import plain_text
from betterthan.io.files import table_of
from betterthan.io.items import first_twice, item_ids, text_axes
from betterthan.io.problems import counted, listed, printable, problem, quoted
from betterthan.io.table import Table, refuse_large, unread
from betterthan.io.texts import BLOCK, Coded, Coding, array_of, as_coded, joined
from betterthan.orders.ranked import DOCUMENT, POSITION, gap_of, without_gaps
from betterthan.text import first_flawed, flaw, stripped

_SEPARATORS = "|;,"
_OTHER_SIGNS = "<≤≥≻≺→←＞＜＝"  # of an order too, but not of the ones that are read
_WITHIN = re.compile(r"[\s/\\:~^-]+")
_JSON = 'or give a list in JSON, such as ["a", "b"]'


def groups_of(value: Any) -> list[list[str]]:
    """The items of one cell, first to last, in groups of tied ones; none where it is blank.

    Raises
    ------
    ValueError
        If it is no order, or could be read as two different ones.

    Examples
    --------
    >>> groups_of("a > b = c"), groups_of("a, b"), groups_of('["a, x", "b"]')
    ([['a'], ['b', 'c']], [['a'], ['b']], [['a, x'], ['b']])
    """
    if isinstance(value, list | tuple | np.ndarray):
        groups = _listed(value)
    elif isinstance(value, dict | set):
        raise ValueError(f"is a {type(value).__name__}; give a list of items, the best first")
    else:
        text = stripped(plain_text(value))
        groups = _listed(_json(text)) if text.startswith("[") else _written(text)
    _refuse_repeated(groups)
    return groups


def _written(text: str) -> list[list[str]]:
    """Items with signs between them."""
    if not text:
        return []
    other = next((sign for sign in _OTHER_SIGNS if sign in text), None)
    if other:
        raise ValueError(f"has the sign {other!r}; put '>' between items, the best first, {_JSON}")
    between = [sign for sign in _SEPARATORS if sign in text]
    ranked = [sign for sign in ">=" if sign in text]
    if len(between) > 1 or (between and ranked):
        signs = " and ".join(map(repr, [*ranked, *between]))
        raise ValueError(
            f"has {signs} in one order; put '>' between items and '=' between tied ones, or one "
            f"other sign between all, {_JSON}"
        )
    if between:
        groups = [[stripped(item)] for item in text.split(between[0])]
    else:
        groups = [[stripped(item) for item in group.split("=")] for group in text.split(">")]
    if any(not item for group in groups for item in group):
        raise ValueError("has a blank where an item should be; every item needs a name")
    return groups


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(
            'begins like a list in JSON, but is none; give ["a", "b"], in double quotes'
        ) from None


def _listed(items: Any) -> list[list[str]]:
    """A list of items, of which none are tied."""
    for item in items:
        if isinstance(item, list | tuple | dict | set | np.ndarray | bool):
            hint = "a list of plain items, the best first, or a > b = c where items are tied"
            raise ValueError(f"holds {quoted(item)}; give {hint}")
    groups = [[stripped(plain_text(item))] for item in items]
    if [""] in groups:
        raise ValueError("has a blank where an item should be; every item needs a name")
    return groups


def _refuse_repeated(groups: list[list[str]]) -> None:
    items = [item for group in groups for item in group]
    if len({*items}) == len(items):
        return
    first: dict[str, int] = {}
    k = next(k for k, item in enumerate(items) if first.setdefault(item, k) < k)
    tied = len(items) > len(groups)
    where = "twice" if tied else f"at positions {first[items[k]] + 1} and {k + 1}"
    raise ValueError(f"item {quoted(items[k])} occurs {where}; every item occurs once in an order")


_SYSTEM = ("system", "model", "judge", "rater", "annotator")
_DOCUMENT = ("document", "doc", "doc_id", "document_id", "text", "query")
_ORDER = ("order", "ranking")
_ITEM = ("item", "item_id")
_RANK = ("rank", "position")


def read(source: str | Path | pd.DataFrame) -> xr.DataArray:
    """Read the rankings of items by systems or judges from a table.

    Parameters
    ----------
    source : path or pandas.DataFrame
        A column of systems (``system``, ``model``, ``judge``, ``rater``, ``annotator``), perhaps
        one of documents, and

        - a column ``order``: all items in one cell, such as ``b > a = c`` (``=`` for ties), or with
          one of ``|``, ``;`` and ``,`` between them, or a list in JSON; or
        - columns ``item`` and ``rank``, one row for each; equal ranks are ties; or
        - one column of ranks for each item.

    Returns
    -------
    xarray.DataArray
        Rankings (document, system, position), or ranks (document, system, item) for the other two
        layouts; without the dim document if the file has none. ``attrs["reading"]`` is the import
        summary, one line.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If the file cannot be read or has none of these layouts; if a cell could be read as two
        different rankings; if an item occurs twice in a ranking; if ranks skip one.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"judge": ["1", "2"], "order": ["b > a > c", "a > b > c"]})
    >>> read(frame).attrs["reading"]
    "DataFrame read as orders: 2 systems ('1', '2'), 3 items"
    """
    table = table_of(source)
    system = _column(table, _SYSTEM)
    if system is None:
        aliases = ", ".join(_SYSTEM)
        raise problem(
            table.source, f"no column of systems ({aliases}) among {listed(table.columns)}"
        )
    document = _column(table, _DOCUMENT)
    systems = cells.read_once(table, system, cells.system_names)
    documents = Coded([""], np.zeros(len(systems), np.int8))
    if document:
        documents = item_ids(table, document, "each order its document")
    rows = _Rows(table, documents, systems)
    try:
        (orders, lengths), kind, ignored = _read(rows, {system, document})
        checks.unique(orders[names.SYSTEM].values.tolist(), "system")
    except ValueError as error:
        if str(error).startswith(table.source):
            raise
        raise problem(table.source, str(error)) from None
    reading = f"{table.source} read as {kind}: {_size(orders, document, lengths)}"
    reading += f", ignored columns {listed(ignored)}" if ignored else ""
    orders.attrs = {"reading": printable(" ".join(reading.splitlines())), "source": table.source}
    return orders


@dataclass(frozen=True)
class _Rows:
    """A table, and of which document and system each of its rows is."""

    table: Table
    documents: Coded  # "" where there are none
    systems: Coded

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and systems."""
        return len(self.documents.distinct), len(self.systems.distinct)

    @property
    def place(self) -> np.ndarray:
        """Document and system of each row as one number."""
        return self.documents.codes * np.int64(self.shape[1]) + self.systems.codes

    def refuse_twice(self) -> None:
        """Refuse a second order of a system on a document."""
        if twice := first_twice(self.place, math.prod(self.shape)):
            document, system = self.documents[twice[0]], self.systems[twice[0]]
            where = f" on document {quoted(document)}" if document else ""
            reason = (
                f"a second order of system {quoted(system)}{where}; give one, or a column "
                "'document' that tells them apart"
            )
            raise self.table.problem(twice[0], reason)


type _Result = tuple[xr.DataArray, np.ndarray]  # rankings; the number of items of each document


def _read(rows: _Rows, key_columns: set[str | None]) -> tuple[_Result, str, list[str]]:
    """Return orders or ranks, their layout, and ignored columns.

    `key_columns` are the columns of systems and documents.
    """
    order, item, rank = (_column(rows.table, aliases) for aliases in (_ORDER, _ITEM, _RANK))
    if order is not None:
        return _from_orders(rows, order), "orders", unread(rows.table, key_columns | {order})
    if item is not None and rank is not None:
        ignored = unread(rows.table, key_columns | {item, rank})
        return _from_long(rows, item, rank), "ranks, one a row", ignored
    rank_columns = [column for column in rows.table.columns if column not in key_columns]
    return _from_wide(rows, rank_columns), "ranks, one column for each item", []


def _column(table: Table, aliases: tuple[str, ...]) -> str | None:
    return next((table.by_name[name] for name in aliases if name in table.by_name), None)


_PIECE = 2**15  # items that are looked at together


@dataclass(frozen=True)
class _Orders:
    """Orders as the codes of their items, one distinct order behind the other, and the rows that
    hold them, one document after the other.

    Attributes
    ----------
    items : sequence of str
        The distinct ones.
    codes : numpy.ndarray of int
        One for each item of each order.
    tied : numpy.ndarray of bool
        Whether each is tied with the one before it.
    sizes : numpy.ndarray of int
        The number of items of each order.
    document, system, order : numpy.ndarray of int
        Those of each row.
    """

    items: Sequence[str]
    codes: np.ndarray
    tied: np.ndarray
    sizes: np.ndarray
    document: np.ndarray
    system: np.ndarray
    order: np.ndarray

    def pieces(self) -> Iterator[tuple[np.ndarray, ...]]:
        """For some items of rows at a time: document and system of each, its position in the order,
        its code, and whether it is tied.
        """
        starts, ends = np.cumsum(self.sizes) - self.sizes, np.cumsum(self.sizes[self.order])
        for begin in range(0, int(ends[-1]), _PIECE):
            end = min(begin + _PIECE, int(ends[-1]))
            first, last = np.searchsorted(ends, [begin, end - 1], "right")
            piece = slice(first, last + 1)
            begins = ends[piece] - self.sizes[self.order[piece]]
            number = np.minimum(ends[piece], end) - np.maximum(begins, begin)
            row = np.repeat(np.arange(first, last + 1), number)
            position = np.arange(begin, end) - begins[row - first]
            place = starts[self.order[row]] + position
            codes, tied = self.codes[place], self.tied[place]
            yield self.document[row], self.system[row], position, codes, tied


def _from_orders(rows: _Rows, column: str) -> _Result:
    written = rows.table.columns[column]
    texts = as_coded(written)
    order = np.arange(len(written)) if texts is None else texts.codes
    distinct = written if texts is None else texts.distinct

    def wrong(reason: str, k: int) -> ValueError:  # of equal cells the first is named
        row = int((order == k).argmax())
        return rows.table.problem(row, reason, column=column, value=distinct[k])

    coding, tied, sizes, last = Coding(), bytearray(), array("i"), []
    for k, cell in enumerate(distinct):
        try:
            groups = groups_of(cell)
        except ValueError as error:
            raise wrong(str(error), k) from None
        items = [item for group in groups for item in group]
        flawed = first_flawed(items)
        if flawed is not None:
            raise wrong(flaw(items[flawed]), k)
        if not items:
            raise wrong("the order is empty; leave the row out where a system gave none", k)
        sizes.append(len(items))
        tied += bytes(len(items)) if len(groups) == len(items) else _ties(groups)
        last += items
        if len(last) >= BLOCK:
            coding.add(last)
            last = []
    if last:
        coding.add(last)
    items = coding.done()
    del coding  # which holds the texts of each block
    by_document = np.argsort(rows.documents.codes, kind="stable")
    of_rows = (codes[by_document] for codes in (rows.documents.codes, rows.systems.codes, order))
    flags, lengths = np.frombuffer(tied, dtype=bool), np.frombuffer(sizes, dtype=np.int32)
    orders = _Orders(items.distinct, items.codes, flags, lengths, *of_rows)
    k = _unseparated(orders)
    if k is not None:
        raise wrong("is one item, or several without a sign between; put '>' between items", k)
    rows.refuse_twice()
    return (_tied if orders.tied.any() else _untied)(rows, orders)


def _ties(groups: list[list[str]]) -> bytes:
    """Whether each item is tied with the one before it."""
    return b"".join(b"\0".ljust(len(group), b"\1") for group in groups)


def _unseparated(orders: _Orders) -> int | None:
    """Return the first order with one item that may be several with an unknown separator."""
    alone = np.flatnonzero(orders.sizes == 1)
    codes = orders.codes[np.cumsum(orders.sizes)[alone] - 1]
    single, known = np.zeros((2, len(orders.items)), dtype=bool)
    single[codes] = True
    parts = {part for item in compress(orders.items, single) for part in _parts(item)}
    if not parts:
        return None
    known[orders.codes[np.repeat(orders.sizes > 1, orders.sizes)]] = True
    if known.any():
        parts = {item for item in compress(orders.items, known) if item in parts}
    several = (bool(within := _parts(item)) and parts.issuperset(within) for item in orders.items)
    wrong = np.fromiter(several, bool, len(single))[codes]
    return int(alone[wrong.argmax()]) if wrong.any() else None


def _parts(item: str) -> list[str]:
    """The parts of an item between other signs, none where there is one part."""
    parts = [part for part in _WITHIN.split(item) if part]
    return parts if len(parts) > 1 else []


def _untied(rows: _Rows, orders: _Orders) -> _Result:
    """Items in order, "" beyond the end; systems as they occur in one document after the other."""
    number, size = _items_of_documents(orders, rows.shape[0])
    shape = *rows.shape, int(orders.sizes.max())
    dtype = _dtype(rows.table.source, shape, orders.items, size)
    values = np.full(shape, "", dtype=dtype)
    if dtype.kind == "U" and all(map(str.isascii, joined(orders.items))):
        dtype = np.dtype(f"S{dtype.itemsize // 4}")  # a byte for each letter
    texts = array_of(orders.items, dtype)
    occurring = pd.unique(orders.system)
    column = np.argsort(occurring)
    for document, system, position, code, _ in orders.pieces():
        values[document, column[system], position] = texts[code]
    systems = [rows.systems.distinct[k] for k in occurring.tolist()]
    axes = text_axes({DOCUMENT: rows.documents.distinct, names.SYSTEM: systems})
    dims = DOCUMENT, names.SYSTEM, POSITION
    shared = xr.Variable(dims, values, fastpath=True)  # else each object becomes its own text
    return _squeezed(xr.DataArray(shared, axes, dims)), number


def _items_of_documents(orders: _Orders, documents: int) -> tuple[np.ndarray, int]:
    """The number of items of each document, and the bytes that all orders take in the file at
    least.
    """
    n, size, number = len(orders.items), 0, np.zeros(documents, np.int64)
    lengths, latest = np.fromiter(map(len, orders.items), np.int32, n), np.full(n, -1, np.int32)
    for document, _, _, code, _ in orders.pieces():
        size += len(code) + int(lengths[code].sum())
        within, item = np.divmod(np.unique(document * np.int64(n) + code), n)
        np.add.at(number, within[latest[item] < within], 1)
        latest[item] = within
    return number, size


_SMALL, _TEXT = 2**22, 64  # bytes of any array, and of a short text that is Python's own
_TIMES, _SLACK = 4, 2**27  # as many bytes in memory as in the file, and beyond that


def _dtype(source: str, shape: tuple[int, ...], items: Sequence[str], size: int) -> np.dtype:
    """The dtype of an array of items, which take at least `size` bytes in the file: of fixed width,
    or objects where that is far too wide.
    """
    longest, letters = max(map(len, items)), sum(map(len, items))
    cells, dtype = math.prod(shape), np.dtype(f"U{longest}")
    shared = 8 * cells + _TEXT * len(items) + letters  # bytes in memory
    if dtype.itemsize * cells > max(_SMALL, _TIMES * size, shared):
        dtype = np.dtype(object)
    most = (_SLACK + _TIMES * size) // dtype.itemsize
    refuse_large(source, most, documents=shape[0], systems=shape[1], positions=shape[2])
    return dtype


def _tied(rows: _Rows, orders: _Orders) -> _Result:
    """Ranks; tied items share the lowest of their ranks, and the items are as they occur in one
    document after the other.
    """
    values, place, number = _no_ranks(rows, len(orders.items)), np.full(len(orders.items), -1), 0
    begin = untied = 0
    for document, system, position, code, tied in orders.pieces():
        new = pd.unique(code[place[code] < 0])
        place[new] = np.arange(number, number + len(new))
        number += len(new)
        here = np.arange(begin, begin + len(code))
        lowest = np.maximum.accumulate(np.where(tied, untied, here))
        values[document, system, place[code]] = position + 1 - (here - lowest)
        begin, untied = begin + len(code), lowest[-1]
    items = list(orders.items)
    return _ranks(rows, values, [items[k] for k in np.argsort(place).tolist()])


def _no_ranks(rows: _Rows, items: int) -> np.ndarray:
    """NaN over documents, systems and items."""
    shape = *rows.shape, items
    refuse_large(rows.table.source, documents=shape[0], systems=shape[1], items=items)
    return np.full(shape, np.nan)


def _ranks(rows: _Rows, values: np.ndarray, items: Sequence[str]) -> _Result:
    systems, documents = rows.systems.distinct, rows.documents.distinct
    axes = text_axes({DOCUMENT: documents, names.SYSTEM: systems, names.ITEM: items})
    ranks = xr.DataArray(values, axes, (DOCUMENT, names.SYSTEM, names.ITEM))
    return _squeezed(ranks), (~np.isnan(values)).any(1).sum(-1)


def _from_long(rows: _Rows, item: str, rank: str) -> _Result:
    items = item_ids(rows.table, item, "each rank its item")
    n = len(items.distinct)
    place = rows.place * n + items.codes
    if twice := first_twice(place, math.prod(rows.shape) * n):
        system = quoted(rows.systems[twice[0]])
        reason = f"the item is ranked twice by system {system}; give one rank"
        raise rows.table.problem(twice[0], reason, column=item, value=items[twice[0]])
    ranks, values = cells.numbers(rows.table, rank), _no_ranks(rows, n)
    values.reshape(-1)[place] = ranks
    _refuse_gaps(rows, values)
    return _ranks(rows, values, items.distinct)


def _from_wide(rows: _Rows, columns: list[str]) -> _Result:
    if not columns:
        what = "no column 'order', no columns 'item' and 'rank', and no columns of ranks"
        raise problem(rows.table.source, what)
    hint = "no rank; give 'order', 'item' and 'rank', or ranks"
    values = _no_ranks(rows, len(columns))
    for k, column in enumerate(columns):
        ranks = cells.numbers(rows.table, column, lambda: hint)
        values[rows.documents.codes, rows.systems.codes, k] = ranks
    rows.refuse_twice()
    _refuse_gaps(rows, values)
    return _ranks(rows, values, columns)


def _refuse_gaps(rows: _Rows, values: np.ndarray) -> None:
    """Refuse ranks with a gap, and say in which row the system begins."""
    wrong = np.argwhere(~without_gaps(values))
    if len(wrong):
        d, s = wrong[0].tolist()
        k = int((rows.place == d * rows.shape[1] + s).argmax())
        what = f"system {quoted(rows.systems[k])}: {gap_of(values[d, s])}"
        raise rows.table.problem(k, what)


def _squeezed(ranks: xr.DataArray) -> xr.DataArray:
    nameless = ranks.sizes[DOCUMENT] == 1 and ranks[DOCUMENT].item() == ""
    return ranks.isel({DOCUMENT: 0}, drop=True) if nameless else ranks


def _size(orders: xr.DataArray, document: str | None, lengths: np.ndarray) -> str:
    """Summarize what was read: documents, systems, items, and missing orders."""
    systems = orders[names.SYSTEM].values.tolist()
    number = f"{lengths.min()} to {lengths.max()} items"
    if lengths.min() == lengths.max():
        number = counted(int(lengths.min()), "item")
    size = f"{counted(len(systems), 'system')} ({listed(systems)}), {number}"
    if document:
        size = f"{counted(orders.sizes[DOCUMENT], 'document')} from column {document!r}, {size}"
    of_positions = POSITION in orders.dims
    missing = orders[..., 0] == "" if of_positions else orders.isnull().all(names.ITEM)
    lacking = int(missing.sum())
    return f"{size}, {counted(lacking, 'order')} missing" if lacking else size
