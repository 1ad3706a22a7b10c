"""Convert between the square and the pairs."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.arrays import labelled


def to_pairs(square: xr.DataArray) -> xr.DataArray:
    """One entry for each unordered pair, from an array over (system_a, system_b).

    Parameters
    ----------
    square : xarray.DataArray with dims system_a and system_b

    Returns
    -------
    xarray.DataArray
        The upper triangle, with a dim ``pair`` and coordinates ``system_a`` and ``system_b`` on it.

    Raises
    ------
    ValueError
        If it is no such array, or system_a and system_b name different systems.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> to_pairs(counts).pair.values.tolist()
    ['A vs B']
    """
    systems = _systems_of(square)
    first, second = pair_indices(len(systems))
    square = square.transpose(..., *names.SQUARE, *_after(square))
    lead = int(square.get_axis_num(names.SYSTEM_A))  # type: ignore[arg-type]
    values = np.moveaxis(
        np.moveaxis(square.values, (lead, lead + 1), (0, 1))[first, second], 0, lead
    )
    dims = (*square.dims[:lead], names.PAIR, *square.dims[lead + 2 :])
    coords = _coords_by_pair(square, first, second) | pair_coords(systems, first, second)
    return xr.DataArray(values, dims=dims, coords=coords, attrs=square.attrs, name=square.name)


def _systems_of(square: Any) -> list[str]:
    """The systems of a square, checked."""
    labelled(square, "square", "an array over (system_a, system_b)", kinds=xr.DataArray)
    if not set(names.SQUARE) <= set(square.dims):
        raise ValueError(
            f"square has dims {tuple(map(str, square.dims))}; it needs system_a and system_b"
        )
    systems = [str(s) for s in square[names.SYSTEM_A].values]
    if systems != [str(s) for s in square[names.SYSTEM_B].values]:
        raise ValueError("system_a and system_b must name the same systems in the same order")
    if names.OUTCOME in square.dims:
        schemas.triangles(square)
    return systems


def _coords_by_pair(square: xr.DataArray, first: np.ndarray, second: np.ndarray) -> dict[Any, Any]:
    """Keep coordinates independent of systems, and those of every pair of systems."""
    pair_coordinates: dict[Any, Any] = {}
    for name, coord in square.coords.items():
        if set(coord.dims) == set(names.SQUARE):
            pair_coordinates[name] = (
                names.PAIR,
                coord.transpose(*names.SQUARE).values[first, second],
            )
        elif not set(names.SQUARE) & set(coord.dims):
            pair_coordinates[name] = coord
    return pair_coordinates


def to_square(pairs: xr.DataArray, *, mirror: str = "counts", diagonal: float = 0) -> xr.DataArray:
    """A square over (system_a, system_b) from one entry for each unordered pair.

    Parameters
    ----------
    pairs : xarray.DataArray with dim pair and coordinates system_a, system_b on it
    mirror : {"counts", "probability", "difference", "same"}, default "counts"
        How the value of (B, A) follows from that of (A, B): win and loss exchanged, ``1 - x``,
        ``-x``, or the same.
    diagonal : float, default 0
        The value of a system against itself, and of a pair that is absent.

    Returns
    -------
    xarray.DataArray
        With dims system_a, system_b in place of pair.

    Raises
    ------
    ValueError
        If it is no such array, a pair occurs twice, in either direction, or `mirror` is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> bool((to_square(to_pairs(counts)) == counts).all())
    True
    """
    checks.one_of(mirror, ("counts", *_MIRRORS), "mirror")
    i, j, systems = _places(pairs)
    axis = pairs.dims.index(names.PAIR)
    moved = np.moveaxis(pairs.values, axis, 0)
    filled = np.full((len(systems),) * 2 + moved.shape[1:], diagonal, dtype=moved.dtype)
    filled[i, j], filled[j, i] = moved, _mirrored(moved, mirror)
    square = np.moveaxis(filled, (0, 1), (axis, axis + 1))
    dims = (*pairs.dims[:axis], *names.SQUARE, *pairs.dims[axis + 1 :])
    coords = {k: c for k, c in pairs.coords.items() if names.PAIR not in c.dims}
    coords |= dict.fromkeys(names.SQUARE, systems)
    return xr.DataArray(square, dims=dims, coords=coords, attrs=pairs.attrs, name=pairs.name)


def _places(pairs: xr.DataArray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Row and column of each pair in a square of the systems, and the systems."""
    hint = "an array with a dim pair, on which system_a and system_b stand"
    labelled(pairs, "pairs", hint, kinds=xr.DataArray)
    if names.PAIR not in pairs.dims or not set(names.SQUARE) <= set(pairs.coords):
        raise ValueError(
            f"pairs has dims {tuple(map(str, pairs.dims))}; it needs a dim pair with coordinates "
            "system_a and system_b on it"
        )
    a, b = ([str(s) for s in pairs[k].values] for k in names.SQUARE)
    both = list(zip(a, b, strict=True))
    checks.unique([tuple(sorted(pair)) for pair in both], "pair")
    systems = list(dict.fromkeys([s for pair in both for s in pair]))
    place = {system: k for k, system in enumerate(systems)}
    return np.array([place[s] for s in a]), np.array([place[s] for s in b]), systems


def swap(data: Any) -> Any:
    """Exchange the roles of A and B: the dims, or the pair coordinates, ``system_a`` and
    ``system_b``.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        The same values under exchanged names.

    Raises
    ------
    ValueError
        If it is neither, or has no system_a and system_b.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> swap(counts).sel(system_a="B", system_b="A").values.tolist()
    [12, 2, 986]
    """
    labelled(data, "data", "an array or a Dataset with system_a and system_b")
    if not set(names.SQUARE) <= {*data.dims, *data.coords}:
        raise ValueError(
            f"data has dims {tuple(map(str, data.dims))}; it needs system_a and system_b"
        )
    return data.rename({names.SYSTEM_A: names.SYSTEM_B, names.SYSTEM_B: names.SYSTEM_A})


def _mirrored(moved: np.ndarray, mirror: str) -> np.ndarray:
    if mirror == "counts":  # win and loss exchanged
        return moved[..., [1, 0, 2][: moved.shape[-1]]]
    return _MIRRORS[mirror](moved)


_MIRRORS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "probability": lambda x: 1 - x,
    "difference": lambda x: -x,
    "same": lambda x: x,
}


def _after(square: xr.DataArray) -> list[Any]:
    return [names.OUTCOME] if names.OUTCOME in square.dims else []


@lru_cache(maxsize=8)
def pair_indices(systems: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of every unordered pair, in the order of a square's upper triangle."""
    first, second = np.triu_indices(systems, 1)
    first.flags.writeable = second.flags.writeable = False  # shared by all callers
    return first, second


def pair_coords(systems: list[str], first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Coordinates of the dim pair: a label, and the two systems on it."""
    labels = np.array(systems)
    a, b = labels[first], labels[second]
    pair = [f"{x} vs {y}" for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    if len(set(pair)) < len(pair):  # names that contain " vs " can collide: number the labels
        pair = [f"{k + 1}: {label}" for k, label in enumerate(pair)]
    return {names.PAIR: pair, names.SYSTEM_A: (names.PAIR, a), names.SYSTEM_B: (names.PAIR, b)}


@lru_cache(maxsize=16)
def labels(systems: tuple[str, ...], *dims: str, **others: tuple[str, ...]) -> xr.Coordinates:
    """Coordinates with the systems on each of the dims, and others.

    They are kept, for to make an index of labels takes as long as all else of a table.
    """
    coords = {key: list(systems) for key in dims} | {k: list(v) for k, v in others.items()}
    return xr.Dataset(coords=coords).coords


def square_array(
    square: np.ndarray, systems: list[str], leading_coords: dict[str, Any]
) -> xr.DataArray:
    """Counts (*lead, systems, systems, outcomes) as a labelled square."""
    dims = (*leading_coords, names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)
    outcome = names.OUTCOMES[: square.shape[-1]]
    coords = labels(tuple(systems), *names.SQUARE, outcome=tuple(outcome))
    coords = coords.assign(leading_coords) if leading_coords else coords
    return xr.DataArray(square, dims=dims, coords=coords, name="counts")
