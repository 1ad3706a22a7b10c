"""Join several files of the same systems, with a dataset for each."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.items import COORDINATES, scores_array
from betterthan.io.problems import listed, problem
from betterthan.io.squares import counts_array


def joined(arrays: list[xr.DataArray], datasets: list[str], sources: list[str]) -> xr.DataArray:
    """The arrays one after the other: along item for scores, along a new dim dataset for counts."""
    is_scores = names.SYSTEM in arrays[0].dims
    axis = names.SYSTEM if is_scores else names.SYSTEM_A
    for array, source in zip(arrays, sources, strict=True):
        if names.DATASET in array.coords:
            reason = (
                "has a column for the dataset of its own; leave it out, or read this file alone"
            )
            raise problem(source, reason)
        _refuse_other_systems(arrays[0], array, axis, sources[0], source)
    systems = arrays[0][axis].values.tolist()
    if is_scores:
        return _joined_scores(arrays, systems, datasets, sources)
    return _joined_counts(arrays, systems, datasets, sources)


def _joined_scores(
    arrays: list[xr.DataArray], systems: list[str], datasets: list[str], sources: list[str]
) -> xr.DataArray:
    arrays = [array.sel({names.SYSTEM: systems}) for array in arrays]
    coordinate_roles = [[role for role in COORDINATES if role in array.coords] for array in arrays]
    for roles, source in zip(coordinate_roles, sources, strict=True):
        if roles != coordinate_roles[0]:
            differ = sorted(set(roles) ^ set(coordinate_roles[0]))
            only = f"only one of this file and {sources[0]} has {' and '.join(differ)}"
            raise problem(source, f"{only}; give it in all or none")
    coords: dict[str, Any] = {
        names.DATASET: np.repeat(datasets, [array.sizes[names.ITEM] for array in arrays])
    }
    for role in coordinate_roles[0]:
        coords[role] = np.concatenate([array[role].values for array in arrays])
    ids = np.concatenate([array[names.ITEM].values for array in arrays])
    return scores_array(
        np.concatenate([array.values for array in arrays]), ids.tolist(), systems, coords
    )


def _joined_counts(
    arrays: list[xr.DataArray], systems: list[str], datasets: list[str], sources: list[str]
) -> xr.DataArray:
    for array, source in zip(arrays, sources, strict=True):
        if array.attrs["ties"] != arrays[0].attrs["ties"]:
            only = f"only one of this file and {sources[0]} has a column 'ties'"
            raise problem(source, f"{only}; give it in all files or none")
    order = {names.SYSTEM_A: systems, names.SYSTEM_B: systems}
    return counts_array(np.stack([array.sel(order).values for array in arrays]), systems, datasets)


def _refuse_other_systems(
    first: xr.DataArray, array: xr.DataArray, axis: str, first_source: str, source: str
) -> None:
    systems, first_systems = array[axis].values.tolist(), first[axis].values.tolist()
    absent = [system for system in first_systems if system not in set(systems)]
    extra = [system for system in systems if system not in set(first_systems)]
    if absent or extra:
        parts = [f"lacks {listed(absent)}"] if absent else []
        parts += [f"has {listed(extra)} besides"] if extra else []
        reason = (
            f"{' and '.join(parts)}, compared with {first_source}; give files of the same systems"
        )
        raise problem(source, reason)
