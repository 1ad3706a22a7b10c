"""Describe the result of a gate in words: the answer first, then its evidence."""

from collections.abc import Iterator

from betterthan.gating.decision import Decision, Evidence
from betterthan.gating.further import MOST
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, PASS
from betterthan.gating.sequential import Looked
from betterthan.io.problems import counted, printable
from betterthan.results.numbers import probability

MAX_LISTED = 10  # items that are named
NOTES = ("why", "warn", "note")  # facts that are no evidence


def headline(decision: Decision) -> str:
    """The answer in one sentence.

    Examples
    --------
    >>> headline(Decision("not comparable", 0.05, 0.95, ("there is no new measurement",)))
    'not comparable: there is no new measurement'
    """
    if decision.verdict == NOT_COMPARABLE or decision.evidence is None:
        return printable(f"{decision.verdict}: {decision.why[0]}")
    now, margin = decision.evidence.chances.observed, f"{decision.margin:g}"
    quantity = decision.evidence.quantity
    if decision.verdict == PASS:
        behind = ", yet it is behind" if decision.also_behind else ""
        return (
            f"pass: the candidate is not behind by {margin} of {quantity} or more "
            f"(P {probability(now.passes)}){behind}"
        )
    if decision.verdict == INCONCLUSIVE and decision.why:
        return f"inconclusive: {decision.why[0]}"
    if decision.verdict == INCONCLUSIVE:
        return (
            f"inconclusive: not sure enough that it is behind by less than {margin} of {quantity} "
            f"(P {probability(now.passes)}), nor that it is behind (P {probability(now.behind)})"
        )
    return (
        f"worse: the candidate is behind the baseline in {quantity} (P {probability(now.behind)})"
    )


def last_line(decision: Decision) -> str:
    """Return the line that scripts read."""
    return f"gate: {decision.verdict}"


def facts(decision: Decision) -> Iterator[tuple[str, str]]:
    """Yield the evidence: a name and a line each."""
    evidence = decision.evidence
    if evidence is not None:
        yield evidence.quantity, _means(evidence)
        yield f"{evidence.per}s", _outcomes(evidence)
        yield from _probabilities(decision, evidence)
        if sum(evidence.missing) or evidence.cells:
            yield "missing", _missing(evidence)
        if evidence.further is not None:
            yield "more", _more(evidence)
        if evidence.lost:
            yield "lost", _named(evidence.lost)
    for why in decision.why[1:]:
        yield "why", printable(why)
    if decision.looked is not None:
        yield from _looks(decision.looked)
    for level, lines in (("warn", decision.warned), ("note", decision.said)):
        for line in lines:
            yield level, printable(line)


def _means(evidence: Evidence) -> str:
    before, now = (f"{mean:.3f}" if abs(mean) < 10 else f"{mean:.4g}" for mean in evidence.means)
    sign = "" if evidence.higher_is_better else ", less is better"
    size = f"{evidence.difference:+.3f} (95% {evidence.lower:+.3f} to {evidence.upper:+.3f})"
    size = size if evidence.lower == evidence.lower else f"{evidence.difference:+.3f}"
    ahead = "ahead" if evidence.difference > 0 else "behind" if evidence.difference < 0 else "level"
    return f"candidate {now}, baseline {before}{sign}: {ahead}, {size}"


def _outcomes(evidence: Evidence) -> str:
    won, lost = len(evidence.won), len(evidence.lost)
    text = (
        f"{won} won, {lost} lost, {evidence.items - won - lost} tied of "
        f"{counted(evidence.items, 'item')}"
    )
    if evidence.per != "item":
        text += f" in {counted(evidence.units, evidence.per)}"
        text += (
            "" if evidence.effective is None else f", worth {evidence.effective:.1f} of equal size"
        )
    return text + (f", the mean of up to {evidence.runs} runs of each" if evidence.runs > 1 else "")


def _probabilities(decision: Decision, evidence: Evidence) -> Iterator[tuple[str, str]]:
    chances = evidence.chances
    extremes = chances.worst, chances.best
    passes = _probability([chances.observed.passes, *(c.passes for c in extremes)])
    behind = _probability([chances.observed.behind, *(c.behind for c in extremes)])
    looked = decision.looked
    least = "" if looked is not None else f"; pass from {decision.threshold:g}"
    worse = "" if looked is not None else f"; worse from {decision.threshold:g}"
    yield f"P(d > -{decision.margin:g})", passes + least
    yield "P(d < 0)", behind + worse


def _probability(values: list[float]) -> str:
    """Format the observed value, and its range over all values of the missing scores."""
    now, *limits = map(probability, values[:1] + sorted(values[1:]))
    return (
        now if {now} == set(limits) else f"{now} (whatever is missing, {limits[0]} to {limits[1]})"
    )


def _missing(evidence: Evidence) -> str:
    before, now = evidence.missing
    text = f"{counted(now, 'item')} of the candidate, {before} of the baseline"
    return text + (f"; {counted(evidence.cells, 'run')} in all" if evidence.runs > 1 else "")


def _more(evidence: Evidence) -> str:
    further = evidence.further
    if further is None or further.units is None:
        return f"even {MOST:,} more {evidence.per}s would not give a pass, {_IF_EQUAL}"
    n = counted(further.units, evidence.per).replace(evidence.per, f"more {evidence.per}")
    about = "about " if evidence.cases is None else ""
    prob = probability(further.prob)
    return f"{about}{n} would give a pass with probability {prob}, {_IF_EQUAL}"


_IF_EQUAL = "if the candidate equals the baseline"


def _named(items: list[str]) -> str:
    more = f" and {len(items) - MAX_LISTED} more" if len(items) > MAX_LISTED else ""
    return ", ".join(printable(item) for item in items[:MAX_LISTED]) + more


def _looks(looked: Looked) -> Iterator[tuple[str, str]]:
    schedule = ", ".join(map(str, looked.plan.schedule[:MAX_LISTED])) + (
        ", ..." if len(looked.plan.schedule) > MAX_LISTED else ""
    )
    yield (
        "looks",
        f"{looked.plan.looks} of {looked.plan.most} decisive items (at {schedule}); now "
        f"{looked.decisive}",
    )
    yield "worse", f"{looked.losses} lost of {looked.decisive}; needs {_needed(looked)}"
    yield (
        "pass",
        f"e-value {looked.e_value:.3g} against being behind by the margin; needs "
        f"{looked.e_needed:.3g}",
    )
    for difference, rates in looked.rates:
        text = f"pass {rates.passes:.3f}, worse {rates.worse:.3f}"
        yield (
            f"if d = {difference:g}",
            f"{text}, inconclusive {rates.inconclusive:.3f}, by the last look",
        )


def _needed(looked: Looked) -> str:
    return str(looked.needed) if looked.needed <= looked.decisive else "more than there are"
