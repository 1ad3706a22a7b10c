"""The picture of an answer: differences from one system with their intervals, as text and as a page
draws them.

The distance from zero is the size of a difference, the length of the line its uncertainty.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.columns import interval_label
from betterthan.results.context import ReportContext
from betterthan.results.numbers import on_one_line
from betterthan.results.sentences import difference_name
from betterthan.results.systems_table import contenders
from betterthan.results.text import may_number, short_names, terminal_width

WIDTH = 44  # columns of the plot, where there is room
_LEAST = 24  # columns of a plot that can be read
_PADDING = 0.03  # of the range, on either side
_TICKS = 6  # at most
_STEPS = (1, 2, 2.5, 5, 10)
_REFERENCES = ("baseline", "reference")


@dataclass(frozen=True)
class Marks:
    """The characters of a picture."""

    zero: str = "│"
    crossed: str = "┼"
    reference: str = "┃"
    rope: str = "┊"
    line: str = "─"
    low: str = "├"
    high: str = "┤"
    better: str = "●"
    worse: str = "■"
    equivalent: str = "◆"
    undecided: str = "○"
    minus: str = "−"
    one_sided: str = "†"

    def of(self, verdict: str) -> str:
        """The point of a verdict; of a split the one of undecided."""
        points = {"better": self.better, "worse": self.worse, "equivalent": self.equivalent}
        return points.get(verdict, self.undecided)


UNICODE = Marks()
ASCII = Marks(":", "+", "|", "'", "-", "|", "|", "*", "x", "=", "o", "-", "+")


ONE_SIDED = "one-sided: the interval includes 0"


def includes_zero(interval: tuple[float, float, float] | None) -> bool:
    """Whether an interval (lower, point, upper) does."""
    return interval is not None and interval[0] <= 0 <= interval[2]


@dataclass(frozen=True)
class Row:
    """A difference from the reference; without an interval, the reference itself or no data."""

    label: str
    verdict: str
    interval: tuple[float, float, float] | None = None  # lower, point, upper
    cells: tuple[str, ...] = ()  # numbers to the right of the picture

    @property
    def one_sided(self) -> bool:
        """Whether there is a verdict, which looks at one side, and the interval includes 0."""
        sided = self.interval is not None and self.verdict in ("better", "worse")
        return sided and includes_zero(self.interval)


@dataclass(frozen=True)
class Scale:
    """Where differences stand on the columns of a picture, and which of them are labeled."""

    low: float
    high: float
    step: float
    reverse: bool = False  # lower scores are better: better is always to the right
    columns: int = WIDTH

    @classmethod
    def over(cls, values: Sequence[float], reverse: bool = False, columns: int = WIDTH) -> "Scale":
        """A scale that shows zero and all values, with round steps.

        Examples
        --------
        >>> Scale.over([-0.03, 0.37]).ticks()
        [0.0, 0.1, 0.2, 0.3]
        """
        low, high = min([0.0, *values]), max([0.0, *values])
        span = (high - low) or 1.0
        power = 10.0 ** math.floor(math.log10(span / _TICKS))
        step = next(power * k for k in _STEPS if span / (power * k) <= _TICKS)
        return cls(low - _PADDING * span, high + _PADDING * span, step, reverse, columns)

    @classmethod
    def around(cls, values: Sequence[float]) -> "Scale":
        """A scale that shows all values, and zero only where it is among them."""
        low, high = min(values), max(values)
        span = (high - low) or 1.0
        return cls(low - _PADDING * span, high + _PADDING * span, span)

    def ticks(self) -> list[float]:
        """The numbers that are labeled."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [round(k * self.step, 12) for k in range(first, last + 1)]

    def share(self, value: float) -> float:
        """Where a difference stands, from 0 on the left to 1 on the right."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(1 - share if self.reverse else share, 0.0), 1.0)

    def column(self, value: float) -> int:
        """The column of a difference, from 0."""
        return round(self.share(value) * (self.columns - 1))

    def label(self, value: float, marks: Marks) -> str:
        """A tick with its sign and as many digits as the steps have."""
        if value == 0:
            return "0"
        digits = next(k for k in range(12) if round(self.step, k) == round(self.step, 12))
        return f"{value:+,.{digits}f}".replace("-", marks.minus)


def draw(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Row],
    *,
    rope: float = 0.0,
    reverse: bool = False,
    more: str = "",
    marks: Marks = UNICODE,
    width: int | None = None,
) -> list[str]:
    """Lines of a picture.

    Parameters
    ----------
    title : str
        What the differences are, and what the intervals.
    headings : sequence of str
        Of the cells to the right.
    rows : sequence of Row
    rope : float, default 0
        Half width of the region of practical equivalence; dotted where it is on the scale.
    reverse : bool, default False
        Whether a lower score is better.
    more : str, optional
        A line on the systems that have no row.
    marks : Marks
        `ASCII` where the output cannot encode the others.
    width : int, optional
        Columns of the picture with its numbers, for which the plot gives way.

    Examples
    --------
    >>> new = Row("new", "better", (0.1, 0.2, 0.3), ("+0.20",))
    >>> for line in draw("Difference from old", ["Difference"], [new, Row("old", "baseline")]):
    ...     print(line)
     Difference from old
           0           +0.10        +0.20         +0.30    Difference  Verdict
     new   │             ├────────────●─────────────┤           +0.20  better
     old   ┃                                                           baseline
    """
    label = max(len(row.label) for row in rows)
    widths = [
        max([len(heading), *(len(row.cells[k]) for row in rows if row.cells)])
        for k, heading in enumerate(headings)
    ]
    verdict = max(len(row.verdict) for row in [*rows, Row("", "Verdict")])
    verdict += 2 * any(row.one_sided for row in rows)
    others = label + sum(widths) + 2 * len(widths) + verdict + 5  # a blank before, two between
    free = WIDTH if width is None else min(WIDTH, max(_LEAST, width - others))
    values = [v for row in rows if row.interval for v in row.interval]
    scale = Scale.over(with_rope(values, rope), reverse, free)
    lines = [f" {title}", _line("", _axis(scale, marks), headings, "Verdict", label, widths)]
    for row in rows:
        plot = _plot(row, scale, rope, marks)
        word = f"{row.verdict} {marks.one_sided}" if row.one_sided else row.verdict
        lines.append(_line(row.label, plot, row.cells, word, label, widths))
    notes = [more, f"({rope_note(scale, rope)})" if rope else ""]
    notes += [f"{marks.one_sided} {ONE_SIDED}"] if any(row.one_sided for row in rows) else []
    return [*lines, " " + "   ".join(filter(None, notes))] if any(notes) else lines


def with_rope(values: Sequence[float], rope: float) -> list[float]:
    """Values that a scale shows, with the ROPE where intervals are not much smaller than it."""
    near = rope and max(map(abs, values), default=0.0) >= rope / _BEYOND
    return [*values, -rope, rope] if near else list(values)


def rope_note(scale: Scale, rope: float) -> str:
    """What the dotted lines are, or that they are beyond the scale."""
    on_scale = scale.low < rope < scale.high or scale.low < -rope < scale.high
    return f"dotted: ROPE ±{rope:g}" if on_scale else f"ROPE ±{rope:g}: beyond the scale"


_BEYOND = 4  # times the farthest limit; a ROPE that is farther out is not on the scale


def _line(
    label: str,
    plot: str,
    cells: Sequence[str],
    verdict: str,
    label_width: int,
    widths: Sequence[int],
) -> str:
    texts = [*cells, *[""] * (len(widths) - len(cells))]
    columns = "  ".join(text.rjust(w) for text, w in zip(texts, widths, strict=True))
    return f" {label.ljust(label_width)}  {plot}  {columns}  {verdict}".rstrip()


def _axis(scale: Scale, marks: Marks) -> str:
    """The labels of ticks, each around its column; where they would touch, fewer."""
    ticks = scale.ticks()
    cells: list[str] = []
    for every in (1, 2, 4, 8):
        labeled = [tick for tick in ticks if round(tick / scale.step) % every == 0]
        cells, free = [" "] * scale.columns, True
        for tick in labeled:
            text = scale.label(tick, marks)
            start = scale.column(tick) - len(text) // 2
            start = min(max(start, 0), scale.columns - len(text))
            around = cells[max(start - 2, 0) : start + len(text) + 2]
            free &= all(cell == " " for cell in around)
            cells[start : start + len(text)] = text
        if free:
            break
    return "".join(cells)


def _plot(row: Row, scale: Scale, rope: float, marks: Marks) -> str:
    cells = [" "] * scale.columns
    zero = scale.column(0.0)
    if row.verdict in _REFERENCES:
        cells[zero] = marks.reference
        return "".join(cells)
    for bound in (-rope, rope) if rope else ():
        if scale.low < bound < scale.high:
            cells[scale.column(bound)] = marks.rope
    cells[zero] = marks.zero
    if row.interval is not None:
        low, point, high = (scale.column(value) for value in row.interval)
        low, high = min(low, high), max(low, high)
        for column in range(low, high + 1):
            cells[column] = marks.crossed if column == zero else marks.line
        cells[low], cells[high], cells[point] = marks.low, marks.high, marks.of(row.verdict)
    return "".join(cells)


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
