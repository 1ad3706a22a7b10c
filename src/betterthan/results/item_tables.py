"""Items in a report: on which two systems are right or wrong, on which they differ most, and how
much of an error is due to repeated runs.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import PAIRS_VISIBLE, ReportContext
from betterthan.results.document import Part, Table
from betterthan.results.numbers import on_one_line

CELLS = ("both_right", "a_only", "b_only", "both_wrong")


def agreement_cells(data: xr.Dataset, first: Any, second: Any) -> dict[str, np.ndarray] | None:
    """Cells and coefficients of pairs, given by their places; None where they are not known.

    Parameters
    ----------
    whole : xarray.Dataset
        A comparison by one engine.
    first, second : sequence of int
        Places of the systems of each pair.

    Returns
    -------
    dict or None
        ``both_right``, ``a_only``, ``b_only``, ``both_wrong``; ``phi``, the correlation of right
        and wrong, and Cohen's ``kappa``, both NaN where a system is always right or always wrong;
        -1 in cells, and NaN, of pairs that do not share all their examples.
    """
    counts = data["counts"].transpose(*names.SQUARE, names.OUTCOME).values
    counts_right = right_counts(data)
    if counts_right is None:
        return None
    right, scored = (np.array(values) for values in counts_right)
    first, second = np.asarray(first), np.asarray(second)
    wins, losses, ties = counts[first, second].T.astype(int)
    both = right[first] - wins
    cells = np.stack([both, wins, losses, ties - both])
    n = cells.sum(0)
    complete = (scored[first] == n) & (scored[second] == n) & (right[second] == both + losses)
    cells = np.where(complete & (cells >= 0).all(0), cells, -1)
    a, b, c, d = np.where(cells[0] < 0, np.nan, cells.astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        phi = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
        kappa = 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    return dict(zip(CELLS, cells, strict=True)) | {
        "phi": phi,
        "kappa": np.where(np.isfinite(phi), kappa, np.nan),
    }


def right_counts(data: xr.Dataset) -> tuple[list[int], list[int]] | None:
    """On how many examples each system is right, and of how many; None where that is not known, or
    pairs are not of single examples.
    """
    if "n_right" not in data or data.sizes[names.OUTCOME] != 3 or "n_units" in data:
        return None
    right, scored = (data[k].values.astype(int).tolist() for k in ("n_right", "n_scored"))
    return right, scored


def agreement_part(context: ReportContext) -> Part | None:
    """The cells of the pairs that have rows."""
    pairs = context.pairs
    agreement = agreement_cells(context.data, *zip(*pairs, strict=True)) if pairs else None
    if agreement is None:
        return None
    rows = [
        (context.systems[i], context.systems[j], *_row(agreement, k))
        for k, (i, j) in enumerate(pairs)
        if agreement["both_right"][k] >= 0
    ]
    heads = ("System", "Other", "Both right", "Only system", "Only other")
    heads += ("Both wrong", "phi", "kappa")
    caption = "Right and wrong on the same items"
    table = Table(heads, rows, caption, left=2, name="agreement", visible=PAIRS_VISIBLE)
    return Part("Agreement", tables=[table], notes=[_NOTE], folded=len(rows) > 1) if rows else None


_NOTE = (
    "phi: the correlation of right and wrong; kappa: agreement beyond that of chance (Cohen). Two "
    "systems of the same accuracy may be right on other items: then a choice by item, or a "
    "vote, could be better than both; that they agree does not say that they are right."
)


def _row(agreement: dict[str, np.ndarray], k: int) -> tuple[str, ...]:
    cells = [f"{int(agreement[name][k]):,}" for name in CELLS]
    return (*cells, *(numbers.signed(float(agreement[name][k])) for name in ("phi", "kappa")))


_FEW = 4  # systems whose scores on an item have columns


def items_part(context: ReportContext) -> Part | None:
    """A row an item: its scores, how far they are apart, and whether it goes with the others."""
    data = context.data
    if "item_spread" not in data or not data.sizes[names.ITEM]:
        return None
    heads, columns = _scores(context)
    items = [on_one_line(str(item)) for item in data[names.ITEM].values]
    rows = [(item, *cells) for item, cells in zip(items, columns, strict=True)]
    note = _NOTE_PAIR
    if context.many:
        heads, note = (*heads, "Spread", "With the rest"), _NOTE_SEVERAL
        more = zip(data["item_spread"].values, data["item_with_rest"].values, strict=True)
        rows = [
            (*row, f"{spread:.2f}", numbers.signed(along))
            for row, (spread, along) in zip(rows, more, strict=True)
        ]
    n, total = len(rows), int(data["n_differing"])
    caption = "Items on which systems differ most" + (f", {n} of {total:,}" if n < total else "")
    table = Table(("Item", *heads), rows, caption, name="items")
    return Part("Items", tables=[table], notes=[note], folded=True)


def _scores(context: ReportContext) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and cells: the scores of each of few systems, how many of many are right, or their
    mean.
    """
    scores = context.data["item_score"].transpose(names.ITEM, names.SYSTEM)
    if len(context.systems) <= _FEW:
        values = scores.sel({names.SYSTEM: context.systems}).values
        cells = [tuple("–" if x != x else f"{x:.3g}" for x in row) for row in values]
        return tuple(context.systems), cells
    if "n_right" in context.data:
        number = zip(
            scores.sum(names.SYSTEM).values, scores.count(names.SYSTEM).values, strict=True
        )
        return ("Correct",), [(f"{right:g} of {n}",) for right, n in number]
    return ("Mean score",), [(f"{x:.3g}",) for x in scores.mean(names.SYSTEM).values]


_NOTE_SEVERAL = (
    "Spread: the standard deviation of the systems' scores on the item. With the rest: the "
    "correlation, over systems, of these scores with the means on all other items; of one spread "
    "the lowest come first. Below 0 an item goes against all others: read it for a wrong key, or a "
    "question that can be taken in two ways. counts.disagreements gives every item."
)
_NOTE_PAIR = (
    "Of equal differences those come first on which the system that is behind on all other items "
    "is ahead: read these for a wrong key, or a question that can be taken in two ways. "
    "counts.disagreements gives every item."
)


_ROWS = 40


def runs_part(context: ReportContext) -> Part | None:
    """Of each system how its runs vary, and both standard errors of its mean."""
    if "run_error" not in context.data:
        return None
    data = context.data
    columns = {
        key: data[f"run_{key}"].values for key in ("number", "mixed", "error", "error_of_runs")
    }
    rows = [
        (
            system,
            f"{columns['number'][i]:.3g}",
            f"{numbers.percent(columns['mixed'][i])}%",
            f"{columns['error'][i]:.3f}",
            f"{columns['error_of_runs'][i]:.3f}",
        )
        for i, system in enumerate(context.systems)
    ]
    heads = ("System", "Runs of an item", "Items with mixed runs")
    heads += ("SE, items like these", "SE, these items only")
    table = Table(
        heads, rows, "Repeated runs: standard errors of the mean of all runs", visible=_ROWS
    )
    note = (
        "Error bars of the runs only understate what new items would show: verdicts are for items "
        "like these. betterthan.plan.runs finds the best number of runs for a budget."
    )
    return Part("Repeated runs", tables=[table], notes=[note])
