"""One row for each system on each item (and label): true positives, false positives, false
negatives.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.frames import table_from_frame
from betterthan.io.items import at_least_two, beside_columns, coordinate
from betterthan.io.long import coded, refuse_two_clusters, units
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
        Columns ``system``, ``item`` (or ``doc``, ``document``), ``tp``, ``fp``, ``fn``, optionally
        ``label`` (or ``type``, ``class``), and ``dataset``, ``epoch`` (which tell items of one id
        apart) or ``cluster`` (one for all rows of an item).
    scale : int, default 1
        What tallies are multiplied by to be whole: 2 where partial credit comes in halves. Scores
        do not change.

    Returns
    -------
    xarray.DataArray, dims (item, system, tally), or (item, system, label, tally), int64
        Items in the order they first occur, joined by their ids within dataset and epoch.
        ``attrs["scale"]`` keeps the scale. A label without a row has tallies of 0 if the system has
        another row for that item; ``attrs["reading"]`` counts them.

    Raises
    ------
    ValueError
        If a column is missing, a tally is negative or not whole, a row is there twice, or a system
        has no row at all for an item: missing is not zero.

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
        raise ValueError(
            f"table is a {type(table).__name__}; give a pandas.DataFrame, or a path to "
            f"betterthan.read"
        )
    parsed = table_from_frame(table, "DataFrame")
    require(parsed, "tallies")
    tallies, said = table_tallies(parsed, scale)
    tallies.attrs["reading"] = f"DataFrame read as tallies: {said}"
    return tallies


def table_tallies(table: Table, scale: int) -> tuple[xr.DataArray, str]:
    """Tallies of a table, joined by item, dataset and epoch, and what is to be said of them."""
    scale = checks.whole(scale, "scale")
    item, coords, said = _items(table)
    system, systems = coded(
        np.array(cells.system_names(table, str(find(table, "system"))), dtype=object)
    )
    at_least_two(table, systems.tolist())
    column = find(table, "class")
    written = (
        [""] * len(item) if column is None else cells.labels(table, column, "each row its label")
    )
    label, labels = coded(np.array(written, dtype=object))
    shape = (int(item.max()) + 1, len(systems), len(labels))
    cell = np.ravel_multi_index((item, system, label), shape)
    _refuse_repeated(
        table, cell, coords, (item, systems[system], None if column is None else labels[label])
    )
    given = np.zeros(shape, dtype=bool)
    given.reshape(-1)[cell] = True
    _refuse_absent(table, given.any(2), coords, systems)
    values = np.zeros((*shape, len(names.TALLIES)), dtype=np.int64)
    for k, tally in enumerate(names.TALLIES):
        values.reshape(-1, len(names.TALLIES))[cell, k] = _whole(
            table, str(find(table, tally)), scale
        )
    told = f"{counted(shape[0], 'item')} x {len(systems)} systems, {said}"
    told += "" if column is None else _labels_said(labels, column, int((~given).sum()))
    told += f", scaled by {scale}" if scale != 1 else ""
    return _array(values, coords, systems, None if column is None else labels, scale), told


def _labels_said(labels: np.ndarray, column: str, absent: int) -> str:
    said = f", {counted(len(labels), 'label')} from column {column!r}"
    return said + (f" ({counted(absent, 'row')} absent and taken as 0)" if absent else "")


def _items(table: Table) -> tuple[np.ndarray, dict[str, np.ndarray], str]:
    """The item of each row as a number, the ids and coordinates of the items, and what to say of
    them.
    """
    column, beside = str(find(table, "item")), beside_columns(table)
    ids = np.array(cells.labels(table, column, "each row an item id"), dtype=object)
    coords = {role: coordinate(table, found, role) for role, found in beside.items()}
    item = units(ids, coords)
    first = np.unique(item, return_index=True)[1]
    if "cluster" in coords:
        refuse_two_clusters(table, beside["cluster"], coords["cluster"], first[item])
    said = f"item ids from column {column!r}" + "".join(
        f", {role} from column {c!r}" for role, c in beside.items()
    )
    return (
        item,
        {role: values[first] for role, values in ({names.ITEM: ids.astype(str)} | coords).items()},
        said,
    )


def _array(
    values: np.ndarray,
    coords: dict[str, np.ndarray],
    systems: Any,
    labels: np.ndarray | None,
    scale: int,
) -> xr.DataArray:
    axes: dict[Any, Any] = {role: (names.ITEM, array) for role, array in coords.items()}
    axes |= {names.SYSTEM: np.asarray(systems).astype(str), names.TALLY: list(names.TALLIES)}
    dims = (names.ITEM, names.SYSTEM, names.TALLY)
    if labels is None:
        values = values[:, :, 0]
    else:
        axes[names.LABEL] = labels.astype(str)
        dims = (names.ITEM, names.SYSTEM, names.LABEL, names.TALLY)
    return xr.DataArray(values, dims=dims, coords=axes, name="tallies", attrs={"scale": scale})


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
            raise problem(
                table.source, what, row=table.rows[k], column=column, value=float(values[k])
            )
    return whole.astype(np.int64)


def _fractional(scale: int) -> str:
    if scale == 1:
        return "not whole; for partial credit give a scale, such as scale=2 where there are halves"
    return f"not whole after scaling by {scale}; give a scale that makes every tally whole"


def _refuse_repeated(
    table: Table,
    cell: np.ndarray,
    coords: dict[str, np.ndarray],
    by_row: tuple[np.ndarray, np.ndarray, np.ndarray | None],
) -> None:
    again = pd.Series(cell).duplicated().to_numpy()
    if not again.any():
        return
    k = int(again.argmax())
    item, systems, labels = by_row
    before = table.rows[int((cell == cell[k]).argmax())]
    beside = f", label {shown(labels[k])}" if labels is not None else ""
    what = (
        f"duplicate tallies of system {shown(systems[k])} on "
        f"{_named(coords, int(item[k]))}{beside}, "
        f"already in row {before}; give each item its own id, or a column 'dataset' or 'epoch' "
        f"that tells them apart"
    )
    raise problem(table.source, what, row=table.rows[k])


def _refuse_absent(
    table: Table, given: np.ndarray, coords: dict[str, np.ndarray], systems: Any
) -> None:
    if not given.all():
        i, j = np.argwhere(~given)[0]
        what = (
            f"{_named(coords, i)} has no row for system {shown(systems[j])} "
            f"({int((~given).sum())} missing in all); "
            "give every system a row for every item, zeros where it found nothing"
        )
        raise problem(table.source, what)


def _named(coords: dict[str, np.ndarray], k: int) -> str:
    """The item as it stands in a message, with what tells it from others of its id."""
    told = [role for role in (names.ITEM, names.DATASET, "epoch") if role in coords]
    return ", ".join(f"{role} {shown(coords[role][k].item())}" for role in told)
