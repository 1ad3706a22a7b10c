"""What `print` and notebooks show of a comparison: the answer, the systems, the pairs."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.results import numbers
from betterthan.results.columns import interval_label
from betterthan.results.context import MATRIX_SYSTEMS, ReportContext, report_context
from betterthan.results.document import Document, Part
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_facts
from betterthan.results.interval_picture import ASCII, UNICODE, Marks, Row, draw
from betterthan.results.kinds import build_page, plain
from betterthan.results.markup import as_part
from betterthan.results.methods import diagnostics_part
from betterthan.results.pair_tables import matrix_table, pairs_table
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences, difference_name
from betterthan.results.systems_table import spread_table, systems_table
from betterthan.results.text import (
    as_text,
    can_encode,
    may_number,
    printed,
    short_names,
    with_short_names,
)

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
    page = Document(
        on_one_line(title) if title else "",
        parts=[part for part in parts if part is not None],
        signatures=[on_one_line(signature(context.data))],
        answer=answer_sentences(context.answer),
        picture=picture(context, UNICODE if can_encode(UNICODE) else ASCII),
    )
    return with_short_names(page)


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


_ROWS = 9  # of a picture, which then has at most twelve lines


def picture(context: ReportContext, marks: Marks = UNICODE) -> list[str]:
    """The differences from the baseline, else from the system that is most probably the best, or
    of two systems from the other; no lines where no difference has an interval.
    """
    data, provenance = context.data, context.provenance
    if "difference_mean" not in data or provenance.ci_prob is None or provenance.failures:
        return []
    systems, (at, role) = context.systems, _reference(context)
    values = {k: data[k].transpose(*names.SQUARE, ...).values[:, at] for k in _SHOWN}
    if not np.isfinite(np.delete(values["difference_lower"], at)).any():
        return []
    verdicts = [_VERDICTS.get(str(v), str(v)) for v in values["verdict"]]
    verdicts[at] = "baseline" if role == "baseline" else "reference"
    labels = _labels(systems)
    name, share = "prob_best", "P(best)"
    if not context.many:
        labels = [f"{labels[1 - at]} {marks.minus} {labels[at]}"] * 2
        name, share = "prob_better", "P(better)"
    shares = data[name].values[..., at] if name == "prob_better" else data.get(name)
    shown = _rows_shown(context, verdicts) if context.many else [1 - at]
    rows = []
    for k in shown:
        low, point, high = (float(values[f"difference_{end}"][k]) for end in _ENDS)
        known = k != at and bool(np.isfinite([low, point, high]).all())
        size = numbers.difference(point, low, high).partition(" ")[0] if known else ""
        cells = [size.replace("-", marks.minus)]
        cells += [] if shares is None else [numbers.probability(float(shares[k]))]
        interval = (low, point, high) if known else None
        rows.append(Row(labels[k], verdicts[k], interval, tuple(cells)))
    title = f"{difference_name(provenance)}, point and {interval_label(vars(provenance))}"
    if context.many:
        lower = "; lower is better" if provenance.lower_mean else ""
        title = title.replace(",", f" from {labels[at]} ({role}{lower}),", 1)
    heads = ["Difference", *([] if shares is None else [share])]
    reverse, more = provenance.lower_mean, _more(verdicts, shown) if context.many else ""
    return draw(title, heads, rows, rope=context.rope, reverse=reverse, more=more, marks=marks)


_ENDS = ("lower", "mean", "upper")
_SHOWN = ("difference_lower", "difference_mean", "difference_upper", "verdict")
_VERDICTS = {
    "a_better": "better",
    "b_better": "worse",
    "no_data": "no data",
    "no_verdict": "no verdict",
}


def _reference(context: ReportContext) -> tuple[int, str]:
    """The place of the system that the others are compared with, and why it is the one."""
    baseline = context.provenance.baseline
    if not context.many:
        return 1, "the other"
    if baseline is not None:
        return context.systems.index(on_one_line(baseline)), "baseline"
    if "prob_best" in context.data:
        return int(context.data["prob_best"].values.argmax()), "most likely the best"
    return 0, "reference"


def _rows_shown(context: ReportContext, verdicts: list[str]) -> list[int]:
    """Places of the systems that have a row: all of few; else those that may be the best, the
    reference, and those without a verdict against it, the best first.
    """
    n = len(verdicts)
    if n <= _ROWS:
        return list(range(n))
    best = context.data.get("in_best_set")
    first = [k for k in range(n) if verdicts[k] not in ("better", "worse", "equivalent")]
    if best is not None:
        first += [k for k in range(n) if best.values[k]]
    base = [k for k in range(n) if verdicts[k] in ("baseline", "reference")]
    others = [k for k in dict.fromkeys([*sorted(set(first)), *range(n)]) if k not in base]
    return sorted([*base, *others[: _ROWS - len(base)]])


def _more(verdicts: list[str], shown: list[int]) -> str:
    """What the systems without a row are."""
    rest = [verdict for k, verdict in enumerate(verdicts) if k not in shown]
    if not rest:
        return ""
    systems = f"{len(rest):,} more systems" if len(rest) > 1 else "1 more system"
    number = {verdict: rest.count(verdict) for verdict in dict.fromkeys(rest)}
    if len(number) == 1:
        return f"{systems}: {'all ' * (len(rest) > 1)}{rest[0]}"
    return f"{systems}: {', '.join(f'{n:,} {verdict}' for verdict, n in number.items())}"


def _labels(systems: list[str]) -> list[str]:
    """Names; where one is long, numbers as in the table of systems, and of two short names."""
    short = short_names(systems)
    if short and len(systems) > 2 and may_number(systems):
        return [f"#{k + 1}" for k in range(len(systems))]
    return [short.get(name, name) for name in systems]
