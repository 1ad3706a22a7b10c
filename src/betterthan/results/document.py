"""A page of any report: parts with what each has of facts, tables, notes, sentences, figures."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

VERDICT, ALONE = "Verdict", "Verdict (pair alone)"
# columns of text, wherever they stand
_IN_WORDS = (VERDICT, ALONE, "Groups", "Not told from", "System A", "System B", "Now")
_NO_ANCHOR = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Table:
    """A table: a heading for each column, rows of text, and which columns are numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""
    left: int = 1  # columns aligned left, the rest are numbers
    shades: Sequence[Sequence[float]] = ()  # 0..1 behind a cell, nan for none: a matrix
    marks: bool = False  # columns headed by a number hold check marks
    name: str = ""  # by which a script finds it
    keys: Sequence[tuple[str, ...]] = ()  # the systems that each row is on
    decided: Sequence[Sequence[bool]] = ()  # of a matrix, the cells that have a verdict
    shown: int | None = None  # rows that are always seen; the rest may be folded, or left out
    rest: str = ""  # where the rest is

    @property
    def left_out(self) -> int:
        """How many rows are not always seen."""
        return 0 if self.shown is None else max(0, len(self.rows) - self.shown)

    @property
    def seen(self) -> "Table":
        """With the rows alone that are always seen."""
        told = f"the first {self.shown} of {len(self.rows):,} rows" if self.left_out else ""
        caption = "; ".join(filter(None, [self.caption, told, self.rest]))
        rows = self.rows[: self.shown] if self.left_out else self.rows
        return replace(self, rows=rows, shown=None, rest="", caption=caption)

    @property
    def sides(self) -> str:
        """How each column is aligned: l, r or c."""
        return "".join(self._side(k, head) for k, head in enumerate(self.heads))

    def _side(self, column: int, head: str) -> str:
        if column < self.left or head in _IN_WORDS:
            return "l"
        return "c" if self.marks and head.isdigit() else "r"

    @property
    def kind(self) -> str:
        """What its cells are, where it is no plain table: matrix, marks."""
        return "matrix" if self.shades else "marks" if self.marks else ""


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn only where a format shows it."""

    caption: str
    draw: Callable[[], Any]  # returns matplotlib axes, or SVG as text


def plotted(function: str, *data: Any, **choices: Any) -> Callable[[], Any]:
    """Draw with a function of `betterthan.plot`, by its name: that layer stands above this one, and
    is loaded when a format shows the figure.
    """
    module, _, name = f"{_PLOT}.{function}".rpartition(".")
    return lambda: getattr(import_module(module), name)(*data, **choices)


_PLOT = "betterthan.plot"


@dataclass(frozen=True)
class Part:
    """One section."""

    heading: str
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()  # on the tables
    lines: Sequence[str] = ()  # sentences
    figures: Sequence[Figure] = ()
    folded: bool = False  # may be closed when a page opens

    @property
    def anchor(self) -> str:
        """What a link to it says after the #."""
        return _NO_ANCHOR.sub("-", self.heading.lower()).strip("-") or "part"

    @property
    def is_facts(self) -> bool:
        """Whether it has facts alone, so that it can be joined with other facts."""
        return not (self.tables or self.notes or self.lines or self.figures)


def parts_told(*parts: Part | None) -> list[Part]:
    """The sections that there are."""
    return [part for part in parts if part is not None]


@dataclass(frozen=True)
class Document:
    """What a report says of one answer, or of several, whatever its format."""

    title: str
    question: str = ""
    parts: Sequence[Part] = ()
    limits: Sequence[str] = ()
    signatures: Sequence[str] = ()
    answer: Sequence[str] = ()  # what is said first
    data: Callable[[], Any] | None = None  # JSON that the scripts of a page work with
    chapters: Sequence["Document"] = ()  # of several answers, each told by itself

    @property
    def told(self) -> list[tuple[str, "Document"]]:
        """The chapters, or the page itself, each with what its anchors begin with."""
        each = self.chapters or [self]
        return [(f"c{k + 1}-" if k else "", page) for k, page in enumerate(each)]

    @property
    def contents(self) -> list[str]:
        """Of several answers each with its first line."""
        return [": ".join([one.title, *one.answer[:1]]) for one in self.chapters]

    @property
    def datas(self) -> list[tuple[str, Any]]:
        """The data for scripts of each chapter, with what its anchors begin with."""
        return [(mark, page.data()) for mark, page in self.told if page.data]

    @property
    def sections(self) -> list[tuple[str, Part]]:
        """Parts, each with what a link to it says after the #."""
        met: dict[str, int] = {"answer": 1, "limits": 1, "signature": 1, "contents": 1}
        found = []
        for part in self.parts:
            again = met.get(part.anchor, 0)
            met[part.anchor] = again + 1
            found.append((f"{part.anchor}-{again + 1}" if again else part.anchor, part))
        return found


def without_figures(page: Document) -> Document:
    """The page as it is where no figure can be shown."""
    if page.chapters:
        return replace(page, chapters=[without_figures(one) for one in page.chapters])
    parts = [replace(part, figures=()) for part in page.parts]
    empty = [Part(part.heading) for part in parts]
    return replace(page, parts=[p for p, e in zip(parts, empty, strict=True) if p != e])


def joined(pages: Sequence[Document]) -> Document:
    """Join documents as chapters of one page; limits and signatures follow once, at the end.

    A document without an answer, such as one on the data, joins the chapter before it. So does one
    with the same title. Facts under a heading that exists join those there; other repeated headings
    start a chapter.
    """
    chapters: list[Document] = []
    for page in pages:
        if chapters and _belong(chapters[-1], page):
            chapters[-1] = _together(chapters[-1], page)
        else:
            chapters.append(page)
    if len(chapters) == 1:
        return chapters[0]
    more = f"{len(chapters) - 1} more answer" + "s" * (len(chapters) > 2)
    return Document(
        f"{chapters[0].title}, and {more}",
        limits=_once([page.limits for page in chapters]),
        signatures=_once([page.signatures for page in chapters]),
        chapters=[replace(page, limits=(), signatures=()) for page in chapters],
    )


def _once(lines: list[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(line for each in lines for line in each))


def _belong(one: Document, other: Document) -> bool:
    """Whether two pages are one chapter."""
    place = {part.heading: part for part in one.parts}
    again = [part for part in other.parts if part.heading in place]
    alone = bool(one.answer and other.answer) and one.title != other.title
    facts = all(part.is_facts and place[part.heading].is_facts for part in again)
    return facts and not alone and not (one.data and other.data)


def _together(one: Document, other: Document) -> Document:
    """One chapter of two: the title of the one that asks something, tables before facts."""
    parts = {part.heading: part for part in one.parts}
    for part in other.parts:
        here = parts.get(part.heading)
        parts[part.heading] = part if here is None else _with_facts(here, part)
    return replace(
        one if one.question or not other.question else other,
        parts=sorted(parts.values(), key=lambda part: part.is_facts),
        answer=[*one.answer, *other.answer],
        limits=_once([one.limits, other.limits]),
        signatures=_once([one.signatures, other.signatures]),
        data=one.data or other.data,
    )


def _with_facts(one: Part, other: Part) -> Part:
    return replace(one, facts=list(dict.fromkeys([*one.facts, *other.facts])))
