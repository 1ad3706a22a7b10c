"""The item axis: ids, coordinates, and uniqueness."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from betterthan import names
from betterthan.io.cells import labels, read_once
from betterthan.io.coded_columns import Coded, coded, first_rows, narrow
from betterthan.io.layouts import candidates, find
from betterthan.io.problems import listed, problem, shown
from betterthan.io.system_names import tell_alike
from betterthan.io.table import NAMELESS, Table
from betterthan.io.texts import BLOCK, Texts, array_from_codes, dtype_of, few, repeated

COORDINATES = ("dataset", "cluster", "epoch")  # optional coordinates on item, in this order
_WITHIN = ("dataset", "epoch")  # an item is one within these


@dataclass(frozen=True)
class Items:
    """The items of a table with one row for each."""

    ids: Sequence[str]
    coords: dict[str, np.ndarray]
    used: set[str]  # columns that are therefore not systems
    ignored: list[str]  # of these, the ones that nothing was read from
    summary: str


def items_of(table: Table) -> Items:
    """Item ids and coordinates of a table with one row for each item; rows are numbered without
    ids.
    """
    column = sole(table, "item")
    columns_by_role = {
        role: role_column for role in COORDINATES if (role_column := sole(table, role)) is not None
    }
    coords = {
        role: coordinate(table, role_column, role) for role, role_column in columns_by_role.items()
    }
    ignored = [name for name in NAMELESS if name in table.columns and name != column]
    used = {*columns_by_role.values(), *ignored}
    if column is None:
        ids = numbered(len(table.rows))
        summary = "items are row numbers (no column of item ids)" + describe_coordinates(
            columns_by_role
        )
        return Items(ids, coords, used, ignored, summary)
    ids = item_ids(table, column, "each item an id")
    _refuse_repeated(table, column, ids, coords)
    summary = f"item ids from column {column!r}" + describe_coordinates(columns_by_role)
    return Items(ids.texts, coords, used | {column}, ignored, summary)


def numbered(n: int) -> Sequence[str]:
    """Ids of items that have none: 1, 2, 3, ..."""
    numbers = range(1, n + 1)
    return few(Texts(list(map(str, numbers[k : k + BLOCK])) for k in range(0, n, BLOCK)))


def item_ids(table: Table, column: str, requirement: str) -> Coded:
    """Ids of items, none of them blank."""
    return read_once(table, column, lambda part, name: labels(part, name, requirement))


def units(ids: Coded, coords: dict[str, np.ndarray]) -> np.ndarray:
    """One number for each item within its dataset and epoch, in the order they first occur."""
    if not set(coords) & set(_WITHIN):
        return ids.codes
    return narrow(pd.factorize(_keys(ids, coords))[0], len(ids))


def _keys(ids: Coded, coords: dict[str, np.ndarray]) -> np.ndarray:
    """Return a key for each row, equal where item, dataset and epoch are equal."""
    key = ids.codes
    for place, role in enumerate(role for role in _WITHIN if role in coords):
        codes = coded(coords[role].astype(object))
        key = (pd.factorize(key)[0] if place else key) * np.int64(len(codes.distinct))
        key += codes.codes
    return key


def sole(table: Table, role: str) -> str | None:
    """The one column that plays `role`, or None; two are refused, for one would pass as a
    system.
    """
    matches = candidates(table, role)
    if role in ("item", "gold") and len(matches) > 1:
        raise problem(
            table.source,
            f"columns {listed(matches)} could each be the {role}; leave all but one out",
        )
    return matches[0] if matches else None


def coordinate_columns(table: Table) -> dict[str, str]:
    """Return the columns of the optional coordinates, by role."""
    return {role: column for role in COORDINATES if (column := find(table, role)) is not None}


def coordinate(table: Table, column: str, role: str) -> np.ndarray:
    """The values of an optional coordinate: int64 for epochs that are whole numbers, otherwise
    str.
    """
    cells = item_ids(table, column, f"each item its {role}, or leave the column out")
    values = cells.distinct
    if role == "epoch" and all(
        value.isascii() and value.isdigit() and len(value) < 10 for value in values
    ):
        return np.array([int(value) for value in values], dtype=np.int64)[cells.codes]
    tell_alike(table.source, values, f"{role}s")
    return array_from_codes(values, cells.codes)


def scores_array(
    values: np.ndarray, ids: Sequence[str], systems: Sequence[str], coords: dict[str, np.ndarray]
) -> xr.DataArray:
    """Scores over (item, system)."""
    coordinates: dict[Hashable, Any] = {role: (names.ITEM, array) for role, array in coords.items()}
    axes = text_axes({names.ITEM: ids, names.SYSTEM: systems})
    scores = xr.DataArray(values, axes, dims=(names.ITEM, names.SYSTEM), name="scores")
    return scores.assign_coords(coordinates)  # which takes the arrays as they are, without a copy


def text_axes(axes: Mapping[str, Sequence[str]]) -> xr.Coordinates:
    """Dims and the texts along each: what `text_array` would give, whose array is not made, as
    pandas keeps texts of an index in its own way.
    """
    indexes = {dim: _index(dim, texts) for dim, texts in axes.items()}
    variables = {dim: index.create_variables()[dim] for dim, index in indexes.items()}
    return xr.Coordinates(variables, indexes=indexes)


def _index(dim: str, texts: Sequence[str]) -> PandasIndex:
    dtype = dtype_of(texts)
    kind = object if dtype.kind == "O" or not len(texts) else None
    try:
        index = _index_from_blocks(texts, dim, kind)
    except UnicodeEncodeError:  # half a letter, which some JSON holds
        index = _index_from_blocks(texts, dim, object)
    return PandasIndex(index, dim, coord_dtype=dtype)


def _index_from_blocks(texts: Sequence[str], name: str, dtype: Any) -> pd.Index:
    if not isinstance(texts, Texts):
        return pd.Index(list(texts), name=name, dtype=dtype)
    parts = [pd.Series(block, dtype=dtype) for block in texts.blocks()]
    return pd.Index(pd.concat(parts, ignore_index=True), name=name, dtype=dtype)


def at_least_two(table: Table, systems: Sequence[str]) -> None:
    """Refuse a table with fewer than two systems."""
    if len(systems) < 2:
        count = f"only one system, {shown(systems[0])}" if len(systems) else "no system"
        raise problem(table.source, f"{count}; a comparison needs at least two")


def describe_coordinates(columns: dict[str, str]) -> str:
    """Describe the columns of the optional coordinates for the import summary."""
    return "".join(f", {role} from column {column!r}" for role, column in columns.items())


def _refuse_repeated(table: Table, column: str, ids: Coded, coords: dict[str, np.ndarray]) -> None:
    if ids.once:
        return
    if not len(repeated(_keys(ids, coords))):
        return
    first = first_rows(unit := units(ids, coords))
    k = int((first[unit] != np.arange(len(unit))).argmax())
    within = [role for role in _WITHIN if role in coords]
    same = "".join(f" and {role} {shown(coords[role][k].item())}" for role in within)
    before = table.rows[int(first[unit[k]])]
    reason = f"duplicate item id{same}, already in row {before}; give each item one row"
    reason += "" if "epoch" in within else ", or tell its runs apart in a column 'epoch'"
    raise problem(table.source, reason, row=table.rows[k], column=column, value=ids[k])
