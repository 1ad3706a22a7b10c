"""Measures in different units and directions, each a win, a loss or a tie."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.scoring import count_outcomes

_FLAGS = ("higher_is_better", "independent")


def from_measures(measures: pd.DataFrame) -> xr.DataArray:
    """Count on how many measures each system is ahead; how far ahead does not matter.

    Parameters
    ----------
    measures : pandas.DataFrame
        One row for each measure, named by a column ``measure`` or by the index; a numeric column
        for each system; a column ``higher_is_better`` (0 or 1); optionally a column ``independent``
        (0 or 1, default 1): a measure that follows from another one is no evidence of its own, and
        is left out.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        As `count` gives them, with ``attrs["unit"] = "measure"``; ``attrs["left_out"]`` names the
        measures that are not independent. A missing value leaves the measure out of the pairs it
        concerns.

    Raises
    ------
    ValueError
        If it is no DataFrame, or a column, a flag or a value is not what it must be; the message
        says where.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = from_measures(bt.datasets.diag_measures())
    >>> counts.sel(system_a="DIAG-NLP", system_b="DIAG-orig").values.tolist()
    [8, 1, 1]
    """
    if not isinstance(measures, pd.DataFrame):
        raise ValueError(
            f"measures are a {type(measures).__name__}; give a pandas.DataFrame, one row for each "
            "measure"
        )
    frame = measures.set_index("measure") if "measure" in measures.columns else measures
    labels = [str(label) for label in frame.index]
    checks.unique(labels, "measure")
    systems = [str(c) for c in frame.columns if c not in _FLAGS]
    checks.unique(systems, "system")
    checks.at_least_two(systems)
    independent = _independent(frame, labels)
    used = [
        label for label, is_independent in zip(labels, independent, strict=True) if is_independent
    ]
    excluded = [
        label
        for label, is_independent in zip(labels, independent, strict=True)
        if not is_independent
    ]
    scores = xr.DataArray(
        _oriented_ranks(frame, labels)[independent],
        dims=(names.ITEM, names.SYSTEM),
        coords={names.ITEM: used, names.SYSTEM: systems},
    )
    attrs = {"unit": "measure", "n_left_out": len(excluded), "left_out": ", ".join(excluded)}
    return count_outcomes(scores).assign_attrs(_cited(measures) | attrs)


def _cited(measures: pd.DataFrame) -> dict[str, Any]:
    return {k: measures.attrs[k] for k in ("source", "citation") if k in measures.attrs}


def _independent(frame: pd.DataFrame, labels: list[str]) -> np.ndarray:
    """Return which measures are independent evidence; all without such a column."""
    flags = np.ones(len(frame), bool)
    if "independent" in frame.columns:
        flags = _flags(frame, "independent", labels)
    if not flags.any():
        raise ValueError("no measure is independent; at least one must be")
    return flags


def _oriented_ranks(frame: pd.DataFrame, labels: list[str]) -> np.ndarray:
    """Ranks (measure, system) of which more is better."""
    higher = _flags(frame, "higher_is_better", labels)
    ranks = np.array([_ranks(row) for row in _numbers(frame, labels)])
    return np.where(higher[:, None], ranks, -ranks)


def _flags(frame: pd.DataFrame, column: str, labels: list[str]) -> np.ndarray:
    if column not in frame.columns:
        raise ValueError(
            f"measures have no column {column!r}; say for each whether higher is better (1) or "
            "lower (0)"
        )
    values = frame[column].tolist()
    for label, value in zip(labels, values, strict=True):
        if value is pd.NA or value not in (0, 1):
            raise ValueError(f"measure {label!r}, column {column!r} is {value!r}; give 0 or 1")
    return np.array(values, dtype=bool)


def _numbers(frame: pd.DataFrame, labels: list[str]) -> np.ndarray:
    columns = [c for c in frame.columns if c not in _FLAGS]
    values = np.empty((len(frame), len(columns)))
    for j, column in enumerate(columns):
        for i, value in enumerate(frame[column].tolist()):
            values[i, j] = _number(value, labels[i], str(column))
    return values


def _number(value: Any, label: str, column: str) -> float:
    if value is None or value is pd.NA:
        return np.nan
    number = _float(value)
    if number is None or np.isinf(number):
        raise ValueError(
            f"measure {label!r}, column {column!r} is {value!r}; give a finite number, or leave "
            "it blank"
        )
    return number


def _float(value: Any) -> float | None:
    """The value as a float, infinite where it is too large for one; None where it is no number."""
    if isinstance(value, str | bool) or not isinstance(value, int | float | np.number):
        return None
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _ranks(row: np.ndarray) -> np.ndarray:
    """Dense ranks, with values that differ by rounding alone in one rank: units differ from row to
    row.
    """
    slack = names.SCORE_ULPS * np.finfo(float).eps * np.nanmax(np.abs(row), initial=0.0)
    order = np.argsort(row, kind="stable")
    ranks = np.empty(row.shape)
    ranks[order] = np.concatenate([[0], np.cumsum(np.diff(row[order]) > slack)])
    return np.where(np.isnan(row), np.nan, ranks)
