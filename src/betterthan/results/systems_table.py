"""The table of the systems: scores, the chance to be the best, ranks, and how the pairs ended."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from betterthan import names
from betterthan.results.context import ReportContext
from betterthan.results.document import Table
from betterthan.results.facts import score_label
from betterthan.results.numbers import on_one_line
from betterthan.results.tables import (
    Column,
    along,
    count,
    flag,
    interval_label,
    joined,
    number,
    pair_counts,
    probability,
    values,
    written_cells,
)

SYSTEMS_VISIBLE = 40  # rows that are seen at once
P_BEST = probability("P(best)", "prob_best")
PAIR_COUNTS = {
    "better_than": "Better than",
    "worse_than": "Worse than",
    "undecided": "Undecided",
    "split": "Split",
    "equivalent_to": "Equivalent to",
    "no_verdict": "No verdict",
    "never_compared": "Not compared",
}


def table_by_system(
    rows: Any,
    columns: Sequence[Column],
    caption: str = "",
    *,
    heading: str = "System",
    name: str = "",
    **folding: Any,
) -> Table:
    """One row for each system: its name, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the column ``system``.
    columns : sequence of Column
    caption, name, seen
        Of the `Table`.
    heading : str
        Of the names.
    """
    heads, cells = written_cells(rows, columns)
    keys = [(on_one_line(str(system)),) for system in rows[names.SYSTEM].values]
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    return Table((heading, *heads), written, caption, name=name, keys=keyed, **folding)


def systems_table(context: ReportContext, *, brief: bool = False) -> Table:
    """Every system of a comparison, the best first; briefly, without Monte Carlo errors, and where
    there is a joint answer without how its pairs ended.
    """
    data = context.data
    numbers = {name: data[name].values for name in _BY_SYSTEM if name in data}
    marks, legend = contenders(context)
    systems = {"system": context.systems, "best_mark": marks}
    rows: Any = pd.DataFrame(systems | numbers | pair_counts(data))
    mass = f"{100 * (context.provenance.ci_prob or names.CI_PROB):g}%"
    always = {"better_than", "worse_than", "undecided"}
    columns = [*_scores(rows, context), *_joint(rows, mass, brief=brief)]
    brief = brief and "prob_best" in rows
    if not brief:
        columns += [
            count(heading, name)
            for name, heading in PAIR_COUNTS.items()
            if name in always or bool(rows[name].to_numpy().any())
        ]
    total, visible = len(rows), BRIEF_SYSTEMS if brief else SYSTEMS_VISIBLE
    elsewhere = f".systems of the comparison has all {total:,}" if total > visible else ""
    folding: Any = {"visible": visible, "elsewhere": elsewhere}
    caption = "Systems, best first" if brief else _caption(context, mass)
    caption += f" ({legend})" if brief and legend else ""
    if "score_shared" in data:
        caption += "; each score is on all items that the system has a score for"
    return table_by_system(rows, columns, caption, name="systems", **folding)


BRIEF_SYSTEMS = 20  # rows of the brief table
_BY_SYSTEM = (
    *("score", "score_lower", "score_upper", "n_right", "n_scored", "prob_best", "prob_best_mcse"),
    *("expected_rank", "rank_lower", "rank_upper", "in_best_set"),
)


def contenders(context: ReportContext) -> tuple[list[str], str]:
    """The mark of each system that may be the best, and what it means; none where it marks one of
    them, or all.
    """
    best, n = context.data.get("in_best_set"), len(context.systems)
    if best is None or "prob_best" not in context.data or not 1 < best.sum() < n:
        return [""] * n, ""
    return np.where(best.values, "* ", "").tolist(), "* may be the best"


def spread_table(context: ReportContext) -> list[Table]:
    """How the graded scores of each system spread; right and wrong have their accuracy."""
    data = context.data
    if "score_quantile" not in data:
        return []
    three = "{:.3g}".format
    quantile = number("", "score_quantile", three)
    quantiles = enumerate(data["quantile"].values)
    columns = [
        number("Std. deviation", "score_sd", three),
        *(along(f"{100 * q:g}%", quantile, "quantile", k) for k, q in quantiles),
        number("Mean of the worst tenth", "score_worst_tenth", three),
    ]
    caption = "How the scores of each system spread over the items: quantiles, and the worst tenth"
    table = table_by_system(data, columns, caption, name="spread", visible=SYSTEMS_VISIBLE)
    return [replace(table, keys=())]


def _scores(rows: pd.DataFrame, context: ReportContext) -> list[Column]:
    """The score, its interval, and of how many examples it is."""
    if "score" not in rows:
        return []
    # two decimals of few examples, three of many; one of large scores
    most = rows["n_scored"].to_numpy().max() if "n_scored" in rows else 0
    places = 2 if 0 < most <= 100 else 3
    largest = np.nanmax(np.abs(rows["score"]), initial=0.0)
    if largest >= 10:
        places = 1 if largest < 1000 else 0

    def score(value: float, low: float = np.nan, up: float = np.nan) -> str:
        interval = f" [{low:,.{places}f}, {up:,.{places}f}]" if low == low else ""
        return f"{value:,.{places}f}{interval}".replace("-", "−")

    variables = [name for name in ("score", "score_lower", "score_upper") if name in rows]
    heading = score_label(context.provenance, "n_right" in context.data)
    heading += ", lower is better" if context.provenance.higher_is_better is False else ""
    interval = interval_label(vars(context.provenance))
    heading += f" [{interval}]" if len(variables) > 1 else ""
    return [
        values(heading, variables, score),
        values("Correct", ["n_right", "n_scored"], "{:,} of {:,}".format),
        *([] if "n_right" in rows else [count("Items scored", "n_scored")]),
    ]


def _joint(rows: pd.DataFrame, mass: str, *, brief: bool) -> list[Column]:
    """How probable it is that it is the best of all, and its rank."""
    rank = number("Expected rank", "expected_rank", "{:.1f}".format)
    if "rank_lower" in rows:
        variables = ["expected_rank", "rank_lower", "rank_upper"]
        rank = values(f"Rank ({mass})", variables, "{:.1f} [{:g}, {:g}]".format)
    if brief:
        marks = Column("", lambda rows: rows["best_mark"].tolist(), "prob_best")
        return [joined("P(best)", "", marks, P_BEST), rank]
    error = number("MC error", "prob_best_mcse", "{:.1g}".format)
    return [P_BEST, error, rank, flag("Contender", "in_best_set")]


def _caption(context: ReportContext, mass: str) -> str:
    if not context.many:
        return "The two systems"
    how = "joint verdicts" if "pairwise_verdict" in context.data else "pairwise verdicts"
    best = ""
    if "in_best_set" in context.data:
        best = f"; contenders: with probability {mass} the best system is one of these"
    first = "best first"
    if "expected_rank" not in context.data:
        first = "highest mean P(better) first"
    return f"Systems, {first}, with their numbers of {how}{best}"
