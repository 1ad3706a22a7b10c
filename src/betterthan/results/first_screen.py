"""What the first screen of a page shows next to the answer of a comparison: differences, the next
step, undecided pairs, and of many systems all scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.wins.dirichlet import prob_above
from betterthan.results import brief, marks, numbers, sentences
from betterthan.results.brief import Difference, Picture, answer_context, picture_of
from betterthan.results.context import ReportContext, difference_law
from betterthan.results.document import Document
from betterthan.results.facts import Answer, Pair, score_noun
from betterthan.results.marks import ONE_SIDED, Scale, includes_zero, with_rope
from betterthan.results.robustness import More
from betterthan.results.score_sentences import judged_facts, statistic_label, units_label
from betterthan.results.tables import pairwise

_FEW_ROWS = 5  # rows that a narrow screen shows at once
_CATERPILLAR = 12  # systems from which all have a picture of their scores
_NAMED = 2  # undecided pairs that are named
_LONG = 60  # characters of a pair that is named
_POINTS = 97  # of a density
_ABOVE = 300  # characters of evidence above the picture


@dataclass(frozen=True)
class Step:
    """What to do next, and on what condition."""

    do: str
    condition: str = ""


@dataclass(frozen=True)
class Undecided:
    """Pairs without a verdict, the most relevant ones by name."""

    sentence: str
    n_pairs: int
    n_undecided: int
    pairs: Sequence[tuple[str, str, str]]  # first, second, P(first better)
    anchor: str = "pairs"  # of the part that has all


@dataclass(frozen=True)
class FirstScreen:
    """The record of a first screen; without a picture where no difference has an interval."""

    lede: Sequence[str]
    picture: Picture | None = None
    curve: tuple[np.ndarray, np.ndarray] | None = None  # the density of its first row
    more_lede: Sequence[str] = ()  # below the picture
    meta: Sequence[str] = ()
    step: Step | None = None
    undecided: Undecided | None = None
    scores: Sequence[str] = ()  # of each system, in the order of the picture
    score_is: str = ""
    caterpillar: str = ""
    rule: str = ""  # what a verdict needs
    of_kind: bool = False  # of an answer of another kind, which has its rule under the picture
    drawing: str = ""  # SVG in place of a picture of differences
    drawing_is: str = ""
    drawn_along: str = ""  # what its numbers are, from left to right
    drawing_key: Sequence[tuple[str, str]] = ()  # classes of its marks, and what they are

    @cached_property
    def scale(self) -> Scale:
        """The scale on which all rows of the picture stand."""
        if self.picture is None:
            return Scale.over([])
        values = [value for row in self.picture.rows for value in row.limits or ()]
        if self.curve is not None:
            values += [float(self.curve[0].min()), float(self.curve[0].max())]
        values = [*with_rope(values, self.picture.rope), -self.picture.margin]
        return Scale.over(values, self.picture.lower_is_better)

    @cached_property
    def density(self) -> str:
        """The curve, drawn."""
        return "" if self.curve is None else marks.density(self.scale, *self.curve)

    @property
    def folded_rows(self) -> str:
        """What the rows are that a narrow screen leaves out."""
        verdicts = [row.verdict for row in self.picture.rows[_FEW_ROWS:]] if self.picture else []
        number = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        words = ", ".join(f"{n:,} {verdict}" for verdict, n in number.items())
        words = f" ({words})" if self.picture and not self.picture.levels else ""
        return f"{len(verdicts)} more{words}" if verdicts else ""

    def row(self, row: Difference) -> str:
        """The marks of a row."""
        if self.picture is None:
            return ""
        verdict = "better" if self.picture.levels else row.verdict  # the plain point
        rope, margin = self.picture.rope, self.picture.margin
        return marks.row(self.scale, row.limits, verdict, rope, margin)

    @property
    def one_sided(self) -> str:
        """What the mark of one-sided verdicts means, where a row can have it."""
        rows = self.picture.rows if self.picture and not self.picture.levels else ()
        return ONE_SIDED if any(includes_zero(row.limits) for row in rows) else ""

    @property
    def marks_all(self) -> bool:
        """Whether rows that a narrow screen shows have all systems that may be the best."""
        rows = self.picture.rows[:_FEW_ROWS] if self.picture else ()
        marked = sum(bool(row.mark) for row in rows)
        return 0 < marked == (self.picture.n_marked if self.picture else 0)

    @property
    def axis(self) -> str:
        """The axis of the picture."""
        levels = self.picture is not None and self.picture.levels
        return marks.axis(self.scale, "", "") if levels else marks.axis(self.scale)

    @property
    def key(self) -> dict[str, str]:
        """The verdicts that the picture shows, and what their marks mean."""
        present = {row.verdict for row in self.picture.rows} if self.picture else set()
        return {verdict: meaning for verdict, meaning in _KEY.items() if verdict in present}


_KEY = {
    "better": "better",
    "worse": "worse",
    "equivalent": "practically equivalent",
    "undecided": "undecided: not shown to differ, not shown to be equal",
    "split": "split: wins and means disagree",
    "pass": "pass: not behind by the margin or more",
    "inconclusive": "inconclusive: not shown to pass, not shown to be worse",
}


def first_screen(context: ReportContext, rule: str) -> FirstScreen:
    """What the first screen of a comparison shows; `rule`: what a verdict needs."""
    answer, data = context.answer, context.data
    picture = picture_of(context)
    counts = answer.verdict_counts
    elsewhere = {*sentences.more_sentences(answer)}
    elsewhere |= {sentences.verdicts_sentence(counts, answer)} if counts else set()
    lines = [line for line in sentences.answer_sentences(answer)[1:] if not line.startswith("!")]
    lede = [line for line in lines if line not in elsewhere]
    above = 1 + sum(n <= _ABOVE for n in list(accumulate(map(len, lede)))[1:])
    scores = data["score"].values.tolist() if "score" in data else []
    return FirstScreen(
        meta=list(_meta(answer, context)),
        lede=lede[:above],
        more_lede=lede[above:],
        picture=picture,
        curve=None if context.many or picture is None else _density(context),
        step=_step(answer, _criterion(answer, context)),
        undecided=_undecided(context) if counts and not answer.failures else None,
        scores=[numbers.score(score) for score in scores],
        score_is=score_noun(answer.score_is),
        caterpillar=_caterpillar(context),
        rule=rule,
    )


def answer_screen(answer: Any, page: Document) -> FirstScreen | None:
    """The differences of an answer of another kind, where it has some; everything else that its
    page says stays where it is.
    """
    if not isinstance(answer, xr.Dataset) or "verdict" not in answer or not page.answer:
        return None
    context = answer_context(answer)
    if context is None or (picture := picture_of(context)) is None:
        return None
    data, provenance, kind = context.data, context.provenance, context.provenance.answer or ""
    undecided = _undecided_of_kind(context, page)
    facts = judged_facts(data).answer if kind == "judged" else context.answer
    criterion = _CRITERIA.get(kind, "")  # empty where it is no merit
    units = "folds" if kind == "folds" else context.answer.units
    if "statistic" in data.attrs:
        criterion, units = statistic_label(data), units_label(data)
    meta, n = [f"{len(context.systems):,} systems"], provenance.n_items or 0
    if n > 0:
        judged = "judged " * (kind == "judged")
        meta.append(f"{n:,} {judged}{units if n > 1 else units.removesuffix('s')}")
    meta += [f"by {criterion}"] if criterion else []
    elsewhere = {*sentences.more_sentences(facts), undecided.sentence if undecided else ""}
    return FirstScreen(
        meta=meta,
        lede=[line for line in page.lede if line not in elsewhere],
        picture=picture,
        step=_step_of_kind(context, facts, criterion, units),
        undecided=undecided,
        rule=brief.rule(data, provenance),
        of_kind=True,
    )


def _undecided_of_kind(context: ReportContext, page: Document) -> Undecided | None:
    """The undecided pairs of three systems or more, where the page counts them in words."""
    if not context.many or context.answer.failures:
        return None
    undecided = _undecided(context)
    anchors = [anchor for anchor, _ in page.sections if anchor in ("pairs", "systems")]
    if undecided is None or undecided.sentence not in page.answer or not anchors:
        return None
    return replace(undecided, anchor="pairs" if "pairs" in anchors else anchors[0])


_CRITERIA = {
    "judged": "human labels",
    "pairs": "the fitted model",
    "folds": "mean score",
    "prediction": "predicted response",
}


def _step_of_kind(
    context: ReportContext, answer: Answer, criterion: str, units: str
) -> Step | None:
    """The next step of an answer of another kind."""
    if not criterion and not answer.failures:
        return None
    step = _step(answer, criterion)
    if step is not None or not (context.data["verdict"].values == "undecided").any():
        return step
    if context.provenance.answer == "judged":
        return Step("Label more items by people.") if answer.more is None else None
    if context.provenance.answer == "folds":  # more folds of the same items add little
        return Step("Choose by cost, speed or risk, or compare on more items.")
    return Step(f"Add {units}, or choose by cost, speed or risk.")


def levels_screen(
    answer: Sequence[str],
    rows: Sequence[tuple[str, tuple[float, float, float], str]],
    *,
    quantity: str,
    interval: str,
    of: str,
    note: str = "",
    step: Step | None = None,
) -> FirstScreen:
    """Values with their intervals, such as scores of labels, in place of differences.

    Parameters
    ----------
    answer : sequence of str
        Its first sentence is the headline of the page.
    rows : sequence of (label, (lower, point, upper), text)
        The text is of the value with its interval.
    quantity, interval, of : str
        What the values are, the kind of their intervals, and what has a row.
    note : str, optional
        Under the picture.
    step : Step, optional
    """
    drawn = [
        Difference(label=label, place=k, verdict="reference", limits=limits, written=text)
        for k, (label, limits, text) in enumerate(rows)
    ]
    picture = Picture(
        quantity=quantity,
        interval=interval,
        systems=[label for label, *_ in rows],
        rows=drawn,
        levels=True,
        of=of,
        more=note,
    )
    return FirstScreen(answer[1:], picture if drawn else None, step=step)


def _meta(answer: Answer, context: ReportContext) -> Iterator[str]:
    """What was compared."""
    provenance = context.provenance
    yield f"{answer.n_systems:,} systems"
    n = provenance.n_items
    if n is None or n < 0:
        n = answer.n_judgments
    if n is not None:
        units = provenance.observation if n == 1 else f"{provenance.observation}s"
        yield f"{n:,} {units}" + (f" in {answer.clusters}" if answer.clusters else "")
    criterion = _criterion(answer, context)
    if "score" in context.data or criterion == _WINS:
        yield criterion + (" (lower is better)" if answer.lower_is_better else "")
    if answer.baseline:
        yield f"baseline: {answer.baseline.system}"
    if provenance.n_blank:
        yield f"{provenance.n_blank:,} score{'s' if provenance.n_blank > 1 else ''} missing"


_WINS = "wins"


def _criterion(answer: Answer, context: ReportContext) -> str:
    """What the verdicts are by: the mean of graded scores may favor another system than wins."""
    provenance = context.provenance
    by_wins = provenance.difference_is == names.DIFFERENCES["wins"]  # also where ties are dropped
    if by_wins or provenance.quantity == _WINS:
        return _WINS
    return answer.by or score_noun(answer.score_is)


def _step(answer: Answer, criterion: str) -> Step | None:
    """The next step; "choose" only ever by the criterion, because the page knows no price."""
    if answer.failures:
        return Step("Increase the number of draws or tune longer.")
    more = next(sentences.more_sentences(answer), "")
    missing = answer.missing
    if missing and missing.n and missing.n_hold < missing.n_pairs:
        items = f"{missing.n:,} missing score{'s' if missing.n > 1 else ''}"
        return Step(f"Obtain the {items}.", "Until then the answer may depend on their values.")
    if answer.pair:
        return _step_of_pair(answer, answer.pair, more, criterion)
    if answer.has_best and [verdict for verdict, _ in answer.rivals] == ["split"]:
        return _SPLIT
    if answer.has_best and not answer.rivals:
        return _choice(answer, answer.best[0].system, criterion, more)
    if answer.more and answer.more.items and answer.more.separates_most:
        return _plan(answer, answer.more)
    if answer.n_best_set:
        among = f" among the {answer.n_best_set:,}" if answer.n_best_set > 1 else ""
        choice = f"If you must choose now, choose{among} by cost or risk."
        return Step(choice, more or "They are not shown to be equal.")
    return None


_SPLIT = Step(
    "Decide which counts: more items won, or the better mean.",
    'With quantity="wins" or quantity="mean", the verdict is by that one.',
)


def _step_of_pair(answer: Answer, pair: Pair, more: str, criterion: str) -> Step | None:
    if pair.verdict == "split":
        return _SPLIT
    if pair.verdict == "no_data" and pair.n_units == 1:
        return Step(f"Add items from at least one more {pair.unit or 'cluster'}.")
    if pair.verdict == "equivalent":
        p = numbers.probability(pair.within_rope or 0.0)
        condition = f"They differ by at most {pair.rope:g} with probability {p}."
        return Step("Choose by cost, speed or risk.", condition)
    if pair.verdict == "better":
        return _choice(answer, pair.first, criterion)
    if answer.more and answer.more.items:
        return _plan(answer, answer.more)
    return Step("Choose by cost, speed or risk.", more) if more else None


def _choice(answer: Answer, system: str, criterion: str, more: str = "") -> Step:
    """The system that is better; where units are not what they seem, not before the warning."""
    warned = any(note.startswith("!") for note in answer.unit_notes)
    condition = "First read the warning: the answer may be too certain." if warned else more
    return Step(f"By {criterion} alone, choose {system}.", condition)


def _plan(answer: Answer, more: More) -> Step:
    so_far = f"; {answer.n:,} {answer.units} so far" if answer.n else ""
    so_far = f"; {answer.clusters.partition(',')[0]} so far" if answer.clusters else so_far
    return Step(
        f"Plan for about {more.items:,} more {answer.units}{more.restriction} to separate "
        f"{more.first} from {sentences.separated_from(more)}.",
        f"{sentences.chance_of_verdict(answer)}{so_far}.",
    )


def _undecided(context: ReportContext) -> Undecided | None:
    """Undecided pairs: those with the baseline first, then those of the first systems."""
    answer, systems, data = context.answer, context.systems, context.data
    counts = answer.verdict_counts
    if counts is None:
        return None
    verdict, p = (data[k].transpose(*names.SQUARE).values for k in ("verdict", "prob_better"))
    first, second = np.nonzero(np.triu(verdict == "undecided", 1))
    if answer.baseline:
        base = systems.index(answer.baseline.system)
        order = np.argsort((first != base) & (second != base), kind="stable")
        first, second = first[order], second[order]
    pairs = []
    for i, j in zip(first[:_NAMED].tolist(), second[:_NAMED].tolist(), strict=True):
        i, j = (j, i) if p[i, j] < 0.5 else (i, j)
        if len(systems[i] + systems[j]) <= _LONG:
            better = numbers.probability(float(p[i, j]), 0.0, answer.threshold)
            pairs.append((systems[i], systems[j], better))
    sentence = sentences.verdicts_sentence(counts, answer)
    return Undecided(sentence, counts.n_pairs, counts.n_undecided, pairs)


def _caterpillar(context: ReportContext) -> str:
    """All scores of many systems."""
    data, n = context.data, len(context.systems)
    if n <= _CATERPILLAR or "score_lower" not in data:
        return ""
    best = data["in_best_set"].values if "in_best_set" in data else np.zeros(n, bool)
    verdict = data["verdict"].transpose(*names.SQUARE).values[:, 0]
    kinds = np.where(verdict == "b_better", "v-worse", "v-undecided")
    kinds = np.where(best, "v-better", kinds)
    low, high = data["score_lower"].values, data["score_upper"].values
    labels = [
        f"{name}: {numbers.score(score)}"
        for name, score in zip(context.systems, data["score"].values.tolist(), strict=True)
    ]
    return marks.caterpillar(labels, low, high, kinds.tolist())


def _density(context: ReportContext) -> tuple[np.ndarray, np.ndarray] | None:
    """The posterior density of the difference of two systems, where the page has it exactly."""
    data, prior = pairwise(context.data), context.provenance.prior
    if difference_law(data) != "counts" or data.sizes[names.OUTCOME] < 3 or prior is None:
        return None
    cell = data.isel(dict(zip(names.SQUARE, (0, 1), strict=True)))
    w, l, t = (cell["counts"].values + np.asarray(prior)).tolist()
    low, high = (float(cell[f"difference_{end}"]) for end in ("lower", "upper"))
    return counts_density((w, l, t), low, high)


def counts_density(
    shape: tuple[float, float, float], low: float, high: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The posterior density of a difference in win rate around its interval; `shape`: wins, losses
    and ties, each with its prior.
    """
    w, l, t = shape
    if not low < high:
        return None
    # with a point at zero, where the colors meet
    x = np.linspace(low - (high - low), high + (high - low), _POINTS)
    x = np.unique(np.append(x[(x > -1) & (x < 1)], 0.0))
    y = np.interp(x, (x[1:] + x[:-1]) / 2, -np.diff(prob_above(w, l, t, x)) / np.diff(x))
    drawn = y > y.max() / 300
    drawn |= x == 0.0
    return x[drawn], y[drawn]
