"""Orders of items from files: one order a row, one rank a row, or one row of ranks each."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.io import cells
from betterthan.io.cells import plain_text
from betterthan.io.files import table_of
from betterthan.io.items import item_ids
from betterthan.io.problems import counted, listed, printable, problem, quoted
from betterthan.io.table import Table, refuse_large, unread
from betterthan.io.texts import Coded, as_coded, coded, text_array
from betterthan.orders.ranked import DOCUMENT, POSITION, from_lists, gap_of, ranked_of, without_gaps
from betterthan.text import first_flawed, flaw

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
        text = plain_text(value).strip()
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
        groups = [[item.strip()] for item in text.split(between[0])]
    else:
        groups = [[item.strip() for item in group.split("=")] for group in text.split(">")]
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
    groups = [[plain_text(item).strip()] for item in items]
    if [""] in groups:
        raise ValueError("has a blank where an item should be; every item needs a name")
    return groups


def _refuse_repeated(groups: list[list[str]]) -> None:
    items = [item for group in groups for item in group]
    for k, item in enumerate(items):
        if items.index(item) < k:
            tied = len(items) > len(groups)
            where = "twice" if tied else f"at positions {items.index(item) + 1} and {k + 1}"
            raise ValueError(
                f"item {quoted(item)} occurs {where}; every item occurs once in an order"
            )


def unseparated(orders: Sequence[list[str]]) -> int | None:
    """Return the first order with one item that may be several with an unknown separator."""
    known_items = {item for items in orders if len(items) > 1 for item in items}
    for k, items in enumerate(orders):
        parts = [part for part in _WITHIN.split(items[0]) if part] if len(items) == 1 else []
        if len(parts) > 1 and (set(parts) <= known_items or not known_items):
            return k
    return None


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
        orders, kind, ignored = _read(rows, {system, document})
        ranked = ranked_of(orders)
    except ValueError as error:
        if str(error).startswith(table.source):
            raise
        raise problem(table.source, str(error)) from None
    reading = f"{table.source} read as {kind}: {_size(orders, document, ranked.items)}"
    reading += f", ignored columns {listed(ignored)}" if ignored else ""
    orders.attrs = {"reading": printable(" ".join(reading.splitlines())), "source": table.source}
    return orders


@dataclass(frozen=True)
class _Rows:
    """A table, and of which document and system each of its rows is."""

    table: Table
    documents: Coded  # "" where there are none
    systems: Coded

    def wrong(self, reason: str, k: int, column: str, value: Any) -> ValueError:
        """Return the error for a cell."""
        row = self.table.rows[k]
        return problem(self.table.source, reason, row=row, column=column, value=value)


def _read(rows: _Rows, key_columns: set[str | None]) -> tuple[xr.DataArray, str, list[str]]:
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
    columns_by_name = {column.casefold(): column for column in reversed(table.columns)}
    return next((columns_by_name[name] for name in aliases if name in columns_by_name), None)


def _from_orders(rows: _Rows, column: str) -> xr.DataArray:
    lists: dict[str, dict[str, list[list[str]]]] = {}
    orders = _cells_of(rows, column)
    for k, (document, system) in enumerate(zip(rows.documents, rows.systems, strict=True)):
        inner = lists.setdefault(document, {})
        if system in inner:
            raise _twice(rows, k)
        inner[system] = orders[k]
    if any(len(group) > 1 for order in orders for group in order):
        return _squeezed(_tied(rows.table.source, lists, list(rows.systems.distinct)))
    plain = {d: {s: _plain(order) for s, order in inner.items()} for d, inner in lists.items()}
    return from_lists(plain if list(rows.documents.distinct) != [""] else plain[""])


def _cells_of(rows: _Rows, column: str) -> list[list[list[str]]]:
    """The order in each cell of a column, none of them empty."""
    written = rows.table.columns[column]
    texts = as_coded(written)
    distinct = written if texts is None else texts.distinct  # of equal cells the first is named
    first = range(len(written)) if texts is None else texts.first.tolist()
    orders = []
    for k, value in zip(first, distinct, strict=True):
        try:
            orders.append(groups_of(value))
        except ValueError as error:
            raise rows.wrong(str(error), k, column, value) from None
        plain = _plain(orders[-1])
        flawed = first_flawed(plain)
        if flawed is not None:
            raise rows.wrong(flaw(plain[flawed]), k, column, value)
        if not plain:
            what = "the order is empty; leave the row out where a system gave none"
            raise rows.wrong(what, k, column, value)
    k = unseparated([_plain(order) for order in orders])
    if k is not None:
        what = "is one item, or several without a sign between; put '>' between items"
        raise rows.wrong(what, first[k], column, distinct[k])
    return orders if texts is None else [orders[code] for code in texts.codes.tolist()]


def _plain(order: list[list[str]]) -> list[str]:
    return [item for group in order for item in group]


def _tied(
    source: str, lists: dict[str, dict[str, list[list[str]]]], systems: list[str]
) -> xr.DataArray:
    """Ranks; tied items share the lowest of their ranks."""
    rows = [
        (document, system, item, rank)
        for document, inner in lists.items()
        for system, order in inner.items()
        for item, rank in _ranks(order)
    ]
    *columns, ranks = zip(*rows, strict=True)
    return _filled(source, list(map(coded, columns)), np.array(ranks)).sel({names.SYSTEM: systems})


def _ranks(order: list[list[str]]) -> list[tuple[str, int]]:
    before = accumulate(map(len, order), initial=0)
    return [(item, r + 1) for r, group in zip(before, order, strict=False) for item in group]


def _from_long(rows: _Rows, item: str, rank: str) -> xr.DataArray:
    items = item_ids(rows.table, item, "each rank its item")
    columns = [rows.documents, rows.systems, items]
    again = pd.DataFrame({k: column.codes for k, column in enumerate(columns)}).duplicated()
    if again.any():
        k = int(again.argmax())
        reason = f"the item is ranked twice by system {quoted(rows.systems[k])}; give one rank"
        raise rows.wrong(reason, k, item, items[k])
    ranks = _filled(rows.table.source, columns, cells.numbers(rows.table, rank))
    _refuse_gaps(rows, ranks)
    return _squeezed(ranks)


def _filled(source: str, columns: Sequence[Coded], ranks: np.ndarray) -> xr.DataArray:
    """Arrange ranks over documents, systems and items, in order of appearance; NaN without a
    rank.
    """
    coded_by_dim = dict(zip((DOCUMENT, names.SYSTEM, names.ITEM), columns, strict=True))
    sizes = {f"{name}s": len(column.distinct) for name, column in coded_by_dim.items()}
    refuse_large(source, **sizes)
    values = np.full([*sizes.values()], np.nan)
    values[tuple(column.codes for column in columns)] = ranks
    coords = {name: text_array(list(column.distinct)) for name, column in coded_by_dim.items()}
    return xr.DataArray(values, dims=tuple(coded_by_dim), coords=coords)


def _from_wide(rows: _Rows, columns: list[str]) -> xr.DataArray:
    if not columns:
        what = "no column 'order', no columns 'item' and 'rank', and no columns of ranks"
        raise problem(rows.table.source, what)
    hint = "no rank; give 'order', 'item' and 'rank', or ranks"
    values = np.stack([cells.numbers(rows.table, c, lambda: hint) for c in columns], -1)
    documents, systems = rows.documents, rows.systems
    again = pd.DataFrame({DOCUMENT: documents.codes, names.SYSTEM: systems.codes}).duplicated()
    if again.any():
        raise _twice(rows, int(again.argmax()))
    full = np.full((len(documents.distinct), len(systems.distinct), len(columns)), np.nan)
    full[documents.codes, systems.codes] = values
    coords = {
        DOCUMENT: text_array(list(documents.distinct)),
        names.SYSTEM: text_array(list(systems.distinct)),
        names.ITEM: text_array(columns),
    }
    ranks = xr.DataArray(full, dims=tuple(coords), coords=coords)
    _refuse_gaps(rows, ranks)
    return _squeezed(ranks)


def _refuse_gaps(rows: _Rows, ranks: xr.DataArray) -> None:
    """Refuse ranks with a gap, and say in which row the system begins."""
    wrong = np.argwhere(~without_gaps(ranks.values))
    if len(wrong):
        d, s = wrong[0]
        order_key = str(ranks[DOCUMENT].values[d]), str(ranks[names.SYSTEM].values[s])
        k = list(zip(rows.documents, rows.systems, strict=True)).index(order_key)
        what = f"system {quoted(order_key[1])}: {gap_of(ranks.values[d, s])}"
        raise problem(rows.table.source, what, row=rows.table.rows[k])


def _squeezed(ranks: xr.DataArray) -> xr.DataArray:
    nameless = ranks[DOCUMENT].values.tolist() == [""]
    return ranks.isel({DOCUMENT: 0}, drop=True) if nameless else ranks


def _twice(rows: _Rows, k: int) -> ValueError:
    where = f" on document {quoted(rows.documents[k])}" if rows.documents[k] else ""
    what = (
        f"a second order of system {quoted(rows.systems[k])}{where}; give one, or a column "
        "'document' that tells them apart"
    )
    return problem(rows.table.source, what, row=rows.table.rows[k])


def _size(orders: xr.DataArray, document: str | None, items: np.ndarray) -> str:
    """Summarize what was read: documents, systems, items, and missing orders."""
    systems = orders[names.SYSTEM].values.tolist()
    lengths = (items != "").sum(-1)
    number = f"{lengths.min()} to {lengths.max()} items"
    if len(set(lengths)) == 1:
        number = counted(int(lengths.min()), "item")
    size = f"{counted(len(systems), 'system')} ({listed(systems)}), {number}"
    if document:
        size = f"{counted(orders.sizes[DOCUMENT], 'document')} from column {document!r}, {size}"
    of_positions = POSITION in orders.dims
    missing = (orders == "").all(POSITION) if of_positions else orders.isnull().all(names.ITEM)
    lacking = int(missing.sum())
    return f"{size}, {counted(lacking, 'order')} missing" if lacking else size
