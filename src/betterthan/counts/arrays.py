"""What every door of arrays asks first, and what an array keeps of those it was made of."""

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
