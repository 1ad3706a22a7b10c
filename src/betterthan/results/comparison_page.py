"""The page on a comparison: its first screen, its sections in their order, its details; and the
page on what a fitted model, an adopted one, or folds say of all pairs.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names, schemas
from betterthan.model_registry import ROSTER
from betterthan.results import tables
from betterthan.results.brief import (
    answer_context,
    audit_part,
    matrix_part,
    pairs_part,
    rule,
    systems_part,
)
from betterthan.results.context import (
    MATRIX_SYSTEMS,
    P_BEST,
    PAIR_COUNTS,
    ReportContext,
    agreement_part,
    items_part,
    report_context,
    runs_part,
    table_by_system,
)
from betterthan.results.document import Document, Figure, Part, Table, parts_present
from betterthan.results.facts import answer_facts
from betterthan.results.first_screen import first_screen
from betterthan.results.marks import matrix, matrix_classes
from betterthan.results.methods import (
    barg_part,
    data_part,
    diagnostics_part,
    limits,
    model_part,
    multiplicity,
)
from betterthan.results.numbers import on_one_line
from betterthan.results.page_data import page_data
from betterthan.results.pair_tables import (
    COUNTS,
    P_BETTER,
    datasets_part,
    opposed_notes,
    outlook_columns,
    outlook_part,
    suite_part,
    table_by_pair,
    ties_part,
    verdict,
    wins_part,
    with_marks,
)
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences
from betterthan.results.significance_tables import groups_part, tests_part
from betterthan.results.tables import count, difference, interval_label, number
from betterthan.signed import Signature

_DRAWN_SYSTEMS = 400  # systems up to which the matrix is drawn


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    context = report_context(comparison)
    systems = context.systems
    sections = [section(context) for section in SECTIONS]
    details = [section(context) for section in DETAILS]
    parts = [replace(part, folded=part.heading == "Audit") for part in sections if part is not None]
    failed = bool(context.provenance.failures)  # then the reader needs the diagnostics at once
    parts += [
        replace(part, folded=not (failed and part.heading == "Diagnostics"))
        for part in details
        if part is not None
    ]
    return Document(
        f"{len(systems):,} systems compared"
        if context.many
        else f"{' and '.join(systems)} compared",
        _question(context),
        parts,
        limits(context),
        [on_one_line(signature(context.data))],
        answer_sentences(context.answer),
        screen=first_screen(context, rule(context)),
        # from which the scripts of a page recompute its results
        data=lambda: {"data": page_data(comparison) | {"more": outlook_columns(context)}},
    )


def _question(context: ReportContext) -> str:
    ways = {"judgment": "in direct judgments", names.MEASURE: "on these measures"}
    on = ways.get(str(context.provenance.unit), "on the same items")
    first, second = context.systems[:2]
    better, differ = f"Is {first} better than {second}", ", or do they differ"
    if context.many:
        better = f"Which of {len(context.systems):,} systems are better than which"
        differ = ", and which differ"
    rope = f"{differ} by no more than {context.rope:g}" if context.rope else ""
    return f"{better}{rope}, given their wins, losses and ties {on}?"


def _systems(context: ReportContext) -> Part | None:
    part = systems_part(context)
    if part is None:
        return None
    notes = multiplicity(context) if context.many else ()
    bounds = ("score_lower", "score", "score_upper")
    if any(name not in context.data for name in bounds):
        return replace(part, notes=notes)
    scores = np.column_stack([context.data[name].values for name in bounds])
    table = replace(part.tables[0], intervals=_finite(scores), verdicts=["reference"] * len(scores))
    return replace(part, tables=[table, *part.tables[1:]], notes=notes)


def _finite(rows: np.ndarray) -> list[tuple[float, float, float] | None]:
    """Lower, point, upper of each row; None where one of them is missing."""
    finite = np.isfinite(rows).all(axis=1).tolist()
    limits = [(low, point, high) for low, point, high in rows.tolist()]
    return [interval if k else None for interval, k in zip(limits, finite, strict=True)]


def _pairs(context: ReportContext) -> Part:
    part = pairs_part(context)
    table, data = part.tables[0], context.data
    i, j = np.array(context.pairs[: len(table.rows)], int).reshape(-1, 2).T
    verdicts = data["verdict"].transpose(*names.SQUARE).values[i, j].astype(str)
    intervals = []
    if "difference_mean" in data:
        square = np.column_stack(
            [data[f"difference_{k}"].transpose(*names.SQUARE).values[i, j] for k in _BOUNDS]
        )
        square[np.isin(verdicts, ("no_data", "no_verdict"))] = np.nan
        intervals = _finite(square)
    table = replace(table, intervals=intervals, verdicts=verdicts.tolist(), zero=True)
    return replace(part, tables=[table], notes=opposed_notes(context))


_BOUNDS = ("lower", "mean", "upper")


def matrix_section(context: ReportContext) -> Part | None:
    """As a table, or of many systems as a drawing."""
    n = len(context.systems)
    if not MATRIX_SYSTEMS < n <= _DRAWN_SYSTEMS:
        return matrix_part(context)
    p, verdict = (
        context.data[k].transpose(*names.SQUARE).values for k in ("prob_better", "verdict")
    )
    p = np.where((verdict == "no_data") | np.eye(n, dtype=bool), np.nan, p)
    decided = np.isin(verdict, ("a_better", "b_better"))
    caption = "Probability that the row is better than the column, best first; empty: not compared"
    drawing = partial(matrix, matrix_classes(p, decided))
    return Part("Matrix", figures=[Figure(caption, drawing, inline=True)])


# a section more is a row more
SECTIONS = (
    partial(audit_part, bounds=True),
    _systems,
    _pairs,
    suite_part,
    matrix_section,
    items_part,
)
DETAILS = (
    runs_part,
    agreement_part,
    outlook_part,
    datasets_part,
    ties_part,
    wins_part,
    groups_part,
    data_part,
    model_part,
    tests_part,
    diagnostics_part,
    barg_part,
)


_LIMITS = (
    '"Undecided" does not mean equal.',
    "Verdicts are pairwise: with many pairs, some reach the threshold by chance.",
)
_ADOPTED = "You sampled this model yourself. How often its verdicts are correct was not examined."
_PAIRED_SYSTEMS = 10  # systems up to which every pair has a row
_AS_IN_DATA = {
    "system": names.SYSTEM_A,
    "other": names.SYSTEM_B,
    "mcse": "prob_better_mcse",
    "difference": "difference_mean",
    "lower": "difference_lower",
    "upper": "difference_upper",
}
_ROWS = 20  # systems shown of many


def fits_page(answer: xr.Dataset) -> Document:
    """Everything a report says of it."""
    provenance, data = Signature.from_attrs(answer.attrs), tables.leading(answer)
    systems: Any = tables.systems(data)
    few = len(systems) <= _PAIRED_SYSTEMS
    part = Part(
        "Pairs" if few else "Systems",
        tables=[_fitted_pairs(tables.pairs(data), provenance) if few else _fitted_systems(systems)],
    )
    context = answer_context(answer)
    matrix = None if context is None or provenance.failures else matrix_section(context)
    adopted = provenance.model == names.ADOPTED
    return Document(
        f"Systems compared by {'an' if adopted else 'the model'} {provenance.model}",
        "Which system is better?",
        parts_present(part, matrix, _model(provenance)),
        [*(provenance.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(signature(answer))],
        [on_one_line(line) for line in answer_sentences(answer_facts(answer))],
    )


def _fitted_pairs(pairs: pd.DataFrame, provenance: Signature) -> Table:
    """Every pair: P(better), the difference, the verdict, counts."""
    table: Any = pairs.rename(columns=_AS_IN_DATA).replace({"verdict": {"better": "a_better"}})
    sizes = table.get("difference_mean")
    interval = interval_label(
        {"ci_prob": provenance.ci_prob, "ci_kind": provenance.ci_kind or "eti"}
    )
    size = difference("Difference", bracketed=interval)
    sized = [size] if sizes is not None and sizes.notna().any() else []
    error = number("MC error", "prob_better_mcse", "{:.1g}".format)
    n = len(table)
    caption = "The pair" if n == 1 else f"All {n:,} pairs, the system ahead first"
    if sized:
        sized[0], caption = with_marks(size, table, caption)
    columns = [*sized, P_BETTER, error, *COUNTS, count("N", "n"), verdict()]
    return table_by_pair(table, columns, caption)


def _fitted_systems(systems: pd.DataFrame) -> Table:
    """The first of many systems: scores, ranks, and how their pairs ended."""
    columns = [
        number("Score", "score", "{:.3f}".format),
        number("Expected rank", "expected_rank", "{:.1f}".format),
        P_BEST,
        *(count(PAIR_COUNTS[name], name) for name in ("better_than", "worse_than", "undecided")),
    ]
    left = len(systems) - _ROWS
    note = f"{left} more systems: .systems has them all, .pairs every pair." if left > 0 else ""
    caption = f"Systems, best first. {note or 'Every pair: .pairs.'}"
    return table_by_system(systems.head(_ROWS), columns, caption)


def _model(provenance: Signature) -> Part:
    """The model, how it was sampled, and whether the chains agree."""
    assumes = next((spec.assumes for spec in ROSTER if spec.name == provenance.model), "")
    facts = [("Model", assumes or str(provenance.model))]
    if provenance.draws is not None:
        library = provenance.inference_library or "own sampler"
        drawn = f"{provenance.chains} chains x {provenance.draws} draws, {library}"
        facts.append(
            ("Draws", drawn if provenance.seed is None else f"{drawn}, seed {provenance.seed}")
        )
    if provenance.rhat_max is not None:
        health = f"R-hat at most {provenance.rhat_max:.3f}, ESS at least {provenance.ess_min:.0f}"
        counted = provenance.divergences is not None
        divergences = (
            f"{provenance.divergences} divergences" if counted else "divergences not known"
        )
        facts.append(("Convergence", f"{health}, {divergences}"))
    if provenance.failures:
        facts.append(("Failed checks", " ".join(provenance.failures)))
    return Part("Model and draws", facts=facts)
