"""The page on a comparison: its sections in their order, and its figures."""

from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.results.barg import barg_part
from betterthan.results.brief import (
    audit_part,
    matrix_part,
    pairs_part,
    rule_of_verdicts,
    systems_part,
)
from betterthan.results.context import MATRIX_SYSTEMS, ReportContext, report_context
from betterthan.results.document import Document, Figure, Part
from betterthan.results.escapes import on_one_line
from betterthan.results.first_screen import first_screen
from betterthan.results.groups_page import groups_part
from betterthan.results.item_tables import agreement_part, items_part
from betterthan.results.marks import matrix
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


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    context = report_context(comparison)
    systems = context.systems
    sections = [section(context) for section in SECTIONS]
    details = [section(context) for section in DETAILS]
    parts = [part for part in sections if part is not None]
    parts += [replace(part, folded=True) for part in details if part is not None]
    return Document(
        f"{len(systems):,} systems compared"
        if context.many
        else f"{' and '.join(systems)} compared",
        _question(context),
        parts,
        limits(context),
        [on_one_line(signature(context.data))],
        answer_sentences(context.answer),
        footer=rule_of_verdicts(context),
        screen=first_screen(context),
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


def _map(context: ReportContext) -> Part | None:
    """The matrix of more systems than a table holds, drawn."""
    n = len(context.systems)
    if not MATRIX_SYSTEMS < n <= _MAPPED:
        return None
    better = context.data["prob_better"].transpose(*names.SQUARE).values
    compared = context.data["verdict"].transpose(*names.SQUARE).values != "no_data"
    p = np.where(compared & ~np.eye(n, dtype=bool), better, np.nan)
    threshold = float(context.provenance.threshold or names.VERDICT_PROB)
    caption = (
        "Probability that the system of the row is better than the system of the column, best "
        f"first; the outer colors are verdicts at {threshold:g}"
    )
    return Part("Matrix", figures=[Figure(caption, partial(matrix, p, threshold))])


_MAPPED = 400  # systems up to which the matrix is drawn
# a section more is a row more
SECTIONS = (_systems, _pairs, matrix_part, _map, agreement_part, items_part)
DETAILS = (
    partial(audit_part, bounds=True),
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
