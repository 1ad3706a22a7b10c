"""The result of a gate: records, words, JSON, a page, and annotations for CI."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import betterthan
from betterthan.gating.boundaries import MOST, Further
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, PASS, Cases, Chances, exit_code
from betterthan.io.problems import counted, printable
from betterthan.results.document import Document, Part
from betterthan.results.numbers import decimals, equal_to, json_value, probability
from betterthan.results.result import Result

if TYPE_CHECKING:
    from betterthan.gating.sequential import Looked


@dataclass(frozen=True)
class Evidence:
    """What the items that both sides have say of d = candidate - baseline.

    Attributes
    ----------
    quantity : {"accuracy", "mean", "pass^k", "pass@k"}
        Of which d is the difference.
    per : {"item", "cluster"}
        What a unit of evidence is.
    items, units : int
        That both sides have a score on.
    runs : int
        The most runs of an item, of which the mean counts.
    missing : tuple of two int
        Items that the baseline, and the candidate, has no score on.
    cells : int
        Runs of items that are missing, of both.
    won, lost : list of str
        Items on which the candidate is better, and worse, the largest difference first.
    means : tuple of two float
        Of baseline and candidate, as the scores stand.
    difference, lower, upper : float
        Of d, more being better, and the ends of its 95 % interval.
    higher_is_better : bool
    chances : Chances
    cases : Cases or None
        Wins, losses and ties, where the closed form answers; None where Student's t does.
    effective : float or None
        How many units of equal size they are worth; None where that is their number.
    further : Further or None
        How many units more would help; None where that is not asked, or cannot be told.
    """

    quantity: str
    per: str
    items: int
    units: int
    runs: int
    missing: tuple[int, int]
    cells: int
    won: list[str]
    lost: list[str]
    means: tuple[float, float]
    difference: float
    lower: float
    upper: float
    higher_is_better: bool
    chances: Chances
    cases: Cases | None = None
    effective: float | None = None
    further: Further | None = None


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """Decision on whether a candidate may replace a baseline; the result of `gate`.

    Print it for the verdict and the evidence.

    Attributes
    ----------
    verdict : {"pass", "worse", "inconclusive", "not comparable"}
        Decision of the gate.
    margin, threshold : float
        Non-inferiority margin, and probability needed for a verdict.
    why : tuple of str
        Reasons for an inconclusive or not comparable verdict.
    evidence : Evidence or None
        Numbers behind the verdict; None if the two are not comparable.
    looked : Looked or None
        Interim look, if this is one of several.
    reading : str
        Import summary, one line.
    warned, notes : tuple of str
        Warnings and notes that qualify the verdict.
    """

    verdict: str
    margin: float
    threshold: float
    why: tuple[str, ...] = ()
    evidence: Evidence | None = None
    looked: "Looked | None" = None
    reading: str = ""
    warned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """Return the exit code: 0 pass, 1 worse, 3 inconclusive, 4 not comparable."""
        return exit_code(self.verdict)

    @property
    def also_behind(self) -> bool:
        """Return whether the gate passes a candidate that is worse, by less than the margin."""
        evidence = self.evidence
        return bool(self.verdict == "pass" and evidence and evidence.chances.observed.behind_holds)

    def document(self) -> Document:
        """Build the answer and its evidence, and last the verdict alone, for scripts."""
        all_facts = list(facts(self))
        parts = [
            Part("Evidence", [fact for fact in all_facts if fact[0] not in NOTES]),
            Part("Notes", [fact for fact in all_facts if fact[0] in NOTES]),
        ]
        parts = [part for part in parts if part.facts]
        return Document("", parts=parts, signatures=[last_line(self)], answer=[headline(self)])

    def to_markdown(self) -> str:
        """Return the answer as Markdown, for a step summary or a comment."""
        from betterthan.results.markup import as_comment

        return as_comment(summary(self))

    def to_json(self, inconclusive: str | None = None) -> str:
        """Return the complete decision as JSON, for other programs.

        Parameters
        ----------
        inconclusive : {"pass", "fail"}, optional
            How an inconclusive gate is to end, for ``exit_code``; by default with a code of its
            own.

        Returns
        -------
        str
            The document has ``schema``, whose number grows if a key changes its meaning,
            ``version``, ``verdict``, ``exit_code``, ``margin``, ``threshold``, ``why``,
            ``evidence``, ``looks``, and ``notes``. Unknown values are null.
        """
        code = exit_code(self.verdict, inconclusive)
        document = {"schema": SCHEMA, "version": betterthan.__version__, "verdict": self.verdict}
        document |= {"exit_code": code, "also_behind": self.also_behind} | {
            "margin": self.margin,
            "threshold": self.threshold,
            "why": list(self.why),
            "evidence": None if self.evidence is None else _evidence(self.evidence),
            "looks": None if self.looked is None else _looks_as_json(self.looked),
            "reading": self.reading,
            "warnings": list(self.warned),
            "notes": list(self.notes),
        }
        return json.dumps(json_value(document), indent=2, allow_nan=False) + "\n"


MAX_LISTED = 10  # items that are named
NOTES = ("why", "warning", "note")  # facts that are no evidence


def headline(decision: Gate) -> str:
    """The answer in one sentence.

    Examples
    --------
    >>> headline(Gate("not comparable", 0.05, 0.95, ("there is no new measurement",)))
    'not comparable: there is no new measurement'
    """
    if decision.verdict == NOT_COMPARABLE or decision.evidence is None:
        return printable(f"{decision.verdict}: {decision.why[0]}")
    now, margin = decision.evidence.chances.observed, f"{decision.margin:g}"
    quantity = quantity_of_sides(decision.evidence)
    lower = not decision.evidence.higher_is_better
    drop, worse = f"{quantity} {'increase' if lower else 'drop'}", "candidate worse"
    if decision.verdict == PASS:
        within = f"P({drop} < {margin}) {equal_to(now.passes)}"
        behind = f" It is worse than the baseline by less than the margin: P({worse}) "
        behind = f"{behind}{equal_to(now.behind)}." if decision.also_behind else ""
        return f"pass: the candidate is non-inferior to the baseline. {within}.{behind}"
    if decision.verdict == INCONCLUSIVE and decision.why:
        return f"inconclusive: {decision.why[0]}"
    if decision.verdict == INCONCLUSIVE:
        needed = decision.threshold
        needs = f"A verdict needs {needed:g}." if decision.looked is None else ""
        return (
            "inconclusive: the data do not show whether the candidate is non-inferior to the "
            f"baseline. P({drop} < {margin}) {equal_to(now.passes, threshold=needed)}, P({worse}) "
            f"{equal_to(now.behind, threshold=needed)}. {needs}"
        ).rstrip()
    return f"worse: the candidate is worse than the baseline. P({worse}) {equal_to(now.behind)}."


def last_line(decision: Gate) -> str:
    """Return the line that scripts read."""
    return f"gate: {decision.verdict}"


def facts(decision: Gate) -> Iterator[tuple[str, str]]:
    """Yield the evidence: a name and a line each."""
    evidence = decision.evidence
    if evidence is not None:
        yield quantity_of_sides(evidence), _means(evidence)
        yield f"{evidence.per}s", _outcomes(evidence)
        yield from _probabilities(decision, evidence)
        if sum(evidence.missing) or evidence.cells:
            yield "missing", _missing(evidence)
        if evidence.further is not None:
            yield "more", _more(evidence)
        if evidence.lost:
            yield "losses", _named(evidence.lost)
    for why in decision.why[1:]:
        yield "why", printable(why)
    if decision.looked is not None:
        yield from _looks(decision.looked)
    for level, lines in (("warning", decision.warned), ("note", decision.notes)):
        for line in lines:
            yield level, printable(line)


def _means(evidence: Evidence) -> str:
    before, now = scores_of_sides(evidence)
    sign = "" if evidence.higher_is_better else " (lower is better)"
    size = difference_of_sides(evidence)
    notes = [interval_of_sides(evidence)] if evidence.lower == evidence.lower else []
    notes += [] if evidence.higher_is_better else [POSITIVE]
    size += f" ({'; '.join(notes)})" if notes else ""
    return f"candidate {now}, baseline {before}{sign}; difference {size}"


POSITIVE = "positive where the candidate is better"  # a difference where lower is better


def quantity_of_sides(evidence: Evidence) -> str:
    """What the means are of, in words: errors of 0 and 1 have no accuracy."""
    errors = evidence.quantity == "accuracy" and not evidence.higher_is_better
    return "error rate" if errors else evidence.quantity


def scores_of_sides(evidence: Evidence) -> list[str]:
    """The means of baseline and candidate."""
    return [
        (f"{mean:.{decimals(mean, 3)}f}" if abs(mean) < 10 else f"{mean:.4g}").replace("-", "−")
        for mean in evidence.means
    ]


def difference_of_sides(evidence: Evidence) -> str:
    """The difference, with its interval where there is one."""
    width, places = evidence.upper - evidence.lower, places_of_sides(evidence)
    size = f"{evidence.difference:+.{places}f}"
    if width == width:
        size += f" [{evidence.lower:+.{places}f}, {evidence.upper:+.{places}f}]"
    return size.replace("-", "−")


def places_of_sides(evidence: Evidence) -> int:
    """The decimals of the difference and its interval."""
    width = evidence.upper - evidence.lower
    return decimals(width if width == width else evidence.difference, 3)


def interval_of_sides(evidence: Evidence) -> str:
    """Mass and kind of the interval."""
    return f"95% {'HDI' if evidence.cases is not None else 'CrI'}"


def _outcomes(evidence: Evidence) -> str:
    won, lost = len(evidence.won), len(evidence.lost)
    text = (
        f"{_number(won, 'win', 'wins')}, {_number(lost, 'loss', 'losses')}, "
        f"{_number(evidence.items - won - lost, 'tie', 'ties')} for the candidate on "
        f"{counted(evidence.items, 'item')}"
    )
    if evidence.per != "item":
        text += f" in {counted(evidence.units, evidence.per)}"
        if evidence.effective is not None:
            text += f" (effective number of clusters {evidence.effective:.1f})"
    runs = f"; scores are means of up to {evidence.runs} runs per item"
    return text + (runs if evidence.runs > 1 else "")


def _number(n: int, singular: str, plural: str) -> str:
    return f"{n:,} {singular if n == 1 else plural}"


def _probabilities(decision: Gate, evidence: Evidence) -> Iterator[tuple[str, str]]:
    chances = evidence.chances
    extremes = chances.worst, chances.best
    looked, needed = decision.looked, decision.threshold
    passes = _probability([chances.observed.passes, *(c.passes for c in extremes)], needed)
    behind = _probability([chances.observed.behind, *(c.behind for c in extremes)], needed)
    least = "" if looked is not None else f"; pass needs {decision.threshold:g}"
    worse = "" if looked is not None else f"; worse needs {decision.threshold:g}"
    yield "non-inferiority margin", f"{decision.margin:g}"
    drop = "drop" if evidence.higher_is_better else "increase"
    yield f"P({drop} < {decision.margin:g})", passes + least
    yield "P(candidate worse)", behind + worse


def _probability(values: list[float], needed: float) -> str:
    """Format the observed value, and its range over all values of the missing scores."""
    now, *limits = (probability(p, threshold=needed) for p in values[:1] + sorted(values[1:]))
    if {now} == set(limits):
        return now
    if limits[0] == limits[1]:
        return f"{now} ({limits[0]} for every value of the missing scores)"
    return f"{now} ({limits[0]} to {limits[1]}, depending on missing scores)"


def _missing(evidence: Evidence) -> str:
    before, now = evidence.missing
    text = f"candidate without a score on {counted(now, 'item')}, baseline on {before}"
    text += f"; {counted(evidence.cells, 'run')} in total" if evidence.runs > 1 else ""
    return text + ("; only the range counts these items" if evidence.chances.outside else "")


def _more(evidence: Evidence) -> str:
    further, condition = evidence.further, "if the two systems are in fact equal"
    if evidence.cells:  # the worst values of what is missing would have to pass, too
        single = evidence.cells == 1
        scores = "missing score is" if single else f"{evidence.cells:,} missing scores are"
        condition += f" and the {scores} obtained"
    if further is None or further.units is None:
        return f"even {MOST:,} more {evidence.per}s would not be enough for a pass, {condition}"
    n = counted(further.units, evidence.per).replace(evidence.per, f"more {evidence.per}")
    about = "about " if evidence.cases is None else ""
    prob = probability(further.prob)
    return f"{about}{n} would lead to a pass with probability {prob}, {condition}"


def _named(items: list[str]) -> str:
    more = f" and {len(items) - MAX_LISTED} more" if len(items) > MAX_LISTED else ""
    return ", ".join(printable(item) for item in items[:MAX_LISTED]) + more


def _looks(looked: "Looked") -> Iterator[tuple[str, str]]:
    schedule = ", ".join(map(str, looked.plan.schedule[:MAX_LISTED]))
    schedule += ", ..." if len(looked.plan.schedule) > MAX_LISTED else ""
    needed = str(looked.needed) if looked.needed <= looked.decisive else "more than there are"
    yield (
        "interim looks",
        f"{looked.plan.looks} planned, at {schedule} non-tied items; now {looked.decisive} of "
        f"{looked.plan.most}",
    )
    yield (
        "for worse",
        f"{_number(looked.losses, 'loss', 'losses')} on {looked.decisive} non-tied items; needs "
        f"{needed}",
    )
    yield (
        "for pass",
        f"e-value {looked.e_value:.3g} against a drop of at least the margin; needs "
        f"{looked.e_needed:.3g}",
    )
    for difference, rates in looked.rates:
        yield (
            f"if the difference is {difference:g}".replace("-", "−"),
            f"P at the last look: pass {probability(rates.passes)}, worse "
            f"{probability(rates.worse)}, inconclusive {probability(rates.inconclusive)}",
        )


SCHEMA = "betterthan.gate/1"  # the number grows if a key changes its meaning


def _evidence(evidence: Evidence) -> dict[str, Any]:
    chances = {k: getattr(evidence.chances, k) for k in _CASES}
    further = None
    if evidence.further is not None:
        further = {"units": evidence.further.units, "probability": evidence.further.prob}
    counts = None
    if evidence.cases is not None:
        cases = {k: getattr(evidence.cases, k) for k in _CASES}
        counts = {k: dict(zip(("win", "loss", "tie"), c, strict=True)) for k, c in cases.items()}
    lower, upper = evidence.lower, evidence.upper
    return {
        "quantity": evidence.quantity,
        "unit": evidence.per,
        "n_items": evidence.items,
        "n_units": evidence.units,
        "effective_units": evidence.effective,
        "n_runs": evidence.runs,
        "missing": dict(zip(_SIDES, evidence.missing, strict=True)) | {"cells": evidence.cells},
        "means": dict(zip(_SIDES, evidence.means, strict=True)),
        "higher_is_better": evidence.higher_is_better,
        "difference": {"mean": evidence.difference, "lower": lower, "upper": upper},
        "counts": counts,
        "prob_within_margin": {k: chance.passes for k, chance in chances.items()},
        "prob_behind": {k: chance.behind for k, chance in chances.items()},
        "more": further,
        "won": evidence.won,
        "lost": evidence.lost,
    }


_SIDES = ("baseline", "candidate")
_CASES = ("observed", "worst", "best")


def _looks_as_json(looked: "Looked") -> dict[str, Any]:
    return {
        "at": looked.plan.schedule.tolist(),
        "decisive": looked.decisive,
        "losses": looked.losses,
        "losses_needed": looked.needed,
        "e_value": looked.e_value,
        "e_value_needed": looked.e_needed,
        "rates": [{"difference": d} | asdict(rates) for d, rates in looked.rates],
    }


_LISTED = 200  # items in a summary


def summary(decision: Gate) -> Document:
    """Show the same below the verdict, with the lost items folded."""
    page = decision.document()
    parts = [
        replace(part, facts=[fact for fact in part.facts if fact[0] != "losses"])
        for part in page.parts
    ]
    lost = decision.evidence.lost if decision.evidence is not None else []
    parts += items_parts("Losses", lost)
    return replace(page, title=last_line(decision), parts=parts, signatures=())


def items_parts(outcome: str, items: list[str]) -> list[Part]:
    """The items of an outcome, folded; none where there is no item."""
    if not items:
        return []
    more = [f"and {len(items) - _LISTED} more"] if len(items) > _LISTED else []
    heading = f"{outcome} of the candidate: {counted(len(items), 'item')}"
    return [Part(heading, lines=[*items[:_LISTED], *more], folded=True)]


def annotation(decision: Gate, inconclusive: str | None = None) -> str:
    """A line that GitHub Actions shows next to the run; empty for a pass.

    Examples
    --------
    >>> annotation(Gate("not comparable", 0.05, 0.95, ("100% new",)))
    '::error title=betterthan gate::not comparable: 100%25 new'
    """
    if decision.verdict == PASS and not decision.also_behind:
        return ""
    open_ = decision.verdict == INCONCLUSIVE and inconclusive != "fail"
    level = "warning" if open_ or decision.verdict == PASS else "error"
    message = headline(decision).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title=betterthan gate::{message}"


def junit(decision: Gate, inconclusive: str | None = None) -> str:
    """One case for the pair: inconclusive is skipped, unless it is to fail."""
    from betterthan.results import machines

    state = machines.PASSED if decision.verdict == PASS else machines.FAILED
    if decision.verdict == INCONCLUSIVE and inconclusive != "fail":
        state = machines.SKIPPED
    lines = (f"{name}: {line}" for name, line in facts(decision))
    details = "\n".join([headline(decision), *lines])
    return machines.junit("gate", [machines.Case("candidate against baseline", state, details)])
