"""What programs that run builds read: annotations and summaries of GitHub Actions, JUnit's XML."""

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


def summarise(of: Decision) -> None:
    """Add the answer to the summary of the step, where there is one."""
    if os.environ.get(_SUMMARY):
        machines.step_summary(as_comment(summary(of)))


def annotation(of: Decision, inconclusive: str | None = None) -> str:
    """A line that GitHub Actions shows beside the run; empty for a pass.

    Examples
    --------
    >>> annotation(Decision("not comparable", 0.05, 0.95, ("100% new",)))
    '::error title=betterthan gate::not comparable: 100%25 new'
    """
    if of.verdict == PASS and not of.also_behind:
        return ""
    warns = of.verdict == PASS or (of.verdict == INCONCLUSIVE and inconclusive != "fail")
    said = headline(of).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{'warning' if warns else 'error'} title=betterthan gate::{said}"


def junit(of: Decision, inconclusive: str | None = None) -> str:
    """One case for the pair: inconclusive is skipped, unless it is to fail."""
    fails = of.verdict == INCONCLUSIVE and inconclusive == "fail"
    state = FAILED if fails else _STATES[of.verdict]
    said = "\n".join([headline(of), *(f"{name}: {line}" for name, line in facts(of))])
    return machines.junit("gate", [Case("candidate against baseline", state, said)])
