"""The systems that are asked for: columns of a wide table, or names in any other."""

from collections.abc import Sequence
from typing import Any

from betterthan import checks, names
from betterthan.io.problems import listed, problem
from betterthan.io.table import Table


def named_systems(systems: Any) -> list[str] | None:
    """Return `systems` when it is a list of names, or None."""
    if systems is None:
        return None
    if isinstance(systems, str) or not isinstance(systems, Sequence):
        raise ValueError(f"systems is {checks.shown(systems)}; give a list of names")
    named = [str(system) for system in systems]
    checks.unique(named, "system")
    checks.at_least_two(named)
    return named


def chosen(table: Table, columns: list[str], systems: Sequence[str] | None) -> list[str]:
    """The columns that are asked for, in that order; all of them where none are."""
    if systems is None:
        return columns
    absent = [system for system in systems if system not in columns]
    if absent:
        what = f"has no column {absent[0]!r} of a system among {listed(columns)}"
        raise problem(table.source, what)
    return list(systems)


def chosen_of(source: str, data: Any, systems: Sequence[str] | None) -> Any:
    """Scores, tallies or counts of the systems that are asked for, in that order."""
    if systems is None:
        return data
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    found = data[dims[0]].values.tolist()
    absent = [system for system in systems if system not in found]
    if absent:
        raise problem(source, f"has no system {absent[0]!r} among {listed(found)}")
    return data.sel({dim: list(systems) for dim in dims})
