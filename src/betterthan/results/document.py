"""A page of any report: parts with what each has of facts, tables, notes, sentences, figures."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

VERDICT, PAIRWISE_VERDICT = "Verdict", "Pairwise verdict"
# columns of text, wherever they stand
_IN_WORDS = (VERDICT, PAIRWISE_VERDICT, "Groups", "Not different from", "Other", "Now")
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
    visible: int | None = None  # rows that are always visible; others may be folded, or left out
    elsewhere: str = ""  # where all rows are, if not in this table
    intervals: Sequence[tuple[float, float, float] | None] = ()  # drawn in each row of a page
    verdicts: Sequence[str] = ()  # of each row, for its mark
    zero: bool = False  # the intervals are of differences

    @property
    def left_out(self) -> int:
        """How many rows are not always visible."""
        return 0 if self.visible is None else max(0, len(self.rows) - self.visible)

    @property
    def shortened(self) -> "Table":
        """With only the rows that are always visible."""
        if self.visible is None and not self.elsewhere:
            return self
        first = f"the first {self.visible} of {len(self.rows):,} rows" if self.left_out else ""
        caption = "; ".join(filter(None, [self.caption, first, self.elsewhere]))
        rows = self.rows[: self.visible] if self.left_out else self.rows
        return replace(self, rows=rows, visible=None, elsewhere="", caption=caption)

    @property
    def sides(self) -> str:
        """How each column is aligned: l, r or c."""
        numbers = ["c" if self.marks and heading.isdigit() else "r" for heading in self.heads]
        words = [k < self.left or heading in _IN_WORDS for k, heading in enumerate(self.heads)]
        return "".join("l" if word else side for word, side in zip(words, numbers, strict=True))

    @property
    def kind(self) -> str:
        """What its cells are, where it is no plain table: matrix, marks, cards (of pairs, on a
        narrow screen).
        """
        return "matrix" if self.shades else "marks" if self.marks else "cards" * self.of_pairs

    @property
    def of_pairs(self) -> bool:
        """Whether each row is on two systems."""
        return self.heads[1:2] == ("Other",)


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn only where a format shows it."""

    caption: str
    draw: Callable[[], Any]  # returns matplotlib axes, or SVG as text
    inline: bool = False  # SVG as text, which needs no matplotlib


def plotted(function: str, *data: Any, **choices: Any) -> Callable[[], Any]:
    """Draw with a function of `betterthan.plot`, by its name: that layer stands above this one, and
    is loaded when a format shows the figure.
    """
    return lambda: function_at(f"plot.{function}")(*data, **choices)


def function_at(path: str) -> Callable[..., Any]:
    """A function of the package by its path, loaded where there is something for it to do."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"betterthan.{module}"), name)


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


def parts_present(*parts: Part | None) -> list[Part]:
    """The sections that there are."""
    return [part for part in parts if part is not None]


# headings of parts on how an answer was computed
_DETAILS = ("Data", "Data and method", "Model", "Prior", "In words")
# anchors that a page has anyway
_TAKEN = ("answer", "limits", "signature", "contents", "decision", "details", "explore", "try")


@dataclass(frozen=True)
class Document:
    """What a report says of one answer, or of several, whatever its format."""

    title: str
    question: str = ""
    parts: Sequence[Part] = ()
    limits: Sequence[str] = ()
    signatures: Sequence[str] = ()
    answer: Sequence[str] = ()  # the sentences that come first
    picture: Sequence[str] = ()  # lines of a picture in text, between the answer and its warnings
    screen: Any = None  # what the first screen of a page shows next to the answer: a FirstScreen
    footer: str = ""  # the rule of a verdict, and where the rest is
    data: Callable[[], Any] | None = None  # JSON that the scripts of a page work with
    chapters: Sequence["Document"] = ()  # of several answers, each told by itself

    @property
    def numbered_chapters(self) -> list[tuple[str, "Document"]]:
        """The chapters, or the page itself, each with what its anchors begin with."""
        chapters = self.chapters or [self]
        return [(f"c{k + 1}-" if k else "", page) for k, page in enumerate(chapters)]

    @property
    def contents(self) -> list[str]:
        """Of several answers each with its first line."""
        return [": ".join([page.title, *page.answer[:1]]) for page in self.chapters]

    @property
    def lede(self) -> Sequence[str]:
        """The answer below the decision: evidence, without warnings."""
        if self.screen is not None:
            return self.screen.lede
        return [line for line in self.answer[1:] if not line.startswith("!")]

    @property
    def warnings(self) -> list[str]:
        """The lines of the answer that warn."""
        return [line[1:].strip() for line in self.answer[1:] if line.startswith("!")]

    @property
    def open_sections(self) -> list[tuple[str, Part]]:
        """Parts that a reader sees at once."""
        return [section for section in self.sections if not self._is_detail(section[1])]

    @property
    def folded_sections(self) -> list[tuple[str, Part]]:
        """Parts that are closed when a page opens: details."""
        return [section for section in self.sections if self._is_detail(section[1])]

    def _is_detail(self, part: Part) -> bool:
        """Whether a reader of the answer may do without a part."""
        return part.folded or (bool(self.answer) and part.heading in _DETAILS)

    @property
    def sections(self) -> list[tuple[str, Part]]:
        """Parts, each with what a link to it says after the #."""
        count, sections = Counter(_TAKEN), []
        for part in self.parts:
            count[part.anchor] += 1
            n = count[part.anchor]
            sections.append((f"{part.anchor}-{n}" if n > 1 else part.anchor, part))
        return sections


def without_figures(page: Document, *, inline: bool = False) -> Document:
    """The page as it is where no figure can be shown; with `inline`, where SVG can."""
    if page.chapters:
        chapters = [without_figures(chapter, inline=inline) for chapter in page.chapters]
        return replace(page, chapters=chapters)
    parts = [
        replace(part, figures=[figure for figure in part.figures if inline and figure.inline])
        for part in page.parts
    ]
    return replace(page, parts=[part for part in parts if part.facts or not part.is_facts])


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
    return list(dict.fromkeys(line for page in lines for line in page))


def _belong(first: Document, second: Document) -> bool:
    """Whether two pages are one chapter."""
    place = {part.heading: part for part in first.parts}
    again = [part for part in second.parts if part.heading in place]
    two_answers = bool(first.answer and second.answer) and first.title != second.title
    facts = all(part.is_facts and place[part.heading].is_facts for part in again)
    return facts and not two_answers and not (first.data and second.data)


def _together(first: Document, second: Document) -> Document:
    """One chapter of two: the title of the one that asks something, tables before facts."""
    parts = {part.heading: part for part in first.parts}
    for part in second.parts:
        same = parts.get(part.heading)
        facts = [] if same is None else list(dict.fromkeys([*same.facts, *part.facts]))
        parts[part.heading] = part if same is None else replace(same, facts=facts)
    return replace(
        first if first.question or not second.question else second,
        parts=sorted(parts.values(), key=lambda part: part.is_facts),
        answer=_once([first.answer, second.answer]),
        limits=_once([first.limits, second.limits]),
        signatures=_once([first.signatures, second.signatures]),
        data=first.data or second.data,
        screen=first.screen or second.screen,
    )
