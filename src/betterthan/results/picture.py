"""The picture of an answer: differences from one system with their intervals, as text and as a page
draws them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.columns import interval_label
from betterthan.results.context import ReportContext
from betterthan.results.interval_picture import UNICODE, Marks, Row, draw
from betterthan.results.numbers import on_one_line
from betterthan.results.sentences import difference_name
from betterthan.results.systems_table import contenders
from betterthan.results.text import may_number, short_names, terminal_width

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
        return "" if self.p is None else self.mark + numbers.probability(self.p, self.p_mcse)


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
        width = terminal_width() if width is None else width
        lines = self._drawn(_labels(self.systems), marks, width)
        if max(map(len, lines)) <= width:
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
    at, role = _reference(context)
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


def _rows_of_many(
    context: ReportContext, ends: dict[str, np.ndarray], verdicts: list[str], visible: list[int]
) -> list[Difference]:
    """The systems that have a row."""
    best, errors = (
        context.data[name].values if name in context.data else None
        for name in ("prob_best", "prob_best_mcse")
    )
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
    )


def _reference(context: ReportContext) -> tuple[int, str]:
    """The place of the system that the others are compared with, and why it is the one; of two
    systems the second, for no reason.
    """
    baseline = context.provenance.baseline
    if not context.many:
        return 1, ""
    if baseline is not None:
        return context.systems.index(on_one_line(baseline)), "baseline"
    if "prob_best" in context.data:
        data, best = context.data, context.data["prob_best"].values
        first, second = np.argsort(-best, kind="stable")[:2]
        errors = data["prob_best_mcse"].values if "prob_best_mcse" in data else 0 * best
        # within two Monte Carlo errors
        tied = best[first] - best[second] <= 2 * np.hypot(errors[first], errors[second])
        return int(first), "tied as most likely the best" if tied else "most likely the best"
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
    short = short_names(systems)
    labels = [short.get(name, name) for name in systems]
    if short and len(systems) > 2 and may_number(systems):
        return [f"#{k} {label}" for k, label in enumerate(labels, 1)]
    return labels
