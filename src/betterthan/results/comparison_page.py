"""The page on a comparison: its sections in their order, and its figures."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.results.barg import barg_part
from betterthan.results.brief import audit_part, matrix_part, pairs_part, systems_part
from betterthan.results.context import MATRIX_SYSTEMS, ReportContext, report_context
from betterthan.results.document import Document, Figure, Part, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.groups_page import groups_part
from betterthan.results.item_tables import agreement_part, items_part
from betterthan.results.methods import data_part, diagnostics_part, limits, model_part, multiplicity
from betterthan.results.page_data import page_data
from betterthan.results.pair_tables import (
    datasets_table,
    opposed_notes,
    outlook_columns,
    outlook_part,
    ties_table,
)
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences
from betterthan.results.significance_tables import tests_part

_BAR_SYSTEMS = 8  # systems whose pairs all fit a bar chart
_DRAWN_SYSTEMS = 60  # systems up to which the matrix is drawn with all a figure has
_FOREST_SYSTEMS = 40  # systems of the forest, the best ones


def figures_part(context: ReportContext) -> Part | None:
    """Those that suit the number of systems."""
    figures = [
        *(_system_figures(context) if context.many else _pair_figures(context)),
        *_common_figures(context),
    ]
    return Part("Figures", figures=figures) if figures else None


def _pair_figures(context: ReportContext) -> list[Figure]:
    """Posteriors of wins on single items, where these are the answer."""
    if context.provenance.quantity == "mean" or context.provenance.n_units is not None:
        return []
    counts, prior = context.data["counts"], context.provenance.prior

    def posterior(quantity: str, **rope: Any) -> Any:
        return plotted("densities", counts, prior=prior, show=quantity, **rope)

    wins = Figure(
        "Posterior of the probability of winning a discordant example", posterior("decisive")
    )
    if counts.sizes[names.OUTCOME] == 2:
        return [wins]
    return [
        Figure("Posterior of the difference", posterior("difference", rope=context.rope)),
        Figure("Posterior of win, loss and tie", plotted("simplex", counts, prior=prior)),
        wins,
    ]


def _system_figures(context: ReportContext) -> list[Figure]:
    figures = [Figure("Systems", plotted("leaderboard", context.data, limit=_FOREST_SYSTEMS))]
    if len(context.systems) > MATRIX_SYSTEMS:
        caption = "Probability that the row is better than the column"
        data = context.data.drop_vars(names.ENGINE, errors="ignore")
        by_hand = len(context.systems) > _DRAWN_SYSTEMS
        draw = plotted("matrices.matrix_svg", data, caption) if by_hand else plotted("matrix", data)
        note = "; rows are numbered, grey: never compared" if by_hand else ""
        figures.append(Figure(caption + note, draw))
    return figures


def _common_figures(context: ReportContext) -> list[Figure]:
    figures = []
    few = len(context.systems) <= _FOREST_SYSTEMS  # of more, 40 of thousands of pairs tell little
    if "difference_mean" in context.data and few and _any_difference(context):
        sized = context.data.drop_dims(names.SYSTEM, errors="ignore")
        figures.append(Figure("Differences with their intervals", plotted("differences", sized)))
    if len(context.systems) <= _BAR_SYSTEMS:
        counts = context.data["counts"]
        figures.append(Figure("Wins, ties and losses", plotted("outcomes", counts)))
    return figures


def _any_difference(context: ReportContext) -> bool:
    """Whether any pair has a difference."""
    differences = context.data["difference_mean"].notnull() & (context.data["verdict"] != "no_data")
    return bool((differences.values & ~np.eye(len(context.systems), dtype=bool)).any())


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    context = report_context(comparison)
    systems = context.systems
    sections = [section(context) for section in SECTIONS]
    return Document(
        f"{len(systems):,} systems compared"
        if context.many
        else f"{' and '.join(systems)} compared",
        _question(context),
        [part for part in sections if part is not None],
        limits(context),
        [on_one_line(signature(context.data))],
        answer_sentences(context.answer),
        # from which the scripts of a page recompute its results
        data=lambda: {"data": page_data(comparison) | {"more": outlook_columns(context)}},
    )


def _question(context: ReportContext) -> str:
    on = "in direct judgments" if context.provenance.unit == "judgment" else "on the same examples"
    first, second = context.systems[:2]
    better, differ = f"Is {first} better than {second}", ", or do they differ"
    if context.many:
        better = f"Which of {len(context.systems):,} systems are better than which"
        differ = ", and which differ"
    rope = f"{differ} by no more than {context.rope:g}" if context.rope else ""
    return f"{better}{rope}, given their wins, losses and ties {on}?"


def _systems(context: ReportContext) -> Part | None:
    part = systems_part(context)
    return replace(part, notes=multiplicity(context)) if part and context.many else part


def _pairs(context: ReportContext) -> Part:
    return replace(pairs_part(context), notes=opposed_notes(context))


def _datasets(context: ReportContext) -> Part | None:
    if "prob_better_dataset" not in context.data:
        return None
    return Part("Each data set", tables=[datasets_table(context)])


def _ties(context: ReportContext) -> Part | None:
    if "verdict_by_ties" not in context.data:
        return None
    return Part("Ties", tables=[ties_table(context)])


# a section more is a row more
SECTIONS = (
    partial(audit_part, bounds=True),
    _systems,
    matrix_part,
    figures_part,
    _pairs,
    agreement_part,
    items_part,
    outlook_part,
    _datasets,
    _ties,
    groups_part,
    data_part,
    model_part,
    tests_part,
    diagnostics_part,
    barg_part,
)
