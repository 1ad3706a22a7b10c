"""Several answers on one page: each a chapter, but those that belong together are one."""

from collections.abc import Sequence
from dataclasses import replace

from betterthan.results.document import Document, Part


def joined(pages: Sequence[Document]) -> Document:
    """One page of several, a chapter each; limits and signatures are told once, at the end.

    A page without an answer of its own, such as that on the data, goes into the chapter beside it,
    and so does a page with the title of the one before; where a heading is there already, facts go
    under it. What would repeat another heading is a chapter of its own.
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
