"""One thing that an audit found, and tables of them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

STOP, WARN, NOTE = LEVELS = ("stop", "warn", "note")
COLUMNS = ("code", "level", "systems", "task", "metric", "n", "of", "message", "where")
SHOWN = 5  # cases of one code that are shown; all are in the table


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


def merged(found: Iterable[Finding], metrics: Sequence[str]) -> list[Finding]:
    """Findings that say the same of several metrics, once; those that stop first."""
    groups: dict[Finding, list[str]] = {}
    for one in found:
        groups.setdefault(replace(one, metric=""), []).append(one.metric)
    whole = [
        one if set(of) >= set(metrics) else replace(one, metric=", ".join(dict.fromkeys(of)))
        for one, of in groups.items()
    ]
    return sorted(whole, key=lambda one: LEVELS.index(one.level))


def table_of(found: Sequence[Finding]) -> pd.DataFrame:
    """A row for each finding."""
    rows = [asdict(one) | {"systems": ", ".join(one.systems)} for one in found]
    table = pd.DataFrame(rows, columns=pd.Index(COLUMNS))
    return table.astype({"n": int, "of": int})
