"""The result of an audit: its page, its text, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

import betterthan
from betterthan.auditing.finding import LEVELS, MAX_LISTED, NOTE, STOP, WARN
from betterthan.io.problems import counted, printable
from betterthan.results.document import Document, Part, Table, parts_present
from betterthan.results.markup import as_comment
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.result import Result

_ROWS, _FEW = 40, 20  # of the denominators that are seen at once, and where little is printed
_COUNTS = ("items", "epochs", "cells", "ok", "error", "unscored", "missing")
_LIMITS = [
    "An audit detects only problems that are visible in the data. No finding does not mean that "
    "the data are correct."
]
_ONE_SYSTEM = (
    "You cannot compare these data yet: no metric has scores of two systems; add the logs of "
    "another system"
)
LEVEL_NAMES = {STOP: "error", WARN: "warning", NOTE: "info"}
MEANS = {
    STOP: "a comparison would be misleading",
    WARN: "a comparison can be misleading",
    NOTE: "background information",
}


def headline(audit: Any) -> str:
    """Count the findings of each level."""
    numbers = audit.findings["level"].value_counts()
    names = {STOP: "error", WARN: "warning", NOTE: "info message"}
    parts = [counted(int(numbers[k]), name) for k, name in names.items() if numbers.get(k)]
    return ", ".join(parts) or "no errors or warnings"


def lines(audit: Any) -> Iterator[tuple[str, str, str]]:
    """Yield level, code and message of the listed findings, and how many more there are."""
    several = audit.table["metric"].nunique() > 1
    tasks = audit.table["task"].nunique() > 1
    for level in LEVELS:
        findings = audit.findings[audit.findings["level"] == level]
        for code, rows in findings.groupby("code", sort=False):
            for _, row in rows.head(MAX_LISTED).iterrows():
                parts = [row["task"] * tasks, row["metric"] * several]
                about = ", ".join(part for part in parts if part)
                yield level, str(code), printable(row["message"] + f" [{about}]" * bool(about))
            if len(rows) > MAX_LISTED:
                yield level, str(code), f"and {len(rows) - MAX_LISTED} more: .findings has all"


def page(audit: Any) -> Document:
    """Everything a report says of what `audit` returned."""
    rows = list(lines(audit))
    first = rows[0][-1] if rows else ""
    source = on_one_line(audit.source) if audit.source else "data given"
    data = Part("Data", facts=[("Source", source)])
    return Document(
        "Audit",
        "What would make a comparison of these data misleading?",
        parts_present(_findings(rows), _denominators(audit, _ROWS), data),
        _LIMITS,
        [f"betterthan {betterthan.__version__} | audit | {source}"],
        audit_sentences(audit.level, headline(audit), first, one_system=_one_system(audit)),
    )


def _one_system(audit: Any) -> bool:
    """Whether the logs have no metric that two systems share."""
    if "alone" not in set(audit.findings["code"]):
        return False
    return bool(audit.table.groupby("metric")["system"].nunique().max() < 2)


def audit_sentences(
    level: str, headline: str, first: str = "", *, one_system: bool = False
) -> list[str]:
    """Whether the data can be compared, and the first finding.

    Parameters
    ----------
    level : {"stop", "warn", "note", ""}
        The most serious level of the findings; empty if there are none.
    headline : str
        The number of findings by level.
    first : str, optional
        The message of the first finding.
    one_system : bool, default False
        Whether there is no second system to compare with.
    """
    finding = [f"First: {first}."] if first else []
    if level == STOP:
        return [f"A comparison of these data would be misleading: {headline}.", *finding]
    if one_system:
        return [f"{_ONE_SYSTEM} ({headline}).", *finding]
    if level == WARN:
        return [
            f"You can compare these data, but the comparison can be misleading: {headline}.",
            *finding,
        ]
    clear = "You can compare these data: the audit found no error and no warning"
    return [f"{clear} ({headline})." if level else f"{clear}.", *finding]


def _findings(rows: list[tuple[str, str, str]]) -> Part | None:
    if not rows:
        return None
    levels = dict.fromkeys(row[0] for row in rows)
    means = [f"{LEVEL_NAMES[level].capitalize()}: {MEANS[level]}." for level in levels]
    named = [(LEVEL_NAMES[level], *row) for level, *row in rows]
    table = Table(("Level", "Check", "Finding"), named, "Errors and warnings", left=99)
    return Part("Findings", tables=[table], notes=means)


def _denominators(audit: Any, max_rows: int) -> Part | None:
    """Tabulate how many scores each system has, and its mean score."""
    rows: Any = audit.table
    if not len(rows):
        return None
    named = [k for k in ("task", "metric", "system") if k in rows and rows[k].nunique() > 1]
    named = named if "system" in named else [*named, "system"]
    columns = [labels_on_one_line(rows[k]) for k in named]
    counted = [k for k in _COUNTS if k in rows]
    columns += [[f"{int(v):,}" if v == v else "–" for v in rows[k]] for k in counted]
    columns += [[f"{v:.3f}" if v == v else "–" for v in rows["mean"]]]
    table = Table(
        tuple(_HEADS.get(k, k.capitalize()) for k in (*named, *counted, "mean")),
        list(zip(*columns, strict=True)),
        "Scores by system",
        left=len(named),
        visible=max_rows,
        elsewhere=".table of the audit has all" if len(rows) > max_rows else "",
    )
    return Part("Denominators", tables=[table])


_HEADS = {
    "epochs": "Runs per item",
    "cells": "Runs",
    "ok": "Scored",
    "error": "Errors",
    "mean": "Mean score",
}


SCHEMA = "betterthan.audit/1"


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """Findings of an audit: errors in logs or scores that would make a comparison wrong.

    Print it for the findings and the denominators.

    Attributes
    ----------
    findings : pandas.DataFrame
        A row for each finding, the most serious first: ``code, level, systems, task, metric, n, of,
        message, where``.
    table : pandas.DataFrame
        Denominators: for each task, metric, and system the numbers of ``items``, ``epochs``, and
        ``cells``; how many of these are ``ok``, ``error``, ``unscored``, and ``missing``; and the
        ``mean`` of the scores.
    bounds : pandas.DataFrame
        For each metric and pair: the number of missing scores, P(system better) as observed, in the
        worst and in the best case, the verdicts, and whether the observed one ``holds`` for every
        value of the missing scores.
    source : str
        Audited source, in one line.
    """

    findings: pd.DataFrame
    table: pd.DataFrame
    bounds: pd.DataFrame
    source: str = ""

    @property
    def level(self) -> str:
        """Return the most serious level of the findings, or an empty text.

        The levels are stop, warn, and note.
        """
        levels = set(self.findings["level"])
        return next((level for level in LEVELS if level in levels), "")

    def document(self, title: str = "") -> Document:
        """Build the answer, the findings, the denominators, and the source."""
        full_page, rows = page(self), list(lines(self))
        parts = parts_present(_findings(rows), _denominators(self, _FEW))
        return replace(
            full_page,
            title=title,
            question="",
            parts=[replace(part, notes=()) for part in parts],
            limits=(),
            answer=audit_sentences(self.level, headline(self), one_system=_one_system(self)),
        )

    def to_markdown(self) -> str:
        """Return the findings and the table as Markdown."""
        return as_comment(self.document("Audit"))

    def to_json(self) -> str:
        """Return the complete audit as JSON, for other programs.

        The document has ``schema``, whose number grows if a key changes its meaning, ``version``,
        ``source``, ``level``, ``findings``, ``table``, and ``bounds``.
        """
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "version": betterthan.__version__,
            "source": self.source,
            "level": self.level,
        }
        for name in ("findings", "table", "bounds"):
            document[name] = json.loads(getattr(self, name).to_json(orient="records"))
        return json.dumps(document, indent=2) + "\n"
