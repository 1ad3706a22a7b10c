"""What counts as one example: an item within its data set, with all its runs; or a cluster of
items.
"""

from typing import Any

import numpy as np
import pandas as pd

from betterthan import names
from betterthan.io.text_arrays import text_array

CLUSTER, EPOCH, UNIT = "cluster", "epoch", "unit_of"


def item_ids(data: Any, at: Any = slice(None)) -> np.ndarray:
    """Id of the item of each row, str (item,); with its data set where an id is found in several.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        With a dim item. Without ids each row is an item of its own.
    at : slice or numpy.ndarray of int, default all
        The rows whose ids are given: those of a few take little memory.
    """
    if names.ITEM not in data.coords:
        return np.arange(data.sizes[names.ITEM]).astype(str)[at]
    if names.DATASET not in data.coords:
        return text_array(data[names.ITEM].variable[at].values)
    ids = text_array(data[names.ITEM].values)
    datasets = text_array(data[names.DATASET].values)
    both = text_array([f"{d} / {i}" for d, i in zip(datasets, ids, strict=True)])
    return (both if len(set(both.tolist())) > len(set(ids.tolist())) else ids)[at]


def ids_of(data: Any, by: str) -> np.ndarray:
    """Which unit each row belongs to, str (item,): its item, or its value of a coordinate such as
    cluster.

    Ids of clusters mean the same in all data sets: translations of one item may stand in several.

    Raises
    ------
    ValueError
        If there is no such coordinate, or a row has no value.
    """
    if by == names.ITEM:
        return item_ids(data)
    if by not in data.coords or data[by].dims != (names.ITEM,):
        known = [str(c) for c in data.coords if data[c].dims == (names.ITEM,)]
        raise ValueError(f"there is no item coordinate {by!r}; found {', '.join(known) or 'none'}")
    values, blank = data[by].values, unlabelled(data, by)
    if blank:
        raise ValueError(
            f"{len(blank)} of {len(values)} items have no {by}, the first at place "
            f"{blank[0] + 1}; give each item one"
        )
    return text_array(values)


def in_units(data: Any, by: str) -> Any:
    """With a coordinate `UNIT` that says which items go together, numbered as they first appear."""
    return data.assign_coords({UNIT: (names.ITEM, pd.factorize(ids_of(data, by))[0])})


def unit_of(data: Any, asked: str | None = None) -> str:
    """The unit of evidence: the cluster where items come in clusters, else the item with its runs.

    One cluster of all items is one unit. Where an item has no cluster, items are taken alone.
    """
    if asked == names.ITEM or CLUSTER not in getattr(data, "coords", {}):
        return names.ITEM
    if names.ITEM not in data.dims:
        return CLUSTER if data.sizes.get(CLUSTER, 1) > 1 else names.ITEM
    labels = data[CLUSTER].values.tolist()
    rows = len(set(item_ids(data).tolist()))
    shared = 0 < len({str(v) for v in labels}) < rows
    return CLUSTER if shared and not unlabelled(data, CLUSTER) else names.ITEM


def unlabelled(data: Any, by: str) -> list[int]:
    """Places of the rows without a value."""
    if by not in data.coords:
        return []
    labels = data[by].values.tolist()
    blank = {v for v in set(labels) if v is None or v != v or str(v).strip() == ""}
    return [k for k, v in enumerate(labels) if v in blank] if blank else []


def default_unit(data: Any) -> str | None:
    """What makes rows belong together: their cluster, or the item they are runs of; None where they
    are single.
    """
    if several(data, CLUSTER):
        return CLUSTER
    return names.ITEM if several(data, EPOCH) else None


def several(data: Any, coordinate: str) -> bool:
    """Whether a coordinate has two values or more."""
    return coordinate in data.coords and len(set(data[coordinate].values.tolist())) > 1


def one_unit_an_item(items: np.ndarray, units: np.ndarray, what: str) -> None:
    """Refuse an item whose runs are in different units."""
    of: dict[str, str] = {}
    for item, unit in zip(items.tolist(), units.tolist(), strict=True):
        if of.setdefault(item, unit) != unit:
            raise ValueError(
                f"item {item!r} has the {what} {of[item]!r} in one run and {unit!r} in another; "
                "give all runs of an item the same"
            )
