"""Orders of items, as lists or as ranks, brought to one form: the rank of each item of a document
by each system.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import checks, names
from betterthan.io.texts import text_array
from betterthan.text import stripped

DOCUMENT, POSITION, REFERENCE = names.DOCUMENT, names.POSITION, names.REFERENCE


@dataclass(frozen=True)
class Ranked:
    """Ranks from 1, NaN where a system did not rank an item, and what the items are called."""

    documents: list[str]
    systems: list[str]
    items: np.ndarray  # (document, item) str, "" beyond the items of a document
    ranks: np.ndarray  # (document, system, item)

    def of(self, systems: Sequence[str]) -> "Ranked":
        """Some of the systems."""
        where = [self.systems.index(s) for s in systems]
        return replace(self, systems=list(systems), ranks=self.ranks[:, where])


def from_lists(lists: Mapping[Any, Any]) -> xr.DataArray:
    """Convert lists of items to rankings.

    Parameters
    ----------
    lists : mapping
        Mapping from a system to its ranking, a list of items; or from a document to such a mapping.
        A system may lack a document, and documents may have different items and lengths.

    Returns
    -------
    xarray.DataArray, dims (document, system, position), str
        Item ids in order, "" beyond the end. Without the dim document if the mapping had none.

    Raises
    ------
    ValueError
        If there is no ranking, a ranking is empty or not a list, or an item occurs twice or is
        blank.

    Examples
    --------
    >>> orders = from_lists({"reference": ["a", "b", "c"], "A": ["b", "a", "c"]})
    >>> orders.sizes
    Frozen({'system': 2, 'position': 3})
    """
    nested = _nested(lists)
    checks.fit(map(str, nested), "document")
    systems = list(dict.fromkeys(str(s) for inner in nested.values() for s in inner))
    checks.unique(systems, "system")
    coords = {DOCUMENT: text_array(list(map(str, nested))), names.SYSTEM: text_array(systems)}
    orders = xr.DataArray(_padded(nested, systems), coords, (*coords, POSITION))
    ranked_of(orders)
    return orders if nested is lists else orders.isel({DOCUMENT: 0}, drop=True)


def _padded(nested: Mapping[Any, Mapping[Any, Any]], systems: list[str]) -> np.ndarray:
    """Pad the items of every order (document, system, position) with ""."""
    place = {system: j for j, system in enumerate(systems)}
    items_by_cell = {
        (i, place[str(s)]): _items_of(order, str(d), str(s))
        for i, (d, inner) in enumerate(nested.items())
        for s, order in inner.items()
    }
    width = max(map(len, items_by_cell.values()), default=0)
    values = np.full((len(nested), len(systems), width), "", dtype=object)
    for (i, j), order in items_by_cell.items():
        values[i, j, : len(order)] = order
    return text_array(values)


def padded(rows: Sequence[Sequence[str]]) -> np.ndarray:
    """Texts (row, column), "" beyond the end of a row."""
    values = np.full((len(rows), max(map(len, rows))), "", dtype=object)
    for k, row in enumerate(rows):
        values[k, : len(row)] = row
    return text_array(values)


def _nested(lists: Any) -> Mapping[Any, Mapping[Any, Any]]:
    """Return lists by document and system; a single document is named ""."""
    if not isinstance(lists, Mapping) or not lists:
        description = "empty" if isinstance(lists, Mapping) else checks.quoted(lists)
        raise ValueError(
            f"lists is {description}; give a mapping from systems to lists of items, or from "
            "documents to such mappings"
        )
    if not any(isinstance(inner, Mapping) for inner in lists.values()):
        return {"": lists}
    for document, inner in lists.items():
        if not isinstance(inner, Mapping):
            raise ValueError(f"document {document!r} has no mapping from systems to lists of items")
    return lists


def from_ranks(table: pd.DataFrame) -> xr.DataArray:
    """Convert a table of ranks to rankings.

    Parameters
    ----------
    table : pandas.DataFrame
        Ranks, with one row for each system (or judge) and one column for each item; 1 is first,
        equal ranks are ties. A missing rank means that the system did not rank the item.

    Returns
    -------
    xarray.DataArray, dims (system, item), float
        Ranks.

    Raises
    ------
    ValueError
        If a rank is not a number, or ranks skip one, such as 1, 2, 4.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]}, index=["judge 1", "judge 2"])
    >>> from_ranks(table).sizes
    Frozen({'system': 2, 'item': 3})
    """
    checks.of_type(table, pd.DataFrame, "table is", "pandas.DataFrame, one row for each system")
    try:
        values = table.to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            "a rank of table is not a number; give one row of ranks for each system, 1 for the "
            "first item"
        ) from None
    systems, items = [str(s) for s in table.index], [str(c) for c in table.columns]
    checks.unique(systems, "system")
    checks.unique(items, "item")
    coords = {names.SYSTEM: systems, names.ITEM: items}
    ranks = xr.DataArray(values, dims=(names.SYSTEM, names.ITEM), coords=coords)
    ranked_of(ranks)
    return ranks


def ranked_of(orders: Any) -> Ranked:
    """The one form of orders (document, system, position), ranks (document, system, item) or lists.

    Raises
    ------
    ValueError
        If they are none of these; if an item occurs twice or a blank stands inside an order; if
        ranks have a gap.
    """
    if isinstance(orders, Mapping):
        orders = from_lists(orders)
    dims = set(orders.dims) if isinstance(orders, xr.DataArray) else set()
    last = POSITION if POSITION in dims else names.ITEM
    if not {names.SYSTEM, last} <= dims <= {DOCUMENT, names.SYSTEM, last}:
        raise ValueError(
            f"orders are a {type(orders).__name__}; give orders with dims (document, system, "
            "position), ranks with dims (document, system, item), or lists"
        )
    full = orders if DOCUMENT in orders.dims else orders.expand_dims({DOCUMENT: [""]})
    full = full.transpose(DOCUMENT, names.SYSTEM, last)
    documents, systems = (list(map(str, full[d].values)) for d in (DOCUMENT, names.SYSTEM))
    checks.unique(documents, "document")
    checks.unique(systems, "system")
    if last == POSITION:
        return _from_positions(full.values, documents, systems)
    return _from_ranks(full, documents, systems)


def _items_of(order: Any, document: str, system: str) -> list[str]:
    where = _place(document, system)
    if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
        raise ValueError(f"{where}: the order is {checks.quoted(order)}; give a list of items")
    if not len(order):
        raise ValueError(
            f"{where}: the order is empty; leave the system out of the document where it gave none"
        )
    checks.not_nested(order, f"{where}: item", "ties are for orders.read: 'a > b = c'")
    items = ["" if item is None or item != item else stripped(str(item)) for item in order]
    checks.fit(items, f"{where}: item")
    if "" in items:
        raise ValueError(
            f"{where}, position {items.index('') + 1}: the item is blank; every item needs a name"
        )
    return items


def _place(document: str, system: str) -> str:
    return (f"document {document!r}, " if document else "") + f"system {system!r}"


def _from_positions(values: np.ndarray, documents: list[str], systems: list[str]) -> Ranked:
    """Rank each item by its position."""
    checks.fit(values.ravel().tolist(), "item")
    text = values if values.dtype.kind == "U" else text_array(np.where(pd.isna(values), "", values))
    _refuse_holes(text, documents, systems)
    code, items = _coded(text)
    shape = (*text.shape[:2], items.shape[1])
    d, s, p = np.nonzero(text != "")
    place = np.ravel_multi_index((d, s, code[d, s, p]), shape)
    times = np.bincount(place)
    if times.max(initial=0) > 1:
        d, s, item = np.unravel_index(int(times.argmax()), shape)
        name = items[d, item]
        positions = " and ".join(str(p + 1) for p in np.flatnonzero(text[d, s] == name))
        raise ValueError(
            f"{_place(documents[d], systems[s])}: item {str(name)!r} occurs at positions "
            f"{positions}; every item occurs once in an order"
        )
    ranks = np.full(shape, np.nan)
    ranks.reshape(-1)[place] = p + 1
    return Ranked(documents, systems, items, ranks)


def _refuse_holes(text: np.ndarray, documents: list[str], systems: list[str]) -> None:
    filled = text != ""
    inside = filled[..., 1:] & ~filled[..., :-1]
    if inside.any():
        d, s, p = np.argwhere(inside)[0]
        where = _place(documents[d], systems[s])
        raise ValueError(f"{where}, position {p + 1}: blank, though items follow")


def _coded(text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each item of a document, -1 for blanks, and the items (document, code)."""
    flat = text.reshape(len(text), -1)
    by = np.argsort(flat, axis=-1, kind="stable")  # all orders of a document at once
    ordered = np.take_along_axis(flat, by, axis=-1)
    new = ordered != ""
    new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    number = np.cumsum(new, axis=-1) - 1  # blanks stand first
    items = np.full((len(text), max(int(number.max(initial=0)) + 1, 1)), "", dtype=text.dtype)
    d, position = np.nonzero(new)
    items[d, number[d, position]] = ordered[d, position]
    code = np.empty_like(number)
    np.put_along_axis(code, by, number, axis=-1)
    return code.reshape(text.shape), items


def _from_ranks(ranks: xr.DataArray, documents: list[str], systems: list[str]) -> Ranked:
    try:
        values = ranks.values.astype(float)
    except (TypeError, ValueError):
        raise ValueError("a rank is not a number; 1 is the first item") from None
    items = np.array(list(map(str, range(values.shape[-1]))))
    if names.ITEM in ranks.coords:
        named = [str(i) for i in ranks[names.ITEM].values]
        checks.unique(named, "item")
        items = np.array(named)
    gaps = np.argwhere(~without_gaps(values))
    if len(gaps):
        d, s = gaps[0]
        raise ValueError(f"{_place(documents[d], systems[s])}: {gap_of(values[d, s])}")
    listed = np.broadcast_to(items, (len(documents), len(items)))
    return Ranked(documents, systems, np.where(np.isnan(values).all(1), "", listed), values)


def gap_of(ranks: np.ndarray) -> str:
    """Describe ranks with a gap."""
    sorted_ranks = np.sort(ranks[~np.isnan(ranks)])
    rank_text = ", ".join(f"{v:g}" for v in sorted_ranks[:8])
    rank_text += ", ..." if len(sorted_ranks) > 8 else ""
    return (
        f"ranks {rank_text} have a gap or do not start at 1; rank the items from 1 on, equal "
        "numbers for ties"
    )


_PIECE = 2**17  # ranks that are looked at together


def without_gaps(values: np.ndarray) -> np.ndarray:
    """Whether ranks are what ranking gives: ties share the lowest, middle, highest or next rank."""
    rows = values.reshape(-1, values.shape[-1])
    step = max(1, _PIECE // rows.shape[1]) if rows.size else 1
    pieces = [_without_gaps(rows[k : k + step]) for k in range(0, len(rows), step)]
    return np.concatenate([np.empty(0, bool), *pieces]).reshape(values.shape[:-1])


def _without_gaps(values: np.ndarray) -> np.ndarray:
    """The same of some rows of ranks."""
    observed = ~np.isnan(values)
    places = np.arange(1, values.shape[-1] + 1)
    plain = (np.sort(values) == places).sum(-1) == observed.sum(-1)
    if plain.all():  # no ties: nothing to try
        return plain
    ways = ("min", "average", "max", "dense")
    ranked = [stats.rankdata(values, method=m, axis=-1, nan_policy="omit") for m in ways]
    return np.any([((r == values) | ~observed).all(-1) for r in ranked], axis=0)
