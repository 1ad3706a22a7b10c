"""Confusion matrices: from labels, from predictions of several systems, from tables and files."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.units import CLUSTER, EPOCH, several, unit_of
from betterthan.io import cells
from betterthan.io.files import table_of
from betterthan.io.items import items_of, scores_array, sole
from betterthan.io.labels import check_labels, distinct_labels
from betterthan.io.layouts import named_systems, require
from betterthan.io.problems import counted, listed, printable, problem, quoted
from betterthan.io.reading import Columns, applied
from betterthan.io.system_names import chosen, refuse_alike_by_scores, renamed, tell_alike
from betterthan.io.table import Table
from betterthan.io.texts import Coded, array_from_codes, narrow, text_array
from betterthan.signed import Signature
from betterthan.text import stripped


def confusion_matrix(
    gold: Sequence[Any],
    predicted: Sequence[Any],
    *,
    labels: Sequence[Any] | None = None,
    by: Sequence[Any] | None = None,
) -> xr.DataArray:
    """Count how often each label was predicted for items of each class.

    Parameters
    ----------
    gold, predicted : sequence
        Labels of the same items, in the same order. A prediction that is None, NaN, or an empty
        text is unclassified: it is in no row, but its item counts in the recall of its class.
    labels : sequence, optional
        All labels, in the order of the result. Default: as they first occur, in gold and then in
        predicted.
    by : sequence, optional
        Dialogue (or document) of each item, to get a matrix for each, in order of first appearance.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual) or (dialogue, predicted, actual), int64
        Counts. The coordinate ``n_actual`` (actual) has the number of items of each class,
        including unclassified ones.

    Raises
    ------
    ValueError
        If they differ in length or are empty, a gold label or a dialogue is missing, or a label is
        not among `labels`.

    Examples
    --------
    >>> matrix = confusion_matrix(["a", "a", "b", "b"], ["a", "b", "b", None])
    >>> matrix.values.tolist(), matrix["n_actual"].values.tolist()
    ([[1, 0], [1, 1]], [2, 2])
    """
    actual, predictions = _listed(gold, "gold"), _listed(predicted, "predicted")
    checks.same_items({"gold": gold, "predicted": predicted}, "items")
    if len(actual) != len(predictions):
        raise ValueError(
            f"gold has {len(actual)} labels and predicted {len(predictions)}; give one of each for "
            f"every item"
        )
    if not actual:
        raise ValueError("gold is empty; give at least one item")
    if "" in actual:
        raise ValueError(
            f"gold label at position {actual.index('')} is missing; every item needs one"
        )
    _refuse_other_labels(actual, predictions)
    all_labels = _all_labels(labels, actual, predictions)
    group, groups = _groups(by, len(actual))
    matrix, n_actual = _counted(actual, predictions, group, all_labels)
    if by is None:
        return _array(matrix[0], all_labels, n_actual[0])
    return _array(matrix, all_labels, n_actual, groups)


_FEW = 5  # items, of which all may be wrong


def _refuse_other_labels(actual: list[str], predictions: list[str]) -> None:
    """Refuse predictions of which none is a gold label, such as True and 1: all would be wrong."""
    known, predicted = dict.fromkeys(actual), dict.fromkeys(filter(None, predictions))
    if len(actual) >= _FEW and predicted and not known.keys() & predicted.keys():
        raise ValueError(
            f"no predicted label is one of gold: predicted has {listed(list(predicted))}, gold "
            f"{listed(list(known))}; write both alike"
        )


def _all_labels(
    labels: Sequence[Any] | None, actual: list[str], predictions: list[str]
) -> list[str]:
    """Return all labels: the given ones, or in order of appearance."""
    if labels is None:
        right = "write it in one, or list labels if they are two"
        distinct = distinct_labels("gold and predicted", actual, predictions, right=right)
        tell_alike("gold and predicted", distinct, "labels")
        return distinct
    label_list = _listed(labels, "labels")
    checks.unique(label_list, "label")
    for side, values in (("gold", actual), ("predicted", predictions)):
        for k, label in enumerate(values):
            if label and label not in label_list:
                raise ValueError(
                    f"{side} label {label!r} at position {k} is not among labels; add it"
                )
    return label_list


def _counted(
    actual: list[str], predictions: list[str], group: list[int], all_labels: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Count confusions (group, predicted, actual), and items of each class (group, actual)."""
    place = {label: k for k, label in enumerate(all_labels)}
    rows = [
        (g, place[f], place[a]) for g, f, a in zip(group, predictions, actual, strict=True) if f
    ]
    matrix = np.zeros((max(group) + 1, len(all_labels), len(all_labels)), dtype=np.int64)
    np.add.at(matrix, tuple(np.array(rows, dtype=int).reshape(-1, 3).T), 1)
    n_actual = np.zeros((len(matrix), len(all_labels)), dtype=np.int64)
    np.add.at(n_actual, (group, [place[a] for a in actual]), 1)
    return matrix, n_actual


def _groups(by: Sequence[Any] | None, items: int) -> tuple[list[int], list[str]]:
    """Number of the dialogue of each item, and the names of the dialogues."""
    if by is None:
        return [0] * items, []
    named = _listed(by, "by")
    if len(named) != items:
        raise ValueError(
            f"by names the dialogue of {len(named)} items, gold has {items}; give one for every "
            f"item"
        )
    if "" in named:
        raise ValueError(
            f"the dialogue of the item at position {named.index('')} is missing; every item needs "
            f"one"
        )
    place, groups = pd.factorize(np.array(named, dtype=object))
    return place.tolist(), groups.tolist()


def from_table(
    table: pd.DataFrame, *, actual_counts: Mapping[Any, int] | None = None
) -> xr.DataArray:
    """Convert a printed confusion matrix to an array.

    Parameters
    ----------
    table : pandas.DataFrame
        Matrix with predicted labels as rows and actual labels as columns, the same in both, in any
        order; or the other way round, if the names of its axes say so, as in
        ``pandas.crosstab(actual, predicted)``.
    actual_counts : mapping of label to int, optional
        Number of items of each class, if some were left unclassified. Default: the sums of the
        columns.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual), int64
        Counts as from `labels.confusion_matrix`, in the order of the columns.

    Raises
    ------
    ValueError
        If the table is not square, a label is only on one side or holds the sums of all others, a
        cell is negative or not whole, or a count is below the sum of its column. If both axes have
        the name of one side.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [8, 2], "b": [1, 5]}, index=["a", "b"])
    >>> from_table(table, actual_counts={"a": 10, "b": 9})["n_actual"].values.tolist()
    [10, 9]
    """
    checks.of_type(
        table, pd.DataFrame, "table is", "pandas.DataFrame, rows predicted, columns actual"
    )
    sides = [_side(axis.name) for axis in (table.index, table.columns)]
    if sides[0] and sides[0] == sides[1]:
        raise ValueError(f"both axes are named {sides[0]}; name one actual and the other predicted")
    if sides[0] == names.ACTUAL or sides[1] == names.PREDICTED:
        table = table.T
    rows, columns = [[_label(x) for x in axis] for axis in (table.index, table.columns)]
    _refuse_unlike(rows, columns)
    values = table.to_numpy()[[rows.index(c) for c in columns]]
    matrix = checks.nonnegative_integers(values, "cells of the confusion matrix")
    _refuse_totals(matrix, columns)
    n_actual = matrix.sum(0)
    if actual_counts is not None:
        checks.of_type(actual_counts, Mapping, "actual_counts is", "mapping from labels to sizes")
        n_actual = _class_sizes({_label(k): v for k, v in actual_counts.items()}, columns, n_actual)
    return _array(matrix, columns, n_actual)


_SIDES = dict.fromkeys(("predicted", "prediction", "predictions", "pred"), names.PREDICTED)
_SIDES |= dict.fromkeys(("actual", "gold", "true", "truth", "reference", "expected"), names.ACTUAL)


def _side(name: Any) -> str:
    """The side that an axis is by its name, of two names by the first; else empty."""
    words = re.findall("[a-z]+", str(name).casefold())
    return next((_SIDES[word] for word in words if word in _SIDES), "")


def _refuse_totals(matrix: np.ndarray, labels: list[str]) -> None:
    """Refuse a label that is the sum of all others, such as the margins of a cross table."""
    for k, label in enumerate(labels):
        inner = np.delete(np.delete(matrix, k, 0), k, 1)
        sums = inner.sum(0), inner.sum(1), inner.sum()
        margins = np.delete(matrix[k], k), np.delete(matrix[:, k], k), matrix[k, k]
        if len(labels) > 2 and inner.any() and all(map(np.array_equal, sums, margins)):
            raise ValueError(
                f"label {label!r} holds the sums of all others; leave out its row and its column"
            )


def _refuse_unlike(rows: list[str], columns: list[str]) -> None:
    """Refuse sides that do not have the same labels, each once."""
    checks.unique(rows, "row label")
    checks.unique(columns, "column label")
    for label in [*rows, *columns]:
        if (label in rows) != (label in columns):
            side = names.PREDICTED if label in rows else names.ACTUAL
            raise ValueError(
                f"label {label!r} is among the {side} labels alone; a confusion matrix has the "
                f"same labels on both sides"
            )
    if not columns:
        raise ValueError("table is empty; give at least one label")


def _class_sizes(size_by_label: dict[str, Any], labels: list[str], least: np.ndarray) -> np.ndarray:
    if set(size_by_label) != set(labels):
        odd = sorted(set(size_by_label) ^ set(labels))[0]
        raise ValueError(
            f"actual_counts and the table do not have the same labels: {odd!r} is in one alone"
        )
    sizes = checks.nonnegative_integers(
        np.array([size_by_label[label] for label in labels]), "actual_counts"
    )
    for label, size, column in zip(labels, sizes.tolist(), least.tolist(), strict=True):
        if size < column:
            raise ValueError(
                f"actual_counts of {label!r} is {size}, but its column sums to {column}; it "
                f"cannot be less"
            )
    return sizes


def _array(
    matrix: np.ndarray, labels: list[str], n_actual: np.ndarray, dialogues: list[str] | None = None
) -> xr.DataArray:
    leading_dims = [names.DIALOGUE] if dialogues is not None else []
    coords: dict[Any, Any] = {names.PREDICTED: labels, names.ACTUAL: labels}
    if dialogues is not None:
        coords[names.DIALOGUE] = dialogues
    coords["n_actual"] = ((*leading_dims, names.ACTUAL), n_actual.astype(np.int64))
    return xr.DataArray(
        matrix, dims=(*leading_dims, names.PREDICTED, names.ACTUAL), coords=coords, name="confusion"
    )


def _listed(values: Any, argument: str) -> list[str]:
    single = isinstance(values, str) or not isinstance(values, Iterable)
    if single or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{argument} is a {type(values).__name__}; give a sequence of labels")
    values = list(values)
    checks.not_nested(values, f"{argument}: label")
    label_list = list(map(_label, values))
    checks.fit(label_list, f"{argument}: label")
    return label_list


def _label(value: Any) -> str:
    if value is None or value is pd.NA or value != value:
        return ""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    text = str(int(value)) if whole else str(value)  # a missing one makes floats of ints
    return text if stripped(text) else ""


_MOST = 2**27  # counts, 1 GB of them


def confusions(labels: xr.DataArray) -> xr.DataArray:
    """Count the confusions of every system.

    Parameters
    ----------
    labels : xarray.DataArray, dims (item, system), str
        Labels from `labels.read`, with a coordinate ``gold`` (item). An empty label is
        unclassified.

    Returns
    -------
    xarray.DataArray, dims (system, predicted, actual), int64
        Counts with ``n_actual`` (system, actual), for `labels.precision_recall_f`; where items come
        in clusters or runs, ``attrs["dependent"]`` says that they are counted as independent.

    Raises
    ------
    ValueError
        If the data are not labels.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> table = pd.DataFrame({"gold": ["a", "b"], "A": ["a", "a"], "B": ["a", "b"]})
    >>> labels = bt.labels.read(table)
    >>> confusions(labels).sel(system="A").values.tolist()
    [[1, 1], [0, 0]]
    """
    gold, all_labels = _gold(labels)
    _refuse_texts(labels.sizes[names.SYSTEM] * len(all_labels) ** 2)
    matrices = [
        confusion_matrix(gold, labels.isel({names.SYSTEM: k}).values.tolist(), labels=all_labels)
        for k in range(labels.sizes[names.SYSTEM])
    ]
    result = xr.concat(matrices, dim=labels[names.SYSTEM], coords="different", compat="equals")
    units = ["items of a cluster"] if unit_of(labels) == CLUSTER else []
    units += ["runs of an item"] if several(labels, EPOCH) else []
    if units:
        dependent = f"{' and '.join(units).capitalize()} count as independent"
        result.attrs["dependent"] = f"{dependent}, so intervals are too narrow"
        checks.warn(f"{result.attrs['dependent']}; two systems, compared, count each unit once")
    return result


def tallies(labels: xr.DataArray) -> xr.DataArray:
    """Count true positives, false positives, and false negatives of every label on every item.

    Parameters
    ----------
    labels : xarray.DataArray, dims (item, system), str
        Labels from `labels.read`. An empty label is unclassified: a false negative, but no false
        positive.

    Returns
    -------
    xarray.DataArray, dims (item, system, label, tally), int64
        Counts of 0 and 1, for `scores.bootstrap` and `randomization_test`.

    Raises
    ------
    ValueError
        If the data are not labels.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> labels = bt.labels.read(pd.DataFrame({"gold": ["a", "b"], "A": ["a", "a"], "B": ["a", ""]}))
    >>> tallies(labels).sum("item").sel(system="B", label="b").values.tolist()
    [0, 0, 1]
    """
    gold, all_labels = _gold(labels)
    predicted = labels.transpose(names.ITEM, names.SYSTEM).values
    _refuse_texts(predicted.size * len(all_labels))
    numbers = np.arange(len(all_labels))
    is_gold = (_coded(gold, all_labels) == numbers)[:, None, :]
    is_predicted = _coded(predicted, all_labels) == numbers
    tallies = np.stack(
        [is_gold & is_predicted, ~is_gold & is_predicted, is_gold & ~is_predicted], axis=-1
    ).astype(np.int64)
    coords: dict[Any, Any] = {
        name: coord
        for name, coord in labels.coords.items()
        if set(coord.dims) <= {names.ITEM, names.SYSTEM}
    }
    coords |= {names.LABEL: all_labels, names.TALLY: list(names.TALLIES)}
    dims = (names.ITEM, names.SYSTEM, names.LABEL, names.TALLY)
    return xr.DataArray(tallies, dims=dims, coords=coords, attrs={"scale": 1}, name="tallies")


def _coded(values: np.ndarray, all_labels: np.ndarray) -> np.ndarray:
    """Return the code of each label, -1 if empty, with a last axis of length 1."""
    place = {label: k for k, label in enumerate(all_labels.tolist())}
    codes = [place.get(label, -1) for label in values.ravel().tolist()]
    return np.array(codes).reshape(*values.shape, 1)


def _refuse_texts(cells: int) -> None:
    """Refuse so many different labels that they must be texts: each has a count of its own."""
    if cells > _MOST:
        raise ValueError(
            f"labels are so many that they take {cells:,} counts; these are texts rather than "
            "labels, for which only correct and wrong can be counted: see betterthan.read"
        )


def _gold(labels: xr.DataArray) -> tuple[Any, Any]:
    """Return the gold labels, and all labels in order of appearance."""
    if (
        set(getattr(labels, "dims", ())) != {names.ITEM, names.SYSTEM}
        or "gold" not in labels.coords
    ):
        raise ValueError(
            "expected labels with dims (item, system) and a coordinate 'gold'; see "
            "betterthan.labels.read"
        )
    gold = text_array(labels["gold"].values)
    predicted = labels.transpose(names.SYSTEM, names.ITEM).values.reshape(-1)
    distinct = dict.fromkeys([*gold.tolist(), *(x for x in predicted.tolist() if x)])
    return gold, text_array(list(distinct))


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
    begins = np.cumsum([0, *(len(column.distinct) for column in columns)])
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
        of each class without a label. If the first column is called ``actual``, ``gold`` or
        ``true``, rows are actual labels.

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
    if isinstance(source, pd.DataFrame) and source.index.name is not None:
        source = source.reset_index()  # its name says which labels are the rows
    table = table_of(source)
    if not is_confusion(table):
        reason = "the first column must name the labels that the other columns are called"
        raise problem(table.source, f"is no confusion matrix: {reason}")
    first, *labels = table.columns
    rows = [text.strip() for text in cells.texts(table, first)]
    _refuse_repeated(table, first, rows)
    frame = pd.DataFrame({label: cells.whole_numbers(table, label) for label in labels}, index=rows)
    side = _side(first) or names.PREDICTED
    if side == names.ACTUAL:
        frame = frame.T
        rows, labels = labels, rows
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
        f"a confusion matrix (rows {side}): {counted(len(labels), 'label')}, "
        f"{int(matrix['n_actual'].sum()):,} items, {unclassified:,} unclassified"
    )
    return matrix.assign_attrs(_provenance(table, summary))


def _refuse_repeated(table: Table, column: str, rows: list[str]) -> None:
    again = next((k for k, label in enumerate(rows) if rows.index(label) < k), None)
    if again is not None:
        before = table.rows[rows.index(rows[again])]
        label = quoted(rows[again])
        what = f"row label {label} occurs more than once, first in row {before}; give it one row"
        raise table.problem(again, what, column=column, value=rows[again])


def is_confusion(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, and perhaps a row for the
    unclassified.
    """
    first, *labels = table.columns
    rows = [text.strip() for text in cells.as_written(table, first)]
    return len(labels) > 0 and set(rows) - {_UNCLASSIFIED} == set(labels) - {_UNCLASSIFIED}
