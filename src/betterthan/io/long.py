"""One row for each system on each item."""

import numpy as np
import pandas as pd
import xarray as xr

from betterthan.io import cells
from betterthan.io.items import at_least_two, beside_columns, coordinate, scores_array
from betterthan.io.problems import problem, shown
from betterthan.io.roles import find
from betterthan.io.table import Table


def long_scores(table: Table) -> tuple[xr.DataArray, str]:
    """Scores of a long table, joined by item, dataset and epoch; what never occurs is NaN."""
    item_column, system_column = str(find(table, "item")), str(find(table, "system"))
    score_column = str(find(table, "score"))
    beside = beside_columns(table)
    ids = np.array(cells.labels(table, item_column, "each row an item id"), dtype=object)
    coords = {role: coordinate(table, column, role) for role, column in beside.items()}
    system, systems = coded(np.array(cells.system_names(table, system_column), dtype=object))
    at_least_two(table, systems.tolist())
    unit = units(ids, coords)
    scores = cells.numbers(table, score_column)
    _refuse_repeated(table, unit * len(systems) + system, ids, systems[system], coords)
    first = np.unique(unit, return_index=True)[1]
    if "cluster" in coords:
        refuse_two_clusters(table, beside["cluster"], coords["cluster"], first[unit])
    values = np.full((len(first), len(systems)), np.nan)
    values[unit, system] = scores
    kept = {role: array[first] for role, array in coords.items()}
    said = "".join(f", {role} from column {column!r}" for role, column in beside.items())
    return scores_array(values, ids[first].tolist(), systems.tolist(), kept), (
        f"joined by column {item_column!r}{said}"
    )


def coded(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers for the values, in the order they first occur, and the values themselves."""
    codes, distinct = pd.factorize(values)
    return codes.astype(np.int64), np.asarray(distinct, dtype=object)


def units(ids: np.ndarray, coords: dict[str, np.ndarray]) -> np.ndarray:
    """One number for each item within its dataset and epoch, in the order they first occur."""
    unit = coded(ids)[0]
    for role in ("dataset", "epoch"):
        if role in coords:
            codes, distinct = coded(coords[role].astype(object))
            unit = coded(unit * len(distinct) + codes)[0]
    return unit


def _refuse_repeated(
    table: Table,
    cell: np.ndarray,
    ids: np.ndarray,
    systems: np.ndarray,
    coords: dict[str, np.ndarray],
) -> None:
    again = pd.Series(cell).duplicated().to_numpy()
    if not again.any():
        return
    k = int(again.argmax())
    before = table.rows[int((cell == cell[k]).argmax())]
    where = "".join(
        f", {role} {shown(coords[role][k].item())}"
        for role in ("dataset", "epoch")
        if role in coords
    )
    raise problem(
        table.source,
        f"duplicate score of system {shown(systems[k])} on item {shown(ids[k])}{where}, "
        f"already in row {before}; "
        "give each system one score an item, or a column 'epoch' or 'dataset' that tells them apart",
        row=table.rows[k],
    )


def refuse_two_clusters(table: Table, column: str, cluster: np.ndarray, first: np.ndarray) -> None:
    """Refuse an item whose rows differ in cluster; `first` is the first row of the item of each
    row.
    """
    differs = cluster != cluster[first]
    if differs.any():
        k = int(differs.argmax())
        before = table.rows[int(first[k])]
        other = shown(str(cluster[first[k]]))
        what = f"the same item is in cluster {other} in row {before}; give it one cluster"
        raise problem(table.source, what, row=table.rows[k], column=column, value=str(cluster[k]))
