"""Read predicted labels next to gold labels, and printed confusion matrices."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks
from betterthan.io import cells
from betterthan.io.files import table_of
from betterthan.io.items import items_of, scores_array, sole
from betterthan.io.layouts import named_systems, require
from betterthan.io.problems import counted, listed, printable, problem, quoted
from betterthan.io.reading import Columns, applied
from betterthan.io.system_names import check_labels, chosen, refuse_alike_by_scores, renamed
from betterthan.io.table import Table
from betterthan.io.texts import Coded, array_from_codes, narrow
from betterthan.labels.matrices import from_table
from betterthan.signed import Signature

_UNCLASSIFIED = "unclassified"


def read(
    source: str | Path | pd.DataFrame,
    *,
    systems: str | Sequence[str] | Mapping[str, str] | None = None,
    ignore: str | Sequence[str] | None = None,
) -> xr.DataArray:
    """Read predicted labels of one or more systems, with the gold labels.

    Parameters
    ----------
    source : path or pandas.DataFrame
        Table of item ids (optional), ``gold``, and a column of predicted labels for each system,
        one or more.
    systems : str, list of str or mapping of str to str, optional
        Columns of predicted labels, in this order. Default: all remaining ones. A mapping renames
        them.
    ignore : str or list of str, optional
        Columns to ignore.

    Returns
    -------
    xarray.DataArray, dims (item, system), str
        Labels; a blank one is empty, which means unclassified. Coordinate ``gold`` (item);
        ``attrs["reading"]`` is the import summary, one line.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If the file cannot be read, there is no gold column or no system, or a gold label is blank.
        If a column that is not named in `systems` shares no or nearly no label with gold.

    Examples
    --------
    >>> import pandas as pd
    >>> labels = read(pd.DataFrame({"item": [1, 2], "gold": ["yes", "no"], "A": ["yes", None]}))
    >>> labels.values.tolist(), labels.attrs["reading"]
    ([['yes'], ['']], "DataFrame read as labels: 2 items x 1 system ('A'), item ids from column
    'item', 1 unclassified")
    """
    table = applied(
        table_of(source), Columns(ignore=checks.labels(() if ignore is None else ignore, "ignore"))
    )
    require(table, "predictions")
    items, column = items_of(table), str(sole(table, "gold"))
    gold = cells.read_once(table, column, cells.gold)
    candidate_columns = [name for name in table.columns if name not in items.used | {column}]
    is_request = systems is not None and not isinstance(systems, Mapping)
    requested = checks.labels(systems, "systems") if is_request else None
    picked = chosen(table, candidate_columns, requested)
    if not picked:
        reason = f"no column of predicted labels of systems among {listed(table.columns)}"
        raise problem(table.source, reason)
    predicted = {system: cells.read_once(table, system, cells.predictions) for system in picked}
    label_text = check_labels(table, (column, gold), predicted, named=requested is not None)
    values = _side_by_side(list(predicted.values()))
    refuse_alike_by_scores(table.source, picked, items.ids, lambda: values != "")
    coordinates = items.coords | {"gold": array_from_codes(gold.distinct, gold.codes)}
    labels = scores_array(values, items.ids, picked, coordinates).rename("label")
    blank = int((values == "").sum())
    summary = f"{counted(len(gold), 'item')} x {named_systems(picked)}, {items.summary}"
    summary = f"labels: {summary}, {blank} unclassified{label_text}"
    return renamed(labels, systems).assign_attrs(_provenance(table, summary))


def _side_by_side(columns: list[Coded]) -> np.ndarray:
    """Return the texts of columns of equal length as one array, a column each."""
    sizes = [len(column.distinct) for column in columns]
    begins = np.cumsum([0, *sizes])
    codes = [
        narrow(column.codes, begins[-1]) + begin
        for column, begin in zip(columns, begins, strict=False)
    ]
    distinct = list(chain.from_iterable(column.distinct for column in columns))
    return array_from_codes(distinct, np.concatenate(codes)).reshape(len(columns), -1).T


def _provenance(table: Table, summary: str) -> dict[str, Any]:
    reading = printable(" ".join(f"{table.source} read as {summary}".splitlines()))
    return Signature(source=table.source, reading=reading).to_attrs()


def read_confusion(source: str | Path | pd.DataFrame) -> xr.DataArray:
    """Read a printed confusion matrix from a file.

    Parameters
    ----------
    source : path or pandas.DataFrame
        Table whose first column names the predicted labels and whose other columns are the actual
        ones: the same labels, in any order. A further row ``unclassified`` has the numbers of items
        of each class without a label.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual), int64
        Counts as from `labels.confusion_matrix`; ``attrs["reading"]`` is the import summary, one
        line.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If the file cannot be read, or does not hold a confusion matrix.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = ["a", "b", "unclassified"]
    >>> table = pd.DataFrame({"predicted": rows, "a": [8, 1, 1], "b": [0, 5, 2]})
    >>> read_confusion(table)["n_actual"].values.tolist()
    [10, 7]
    """
    table = table_of(source)
    if not is_confusion(table):
        reason = "the first column must name the labels that the other columns are called"
        raise problem(table.source, f"is no confusion matrix: {reason}")
    first, *labels = table.columns
    rows = [text.strip() for text in cells.texts(table, first)]
    _refuse_repeated(table, first, rows)
    frame = pd.DataFrame({label: cells.whole_numbers(table, label) for label in labels}, index=rows)
    lost: Any = (
        frame.loc[_UNCLASSIFIED] if _UNCLASSIFIED in rows and _UNCLASSIFIED not in labels else None
    )
    inner = frame.drop(index=_UNCLASSIFIED) if lost is not None else frame
    sizes = None if lost is None else (inner.sum() + lost).to_dict()
    try:
        matrix = from_table(inner, actual_counts=sizes)
    except ValueError as error:
        raise problem(table.source, str(error)) from None
    unclassified = 0 if lost is None else int(lost.sum())
    summary = (
        f"a confusion matrix (rows predicted): {counted(len(labels), 'label')}, "
        f"{int(matrix['n_actual'].sum()):,} items, {unclassified:,} unclassified"
    )
    return matrix.assign_attrs(_provenance(table, summary))


def _refuse_repeated(table: Table, column: str, rows: list[str]) -> None:
    again = next((k for k, label in enumerate(rows) if rows.index(label) < k), None)
    if again is not None:
        before = table.rows[rows.index(rows[again])]
        label = quoted(rows[again])
        what = f"row label {label} occurs more than once, first in row {before}; give it one row"
        row, value = table.rows[again], rows[again]
        raise problem(table.source, what, row=row, column=column, value=value)


def is_confusion(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, and perhaps a row for the
    unclassified.
    """
    first, *labels = table.columns
    rows = [text.strip() for text in cells.as_written(table, first)]
    return len(labels) > 0 and set(rows) - {_UNCLASSIFIED} == set(labels) - {_UNCLASSIFIED}
