"""Units of analysis: items with all their runs, or clusters; and items on which systems differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.shapes import Arrays, Table
from betterthan.exact.numeric.counting import spreads
from betterthan.io.texts import coded, text_array
from betterthan.text import natural

CLUSTER, EPOCH, UNIT = "cluster", "epoch", "unit_of"


def item_ids(data: Any, index: Any = slice(None)) -> np.ndarray:
    """Id of the item of each row, str (item,); with its data set where an id is found in several.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        With a dim item. Without ids each row is an item of its own.
    index : slice or numpy.ndarray of int, default all
        The rows whose ids are given: those of a few take little memory.
    """
    if names.ITEM not in data.coords:
        return np.arange(data.sizes[names.ITEM]).astype(str)[index]
    if names.DATASET not in data.coords:
        return text_array(data[names.ITEM].variable[index].values)
    ids = text_array(data[names.ITEM].values)
    datasets = text_array(data[names.DATASET].values)
    full_ids = text_array([f"{d} / {i}" for d, i in zip(datasets, ids, strict=True)])
    return (full_ids if len(set(full_ids.tolist())) > len(set(ids.tolist())) else ids)[index]


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
        item_coords = [str(c) for c in data.coords if data[c].dims == (names.ITEM,)]
        raise ValueError(
            f"there is no item coordinate {checks.quoted(by)} for unit; found "
            f"{', '.join(item_coords) or 'none'}"
        )
    refuse_unlabelled(data, by)
    return text_array(data[by].values)


def refuse_unlabelled(data: Any, by: str) -> None:
    """Refuse rows without a value of a coordinate."""
    if blank := unlabelled(data, by):
        raise ValueError(
            f"{len(blank)} of {data.sizes[names.ITEM]} items have no {by}, the first at place "
            f"{blank[0] + 1}; give each item one"
        )


def in_units(data: Any, by: str) -> Any:
    """With a coordinate `UNIT` that says which items go together, numbered as they first appear."""
    return data.assign_coords({UNIT: (names.ITEM, pd.factorize(ids_of(data, by))[0])})


def in_rows(data: Any, unit: Any) -> tuple[Any, str]:
    """The data, and the unit that is asked for, without one that of the data. Unless rows are the
    units, each item stands once, with its runs together.
    """
    if not isinstance(data, xr.DataArray) or names.ITEM not in data.dims:
        return data, unit_of(data) if unit is None else checks.label(unit, "unit")
    data = schemas.without_runs_in_ids(data)
    if unit is None:
        warn_of_unlabelled(data)
        return runs_together(data), unit_of(data)
    together = checks.label(unit, "unit") != names.ITEM and several(data, EPOCH)
    together = together and _same_in_runs(data, unit)
    return (runs_together(data) if together else data), unit


def _same_in_runs(data: xr.DataArray, coordinate: str) -> bool:
    """Whether all runs of an item have one value of a coordinate of items."""
    if coordinate not in data.coords or data[coordinate].dims != (names.ITEM,):
        return False
    ids, labels = item_ids(data).tolist(), text_array(data[coordinate].values).tolist()
    return len(set(zip(ids, labels, strict=True))) == len(set(ids))


def warn_of_unlabelled(data: Any) -> None:
    """Warn of items without a cluster next to others, for which all items are taken alone."""
    if several(data, CLUSTER) and (blank := unlabelled(data, CLUSTER)):
        checks.warn(
            f"{len(blank)} of {data.sizes[names.ITEM]} items have no cluster, so all items count "
            "as independent; give each item one"
        )


def unit_of(data: Any, requested: str | None = None) -> str:
    """The unit of evidence: the cluster where items come in clusters, else the item with its runs.

    One cluster of all items is one unit. Where an item has no cluster, items are taken alone.
    """
    if requested == names.ITEM or CLUSTER not in getattr(data, "coords", {}):
        return names.ITEM
    if names.ITEM not in data.dims:
        return CLUSTER if data.sizes.get(CLUSTER, 1) > 1 else names.ITEM
    labels = data[CLUSTER].values.tolist()
    shared = 0 < len({str(v) for v in labels}) < len(set(item_ids(data).tolist()))
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


def pooled(data: Any) -> str:
    """That data sets of unequal size weigh as they are large, or nothing."""
    if names.DATASET not in data.coords or names.ITEM not in data[names.DATASET].dims:
        return ""
    sizes = np.unique(text_array(data[names.DATASET].values), return_counts=True)[1]
    if len(set(sizes.tolist())) < 2:
        return ""
    return f"the {len(sizes)} data sets are pooled, so large ones weigh more"


_UNLIKE_GOLD = 0.1  # of all items; how mentions are matched makes small differences
_FEW_SHARED, _LEVEL_SHARED = 5, 0.001  # ids that data sets share, and the level of the test


def unlike_gold(tallies: xr.DataArray) -> str:
    """That systems have other gold mentions on many items, or nothing.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, [label], tally)
    """
    gold = tallies.sel({names.TALLY: ["tp", "fn"]}).sum(names.TALLY)
    values = gold.transpose(names.ITEM, names.SYSTEM, ...).values
    unlike = int((values != values[:, :1]).reshape(len(values), -1).any(1).sum())
    if unlike <= _UNLIKE_GOLD * len(values):
        return ""
    return (
        f"The gold mentions (TP + FN) of systems differ on {unlike:,} of {len(values):,} items: a "
        "difference of systems that were scored against different gold may be that of the gold"
    )


def alike_items(scores: xr.DataArray) -> str:
    """That the items of one id in several data sets favor one system more alike than items of other
    ids, or nothing: by the F test of the analysis of variance, of each system against the mean.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        The runs of an item are averaged.
    """
    if not several(scores, names.DATASET) or CLUSTER in scores.coords:
        return ""
    values = scores.transpose(names.ITEM, names.SYSTEM).values.astype(float)
    leads = values - values.mean(1, keepdims=True)
    complete = ~np.isnan(leads).any(1)
    item, place = (
        np.unique(text_array(scores[name].values)[complete], return_inverse=True)[1]
        for name in (names.ITEM, names.DATASET)
    )
    pairs = item * (place.max(initial=0) + 1) + place
    _, first, run_of = np.unique(pairs, return_index=True, return_inverse=True)
    leads, item, place = _group_means(leads[complete], run_of)[first], item[first], place[first]
    differing = np.bincount(item, (np.abs(leads) > 1e-12).any(1))  # data sets with a difference
    if (differing > 1).sum() < _FEW_SHARED:
        return ""
    leads = leads - _group_means(leads, place)
    repeated = np.bincount(item)[item] > 1
    leads, item = leads[repeated], np.unique(item[repeated], return_inverse=True)[1]
    groups, rows = len(np.unique(item)), len(item)
    free = rows - groups - len(np.unique(place)) + 1  # the means of data sets are taken off
    if groups < _FEW_SHARED or free < 1:
        return ""
    item_mean = _group_means(leads, item)
    between, within = (item_mean**2).sum(0), ((leads - item_mean) ** 2).sum(0)
    varies = between > 1e-12 * rows
    if not varies.any():
        return ""
    with np.errstate(divide="ignore"):
        ratio = between[varies] / within[varies] * free / (groups - 1)
    p = special.fdtrc(groups - 1, free, ratio).min() * len(ratio)
    if p > _LEVEL_SHARED:
        return ""
    chance = f"p = {p:.2g}" if p > 1e-300 else "p < 1e-300"
    return (
        f"Items of one id are alike in several data sets ({chance}), as translations or copies of "
        "one item are, and count as independent; a column 'cluster' with their ids lets each count "
        "once"
    )


def _group_means(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The mean of its group for each row."""
    sums, number = sums_by_unit(values, group, int(group.max(initial=-1)) + 1)
    return (sums / np.maximum(number, 1))[group]


def one_unit_an_item(items: np.ndarray, units: np.ndarray, coordinate: str) -> None:
    """Refuse an item whose runs are in different units."""
    unit_by_item: dict[str, str] = {}
    for item, unit in zip(items.tolist(), units.tolist(), strict=True):
        if unit_by_item.setdefault(item, unit) != unit:
            raise ValueError(
                f"item {item!r} has the {coordinate} {unit_by_item[item]!r} in one run and "
                f"{unit!r} in another; give all runs of an item the same"
            )


def unit_means(scores: xr.DataArray, units: np.ndarray) -> np.ndarray:
    """The mean of each unit's scores, (unit, system), units as they first appear; nan where a
    system has none.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    units : numpy.ndarray, shape (item,)
        Which unit each row belongs to, such as `units.ids_of`.
    """
    place, labels = pd.factorize(units)
    values = scores.values.astype(float)
    if len(labels) == len(values):
        return values
    sums, number = sums_by_unit(values, place, len(labels))
    return np.where(number > 0, sums / np.maximum(number, 1), np.nan)


def sums_by_unit(
    values: np.ndarray, place: np.ndarray, units: int
) -> tuple[np.ndarray, np.ndarray]:
    """The sum of the scores (row, system, ...) in each unit, and their number; NaN is missing."""
    sums, number = (np.zeros((units, *values.shape[1:])) for _ in range(2))
    observed = ~np.isnan(values)
    if units == len(values) and (place == np.arange(units)).all():
        return np.where(observed, values, 0.0), observed.astype(float)
    np.add.at(sums, place, np.where(observed, values, 0.0))
    np.add.at(number, place, observed)
    return sums, number


def planned_runs(scores: xr.DataArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which item each row is of, numbered from 0; and of each item the runs with a score and those
    that were planned, (item, system).

    A system's planned runs of an item are the runs with a number that it has on some item. For an
    item that it never ran, they are as many as other systems ran. They never exceed the most runs
    that it has of one item. A run that failed counts as a run.
    """
    items = coded(item_ids(scores).tolist())
    place, sizes = items.codes, (len(items.distinct), scores.sizes[names.SYSTEM])
    has, ran = ~np.isnan(scores.values.astype(float)), has_sample(scores)
    labels = scores[EPOCH].values if EPOCH in scores.coords else np.zeros(len(place))
    distinct, label = np.unique(labels, return_inverse=True)
    used = np.zeros((len(distinct), sizes[1]), dtype=bool)
    np.logical_or.at(used, label, ran)
    number, tried, own = (_counted_by(place, rows, sizes) for rows in (has, ran, used[label]))
    rows = np.where(own > 0, own, np.bincount(place)[:, None])
    return place, number, np.minimum(rows, np.maximum(tried.max(0, initial=1), 1))


def has_sample(scores: Any) -> np.ndarray:
    """Which cells have a score, or a sample in the log of the system, (item, system)."""
    has = ~np.isnan(scores.values.astype(float))
    status = scores.coords.get("status")
    if status is None or "flag_meanings" not in status.attrs:
        return has
    code = status.attrs["flag_meanings"].split().index("missing")
    return has | ~(np.isnan(status.values.astype(float)) | (status.values == code))


def _counted_by(place: np.ndarray, rows: np.ndarray, sizes: tuple[int, int]) -> np.ndarray:
    """How many rows of each item are true, (item, system)."""
    if sizes[0] == len(place):  # each item once, in order
        return rows.astype(np.int64)
    counts = np.zeros(sizes, np.int64)
    np.add.at(counts, place, rows)
    return counts


# of a chance of an item: its least and most whatever the runs without a score, and their number
LEAST, MOST, LACKING = "least", "most", "lacking"


def runs_together(data: Any) -> Any:
    """Scores or tallies of which each item stands once, with the mean of its runs, or their sum of
    tallies, for runs have no common order; without repeated runs the same data.

    Raises
    ------
    ValueError
        If the data are in blocks.
    """
    if not several(data, EPOCH):
        return data
    if in_blocks(data):
        raise ValueError(
            "runs of an item are averaged in memory, and these scores are in blocks; load them "
            "with .compute(), or pass unit='item' to take each run as an item"
        )
    data, ids = data.transpose(names.ITEM, ...), item_ids(data)
    place, labels = pd.factorize(ids)
    items = data[np.unique(place, return_index=True)[1]].drop_vars(EPOCH)
    if names.TALLY in data.dims:
        sums = np.zeros((len(labels), *data.shape[1:]), data.dtype)
        np.add.at(sums, place, data.values)
        return items.copy(data=sums)
    means = items.astype(float).copy(data=unit_means(data, ids))
    means.attrs = {k: v for k, v in data.attrs.items() if k != "n_items"}  # that counted runs
    return means


_PLACES = 12  # spreads and correlations that differ by rounding alone are equal


def disagreements(scores: xr.DataArray, *, most: int | None = None) -> xr.Dataset:
    """List the items on which systems differ, largest disagreement first.

    Read these items to find a wrong answer key or an ambiguous question. Among items with the same
    standard deviation, such as those that half of the systems got right, the ones that contradict
    the others come first: weak systems solved them, and strong systems failed. Items that are equal
    in both are sorted by id.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one. Repeated runs of an item are averaged.
    most : int, optional
        Number of items to return. Default: all on which two systems differ.

    Returns
    -------
    xarray.Dataset
        Over item:

        - ``spread``: standard deviation of the systems' scores (n - 1), in units of the score
        - ``with_rest``: item-rest correlation, over systems, of their scores on the item with their
          means on all other items, from -1 to 1 (for two systems only the sign); NaN where these
          are equal
        - ``mean``, ``scored``: mean score, and number of systems with a score
        - ``score`` (item, system): scores, with the systems in their order

        ``attrs``: ``n_items``, the number of all items, and ``n_differing``, the number of items on
        which two systems differ.

    Raises
    ------
    ValueError
        If the scores are not scores, or ``most`` is not a whole number.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> result = disagreements(scores, most=2)
    >>> result["item"].values.tolist(), result["spread"].values.round(3).tolist()
    (['2', '1'], [0.577, 0.577])
    """
    scores = schemas.scores(scores)
    if most is not None:
        most = checks.whole(most, "most")
    return differing(scores, most).to_dataset()


def differing(scores: xr.DataArray, most: int | None) -> Table:
    """The same of scores that are checked."""
    scores = runs_together(scores)
    values = scores.values.astype(float, copy=False)
    columns = spreads(values)
    spread = np.round(np.nan_to_num(columns["spread"]), _PLACES)
    n = int((spread > 0).sum())
    with_rest = np.round(np.nan_to_num(columns["with_rest"]), _PLACES)
    order = np.lexsort((with_rest, -spread))[:n]
    if most is not None and most < n:  # only items that tie with the last one need their ids
        last = order[most - 1]
        beyond = (spread[order] == spread[last]) & (with_rest[order] > with_rest[last])
        order = order[(spread[order] >= spread[last]) & ~beyond]
    order = order[natural(item_ids(scores, order).tolist())]
    order = order[np.lexsort((with_rest[order], -spread[order]))][:most]
    arrays: Arrays = {name: ((names.ITEM,), column[order]) for name, column in columns.items()}
    arrays["score"] = (names.ITEM, names.SYSTEM), values[order]
    arrays[names.ITEM] = (names.ITEM,), item_ids(scores, order)
    arrays[names.SYSTEM] = (names.SYSTEM,), scores[names.SYSTEM].values.astype(str)
    return Table(arrays, {"n_items": len(values), "n_differing": n})
