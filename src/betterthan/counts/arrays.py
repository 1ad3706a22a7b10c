"""What every door of arrays asks first, and what an array keeps of those it was made of."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

_ORIGIN = ("source", "reading", "citation")


def labelled(data: Any, what: str, hint: str, *, kinds: Any = (xr.DataArray, xr.Dataset)) -> None:
    """Refuse what is no array with named dims; `what` is the argument, `hint` says what to give."""
    if not isinstance(data, kinds):
        raise ValueError(f"{what} is {type(data).__name__}; give {hint}")


def origin(data: Any, *also: str) -> dict[str, Any]:
    """The attrs that say where data came from, and `also` those, as far as they are there."""
    return {key: data.attrs[key] for key in (*_ORIGIN, *also) if key in data.attrs}


def with_arrays(data: xr.Dataset, arrays: Mapping[str, Any]) -> xr.Dataset:
    """As `assign`, of arrays on dims of the data, ``(dims, values)``, in half of its time: nothing
    is aligned.
    """
    held = {k: data.variables[k] for k in data.data_vars}
    return xr.Dataset(held | dict(arrays), data.coords, data.attrs)


def without_attrs[Held: (xr.DataArray, xr.Dataset)](data: Held) -> Held:
    """The same without attrs, as `drop_attrs` in a hundredth of its time: it aligns each variable
    with all others.
    """
    held = data.copy(deep=False)
    held.attrs = {}
    parts = held.variables if isinstance(held, xr.Dataset) else held.coords
    for part in parts.values():
        part.attrs = {}
    return held
