"""Judged counts straight from a table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.judged.dataset import dataset_of, judged_counts


def from_table(
    table: Mapping[tuple[str, str], tuple[Any, Any]],
    *,
    signals: Sequence[str] | None = None,
    labels_by: str = "people",
) -> xr.Dataset:
    """Judged counts from numbers: for each pair (gold, judged).

    Parameters
    ----------
    table : mapping of (system_a, system_b) to (gold, judged)
        gold: three rows (truth is a win, a loss, a tie of the first system) by one column for each
        signal of the judge; judged: how many items have each signal, the gold items included.
    signals : sequence of str, optional
        What the judge says, such as ``["win", "loss", "tie", "unparsed"]``; several answers as
        ``"win / loss"``, strata behind ``" | "``. Of three, win, loss and tie when not given.
    labels_by : str, default "people"
        Whose labels are taken for the truth.

    Returns
    -------
    xarray.Dataset
        ``gold`` (pair, truth, signal) and ``judged`` (pair, signal), int64.

    Raises
    ------
    ValueError
        If a number is negative or fractional, a pair is given twice, gold items are not among the
        judged, no item is gold, there are more than 12 signals, or the judge has one answer only.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.judged.from_table(
    ...     {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
    ... )
    >>> float(bt.prob_better(counts).round(6).item())
    0.947146
    """
    if not isinstance(table, Mapping) or not table:
        raise ValueError(
            "table must be a mapping of (system_a, system_b) to (gold, judged), with one pair or "
            "more"
        )
    pairs = [_pair(pair) for pair in table]
    checks.unique([tuple(sorted(pair)) for pair in pairs], "pair")
    cells = [
        _cells(f"({a!r}, {b!r})", entry)
        for (a, b), entry in zip(pairs, table.values(), strict=True)
    ]
    width = {len(judged) for _, judged in cells}
    if len(width) > 1:
        raise ValueError(
            f"pairs have {' and '.join(map(str, sorted(width)))} signals; give each pair the same, "
            "with 0 where a signal did not occur"
        )
    gold, judged = (np.stack(parts) for parts in zip(*cells, strict=True))
    named = _signals(signals, gold.shape[2])
    attrs = {"unit": names.ITEM, "labels_by": labels_by}
    return judged_counts(dataset_of(gold, judged, pairs, named, attrs))


def _pair(pair: Any) -> tuple[str, str]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(f"{pair!r} is not a pair of systems; give (system_a, system_b)")
    a, b = map(str, pair)
    checks.not_against_itself(a, b, f"({a!r}, {b!r})")
    return a, b


def _cells(where: str, entry: Any) -> tuple[np.ndarray, np.ndarray]:
    """Gold (truth, signal) and judged (signal) of one pair."""
    try:
        gold, judged = (np.asarray(part) for part in entry)
    except (TypeError, ValueError):
        raise ValueError(
            f"{where} must be (gold, judged): 3 rows of signals, and one row"
        ) from None
    if gold.ndim != 2 or judged.ndim != 1 or gold.shape != (3, judged.size):
        raise ValueError(
            f"{where} has gold {gold.shape} and judged {judged.shape}; give gold as 3 rows (win, "
            "loss, tie) of as many signals as judged has"
        )
    checked = [checks.nonnegative_integers(part, f"counts of {where}") for part in (gold, judged)]
    return checked[0], checked[1]


def _signals(signals: Sequence[str] | None, number: int) -> list[str]:
    if signals is None:
        return list(names.OUTCOMES) if number == 3 else [f"signal {k + 1}" for k in range(number)]
    named = [str(s) for s in signals]
    checks.unique(named, "signal")
    if len(named) != number:
        raise ValueError(f"there are {len(named)} names of signals, and {number} signals")
    return named
