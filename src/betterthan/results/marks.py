"""Marks of intervals, drawn as text and as inline SVG of a page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from betterthan.text import places

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
        return [float(f"{k * self.step:.12g}") for k in range(first, last + 1)]

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
        exact = (k for k in range(12) if math.isclose(round(self.step, k), self.step))
        digits = next(exact, None)
        text = f"{value:+.3g}" if digits is None else f"{value:+,.{digits}f}"
        return text.replace("-", marks.minus)


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
    label = max(places(row.label) for row in rows)
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

    def line(name: str, plot: str, cells: Sequence[str], word: str) -> str:
        texts = [*cells, *[""] * (len(widths) - len(cells))]
        columns = "  ".join(cell.rjust(w) for cell, w in zip(texts, widths, strict=True))
        padding = " " * (label - places(name))
        return f" {name}{padding}  {plot}  {columns}  {word}".rstrip()

    lines = [f" {title}", line("", _axis(scale, marks), headings, "Verdict")]
    for row in rows:
        word = f"{row.verdict} {marks.one_sided}" if row.one_sided else row.verdict
        lines.append(line(row.label, _plot(row, scale, rope, marks), row.cells, word))
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
            free &= all(cell == " " for cell in cells[max(start - 2, 0) : start + len(text) + 2])
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


# points by verdict; other verdicts have the hollow circle of undecided
SHAPES = {
    "better": '<circle r="4.5"/>',
    "worse": '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    "equivalent": '<path d="M0-6 6 0 0 6-6 0Z"/>',
    "undecided": '<circle class="hollow" r="4.25"/>',
    "reference": '<rect x="-1.5" y="-8" width="3" height="16"/>',
}
_NEAR = 0.1  # levels whose labels would touch on one side
_POINTS = 8  # of a curve, about
CLASSES = 7  # of the colors of a matrix
BOUNDS = (0.25, 0.45, 0.55, 0.75)  # between its classes without a verdict


def symbols() -> str:
    """The shapes of points, which a page has once."""
    shapes = "".join(f'<g id="m-{name}">{shape}</g>' for name, shape in SHAPES.items())
    hidden = 'class="symbols" width="0" height="0" aria-hidden="true"'
    return f"<svg {hidden}><defs>{shapes}</defs></svg>"


def verdict_class(verdict: str) -> str:
    """The class of a verdict.

    Examples
    --------
    >>> verdict_class("a_better"), verdict_class("no data"), verdict_class("baseline")
    ('v-better', 'v-no_data', 'v-reference')
    """
    return "v-" + _CLASSES.get(verdict, verdict).replace(" ", "_")


_CLASSES = {
    "a_better": "better",
    "b_better": "worse",
    "baseline": "reference",
    "pass": "better",  # of a gate
    "inconclusive": "undecided",
}


def percent(share: float) -> str:
    """A place between 0 and 1.

    Examples
    --------
    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def point(x: float, verdict: str) -> str:
    """The point of a verdict at a place.

    Examples
    --------
    >>> point(0.25, "worse")
    '<use href="#m-worse" x="25%" y="50%"/>'
    """
    shape = verdict_class(verdict).removeprefix("v-")
    shape = shape if shape in SHAPES else "undecided"
    return f'<use href="#m-{shape}" x="{percent(x)}" y="50%"/>'


def interval(scale: Scale, limits: Sequence[float] | None, verdict: str) -> str:
    """An interval with its point; of the reference a bar at zero."""
    if verdict in _REFERENCES:
        return point(scale.share(0.0), verdict)
    if limits is None:
        return ""
    low, middle, high = (scale.share(value) for value in limits)
    line = f'<line class="iv" x1="{percent(low)}" x2="{percent(high)}" y1="50%" y2="50%"/>'
    return line + point(middle, verdict)


def _svg_line(kind: str, x: float) -> str:
    place = percent(x)
    return f'<line class="{kind}" x1="{place}" x2="{place}" y2="100%"/>'


def row(
    scale: Scale,
    limits: Sequence[float] | None,
    verdict: str,
    rope: float = 0.0,
    margin: float = 0.0,
) -> str:
    """A row of the picture of differences: grid, ROPE or margin, zero line, interval.

    Examples
    --------
    >>> mark = row(Scale.over([0.1, 0.3]), (0.1, 0.2, 0.3), "better")
    >>> '<use href="#m-better" x="65.72%" y="50%"/>' in mark
    True
    """
    # from a margin below zero up to zero, or the ROPE, for a script also where there is none
    low, high = (-margin, 0.0) if margin else (-rope, rope)
    left, right = sorted((scale.share(low), scale.share(high)))
    place = f'x="{percent(left)}" width="{percent(right - left)}" height="100%"'
    ends = f"{scale.low:.6g},{scale.high:.6g},{int(scale.reverse)}"
    data = "" if margin else f' data-scale="{ends}"'
    band = f'<rect class="rope" {place}{data}/>'
    grid = "".join(_svg_line("grid", scale.share(tick)) for tick in scale.ticks() if tick)
    marks = band + grid + _svg_line("zero", scale.share(0.0)) + interval(scale, limits, verdict)
    return f'<svg class="row" aria-hidden="true">{marks}</svg>'


_LABEL_CHARACTERS = 44  # along the axis of a picture in a table


def axis(scale: Scale, worse: str = "worse", better: str = "better") -> str:
    """The labels of ticks, and above them which side is better."""
    zero = scale.share(0.0)
    sides = [(zero, "end", -8, f"← {worse}"), (1 - zero, "start", 8, f"{better} →")]
    texts = [
        f'<text class="side" x="{percent(zero)}" dx="{dx}" y="38%" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
        for space, anchor, dx, text in sides
        if space >= 0.15 and text.strip("← →")
    ]
    signed = bool(worse or better or min(scale.ticks()) < 0)  # not the values of scores
    labels = {t: scale.label(t, UNICODE) if signed else f"{t:g}" for t in scale.ticks()}
    crowded = sum(len(label) + 2 for label in labels.values()) > _LABEL_CHARACTERS
    for tick, label in labels.items():
        odd = round(tick / scale.step) % 2
        if not (odd and crowded):
            minor = ' class="minor"' if odd else ""
            place = f'x="{percent(scale.share(tick))}" y="94%" text-anchor="middle"'
            texts.append(f"<text{minor} {place}>{label}</text>")
    return f'<svg class="axis" aria-hidden="true">{"".join(texts)}</svg>'


def small(scale: Scale, limits: Sequence[float] | None, verdict: str, zero: bool) -> str:
    """An interval in a cell of a table: of a difference with a zero line, or of a score."""
    line = _svg_line("zero", scale.share(0.0)) if zero else ""
    kind = verdict_class(verdict)
    mark = interval(scale, limits, kind.removeprefix("v-") if zero else "better")
    return f'<svg class="small {kind}" aria-hidden="true">{line}{mark}</svg>'


def bar(p: float) -> str:
    """A probability on a track from 0 to 1.

    Examples
    --------
    >>> bar(0.832).count("rect"), 'width="83.2%"' in bar(0.832)
    (2, True)
    """
    return (
        '<svg class="bar" aria-hidden="true"><rect class="track" width="100%" height="100%"/>'
        f'<rect class="fill" width="{percent(p)}" height="100%"/></svg>'
    )


def stacked(parts: Sequence[tuple[str, float]]) -> str:
    """Parts of a whole in one bar, each with the class of its color; the rest is empty.

    Examples
    --------
    >>> stacked([("v-better", 3), ("v-undecided", 1)]).count("<rect")
    2
    """
    total, left, boxes = sum(size for _, size in parts) or 1.0, 0.0, []
    for kind, size in parts:
        place, width = percent(left / total), percent(size / total)
        boxes.append(f'<rect class="{kind}" x="{place}" width="{width}" height="100%"/>')
        left += size
    return f'<svg class="stacked" aria-hidden="true">{"".join(boxes)}</svg>'


def density(scale: Scale, x: np.ndarray, y: np.ndarray) -> str:
    """A density, in two colors that meet at zero; right is better.

    Examples
    --------
    >>> drawn = density(Scale.over([-0.1, 0.1]), np.array([-0.1, 0.0, 0.1]), np.array([0, 2, 0.0]))
    >>> drawn.count("<path")
    2
    """
    top = float(y.max()) or 1.0
    sides = [("v-worse", x <= 0), ("v-better", x >= 0)]
    paths = ""
    for kind, here in sides if not scale.reverse else [(k, ~h | (x == 0)) for k, h in sides]:
        if here.sum() < 2:
            continue
        places = [f"{1000 * scale.share(value):.1f}" for value in x[here].tolist()]
        heights = [f"{100 - 96 * value / top:.1f}" for value in y[here].tolist()]
        line = "L".join(f"{a} {b}" for a, b in zip(places, heights, strict=True))
        paths += f'<path class="{kind}" d="M{places[0]} 100L{line}L{places[-1]} 100Z"/>'
    return (
        '<svg class="density" viewBox="0 0 1000 100" preserveAspectRatio="none" '
        f'aria-hidden="true">{paths}</svg>'
    )


def curves(
    x: np.ndarray, lines: Sequence[tuple[str, np.ndarray]], levels: Sequence[tuple[float, str]] = ()
) -> str:
    """Probabilities along a number, from 0 to 1; `lines`: class and values, `levels`: what is
    reached or wanted, with its label.

    Examples
    --------
    >>> drawn = curves(np.array([0, 100]), [("v-better", np.array([0.25, 0.5]))], [(0.75, "goal")])
    >>> '<line class="iv" x1="0%" x2="100%" y1="75%" y2="50%"/>' in drawn
    True
    """
    scale = Scale.over([float(x.min()), float(x.max())])
    scale = replace(scale, low=0.0, high=float(x.max()) or 1.0)
    places = [percent(scale.share(value)) for value in x.tolist()]
    drawn = ""
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = percent(1 - tick)
        drawn += f'<line class="grid" x2="100%" y1="{y}" y2="{y}"/>'
        drawn += f'<text x="0" dx="-8" y="{y}" dy="4" text-anchor="end">{tick:g}</text>'
    for tick in scale.ticks():
        minor = ' class="minor"' if round(tick / scale.step) % 2 else ""
        place = f'x="{percent(scale.share(tick))}" y="100%" dy="18" text-anchor="middle"'
        drawn += f"<text{minor} {place}>{tick:,g}</text>"
    near = len(levels) > 1 and abs(levels[0][0] - levels[1][0]) < _NEAR
    for k, (level, label) in enumerate(levels):
        y = percent(1 - level)
        below = near and level == min(value for value, _ in levels)
        drawn += f'<line class="level{" goal" if not k else ""}" x2="100%" y1="{y}" y2="{y}"/>'
        drawn += f'<text class="side" x="0" dx="6" y="{y}" dy="{14 if below else -5}">'
        drawn += f"{escape(label)}</text>"
    for kind, values in lines:
        ends = [*zip(places, [percent(1 - value) for value in values.tolist()], strict=True)]
        drawn += f'<g class="{kind}">'
        for (x1, y1), (x2, y2) in pairwise(ends):
            drawn += f'<line class="iv" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'
        some = ends[:: len(ends) // _POINTS or 1]
        shape = kind.removeprefix("v-")
        points = (f'<use href="#m-{shape}" x="{a}" y="{b}"/>' for a, b in some)
        drawn += "".join(points) + "</g>"
    return f'<svg class="curves" aria-hidden="true">{drawn}</svg>'


def caterpillar(
    names: Sequence[str], low: np.ndarray, high: np.ndarray, kinds: Sequence[str]
) -> str:
    """The intervals of many scores, side by side, on a scale that includes 0.

    Examples
    --------
    >>> drawn = caterpillar(["a", "b"], np.array([0.5, 0.2]), np.array([0.8, 0.4]), ["x", "y"])
    >>> '<line class="y" x1="75%" x2="75%" y1="75%" y2="50%">' in drawn
    True
    """
    bottom, top = min(0.0, float(np.nanmin(low))), float(np.nanmax(high)) or 1.0
    heights = 1 - (np.array([low, high]) - bottom) / (top - bottom)
    step, lines = 1 / max(len(names), 1), []
    for k, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        x, (y1, y2) = percent((k + 0.5) * step), (percent(v) for v in heights[:, k])
        place = f'x1="{x}" x2="{x}" y1="{y1}" y2="{y2}"'
        lines.append(f'<line class="{kind}" {place}><title>{escape(name)}</title></line>')
    return f'<svg class="caterpillar" aria-hidden="true">{"".join(lines)}</svg>'


def matrix_classes(p: Any, decided: Any) -> np.ndarray:
    """The class of each probability, from 0 (the column is better) to 6; -1 where there is none.

    Examples
    --------
    >>> matrix_classes([0.01, 0.5, 0.7, 0.96, np.nan], [True, False, False, True, False]).tolist()
    [0, 3, 4, 6, -1]
    """
    p, decided = np.asarray(p, float), np.asarray(decided, bool)
    classes = np.searchsorted(BOUNDS, np.nan_to_num(p), side="right") + 1
    classes = np.where(decided, np.where(p < 0.5, 0, CLASSES - 1), classes)
    return np.where(np.isnan(p), -1, classes)


def matrix(classes: np.ndarray) -> str:
    """A matrix of many systems: a path for each class, of runs along the rows.

    Examples
    --------
    >>> matrix(np.array([[-1, 6], [0, -1]])).count("<path")
    2
    """
    n = len(classes)
    # a run ends where the class changes, and at the end of a row
    rows, starts = np.nonzero(np.diff(classes, axis=1, prepend=-2) != 0)
    ends = np.append(starts[1:], n)
    ends = np.where(np.append(rows[1:] != rows[:-1], True), n, ends)
    of = classes[rows, starts]
    paths = ""
    for kind in range(CLASSES):
        if runs := np.column_stack([starts, rows, ends - starts])[of == kind].tolist():
            d = "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in runs)
            paths += f'<path class="k{kind}" d="{d}"/>'
    return f'<svg class="big" viewBox="0 0 {n} {n}" shape-rendering="crispEdges">{paths}</svg>'
