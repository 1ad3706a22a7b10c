"""Some of the systems, in an order, or under other names."""

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
    known = systems_of(data)
    asked = [str(s) for s in systems]
    for name in asked:
        if name not in known:
            raise ValueError(f"systems names {name!r}; the data have {', '.join(known)}")
    checks.unique(asked, "system")
    if isinstance(systems, Mapping):
        new = {str(k): str(v) for k, v in systems.items()}
        checks.unique([new.get(s, s) for s in known], "system")
        return _renamed(data, new)
    checks.at_least_two(asked)
    return _selected(data, asked)


def systems_of(data: Any) -> list[str]:
    """Names of the systems, in their order."""
    if names.SYSTEM in data.dims or (names.SYSTEM in data.coords and data[names.SYSTEM].ndim):
        return [str(s) for s in data[names.SYSTEM].values]
    if names.SYSTEM_A in data.dims:
        return [str(s) for s in data[names.SYSTEM_A].values]
    both = np.stack([data[k].values.astype(str) for k in names.SQUARE], axis=1)
    return list(dict.fromkeys(both.ravel().tolist()))


def _selected(data: Any, asked: list[str]) -> Any:
    met = isinstance(data, xr.Dataset) and names.SYSTEM_A in data  # of an array `in` reads values
    if names.SYSTEM in data.dims and not met:
        return data.assign_coords({names.SYSTEM: systems_of(data)}).sel({names.SYSTEM: asked})
    if names.SYSTEM_A in data.dims:
        whole = data.assign_coords(dict.fromkeys(names.SQUARE, systems_of(data)))
        return whole.sel(dict.fromkeys(names.SQUARE, asked))
    a, b = (data[k].values.astype(str) for k in names.SQUARE)
    rows = np.flatnonzero(np.isin(a, asked) & np.isin(b, asked))
    if not len(rows):
        raise ValueError(f"systems {', '.join(asked)} never met")
    over = data[names.SYSTEM_A].dims[0]
    kept = data.isel({over: rows})
    return kept.assign_coords({names.SYSTEM: asked}) if isinstance(data, xr.Dataset) else kept


def _renamed(data: Any, new: dict[str, str]) -> Any:
    def named(labels: xr.DataArray) -> xr.DataArray:
        return labels.copy(data=np.array([new.get(s, s) for s in labels.values.astype(str)]))

    held = [k for k in (names.SYSTEM, *names.SQUARE) if k in data.coords]
    data = data.assign_coords({k: named(data[k]) for k in held})
    columns = [k for k in names.SQUARE if isinstance(data, xr.Dataset) and k in data.data_vars]
    return data.assign({k: named(data[k]) for k in columns}) if columns else data
