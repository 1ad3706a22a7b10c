"""What `print` and notebooks show of a comparison: the answer, its picture, systems and pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.counts.shapes import systems_of
from betterthan.posterior.table import squares
from betterthan.results import numbers, text
from betterthan.results.context import ReportContext, contenders, report_context, systems_table
from betterthan.results.document import Document, Part, Table, parts_present
from betterthan.results.facts import answer_facts
from betterthan.results.kinds import build_page
from betterthan.results.marks import ASCII, UNICODE, Marks, Row, draw
from betterthan.results.methods import diagnostics_part
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.pair_tables import pairs_table, suite_part
from betterthan.results.provenance import signature
from betterthan.results.score_sentences import statistic_label
from betterthan.results.sentences import answer_sentences, difference_name
from betterthan.results.tables import best_errors, interval_label, leading, most_likely_best
from betterthan.signed import Signature
from betterthan.text import can_encode

REPORT = 'c.report(path="report.html")'  # what shows everything
_SECTIONS = ("Systems", "Pairs", "Concentration")  # of the page of another kind of answer
_FULL = re.compile(  # columns that only the full report has
    r"p|(Holm|BH) p|Closed form|By itself|MC error|N|Not shown to be worse than best"
)


def statement(comparison: Any) -> list[str]:
    """The answer in sentences."""
    if comparison.provenance.answer == "comparison":
        return answer_sentences(answer_facts(comparison))
    return list(build_page(comparison).answer)


def brief_page_of(comparison: Any, **choices: Any) -> Document:
    """The brief page of an answer of any kind; `choices` as of `brief_page`."""
    if comparison.provenance.answer == "comparison":
        return brief_page(comparison.by_engine(), **choices)
    return brief_page_of_kind(comparison, **choices)


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
    parts = [audit_part(context)]
    if context.many:
        parts.append(Part("Systems", tables=[systems_table(context, brief=True)]))
        parts.append(Part("Pairs", tables=[pairs_table(context, brief=True)]))
    parts.append(suite_part(context))
    if context.provenance.rhat_max is not None or context.provenance.pareto_k is not None:
        parts.append(diagnostics_part(context))
    page = Document(
        on_one_line(title) if title else "",
        parts=parts_present(*parts),
        signatures=[on_one_line(signature(context.data))],
        answer=answer_sentences(context.answer),
        picture=_lines(picture_of(context)) if picture else (),
        footer=f"{rule(context.data, context.provenance)} Tests, priors and robustness: {rest}.",
    )
    return text.with_short_names(page)


def rule(data: xr.Dataset, provenance: Signature) -> str:
    """What a verdict needs, what an undecided pair means, and where numbers are from; nothing where
    there are no verdicts.
    """
    if "verdict" not in data:
        return ""
    threshold = provenance.threshold or names.VERDICT_PROB
    needs = f"A verdict needs a posterior probability of at least {threshold:g}"
    if provenance.splits:
        needs += ", and wins and means that agree"
    elif provenance.answer in _TWICE and "prob_more_wins" in data:
        needs += ", for the score and for being ahead more often"
    verdicts = data["verdict"]
    if names.SYSTEM_A in verdicts.dims:
        upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
        verdicts = verdicts.transpose(*names.SQUARE, ...).values[upper]
    lines, data = [f"{needs}."], leading(data)
    lines += ['"Undecided" does not mean equal.'] if "undecided" in np.asarray(verdicts) else []
    lines += _close_calls(data)
    lines += _sources(data, provenance) if provenance.answer == "comparison" else []
    if provenance.ci_kind == "hdi" and "difference_mean" in data:
        mass = f"{100 * (provenance.ci_prob or names.CI_PROB):g}%"
        lines.append(f"HDI: the narrowest interval with {mass} probability.")
    return " ".join(lines)


def _close_calls(data: xr.Dataset) -> list[str]:
    """How many pairs are undecided for their Monte Carlo error alone."""
    flags = data["too_close"].values if "too_close" in data else np.zeros(1, bool)
    if not (number := int((np.triu(flags) if flags.ndim == 2 else flags).sum())):
        return []
    pairs = "1 undecided pair is" if number == 1 else f"{number:,} undecided pairs are"
    return [f"{pairs} within two Monte Carlo errors of a verdict: more draws may decide."]


def _sources(data: xr.Dataset, provenance: Signature) -> Iterator[str]:
    """Where the numbers of a comparison are from."""
    many = data.sizes[names.SYSTEM_A] > 2
    if "pairwise_verdict" in data:
        yield (
            "Differences, P(better), P(best), ranks and verdicts come from one joint model, which "
            "shrinks differences between similar systems (partial pooling)."
        )
        if provenance.joint_model == names.AMONG_ALL:
            yield f"P(best) and ranks are from {provenance.joint_draws or 0:,} draws of it."
    elif many and "prob_best" in data:
        yield "Differences, P(better) and ranks come from one posterior of all systems."
    elif many and "difference_mean" in data:
        yield "Each pair is compared separately, so differences need not add up."


def audit_part(context: ReportContext, *, bounds: bool = False) -> Part | None:
    """What stops a comparison of these scores, or warns of it; with `bounds` also whether verdicts
    hold for every value of the missing scores.
    """
    provenance = context.provenance
    lines = [*(provenance.audit or ()), *((provenance.bounds or ()) if bounds else ())]
    return Part("Audit", lines=lines) if lines else None


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
    provenance, page = comparison.provenance, build_page(comparison)
    parts = []
    notes = labels_on_one_line(provenance.notes or ())
    warnings = [note for note in notes if note.startswith("!")]
    others = [] if provenance.answer == "judged" else [n for n in notes if n not in warnings]
    if provenance.audit:
        parts.append(Part("Audit", lines=labels_on_one_line(provenance.audit)))
    many = len(systems_of(comparison.data)) > 2
    for part in page.parts:
        if part.heading in _SECTIONS and (many or part.heading == "Concentration"):
            tables = [_with_first(_without_columns(table)) for table in part.tables]
            parts.append(Part(part.heading, tables=tables))
    if others:
        parts.append(Part("Notes", lines=others))
    context = answer_context(comparison.data)
    closing = f"Priors, diagnostics and all draws: {rest}."
    if needs := rule(comparison.data, provenance):
        closing = f"{needs} {_REST.get(provenance.answer, _REST_OF_FITS)}: {rest}."
    brief = Document(
        on_one_line(title) if title else "",
        parts=parts,
        signatures=page.signatures,
        answer=list(dict.fromkeys([*page.answer, *warnings])),
        picture=_lines(picture_of(context)) if picture and context else (),
        footer=closing,
    )
    return text.with_short_names(brief)


def _with_first(table: Table) -> Table:
    """Of many pairs, those with the first system."""
    if table.heads[:2] != ("System", "Other") or len(table.rows) <= _PAIRS:
        return table
    first = table.rows[0][0]
    rows = [row for row in table.rows if first in row[:2]]
    some = f"The {len(rows)} of {len(table.rows)} pairs with {first}"
    caption = table.caption.replace(f"All {len(table.rows)} pairs", some)
    rest = "; all are in .pairs of the comparison, and in the report"
    return replace(table, rows=rows, caption=caption + rest)


_PAIRS = 10  # rows of the brief table of pairs, beyond which only those with the first system


def _without_columns(table: Table) -> Table:
    """A table without the columns that only the full report has."""
    kept_columns = [k for k, heading in enumerate(table.heads) if not _FULL.fullmatch(heading)]
    rows = [tuple(row[k] for k in kept_columns) for row in table.rows]
    return replace(table, heads=tuple(table.heads[k] for k in kept_columns), rows=rows)


def answer_context(data: xr.Dataset) -> ReportContext | None:
    """The systems of an answer of another kind, where these or a single pair have differences."""
    data = leading(data)
    if "difference_mean" not in data or "verdict" not in data:
        return None
    if names.PAIR in data.dims:
        if data.sizes[names.PAIR] != 1:
            return None
        data = _square_of_pair(data)
    if data.attrs.get("answer") == "dispersions":
        data = data.assign_attrs(difference_is="difference in concentration (theta)")
    if "statistic" in data.attrs:
        by = statistic_label(data)
        data = data.assign_attrs(difference_is=f"difference in {by}")
    if names.ENGINE not in data.dims:
        data = data.expand_dims({names.ENGINE: ["main"]})
    try:
        return report_context(data)
    except KeyError:
        return None


def _square_of_pair(data: xr.Dataset) -> xr.Dataset:
    """One pair as a table over both systems, each value also from the other side."""
    systems = [str(data[dim].values[0]) for dim in names.SQUARE]
    columns = ("difference_mean", "difference_lower", "difference_upper")
    held = [k for k in (*columns, "prob_better", "prob_better_mcse") if k in data]
    parts = {k: data[k].values.astype(float) for k in held}
    square: dict[str, Any] = dict(squares(parts, 2, np.array([0]), np.array([1])))
    verdict = str(data["verdict"].values[0])
    other = {"a_better": "b_better", "b_better": "a_better"}.get(verdict, verdict)
    square["verdict"] = np.array([["no_data", verdict], [other, "no_data"]])
    variables = {name: (names.SQUARE, values) for name, values in square.items()}
    return xr.Dataset(variables, dict.fromkeys(names.SQUARE, systems), data.attrs)


_TWICE = ("scores", "orders")
_REST = {
    "judged": "Human labels only, judge only, and assumptions",
    "scores": "Tests, priors and ranks",
    "orders": "Tests, ties and ranks",
    "folds": "Priors and assumptions",
}
_REST_OF_FITS = "Priors, diagnostics and assumptions"


_ROWS = 9  # of a picture, which then has at most twelve lines as text


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One row of a picture: how much a system differs from the reference."""

    label: str  # the system, or what the scores of two systems are on
    place: int  # of the system, from the first in the table of systems
    verdict: str  # in words: better, worse, baseline, no data, ...
    limits: tuple[float, float, float] | None = None  # lower, point, upper; None without a mark
    p: float | None = None  # P(best), or of two systems P(better)
    p_mcse: float = 0.0
    threshold: float = 0.0  # that decides on the probability
    mark: str = ""  # on its probability, where it may be the best
    written: str = ""  # the value with its interval, where it is no difference

    @property
    def size(self) -> str:
        """The difference with its interval."""
        if self.written:
            return self.written
        if self.limits is None:
            return ""
        low, point, high = self.limits
        return numbers.difference(point, low, high)

    @property
    def probability(self) -> str:
        """P(best), or P(better)."""
        if self.p is None:
            return ""
        return self.mark + numbers.probability(self.p, self.p_mcse, self.threshold)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Differences from one system."""

    quantity: str  # such as "Difference in accuracy"
    interval: str  # such as "95% HDI"
    systems: Sequence[str]  # all of them, best first
    rows: Sequence[Difference]
    role: str = ""  # why one system is the reference; empty of two systems
    reference: str = ""
    rope: float = 0.0
    lower_is_better: bool = False
    more: str = ""  # what the systems without a row are
    legend: str = ""  # what the mark on a probability means
    n_marked: int = 0  # systems that have it, also those without a row
    margin: float = 0.0  # of a gate, below zero in the unit of the difference
    levels: bool = False  # rows are values by themselves, not differences, and have no verdict
    of: str = "System"  # what has a row

    @property
    def heading(self) -> str:
        """Of the probability of each row; of a split by what it is."""
        if any(row.verdict == "split" for row in self.rows) and not self.role:
            return "P(better mean)" if "mean" in self.quantity else "P(more wins)"
        return "P(best)" if self.role else "P(better)"

    @property
    def has_probability(self) -> bool:
        """Whether rows have one."""
        return any(row.p is not None for row in self.rows)

    def lines(self, marks: Marks = UNICODE, width: int | None = None) -> list[str]:
        """The picture as text; on a narrow terminal with the numbers of long names alone."""
        width = text.terminal_width() if width is None else width
        lines = self._drawn(_labels(self.systems), marks, width)
        if max(map(text.places, lines)) <= width:
            return lines
        return self._drawn([k.partition(" ")[0] for k in _labels(self.systems)], marks, width)

    def _drawn(self, labels: Sequence[str], marks: Marks, width: int) -> list[str]:
        minus = marks.minus
        title = f"{self.quantity}, {labels[0]} {minus} {labels[-1]}"
        if self.role:
            of = labels[self.systems.index(self.reference)]
            lower = "; lower is better" if self.lower_is_better else ""
            title = f"{self.quantity} from {of} ({self.role}{lower})"
        rows = []
        for row in self.rows:
            label = labels[row.place] if self.role else row.label.replace("−", minus)
            cells = [row.size.partition(" ")[0].replace("−", minus)]
            cells += [row.probability] if self.has_probability else []
            rows.append(Row(label, row.verdict, row.limits, tuple(cells)))
        return draw(
            f"{title}, point and {self.interval}",
            ["Difference", *([self.heading] if self.has_probability else [])],
            rows,
            rope=self.rope,
            reverse=self.lower_is_better,
            more="   ".join(filter(None, (self.more, self.legend))),
            marks=marks,
            width=width,
        )


def picture_of(context: ReportContext) -> Picture | None:
    """The differences from the baseline, else from the system that is most probably the best, or
    of two systems from the other; none where no difference has an interval.
    """
    data, provenance = context.data, context.provenance
    if "difference_mean" not in data or provenance.ci_prob is None or provenance.failures:
        return None
    at, role = reference(context)
    ends = {k: data[k].transpose(*names.SQUARE, ...).values[:, at] for k in _SHOWN}
    if not np.isfinite(np.delete(ends["difference_lower"], at)).any():
        return None
    verdicts = [_VERDICTS.get(str(v), str(v)) for v in ends["verdict"]]
    verdicts[at] = "baseline" if role == "baseline" else "reference"
    visible = _visible_rows(context, verdicts)
    marks, legend = contenders(context)
    rows = _rows_of_many(context, ends, verdicts, visible) if role else _rows_of_two(context)
    if not any(row.limits for row in rows):
        return None
    return Picture(
        quantity=difference_name(provenance),
        interval=interval_label(vars(provenance)),
        systems=context.systems,
        rows=rows,
        role=role,
        reference=context.systems[at],
        rope=context.rope,
        lower_is_better=provenance.lower_mean,
        more=_more(verdicts, visible) if role else "",
        legend=legend if role else "",
        n_marked=sum(map(bool, marks)),
    )


_ENDS = ("lower", "mean", "upper")
_SHOWN = ("difference_lower", "difference_mean", "difference_upper", "verdict")
_VERDICTS = {
    "a_better": "better",
    "b_better": "worse",
    "no_data": "no data",
    "no_verdict": "no verdict",
}
_WITHOUT_MARK = ("no data", "no verdict", "baseline", "reference")


def _lines(picture: Picture | None) -> list[str]:
    """The picture as text, in marks that standard output can encode."""
    if picture is None:
        return []
    signs = "".join(vars(UNICODE).values())
    return picture.lines(UNICODE if can_encode(signs, text.output_encoding()) else ASCII)


def _rows_of_many(
    context: ReportContext, ends: dict[str, np.ndarray], verdicts: list[str], visible: list[int]
) -> list[Difference]:
    """The systems that have a row."""
    best = context.data.get("prob_best")
    errors = None if best is None else best_errors(context.data)
    marks, _ = contenders(context)
    return [
        Difference(
            label=context.systems[k],
            place=k,
            verdict=verdicts[k],
            limits=_limits(verdicts[k], [float(ends[f"difference_{end}"][k]) for end in _ENDS]),
            p=None if best is None else float(best[k]),
            p_mcse=0.0 if errors is None else float(errors[k]),
            mark=marks[k],
        )
        for k in visible
    ]


def _limits(verdict: str, ends: Sequence[float]) -> tuple[float, float, float] | None:
    """An interval; none where there is no verdict that it belongs to."""
    if not np.isfinite(ends).all() or verdict in _WITHOUT_MARK:
        return None
    low, point, high = ends
    return low, point, high


def _rows_of_two(context: ReportContext) -> list[Difference]:
    """The difference of two systems; where other values of missing scores would change the verdict
    also with every missing score for the one, and for the other.
    """
    cell = context.data.isel(dict(zip(names.SQUARE, (0, 1), strict=True)))
    first, second = _labels(context.systems)
    missing = context.answer.missing
    if missing is None or missing.n_hold == missing.n_pairs or "extreme_verdict" not in cell:
        return [_row_of_cell(cell, f"{first} − {second}")]
    rows = [_row_of_cell(cell, f"{int(cell['n']):,} items with both")]
    for case, of_second in (("best", "worst"), ("worst", "best")):
        extremes = cell["extreme_score"].sel(case=[case, of_second]).values
        filled = zip((first, second), np.diagonal(extremes), strict=True)
        scores = ", ".join(f"{name} {x:.4g}" for name, x in filled if np.isfinite(x))
        rows.append(_row_of_cell(cell.sel(case=case), f"if missing: {scores}", "extreme_"))
    return rows


def _row_of_cell(cell: xr.Dataset, label: str, prefix: str = "") -> Difference:
    verdict = str(cell[f"{prefix}verdict"].item())
    verdict = _VERDICTS.get(verdict, verdict)
    limits = _limits(verdict, [float(cell[f"{prefix}difference_{end}"]) for end in _ENDS])
    p = float(cell[f"{prefix}probability" if prefix else "prob_better"])
    error = "" if prefix else "prob_better_mcse"
    return Difference(
        label=label,
        place=0,
        verdict=verdict,
        limits=limits,
        p=p if limits else None,
        p_mcse=float(cell[error]) if error in cell else 0.0,
        threshold=float(cell.attrs.get("threshold") or 0.0),
    )


def reference(context: ReportContext) -> tuple[int, str]:
    """The place of the system that the others are compared with, and why it is the one; of two
    systems the second, for no reason.
    """
    baseline = context.provenance.baseline
    if not context.many:
        return 1, ""
    if baseline is not None:
        return context.systems.index(on_one_line(baseline)), "baseline"
    if "prob_best" in context.data:
        return most_likely_best(context.data)
    return 0, "reference"


def _visible_rows(context: ReportContext, verdicts: list[str]) -> list[int]:
    """Places of the systems that have a row: all of few; else the reference, those that may be the
    best, and those without a verdict against it, the best first.
    """
    n = len(verdicts)
    if n <= _ROWS:
        return list(range(n))
    best = context.data.get("in_best_set")
    first = [k for k in range(n) if verdicts[k] in ("baseline", "reference")]
    first += [] if best is None else np.flatnonzero(best.values).tolist()
    first += [k for k in range(n) if verdicts[k] not in ("better", "worse", "equivalent")]
    return sorted(list(dict.fromkeys([*first, *range(n)]))[:_ROWS])


def _more(verdicts: list[str], visible: list[int]) -> str:
    """What the systems without a row are."""
    rest = [verdict for k, verdict in enumerate(verdicts) if k not in visible]
    if not rest:
        return ""
    systems = f"{len(rest):,} more systems" if len(rest) > 1 else "1 more system"
    number = {verdict: rest.count(verdict) for verdict in dict.fromkeys(rest)}
    if len(number) == 1:
        return f"{systems}: {'all ' * (len(rest) > 1)}{rest[0]}"
    return f"{systems}: {', '.join(f'{n:,} {verdict}' for verdict, n in number.items())}"


def _labels(systems: Sequence[str]) -> list[str]:
    """Names, shortened where they are long, and then numbered as in the table of systems."""
    short = text.short_names(systems)
    labels = [short.get(name, name) for name in systems]
    if short and len(systems) > 2 and text.may_number(systems):
        return [f"#{k} {label}" for k, label in enumerate(labels, 1)]
    return labels
