"""The page on a comparison: its sections in their order, and its figures."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.results.barg import barg_part
from betterthan.results.context import MATRIX_OF, Shown, shown_of
from betterthan.results.document import Document, Figure, Part, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.groups_page import groups_beside
from betterthan.results.item_tables import agreement_part, items_part
from betterthan.results.methods import data_part, diagnostics_part, limits, model_part, multiplicity
from betterthan.results.page_data import page_data
from betterthan.results.pair_tables import (
    datasets_table,
    matrix_table,
    opposed_notes,
    outlook_columns,
    outlook_part,
    pairs_table,
    ties_table,
)
from betterthan.results.provenance import signature
from betterthan.results.sentences import sentences_of
from betterthan.results.significance_tables import tests_part
from betterthan.results.systems_table import spread_table, systems_table

_BARS_OF = 8  # systems whose pairs all fit a bar chart

_DRAWN_OF = 60  # systems up to which the matrix is drawn with all a figure has

_FOREST_OF = 40  # systems of the forest, the best ones


def figures_part(shown: Shown) -> Part | None:
    """Those that suit the number of systems."""
    figures = [
        *(_figures_of_many(shown) if shown.many else _figures_of_a_pair(shown)),
        *_figures_of_any(shown),
    ]
    return Part("Figures", figures=figures) if figures else None


def _figures_of_a_pair(shown: Shown) -> list[Figure]:
    """Posteriors of wins on single items, where these are the answer."""
    if shown.made.quantity == "mean" or shown.made.n_units is not None:
        return []
    counts, prior = shown.whole["counts"], shown.made.prior

    def posterior(of: str, **rope: Any) -> Any:
        return plotted("densities", counts, prior=prior, show=of, **rope)

    wins = Figure(
        "Posterior of the probability of winning a discordant example", posterior("decisive")
    )
    if counts.sizes[names.OUTCOME] == 2:
        return [wins]
    return [
        Figure("Posterior of the difference", posterior("difference", rope=shown.rope)),
        Figure("Posterior of win, loss and tie", plotted("simplex", counts, prior=prior)),
        wins,
    ]


def _figures_of_many(shown: Shown) -> list[Figure]:
    figures = [Figure("Systems", plotted("leaderboard", shown.whole, limit=_FOREST_OF))]
    if len(shown.systems) > MATRIX_OF:
        caption = "Probability that the row is better than the column"
        whole = shown.whole.drop_vars(names.ENGINE, errors="ignore")
        by_hand = len(shown.systems) > _DRAWN_OF
        draw = (
            plotted("painted.matrix_svg", whole, caption) if by_hand else plotted("matrix", whole)
        )
        note = "; rows are numbered, grey: never compared" if by_hand else ""
        figures.append(Figure(caption + note, draw))
    return figures


def _figures_of_any(shown: Shown) -> list[Figure]:
    figures = []
    few = len(shown.systems) <= _FOREST_OF  # of more, 40 of thousands of pairs tell little
    if "difference_mean" in shown.whole and few and _any_difference(shown):
        sized = shown.whole.drop_dims(names.SYSTEM, errors="ignore")
        figures.append(Figure("Differences with their intervals", plotted("differences", sized)))
    if len(shown.systems) <= _BARS_OF:
        counts = shown.whole["counts"]
        figures.append(Figure("Wins, ties and losses", plotted("outcomes", counts)))
    return figures


def _any_difference(shown: Shown) -> bool:
    """Whether any pair has a difference."""
    known = shown.whole["difference_mean"].notnull() & (shown.whole["verdict"] != "no_data")
    return bool((known.values & ~np.eye(len(shown.systems), dtype=bool)).any())


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    return replace(_page(shown, SECTIONS), data=lambda: _for_scripts(comparison, shown))


def _for_scripts(comparison: xr.Dataset, shown: Shown) -> dict[str, Any]:
    """Numbers and choices from which the scripts of a page recompute its results."""
    return {"data": page_data(comparison) | {"more": outlook_columns(shown)}}


def brief(comparison: xr.Dataset, title: str = "") -> Document:
    """The answer, the systems, and the matrix, or of a few the pairs: a page of a few lines."""
    schemas.comparison(comparison)
    shown = shown_of(comparison)
    between = _pairs if len(shown.systems) <= _FEW else _matrix
    built = [_audit(shown), _systems(shown), between(shown)]
    parts = [replace(part, notes=()) for part in built if part is not None]
    sampled = shown.made.rhat_max is not None or shown.made.pareto_k is not None
    parts += [diagnostics_part(shown)] if sampled else []
    signed = [on_one_line(signature(shown.whole))]
    return Document(
        on_one_line(title) if title else "", "", parts, (), signed, sentences_of(shown.answer)
    )


def _page(shown: Shown, sections: tuple[Callable[[Shown], Any], ...]) -> Document:
    built = [build(shown) for build in sections]
    return Document(
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
