"""Select, order or rename systems."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names


def picked(data: Any, systems: Sequence[str] | Mapping[str, str] | None) -> Any:
    """Data of some systems: a list picks and orders, a mapping renames and keeps the others.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores, tallies, trials, counts as a square or by pair, or judgments; checked.
    systems : sequence of str, mapping of str to str, or None

    Raises
    ------
    ValueError
        If a system is not in the data, is named twice, or fewer than two are left.
    """
    if systems is None:
        return data
    if isinstance(systems, str) or not isinstance(systems, Sequence | Mapping):
        raise ValueError(
            f"systems is {type(systems).__name__}; give a list of names, or a mapping from name "
            f"to new name"
        )
    present = systems_of(data)
    selected = [str(s) for s in systems]
    for name in selected:
        if name not in present:
            raise ValueError(f"systems names {name!r}; the data have {', '.join(present)}")
    checks.unique(selected, "system")
    if isinstance(systems, Mapping):
        new = {str(k): str(v) for k, v in systems.items()}
        checks.unique([new.get(s, s) for s in present], "system")
        return _renamed(data, new)
    checks.at_least_two(selected)
    return _selected(data, selected)


def systems_of(data: Any) -> list[str]:
    """Return the names of the systems, in their order."""
    if names.SYSTEM in data.dims or (names.SYSTEM in data.coords and data[names.SYSTEM].ndim):
        return [str(s) for s in data[names.SYSTEM].values]
    if names.SYSTEM_A in data.dims:
        return [str(s) for s in data[names.SYSTEM_A].values]
    pair_names = np.stack([data[k].values.astype(str) for k in names.SQUARE], axis=1)
    return list(dict.fromkeys(pair_names.ravel().tolist()))


def _selected(data: Any, selected: list[str]) -> Any:
    is_judgments = (
        isinstance(data, xr.Dataset) and names.SYSTEM_A in data
    )  # of an array `in` reads values
    if names.SYSTEM in data.dims and not is_judgments:
        return data.assign_coords({names.SYSTEM: systems_of(data)}).sel({names.SYSTEM: selected})
    if names.SYSTEM_A in data.dims:
        labelled = data.assign_coords(dict.fromkeys(names.SQUARE, systems_of(data)))
        return labelled.sel(dict.fromkeys(names.SQUARE, selected))
    a, b = (data[k].values.astype(str) for k in names.SQUARE)
    rows = np.flatnonzero(np.isin(a, selected) & np.isin(b, selected))
    if not len(rows):
        raise ValueError(f"systems {', '.join(selected)} never met")
    over = data[names.SYSTEM_A].dims[0]
    rows_kept = data.isel({over: rows})
    return (
        rows_kept.assign_coords({names.SYSTEM: selected})
        if isinstance(data, xr.Dataset)
        else rows_kept
    )


def _renamed(data: Any, new: dict[str, str]) -> Any:
    def named(labels: xr.DataArray) -> xr.DataArray:
        return labels.copy(data=np.array([new.get(s, s) for s in labels.values.astype(str)]))

    coordinates = [k for k in (names.SYSTEM, *names.SQUARE) if k in data.coords]
    data = data.assign_coords({k: named(data[k]) for k in coordinates})
    columns = [k for k in names.SQUARE if isinstance(data, xr.Dataset) and k in data.data_vars]
    return data.assign({k: named(data[k]) for k in columns}) if columns else data
