"""Two sequences of scores on the same items: joined by label where there are labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.reading.any_source import read


def two_sequences(first: Any, second: Any) -> xr.DataArray:
    """Scores of two systems, given one by one.

    Parameters
    ----------
    first, second : Series or DataArray, or list or array, or path
        Series and DataArrays are joined by their labels, which must be the same; lists and arrays
        by position, of equal length; two paths are two files of scores.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        Systems are called as the Series or DataArrays are, else A and B.

    Raises
    ------
    ValueError
        If they are of different kinds or lengths, or their labels differ.
    """
    sides = {"data": first, "other": second}
    kinds = {name: _kind(side, name) for name, side in sides.items()}
    if kinds["data"] != kinds["other"]:
        raise ValueError(
            f"data is {kinds['data']} and other is {kinds['other']}; give two of one kind"
        )
    if kinds["data"] == "a path":
        return read([first, second])
    if kinds["data"] == "labelled":
        return _by_label(_labelled(first, "data"), _labelled(second, "other"))
    values = [_numbers(side, name) for name, side in sides.items()]
    if len(values[0]) != len(values[1]):
        raise ValueError(
            f"data has {len(values[0])} scores and other {len(values[1])}; by position they must "
            f"be "
            "equally many: give the same items, or Series that name them"
        )
    return _scores(np.stack(values, axis=1), ["A", "B"], None)


def _kind(side: Any, name: str) -> str:
    if isinstance(side, str | Path):
        return "a path"
    if isinstance(side, pd.Series | xr.DataArray):
        return "labelled"
    if isinstance(side, list | tuple | np.ndarray):
        return "a list"
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


def _by_label(first: pd.Series, second: pd.Series) -> xr.DataArray:
    for one, two, where in ((first, second, "other"), (second, first, "data")):
        apart = one.index.difference(two.index, sort=False)
        if len(apart):
            raise ValueError(
                f"{where} has no item {str(apart[0])!r} ({len(apart)} missing in all); give both "
                "systems the same items"
            )
    systems = [str(s.name) for s in (first, second) if s.name is not None]
    items = [str(x) for x in first.index]
    checks.fit(systems, "system")
    checks.fit(items, "item")
    systems = systems if len(set(systems)) == 2 else ["A", "B"]
    both = [
        _numbers(s.to_numpy(), w) for s, w in ((first, "data"), (second.loc[first.index], "other"))
    ]
    return _scores(np.stack(both, axis=1), systems, items)


def _numbers(side: Any, name: str) -> np.ndarray:
    try:
        values = np.asarray(side, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds what is no number; give one score an item") from None
    if values.ndim != 1 or not len(values):
        raise ValueError(
            f"{name} has {values.ndim} dims and {values.size} scores; give one an item"
        )
    return values


def _scores(values: np.ndarray, systems: list[str], items: list[str] | None) -> xr.DataArray:
    coords = {names.SYSTEM: systems} | ({} if items is None else {names.ITEM: items})
    return xr.DataArray(values, dims=(names.ITEM, names.SYSTEM), coords=coords)
