"""Layouts other than scores and counts, each with its reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from betterthan.counts.successes import trials_from_table
from betterthan.io import cells
from betterthan.io.files import table_of
from betterthan.io.layouts import find
from betterthan.io.problems import listed, problem

_COUNTED = ("successes", "trials")


def trials(source: str | Path | pd.DataFrame) -> Any:
    """Successes of trials: columns ``system, item, successes, trials``."""
    table = table_of(source)
    columns = {role: find(table, role) for role in ("item", "system")}
    columns |= {role: role if role in table.columns else None for role in _COUNTED}
    for role, column in columns.items():
        if column is None:
            reason = f"layout 'trials' needs a column {role!r} among {listed(table.columns)}"
            raise problem(table.source, reason)
    read = {role: cells.whole_numbers(table, role) for role in _COUNTED}
    named = {
        role: cells.labels(table, str(columns[role]), f"each row its {role}")
        for role in ("item", "system")
    }
    counted_trials = trials_from_table(pd.DataFrame(named | read, index=list(table.rows)))
    summary = (
        f"{table.source} read as trials{counted_trials.attrs['reading'].partition('trials')[2]}"
    )
    return counted_trials.assign_attrs(source=table.source, reading=summary)


OTHERS = ("orders", "labels", "confusion", "trials")


def layout_reader(layout: str) -> Callable[[Any], Any]:
    """Return the reader of one of `OTHERS`, imported when needed."""
    if layout == "orders":
        from betterthan.orders.reading import read

        return read
    if layout == "trials":
        return trials
    from betterthan.labels import reading

    return reading.read if layout == "labels" else reading.read_confusion
