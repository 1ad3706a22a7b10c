"""One row for each system on each item."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from betterthan.io import cells
from betterthan.io.alike import refuse_apart_by_scores
from betterthan.io.items import (
    at_least_two,
    beside_columns,
    beside_said,
    coordinate,
    scores_array,
)
from betterthan.io.no_systems import refuse_total
from betterthan.io.problems import problem, shown
from betterthan.io.roles import find
from betterthan.io.table import Reading, Table, refuse_large, unread


def long_scores(table: Table) -> Reading:
    """Scores of a long table, joined by item, dataset and epoch; what never occurs is NaN."""
    item, system, score = (str(find(table, role)) for role in ("item", "system", "score"))
    rows = item_rows(table, item)
    code, systems = coded(np.array(cells.system_names(table, system), dtype=object))
    at_least_two(table, systems.tolist())
    scores = cells.numbers(table, score)
    _refuse_repeated(table, rows, code, systems)
    values = _square(table.source, rows, code, systems, scores)
    ids = rows.ids[rows.first].tolist()
    said = f"joined by column {item!r}{beside_said(rows.beside)}"
    ignored = unread(table, {item, system, score, *rows.beside.values()})
    return Reading(scores_array(values, ids, systems.tolist(), rows.coords), said, ignored)


def _square(
    source: str, rows: "ItemRows", system: np.ndarray, systems: np.ndarray, scores: np.ndarray
) -> np.ndarray:
    """Scores (item, system), NaN where there is no row."""
    refuse_large(source, items=len(rows.first), systems=len(systems))
    values = np.full((len(rows.first), len(systems)), np.nan)
    values[rows.unit, system] = scores
    ids = rows.ids[rows.first].tolist()
    refuse_total(source, ids, values)
    refuse_apart_by_scores(source, systems.tolist(), ids, ~np.isnan(values))
    return values


@dataclass(frozen=True)
class ItemRows:
    """The items of a table with several rows for each."""

    ids: np.ndarray  # of each row
    unit: np.ndarray  # the item of each row, as a number
    first: np.ndarray  # the first row of each item
    beside: dict[str, str]  # columns of the optional coordinates
    by_row: dict[str, np.ndarray]  # the coordinates of each row

    @property
    def coords(self) -> dict[str, np.ndarray]:
        """The coordinates of each item."""
        return {role: values[self.first] for role, values in self.by_row.items()}


def item_rows(table: Table, column: str) -> ItemRows:
    """Rows joined to items by their ids within dataset and epoch."""
    beside = beside_columns(table)
    ids = np.array(cells.labels(table, column, "each row an item id"), dtype=object)
    by_row = {role: coordinate(table, found, role) for role, found in beside.items()}
    unit = units(ids, by_row)
    first = np.unique(unit, return_index=True)[1]
    if "cluster" in by_row:
        refuse_two_clusters(table, beside["cluster"], by_row["cluster"], first[unit])
    return ItemRows(ids, unit, first, beside, by_row)


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


def _refuse_repeated(table: Table, rows: ItemRows, system: np.ndarray, systems: np.ndarray) -> None:
    cell = rows.unit * len(systems) + system
    again = pd.Series(cell).duplicated().to_numpy()
    if not again.any():
        return
    k = int(again.argmax())
    before = table.rows[int((cell == cell[k]).argmax())]
    where = "".join(
        f", {role} {shown(rows.by_row[role][k].item())}"
        for role in ("dataset", "epoch")
        if role in rows.by_row
    )
    raise problem(
        table.source,
        f"duplicate score of system {shown(systems[system[k]])} on item {shown(rows.ids[k])}"
        f"{where}, already in row {before}; give each system one score an item, or a column "
        f"'epoch' or 'dataset' that tells them apart",
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
