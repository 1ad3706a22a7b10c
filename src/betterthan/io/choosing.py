"""The systems that are asked for: columns of a wide table, or names in any other."""

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan import checks, names
from betterthan.io.problems import listed, problem
from betterthan.io.table import Table
from betterthan.io.text_arrays import text_array


def named_systems(systems: Any) -> list[str] | None:
    """The names, when `systems` is a list of them; None where all are read, or renamed."""
    if systems is None or isinstance(systems, Mapping):
        return None
    if isinstance(systems, str) or not isinstance(systems, Sequence):
        what = "give a list of names, or a mapping to new names"
        raise ValueError(f"systems is {checks.shown(systems)}; {what}")
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


def renamed(data: Any, systems: Any) -> Any:
    """Scores, tallies or counts with the systems that a mapping names called anew."""
    if not isinstance(systems, Mapping):
        return data
    new = {str(old): str(name) for old, name in systems.items()}
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    found = data[dims[0]].values.tolist()
    absent = [system for system in new if system not in found]
    if absent:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(found)}")
    called = [new.get(system, system) for system in found]
    checks.unique(called, "system")
    return data.assign_coords({dim: text_array(called) for dim in dims})
