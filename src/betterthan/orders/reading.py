"""Orders of items from files: one order a row, one rank a row, or one row of ranks for each
system.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.io import cells
from betterthan.io.files import table_of
from betterthan.io.problems import counted, listed, problem, shown
from betterthan.io.table import Table
from betterthan.orders.ranked import DOCUMENT, POSITION, from_lists, ranked_of

_SYSTEM = ("system", "model", "judge", "rater", "annotator")
_DOCUMENT = ("document", "doc", "doc_id", "document_id", "text", "query")
_ORDER = ("order", "ranking")
_ITEM = ("item", "item_id")
_RANK = ("rank", "position")
_BETWEEN = re.compile(r"\s*[|;,]\s*")


def read(source: str | Path | pd.DataFrame) -> xr.DataArray:
    """Read the orders in which systems (or judges) put items.

    Parameters
    ----------
    source : path or pandas.DataFrame
        A column of systems (``system``, ``model``, ``judge``, ``rater``, ``annotator``), perhaps
        one of documents, and

        - a column ``order``: all items in one cell, such as ``b > a = c`` (``=`` for ties), or with
          ``|``, ``;`` or ``,`` between them, or a list in JSON; or
        - columns ``item`` and ``rank``, one row for each; equal ranks are ties; or
        - one column of ranks for each item.

    Returns
    -------
    xarray.DataArray
        Orders (document, system, position), or ranks (document, system, item) of the other two
        layouts; without the dim document where the file has none. ``attrs["reading"]`` says in one
        line what was read.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file cannot be read or holds none of these; if an item occurs twice in an order; if
        ranks have a gap.

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
        raise problem(
            table.source,
            f"no column of systems ({', '.join(_SYSTEM)}) among {listed(table.columns)}",
        )
    document = _column(table, _DOCUMENT)
    systems = cells.system_names(table, system)
    documents = (
        cells.labels(table, document, "each order its document")
        if document
        else [""] * len(systems)
    )
    order, item, rank = (_column(table, names_of) for names_of in (_ORDER, _ITEM, _RANK))
    try:
        if order is not None:
            found, kind = _from_orders(table, order, documents, systems), "orders"
        elif item is not None and rank is not None:
            found, kind = _from_long(table, item, rank, documents, systems), "ranks, one a row"
        else:
            rest = [c for c in table.columns if c not in (system, document)]
            found, kind = (
                _from_wide(table, rest, documents, systems),
                "ranks, one column for each item",
            )
        ranked = ranked_of(found)
    except ValueError as error:
        raise (
            error if str(error).startswith(table.source) else problem(table.source, str(error))
        ) from None
    reading = f"{table.source} read as {kind}: {_size(found, document, ranked.items)}"
    found.attrs = {"reading": " ".join(reading.splitlines()), "source": table.source}
    return found


def _column(table: Table, aliases: tuple[str, ...]) -> str | None:
    known = {column.casefold(): column for column in reversed(table.columns)}
    return next((known[name] for name in aliases if name in known), None)


def _from_orders(
    table: Table, column: str, documents: list[str], systems: list[str]
) -> xr.DataArray:
    lists: dict[str, dict[str, list[list[str]]]] = {}
    for k, (document, system, value) in enumerate(
        zip(documents, systems, table.columns[column], strict=True)
    ):
        inner = lists.setdefault(document, {})
        if system in inner:
            raise _twice(table, k, document, system)
        inner[system] = _groups(value)
        if not inner[system]:
            what = "the order is empty; leave the row out where a system gave none"
            raise problem(table.source, what, row=table.rows[k], column=column, value=value)
    if any(
        len(group) > 1 for inner in lists.values() for order in inner.values() for group in order
    ):
        return _squeezed(_tied(lists, list(dict.fromkeys(systems))))
    plain = {
        d: {s: [group[0] for group in order] for s, order in inner.items()}
        for d, inner in lists.items()
    }
    return from_lists(plain if set(documents) != {""} else plain[""])


def _groups(value: Any) -> list[list[str]]:
    """The items of one cell, in groups of tied ones: a > b = c > d."""
    if isinstance(value, list | tuple | np.ndarray):
        return [[str(item)] for item in value]
    text = str(value or "").strip()
    if ">" in text:
        return [[item.strip() for item in group.split("=")] for group in text.split(">")]
    return [[item] for item in _BETWEEN.split(text)] if text else []


def _tied(lists: dict[str, dict[str, list[list[str]]]], systems: list[str]) -> xr.DataArray:
    """Ranks; tied items share the lowest of their ranks."""
    rows = []
    for document, inner in lists.items():
        for system, order in inner.items():
            before = np.cumsum([0, *map(len, order)])
            rows += [
                (document, system, item, r + 1)
                for r, group in zip(before, order, strict=False)
                for item in group
            ]
    frame = pd.DataFrame(rows, columns=[DOCUMENT, names.SYSTEM, names.ITEM, "rank"])
    again = frame.duplicated([DOCUMENT, names.SYSTEM, names.ITEM])
    if again.any():
        _, system, item, _ = frame[again].iloc[0]
        raise ValueError(
            f"system {system!r}: item {item!r} occurs twice; every item stands once in an order"
        )
    items = list(dict.fromkeys(frame[names.ITEM]))
    coords = {DOCUMENT: list(lists), names.SYSTEM: systems, names.ITEM: items}
    values = np.full([len(known) for known in coords.values()], np.nan)
    places = [pd.Index(known).get_indexer(np.asarray(frame[c])) for c, known in coords.items()]  # type: ignore
    values[tuple(places)] = frame["rank"]
    return xr.DataArray(values, dims=tuple(coords), coords=coords)


def _from_long(
    table: Table, item: str, rank: str, documents: list[str], systems: list[str]
) -> xr.DataArray:
    frame = pd.DataFrame(
        {
            DOCUMENT: documents,
            names.SYSTEM: systems,
            names.ITEM: cells.labels(table, item, "each rank its item"),
        }
    )
    again = frame.duplicated().to_numpy()
    if again.any():
        k = int(again.argmax())
        what = f"the item is ranked twice by system {shown(systems[k])}; give one rank"
        raise problem(
            table.source, what, row=table.rows[k], column=item, value=frame[names.ITEM].iloc[k]
        )
    codes = {str(c): pd.factorize(np.asarray(frame[c])) for c in frame.columns}
    values = np.full([len(known) for _, known in codes.values()], np.nan)
    values[tuple(code for code, _ in codes.values())] = cells.numbers(table, rank)
    coords = {c: [str(v) for v in known] for c, (_, known) in codes.items()}
    return _squeezed(xr.DataArray(values, dims=tuple(codes), coords=coords))


def _from_wide(
    table: Table, columns: list[str], documents: list[str], systems: list[str]
) -> xr.DataArray:
    if not columns:
        raise problem(
            table.source, "no column 'order', no columns 'item' and 'rank', and no columns of ranks"
        )
    values = np.stack(
        [
            cells.numbers(table, c, "no rank; give 'order', 'item' and 'rank', or ranks")
            for c in columns
        ],
        -1,
    )
    codes = [pd.factorize(np.array(v, dtype=object)) for v in (documents, systems)]
    place = codes[0][0] * len(codes[1][1]) + codes[1][0]
    again = pd.Series(place).duplicated().to_numpy()
    if again.any():
        k = int(again.argmax())
        raise _twice(table, k, documents[k], systems[k])
    full = np.full((len(codes[0][1]), len(codes[1][1]), len(columns)), np.nan)
    full[codes[0][0], codes[1][0]] = values
    coords = {
        DOCUMENT: [str(d) for d in codes[0][1]],
        names.SYSTEM: [str(s) for s in codes[1][1]],
        names.ITEM: columns,
    }
    return _squeezed(xr.DataArray(full, dims=(DOCUMENT, names.SYSTEM, names.ITEM), coords=coords))


def _squeezed(ranks: xr.DataArray) -> xr.DataArray:
    return (
        ranks.isel({DOCUMENT: 0}, drop=True) if ranks[DOCUMENT].values.tolist() == [""] else ranks
    )


def _twice(table: Table, k: int, document: str, system: str) -> ValueError:
    where = f" on document {shown(document)}" if document else ""
    what = f"a second order of system {shown(system)}{where}; give one, or a column 'document' that tells them apart"
    return problem(table.source, what, row=table.rows[k])


def _size(found: xr.DataArray, document: str | None, items: np.ndarray) -> str:
    systems = found[names.SYSTEM].values.tolist()
    size = f"{counted(len(systems), 'system')} ({listed(systems)})"
    lengths = (items != "").sum(-1)
    spread = (
        counted(int(lengths.min()), "item")
        if len(set(lengths)) == 1
        else f"{lengths.min()} to {lengths.max()} items"
    )
    lacking = int(
        (found == "").all(POSITION).sum()
        if POSITION in found.dims
        else found.isnull().all(names.ITEM).sum()
    )
    said = (
        f"{counted(found.sizes[DOCUMENT], 'document')} from column {document!r}, "
        if document
        else ""
    )
    return f"{said}{size}, {spread}" + (f", {counted(lacking, 'order')} missing" if lacking else "")
