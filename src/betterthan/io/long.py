"""One row for each system on each item: scores, or true and false positives and negatives."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.coded_columns import Coded, first_rows
from betterthan.io.items import (
    at_least_two,
    coordinate,
    coordinate_columns,
    describe_coordinates,
    item_ids,
    scores_array,
    units,
)
from betterthan.io.layouts import find
from betterthan.io.other_columns import refuse_total
from betterthan.io.problems import counted, listed, problem, shown
from betterthan.io.system_names import alike_labels, refuse_alike_by_scores
from betterthan.io.table import MOST_CELLS, Reading, Table, refuse_large, unread
from betterthan.io.texts import text_array


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


_ROUNDING_TOLERANCE = 1e-9  # of a unit: what scaling may be off by rounding


@dataclass(frozen=True)
class _Cells:
    """Where the rows of a table belong: items, systems and, where there is a column, labels."""

    items: ItemRows
    systems: list[str]
    labels: list[str]
    item_column: str
    label_column: str | None
    system: np.ndarray  # of each row, as a number
    label: np.ndarray

    @property
    def shape(self) -> tuple[int, int, int]:
        """Items, systems, labels."""
        return self.items.items, len(self.systems), len(self.labels)

    @property
    def place(self) -> np.ndarray:
        """Of each row in an array of that shape, laid out in one dimension."""
        return np.ravel_multi_index((self.items.unit, self.system, self.label), self.shape)

    @property
    def columns(self) -> list[str | None]:
        """Of items, what stands beside them, and labels."""
        return [self.item_column, *self.items.coord_columns.values(), self.label_column]

    def named(self, row: int) -> str:
        """Describe the item of a row for a message, with dataset and epoch."""
        fields = {names.ITEM: str(self.items.ids[row])}
        for role in (names.DATASET, "epoch"):
            if role in self.items.by_row:
                fields[role] = self.items.by_row[role][row].item()
        return ", ".join(f"{role} {shown(value)}" for role, value in fields.items())


def tallies(table: Table, scale: int = 1) -> Reading:
    """Tallies of a table, joined by item, dataset and epoch."""
    scale = checks.whole(scale, "scale")
    rows = _read_cells(table)
    present = _mark_present(table, rows)
    columns = [str(find(table, tally)) for tally in names.TALLIES]
    values = np.zeros((*rows.shape, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        values.reshape(-1, len(columns))[rows.place, k] = _integers(table, column, scale)
    used = {find(table, "system"), *columns, *rows.columns}
    summary = _summary(rows, int((~present).sum())) + (f", scaled by {scale}" if scale != 1 else "")
    summary += alike_labels(table.source, rows.labels)
    return Reading(_array(values, rows, scale), summary, unread(table, used))


def _mark_present(table: Table, rows: _Cells) -> np.ndarray:
    """Mark the tallies (item, system, label) with a row; refuse duplicates and missing systems."""
    _refuse_repeated_tallies(table, rows)
    refuse_large(table.source, **dict(zip(("items", "systems", "labels"), rows.shape, strict=True)))
    present = np.zeros(rows.shape, dtype=bool)
    present.reshape(-1)[rows.place] = True
    refuse_alike_by_scores(table.source, rows.systems, rows.items.names, present.any(2))
    _refuse_absent(table, rows, present.any(2))
    return present


def _read_cells(table: Table) -> _Cells:
    item = str(find(table, "item"))
    items = item_rows(table, item)
    systems = cells.read_once(table, str(find(table, "system")), cells.system_names)
    at_least_two(table, systems.distinct)
    column = find(table, "class")
    labels = Coded([""], np.zeros(len(table.rows), dtype=np.int64))
    if column is not None:
        labels = cells.read_once(table, column, _labels)
    system_names, label_names = list(systems.distinct), list(labels.distinct)
    return _Cells(items, system_names, label_names, item, column, systems.codes, labels.codes)


def _labels(table: Table, column: str) -> Sequence[str]:
    return cells.labels(table, column, "each row its label")


def _summary(rows: _Cells, absent: int) -> str:
    systems = f"{counted(rows.shape[1], 'system')} ({listed(rows.systems)})"
    summary = f"{counted(rows.shape[0], 'item')} x {systems}, "
    summary += (
        f"item ids from column {rows.item_column!r}{describe_coordinates(rows.items.coord_columns)}"
    )
    if rows.label_column is None:
        return summary
    summary += f", {counted(len(rows.labels), 'label')} from column {rows.label_column!r}"
    return summary + (f" ({counted(absent, 'row')} absent and taken as 0)" if absent else "")


def _array(values: np.ndarray, rows: _Cells, scale: int) -> xr.DataArray:
    items = {names.ITEM: text_array(rows.items.names)} | rows.items.coords
    axes: dict[Any, Any] = {role: (names.ITEM, array) for role, array in items.items()}
    axes |= {names.SYSTEM: text_array(rows.systems), names.TALLY: list(names.TALLIES)}
    dims = (names.ITEM, names.SYSTEM, names.TALLY)
    if rows.label_column is None:
        values = values[:, :, 0]
    else:
        axes[names.LABEL] = text_array(rows.labels)
        dims = (names.ITEM, names.SYSTEM, names.LABEL, names.TALLY)
    return xr.DataArray(values, dims=dims, coords=axes, name="tallies", attrs={"scale": scale})


def _integers(table: Table, column: str, scale: int) -> np.ndarray:
    values = cells.numbers(table, column)
    rounded = np.rint(values * scale)
    for bad, requirement in (
        (np.isnan(values), "blank; give a tally, 0 where there is nothing: missing is not zero"),
        (values < 0, "negative; a tally is at least 0"),
        (np.abs(values * scale - rounded) > _ROUNDING_TOLERANCE, _fractional(scale)),
        (np.abs(rounded) > 2**40, "too large for a tally"),
    ):
        if bad.any():
            k = int(bad.argmax())
            raise problem(
                table.source, requirement, row=table.rows[k], column=column, value=float(values[k])
            )
    return rounded.astype(np.int64)


def _fractional(scale: int) -> str:
    if scale == 1:
        return "not whole; for partial credit give a scale, such as scale=2 where there are halves"
    return f"not whole after scaling by {scale}; give a scale that makes every tally whole"


def _refuse_repeated_tallies(table: Table, rows: _Cells) -> None:
    place = rows.place
    again = pd.Series(place).duplicated().to_numpy()
    if not again.any():
        return
    k = int(again.argmax())
    before = table.rows[int((place == place[k]).argmax())]
    label_text = "" if rows.label_column is None else f", label {shown(rows.labels[rows.label[k]])}"
    reason = (
        f"duplicate tallies of system {shown(rows.systems[rows.system[k]])} on "
        f"{rows.named(k)}{label_text}, already in row {before}; give each item its own id, or a "
        f"column 'dataset' or 'epoch' that tells them apart"
    )
    raise problem(table.source, reason, row=table.rows[k])


def _refuse_absent(table: Table, rows: _Cells, present: np.ndarray) -> None:
    if not present.all():
        i, j = np.argwhere(~present)[0]
        reason = (
            f"{rows.named(int(rows.items.first[i]))} has no row for system "
            f"{shown(rows.systems[j])} ({int((~present).sum())} missing in all); "
            "give every system a row for every item, zeros where it found nothing"
        )
        raise problem(table.source, reason)
