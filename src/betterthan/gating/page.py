"""The page on a gate: the decision, the difference with its margin, the next step, the evidence."""

from collections.abc import Iterator

import numpy as np

import betterthan
from betterthan import names
from betterthan.gating.answer import (
    NOTES,
    POSITIVE,
    Evidence,
    Gate,
    difference_of_sides,
    facts,
    headline,
    interval_of_sides,
    items_parts,
    places_of_sides,
    quantity_of_sides,
    scores_of_sides,
)
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, PASS, Chance
from betterthan.io.problems import counted, printable
from betterthan.results import numbers
from betterthan.results.brief import Difference, Picture
from betterthan.results.document import VERDICT, Document, Part, Table, parts_present
from betterthan.results.first_screen import FirstScreen, Step, counts_density
from betterthan.results.sentences import capital

_FIRST_ITEMS = 3  # lost items that the next step names
_LIMITS = (
    "A pass does not show that the candidate is better: it may be behind by less than the margin.",
    "Inconclusive shows neither that the candidate is as good nor that it is worse.",
    "The verdict is about items like these; another kind of item needs a gate of its own.",
)


def page(decision: Gate) -> Document:
    """Everything a report says of it."""
    evidence, by_name = decision.evidence, list(facts(decision))
    notes = [fact for fact in by_name if fact[0] in NOTES and fact[0] != "warning"]
    warnings = [f"! {line}" for name, line in by_name if name == "warning"]
    lede = []
    parts: list[Part | None] = [Part("Notes", facts=notes) if notes else None]
    if evidence is not None:
        quantity, texts = quantity_of_sides(evidence), dict(by_name)
        lede = [f"{capital(quantity)}: {texts[quantity]}.", f"{texts[f'{evidence.per}s']}."]
        used = [fact for fact in by_name if fact[0] not in (*NOTES, "losses")]
        folded = decision.looked is None
        parts.insert(0, _probabilities(decision, evidence))
        parts.insert(1, Part("Evidence", facts=used, folded=folded))
        parts += [*items_parts("Losses", evidence.lost), *items_parts("Wins", evidence.won)]
    if decision.reading:
        parts.append(Part("Data", facts=[("Source", printable(decision.reading))]))
    return Document(
        "May the candidate replace the baseline?",
        parts=parts_present(*parts),
        limits=_LIMITS,
        signatures=[_signature(decision)],
        answer=[headline(decision), *lede, *warnings],
        screen=_screen(decision, lede),
    )


def _screen(decision: Gate, lede: list[str]) -> FirstScreen:
    evidence = decision.evidence
    if evidence is None or evidence.lower != evidence.lower:
        return FirstScreen(lede, step=_step(decision))
    row = Difference(
        label="candidate",
        place=0,
        verdict=decision.verdict,
        limits=(evidence.lower, evidence.difference, evidence.upper),
        written=difference_of_sides(evidence),
    )
    sign = "" if evidence.higher_is_better else f"; {POSITIVE}"
    picture = Picture(
        quantity=f"Difference in {quantity_of_sides(evidence)}",
        interval=interval_of_sides(evidence),
        systems=["candidate", "baseline"],
        rows=[row, Difference(label="baseline", place=1, verdict="baseline")],
        role=f"non-inferiority margin {decision.margin:g}{sign}",
        reference="the baseline",
        margin=decision.margin,
    )
    curve = None
    if evidence.cases is not None:
        shape = tuple(np.add(evidence.cases.observed, names.PRIOR).tolist())
        curve = counts_density(shape, evidence.lower, evidence.upper)
    before, now = scores_of_sides(evidence)
    return FirstScreen(
        lede,
        picture,
        curve,
        meta=list(_meta(decision, evidence)),
        step=_step(decision),
        scores=[now, before],
        score_is=quantity_of_sides(evidence),
        rule=_rule(decision, evidence),
    )


def _meta(decision: Gate, evidence: Evidence) -> Iterator[str]:
    units = f" in {counted(evidence.units, evidence.per)}" if evidence.per != names.ITEM else ""
    yield counted(evidence.items, "item") + units
    yield quantity_of_sides(evidence) + ("" if evidence.higher_is_better else " (lower is better)")
    yield f"non-inferiority margin {decision.margin:g}"
    if evidence.cells:
        yield f"{counted(evidence.cells, 'score')} missing"


def _step(decision: Gate) -> Step | None:
    """The next step; "may replace" only ever by the score, because the gate knows no price."""
    evidence = decision.evidence
    if decision.verdict == NOT_COMPARABLE or evidence is None:
        return Step("Remove what stops the comparison, then run the gate again.")
    if decision.verdict == PASS:
        by = f"By {quantity_of_sides(evidence)} alone, the candidate may replace the baseline."
        return Step(by, "betterthan gate BASELINE CANDIDATE --accept makes it the new baseline.")
    if decision.verdict == INCONCLUSIVE:
        return _step_of_inconclusive(decision, evidence)
    places = places_of_sides(evidence)
    size = f"{-evidence.difference:.{places}f}"
    if evidence.lower == evidence.lower:
        size += f" [{-evidence.upper:.{places}f}, {-evidence.lower:.{places}f}]"
    size = size.replace("-", "−")
    first = ", ".join(printable(item) for item in evidence.lost[:_FIRST_ITEMS])
    look = f"Look at the items that it lost, such as {first}." if first else ""
    return Step(f"Do not replace the baseline: the candidate is worse by {size}.", look)


def _step_of_inconclusive(decision: Gate, evidence: Evidence) -> Step | None:
    if evidence.chances.could_change:
        n = counted(evidence.cells, "missing score")
        return Step(f"Obtain the {n}.", "Until then the answer may depend on their values.")
    if decision.looked is not None:
        looked = decision.looked
        if looked.decisive < looked.plan.most:
            so_far = f"{looked.decisive} of {looked.plan.most} non-tied items so far."
            return Step("Continue to the next look.", so_far)
        return Step("Choose by cost, speed or risk.", "All planned looks are over.")
    if evidence.units < 2 and evidence.cases is None:
        return Step(f"Add items from at least one more {evidence.per}.")
    more = dict(facts(decision)).get("more", "")
    if evidence.further is None or not more:
        return None
    condition = f"{more[:1].upper()}{more[1:]}."
    if evidence.further.units is None:
        return Step("Choose by cost, speed or risk, or accept a larger margin.", condition)
    n = counted(evidence.further.units, evidence.per)
    return Step(f"Add {n.replace(evidence.per, f'more {evidence.per}')}.", condition)


def _rule(decision: Gate, evidence: Evidence) -> str:
    if decision.looked is not None:
        error = f"{1 - decision.threshold:g}"
        return (
            f"Over all planned looks together, a wrong pass and a wrong worse each have at most "
            f"probability {error}. Inconclusive shows neither."
        )
    drop = "drop" if evidence.higher_is_better else "increase"
    return (
        f"Pass needs P({quantity_of_sides(evidence)} {drop} < {decision.margin:g}) of at least "
        f"{decision.threshold:g}, worse needs P(candidate worse) of at least "
        f"{decision.threshold:g}. Inconclusive shows neither."
    )


def _probabilities(decision: Gate, evidence: Evidence) -> Part:
    """Counts and probabilities, as observed and in both extremes of the missing scores."""
    cases = {"observed": "as observed"}
    if sum(evidence.missing) or evidence.cells:
        cases |= {
            "worst": "missing scores all against the candidate",
            "best": "missing scores all for the candidate",
        }
    drop = "drop" if evidence.higher_is_better else "increase"
    counts = ("Wins", "Losses", "Ties") if evidence.cases is not None else ()
    heads = ("Scores", *counts, f"P({drop} < {decision.margin:g})", "P(candidate worse)", VERDICT)
    rows, verdicts = [], []
    for case, label in cases.items():
        chance: Chance = getattr(evidence.chances, case)
        outcomes = getattr(evidence.cases, case) if evidence.cases is not None else ()
        both = (chance.passes, chance.behind)
        needed = decision.threshold
        probabilities = [numbers.probability(p, threshold=needed) for p in both]
        cells = [label, *(f"{n:,}" for n in outcomes), *probabilities, chance.verdict]
        rows.append(tuple(cells))
        verdicts.append(chance.verdict)
    caption = "Candidate against baseline"
    return Part("Probabilities", tables=[Table(heads, rows, caption, verdicts=verdicts)])


def _signature(decision: Gate) -> str:
    evidence = decision.evidence
    parts = [f"betterthan {betterthan.__version__}", "gate", f"margin={decision.margin:g}"]
    parts.append(f"verdict at {decision.threshold:g}")
    if decision.looked is not None:
        plan = decision.looked.plan
        parts.append(f"looks={plan.looks} up to {plan.most} non-tied items")
    if evidence is not None:
        method = "exact" if evidence.cases is not None else "Student's t"
        parts += [f"method={method}", f"quantity={evidence.quantity}"]
        parts += [f"interval={interval_of_sides(evidence)}", f"n={evidence.items}"]
        parts += [f"units={evidence.units} {evidence.per}s"] if evidence.per != names.ITEM else []
    return " | ".join(parts)
