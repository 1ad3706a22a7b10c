"""What `print` and notebooks show of a comparison: the answer, the systems, the pairs."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.results import numbers
from betterthan.results.columns import interval_label
from betterthan.results.context import MATRIX_SYSTEMS, ReportContext, report_context
from betterthan.results.document import Document, Part, Table
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_facts
from betterthan.results.interval_picture import ASCII, UNICODE, Marks, Row, draw
from betterthan.results.kinds import build_page, plain
from betterthan.results.markup import as_part
from betterthan.results.methods import diagnostics_part
from betterthan.results.pair_tables import matrix_table, pairs_table
from betterthan.results.provenance import signature
from betterthan.results.rows import leading
from betterthan.results.score_sentences import statistic_label
from betterthan.results.sentences import answer_sentences, difference_name
from betterthan.results.systems_table import spread_table, systems_table
from betterthan.results.text import (
    as_text,
    can_encode,
    encodable,
    may_number,
    printed,
    short_names,
    terminal_width,
    with_short_names,
)

REPORT = 'c.report(path="report.html")'  # what shows everything
_SECTIONS = ("Systems", "Pairs", "Concentration")  # of the page of another kind of answer
_FULL = re.compile(  # columns that only the full report has
    r"p|(Holm|BH) p|Closed form|By itself|MC error|N|Not significantly worse than best"
)


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


def _page(comparison: Any, rest: str = REPORT) -> Document:
    if comparison.made.answer == "comparison":
        return brief_page(comparison.by_engine(), rest=rest)
    return brief_page_of_kind(comparison, rest=rest)


def brief_page_of_kind(
    comparison: Any, title: str = "", *, rest: str = REPORT, picture: bool = True
) -> Document:
    """The answer on judged outcomes, fits, folds, scores of tallies, or rankings.

    Parameters
    ----------
    comparison : Comparison
    title : str, optional
    rest : str, optional
        How the reader gets the full report.
    picture : bool, default True
    """
    provenance, page = comparison.made, build_page(comparison)
    parts = []
    notes = [on_one_line(text) for text in provenance.notes or ()]
    warnings = [note for note in notes if note.startswith("!")]
    others = [] if provenance.answer == "judged" else [n for n in notes if n not in warnings]
    if provenance.audit:
        parts.append(Part("Audit", lines=[on_one_line(text) for text in provenance.audit]))
    many = _number_of_systems(comparison.data) > 2
    for part in page.parts:
        if part.heading in _SECTIONS and (many or part.heading == "Concentration"):
            tables = [_without_columns(table) for table in part.tables]
            parts.append(Part(part.heading, tables=tables))
    if others:
        parts.append(Part("Notes", lines=others))
    marks = UNICODE if can_encode(UNICODE) else ASCII
    brief = Document(
        on_one_line(title) if title else "",
        parts=parts,
        signatures=page.signatures,
        answer=[*page.answer, *warnings],
        picture=_picture_of_kind(comparison, marks) if picture else (),
        footer=_footer_of_kind(comparison, rest),
    )
    return with_short_names(brief)


def _without_columns(table: Table) -> Table:
    """A table without the columns that only the full report has."""
    kept_columns = [k for k, heading in enumerate(table.heads) if not _FULL.fullmatch(heading)]
    rows = [tuple(row[k] for k in kept_columns) for row in table.rows]
    return replace(table, heads=tuple(table.heads[k] for k in kept_columns), rows=rows)


def _number_of_systems(data: xr.Dataset) -> int:
    if names.PAIR in data.dims:
        return len({*data[names.SYSTEM_A].values.ravel(), *data[names.SYSTEM_B].values.ravel()})
    return data.sizes.get(names.SYSTEM_A, data.sizes.get(names.SYSTEM, 0))


def _picture_of_kind(comparison: Any, marks: Marks) -> list[str]:
    """The differences of an answer of another kind, where systems or a single pair have some."""
    data = leading(comparison.data)
    if "difference_mean" not in data or "verdict" not in data:
        return []
    if names.PAIR in data.dims:
        if data.sizes[names.PAIR] != 1:
            return []
        data = _square_of_pair(data)
    if "statistic" in data.attrs:
        by = statistic_label(data)
        data = data.assign_attrs(difference_is=f"difference in {by}")
    if names.ENGINE not in data.dims:
        data = data.expand_dims({names.ENGINE: ["main"]})
    try:
        context = report_context(data)
    except KeyError:
        return []
    return interval_picture(context, marks)


def _square_of_pair(data: xr.Dataset) -> xr.Dataset:
    """One pair as a table over both systems, each value also from the other side."""
    pair = data.isel({names.PAIR: 0})
    systems = [str(pair[dim].item()) for dim in names.SQUARE]
    low, mean, high = (float(pair[f"difference_{end}"]) for end in _ENDS)
    p, verdict = float(pair["prob_better"]), str(pair["verdict"].item())
    error = float(pair.get("prob_better_mcse", 0.0))
    other = {"a_better": "b_better", "b_better": "a_better"}.get(verdict, verdict)
    values = {
        "difference_mean": [[0.0, mean], [-mean, 0.0]],
        "difference_lower": [[0.0, low], [-high, 0.0]],
        "difference_upper": [[0.0, high], [-low, 0.0]],
        "prob_better": [[0.5, p], [1 - p, 0.5]],
        "prob_better_mcse": [[0.0, error], [error, 0.0]],
        "verdict": [["no_data", verdict], [other, "no_data"]],
    }
    variables = {name: (names.SQUARE, np.array(square)) for name, square in values.items()}
    return xr.Dataset(variables, dict.fromkeys(names.SQUARE, systems), data.attrs)


def _footer_of_kind(comparison: Any, rest: str) -> str:
    """What a verdict needs, that undecided is not equal, and where the rest is."""
    provenance, data = comparison.made, leading(comparison.data)
    if "verdict" not in data:
        return f"Priors, diagnostics and all draws: {rest}."
    threshold = provenance.threshold or names.VERDICT_PROB
    needs = f"A verdict needs a posterior probability of at least {threshold:g}"
    if provenance.answer in _TWICE and "prob_more_wins" in data:
        needs += ", for the score and for being ahead more often"
    verdicts = data["verdict"]
    if names.SYSTEM_A in verdicts.dims:
        upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
        verdicts = verdicts.transpose(*names.SQUARE).values[upper]
    undecided = "undecided" in np.asarray(verdicts)
    lines = [f"{needs}.", *(['"Undecided" does not mean equal.'] if undecided else [])]
    return " ".join([*lines, f"{_REST.get(provenance.answer, _REST_OF_FITS)}: {rest}."])


_TWICE = ("scores", "orders")
_REST = {
    "judged": "Human labels only, judge only, and assumptions",
    "scores": "Tests, priors and ranks",
    "orders": "Tests, ties and ranks",
    "folds": "Priors and assumptions",
}
_REST_OF_FITS = "Priors, diagnostics and assumptions"


def brief_page(
    comparison: xr.Dataset, title: str = "", *, rest: str = REPORT, picture: bool = True
) -> Document:
    """The answer: sentences, a picture, the systems and their pairs, and what a verdict needs.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.
    title : str, optional
    rest : str, optional
        How the reader gets the full report.
    picture : bool, default True
    """
    schemas.comparison(comparison)
    context = report_context(comparison)
    marks = UNICODE if can_encode(UNICODE) else ASCII
    parts = [audit_part(context)]
    if context.many:
        parts += [systems_part(context, brief=True), pairs_part(context, brief=True)]
    if context.provenance.rhat_max is not None or context.provenance.pareto_k is not None:
        parts.append(diagnostics_part(context))
    page = Document(
        on_one_line(title) if title else "",
        parts=[part for part in parts if part is not None],
        signatures=[on_one_line(signature(context.data))],
        answer=answer_sentences(context.answer),
        picture=interval_picture(context, marks) if picture else (),
        footer=footer(context, rest),
    )
    return with_short_names(page)


def brief_text(comparison: Any, title: str) -> str:
    """The brief page as text."""
    return encodable(as_text(brief_page(plain(comparison), title)))


def footer(context: ReportContext, rest: str) -> str:
    """What a verdict needs, what an undecided pair means, where numbers are from, and the rest."""
    verdicts = context.data["verdict"].values[np.triu_indices(len(context.systems), 1)]
    threshold = context.provenance.threshold or names.VERDICT_PROB
    lines = [f"A verdict needs a posterior probability of at least {threshold:g}."]
    if "undecided" in verdicts:
        lines.append('"Undecided" does not mean equal.')
    if "pairwise_verdict" in context.data:
        lines.append(
            "Differences, P(better), P(best), ranks and verdicts come from one joint model, which "
            "shrinks differences between similar systems (partial pooling)."
        )
    return " ".join([*lines, f"Tests, priors and robustness: {rest}."])


def audit_part(context: ReportContext, *, bounds: bool = False) -> Part | None:
    """What stops a comparison of these scores, or warns of it; with `bounds` also whether verdicts
    hold for every value of the missing scores.
    """
    provenance = context.provenance
    lines = [*(provenance.audit or ()), *((provenance.bounds or ()) if bounds else ())]
    return Part("Audit", lines=lines) if lines else None


def systems_part(context: ReportContext, *, brief: bool = False) -> Part | None:
    """All systems; of two, where their scores are known."""
    if not context.many and "score" not in context.data:
        return None
    more = [] if brief else spread_table(context)
    return Part("Systems", tables=[systems_table(context, brief=brief), *more])


def pairs_part(context: ReportContext, *, brief: bool = False) -> Part:
    """The pairs that matter."""
    return Part("Pairs", tables=[pairs_table(context, brief=brief)])


def matrix_part(context: ReportContext) -> Part | None:
    """P(better) of all pairs, of three systems or more, where a page has place for it."""
    if not 2 < len(context.systems) <= MATRIX_SYSTEMS:
        return None
    return Part("Matrix", tables=[matrix_table(context)])


_ROWS = 9  # of a picture, which then has at most twelve lines


def interval_picture(context: ReportContext, marks: Marks = UNICODE) -> list[str]:
    """The differences from the baseline, else from the system that is most probably the best, or
    of two systems from the other; no lines where no difference has an interval.
    """
    data, provenance = context.data, context.provenance
    if "difference_mean" not in data or provenance.ci_prob is None or provenance.failures:
        return []
    at, role = _reference(context)
    values = {k: data[k].transpose(*names.SQUARE, ...).values[:, at] for k in _SHOWN}
    if not np.isfinite(np.delete(values["difference_lower"], at)).any():
        return []
    labels, interval = _labels(context.systems), interval_label(vars(provenance))
    plot = partial(
        draw,
        rope=context.rope,
        reverse=provenance.lower_mean,
        marks=marks,
        width=terminal_width(),
    )
    if not context.many:
        pair = f"{labels[0]} {marks.minus} {labels[1]}"
        title = f"{difference_name(provenance)}, {pair}, point and {interval}"
        rows = _rows_of_two(context, pair, marks)
        return plot(title, ["Difference", "P(better)"], rows)
    verdicts = [_VERDICTS.get(str(v), str(v)) for v in values["verdict"]]
    verdicts[at] = "baseline" if role == "baseline" else "reference"
    best, errors = (
        data[name].values if name in data else None for name in ("prob_best", "prob_best_mcse")
    )
    shown = _rows_shown(context, verdicts)
    rows = []
    for k in shown:
        ends = tuple(float(values[f"difference_{end}"][k]) for end in _ENDS)
        row = _row(labels[k], verdicts[k], ends if k != at else (), marks)
        cells = row.cells
        if best is not None:
            error = float(errors[k]) if errors is not None else 0.0
            cells = (*cells, numbers.probability(float(best[k]), error))
        rows.append(replace(row, cells=cells))
    lower = "; lower is better" if provenance.lower_mean else ""
    title = f"{difference_name(provenance)} from {labels[at]} ({role}{lower}), point and {interval}"
    heads = ["Difference", *([] if best is None else ["P(best)"])]
    return plot(title, heads, rows, more=_more(verdicts, shown))


def _row(label: str, verdict: str, ends: tuple[float, ...], marks: Marks) -> Row:
    """One interval; none where there is no verdict that it belongs to."""
    if len(ends) < 3 or not np.isfinite(ends).all() or verdict in ("no data", "no verdict"):
        return Row(label, verdict, None, ("",))
    low, point, high = ends
    size = numbers.difference(point, low, high).partition(" ")[0].replace("−", marks.minus)
    return Row(label, verdict, (low, point, high), (size,))


def _rows_of_two(context: ReportContext, label: str, marks: Marks) -> list[Row]:
    """The difference of two systems; where other values of missing scores would change the verdict
    also with every missing score for the one, and for the other.
    """
    cell = context.data.isel(dict(zip(names.SQUARE, (0, 1), strict=True)))
    rows = [_row_of_cell(cell, label, "", marks)]
    missing = context.answer.missing
    if missing is None or missing.n_hold == missing.n_pairs or "extreme_verdict" not in cell:
        return rows
    first, second = _labels(context.systems)
    rows[0] = replace(rows[0], label=f"{int(cell['n']):,} items with both")
    for case, ahead in (("best", first), ("worst", second)):
        extreme = f"missing scores all for {ahead}"
        rows.append(_row_of_cell(cell.sel(case=case), extreme, "extreme_", marks))
    return rows


def _row_of_cell(cell: xr.Dataset, label: str, prefix: str, marks: Marks) -> Row:
    verdict = str(cell[f"{prefix}verdict"].item())
    ends = tuple(float(cell[f"{prefix}difference_{end}"]) for end in _ENDS)
    p = float(cell[f"{prefix}probability" if prefix else "prob_better"])
    row = _row(label, _VERDICTS.get(verdict, verdict), ends, marks)
    error = "" if prefix else "prob_better_mcse"
    mcse = float(cell[error]) if error in cell else 0.0
    return replace(row, cells=(*row.cells, numbers.probability(p, mcse)))


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
        return 1, "reference"
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
