"""One row for each system on each item (and label): true positives, false positives, false negatives."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.frames import table_from_frame
from betterthan.io.items import at_least_two, beside_columns, coordinate
from betterthan.io.problems import counted, problem, shown
from betterthan.io.recognition import require
from betterthan.io.roles import find
from betterthan.io.table import Table

_WHOLE = 1e-9  # of a unit: what scaling may be off by rounding


def tallies_from_table(table: pd.DataFrame, *, scale: int = 1) -> xr.DataArray:
    """Tallies of systems on items from a table with one row for each.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``system``, ``item`` (or ``doc``, ``document``), ``tp``, ``fp``, ``fn``, optionally ``label`` (or
        ``type``, ``class``), and ``dataset``, ``cluster`` or ``epoch``, the same for all rows of an item.
    scale : int, default 1
        What tallies are multiplied by to be whole: 2 where partial credit comes in halves. Scores do not change.

    Returns
    -------
    xarray.DataArray, dims (item, system, tally), or (item, system, label, tally), int64
        Items in the order they first occur, joined by their ids. ``attrs["scale"]`` keeps the scale. A label without
        a row has tallies of 0 if the system has another row for that item; ``attrs["reading"]`` counts them.

    Raises
    ------
    ValueError
        If a column is missing, a tally is negative or not whole, a row is there twice, or a system has no row at all
        for an item: missing is not zero.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"], "doc": ["d1", "d1"], "tp": [3, 1.5], "fp": [1, 0], "fn": [0, 2]}
    ... )
    >>> tallies_from_table(frame, scale=2).sel(system="B").values.tolist()
    [[3, 0, 4]]
    """
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is a {type(table).__name__}; give a pandas.DataFrame, or a path to betterthan.read")
    parsed = table_from_frame(table, "DataFrame")
    require(parsed, "tallies")
    tallies, said = table_tallies(parsed, scale)
    tallies.attrs["reading"] = f"DataFrame read as tallies: {said}"
    return tallies


def table_tallies(table: Table, scale: int) -> tuple[xr.DataArray, str]:
    """Tallies of a table, joined by item, and what is to be said of them."""
    scale = checks.whole(scale, "scale")
    item_column = str(find(table, "item"))
    item, items = pd.factorize(np.array(cells.labels(table, item_column, "each row an item id"), dtype=object))
    names_of = cells.system_names(table, str(find(table, "system")))
    system, systems = pd.factorize(np.array(names_of, dtype=object))
    at_least_two(table, list(systems))
    label_column = find(table, "class")
    label, labels = np.zeros(len(item), dtype=np.int64), np.array([""], dtype=object)
    if label_column is not None:
        label, labels = pd.factorize(np.array(cells.labels(table, label_column, "each row its label"), dtype=object))
    shape = (len(items), len(systems), len(labels))
    given = np.zeros(shape, dtype=bool)
    cell = np.ravel_multi_index((item, system, label), shape)
    _refuse_repeated(table, cell, items[item], systems[system], label_column and labels[label])
    given.reshape(-1)[cell] = True
    _refuse_absent(table, given.any(2), items, systems)
    values = np.zeros((*shape, len(names.TALLIES)), dtype=np.int64)
    for k, tally in enumerate(names.TALLIES):
        values.reshape(-1, len(names.TALLIES))[cell, k] = _whole(table, str(find(table, tally)), scale)
    coords = _coords(table, item, items, systems)
    result = xr.DataArray(
        values if label_column is not None else values[:, :, 0],
        dims=(names.ITEM, names.SYSTEM, *([names.LABEL] if label_column is not None else []), names.TALLY),
        coords=coords | ({names.LABEL: labels.astype(str)} if label_column is not None else {}),
        name="tallies",
        attrs={"scale": scale},
    )
    said = f"{counted(len(items), 'item')} x {len(systems)} systems, item ids from column {item_column!r}"
    if label_column is not None:
        absent = int((~given).sum())
        said += f", {counted(len(labels), 'label')} from column {label_column!r}"
        said += f" ({counted(absent, 'row')} absent and taken as 0)" if absent else ""
    return result, said + (f", scaled by {scale}" if scale != 1 else "")


def _coords(table: Table, item: np.ndarray, items: Any, systems: Any) -> dict[Any, Any]:
    coords: dict[Any, Any] = {
        names.ITEM: np.asarray(items).astype(str),
        names.SYSTEM: np.asarray(systems).astype(str),
        names.TALLY: list(names.TALLIES),
    }
    first = np.unique(item, return_index=True)[1]
    for role, column in beside_columns(table).items():
        values = coordinate(table, column, role)
        differs = values != values[first[item]]
        if differs.any():
            k = int(differs.argmax())
            what = f"the same item has {shown(values[first[item[k]]].item())} in row {table.rows[int(first[item[k]])]}"
            raise problem(
                table.source, f"{what}; give it one {role}", row=table.rows[k], column=column, value=values[k].item()
            )
        coords[role] = (names.ITEM, values[first])
    return coords


def _whole(table: Table, column: str, scale: int) -> np.ndarray:
    values = cells.numbers(table, column)
    whole = np.rint(values * scale)
    for bad, what in (
        (np.isnan(values), "blank; give a tally, 0 where there is nothing: missing is not zero"),
        (values < 0, "negative; a tally is at least 0"),
        (np.abs(values * scale - whole) > _WHOLE, _fractional(scale)),
        (np.abs(whole) > 2**40, "too large for a tally"),
    ):
        if bad.any():
            k = int(bad.argmax())
            raise problem(table.source, what, row=table.rows[k], column=column, value=float(values[k]))
    return whole.astype(np.int64)


def _fractional(scale: int) -> str:
    if scale == 1:
        return "not whole; for partial credit give a scale, such as scale=2 where there are halves"
    return f"not whole after scaling by {scale}; give a scale that makes every tally whole"


def _refuse_repeated(table: Table, cell: np.ndarray, items: Any, systems: Any, labels: Any) -> None:
    again = pd.Series(cell).duplicated().to_numpy()
    if not again.any():
        return
    k = int(again.argmax())
    before = table.rows[int((cell == cell[k]).argmax())]
    beside = f", label {shown(labels[k])}" if labels is not None else ""
    what = (
        f"duplicate tallies of system {shown(systems[k])} on item {shown(items[k])}{beside}, already in row {before}; "
        "give each item its own id"
    )
    raise problem(table.source, what, row=table.rows[k])


def _refuse_absent(table: Table, given: np.ndarray, items: Any, systems: Any) -> None:
    if not given.all():
        i, j = np.argwhere(~given)[0]
        what = (
            f"item {shown(items[i])} has no row for system {shown(systems[j])} ({int((~given).sum())} missing in all); "
            "give every system a row for every item, zeros where it found nothing"
        )
        raise problem(table.source, what)
