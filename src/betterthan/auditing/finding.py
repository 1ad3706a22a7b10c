"""Findings of an audit: their tables, and lists of systems and items in messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from betterthan.io.problems import printable
from betterthan.text import named

LogTables = Any  # logs.record.Logs, inside: pandas is typed in part only

STOP, WARN, NOTE = LEVELS = ("stop", "warn", "note")
COLUMNS = ("code", "level", "systems", "task", "metric", "n", "of", "message", "where")
MAX_LISTED = 5  # cases of one code that are shown; all are in the table


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes
    ----------
    code : str
        Which check found it: a row of `audit.CHECKS`.
    message : str
        One sentence, as a person says it.
    level : {"stop", "warn", "note"}
        The numbers of the comparison mean something else; they may; for reading. That of the check
        where it is empty.
    systems : tuple of str
        Whom it is about; empty where it is about all.
    task, metric : str
        Empty where it is about all.
    n, of : int
        How many, of how many: items, cells or settings, as the message says.
    where : str
        Items, or files, that a person should look at.
    """

    code: str
    message: str
    level: str = ""
    systems: tuple[str, ...] = ()
    task: str = ""
    metric: str = ""
    n: int = 0
    of: int = 0
    where: str = ""


def merged(findings: Iterable[Finding], metrics: Sequence[str]) -> list[Finding]:
    """Merge findings that differ only in the metric; errors first."""
    groups: dict[Finding, list[str]] = {}
    for finding in findings:
        groups.setdefault(replace(finding, metric=""), []).append(finding.metric)
    all_metrics = set(metrics)
    merged_findings = [
        replace(finding, metric="" if all_metrics <= {*own} else ", ".join(dict.fromkeys(own)))
        for finding, own in groups.items()
    ]
    return sorted(merged_findings, key=lambda finding: LEVELS.index(finding.level))


def findings_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """A row for each finding."""
    rows = [asdict(finding) | {"systems": ", ".join(finding.systems)} for finding in findings]
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS)).astype({"n": int, "of": int})


_LONGEST = 40


def some(values: Sequence[Any], most: int = MAX_LISTED) -> str:
    """The first few, plainly."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(short(v) for v in values[:most]) + more


def both(values: Sequence[Any]) -> str:
    """Join values, with "and" between the last two."""
    return named([short(v) for v in values], most=MAX_LISTED)


def short(value: Any) -> str:
    """A value on one line, cut."""
    text = printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def shares(counts: Mapping[str, tuple[int, int]]) -> str:
    """``alpha 1 of 18, beta 4 of 18``; of many, those with the most first."""
    if len(counts) > MAX_LISTED:
        counts = dict(sorted(counts.items(), key=lambda pair: -pair[1][0]))
    return some([f"{name} {n} of {total}" for name, (n, total) in counts.items()])


def fraction(n: int, total: int, noun: str) -> str:
    """``1 of 6 items``, ``1 of 1 item``."""
    return f"{n} of {total} {noun}{'' if total == 1 else 's'}"


def are(n: int, singular: str = "is", plural: str = "are") -> str:
    """Choose the verb for a number."""
    return singular if n == 1 else plural
