"""The fits of a comparison: how many of their draws are kept with it, and where in its file."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from betterthan.signed import Signature

BYTES_MAX = 200_000_000  # of all groups of a fit
_FEWEST = 100  # draws of a chain below which thinned draws say too little
_GROUP = "fits"
_NONE = "No draws are kept with the answer"
_NEEDED = ("posterior", "sample_stats", "constant_data", "observed_data")


def kept(tree: xr.DataTree) -> tuple[xr.DataTree | None, str]:
    """The fit as it is kept, and in words what was left out.

    Above `BYTES_MAX` every k-th draw is kept; where fewer than 100 draws of a chain would be left,
    none is.
    """
    held = {name: tree[name].to_dataset() for name in _NEEDED if name in tree.children}
    size, draws = sum(data.nbytes for data in held.values()), held["posterior"].sizes["draw"]
    if size <= BYTES_MAX:
        return tree, ""
    step = int(np.ceil(size / BYTES_MAX))
    takes = f"the fit takes {size / 1e6:,.0f} MB, above {BYTES_MAX / 1e6:,.0f} MB"
    if draws // step < _FEWEST:
        return None, f"{_NONE}: {takes}. The answer is of all draws."
    thin = {
        name: data.isel(draw=slice(None, None, step)) if "draw" in data.dims else data
        for name, data in held.items()
    }
    thin["posterior"] = thin["posterior"].assign_attrs(thinned=step)
    every = {2: "second", 3: "third"}.get(step, f"{step}th")
    note = f"Every {every} draw is kept with the answer: {takes}. The answer is of all draws."
    return xr.DataTree.from_dict(thin), note


def why_none(provenance: Signature) -> str:
    """The error where an answer was sampled and has no draws."""
    left_out = [note for note in provenance.notes or () if note.startswith(_NONE)]
    if left_out:
        return left_out[0]
    exact = (
        ", or make exact draws with betterthan.posterior.draws"
        if provenance.method == "both"
        else ""
    )
    return f"the draws were not saved with this answer; save it with save(path, fits=True){exact}"


def as_groups(fits: Mapping[str, xr.DataTree]) -> dict[str, xr.Dataset]:
    """As groups of a file: dims of draws must not meet those of the answer, so each is renamed."""
    groups = {}
    for name, tree in fits.items():
        for part in tree.children:
            data = tree[part].to_dataset()
            renamed = {k: f"{_GROUP}_{k}" for k in {*data.dims, *data.coords}}
            groups[f"/{_GROUP}/{name}/{part}"] = data.rename(renamed)
    return groups


def from_groups(tree: xr.DataTree) -> dict[str, xr.DataTree]:
    """The fits in a file that `as_groups` wrote."""
    fits = {}
    for name, fit in tree[_GROUP].children.items() if _GROUP in tree.children else ():
        parts = {}
        for part, node in fit.children.items():
            data = node.to_dataset(inherit=False)
            renamed = {*data.dims, *data.coords}
            parts[part] = data.rename({k: str(k).removeprefix(f"{_GROUP}_") for k in renamed})
        fits[str(name)] = xr.DataTree.from_dict(parts)
    return fits


def is_group(name: str) -> bool:
    """Whether a group of a file holds fits."""
    return name == _GROUP
