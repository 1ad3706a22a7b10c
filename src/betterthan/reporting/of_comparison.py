"""The page on a comparison: the answer first, one function a section, and their order."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import xarray as xr

from betterthan import schemas
from betterthan.answers.made import signature
from betterthan.reporting.agreeing import agreement_part
from betterthan.reporting.barg import barg_part
from betterthan.reporting.diagnostics import diagnostics_part
from betterthan.reporting.engines_beside import opposed_notes
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.figures_of_comparison import figures_part
from betterthan.reporting.limits import limits, multiplicity
from betterthan.reporting.of_groups import groups_beside
from betterthan.reporting.of_items import items_part
from betterthan.reporting.of_outlook import outlook_columns, outlook_part
from betterthan.reporting.page import Page, Part
from betterthan.reporting.page_data import page_data
from betterthan.reporting.pairs_table import pairs_table
from betterthan.reporting.sentences import sentences_of
from betterthan.reporting.settings import data_part, model_part
from betterthan.reporting.shown import MATRIX_OF, Shown, shown_of
from betterthan.reporting.systems_table import spread_table, systems_table
from betterthan.reporting.tables import datasets_table, matrix_table, ties_table
from betterthan.reporting.tests_beside import tests_part


def page(comparison: xr.Dataset) -> Page:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    return replace(_page(shown, SECTIONS), data=lambda: _for_scripts(comparison, shown))


def _for_scripts(comparison: xr.Dataset, shown: Shown) -> dict[str, Any]:
    """Numbers and choices from which the scripts of a page recompute its results."""
    return {"data": page_data(comparison) | {"more": outlook_columns(shown)}}


def brief(comparison: xr.Dataset, title: str = "") -> Page:
    """The answer, the systems, and the matrix, or of a few the pairs: a page of a few lines."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    between = _pairs if len(shown.systems) <= _FEW else _matrix
    built = [_audit(shown), _systems(shown), between(shown)]
    parts = [replace(part, notes=()) for part in built if part is not None]
    sampled = shown.made.rhat_max is not None or shown.made.pareto_k is not None
    parts += [diagnostics_part(shown)] if sampled else []
    signed = [on_one_line(signature(shown.whole))]
    return Page(
        on_one_line(title) if title else "", "", parts, (), signed, sentences_of(shown.answer)
    )


def _page(shown: Shown, sections: tuple[Callable[[Shown], Any], ...]) -> Page:
    built = [build(shown) for build in sections]
    return Page(
        _title(shown),
        _question(shown),
        [part for part in built if part is not None],
        limits(shown),
        [on_one_line(signature(shown.whole))],
        sentences_of(shown.answer),
    )


def _title(shown: Shown) -> str:
    if shown.many:
        return f"{len(shown.systems):,} systems compared"
    return f"{shown.systems[0]} and {shown.systems[1]} compared"


def _question(shown: Shown) -> str:
    on = "in direct judgments" if shown.made.unit == "judgment" else "on the same examples"
    first, second = shown.systems[:2]
    asked, near = f"Is {first} better than {second}", ", or do they differ"
    if shown.many:
        asked = f"Which of {len(shown.systems):,} systems are better than which"
        near = ", and which differ"
    near = f"{near} by no more than {shown.rope:g}" if shown.rope else ""
    return f"{asked}{near}, given their wins, losses and ties {on}?"


def _systems(shown: Shown) -> Part | None:
    """All systems; of two, where their scores are known."""
    if not shown.many and "score" not in shown.whole:
        return None
    return Part(
        "Systems",
        tables=[systems_table(shown), *spread_table(shown)],
        notes=multiplicity(shown) if shown.many else (),
    )


def _matrix(shown: Shown) -> Part | None:
    if not 2 < len(shown.systems) <= MATRIX_OF:
        return None
    return Part("Matrix", tables=[matrix_table(shown)])


def _datasets(shown: Shown) -> Part | None:
    if "prob_better_dataset" not in shown.whole:
        return None
    return Part("Each data set", tables=[datasets_table(shown)])


def _pairs(shown: Shown) -> Part:
    return Part("Pairs", tables=[pairs_table(shown)], notes=opposed_notes(shown))


def _ties(shown: Shown) -> Part | None:
    if "verdict_by_ties" not in shown.whole:
        return None
    return Part("Ties", tables=[ties_table(shown)])


def _audit(shown: Shown) -> Part | None:
    """What stops a comparison of these scores, or warns of it."""
    return Part("Audit", lines=list(shown.made.audit)) if shown.made.audit else None


# a section more is a row more
SECTIONS = (
    _audit,
    _systems,
    _matrix,
    figures_part,
    _pairs,
    agreement_part,
    items_part,
    outlook_part,
    _datasets,
    _ties,
    groups_beside,
    data_part,
    model_part,
    tests_part,
    diagnostics_part,
    barg_part,
)
_FEW = 3  # systems whose pairs are told in a few lines
