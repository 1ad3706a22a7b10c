"""What a gate found, in words: the answer first, then what it rests on."""

from collections.abc import Iterator

from betterthan.gating.decision import Decision, Evidence
from betterthan.gating.further import MOST
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, PASS
from betterthan.gating.sequential import Looked
from betterthan.io.problems import counted, printable
from betterthan.results.numbers import probability

SHOWN = 10  # items that are named
NOTES = ("why", "warn", "note")  # facts that are no evidence


def headline(of: Decision) -> str:
    """The answer in one sentence.

    Examples
    --------
    >>> headline(Decision("not comparable", 0.05, 0.95, ("there is no new measurement",)))
    'not comparable: there is no new measurement'
    """
    if of.verdict == NOT_COMPARABLE or of.evidence is None:
        return printable(f"{of.verdict}: {of.why[0]}")
    now, margin = of.evidence.chances.observed, f"{of.margin:g}"
    what = of.evidence.quantity
    if of.verdict == PASS:
        behind = ", yet it is behind" if of.also_behind else ""
        return (
            f"pass: the candidate is not behind by {margin} of {what} or more "
            f"(P {probability(now.passes)}){behind}"
        )
    if of.verdict == INCONCLUSIVE and of.why:
        return f"inconclusive: {of.why[0]}"
    if of.verdict == INCONCLUSIVE:
        return (
            f"inconclusive: not sure enough that it is behind by less than {margin} of {what} "
            f"(P {probability(now.passes)}), nor that it is behind (P {probability(now.behind)})"
        )
    return f"worse: the candidate is behind the baseline in {what} (P {probability(now.behind)})"


def last_line(of: Decision) -> str:
    """What a script reads."""
    return f"gate: {of.verdict}"


def facts(of: Decision) -> Iterator[tuple[str, str]]:
    """What it rests on: a name and a line each."""
    found = of.evidence
    if found is not None:
        yield found.quantity, _means(found)
        yield f"{found.per}s", _outcomes(found)
        yield from _probabilities(of, found)
        if sum(found.missing) or found.cells:
            yield "missing", _missing(found)
        if found.further is not None:
            yield "more", _more(found)
        if found.lost:
            yield "lost", _named(found.lost)
    for why in of.why[1:]:
        yield "why", printable(why)
    if of.looked is not None:
        yield from _looks(of.looked)
    for level, lines in (("warn", of.warned), ("note", of.said)):
        for line in lines:
            yield level, printable(line)


def _means(of: Evidence) -> str:
    before, now = (f"{mean:.3f}" if abs(mean) < 10 else f"{mean:.4g}" for mean in of.means)
    sign = "" if of.higher_is_better else ", less is better"
    size = f"{of.difference:+.3f} (95% {of.lower:+.3f} to {of.upper:+.3f})"
    size = size if of.lower == of.lower else f"{of.difference:+.3f}"
    ahead = "ahead" if of.difference > 0 else "behind" if of.difference < 0 else "level"
    return f"candidate {now}, baseline {before}{sign}: {ahead}, {size}"


def _outcomes(of: Evidence) -> str:
    won, lost = len(of.won), len(of.lost)
    told = f"{won} won, {lost} lost, {of.items - won - lost} tied of {counted(of.items, 'item')}"
    if of.per != "item":
        told += f" in {counted(of.units, of.per)}"
        told += "" if of.effective is None else f", worth {of.effective:.1f} of equal size"
    return told + (f", the mean of up to {of.runs} runs of each" if of.runs > 1 else "")


def _probabilities(of: Decision, found: Evidence) -> Iterator[tuple[str, str]]:
    chances = found.chances
    ends = chances.worst, chances.best
    passes = _probability([chances.observed.passes, *(c.passes for c in ends)])
    behind = _probability([chances.observed.behind, *(c.behind for c in ends)])
    looked = of.looked
    least = "" if looked is not None else f"; pass from {of.threshold:g}"
    worse = "" if looked is not None else f"; worse from {of.threshold:g}"
    yield f"P(d > -{of.margin:g})", passes + least
    yield "P(d < 0)", behind + worse


def _probability(values: list[float]) -> str:
    """As observed, and between which numbers whatever is missing."""
    now, *ends = map(probability, values[:1] + sorted(values[1:]))
    return now if {now} == set(ends) else f"{now} (whatever is missing, {ends[0]} to {ends[1]})"


def _missing(of: Evidence) -> str:
    before, now = of.missing
    told = f"{counted(now, 'item')} of the candidate, {before} of the baseline"
    return told + (f"; {counted(of.cells, 'run')} in all" if of.runs > 1 else "")


def _more(of: Evidence) -> str:
    further = of.further
    if further is None or further.units is None:
        return f"even {MOST:,} more {of.per}s would not give a pass, {_IF_EQUAL}"
    n = counted(further.units, of.per).replace(of.per, f"more {of.per}")
    about = "about " if of.cases is None else ""
    prob = probability(further.prob)
    return f"{about}{n} would give a pass with probability {prob}, {_IF_EQUAL}"


_IF_EQUAL = "if the candidate equals the baseline"


def _named(items: list[str]) -> str:
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(printable(item) for item in items[:SHOWN]) + more


def _looks(of: Looked) -> Iterator[tuple[str, str]]:
    at = ", ".join(map(str, of.plan.at[:SHOWN])) + (", ..." if len(of.plan.at) > SHOWN else "")
    yield (
        "looks",
        f"{of.plan.looks} of {of.plan.most} decisive items (at {at}); now {of.decisive}",
    )
    yield "worse", f"{of.losses} lost of {of.decisive}; needs {_needed(of)}"
    yield (
        "pass",
        f"e-value {of.e_value:.3g} against being behind by the margin; needs {of.e_needed:.3g}",
    )
    for difference, rates in of.rates:
        told = f"pass {rates.passes:.3f}, worse {rates.worse:.3f}"
        yield (
            f"if d = {difference:g}",
            f"{told}, inconclusive {rates.inconclusive:.3f}, by the last look",
        )


def _needed(of: Looked) -> str:
    return str(of.needed) if of.needed <= of.decisive else "more than there are"
