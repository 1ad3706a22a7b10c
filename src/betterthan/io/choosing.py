"""Select the requested systems: columns of a wide table, or names in any other layout."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from betterthan import checks, names
from betterthan.io.problems import listed, problem, shown
from betterthan.io.table import Table
from betterthan.io.text_arrays import text_array

_MAX_LISTED = 8  # columns in a message, as many as `listed` has


def named_systems(systems: Any) -> list[str] | None:
    """The names, when `systems` is a list of them; None where all are read, or renamed."""
    if systems is None or isinstance(systems, Mapping):
        return None
    if isinstance(systems, str) or not isinstance(systems, Sequence):
        reason = "give a list of names, or a mapping to new names"
        raise ValueError(f"systems is {checks.shown(systems)}; {reason}")
    named = [str(system) for system in systems]
    checks.unique(named, "system")
    checks.at_least_two(named)
    return named


def chosen(table: Table, columns: list[str], systems: Sequence[str] | None) -> list[str]:
    """Return the requested columns, in that order; all without a request."""
    if systems is None:
        return columns
    absent = [system for system in systems if system not in columns]
    if absent:
        reason = f"has no column {absent[0]!r} of a system among {listed(columns)}"
        raise problem(table.source, reason)
    return list(systems)


def how_to_choose(columns: Sequence[str], odd: Sequence[str]) -> str:
    """Both ways to read a table of which `odd` columns may be no systems, in Python and as
    options.
    """
    left = [column for column in columns if column not in odd]
    named = left if len(left) > 1 else columns
    return (
        f"leave {'it' if len(odd) == 1 else 'them'} out: ignore={_in_python(odd)}, "
        f"or --ignore {_as_option(odd)}; "
        f"or name the systems: systems={_in_python(named)}, or --systems {_as_option(named)}"
    )


def _in_python(columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return shown(columns[0])
    more = ", ..." if columns[_MAX_LISTED:] else ""
    return f"[{', '.join(map(shown, columns[:_MAX_LISTED]))}{more}]"


def _as_option(columns: Sequence[str]) -> str:
    return quote(",".join(columns[:_MAX_LISTED])) + (",..." if columns[_MAX_LISTED:] else "")


def select_systems(source: str, data: Any, systems: Sequence[str] | None) -> Any:
    """Select the requested systems of scores, tallies or counts, in that order."""
    if systems is None:
        return data
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    present = data[dims[0]].values.tolist()
    absent = [system for system in systems if system not in present]
    if absent:
        raise problem(source, f"has no system {absent[0]!r} among {listed(present)}")
    return data.sel({dim: list(systems) for dim in dims})


def renamed(data: Any, systems: Any) -> Any:
    """Rename the systems that a mapping names."""
    if not isinstance(systems, Mapping):
        return data
    new = {str(old): str(name) for old, name in systems.items()}
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    present = data[dims[0]].values.tolist()
    absent = [system for system in new if system not in present]
    if absent:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(present)}")
    new_names = [new.get(system, system) for system in present]
    checks.unique(new_names, "system")
    return data.assign_coords({dim: text_array(new_names) for dim in dims})
