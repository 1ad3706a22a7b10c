"""Successes of each system on each item: one trial, or several exchangeable ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.judgments import unconnected_systems
from betterthan.counts.shapes import origin
from betterthan.counts.units import CLUSTER, ids_of, item_ids, one_unit_an_item, sums_by_unit
from betterthan.io.problems import require_columns

SUCCESSES, TRIALS = "successes", "trials"
_CELL = (names.ITEM, names.SYSTEM)


@checks.one_system()
def trials(scores: xr.DataArray) -> xr.Dataset:
    """Count the successes of every system on repeated runs of each item.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores of 0 and 1, with NaN for a missing one. Rows of one item (and dataset) in several
        epochs are its trials.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), with the coordinates dataset and cluster of the
        items.

    Raises
    ------
    ValueError
        If the data are not scores, or not all 0 and 1.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 1], [0, 0], [1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"item": ["q1", "q1", "q2", "q2"], "system": ["A", "B"]},
    ... ).assign_coords(epoch=("item", [1, 2, 1, 2]))
    >>> trials(scores)["successes"].values.tolist()
    [[2, 1], [1, 0]]
    """
    scores = schemas.scores(scores)
    values = scores.values.astype(float)
    odd = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if odd.any():
        raise ValueError(
            f"a score is {values[odd][0]:g}; successes are 0 or 1 (of graded scores, see "
            "betterthan.models.graded)"
        )
    values = values if scores.attrs.get("higher_is_better", True) else 1 - values
    place, distinct = pd.factorize(item_ids(scores))
    right, tried = sums_by_unit(values, place, len(distinct))
    cells = {SUCCESSES: right, TRIALS: tried}
    if CLUSTER in scores.coords:
        one_unit_an_item(item_ids(scores), ids_of(scores, CLUSTER), CLUSTER)
    first = np.unique(place, return_index=True)[1]
    coords: dict[str, Any] = {names.SYSTEM: [str(s) for s in scores[names.SYSTEM].values]}
    for key in (names.ITEM, names.DATASET, CLUSTER):
        if key in scores.coords:
            coords[key] = (names.ITEM, scores[key].values[first])
    summed = {name: (_CELL, values.astype(np.int64)) for name, values in cells.items()}
    return xr.Dataset(summed, coords=coords, attrs=origin(scores))


@checks.one_system()
def trials_from_table(
    table: pd.DataFrame,
    *,
    item: str = names.ITEM,
    system: str = names.SYSTEM,
    successes: str = SUCCESSES,
    trials: str = TRIALS,
) -> xr.Dataset:
    """Read successes of trials from a table with one row for each system and item.

    Parameters
    ----------
    table : pandas.DataFrame
        Table of successes and trials.
    item, system, successes, trials : str
        Names of its columns. A system without a row for an item has no trial of it.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system).

    Raises
    ------
    ValueError
        If a column is missing, a number is negative or not whole, successes exceed trials, or a row
        is there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     {"system": ["A", "B"], "item": ["q1", "q1"], "successes": [4, 2], "trials": [5, 5]}
    ... )
    >>> trials_from_table(table)["successes"].values.tolist()
    [[4, 2]]
    """
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is a {type(table).__name__}; give a pandas.DataFrame")
    columns = (item, system, successes, trials)
    require_columns(table, columns)
    for column in columns:
        blank = np.flatnonzero(table[column].isna().to_numpy())
        if len(blank):
            raise ValueError(f"column {column!r}, row {table.index[blank[0]]}: blank; give a value")
    ids = pd.DataFrame({k: table[k].astype(str).str.strip() for k in (item, system)})
    again = np.flatnonzero(ids.duplicated().to_numpy())
    if len(again):
        row: Any = ids.iloc[again[0]]
        raise ValueError(
            f"row {ids.index[again[0]]}: system {row[system]!r} has a row for item "
            f"{row[item]!r} already"
        )
    labelled = ids.rename(columns={item: names.ITEM, system: names.SYSTEM})
    result = _arranged(labelled, {SUCCESSES: table[successes], TRIALS: table[trials]})
    trials_of(result)
    items, systems = (result.sizes[dim] for dim in (names.ITEM, names.SYSTEM))
    read = f"DataFrame read as trials: {items} items x {systems} systems, successes of trials"
    return result.assign_attrs(source="DataFrame", reading=read)


def _arranged(ids: pd.DataFrame, columns: dict[str, Any]) -> xr.Dataset:
    """Arrange numbers (item, system), with zeros for absent rows."""
    (item_codes, items), (system_codes, systems) = (pd.factorize(ids[key]) for key in _CELL)
    variables = {}
    for key, column in columns.items():
        values = np.zeros((len(items), len(systems)), dtype=np.int64)
        numbers = checks.nonnegative_integers(column.to_numpy(), str(column.name))
        values[item_codes, system_codes] = numbers
        variables[key] = (_CELL, values)
    return xr.Dataset(variables, coords={names.ITEM: list(items), names.SYSTEM: list(systems)})


def trials_of(data: Any) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Successes and trials (item, system), the items and the systems of scores or of a Dataset of
    trials.

    Raises
    ------
    ValueError
        If the data are neither, successes exceed trials, or systems are not connected by items.
    """
    if not isinstance(data, xr.Dataset | xr.DataArray):
        raise ValueError(
            f"data is {checks.quoted(data)}; give scores (item, system), see betterthan.read, or "
            f"betterthan.counts.trials"
        )
    if isinstance(data, xr.Dataset):
        if not {SUCCESSES, TRIALS} <= set(data.data_vars):
            raise ValueError(
                "expected successes and trials (item, system); see betterthan.counts.trials"
            )
        table = data
    else:
        table = trials(data)
    successes, tried = (
        checks.nonnegative_integers(table[k].transpose(*_CELL).values, k)
        for k in (SUCCESSES, TRIALS)
    )
    systems = [str(s) for s in table[names.SYSTEM].values]
    checks.unique(systems, "system")
    checks.at_least_two(systems)
    items = item_ids(table).tolist()
    checks.unique(items, "item")
    _need_possible(successes, tried, items, systems)
    return successes, tried, items, systems


def _need_possible(
    successes: np.ndarray, tried: np.ndarray, items: list[str], systems: list[str]
) -> None:
    """Refuse more successes than trials, and systems that no item connects with the others."""
    if (successes > tried).any():
        i, s = np.argwhere(successes > tried)[0]
        raise ValueError(
            f"{systems[s]!r} has {successes[i, s]} successes of {tried[i, s]} trials on item "
            f"{items[i]!r}; successes cannot exceed trials"
        )
    unconnected = unconnected_systems((tried > 0).T.astype(float) @ (tried > 0), systems)
    if unconnected:
        raise ValueError(
            f"{unconnected} shares no item with the other systems, so they cannot be compared; "
            "check the item ids"
        )
