"""One row for each system on each item (and label): true positives, false positives, false
negatives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.alike import alike_labels, refuse_alike_by_scores
from betterthan.io.items import at_least_two, describe_coordinates
from betterthan.io.long import ItemRows, item_rows
from betterthan.io.problems import counted, listed, problem, shown
from betterthan.io.roles import find
from betterthan.io.table import Reading, Table, refuse_large, unread
from betterthan.io.text_arrays import text_array
from betterthan.io.written import Coded

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
    _refuse_repeated(table, rows)
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


def _refuse_repeated(table: Table, rows: _Cells) -> None:
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
