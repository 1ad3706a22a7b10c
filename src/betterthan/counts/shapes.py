"""Arrays of counts: systems in them, squares and pairs, attributes, and a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isqrt
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.io.texts import text_array

_ORIGIN = ("source", "reading", "citation")
Arrays = dict[str, tuple[tuple[str, ...], np.ndarray]]  # (dims, values) by name


@dataclass(frozen=True)
class Table:
    """Named arrays and attributes: a Dataset that is not built yet.

    The labels of a dim are an array of its own name.
    """

    arrays: Arrays = field(default_factory=dict)
    attrs: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, data: xr.Dataset) -> Self:
        """The arrays of a Dataset, without the attributes of each."""
        arrays = {str(k): (tuple(map(str, v.dims)), v.values) for k, v in data.variables.items()}
        return cls(arrays, dict(data.attrs))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name][1]

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    @classmethod
    def merged(cls, tables: Sequence[Self]) -> Self:
        """The arrays and attributes of all; of the same name those of the first that has it."""
        arrays: Arrays = {}
        attrs: dict[str, Any] = {}
        for table in tables:
            arrays |= {k: array for k, array in table.arrays.items() if k not in arrays}
            attrs |= {k: value for k, value in table.attrs.items() if k not in attrs}
        return cls(arrays, attrs)

    def get(self, name: str, default: np.ndarray) -> np.ndarray:
        """The values of an array, or the default where there is none."""
        return self.arrays[name][1] if name in self.arrays else default

    def with_arrays(self, arrays: Mapping[str, Any]) -> Self:
        """With these arrays too, or in the place of those with their names."""
        return type(self)(self.arrays | dict(arrays), self.attrs)

    def renamed(self, columns: Collection[str], prefix: str) -> Arrays:
        """Some of its arrays, with a prefix before their names."""
        return {f"{prefix}{name}": self.arrays[name] for name in columns}

    def to_dataset(self) -> xr.Dataset:
        """The Dataset."""
        labels = {name: v for name, v in self.arrays.items() if v[0] == (name,)}
        values = {name: v for name, v in self.arrays.items() if name not in labels}
        return xr.Dataset(values, labels, self.attrs)


def labelled(data: Any, argument: str, hint: str, *, kinds: Any = None) -> None:
    """Refuse what is no array with named dims; `argument` is its name, `hint` says what to give."""
    checks.instance(data, kinds or (xr.DataArray, xr.Dataset), f"{argument} is", hint)


def origin(data: Any, *also: str) -> dict[str, Any]:
    """The attrs that say where data came from, and `also` those, as far as they are there."""
    return {key: data.attrs[key] for key in (*_ORIGIN, *also) if key in data.attrs}


def with_arrays(data: xr.Dataset, arrays: Mapping[str, Any]) -> xr.Dataset:
    """As `assign`, of arrays on dims of the data, ``(dims, values)``, in half of its time: nothing
    is aligned.
    """
    variables = {k: data.variables[k] for k in data.data_vars}
    return xr.Dataset(variables | dict(arrays), data.coords, data.attrs)


def without_attrs[Held: (xr.DataArray, xr.Dataset)](data: Held) -> Held:
    """The same without attrs, as `drop_attrs` in a hundredth of its time: it aligns each variable
    with all others.
    """
    copied = data.copy(deep=False)
    copied.attrs = {}
    parts = copied.variables if isinstance(copied, xr.Dataset) else copied.coords
    for part in parts.values():
        part.attrs = {}
    return copied


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
    selected = [str(s) if str(s) in present else str(s).strip() for s in systems]
    for name in selected:
        if name not in present:
            raise ValueError(f"systems names {name!r}; the data have {', '.join(present)}")
    checks.unique(selected, "system")
    if isinstance(systems, Mapping):
        new = {str(k): str(v) for k, v in systems.items()}
        checks.unique([new.get(s, s) for s in present], "system")
        return _renamed(data, new)
    checks.at_least_two(selected)
    part = _selected(data, selected)
    of_votes = len(selected) < len(present) and part.attrs.get("unit") == "judgment"
    return _without_numbers(part) if of_votes else part


def _without_numbers(votes: Any) -> Any:
    """Votes on some systems, without the numbers of those on all."""
    votes = votes.copy(deep=False)
    votes.attrs = {k: v for k, v in votes.attrs.items() if k not in ("n", "n_missing")}
    if "dependent" in votes.attrs:
        reason = "several votes are on one item of a pair, so they are not independent"
        votes.attrs["dependent"] = f"{reason}, and verdicts are too certain"
    return votes


def systems_of(data: Any) -> list[str]:
    """Return the names of the systems, in their order."""
    if names.SYSTEM in data.dims or (names.SYSTEM in data.coords and data[names.SYSTEM].ndim):
        return [str(s) for s in data[names.SYSTEM].values]
    if names.SYSTEM_A in data.dims:
        return [str(s) for s in data[names.SYSTEM_A].values]
    pair_names = np.stack([data[k].values.astype(str) for k in names.SQUARE], axis=1)
    return list(dict.fromkeys(pair_names.ravel().tolist()))


def _selected(data: Any, selected: list[str]) -> Any:
    # of an array `in` reads values
    is_judgments = isinstance(data, xr.Dataset) and names.SYSTEM_A in data
    if names.SYSTEM in data.dims and not is_judgments:
        return data.assign_coords({names.SYSTEM: systems_of(data)}).sel({names.SYSTEM: selected})
    if names.SYSTEM_A in data.dims:
        labelled = data.assign_coords(dict.fromkeys(names.SQUARE, systems_of(data)))
        return labelled.sel(dict.fromkeys(names.SQUARE, selected))
    a, b = (data[k].values.astype(str) for k in names.SQUARE)
    rows = np.flatnonzero(np.isin(a, selected) & np.isin(b, selected))
    if not len(rows):
        raise ValueError(f"systems {', '.join(selected)} never met")
    data = data.isel({data[names.SYSTEM_A].dims[0]: rows})
    return data.assign_coords({names.SYSTEM: selected}) if isinstance(data, xr.Dataset) else data


def _renamed(data: Any, new: dict[str, str]) -> Any:
    def named(labels: xr.DataArray) -> xr.DataArray:
        return labels.copy(data=np.array([new.get(s, s) for s in labels.values.astype(str)]))

    coordinates = [k for k in (names.SYSTEM, *names.SQUARE) if k in data.coords]
    data = data.assign_coords({k: named(data[k]) for k in coordinates})
    columns = [k for k in names.SQUARE if isinstance(data, xr.Dataset) and k in data.data_vars]
    return data.assign({k: named(data[k]) for k in columns}) if columns else data


def to_pairs(square: xr.DataArray) -> xr.DataArray:
    """Convert a square over (system_a, system_b) to one entry for each unordered pair.

    Parameters
    ----------
    square : xarray.DataArray with dims system_a and system_b
        Array such as the counts from `count`.

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
    after = [names.OUTCOME] if names.OUTCOME in square.dims else []
    square = square.transpose(..., *names.SQUARE, *after)
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
    systems = schemas.systems_of_square(square)
    if names.OUTCOME in square.dims:
        schemas.triangles(square)
    return systems


def _coords_by_pair(square: xr.DataArray, first: np.ndarray, second: np.ndarray) -> dict[Any, Any]:
    """Keep coordinates independent of systems, and those of every pair of systems."""
    pair_coordinates: dict[Any, Any] = {}
    for name, coord in square.coords.items():
        if set(coord.dims) == set(names.SQUARE):
            values = coord.transpose(*names.SQUARE).values
            pair_coordinates[name] = (names.PAIR, values[first, second])
        elif not set(names.SQUARE) & set(coord.dims):
            pair_coordinates[name] = coord
    return pair_coordinates


def to_square(pairs: xr.DataArray, *, mirror: str = "counts", diagonal: float = 0) -> xr.DataArray:
    """Convert one entry for each unordered pair to a square over (system_a, system_b).

    Parameters
    ----------
    pairs : xarray.DataArray with dim pair and coordinates system_a, system_b on it
        Array such as the result of `to_pairs`.
    mirror : {"counts", "probability", "difference", "same"}, default "counts"
        Rule for the value of (B, A), given that of (A, B): exchange win and loss, ``1 - x``,
        ``-x``, or the same.
    diagonal : float, default 0
        Value of a system against itself, and of an absent pair.

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
    checks.one_of(mirror, tuple(_MIRRORS), "mirror")
    checks.real(diagonal, "diagonal")
    i, j, systems = _places(pairs)
    axis = pairs.dims.index(names.PAIR)
    moved = np.moveaxis(pairs.values, axis, 0)
    filled = np.full((len(systems),) * 2 + moved.shape[1:], diagonal, dtype=moved.dtype)
    filled[i, j], filled[j, i] = moved, _MIRRORS[mirror](moved)
    square = np.moveaxis(filled, (0, 1), (axis, axis + 1))
    dims = (*pairs.dims[:axis], *names.SQUARE, *pairs.dims[axis + 1 :])
    coords = {k: c for k, c in pairs.coords.items() if names.PAIR not in c.dims}
    coords |= dict.fromkeys(names.SQUARE, systems)
    return xr.DataArray(square, dims=dims, coords=coords, attrs=pairs.attrs, name=pairs.name)


def _places(pairs: xr.DataArray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Row and column of each pair in a square of the systems, and the systems."""
    hint = "an array with a dim pair that has coordinates system_a and system_b"
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
    """Swap the roles of A and B.

    The names ``system_a`` and ``system_b`` of dims, or of coordinates on ``pair``, are exchanged.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Array with dims, or coordinates on ``pair``, system_a and system_b.

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


_MIRRORS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "counts": lambda x: x[..., [1, 0, 2][: x.shape[-1]]],  # win and loss exchanged
    "probability": lambda x: 1 - x,
    "difference": lambda x: -x,
    "same": lambda x: x,
}


@lru_cache(maxsize=8)
def pair_indices(systems: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of every unordered pair, in the order of a square's upper triangle."""
    first, second = np.triu_indices(systems, 1)
    first.flags.writeable = second.flags.writeable = False  # shared by all callers
    return first, second


def pair_coords(systems: list[str], first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Coordinates of the dim pair: a label, and the two systems on it."""
    labels = np.array(systems)
    coords = label_pairs(labels[first], labels[second])
    pair = coords[names.PAIR]
    if len(set(pair)) < len(pair):  # names that contain " vs " can collide: number the labels
        coords[names.PAIR] = [f"{k + 1}: {label}" for k, label in enumerate(pair)]
    return coords


def label_pairs(a: Sequence[str] | np.ndarray, b: Sequence[str] | np.ndarray) -> dict[str, Any]:
    """Coordinates of pairs of these systems, labelled as "A vs B"."""
    pair = [f"{x} vs {y}" for x, y in zip(a, b, strict=True)]
    return {names.PAIR: pair, names.SYSTEM_A: (names.PAIR, a), names.SYSTEM_B: (names.PAIR, b)}


def square_from_pairs(
    upper: np.ndarray, lower: np.ndarray, diagonal: Any, axis: int = 0
) -> np.ndarray:
    """A square (..., system_a, system_b, ...) of numbers whose `axis` is of pairs: `upper` above
    the diagonal, in the order of `pair_indices`, and `lower` below it.
    """
    before, (pairs, *after) = upper.shape[:axis], upper.shape[axis:]
    systems = (1 + isqrt(1 + 8 * pairs)) // 2
    square = np.full((*before, systems, systems, *after), diagonal, dtype=upper.dtype)
    first, second = pair_indices(systems)
    every = (slice(None),) * len(before)
    square[*every, first, second], square[*every, second, first] = upper, lower
    return square


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


def as_pairs(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Counts with each unordered pair once, and whether they came as a square.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)

    Returns
    -------
    tuple of xarray.DataArray with dims (pair, outcome) and coordinates system_a, system_b on pair,
    and bool

    Raises
    ------
    ValueError
        If the counts are not counts, have a further dim, or do not say which systems a pair
        compares.
    """
    counts = schemas.counts(counts)
    square = names.SYSTEM_A in counts.dims and names.SYSTEM_B in counts.dims
    wanted = (*(names.SQUARE if square else (names.PAIR,)), names.OUTCOME)
    if set(counts.dims) != set(wanted):
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give (system_a, system_b, "
            "outcome) or (pair, outcome): select or sum over the others first"
        )
    if square:
        checks.at_least_two([str(s) for s in counts[names.SYSTEM_A].values])
        return _bare(to_pairs(counts)), True
    if names.SYSTEM_A not in counts.coords or names.SYSTEM_B not in counts.coords:
        raise ValueError(
            "counts by pair need coordinates system_a and system_b on pair; see "
            "betterthan.counts.to_pairs"
        )
    return _bare(counts.transpose(*wanted)), False


def probability_like(
    pairs: xr.DataArray, better: np.ndarray, worse: np.ndarray, square: bool
) -> xr.DataArray:
    """P(A better than B) in the shape of the counts, from both of its tails: 1 - x would lose a
    small one.

    Parameters
    ----------
    pairs : xarray.DataArray, dims (pair, outcome)
    better, worse : numpy.ndarray, one number a pair
        P(A better than B) and P(B better than A).
    square : bool
        Whether the counts came as a square.
    """
    answer = without_attrs(
        pairs.isel({names.OUTCOME: 0}, drop=True).copy(data=better).rename("prob_better")
    )
    if not square:
        return answer
    upper = to_square(answer, mirror="same", diagonal=0.5)
    lower = to_square(answer.copy(data=worse), mirror="same", diagonal=0.5)
    return upper.where(to_square(xr.ones_like(answer), mirror="difference") >= 0, lower)


def _bare(pairs: xr.DataArray) -> xr.DataArray:
    """The counts and the names alone: other coordinates are not the posterior's."""
    coords = label_pairs(*([str(s) for s in pairs[side].values] for side in names.SQUARE))
    if names.PAIR in pairs.coords:
        coords[names.PAIR] = [str(label) for label in pairs[names.PAIR].values.tolist()]
    coords[names.OUTCOME] = [str(v) for v in pairs[names.OUTCOME].values]
    values = pairs.values.astype("int64")
    return xr.DataArray(values, coords, (names.PAIR, names.OUTCOME), attrs=pairs.attrs)


_BLOCK = 2**16  # labels that are looked at together


def fingerprint(data: xr.DataArray) -> str:
    """A short fingerprint of the data, values and names; neither the order of items and systems
    nor the type of the numbers matters.
    """
    if names.PAIR in data.dims:
        data = to_square(data)
    data = data.transpose(*sorted(map(str, data.dims)))
    for dim in data.dims:
        if dim in data.coords and dim != names.OUTCOME and not _ascend(data[dim].variable):
            data = data.isel({dim: _order(data, dim)})
    # what a system did against itself is no data
    if names.SYSTEM_A in data.dims and names.OUTCOME in data.dims:
        data = data.where(data[names.SYSTEM_A] != data[names.SYSTEM_B], 0).astype(np.int64)
    digest, values = hashlib.sha256(), data.values
    kind = np.int64 if {names.OUTCOME, names.TALLY} & {*data.dims} else np.float64
    kind = kind if values.dtype.kind in "biuf" else values.dtype
    rows = max(1, _BLOCK * len(values) // max(1, values.size))
    for k in range(0, len(values), rows):
        part = values[k : k + rows]
        digest.update(part.astype(kind, copy=False).tobytes())
    for dim in data.dims:
        mark = ""
        for labels in _blocks(data[dim].variable) if dim in data.coords else ():
            digest.update((mark + "\n".join(map(str, labels))).encode())
            mark = "\n"
    return digest.hexdigest()[:12]


def _order(data: xr.DataArray, dim: Hashable) -> np.ndarray:
    """Places by label; those of one label by data set and number of the run."""
    others = [data[c] for c in ("epoch", names.DATASET) if c in data.coords]
    keys = [
        c.values.astype(str) if c.dtype == object else c.values for c in others if dim in c.dims
    ]
    return np.lexsort((*keys, text_array(data[dim].values)))


def _blocks(labels: xr.Variable) -> Iterator[np.ndarray]:
    """Labels along a dim, some at a time: all of millions take far more memory than the data."""
    return (labels[k : k + _BLOCK].values for k in range(0, len(labels), _BLOCK))


def _ascend(labels: xr.Variable) -> bool:
    """Whether labels are sorted as they are, each of them once."""
    last = ""
    for block in map(text_array, _blocks(labels)):
        if block[0] <= last or (block[1:] <= block[:-1]).any():
            return False
        last = block[-1]
    return True
