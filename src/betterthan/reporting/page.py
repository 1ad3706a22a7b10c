"""A page of any report: parts of facts, tables, notes and sentences."""

from dataclasses import dataclass, field

from betterthan.reporting.tables import Table


@dataclass(frozen=True)
class Part:
    """One section, with what it has of facts, tables, notes on them, and sentences."""

    heading: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A report whatever its format."""

    title: str
    question: str
    parts: list[Part]
    limits: list[str]
    signature: str
