"""What `print` and notebooks show of a comparison: the answer, the systems, the pairs."""

from dataclasses import replace
from typing import Any

import xarray as xr

from betterthan import schemas
from betterthan.results.context import MATRIX_SYSTEMS, ReportContext, report_context
from betterthan.results.document import Document, Part
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_facts
from betterthan.results.kinds import build_page, plain
from betterthan.results.markup import as_part
from betterthan.results.methods import diagnostics_part
from betterthan.results.pair_tables import matrix_table, pairs_table
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences
from betterthan.results.systems_table import spread_table, systems_table
from betterthan.results.text import as_text, printed

_SECTIONS = ("Systems", "Pairs", "Concentration")  # of the page of another kind of answer
_FEW = 5  # systems up to which pairs have rows


def statement(comparison: Any) -> list[str]:
    """The answer in sentences."""
    if comparison.made.answer == "comparison":
        return answer_sentences(answer_facts(comparison))
    return list(build_page(comparison).answer)


def print_text(comparison: Any) -> str:
    """For `print`, as wide as the terminal, where there is one."""
    return printed(_page(comparison))


def notebook_html(comparison: Any) -> str:
    """For a notebook."""
    return as_part(_page(comparison))


def _page(comparison: Any) -> Document:
    provenance = comparison.made
    if provenance.answer == "comparison":
        return brief_page(comparison.by_engine())
    page = build_page(comparison)
    parts = [replace(p, notes=(), figures=()) for p in page.parts if p.heading in _SECTIONS]
    for heading, texts in (("Audit", provenance.audit), ("Notes", provenance.notes)):
        if texts:
            parts.append(Part(heading, lines=[on_one_line(text) for text in texts]))
    return Document("", "", parts, (), page.signatures, page.answer)


def brief_page(comparison: xr.Dataset, title: str = "") -> Document:
    """The answer, the systems, and the matrix, or of a few the pairs: a page of a few lines.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.
    title : str, optional
    """
    schemas.comparison(comparison)
    context = report_context(comparison)
    few = len(context.systems) <= _FEW
    between = pairs_part(context, brief=True) if few else matrix_part(context)
    parts = [audit_part(context), systems_part(context, brief=True), between]
    if context.provenance.rhat_max is not None or context.provenance.pareto_k is not None:
        parts.append(diagnostics_part(context))
    return Document(
        on_one_line(title) if title else "",
        parts=[part for part in parts if part is not None],
        signatures=[on_one_line(signature(context.data))],
        answer=answer_sentences(context.answer),
    )


def brief_text(comparison: Any, title: str) -> str:
    """The brief page as text."""
    return as_text(brief_page(plain(comparison), title))


def audit_part(context: ReportContext) -> Part | None:
    """What stops a comparison of these scores, or warns of it."""
    audit = context.provenance.audit
    return Part("Audit", lines=list(audit)) if audit else None


def systems_part(context: ReportContext, *, brief: bool = False) -> Part | None:
    """All systems; of two, where their scores are known."""
    if not context.many and "score" not in context.data:
        return None
    return Part(
        "Systems",
        tables=[systems_table(context, brief=brief), *([] if brief else spread_table(context))],
    )


def pairs_part(context: ReportContext, *, brief: bool = False) -> Part:
    """The pairs that matter."""
    return Part("Pairs", tables=[pairs_table(context, brief=brief)])


def matrix_part(context: ReportContext) -> Part | None:
    """P(better) of all pairs, of three systems or more, where a page has place for it."""
    if not 2 < len(context.systems) <= MATRIX_SYSTEMS:
        return None
    return Part("Matrix", tables=[matrix_table(context)])
