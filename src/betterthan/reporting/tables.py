"""The tables of a comparison beside systems and pairs: matrix, data sets, policies for ties."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.answers.rows import final_verdicts
from betterthan.reporting.cells import names_in, probability_in
from betterthan.reporting.page import Table
from betterthan.reporting.pairs_table import for_whom
from betterthan.reporting.sentences import title_of_verdict
from betterthan.reporting.shown import Shown


def matrix_table(shown: Shown) -> Table:
    """The matrix of P(row better than column) in whole per cent, without the diagonal and empty
    pairs; cells with a verdict are marked.
    """
    main, systems = shown.whole, shown.systems
    among = "among_prob_better" in main
    told = (main["verdict"].values != "no_data") & ~np.eye(len(systems), dtype=bool)
    values = main["among_prob_better" if among else "prob_better"].transpose(*names.SQUARE).values
    p = np.where(told, values, np.nan)
    decided = np.isin(final_verdicts(main), ["a_better", "b_better"]) & told
    rows = [(name, *_cells(*row)) for name, *row in zip(systems, p, decided, strict=True)]
    how = ", among all systems" if among else ""
    caption = (
        "Probability, in per cent, that the system of the row is better than the system of the "
        f"column{how}; * decided"
    )
    return Table(
        ("", *systems),
        rows,
        caption,
        shades=[[np.nan, *row] for row in p],
        decided=[[False, *row] for row in decided.tolist()],
        name="matrix",
        keys=[(system,) for system in systems],
    )


def _cells(p: np.ndarray, decided: np.ndarray) -> list[str]:
    """A row of the matrix, as written."""
    written = ["" if v != v else numbers.percent(v) for v in p]
    return [text + "*" * bool(mark) for text, mark in zip(written, decided, strict=True)]


def datasets_table(shown: Shown) -> Table:
    """P(better) on each data set and on a new one."""
    labels = [str(label) for label in shown.whole[names.DATASET].values]
    rows = []
    for cell in shown.cells:
        each = [cell.isel({names.DATASET: k}) for k in range(len(labels))]
        found = [probability_in(at, "prob_better_dataset") for at in each]
        rows.append((*names_in(cell), *found, probability_in(cell, "prob_better_new")))
    caption = "P(better) on each data set, drawn to what they have in common, and on one not seen"
    return Table(("System", "Other", *labels, "a new one"), rows, caption, left=2)


def ties_table(shown: Shown) -> Table:
    """The verdict under every policy for ties."""
    policies = [str(policy) for policy in shown.whole[names.TIES_POLICY].values]
    rows = [_policies(cell) for cell in shown.cells]
    caption = (
        "Verdict and two-sided p under every policy for ties (third: the trinomial test); to_a and "
        f"to_b give them to the system or the other of the row; in brackets: for whom the test "
        f"speaks; a test flips at {shown.made.alpha:g}, or to the other system"
    )
    return Table(("System", "Other", *policies, "Flips"), rows, caption, left=99)


def _policies(cell: xr.Dataset) -> tuple[str, ...]:
    columns = ("verdict_by_ties", "p_value_by_ties", "favours_by_ties")
    sides = names_in(cell)
    told = [
        f"{title_of_verdict(verdict, *sides)}, p {numbers.p_value(p)}{for_whom(p, favours, sides)}"
        for verdict, p, favours in zip(*(cell[k].values.tolist() for k in columns), strict=True)
    ]
    if str(cell["verdict"].item()) == "no_data":
        return (*names_in(cell), *["–"] * (len(told) + 1))
    flips = {"verdict": "ties_flip", "test": "p_flips"}
    return (*names_in(cell), *told, ", ".join(k for k, flag in flips.items() if cell[flag].item()))
