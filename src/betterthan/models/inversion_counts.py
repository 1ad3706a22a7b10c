"""Orders of systems on documents as numbers of inversions, and how probable these are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import mallows


def log_probability(k: Any, theta: Any, n: Any) -> Any:
    """Of k inversions, up to the number of orders that have so many, which does not depend on
    theta.

    The normaliser is a product of geometric series, and around the middle number of inversions an
    even function of theta: below 1e-6 it is taken as flat, which it nearly is.
    """
    import pytensor.tensor as pt

    items = np.asarray(n.data if hasattr(n, "data") else n)
    sizes = np.arange(2, int(items.max()) + 1)
    steep: Any = pt.maximum(pt.abs(theta), 1e-6)
    above: Any = pt.expm1(-sizes * steep[:, None])
    series: Any = pt.log(above / pt.expm1(-steep[:, None]))
    normaliser: Any = pt.sum(pt.switch(sizes <= items[:, None], series, 0.0), axis=-1)
    middle = items * (items - 1) / 4
    return -theta * (k - middle) - (normaliser + steep * middle)


def random_inversions(theta: Any, n: Any, rng: Any = None, size: Any = None) -> np.ndarray:
    """Numbers of inversions."""
    thetas = np.broadcast_to(theta, size) if size is not None else theta
    return mallows.draw_inversions(thetas, n, rng).astype(float)


DOCUMENT = "document"
CELL = (DOCUMENT, names.SYSTEM)


@dataclass(frozen=True)
class Cells:
    """The cells that have an order, in a row."""

    k: np.ndarray  # inversions
    n: np.ndarray  # items
    document: np.ndarray  # places of the documents
    system: np.ndarray
    documents: list[str]
    systems: list[str]
    dropped: int  # cells without an order


def to_cells(data: xr.Dataset, tied: str) -> Cells:
    """Look at inversions as `betterthan.orders.kendall_tau` returns them.

    Raises
    ------
    ValueError
        If they are no inversions, are against several references, have ties that nobody asked to
        count as half, or there is no order of two items or more.
    """
    if not isinstance(data, xr.Dataset) or not {"inversions", "n_items"} <= set(data.data_vars):
        raise ValueError(
            "data must be a Dataset with inversions and n_items over (document, system): see "
            "betterthan.orders.kendall_tau"
        )
    if "reference" in data["inversions"].dims:
        raise ValueError(
            "there are several references; give inversions against one, such as their consensus: "
            "see betterthan.orders.consensus"
        )
    inversions, n = _with_ties(data, tied)
    present = np.isfinite(inversions.values) & (n.values >= 2)
    if not present.any():
        raise ValueError("no document has an order of two items or more")
    document, system = np.nonzero(present)
    return Cells(
        k=inversions.values[present].astype(float),
        n=n.values[present].astype(np.int64),
        document=document,
        system=system,
        documents=[str(d) for d in inversions[DOCUMENT].values],
        systems=[str(s) for s in inversions[names.SYSTEM].values],
        dropped=int((~present).sum()),
    )


def _with_ties(data: xr.Dataset, tied: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Inversions, a tied pair being half of one, and numbers of items, over (document, system)."""
    checks.one_of(tied, ("error", "half"), "tied")
    number = data.get("ties", xr.zeros_like(data["inversions"]))
    if tied == "error" and bool((number > 0).any()):
        raise ValueError(
            "some orders have ties, which the model does not know; tied='half' counts them as half"
        )
    both = xr.broadcast(data["inversions"] + number / 2, data["n_items"])
    for dim in CELL:
        both = tuple(x if dim in x.dims else x.expand_dims({dim: [""]}) for x in both)
    inversions, n = (x.transpose(*CELL) for x in both)
    return inversions, n
