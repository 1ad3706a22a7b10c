"""Which systems a figure shows, in which order, and what it calls them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from betterthan import checks


def chosen(systems: Any, there: Sequence[str]) -> dict[str, str]:
    """What each system to draw is called: a list picks and orders, a mapping renames and picks."""
    if systems is None:
        return {system: system for system in there}
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise ValueError(
            f"systems is {checks.shown(systems)}; give a list of systems, or a mapping from "
            f"systems "
            "to the names to show"
        )
    wanted = [known(system, there, "systems") for system in systems]
    checks.unique(wanted, "system in systems")
    if not wanted:
        raise ValueError("systems is empty; leave it out to draw all")
    shown = [called(system, systems) for system in systems]
    checks.unique(shown, "name in systems")
    return dict(zip(wanted, shown, strict=True))


def picked(data: Any, dims: Sequence[str], systems: Any, order: Iterable[int] | None = None) -> Any:
    """The systems to draw, in their order and under their names; all of them in `order`."""
    there = [str(system) for system in data[dims[0]].values]
    name = chosen(systems, there)
    rows = [there.index(system) for system in name]
    if systems is None and order is not None:
        rows = [int(k) for k in order]
    kept = data.isel(dict.fromkeys(dims, rows))
    return kept.assign_coords({dim: [name[there[k]] for k in rows] for dim in dims})


def called(system: Any, systems: Any) -> str:
    """What a system is called, where `systems` may rename it."""
    return str(systems.get(system, system) if isinstance(systems, Mapping) else system)


def known(system: Any, systems: Sequence[str], what: str) -> str:
    """Return the name of a system when it is one of `systems`."""
    if str(system) not in systems:
        there = list(dict.fromkeys(systems))
        shown = ", ".join(there[:8]) + (", ..." if len(there) > 8 else "")
        raise ValueError(f"{what} names {str(system)!r}, which is not among the systems: {shown}")
    return str(system)
