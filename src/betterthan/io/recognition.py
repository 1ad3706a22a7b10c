"""Recognize the layout of a table by the names of its columns."""

from betterthan.io.cells import holds_numbers
from betterthan.io.layouts import LAYOUTS, layout_by_name
from betterthan.io.problems import listed, problem
from betterthan.io.roles import find, missing
from betterthan.io.table import Table


def recognise(table: Table) -> str:
    """The one layout that fits; an error where none or several do."""
    fits = [x.name for x in LAYOUTS if x.by == "columns" and not missing(table, x.needs)]
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
    needs = layout_by_name(layout).needs
    absent = missing(table, needs)
    if absent:
        raise problem(
            table.source,
            f"layout {layout!r} needs columns {', '.join(needs)}; "
            f"no {', '.join(absent)} among {listed(table.columns)}",
        )


def _refuse_incomplete(table: Table) -> None:
    """Refuse a table that began like a layout that its columns give away: read as wide, its names
    would be the error.
    """
    by_columns = [layout for layout in LAYOUTS if layout.by == "columns"]
    for role in dict.fromkeys(layout.needs[0] for layout in by_columns):
        column = find(table, role)
        if column is None or holds_numbers(table, column):
            continue
        absent = " and ".join(
            f"no {', '.join(missing(table, layout.needs))} ({layout.name})"
            for layout in by_columns
            if layout.needs[0] == role
        )
        named = "; name the scores with score=" if "no score" in absent else ""
        reason = f"has a column {column!r} but {absent} among {listed(table.columns)}{named}"
        raise problem(table.source, reason)


def _predictions_or_wide(table: Table) -> list[str]:
    if find(table, "gold") is None:
        return ["wide"]
    used = {find(table, role) for role in ("item", "dataset", "cluster", "epoch")}
    # Gold that is a number, beside numbers: labels 0 and 1, or a system that is called "answer"?
    if all(holds_numbers(table, column) for column in table.columns if column not in used):
        return ["wide", "predictions"]
    return ["predictions"]
