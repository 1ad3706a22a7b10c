"""Write for CI systems: annotations and summaries of GitHub Actions, JUnit XML."""

import os

from betterthan.gating.decision import Decision
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, PASS, WORSE
from betterthan.gating.shown import summary
from betterthan.gating.words import facts, headline
from betterthan.results import machines
from betterthan.results.machines import FAILED, PASSED, SKIPPED, Case
from betterthan.results.markup import as_comment

_ACTIONS, _SUMMARY = "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"
_STATES = {PASS: PASSED, WORSE: FAILED, NOT_COMPARABLE: FAILED, INCONCLUSIVE: SKIPPED}


def in_actions() -> bool:
    """Whether a step of GitHub Actions runs."""
    return os.environ.get(_ACTIONS) == "true"


def summarise(decision: Decision) -> None:
    """Append the answer to the summary of the step, if there is one."""
    if os.environ.get(_SUMMARY):
        machines.step_summary(as_comment(summary(decision)))


def annotation(decision: Decision, inconclusive: str | None = None) -> str:
    """A line that GitHub Actions shows beside the run; empty for a pass.

    Examples
    --------
    >>> annotation(Decision("not comparable", 0.05, 0.95, ("100% new",)))
    '::error title=betterthan gate::not comparable: 100%25 new'
    """
    if decision.verdict == PASS and not decision.also_behind:
        return ""
    warns = decision.verdict == PASS or (
        decision.verdict == INCONCLUSIVE and inconclusive != "fail"
    )
    message = headline(decision).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{'warning' if warns else 'error'} title=betterthan gate::{message}"


def junit(decision: Decision, inconclusive: str | None = None) -> str:
    """One case for the pair: inconclusive is skipped, unless it is to fail."""
    fails = decision.verdict == INCONCLUSIVE and inconclusive == "fail"
    state = FAILED if fails else _STATES[decision.verdict]
    details = "\n".join(
        [headline(decision), *(f"{name}: {line}" for name, line in facts(decision))]
    )
    return machines.junit("gate", [Case("candidate against baseline", state, details)])
