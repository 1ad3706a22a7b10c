"""A page of any report: parts with what each has of facts, tables, notes, sentences, figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_IN_WORDS = ("Verdict", "Groups", "Not told from")  # columns of text, wherever they stand


@dataclass(frozen=True)
class Table:
    """A table: a heading for each column, rows of text, and which columns are numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""
    left: int = 1  # columns aligned left, the rest are numbers
    shades: Sequence[Sequence[float]] = ()  # 0..1 behind a cell, nan for none: a matrix
    marks: bool = False  # columns headed by a number hold check marks
    name: str = ""  # by which the scripts of a page find it

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
    draw: Callable[[], Any]  # returns matplotlib axes


@dataclass(frozen=True)
class Part:
    """One section."""

    heading: str
    name: str = field(default="", kw_only=True)  # its address on a page; by default of the heading
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()  # on the tables
    lines: Sequence[str] = ()  # sentences
    figures: Sequence[Figure] = ()

    @property
    def is_facts(self) -> bool:
        """Whether it has facts alone, so that it can be joined with other facts."""
        return not (self.tables or self.notes or self.lines or self.figures)


@dataclass(frozen=True)
class Page:
    """What a report says of one answer, or of several, whatever its format."""

    title: str
    question: str = ""
    parts: Sequence[Part] = ()
    limits: Sequence[str] = ()
    signatures: Sequence[str] = ()
    data: Callable[[], Any] | None = None  # JSON that the scripts of a page work with


def without_figures(page: Page) -> Page:
    """The page as it is where no figure can be shown."""
    parts = [replace(part, figures=()) for part in page.parts]
    empty = [Part(part.heading) for part in parts]
    return replace(page, parts=[p for p, e in zip(parts, empty, strict=True) if p != e])


def joined(pages: Sequence[Page]) -> Page:
    """One page of several: the title of the first that asks something, all parts in order.

    Facts go under a heading that is there already. Where another part would repeat a heading, its
    page starts with its own title.
    """
    parts: list[Part] = []
    for page in pages:
        parts = _added(parts, page)
    return replace(
        next((page for page in pages if page.question), pages[0]),
        parts=parts,
        limits=list(dict.fromkeys(line for page in pages for line in page.limits)),
        signatures=list(dict.fromkeys(line for page in pages for line in page.signatures)),
        data=_only([page.data for page in pages if page.data]),
    )


def _only(each: list[Any]) -> Any:
    """Of one comparison the scripts can tell more; of several they would not know which."""
    return each[0] if len(each) == 1 else None


def _added(parts: list[Part], page: Page) -> list[Part]:
    place = {part.heading: k for k, part in enumerate(parts)}
    again = [part for part in page.parts if part.heading in place]
    if not all(part.is_facts and parts[place[part.heading]].is_facts for part in again):
        title = Part(page.title, lines=[page.question] if page.question else [])
        return [*parts, title, *page.parts]
    parts = list(parts)
    for part in again:
        here = parts[place[part.heading]]
        facts = dict.fromkeys([*here.facts, *part.facts])
        parts[place[part.heading]] = replace(here, facts=list(facts))
    return [*parts, *(part for part in page.parts if part.heading not in place)]
