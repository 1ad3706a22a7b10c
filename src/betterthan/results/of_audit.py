"""The page on an audit: what would make a comparison wrong, and the denominators."""

from typing import Any

import betterthan
from betterthan.auditing import shown
from betterthan.auditing.answer import Audit
from betterthan.auditing.finding import STOP, WARN
from betterthan.results.document import Document, Part, Table, parts_told
from betterthan.results.escapes import on_one_line

_ROWS = 40  # of the denominators that are seen at once
_COUNTS = ("items", "epochs", "cells", "ok", "error", "unscored", "missing")
_LIMITS = ["An audit finds what shows in the data; that it finds nothing does not make them right."]


def page(audit: Audit) -> Document:
    """Everything a report says of what `audit` returned."""
    lines = list(shown.lines(audit))
    first = lines[0][-1] if lines else ""
    source = on_one_line(audit.source) if audit.source else "data given"
    return Document(
        "Audit",
        "What would make a comparison of these wrong?",
        parts_told(
            _findings(lines), _denominators(audit), Part("Data", facts=[("Source", source)])
        ),
        _LIMITS,
        [f"betterthan {betterthan.__version__} | audit | {source}"],
        audit_sentences(audit.level, shown.headline(audit), first),
    )


def audit_sentences(level: str, headline: str, first: str = "") -> list[str]:
    """Whether the data can be compared, and the first finding.

    Parameters
    ----------
    level : {"stop", "warn", "note", ""}
        The most serious level of the findings; empty if there are none.
    headline : str
        The number of findings by level.
    first : str, optional
        The message of the first finding.
    """
    finding = [f"First finding: {first}"] if first else []
    if level == STOP:
        return [f"A comparison of these data would be misleading: {headline}.", *finding]
    if level == WARN:
        return [
            f"Nothing prevents a comparison of these data, but it can be misleading: {headline}.",
            *finding,
        ]
    clear = "The audit detected nothing that would make a comparison of these data misleading"
    return [f"{clear}: {headline}." if level else f"{clear}.", *finding]


def _findings(lines: list[tuple[str, str, str]]) -> Part | None:
    if not lines:
        return None
    means = [f"{level}: {shown.MEANS[level]}." for level in dict.fromkeys(one[0] for one in lines)]
    table = Table(("Level", "Check", "Finding"), lines, "What was found", left=99)
    return Part("Findings", tables=[table], notes=means)


def _denominators(audit: Audit) -> Part | None:
    """How many scores each system has, of how many."""
    rows: Any = audit.table
    if not len(rows):
        return None
    named = [k for k in ("task", "metric", "system") if k in rows and rows[k].nunique() > 1]
    named = named if "system" in named else [*named, "system"]
    columns = [[on_one_line(str(v)) for v in rows[k]] for k in named]
    counted = [k for k in _COUNTS if k in rows]
    columns += [[f"{int(v):,}" if v == v else "–" for v in rows[k]] for k in counted]
    columns += [[f"{v:.3f}" if v == v else "–" for v in rows["mean"]]]
    heads = tuple(k.capitalize() for k in (*named, *counted, "mean"))
    table = Table(
        heads,
        list(zip(*columns, strict=True)),
        "How many scores there are",
        left=len(named),
        shown=_ROWS,
        rest=".table of the audit has all" if len(rows) > _ROWS else "",
    )
    return Part("Denominators", tables=[table])
