"""What is known of each check: one row each, in a written tuple."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from betterthan.auditing import (
    of_answers,
    of_cells,
    of_contents,
    of_items,
    of_runs,
    of_spread,
    recomputing,
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
    Check("state", WARN, LOGS, of_runs.unfinished, "logs that did not end well"),
    Check("no score", STOP, LOGS, of_runs.without_scores, "logs in which nothing has a score"),
    Check("said", NOTE, LOGS, of_runs.reader_notes, "what the reader of a log saw"),
    Check("refused", NOTE, LOGS, of_runs.refused_metrics, "metrics that are no scores of items"),
    Check("repeats", NOTE, LOGS, of_runs.generations, "generations that are no runs"),
    Check("direction", NOTE, LOGS, of_runs.directions, "metrics of which less is better"),
    Check("content", STOP, LOGS, of_contents.other_contents, "ids of more than one content"),
    Check("renamed", WARN, LOGS, of_contents.renamed, "contents of more than one id"),
    Check("double", WARN, LOGS, of_contents.doubled, "items of a system that are one question"),
    Check("ids", NOTE, LOGS, of_contents.places, "ids that are places in a list"),
    Check("prompt", WARN, LOGS, of_runs.prompts, "shared items asked with other prompts"),
    Check("config", WARN, LOGS, of_runs.settings, "settings that differ"),
    Check("config", NOTE, LOGS, of_runs.versions, "versions of the tool"),
    Check("scorer", WARN, LOGS, of_runs.scorers, "other judges, scorers, or versions of them"),
    Check("reported", WARN, LOGS, recomputing.reported, "reported numbers, computed again"),
    Check("errors", WARN, LOGS, of_cells.errors, "runs that ended in an error"),
    Check("unscored", WARN, LOGS, of_cells.unscored, "runs that got no score"),
    Check("unchecked", WARN, LOGS, of_cells.unchecked, "tests that assert nothing"),
    Check("number-on-error", NOTE, LOGS, of_cells.numbers_on_errors, "numbers written for errors"),
    Check("zeros", NOTE, LOGS, of_cells.zeros, "zeros where there was nothing to score"),
    Check("disjoint", STOP, SCORES, of_items.disjoint, "pairs without a common item"),
    Check("unmatched", WARN, SCORES, of_items.unmatched, "items that not every system has"),
    Check("denominators", WARN, SCORES, of_items.denominators, "means over other items"),
    Check("repeats", NOTE, SCORES, of_items.repeats, "items that were run several times"),
    Check("range", WARN, SCORES, of_items.ranges, "scores of other scales"),
    Check("mnar", WARN, SCORES, of_answers.missing_with_difficulty, "missing where it is hard"),
    Check("ceiling", NOTE, SCORES, of_spread.ceiling_and_floor, "items all solve, or none"),
    Check("constant", NOTE, SCORES, of_spread.constants, "systems with one score alone"),
    Check("dead", NOTE, SCORES, of_spread.dead, "items that separate nobody"),
    Check("twins", NOTE, SCORES, of_spread.twins, "systems with the same scores"),
    Check("order", NOTE, SCORES, of_spread.drift, "scores that fall or rise along the file"),
)
