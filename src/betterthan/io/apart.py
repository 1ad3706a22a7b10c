"""One file for each system: tables of one score column, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.io import cells
from betterthan.io.items import BESIDE, items_of
from betterthan.io.problems import listed, problem
from betterthan.io.recognition import recognise
from betterthan.io.roles import find
from betterthan.io.table import Table

NAMES = ("systems", "datasets")
_NUMBERED = "items are row numbers"


def one_a_system(tables: Mapping[str, Table], asked: str | None) -> bool:
    """Whether each table is of one system: it has one column of scores, or names one system.

    Parameters
    ----------
    tables : mapping of str to Table
    asked : {"systems", "datasets"}, optional
        What the names of the tables are; decided by what is in them when not given.
    """
    if asked is not None and asked not in NAMES:
        raise ValueError(f"names is {asked!r}; give 'systems' or 'datasets'")
    if asked == "datasets" or len(tables) < 2:
        return False
    single = {name: len(_systems(table)) == 1 for name, table in tables.items()}
    if all(single.values()):
        return True
    if asked == "systems" or any(single.values()):
        name = next(name for name, one in single.items() if not one)
        one = next((name for name, is_one in single.items() if is_one), None)
        found = _systems(tables[name])
        beside = f", while {tables[one].source} has one" if one is not None else ""
        what = f"holds {len(found)} systems ({listed(found)}){beside}; name one column with score="
        raise problem(tables[name].source, what)
    return False


def side_by_side(tables: Mapping[str, Table]) -> Table:
    """One long table of all, with the name of each as its system.

    Raises
    ------
    ValueError
        If a table has no column of item ids: nothing says which rows belong together.
    """
    parts = [_long(name, table) for name, table in tables.items()]
    beside = [role for role in BESIDE if all(role in part.columns for part in parts)]
    for part in parts:
        only = [role for role in BESIDE if role in part.columns and role not in beside]
        if only:
            raise problem(part.source, f"alone has a column of {only[0]}s; give it in all or none")
    columns = {
        name: [cell for part in parts for cell in part.columns[name]]
        for name in ("system", "item", "score", *beside)
    }
    rows = [f"{row} of {part.source}" for part in parts for row in part.rows]
    return Table(", ".join(part.source for part in parts), columns, rows)


def own_name(table: Table) -> str | None:
    """The one system that a column names."""
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
    """One table as a long one."""
    if recognise(table) == "long":
        item, score = (str(find(table, role)) for role in ("item", "score"))
    else:
        items = items_of(table)
        if items.said.startswith(_NUMBERED):
            what = (
                "has no column of item ids, so nothing says which rows of the files belong "
                "together; name it with item="
            )
            raise problem(table.source, what)
        (score,) = _systems(table)
        item = str(find(table, "item"))
    columns: dict[str, Any] = {role: c for role in BESIDE if (c := find(table, role))}
    found = {role: _cells(table.columns[column]) for role, column in columns.items()}
    found |= {"item": _cells(table.columns[item]), "score": _cells(table.columns[score])}
    return replace(table, columns=found | {"system": [name] * len(table.rows)})


def _cells(values: Any) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values
