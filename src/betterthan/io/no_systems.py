"""Columns and rows that are numbers, but no system and no item: a latency, an average, a total."""

import re
import warnings
from collections.abc import Sequence

import numpy as np

from betterthan.io.choosing import how_to_choose
from betterthan.io.problems import listed, problem, shown
from betterthan.io.table import Table

_SUMMARY = re.compile(
    r"\s*(grand )?(total|sum|mean|average|avg\.?|overall|median|std\.?|stdev|macro|micro)"
    r"([ _](score|total|average|avg))?\s*",
    re.IGNORECASE,
)
_WORDS = ["total", "sum", "mean", "average", "avg", "overall", "median", "std", "macro", "micro"]
_MEASURE = re.compile(
    r"\s*(.*[ _])?(latency|runtime|duration|elapsed|length|n_?tokens|tokens|cost|price|words)"
    r"([ _]\(?(ms|s|sec|seconds|usd|tokens|words|chars)\)?)?\s*",
    re.IGNORECASE,
)
_LARGE = 20  # no share, and no rating beside numbers a twentieth of it
_ROUNDED = 0.005  # of the largest score: what a mean may be off by rounding
_ENOUGH = 5  # rows on which systems differ, and another column is their mean


def refuse_other_numbers(table: Table, systems: Sequence[str], values: np.ndarray) -> None:
    """Refuse columns of a wide table that are plainly no scores of systems, or are called so."""
    far, near = _far(values)
    if len(far):
        odd = [systems[int(k)] for k in far]
        what = (
            f"runs from {_range(values[:, far[0]])}, while {shown(systems[near])} runs from "
            f"{_range(values[:, near])}: not scores of one kind; {how_to_choose(systems, odd)}"
        )
        raise problem(table.source, what, column=odd[0])
    called = np.array([bool(_SUMMARY.fullmatch(system)) for system in systems])
    for k, told in _summaries(values, np.where(called, 1, _ENOUGH)):
        what = f"is the {told} of the other columns, and no system"
        what += f"; {how_to_choose(systems, [systems[k]])}"
        raise problem(table.source, what, column=systems[k])
    named = [s for s in systems if _SUMMARY.fullmatch(s) or _MEASURE.fullmatch(s)]
    if named:
        also = f", as those of {listed(named[1:])}" if len(named) > 1 else ""
        what = f"by its name no scores of a system{also}; {how_to_choose(systems, named)}"
        raise problem(table.source, what, column=named[0])


def refuse_total(source: str, items: Sequence[str], values: np.ndarray) -> None:
    """Refuse an item that is the sum or the mean of all others; warn of one only called so."""
    together = "\n".join(items).casefold()
    if len(items) < 3 or (together.isascii() and not any(word in together for word in _WORDS)):
        return
    called = np.array([bool(_SUMMARY.fullmatch(item)) for item in items])
    if not called.any():
        return
    item = shown(items[int(called.argmax())])
    for k, told in _summaries(values.T, np.where(called, 1, values.shape[1] + 1)):
        what = f"item {shown(items[k])} is the {told} of all other items; leave the row out"
        raise problem(source, what)
    what = f"item {item} is taken as one item; if it sums the others up, leave it out"
    warnings.warn(str(problem(source, what)), UserWarning, stacklevel=2)


def _summaries(values: np.ndarray, enough: np.ndarray) -> list[tuple[int, str]]:
    """Columns that are the sum or the mean of all others, where these differ on so many rows."""
    rows = values[~np.isnan(values).any(1)]
    others = values.shape[1] - 1
    if others < 2 or not len(rows):
        return []
    slack = _ROUNDED * np.abs(rows).max()
    rest = rows.sum(1, keepdims=True) - rows
    differ = (np.ptp(rows, axis=1) > 10 * slack).sum() >= enough
    several = ((rows != 0).sum(1) > 2).any()  # else the largest is their sum
    sums = (np.abs(rows - rest) <= 2 * slack).all(0) & several & differ
    means = (np.abs(rows - rest / others) <= slack).all(0) & differ
    return [(int(k), "sum" if sums[k] else "mean") for k in np.flatnonzero(sums | means)]


def _far(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Columns of numbers beyond all that the column with the smallest could hold, and that one."""
    largest = _largest(values)
    if np.isnan(largest).all() or len(values) < 2:
        return np.array([], dtype=int), 0
    near = int(np.nanargmin(largest))
    size = np.abs(values)
    far = largest > _LARGE
    if largest[near] <= 1:  # shares, or right and wrong
        means = np.nansum(size, axis=0) / (~np.isnan(values)).sum(0).clip(1)
        return np.flatnonzero(far & (means > _LARGE / 4)), near
    small = values[~np.isnan(values[:, near]), near]
    ratings = largest[near] <= _LARGE / 2 and (small == np.floor(small)).all()
    least = np.where(np.isnan(values), np.inf, size).min(0)
    return np.flatnonzero(far & ratings & (least >= _LARGE * largest[near])), near


def _largest(values: np.ndarray) -> np.ndarray:
    """Of each column the largest number without its sign; NaN where there is none but 0."""
    held = np.where(np.isnan(values), 0, np.abs(values)).max(0)
    return np.where(held == 0, np.nan, held)


def _range(column: np.ndarray) -> str:
    return f"{np.nanmin(column):g} to {np.nanmax(column):g}"
