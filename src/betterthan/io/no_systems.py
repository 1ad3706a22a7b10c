"""Detect numbers that are no system or item: a latency, an average, a total."""

import re
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from betterthan import names
from betterthan.io.choosing import how_to_choose
from betterthan.io.problems import listed, problem, shown
from betterthan.io.table import Table
from betterthan.io.texts import joined

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
_CELLS = 2**18  # that are looked at together
_ENOUGH = 5  # rows on which systems differ, and another column is their mean


def refuse_other_numbers(table: Table, systems: Sequence[str], values: np.ndarray) -> None:
    """Refuse columns of a wide table that are plainly no scores of systems, or are called so."""
    far, smallest = _far(values)
    if len(far):
        odd = [systems[int(k)] for k in far]
        reason = (
            f"runs from {_range(values[:, far[0]])}, while {shown(systems[smallest])} runs from "
            f"{_range(values[:, smallest])}: not scores of one kind; {how_to_choose(systems, odd)}"
        )
        raise problem(table.source, reason, column=odd[0])
    called = np.array([bool(_SUMMARY.fullmatch(system)) for system in systems])
    for k, statistic in _summaries(values, np.where(called, 1, _ENOUGH)):
        reason = f"is the {statistic} of the other columns, and no system"
        reason += f"; {how_to_choose(systems, [systems[k]])}"
        raise problem(table.source, reason, column=systems[k])
    named = [s for s in systems if _SUMMARY.fullmatch(s) or _MEASURE.fullmatch(s)]
    if named:
        also = f", as those of {listed(named[1:])}" if len(named) > 1 else ""
        reason = f"by its name no scores of a system{also}; {how_to_choose(systems, named)}"
        raise problem(table.source, reason, column=named[0])


def refuse_total(source: str, items: Sequence[str], values: np.ndarray) -> None:
    """Refuse an item that is the sum or the mean of all others; warn of one only called so."""
    if len(items) < 3:
        return
    if not any(map(_may_sum, joined(items, "\n"))):
        return
    called = np.array([bool(_SUMMARY.fullmatch(item)) for item in items])
    if not called.any():
        return
    item = shown(items[int(called.argmax())])
    for k, statistic in _summaries(values.T, np.where(called, 1, values.shape[1] + 1)):
        reason = f"item {shown(items[k])} is the {statistic} of all other items; leave the row out"
        raise problem(source, reason)
    reason = f"item {item} is taken as one item; if it sums the others up, leave it out"
    warnings.warn(str(problem(source, reason)), UserWarning, skip_file_prefixes=names.PACKAGE)


def _may_sum(names: str) -> bool:
    """Whether one of some names may say that it sums others up."""
    together = names.casefold()
    return not together.isascii() or any(word in together for word in _WORDS)


def _summaries(values: np.ndarray, enough: np.ndarray) -> list[tuple[int, str]]:
    """Find columns that are the sum or the mean of all others, if these differ on enough rows."""
    others = values.shape[1] - 1
    if others < 2:
        return []
    slack = _ROUNDED * max((np.abs(rows).max() for rows in _complete_rows(values)), default=np.nan)
    n, differ, several = 0, 0, False
    sums = means = np.ones(len(enough), dtype=bool)
    for rows in _complete_rows(values):
        n += len(rows)
        rest_sum = rows.sum(1, keepdims=True) - rows
        differ += int((np.ptp(rows, axis=1) > 10 * slack).sum())
        several |= bool(((rows != 0).sum(1) > 2).any())  # else the largest is their sum
        sums = sums & (np.abs(rows - rest_sum) <= 2 * slack).all(0)
        means = means & (np.abs(rows - rest_sum / others) <= slack).all(0)
    if not n:
        return []
    sums, means = (candidates & (differ >= enough) for candidates in (sums & several, means))
    return [(int(k), "sum" if sums[k] else "mean") for k in np.flatnonzero(sums | means)]


def _blocks(values: np.ndarray) -> Iterator[np.ndarray]:
    """Some rows, then the next ones."""
    step = max(1, _CELLS // max(1, values.shape[1]))
    return (values[k : k + step] for k in range(0, len(values), step))


def _complete_rows(values: np.ndarray) -> Iterator[np.ndarray]:
    """Yield blocks of the complete rows."""
    for rows in _blocks(values):
        rows = rows[~np.isnan(rows).any(1)]
        if len(rows):
            yield rows


def _far(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Find columns with numbers far beyond the range of the smallest column; return that one
    too.
    """
    if len(values) < 2:
        return np.array([], dtype=int), 0
    largest, least = np.zeros(values.shape[1]), np.full(values.shape[1], np.inf)
    total, n, integral = np.zeros_like(largest), np.zeros_like(largest), np.ones_like(largest, bool)
    for rows in _blocks(values):
        size, observed = np.abs(rows), ~np.isnan(rows)
        largest = np.fmax(largest, np.where(observed, size, 0).max(0))
        least = np.fmin(least, np.where(observed, size, np.inf).min(0))
        total, n = total + np.where(observed, size, 0).sum(0), n + observed.sum(0)
        integral &= (~observed | (rows == np.floor(rows))).all(0)
    largest = np.where(largest == 0, np.nan, largest)
    if np.isnan(largest).all():
        return np.array([], dtype=int), 0
    smallest = int(np.nanargmin(largest))
    far = largest > _LARGE
    if largest[smallest] <= 1:  # shares, or right and wrong
        return np.flatnonzero(far & (total / n.clip(1) > _LARGE / 4)), smallest
    ratings = largest[smallest] <= _LARGE / 2 and integral[smallest]
    return np.flatnonzero(far & ratings & (least >= _LARGE * largest[smallest])), smallest


def _range(column: np.ndarray) -> str:
    return f"{np.nanmin(column):g} to {np.nanmax(column):g}"
