"""What the commands `measures`, `order` and `outcome` read: whatever a file holds, as the functions
take it.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.cli.console import say
from betterthan.io.cells import holds_numbers, numbers, texts
from betterthan.io.files import read_file
from betterthan.io.layouts import recognise
from betterthan.io.problems import listed, problem
from betterthan.labels.matrices import confusions as confusions_from_labels
from betterthan.labels.matrices import is_confusion, read_confusion, tallies
from betterthan.labels.matrices import read as read_labels
from betterthan.orders.reading import read as read_orders
from betterthan.reading.read import read

_LAYOUTS = ("confusion", "predictions", "tallies", "wide", "long")


def measured(
    file: Path,
    layout: str | None,
    *,
    better: dict[str, bool],
    scale: int,
    systems: list[str] | None = None,
    ignore: list[str] | None = None,
) -> tuple[xr.DataArray | None, Any, str | None]:
    """Tallies or scores to compare, confusion matrices to describe, and the statistic that suits
    them.
    """
    if layout is not None:
        checks.one_of(layout, _LAYOUTS, "layout")
    table = read_file(file)
    chosen = layout or ("confusion" if is_confusion(table) else recognise(table))
    unread = {"lower_is_better": better.get("higher_is_better") is False, "scale": scale != 1}
    if chosen == "confusion":
        columns = {"systems": systems is not None, "ignore": ignore is not None}
        refuse_unused(unread | columns, "tables", f"{file.name} holds a confusion matrix")
        return None, read_confusion(file), None
    if chosen != "predictions":
        how: dict[str, Any] = {**better, "scale": scale}
        how |= {"layout": chosen, "systems": systems, "ignore": ignore}
        return read(file, **how), None, None
    refuse_unused(unread, "scores and tallies", f"{file.name} holds labels")
    labels = read_labels(file, systems=systems, ignore=ignore)
    confusions = confusions_from_labels(labels).assign_attrs(labels.attrs)
    if labels.sizes["system"] == 1:
        return None, confusions.isel(system=0, drop=True), None
    return tallies(labels).assign_attrs(labels.attrs | {"scale": 1}), confusions, "macro_f1"


def changed(command: Callable[..., None], options: Mapping[str, Any]) -> dict[str, bool]:
    """Which options of a command differ from their defaults."""
    defaults = signature(command).parameters
    return {name: value != defaults[name].default for name, value in options.items()}


def refuse_unused(passed: Mapping[str, bool], of: str, instead: str) -> None:
    """Refuse the first option that was passed, where the data have no use for it."""
    for name in (name for name, is_passed in passed.items() if is_passed):
        raise ValueError(f"--{name.replace('_', '-')} is for {of}, and {instead}; leave it out")


def ordered(
    file: Path, reference: list[str] | None, restrict: str | None
) -> tuple[xr.DataArray, str | list[str] | None, bool]:
    """Orders, the reference or references, and whether there are systems and documents enough to
    compare.
    """
    orders = read_orders(file)
    say(str(orders.attrs["reading"]))
    if not reference:
        return orders, None, False
    n_systems = orders.sizes["system"] - len(reference)
    several = orders.sizes.get("document", 1) > 1 and n_systems > 1 and restrict is None
    return orders, reference[0] if len(reference) == 1 else reference, several


def plain_table(
    file: Path, outcome: str, features: list[str] | None, leave_out: str | None
) -> pd.DataFrame:
    """A file as a table: numbers of the outcome and its features, else what a column holds.

    Parameters
    ----------
    file : path
    outcome, features, leave_out
        Columns: the outcome and the features (all others where none are named) hold numbers, and a
        cell that is none is refused here, where its row is known.
    """
    table = read_file(file)
    named = {outcome, *(table.columns if features is None else features)} - {leave_out}
    for name in (*(features or []), outcome, None if leave_out == names.ROW else leave_out):
        if name is not None and name not in table.columns:
            present = listed(table.columns)
            raise problem(table.source, f"there is no column {name!r}; the columns are {present}")
    return pd.DataFrame(
        {
            name: numbers(table, name, _name_features if features is None else None)
            if name in named or holds_numbers(table, name)
            else texts(table, name)
            for name in table.columns
        }
    )


def _name_features() -> str:
    """What to do with a column of texts, where all columns are features."""
    return (
        "not a number; name the features with --features, or the column of subjects with "
        "--leave-out"
    )


def component_table(file: Path) -> pd.DataFrame:
    """A table of components: their names in the first column, a feature in every other."""
    table = read_file(file)
    first, *features = table.columns
    if not features:
        raise problem(
            table.source, "needs the names of components and at least one column of a feature"
        )
    columns = {name: numbers(table, name) for name in features}
    return pd.DataFrame(columns, index=list(texts(table, first)))
