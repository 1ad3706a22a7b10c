"""Select, order and rename the systems of a figure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from betterthan import checks


def chosen(systems: Any, present: Sequence[str]) -> dict[str, str]:
    """Map each system to draw to its displayed name: a list selects and orders, a mapping also
    renames.
    """
    if systems is None:
        return {system: system for system in present}
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise ValueError(
            f"systems is {checks.shown(systems)}; give a list of systems, or a mapping from "
            f"systems "
            "to the names to show"
        )
    wanted = [check_system(system, present, "systems") for system in systems]
    checks.unique(wanted, "system in systems")
    if not wanted:
        raise ValueError("systems is empty; leave it out to draw all")
    new_names = [called(system, systems) for system in systems]
    checks.unique(new_names, "name in systems")
    return dict(zip(wanted, new_names, strict=True))


def picked(data: Any, dims: Sequence[str], systems: Any, order: Iterable[int] | None = None) -> Any:
    """Select the systems to draw, in their order and under their displayed names; all of them in
    `order`.
    """
    present = [str(system) for system in data[dims[0]].values]
    name = chosen(systems, present)
    rows = [present.index(system) for system in name]
    if systems is None and order is not None:
        rows = [int(k) for k in order]
    selected = data.isel(dict.fromkeys(dims, rows))
    return selected.assign_coords({dim: [name[present[k]] for k in rows] for dim in dims})


def called(system: Any, systems: Any) -> str:
    """What a system is called, where `systems` may rename it."""
    return str(systems.get(system, system) if isinstance(systems, Mapping) else system)


def check_system(system: Any, systems: Sequence[str], argument: str) -> str:
    """Return the name of a system when it is one of `systems`."""
    if str(system) not in systems:
        distinct = list(dict.fromkeys(systems))
        listed_names = ", ".join(distinct[:8]) + (", ..." if len(distinct) > 8 else "")
        raise ValueError(
            f"{argument} names {str(system)!r}, which is not among the systems: {listed_names}"
        )
    return str(system)
