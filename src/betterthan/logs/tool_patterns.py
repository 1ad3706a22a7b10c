"""Which columns the tools write that give a table of rows: one row each, in a written tuple."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """The columns of a tool; each text is a regular expression that fits a whole name.

    None of them holds the system.
    """

    tool: str
    needs: tuple[str, ...]  # each fits a column
    inputs: str  # what the task gives: equal where the item is
    score: str | None = None  # its group is the metric
    scores: str | None = None  # an object of metric to score
    id: str | None = None  # of the item in its data set
    row: str | None = None  # of the row: the same in no two
    error: str = "error"  # not blank where the system failed
    metric_error: str = ""  # of one metric, by its name: not blank where its scorer failed
    never: str = ""  # columns that are no score, though they look like one

    def fits(self, columns: Iterable[str]) -> bool:
        """Whether columns are those of the tool."""
        lines = "\n".join(columns)  # one search a need, however many columns there are
        return all(re.search(f"^(?:{need})$", lines, re.MULTILINE) for need in self.needs)

    def metrics(self, columns: Iterable[str]) -> dict[str, str]:
        """The metric of each column of scores."""
        fits = {name: re.fullmatch(self.score, name) for name in columns} if self.score else {}
        return {
            name: fit.group(1)
            for name, fit in fits.items()
            if fit and not re.fullmatch(self.never, name)
        }


PATTERNS = (
    Pattern(
        "MLflow",
        ("trace_id", ".+/value"),
        inputs="request",
        score="(.+)/value",
        row="trace_id",
        error="state",  # OK, or ERROR
        metric_error="{}/error_message",
    ),
    Pattern(
        "LangSmith",
        (r"inputs\..+", r"feedback\..+"),
        inputs=r"inputs\..+",
        score=r"feedback\.(.+)",
        id="example_id",
        row="id",
    ),
    Pattern(
        "Braintrust",
        ("input", "expected", "scores"),
        inputs="input",
        scores="scores",
        row="id|span_id",
    ),
    Pattern(
        "Langfuse",
        ("input", "expected_?[oO]utput", "scores"),
        inputs="input",
        scores="scores",
        row="id|trace_?[iI]d",
    ),
    Pattern(
        "Braintrust or Langfuse",
        ("input", "output", "expected(_?[oO]utput)?", ".+_score"),
        inputs="input",
        score="(.+)_score",
        row="id|span_id|trace_?[iI]d",
    ),
    Pattern(
        "ragas",
        ("user_input", "response"),
        inputs="user_input|reference",
        score="(.+)",
        never=r"|Unnamed.*|index|id|.*_id|user_input|response|.*reference.*|.*contexts?|rubrics?"
        r"|error|metadata",
    ),
)


def find_pattern(columns: Iterable[str]) -> Pattern | None:
    """The first that fits."""
    columns = list(columns)
    return next((pattern for pattern in PATTERNS if pattern.fits(columns)), None)
