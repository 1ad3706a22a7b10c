"""One thing that an audit found, and tables of them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

STOP, WARN, NOTE = LEVELS = ("stop", "warn", "note")
COLUMNS = ("code", "level", "systems", "task", "metric", "n", "of", "message", "where")
MAX_LISTED = 5  # cases of one code that are shown; all are in the table


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes
    ----------
    code : str
        Which check found it: a row of `roster.CHECKS`.
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
    merged_findings = [
        finding
        if set(finding_metrics) >= set(metrics)
        else replace(finding, metric=", ".join(dict.fromkeys(finding_metrics)))
        for finding, finding_metrics in groups.items()
    ]
    return sorted(merged_findings, key=lambda finding: LEVELS.index(finding.level))


def findings_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """A row for each finding."""
    rows = [asdict(finding) | {"systems": ", ".join(finding.systems)} for finding in findings]
    table = pd.DataFrame(rows, columns=pd.Index(COLUMNS))
    return table.astype({"n": int, "of": int})
