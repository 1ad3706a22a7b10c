"""Which layout a table has, from the names of its columns."""

from betterthan.io.cells import holds_numbers
from betterthan.io.problems import listed, problem
from betterthan.io.roles import NEEDED, find, missing_roles
from betterthan.io.table import Table

# layouts that several reserved column names give away
_NAMED = ("votes", "counts", "long", "tallies")


def recognise(table: Table) -> str:
    """The one layout that fits; an error where none or several do."""
    fits = [layout for layout in _NAMED if not missing_roles(table, layout)]
    if not fits:
        _refuse_incomplete(table)
        fits = _predictions_or_wide(table)
    if len(fits) > 1:
        choices = " or ".join(f"layout={layout!r}" for layout in fits)
        raise problem(
            table.source,
            f"fits {' and '.join(fits)} (columns {listed(table.columns)}); say {choices}",
        )
    return fits[0]


def require(table: Table, layout: str) -> None:
    """Refuse a layout whose columns are not there."""
    absent = missing_roles(table, layout)
    if absent:
        raise problem(
            table.source,
            f"layout {layout!r} needs columns {', '.join(NEEDED[layout])}; "
            f"no {', '.join(absent)} among {listed(table.columns)}",
        )


def _refuse_incomplete(table: Table) -> None:
    """Refuse a table that began like a named layout: read as wide, its names would be the error."""
    for role, layouts in (("system_a", ("votes", "counts")), ("system", ("long", "tallies"))):
        column = find(table, role)
        if column is None or holds_numbers(table, column):
            continue
        absent = " and ".join(f"no {', '.join(missing_roles(table, x))} ({x})" for x in layouts)
        raise problem(
            table.source, f"has a column {column!r} but {absent} among {listed(table.columns)}"
        )


def _predictions_or_wide(table: Table) -> list[str]:
    gold = find(table, "gold")
    if gold is None:
        return ["wide"]
    used = (
        find(table, "item"),
        find(table, "dataset"),
        find(table, "cluster"),
        find(table, "epoch"),
    )
    # Gold that is a number, beside numbers: labels 0 and 1, or a system that is called "answer"?
    if all(holds_numbers(table, column) for column in table.columns if column not in used):
        return ["wide", "predictions"]
    return ["predictions"]
