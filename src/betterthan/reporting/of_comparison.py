"""The page on a comparison: one function a section, and the order they stand in."""

from dataclasses import replace
from typing import Any

import xarray as xr

from betterthan import names, schemas
from betterthan.answers.made import signature
from betterthan.reporting.answering import sentences
from betterthan.reporting.diagnostics import diagnostics_part
from betterthan.reporting.engines_beside import opposed_notes
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts import facts
from betterthan.reporting.figures_of_comparison import figures_part
from betterthan.reporting.of_groups import groups_beside
from betterthan.reporting.page import Page, Part
from betterthan.reporting.page_data import page_data
from betterthan.reporting.sentences import limits, multiplicity, sentence
from betterthan.reporting.settings import data_part, model_part
from betterthan.reporting.shown import MATRIX_OF, Shown, shown_of
from betterthan.reporting.tables import (
    datasets_table,
    joint_table,
    matrix_table,
    pairs_table,
    ranking_table,
    ties_table,
)
from betterthan.reporting.tests_beside import tests_part


def page(comparison: xr.Dataset) -> Page:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    built = [build(shown) for build in SECTIONS]
    parts = [part for part in built if part is not None]
    return Page(
        _title(shown),
        _question(shown),
        parts,
        limits(shown),
        [on_one_line(signature(comparison))],
        lambda: _for_scripts(comparison),
    )


def _for_scripts(comparison: xr.Dataset) -> dict[str, Any]:
    """What the scripts of a page compute with, and what they say."""
    return {
        "data": page_data(comparison),
        "facts": facts(comparison),
        "sentences": sentences(),
    }


def brief(comparison: xr.Dataset, title: str) -> Page:
    """The pair, or the matrix, with the words and the diagnostics: a page of a few lines."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    matrix = _matrix(shown)
    parts = [matrix, diagnostics_part(shown)]
    if matrix is None:
        parts = [replace(_pairs(shown), lines=_told(shown)), diagnostics_part(shown)]
    return Page(on_one_line(title), parts=[part for part in parts if part is not None])


def _title(shown: Shown) -> str:
    if shown.many:
        return f"{len(shown.systems)} systems compared"
    return f"{shown.systems[0]} and {shown.systems[1]} compared"


def _question(shown: Shown) -> str:
    on = "in direct judgments" if shown.made.unit == "judgment" else "on the same examples"
    first, second = shown.systems[:2]
    asked, near = f"Is {first} better than {second}", ", or do they differ"
    if shown.many:
        asked = f"Which of {len(shown.systems)} systems are better than which"
        near = ", and which differ"
    near = f"{near} by no more than {shown.rope:g}" if shown.rope else ""
    return f"{asked}{near}, given their wins, losses and ties {on}?"


def _words_on_a_pair(shown: Shown) -> Part | None:
    return None if shown.many else Part("In words", name="answer", lines=_told(shown))


def _words_on_many(shown: Shown) -> Part | None:
    return Part("In words", name="answer", lines=_told(shown)) if shown.many else None


def _told(shown: Shown) -> list[str]:
    """Every pair in a sentence, or of many systems the best against the rest."""
    told = [sentence(cell, shown.made) for cell in shown.cells()]
    first = [str(system) for system in shown.first[names.SYSTEM_A].values]
    if len(first) == len(shown.systems):
        return told
    others = len(first) - 1
    more = f"Told here: {first[0]} against the next {others}; the rest in tables."
    return [*told[:others], more]


def _systems(shown: Shown) -> Part | None:
    return Part("Systems", tables=[ranking_table(shown)]) if shown.many else None


def _matrix(shown: Shown) -> Part | None:
    if not 2 < len(shown.systems) <= MATRIX_OF:
        return None
    return Part("Who is better than whom", tables=[matrix_table(shown.whole)])


def _jointly(shown: Shown) -> Part | None:
    if not shown.many:
        return None
    tables = [joint_table(shown.whole)] if "prob_best" in shown.whole else []
    return Part("All systems at once", tables=tables, notes=multiplicity(shown))


def _datasets(shown: Shown) -> Part | None:
    if "prob_better_dataset" not in shown.first:
        return None
    return Part("Each data set", tables=[datasets_table(shown)])


def _pairs(shown: Shown) -> Part:
    return Part("Pairs", tables=[pairs_table(shown)], notes=opposed_notes(shown))


def _ties(shown: Shown) -> Part | None:
    if "verdict_by_ties" not in shown.first:
        return None
    return Part("Ties", tables=[ties_table(shown)])


# a section more is a row more
def _audit(shown: Shown) -> Part | None:
    """What stops a comparison of these scores, or warns of it."""
    return Part("Audit", lines=list(shown.made.audit)) if shown.made.audit else None


SECTIONS = (
    _words_on_a_pair,
    _audit,
    data_part,
    model_part,
    _systems,
    _matrix,
    _jointly,
    _datasets,
    _pairs,
    tests_part,
    groups_beside,
    _ties,
    _words_on_many,
    figures_part,
    diagnostics_part,
)
