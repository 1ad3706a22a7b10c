"""The first screen of a page: what was compared, the picture, what is undecided, the next step."""

from dataclasses import dataclass

import numpy as np

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import ReportContext
from betterthan.results.facts import Answer, Pair
from betterthan.results.picture import Picture, picture_of
from betterthan.results.robustness import TARGET

_PAIRS = 2  # undecided pairs that are named
_CHANCE = f"({100 * TARGET:g}% chance of a verdict)"


@dataclass(frozen=True, kw_only=True)
class Undecided:
    """How many pairs have which verdict."""

    n_pairs: int
    n_undecided: int
    n_better: int
    n_equivalent: int
    pairs: tuple[tuple[str, str, str], ...] = ()  # the first ones: names, and P(first better)

    @property
    def shares(self) -> list[tuple[str, float]]:
        """Of a bar: verdicts, then equivalent pairs; the rest is empty."""
        counts = (("better", self.n_better), ("equivalent", self.n_equivalent))
        return [(kind, n / self.n_pairs) for kind, n in counts]


@dataclass(frozen=True, kw_only=True)
class Screen:
    """What stands around the sentences of an answer."""

    meta: str
    picture: Picture | None = None
    scores: tuple[str, ...] = ()  # of the systems, best first, as written
    step: str = ""  # an imperative
    step_detail: str = ""
    undecided: Undecided | None = None


def first_screen(context: ReportContext) -> Screen:
    """The first screen of a comparison."""
    answer = context.answer
    criterion = _criterion(answer, context.provenance.quantity)
    step, detail = next_step(answer, criterion)
    scores = context.data["score"].values.tolist() if "score" in context.data else []
    return Screen(
        meta=_meta(context),
        picture=picture_of(context),
        scores=tuple(numbers.score(score) for score in scores),
        step=step,
        step_detail=detail,
        undecided=_undecided(context) if context.many else None,
    )


def _meta(context: ReportContext) -> str:
    """Systems, items, what is compared, the baseline, missing scores."""
    answer, provenance = context.answer, context.provenance
    n = answer.pair.n if answer.pair else answer.n
    units = "judgments" if provenance.unit == "judgment" else "items"
    parts = [f"{answer.n_systems:,} systems"]
    if n:
        parts.append(f"{n:,} {units}" + (f" in {answer.clusters}" if answer.clusters else ""))
    elif not n:
        parts.append("items differ by pair")
    parts.append(_criterion(answer, provenance.quantity))
    if provenance.baseline is not None and answer.baseline is not None:
        parts.append(f"baseline: {answer.baseline.system}")
    if provenance.n_blank:
        parts.append(f"{provenance.n_blank:,} missing scores")
    return " · ".join(parts)


def _criterion(answer: Answer, quantity: str | None) -> str:
    """What systems are compared by, in a word or two."""
    return "wins" if quantity == "wins" else answer.score_is.lower()


def next_step(answer: Answer, criterion: str) -> tuple[str, str]:
    """What a reader should do, and on what condition.

    Parameters
    ----------
    answer : Answer
    criterion : str
        What systems are compared by, such as accuracy.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.results.facts import answer_facts
    >>> next_step(answer_facts(bt.compare(bt.datasets.contingency_case("a"))), "wins")
    ('By wins alone, choose A.', '')
    """
    if answer.failures:
        return "Increase the number of draws or tune longer.", "There is no verdict before."
    if answer.missing and answer.missing.n_hold < answer.missing.n_pairs and answer.pair:
        scores = "score" if answer.missing.n == 1 else f"{answer.missing.n:,} scores"
        lacking = "Obtain the missing " + scores + "."
        return lacking, "Until then the answer depends on what these scores would be."
    if answer.pair:
        return _step_of_pair(answer, answer.pair, criterion)
    if answer.n_best_set == 1 or (not answer.best and len(answer.unbeaten) == 1):
        first = answer.best[0].system if answer.best else answer.unbeaten[0]
        detail = ""
        if answer.more and answer.more.items:
            pair = f"{answer.more.first} vs. {answer.more.second}"
            plan = f"plan for about {answer.more.items:,} more {answer.units}"
            detail = f"If {pair} matters: {plan} {_CHANCE}."
        return f"By {criterion} alone, choose {first}.", detail
    return _step_of_undecided(answer)


def _step_of_pair(answer: Answer, pair: Pair, criterion: str) -> tuple[str, str]:
    if pair.verdict == "better":
        return f"By {criterion} alone, choose {pair.first}.", ""
    if pair.verdict == "equivalent":
        within = numbers.probability(pair.within_rope or 0.0, pair.within_rope_mcse)
        detail = f"{pair.first} and {pair.second} differ by at most {pair.rope:g} with probability"
        return "Choose by cost, speed or risk.", f"{detail} {within}."
    if pair.verdict == "split":
        return (
            "Decide which counts: more items won, or the better mean.",
            'Pass quantity="mean" or quantity="wins".',
        )
    if pair.verdict == "no_data":
        if pair.n and pair.n_units == 1:
            single = "cluster" if pair.unit == "cluster" else "item"
            return f"Add items from at least one more {single}.", ""
        return "Score both systems on the same items.", ""
    return _step_of_undecided(answer)


def _step_of_undecided(answer: Answer) -> tuple[str, str]:
    more = answer.more
    if more is not None and more.items is not None:
        items = f"{more.items:,} more {answer.units}{more.restriction}"
        detail = f"{100 * TARGET:g}% chance of a verdict"
        detail += f"; {answer.n:,} {answer.units} so far." if answer.n else "."
        return f"Plan for about {items} to separate {more.first} from {more.second}.", detail
    whom = f"the {answer.n_best_set:,}" if answer.n_best_set else "the undecided systems"
    step = (
        "Choose by cost, speed or risk."
        if answer.pair
        else f"Choose among {whom} by cost, speed or risk."
    )
    if more is not None and more.beyond is not None:
        items = f"{more.beyond:,} further {answer.units}{more.restriction}"
        detail = f"To separate {more.first} from {more.second}, more than {items} would be needed"
        return step, f"{detail} {_CHANCE}."
    return step, ""


def _undecided(context: ReportContext) -> Undecided | None:
    counts = context.answer.verdict_counts
    if counts is None:
        return None
    verdict = context.data["verdict"].transpose(*names.SQUARE).values.astype(str)
    first, second = np.triu_indices(len(context.systems), 1)
    places = np.flatnonzero(verdict[first, second] == "undecided")[:_PAIRS]
    p = context.data["prob_better"].transpose(*names.SQUARE).values
    pairs = []
    for i, j in zip(first[places].tolist(), second[places].tolist(), strict=True):
        i, j = (j, i) if p[i, j] < 0.5 else (i, j)
        pairs.append((context.systems[i], context.systems[j], numbers.equal_to(float(p[i, j]))))
    return Undecided(
        n_pairs=counts.n_pairs,
        n_undecided=counts.n_undecided,
        n_better=counts.n_better,
        n_equivalent=counts.n_equivalent,
        pairs=tuple(pairs),
    )
