"""Where a tree keeps which two systems each pair compares: as coordinates of pair in group
posterior, or in constant_data where ArviZ could not join the variables of the posterior.
"""

import xarray as xr

from betterthan import names


def joinable(data: xr.Dataset) -> xr.Dataset:
    """A group without ``system_a`` and ``system_b`` where a variable is not over pair.

    ArviZ joins the variables of a group, and each must then have the same coordinates.
    """
    if all(names.PAIR in array.dims for array in data.values()):
        return data
    return data.drop_vars([side for side in names.SQUARE if _by_pair(data, side)])


def with_systems(posterior: xr.Dataset, constant: xr.Dataset) -> xr.Dataset:
    """The posterior with ``system_a`` and ``system_b`` on pair, which `joinable` left out."""
    held = all(_by_pair(constant, side) for side in names.SQUARE)
    present = set(names.SQUARE) & {*posterior.coords, *posterior.dims}
    if present or not held or names.PAIR not in posterior.coords:
        return posterior
    place = {label: k for k, label in enumerate(constant[names.PAIR].values.tolist())}
    pairs = posterior[names.PAIR].values.tolist()
    if not set(pairs) <= set(place):
        return posterior
    order = [place[label] for label in pairs]
    sides = {side: (names.PAIR, constant[side].values[order]) for side in names.SQUARE}
    return posterior.assign_coords(sides)


def _by_pair(data: xr.Dataset, side: str) -> bool:
    return side in data.coords and data[side].dims == (names.PAIR,)
