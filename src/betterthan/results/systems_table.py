"""The table of the systems: scores, the chance to be the best, ranks, and how the pairs ended."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.results.columns import (
    Column,
    along,
    cells_of,
    count,
    flag,
    number,
    probability,
    values,
)
from betterthan.results.context import ReportContext
from betterthan.results.document import Table
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import score_of
from betterthan.results.rows import final_verdicts, in_one_unit, systems_of

SYSTEMS_VISIBLE = 40  # rows that are seen at once
P_BEST = probability("P(best)", "prob_best")
ENDED = {
    "better_than": "Better than",
    "worse_than": "Worse than",
    "open": "Open",
    "equivalent_to": "Equivalent to",
    "never_compared": "Never compared",
}


def table_of_systems(
    rows: Any,
    columns: Sequence[Column],
    caption: str = "",
    *,
    head: str = "System",
    name: str = "",
    **seen: Any,
) -> Table:
    """One row for each system: its name, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the column ``system``.
    columns : sequence of Column
    caption, name, seen
        Of the `Table`.
    head : str
        Of the names.
    """
    heads, cells = cells_of(rows, columns)
    keys = [(on_one_line(str(system)),) for system in rows[names.SYSTEM].values]
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    return Table((head, *heads), written, caption, name=name, keys=keyed, **seen)


def systems_table(context: ReportContext) -> Table:
    """Every system of a comparison, the best first."""
    found = systems_of(context.data).assign(**ended(context.data))
    if "prob_best_mcse" in context.data:
        found["prob_best_mcse"] = context.data["prob_best_mcse"].values
    columns = [*_scores(found, context), *_joint(found, context), *_ends(found)]
    total = len(found)
    rest = f".systems of the comparison has all {total}" if total > SYSTEMS_VISIBLE else ""
    seen: Any = {"visible": SYSTEMS_VISIBLE, "elsewhere": rest}
    return table_of_systems(found, columns, _caption(context), name="systems", **seen)


def spread_table(context: ReportContext) -> list[Table]:
    """Of graded scores how each system's spread; of right and wrong the accuracy says it all."""
    whole = context.data
    if "score_quantile" not in whole:
        return []
    three = "{:.3g}".format
    quantile = number("", "score_quantile", three)
    quantiles = enumerate(whole["quantile"].values)
    columns = [
        number("Std. deviation", "score_sd", three),
        *(along(f"{100 * q:g}%", quantile, "quantile", k) for k, q in quantiles),
        number("Mean of the worst tenth", "score_worst_tenth", three),
    ]
    caption = "How the scores of each system spread over the items: quantiles, and the worst tenth"
    table = table_of_systems(whole, columns, caption, name="spread", visible=SYSTEMS_VISIBLE)
    return [replace(table, keys=())]


def ended(whole: xr.Dataset) -> dict[str, np.ndarray]:
    """How the pairs of each system ended."""
    verdict = np.where(in_one_unit(whole), "no_verdict", final_verdicts(whole))
    others = ~np.eye(len(verdict), dtype=bool)
    ends = {
        "better_than": ("a_better",),
        "worse_than": ("b_better",),
        "open": ("undecided", "split", "no_verdict"),
        "equivalent_to": ("equivalent",),
        "never_compared": ("no_data",),
    }
    return {name: (np.isin(verdict, told) & others).sum(1) for name, told in ends.items()}


def _scores(found: pd.DataFrame, context: ReportContext) -> list[Column]:
    """The score, its interval, and of how many examples it is."""
    if "score" not in found:
        return []
    places, head = _places(found), _head(context)

    def score(value: float, low: float = np.nan, up: float = np.nan) -> str:
        interval = f" [{low:.{places}f}, {up:.{places}f}]" if low == low else ""
        return f"{value:.{places}f}{interval}"

    held = [name for name in ("score", "score_lower", "score_upper") if name in found]
    head += f" [{_mass(context)} interval]" if len(held) > 1 else ""
    right = "n_right" in found
    return [
        values(head, held, score),
        values("Right", ["n_right", "n_scored"], "{:,} of {:,}".format),
        *([] if right else [count("Examples scored", "n_scored")]),
    ]


def _mass(context: ReportContext) -> str:
    return f"{100 * (context.provenance.ci_prob or names.CI_PROB):g}%"


def _head(context: ReportContext) -> str:
    head = score_of(context.provenance, "n_right" in context.data)
    return f"{head}, lower is better" if context.provenance.higher_is_better is False else head


def _places(found: pd.DataFrame) -> int:
    """Decimals of scores: two of few examples, three of many; one of large scores."""
    if np.nanmax(np.abs(found["score"]), initial=0.0) >= 10:
        return 1
    most = found["n_scored"].to_numpy().max() if "n_scored" in found else 0
    return 2 if 0 < most <= 100 else 3


def _joint(found: pd.DataFrame, context: ReportContext) -> list[Column]:
    """How probable it is that it is the best of all, and its rank."""
    rank = number("Expected rank", "expected_rank", "{:.1f}".format)
    if "rank_lower" in found:
        held = ["expected_rank", "rank_lower", "rank_upper"]
        rank = values(f"Expected rank [{_mass(context)}]", held, "{:.1f} [{:g}, {:g}]".format)
    by_mean = context.provenance.joint_quantity == "mean"
    best = probability("P(best by the mean)", "prob_best") if by_mean else P_BEST
    return [best, rank, flag("Among the best", "in_best_set")]


def _ends(found: pd.DataFrame) -> list[Column]:
    always = {"better_than", "worse_than", "open"}
    return [
        count(head, name)
        for name, head in ENDED.items()
        if name in always or bool(found[name].to_numpy().any())
    ]


def _caption(context: ReportContext) -> str:
    if not context.many:
        return "The two systems"
    how = "among all systems" if "among_verdict" in context.data else "each pair by itself"
    best = ""
    if "in_best_set" in context.data:
        best = f"; among the best: with {_mass(context)} the best of all is one of these"
    first = "the best first"
    if "expected_rank" not in context.data:
        first = "the highest mean probability of being better than another first"
    return f"Systems, {first}; better than, worse than and open: {how}{best}"
