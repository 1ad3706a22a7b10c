"""Render a gate: brief for a terminal and a notebook, with every lost item for Markdown."""

from dataclasses import replace

from betterthan.gating.decision import Decision
from betterthan.gating.words import NOTES, facts, headline, last_line
from betterthan.results.document import Document, Part

_LISTED = 200  # items in a summary


def document(decision: Decision) -> Document:
    """Show the answer and its evidence, and last the verdict alone, for scripts."""
    all_facts = list(facts(decision))
    parts = [
        Part("Evidence", [fact for fact in all_facts if fact[0] not in NOTES]),
        Part("Notes", [fact for fact in all_facts if fact[0] in NOTES]),
    ]
    parts = [part for part in parts if part.facts]
    return Document("", parts=parts, signatures=[last_line(decision)], answer=[headline(decision)])


def summary(decision: Decision) -> Document:
    """Show the same below the verdict, with the lost items folded."""
    page = document(decision)
    parts = [
        replace(part, facts=[fact for fact in part.facts if fact[0] != "lost"])
        for part in page.parts
    ]
    return replace(page, title=last_line(decision), parts=[*parts, *_lost(decision)], signatures=())


def _lost(decision: Decision) -> list[Part]:
    lost = decision.evidence.lost if decision.evidence is not None else []
    if not lost:
        return []
    more = [f"and {len(lost) - _LISTED} more"] if len(lost) > _LISTED else []
    heading = f"Items that the candidate lost: {len(lost)}"
    return [Part(heading, lines=[*lost[:_LISTED], *more], folded=True)]
