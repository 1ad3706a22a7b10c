"""What is known of each check: one row each, in a written tuple."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from betterthan.auditing import answer_checks, item_checks, recomputing, run_checks
from betterthan.auditing.finding import NOTE, STOP, WARN, Finding

LOGS, SCORES = "logs", "scores"


@dataclass(frozen=True)
class Check:
    """A check: the code of its findings, their level where it gives none, and what it looks at."""

    code: str
    level: str
    subject: str
    find: Callable[[Any], Iterable[Finding]]
    sentence: str


CHECKS: tuple[Check, ...] = (
    Check("state", WARN, LOGS, run_checks.unfinished, "logs that did not end well"),
    Check("no score", STOP, LOGS, run_checks.without_scores, "logs in which nothing has a score"),
    Check("said", NOTE, LOGS, run_checks.reader_notes, "what the reader of a log saw"),
    Check("refused", NOTE, LOGS, run_checks.refused_metrics, "metrics that are no scores of items"),
    Check("repeats", NOTE, LOGS, run_checks.generations, "generations that are no runs"),
    Check("direction", NOTE, LOGS, run_checks.directions, "metrics of which less is better"),
    Check("content", STOP, LOGS, item_checks.other_contents, "ids of more than one content"),
    Check("renamed", WARN, LOGS, item_checks.renamed, "contents of more than one id"),
    Check("double", WARN, LOGS, item_checks.doubled, "items of a system that are one question"),
    Check("ids", NOTE, LOGS, item_checks.places, "ids that are places in a list"),
    Check("prompt", WARN, LOGS, run_checks.prompts, "shared items asked with other prompts"),
    Check("config", WARN, LOGS, run_checks.settings, "settings that differ"),
    Check("config", NOTE, LOGS, run_checks.versions, "versions of the tool"),
    Check("scorer", WARN, LOGS, run_checks.scorers, "other judges, scorers, or versions of them"),
    Check("reported", WARN, LOGS, recomputing.reported, "reported numbers, computed again"),
    Check("errors", WARN, LOGS, run_checks.errors, "runs that ended in an error"),
    Check("unscored", WARN, LOGS, run_checks.unscored, "runs that got no score"),
    Check("unchecked", WARN, LOGS, run_checks.unchecked, "tests that assert nothing"),
    Check(
        "number-on-error", NOTE, LOGS, run_checks.numbers_on_errors, "numbers written for errors"
    ),
    Check("zeros", NOTE, LOGS, run_checks.zeros, "zeros where there was nothing to score"),
    Check("disjoint", STOP, SCORES, item_checks.disjoint, "pairs without a common item"),
    Check("unmatched", WARN, SCORES, item_checks.unmatched, "items that not every system has"),
    Check("denominators", WARN, SCORES, item_checks.denominators, "means over other items"),
    Check("repeats", NOTE, SCORES, item_checks.repeats, "items that were run several times"),
    Check("range", WARN, SCORES, item_checks.ranges, "scores of other scales"),
    Check("mnar", WARN, SCORES, answer_checks.missing_with_difficulty, "missing where it is hard"),
    Check("ceiling", NOTE, SCORES, item_checks.ceiling_and_floor, "items all solve, or none"),
    Check("constant", NOTE, SCORES, item_checks.constants, "systems with one score alone"),
    Check("dead", NOTE, SCORES, item_checks.dead, "items that separate nobody"),
    Check("twins", NOTE, SCORES, item_checks.twins, "systems with the same scores"),
    Check("order", NOTE, SCORES, item_checks.drift, "scores that fall or rise along the file"),
)
