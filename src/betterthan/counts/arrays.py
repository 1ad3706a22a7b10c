"""Arrays with named dims: their checks, their origin, and tables of them that cost nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import xarray as xr

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


def labelled(
    data: Any, argument: str, hint: str, *, kinds: Any = (xr.DataArray, xr.Dataset)
) -> None:
    """Refuse what is no array with named dims; `argument` is its name, `hint` says what to give."""
    if not isinstance(data, kinds):
        raise ValueError(f"{argument} is {type(data).__name__}; give {hint}")


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
