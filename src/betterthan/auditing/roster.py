"""What is known of each check: one row each, in a written tuple."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from betterthan.auditing import (
    answer_checks,
    item_checks,
    recomputing,
    run_checks,
)
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
    Check("state", WARN, LOGS, run_checks.unfinished, "unfinished or failed runs"),
    Check("no score", STOP, LOGS, run_checks.without_scores, "logs without any score"),
    Check("said", NOTE, LOGS, run_checks.reader_notes, "notes of the log reader"),
    Check(
        "refused", NOTE, LOGS, run_checks.refused_metrics, "metrics that are not scores of items"
    ),
    Check("repeats", NOTE, LOGS, run_checks.generations, "several generations with one score"),
    Check("direction", NOTE, LOGS, run_checks.directions, "metrics for which lower is better"),
    Check("content", STOP, LOGS, item_checks.other_contents, "one id with different contents"),
    Check("renamed", WARN, LOGS, item_checks.renamed, "one content with different ids"),
    Check("double", WARN, LOGS, item_checks.doubled, "one question that occurs twice"),
    Check("ids", NOTE, LOGS, item_checks.places, "ids that are positions in a list"),
    Check("prompt", WARN, LOGS, run_checks.prompts, "different prompts on shared items"),
    Check("config", WARN, LOGS, run_checks.settings, "different settings"),
    Check("config", NOTE, LOGS, run_checks.versions, "different versions of the tool"),
    Check("scorer", WARN, LOGS, run_checks.scorers, "different judges or scorers"),
    Check("reported", WARN, LOGS, recomputing.reported, "means that the items contradict"),
    Check(
        "standard error",
        WARN,
        LOGS,
        run_checks.standard_errors,
        "standard errors that are not of items",
    ),
    Check("errors", WARN, LOGS, run_checks.errors, "runs that ended in an error"),
    Check("unscored", WARN, LOGS, run_checks.unscored, "runs without a score"),
    Check("unchecked", WARN, LOGS, run_checks.unchecked, "tests that assert nothing"),
    Check(
        "number-on-error",
        NOTE,
        LOGS,
        run_checks.numbers_on_errors,
        "numbers written for failed runs",
    ),
    Check("zeros", NOTE, LOGS, run_checks.zeros, "zeros where there was nothing to score"),
    Check("disjoint", STOP, SCORES, item_checks.disjoint, "pairs without a common item"),
    Check("unmatched", WARN, SCORES, item_checks.unmatched, "items that a system lacks"),
    Check("denominators", WARN, SCORES, item_checks.denominators, "means over different items"),
    Check("repeats", NOTE, SCORES, item_checks.repeats, "items with repeated runs"),
    Check("copies", WARN, SCORES, run_checks.copies, "runs that are copies"),
    Check("days", WARN, SCORES, run_checks.good_days, "whole runs that differ"),
    Check("range", WARN, SCORES, item_checks.ranges, "scores on different scales"),
    Check(
        "mnar", WARN, SCORES, answer_checks.missing_with_difficulty, "scores missing on hard items"
    ),
    Check(
        "ceiling", NOTE, SCORES, item_checks.ceiling_and_floor, "items that all or no systems solve"
    ),
    Check("constant", NOTE, SCORES, item_checks.constants, "systems with a single score value"),
    Check("dead", NOTE, SCORES, item_checks.dead, "non-discriminating items"),
    Check("twins", NOTE, SCORES, item_checks.twins, "systems with identical scores"),
    Check("order", NOTE, SCORES, item_checks.drift, "scores that fall or rise along the file"),
)
