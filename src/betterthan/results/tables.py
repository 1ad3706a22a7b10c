"""The tables of a comparison beside systems and pairs: matrix, data sets, policies for ties."""

from itertools import compress

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.columns import NO_DATA, Column, along, joined, probability
from betterthan.results.context import PAIRS_SEEN, Shown
from betterthan.results.document import Table
from betterthan.results.pairs_table import p_value, pairs_of, table_of_pairs, verdict
from betterthan.results.rows import final_verdicts


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
    each = probability("", "prob_better_dataset", blank=())
    labels = enumerate(shown.whole[names.DATASET].values)
    columns = [along(str(label), each, names.DATASET, k) for k, label in labels]
    columns.append(probability("a new one", "prob_better_new", blank=()))
    caption = "P(better) on each data set, drawn to what they have in common, and on one not seen"
    return table_of_pairs(pairs_of(shown.whole, shown.pairs[:PAIRS_SEEN]), columns, caption)


def ties_table(shown: Shown) -> Table:
    """The verdict under every policy for ties."""
    p = p_value("", "p_value_by_ties", "favours_by_ties")
    each = joined("", ", p ", verdict(name="verdict_by_ties"), p, blank=NO_DATA)
    policies = enumerate(shown.whole[names.TIES_POLICY].values)
    columns = [along(str(policy), each, names.TIES_POLICY, k) for k, policy in policies]
    columns.append(Column("Flips", _flips, blank=NO_DATA))
    caption = (
        "Verdict and two-sided p under every policy for ties (third: the trinomial test); to_a and "
        f"to_b give them to the system or the other of the row; in brackets: for whom the test "
        f"speaks; a test flips at {shown.made.alpha:g}, or to the other system"
    )
    rows = pairs_of(shown.whole, shown.pairs[:PAIRS_SEEN])
    return table_of_pairs(rows, columns, caption, left=99)


def _flips(rows: xr.Dataset) -> list[str]:
    """What a policy changes: the verdict, the result of the test."""
    flags = zip(rows["ties_flip"].values, rows["p_flips"].values, strict=True)
    words = ("verdict", "test")
    return [", ".join(compress(words, pair)) for pair in flags]
