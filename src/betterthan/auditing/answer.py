"""What an audit found: it shows itself, and goes to other programs as JSON."""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

import betterthan
from betterthan.auditing import shown
from betterthan.auditing.finding import LEVELS
from betterthan.results.markup import as_comment, as_part
from betterthan.results.text import printed

SCHEMA = "betterthan.audit/1"


@dataclass(frozen=True, repr=False)
class Audit:
    """What would make a comparison of some logs or scores wrong.

    Attributes
    ----------
    findings : pandas.DataFrame
        A row for each thing that was found: ``code, level, systems, task, metric, n, of, message,
        where``; what stops first.
    table : pandas.DataFrame
        The denominators: for each task, metric and system how many ``items``, ``epochs`` and
        ``cells`` there are, how many of these are ``ok``, ``error``, ``unscored`` and ``missing``,
        and the ``mean`` of the scores.
    bounds : pandas.DataFrame
        For each metric and pair: how many scores are missing, P(system better) as observed, in the
        worst and in the best case, the verdicts, and whether the observed one ``holds`` for every
        value of the missing scores.
    source : str
        What was audited, in one line.
    """

    findings: pd.DataFrame
    table: pd.DataFrame
    bounds: pd.DataFrame
    source: str = ""

    @property
    def level(self) -> str:
        """The most serious level of the findings: stop, warn or note; empty if there are none."""
        levels = set(self.findings["level"])
        return next((level for level in LEVELS if level in levels), "")

    def __repr__(self) -> str:
        return printed(shown.document(self))

    def _repr_html_(self) -> str:
        return as_part(shown.document(self))

    def to_markdown(self) -> str:
        """The findings and the table as Markdown."""
        return as_comment(shown.document(self, "Audit"))

    def to_json(self) -> str:
        """All that was found, for other programs.

        The document has ``schema``, whose number grows if a key changes its meaning, ``version``,
        ``source``, ``level``, ``findings``, ``table`` and ``bounds``.
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
