"""Join tables with one file per system: one score column each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.io import cells
from betterthan.io.items import COORDINATES, items_of
from betterthan.io.problems import listed, problem
from betterthan.io.recognition import recognise
from betterthan.io.roles import find
from betterthan.io.table import Table

NAMES = ("systems", "datasets")
_NUMBERED = "items are row numbers"


def is_file_per_system(tables: Mapping[str, Table], names_are: str | None) -> bool:
    """Whether each table is of one system: it has one column of scores, or names one system.

    Parameters
    ----------
    tables : mapping of str to Table
    names_are : {"systems", "datasets"}, optional
        What the names of the tables are; decided by what is in them when not given.
    """
    if names_are is not None and names_are not in NAMES:
        raise ValueError(f"names is {names_are!r}; give 'systems' or 'datasets'")
    if names_are == "datasets" or len(tables) < 2:
        return False
    single = {name: len(_systems(table)) == 1 for name, table in tables.items()}
    if all(single.values()):
        return True
    if names_are == "systems" or any(single.values()):
        name = next(name for name, is_single in single.items() if not is_single)
        other = next((name for name, is_one in single.items() if is_one), None)
        systems = _systems(tables[name])
        contrast = f", while {tables[other].source} has one" if other is not None else ""
        reason = (
            f"holds {len(systems)} systems ({listed(systems)}){contrast}; name one column with "
            "score="
        )
        raise problem(tables[name].source, reason)
    return False


def side_by_side(tables: Mapping[str, Table]) -> Table:
    """One long table of all, with the name of each as its system.

    Raises
    ------
    ValueError
        If a table has no column of item ids: nothing says which rows belong together.
    """
    parts = [_long(name, table) for name, table in tables.items()]
    roles = [role for role in COORDINATES if all(role in part.columns for part in parts)]
    for part in parts:
        only = [role for role in COORDINATES if role in part.columns and role not in roles]
        if only:
            raise problem(part.source, f"alone has a column of {only[0]}s; give it in all or none")
    columns = {
        name: [cell for part in parts for cell in part.columns[name]]
        for name in ("system", "item", "score", *roles)
    }
    rows = [f"{row} of {part.source}" for part in parts for row in part.rows]
    return Table(", ".join(part.source for part in parts), columns, rows)


def named_system(table: Table) -> str | None:
    """Return the only system that a column names."""
    return _systems(table)[0] if recognise(table) == "long" else None


def _systems(table: Table) -> list[str]:
    """The systems that a table holds: named in a column, or a column each."""
    if recognise(table) == "long":
        column = str(find(table, "system"))
        return list(dict.fromkeys(text.strip() for text in cells.texts(table, column)))
    if recognise(table) != "wide":
        return []
    used = items_of(table).used
    return [name for name in table.columns if name not in used]


def _long(name: str, table: Table) -> Table:
    """Convert a table to the long layout."""
    if recognise(table) == "long":
        item, score = (str(find(table, role)) for role in ("item", "score"))
    else:
        items = items_of(table)
        if items.summary.startswith(_NUMBERED):
            reason = (
                "has no column of item ids, so nothing says which rows of the files belong "
                "together; name it with item="
            )
            raise problem(table.source, reason)
        (score,) = _systems(table)
        item = str(find(table, "item"))
    columns: dict[str, Any] = {role: c for role in COORDINATES if (c := find(table, role))}
    cells_by_role = {role: _cells(table.columns[column]) for role, column in columns.items()}
    cells_by_role |= {"item": _cells(table.columns[item]), "score": _cells(table.columns[score])}
    return replace(table, columns=cells_by_role | {"system": [name] * len(table.rows)})


def _cells(values: Any) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values
