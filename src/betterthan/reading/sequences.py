"""Scores in memory without names of their own: sequences, joined by label where there are labels,
and arrays.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.system_names import tell_alike
from betterthan.text import stripped

TO_READ = PATH, FRAME = "a path", "a DataFrame"
_LABELLED, _LIST = "labelled", "a list"


def common_kind(sides: Mapping[str, Any]) -> str:
    """The kind that all sides have: a list, labelled, or one of `TO_READ`, which may be mixed.

    Parameters
    ----------
    sides : mapping of str to Series, DataArray, list, array, path or DataFrame
        Each under the name that it has in messages.

    Raises
    ------
    ValueError
        If a side is of no such kind, or two are of different kinds.
    """
    kinds = {name: _kind(side, name) for name, side in sides.items()}
    (first, kind), *others = kinds.items()
    for name, other in others:
        if other != kind and not {kind, other} <= {*TO_READ}:
            count = "two" if len(kinds) == 2 else "all"
            raise ValueError(f"{first} is {kind} and {name} is {other}; give {count} of one kind")
    return kind


def scores_from_sequences(
    sides: Mapping[str, Any], systems: Sequence[str] | None = None
) -> xr.DataArray:
    """Scores of several systems, one sequence each.

    Parameters
    ----------
    sides : mapping of str to Series or DataArray, or to list or array
        Series and DataArrays are joined by their labels, which must be the same; lists and arrays
        by position, of equal length.
    systems : sequence of str, optional
        Names of the systems. Two systems are called as the Series or DataArrays are, else A and B,
        when not given.

    Returns
    -------
    xarray.DataArray, dims (item, system)

    Raises
    ------
    ValueError
        If they are of different kinds or lengths, or their labels differ.
    """
    items, shared = None, None
    if common_kind(sides) == _LABELLED:
        labelled = {name: _labelled(side, name) for name, side in sides.items()}
        systems = systems or _series_names(labelled)
        shared = _shared(sides, labelled)
        sides, items = _by_label(labelled)
    values = {name: _numbers(side, name) for name, side in sides.items()}
    (first, column), *others = values.items()
    for name, other in others:
        if len(other) != len(column):
            raise ValueError(
                f"{first} has {len(column)} scores and {name} {len(other)}; by position they must "
                "be equally many: give the same items, or Series that name them"
            )
    scores = _scores(np.stack([*values.values()], axis=1), systems or ["A", "B"], items)
    if shared is None:
        return scores
    coords = {name: (names.ITEM, values) for name, values in shared.coords.items()}
    return scores.assign_coords(coords).assign_attrs(shared.attrs)


def scores_from_array(data: np.ndarray, systems: Any) -> xr.DataArray:
    """Scores of an array of two dims, whose rows are items and whose columns are systems.

    Raises
    ------
    ValueError
        If systems are not named, or have another number of names.
    """
    columns = checks.numbered(data.shape[1], "column")
    if not isinstance(systems, Sequence) or isinstance(systems, str):
        raise ValueError(
            f"data is {type(data).__name__}; give scores (item, system), or pass systems=[...], "
            f"names for its {columns}"
        )
    if len(systems) != data.shape[1]:
        n_names = checks.numbered(len(systems), "name")
        raise ValueError(f"systems has {n_names} and data {columns}; give one name for each column")
    return _scores(_numbers(data, "data", 2), system_names(systems), None)


def system_names(labels: Iterable[Any]) -> list[str]:
    """Names as text without white space around it; a warning tells of those that look the same.

    Raises
    ------
    ValueError
        If two are the same.
    """
    systems = [stripped(str(name)) for name in labels]
    checks.unique(systems, "system")
    tell_alike("data", systems, "systems")
    return systems


def _kind(side: Any, name: str) -> str:
    if isinstance(side, str | Path):
        return PATH
    if isinstance(side, pd.DataFrame):
        return FRAME
    if isinstance(side, pd.Series | xr.DataArray):
        return _LABELLED
    if isinstance(side, list | tuple | np.ndarray):
        return _LIST
    raise ValueError(
        f"{name} is {type(side).__name__}; give a list of scores, a Series, a DataArray or a path"
    )


def _labelled(side: Any, name: str) -> pd.Series:
    if isinstance(side, xr.DataArray):
        if side.ndim != 1 or side.dims[0] not in side.coords:
            raise ValueError(f"{name} is a DataArray of {side.ndim} dims; give one dim with labels")
        side = side.to_series()
    if not side.index.is_unique:
        twice = side.index[side.index.duplicated()][0]
        raise ValueError(f"{name} has item {str(twice)!r} twice; give each item one score")
    return side


def _series_names(sides: Mapping[str, pd.Series]) -> list[str] | None:
    """Return the names of two Series, A or B for an unnamed one; None if both have the same."""
    series_names = [
        None if side.name is None else stripped(str(side.name)) for side in sides.values()
    ]
    if series_names[0] == series_names[1]:
        return None
    systems = [name or letter for name, letter in zip(series_names, "AB", strict=True)]
    checks.fit(systems, "system")
    return system_names(systems)


@dataclass(frozen=True)
class _Shared:
    """What the DataArrays of all systems say of the items: clusters and the like, the direction."""

    coords: dict[str, np.ndarray]
    attrs: dict[str, Any]


_COORDINATES = ("dataset", "cluster", "epoch")


def _shared(sides: Mapping[str, Any], labelled: Mapping[str, pd.Series]) -> _Shared:
    """Return direction and coordinates if all systems agree; else raise an error that names the
    differing one.
    """
    (first, first_side), *others = sides.items()
    up, coords = _direction(first_side), _item_coordinates(first_side)
    index = labelled[first].index
    for name, side in others:
        if _direction(side) != up:
            raise ValueError(
                f"higher scores of {first} are {'better' if up else 'worse'}, and those of {name} "
                f"{'worse' if up else 'better'}; give all the same higher_is_better"
            )
        theirs = _item_coordinates(side)
        for coord in coords.keys() | theirs.keys():
            coordinate, other_coordinate = coords.get(coord), theirs.get(coord)
            if coordinate is None or other_coordinate is None:
                lacks = first if coordinate is None else name
                raise ValueError(f"{lacks} has no coordinate {coord!r}; give it to all systems")
            differing = index[(coordinate != other_coordinate.reindex(index)).to_numpy(bool)]
            if len(differing):
                raise ValueError(
                    f"{name} has another {coord} than {first} for item {str(differing[0])!r}; give "
                    "all "
                    "the same"
                )
    attrs = {} if up else {"higher_is_better": False}
    return _Shared({name: values.to_numpy() for name, values in coords.items()}, attrs)


def _direction(side: Any) -> bool:
    return bool(side.attrs.get("higher_is_better", True))


def _item_coordinates(side: Any) -> dict[str, pd.Series]:
    """Coordinates of the items of a DataArray; a Series has none."""
    if not isinstance(side, xr.DataArray):
        return {}
    return {
        name: side[name].to_series()
        for name in _COORDINATES
        if name in side.coords and side[name].dims == side.dims and name != side.dims[0]
    }


def _by_label(sides: Mapping[str, pd.Series]) -> tuple[dict[str, np.ndarray], list[str]]:
    """The scores of each in the order of the first, and the items."""
    (name_of_first, first), *others = sides.items()
    for name, side in others:
        for series, reference, where in ((first, side, name), (side, first, name_of_first)):
            missing = series.index.difference(reference.index, sort=False)
            if len(missing):
                raise ValueError(
                    f"{where} has no item {str(missing[0])!r} ({len(missing)} missing in all); "
                    "give "
                    f"{'both' if len(sides) == 2 else 'all'} systems the same items"
                )
    items = [str(x) for x in first.index]
    checks.fit(items, "item")
    ordered = {name: _plain(side.loc[first.index]) for name, side in sides.items()}
    return {name: side.to_numpy(na_value=np.nan) for name, side in ordered.items()}, items


def _plain(side: pd.Series) -> pd.Series:
    """Categories and sparse values as numbers."""
    special = isinstance(side.dtype, pd.CategoricalDtype | pd.SparseDtype)
    return side.astype(object) if special else side


def _numbers(side: Any, name: str, dims: int = 1) -> np.ndarray:
    """Scores as floats; what a mask hides is missing."""
    try:
        values = np.asarray(side)
        if values.dtype.kind == "O":  # pd.NA is missing, too
            values = np.where(pd.isna(values), np.nan, values)
        if values.dtype.kind in "cmMSU" or _holds_text(values):  # complex numbers, dates, text
            raise TypeError
        values = values.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds what is no number; give one score an item") from None
    if isinstance(side, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(side), np.nan, values)
    if values.ndim != dims or not len(values):
        raise ValueError(
            f"{name} has {values.ndim} dims and {values.size} scores; give one an item"
        )
    return values


def _holds_text(values: np.ndarray) -> bool:
    return values.dtype.kind == "O" and any(isinstance(x, str | bytes) for x in values.flat)


def _scores(values: np.ndarray, systems: Sequence[str], items: list[str] | None) -> xr.DataArray:
    coords = {names.SYSTEM: list(systems)} | ({} if items is None else {names.ITEM: items})
    return xr.DataArray(values, dims=(names.ITEM, names.SYSTEM), coords=coords)
