"""Read tables with one row for each system on each item."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from betterthan.io import cells
from betterthan.io.alike import refuse_alike_by_scores
from betterthan.io.items import (
    at_least_two,
    coordinate,
    coordinate_columns,
    describe_coordinates,
    item_ids,
    scores_array,
    units,
)
from betterthan.io.no_systems import refuse_total
from betterthan.io.problems import problem, shown
from betterthan.io.roles import find
from betterthan.io.table import MOST_CELLS, Reading, Table, refuse_large, unread
from betterthan.io.written import Coded, first_rows


def long_scores(table: Table) -> Reading:
    """Scores of a long table, joined by item, dataset and epoch; what never occurs is NaN."""
    item, system, score = (str(find(table, role)) for role in ("item", "system", "score"))
    rows = item_rows(table, item)
    systems = cells.read_once(table, system, cells.system_names)
    at_least_two(table, systems.distinct)
    values = _square(table, rows, systems, cells.numbers(table, score))
    refuse_total(table.source, rows.names, values)
    refuse_alike_by_scores(table.source, systems.distinct, rows.names, ~np.isnan(values))
    summary = f"joined by column {item!r}{describe_coordinates(rows.coord_columns)}"
    ignored = unread(table, {item, system, score, *rows.coord_columns.values()})
    return Reading(
        scores_array(values, rows.names, systems.distinct, rows.coords), summary, ignored
    )


@dataclass(frozen=True)
class ItemRows:
    """The items of a table with several rows for each."""

    ids: Coded  # of each row
    unit: np.ndarray  # the item of each row, as a number
    coord_columns: dict[str, str]  # columns of the optional coordinates
    by_row: dict[str, np.ndarray]  # the coordinates of each row

    @property
    def items(self) -> int:
        """How many there are."""
        return len(self.ids.distinct if self.unit is self.ids.codes else self.first)

    @cached_property
    def first(self) -> np.ndarray:
        """The first row of each item."""
        return self.ids.first if self.unit is self.ids.codes else first_rows(self.unit)

    @cached_property
    def names(self) -> Sequence[str]:
        """The id of each item."""
        if self.unit is self.ids.codes:
            return self.ids.distinct
        return Coded(self.ids.distinct, self.ids.codes[self.first]).texts

    @property
    def coords(self) -> dict[str, np.ndarray]:
        """The coordinates of each item."""
        return {role: values[self.first] for role, values in self.by_row.items()}


def item_rows(table: Table, column: str) -> ItemRows:
    """Join rows to items by id within dataset and epoch."""
    columns = coordinate_columns(table)
    ids = item_ids(table, column, "each row an item id")
    by_row = {
        role: coordinate(table, coordinate_column, role)
        for role, coordinate_column in columns.items()
    }
    unit = units(ids, by_row)
    rows = ItemRows(ids, unit, columns, by_row)
    if "cluster" in by_row:
        refuse_two_clusters(table, columns["cluster"], by_row["cluster"], rows.first[unit])
    return rows


def _square(table: Table, rows: ItemRows, systems: Coded, scores: np.ndarray) -> np.ndarray:
    """The scores of rows over (item, system), NaN where there is no row."""
    place = rows.unit * np.int64(len(systems.distinct))  # among items x systems
    place += systems.codes
    _refuse_repeated(table, rows, systems, place)
    shape = rows.items, len(systems.distinct)
    refuse_large(table.source, items=shape[0], systems=shape[1])
    values = np.full(shape, np.nan)
    values.ravel()[place] = scores
    return values


def _refuse_repeated(table: Table, rows: ItemRows, systems: Coded, cell: np.ndarray) -> None:
    if not _any_twice(cell, rows.items * len(systems.distinct)):
        return
    again = pd.Series(cell).duplicated().to_numpy()
    k = int(again.argmax())
    before = table.rows[int((cell == cell[k]).argmax())]
    where = "".join(
        f", {role} {shown(rows.by_row[role][k].item())}"
        for role in ("dataset", "epoch")
        if role in rows.by_row
    )
    raise problem(
        table.source,
        f"duplicate score of system {shown(systems[k])} on item {shown(rows.ids[k])}"
        f"{where}, already in row {before}; give each system one score an item, a column "
        f"'epoch' or 'dataset' that tells them apart, or name the item ids with item=",
        row=table.rows[k],
    )


def _any_twice(places: np.ndarray, size: int) -> bool:
    """Whether two are the same; all are below `size`."""
    if size > MOST_CELLS:
        return bool(pd.Series(places).duplicated().any())
    met = np.zeros(size, dtype=bool)
    met[places] = True
    return int(np.count_nonzero(met)) < len(places)


def refuse_two_clusters(table: Table, column: str, cluster: np.ndarray, first: np.ndarray) -> None:
    """Refuse an item whose rows differ in cluster; `first` is the first row of the item of each
    row.
    """
    differs = cluster != cluster[first]
    if differs.any():
        k = int(differs.argmax())
        before = table.rows[int(first[k])]
        other = shown(str(cluster[first[k]]))
        reason = f"the same item is in cluster {other} in row {before}; give it one cluster"
        raise problem(table.source, reason, row=table.rows[k], column=column, value=str(cluster[k]))
