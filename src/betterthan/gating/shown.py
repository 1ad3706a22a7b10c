"""The page of a gate, brief for a terminal and a notebook, with every lost item for Markdown."""

from dataclasses import replace

from betterthan.gating.decision import Decision
from betterthan.gating.words import NOTES, facts, headline, last_line
from betterthan.results.document import Document, Part

_LISTED = 200  # items in a summary


def document(of: Decision) -> Document:
    """The answer, what it rests on, and last the verdict alone, which scripts read."""
    known = list(facts(of))
    parts = [
        Part("Evidence", [fact for fact in known if fact[0] not in NOTES]),
        Part("Notes", [fact for fact in known if fact[0] in NOTES]),
    ]
    parts = [part for part in parts if part.facts]
    return Document("", parts=parts, signatures=[last_line(of)], answer=[headline(of)])


def summary(of: Decision) -> Document:
    """The same under the verdict, with the items that were lost folded."""
    page = document(of)
    parts = [
        replace(part, facts=[fact for fact in part.facts if fact[0] != "lost"])
        for part in page.parts
    ]
    return replace(page, title=last_line(of), parts=[*parts, *_lost(of)], signatures=())


def _lost(of: Decision) -> list[Part]:
    lost = of.evidence.lost if of.evidence is not None else []
    if not lost:
        return []
    more = [f"and {len(lost) - _LISTED} more"] if len(lost) > _LISTED else []
    heading = f"Items that the candidate lost: {len(lost)}"
    return [Part(heading, lines=[*lost[:_LISTED], *more], folded=True)]
