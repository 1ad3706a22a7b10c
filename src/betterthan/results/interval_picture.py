"""Differences with their intervals, drawn as text: the distance from zero is the size of a
difference, the length of the line its uncertainty.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
