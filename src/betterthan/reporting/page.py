"""A page of any report: parts with what each has of facts, tables, notes, sentences, figures."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

_IN_WORDS = ("Verdict", "Groups", "Not told from")  # columns of text, wherever they stand
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
    draw: Callable[[], Any]  # returns matplotlib axes


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


@dataclass(frozen=True)
class Page:
    """What a report says of one answer, or of several, whatever its format."""

    title: str
    question: str = ""
    parts: Sequence[Part] = ()
    limits: Sequence[str] = ()
    signatures: Sequence[str] = ()
    answer: Sequence[str] = ()  # what is said first
    data: Callable[[], Any] | None = None  # JSON that the scripts of a page work with

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


def without_figures(page: Page) -> Page:
    """The page as it is where no figure can be shown."""
    parts = [replace(part, figures=()) for part in page.parts]
    empty = [Part(part.heading) for part in parts]
    return replace(page, parts=[p for p, e in zip(parts, empty, strict=True) if p != e])


def joined(pages: Sequence[Page]) -> Page:
    """One page of several: the title of the first that asks something, all parts in order.

    Facts go under a heading that is there already. Where another part would repeat a heading, or
    its page has an answer of its own, it starts with its own title.
    """
    parts: list[Part] = []
    for page in pages:
        parts = _added(parts, page)
    return replace(
        next((page for page in pages if page.question), pages[0]),
        parts=parts,
        answer=pages[0].answer,
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
    own = bool(parts and page.answer)
    if own or not all(part.is_facts and parts[place[part.heading]].is_facts for part in again):
        told = [*([page.question] if page.question else []), *(page.answer if parts else ())]
        return [*parts, Part(page.title, lines=told), *page.parts]
    parts = list(parts)
    for part in again:
        here = parts[place[part.heading]]
        facts = dict.fromkeys([*here.facts, *part.facts])
        parts[place[part.heading]] = replace(here, facts=list(facts))
    return [*parts, *(part for part in page.parts if part.heading not in place)]
