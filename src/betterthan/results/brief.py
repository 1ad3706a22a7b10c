"""Answers as they show themselves: the sentences, systems and pairs, the signature."""

from dataclasses import replace
from typing import Any

from betterthan.results.document import Document, Part
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_of
from betterthan.results.kinds import page_of, plain
from betterthan.results.markup import as_part
from betterthan.results.of_comparison import brief
from betterthan.results.sentences import sentences_of
from betterthan.results.text import printed

_BRIEF = ("Systems", "Pairs", "Concentration")  # sections of a page that a brief answer shows


def lines(comparison: Any) -> list[str]:
    """The answer in sentences."""
    if comparison.made.answer == "comparison":
        return sentences_of(answer_of(comparison))
    return list(page_of(comparison).answer)


def as_text(comparison: Any) -> str:
    """For `print`, as wide as the terminal, where there is one."""
    return printed(_brief(comparison))


def as_html(comparison: Any) -> str:
    """For a notebook."""
    return as_part(_brief(comparison))


def _brief(comparison: Any) -> Document:
    if comparison.made.answer == "comparison":
        return brief(plain(comparison))
    page, made = page_of(comparison), comparison.made
    parts = [replace(p, notes=(), figures=()) for p in page.parts if p.heading in _BRIEF]
    for heading, texts in (("Audit", made.audit), ("Notes", made.notes)):
        if texts:
            parts.append(Part(heading, lines=[on_one_line(text) for text in texts]))
    return Document("", "", parts, (), page.signatures, page.answer)
