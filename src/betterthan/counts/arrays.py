"""Check array inputs, and decide which attrs survive an operation."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

_ORIGIN = ("source", "reading", "citation")


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
