"""The pages and sentences on the labels of a classifier: its confusions, or their posterior."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

import betterthan
from betterthan import names, schemas
from betterthan.labels import uncertainty
from betterthan.results import numbers
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.first_screen import FirstScreen, Step, levels_screen
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.tables import interval_label
from betterthan.text import named


@dataclass(frozen=True, kw_only=True)
class LabelFacts:
    """Facts of `labels.posterior`, and of the confusions if they are known."""

    measure: str = "F1"  # or "F2", if recall counts twice as much as precision
    macro: float  # mean of the F-scores of all labels
    macro_lower: float
    macro_upper: float
    interval: str  # such as "95% HDI"
    highest: str  # the label with the highest F-score, or some of them
    several: bool = False
    high: float
    lowest: str  # the label with the lowest F-score, or some of them
    low: float
    # from the confusions
    system: str = ""  # empty if there is only one
    n_items: int | None = None
    majority: str = ""  # the label of most items
    baseline: float | None = None  # macro F1 of always predicting the majority label
    predicted: str = ""  # in the most frequent error; empty without errors
    actual: str = ""
    n_errors: int = 0  # items with the most frequent error
    n_equal: int = 0  # other errors that are as frequent
    proportion: float = 0.0  # of all errors


def label_facts(posterior: xr.Dataset) -> LabelFacts:
    """Facts from the result of `labels.posterior`."""
    labels = labels_on_one_line(posterior[names.LABEL].values)
    scores = posterior["by_label"].sel(measure="f", estimate="score").values
    macro = posterior["averaged"].sel(average="macro", measure="f")
    high, low = float(np.nanmax(scores)), float(np.nanmin(scores))
    return LabelFacts(
        measure=f"F{posterior.attrs.get('beta', 1):g}",
        macro=macro.sel(estimate="score").item(),
        macro_lower=macro.sel(estimate="lower").item(),
        macro_upper=macro.sel(estimate="upper").item(),
        interval=interval_label(posterior.attrs),
        highest=_labels_at(labels, scores, high),
        several=bool((scores > high - _EQUAL).sum() > 1),
        high=high,
        lowest=_labels_at(labels, scores, low),
        low=low,
    )


def _labels_at(labels: Sequence[str], scores: np.ndarray, score: float) -> str:
    """The labels with this score, as far as they can be listed."""
    at = [label for label, f in zip(labels, scores, strict=True) if abs(f - score) < _EQUAL]
    more = [f"{len(at) - _LISTED} more"] if len(at) > _LISTED else []
    return named(at[: _LISTED if more else None] + more)


_EQUAL, _LISTED = 1e-12, 3


def with_confusions(facts: LabelFacts, confusions: xr.DataArray) -> LabelFacts:
    """The facts with those of the confusions (predicted, actual) of the same classifier."""
    sizes = items_by_label(confusions)
    averaged = uncertainty.precision_recall_f(uncertainty.majority_baseline(confusions))["averaged"]
    baseline = averaged.sel(average="macro", measure="f").item()
    system = confusions.coords.get(names.SYSTEM)
    facts = replace(
        facts,
        system="" if system is None else on_one_line(str(system.item())),
        n_items=int(sizes.sum()),
        majority=on_one_line(str(confusions[names.ACTUAL].values[int(sizes.argmax())])),
        baseline=None if np.isnan(baseline) else baseline,
    )
    proportions = uncertainty.frequencies(confusions)
    predicted, actual = np.unravel_index(int(proportions.values.argmax()), proportions.shape)
    if not proportions.values[predicted, actual] > 0:
        return facts
    return replace(
        facts,
        predicted=on_one_line(str(confusions[names.PREDICTED].values[predicted])),
        actual=on_one_line(str(confusions[names.ACTUAL].values[actual])),
        n_errors=int(confusions.values[predicted, actual]),
        proportion=float(proportions.values[predicted, actual]),
        n_equal=int(np.isclose(proportions.values, proportions.values.max()).sum()) - 1,
    )


def items_by_label(confusions: xr.DataArray) -> np.ndarray:
    """Number of items of every label, with those that were left unclassified if known."""
    counted = "n_actual" in confusions.coords
    return confusions["n_actual"].values if counted else confusions.sum(names.PREDICTED).values


def label_sentences(facts: LabelFacts) -> list[str]:
    """The macro F-score, the labels with the highest and lowest one, and the main error."""
    system = f" of {facts.system}" if facts.system else ""
    interval = f"{facts.interval} {numbers.score_range(facts.macro_lower, facts.macro_upper)}"
    items = f" on {_items(facts.n_items)}" if facts.n_items is not None else ""
    macro = f"Macro {facts.measure}{system} is {numbers.score(facts.macro)} ({interval}){items}."
    if facts.baseline is not None:
        macro += f" Always predicting {facts.majority} gives {numbers.score(facts.baseline)}."
    sentences = [macro]
    if facts.high > facts.low:
        sentences.append(
            f"{facts.measure}{system} is highest for label{'s' * facts.several} {facts.highest} "
            f"({numbers.score(facts.high)}) and lowest for {facts.lowest} "
            f"({numbers.score(facts.low)})."
        )
    if facts.predicted:
        share = f"{_items(facts.n_errors)}, {numbers.share(facts.proportion)} of all errors"
        others = "1 other is" if facts.n_equal == 1 else f"{facts.n_equal:,} others are"
        share += f"; {others} as frequent" if facts.n_equal else ""
        which = "A most" if facts.n_equal else "The most"
        sentences.append(
            f"{which} frequent error{system} is predicting {facts.predicted} instead of "
            f"{facts.actual} ({share})."
        )
    return sentences


def _items(n: int) -> str:
    return f"{n:,} item{'' if n == 1 else 's'}"


@dataclass(frozen=True, kw_only=True)
class ClassifierFacts:
    """Facts of several classifiers, by their macro F-scores."""

    n_systems: int
    measure: str = "F1"
    best: list[str]  # those with the highest score
    high: float
    worst: list[str]  # and with the lowest; empty if all are equal
    low: float


def classifier_facts(classifiers: Sequence[LabelFacts]) -> ClassifierFacts:
    """Facts from those of each classifier."""
    macros = [facts.macro for facts in classifiers]
    high, low = max(macros), min(macros)
    best, worst = (
        [facts.system for facts in classifiers if math.isclose(facts.macro, end, abs_tol=1e-12)]
        for end in (high, low)
    )
    return ClassifierFacts(
        n_systems=len(classifiers),
        measure=classifiers[0].measure,
        best=best,
        high=high,
        worst=worst if worst != best else [],
        low=low,
    )


def classifier_sentences(facts: ClassifierFacts) -> list[str]:
    """Which classifier has the highest macro F-score, and which the lowest."""
    high, n = numbers.score(facts.high), f"{facts.n_systems:,}"
    if not facts.worst:
        return [f"All {n} classifiers have the same macro {facts.measure} ({high})."]
    have = "has" if len(facts.best) == 1 else "have"
    return [
        f"{named(facts.best)} {have} the highest macro {facts.measure} ({high}) of "
        f"{n} classifiers, {named(facts.worst)} the lowest "
        f"({numbers.score(facts.low)}). For the probability that one is better, use scores.compare."
    ]


_CONFUSIONS_LISTED = 5  # the most frequent confusions that are listed
_FEW = 3  # items of a label, from which on macro averages hold what they promise
_CLASSIFIERS_DESCRIBED = 3  # classifiers that have sentences of their own
_DRAWN = 4  # classifiers whose confusions are drawn
_QUESTION = "How well does the classifier predict each label, and with what uncertainty?"
_LIMITS = ["Items are treated as independent; items of one dialogue are not."]
_AVERAGES = (
    "macro: mean over labels; weighted: mean over labels, weighted by their items; micro: from TP, "
    "FP and FN summed over labels."
)


def page(confusions: xr.DataArray) -> Document:
    """The page on confusions (predicted, actual), of one classifier or over system.

    Intervals are drawn with the seed in ``attrs["seed"]``, else with seed 0: a report is the same
    every time.
    """
    schemas.confusion(confusions)
    seed = int(confusions.attrs.get("seed", 0))
    ordered = confusions.transpose(..., names.PREDICTED, names.ACTUAL)
    matrices = list(ordered) if names.SYSTEM in ordered.dims else [ordered]
    posteriors = [uncertainty.posterior(matrix, rng=seed) for matrix in matrices]
    pairs = list(zip(posteriors, matrices, strict=True))
    facts = [with_confusions(label_facts(scores), matrix) for scores, matrix in pairs]
    parts = [_part(*pair, of) for pair, of in zip(pairs, facts, strict=True)]
    parts[_DRAWN:] = [replace(part, figures=()) for part in parts[_DRAWN:]]
    drawn = f"Dirichlet over cells, {names.BOOTSTRAP_DRAWS} draws, seed {seed}"
    signature = f"betterthan {betterthan.__version__} | Betas of labels, {drawn}"
    title, several = "A classifier by its confusions", len(facts) > 1
    dependent = confusions.attrs.get("dependent")
    answer = classifier_sentences(classifier_facts(facts)) if several else []
    answer += [line for of in facts[:_CLASSIFIERS_DESCRIBED] for line in label_sentences(of)]
    answer += [f"! {dependent}."] if dependent else []
    screen = (
        _screen_of_several(facts, answer) if several else _screen(posteriors[0], facts[0], answer)
    )
    return Document(title, _QUESTION, parts, _LIMITS, [signature], answer, screen=screen)


def _screen(scores: xr.Dataset, facts: LabelFacts, answer: list[str]) -> FirstScreen:
    """The F-score of every label with its interval."""
    labels = labels_on_one_line(scores[names.LABEL].values)
    rows = []
    for label, measures in zip(labels, scores["by_label"].values, strict=True):
        score, _, low, high, _ = measures[2].tolist()  # of F
        if low == low:
            rows.append((label, (low, score, high), _cells(measures)[2]))
    step = None
    if len(rows) > 1:
        label = max(rows, key=lambda row: row[1][2] - row[1][0])[0]
        step = Step(f"Add items with the label {label}.", "Its interval is the widest.")
    return levels_screen(
        answer,
        rows,
        quantity=f"{facts.measure} of each label",
        interval=facts.interval,
        of="Label",
        step=step,
    )


def _screen_of_several(classifiers: Sequence[LabelFacts], answer: list[str]) -> FirstScreen:
    """The macro F-score of every classifier with its interval."""
    rows = []
    for facts in classifiers:
        low, score, high = facts.macro_lower, facts.macro, facts.macro_upper
        rows.append((facts.system, (low, score, high), f"{score:.3f} [{low:.3f}, {high:.3f}]"))
    return levels_screen(
        answer,
        rows,
        quantity=f"Macro {classifiers[0].measure}",
        interval=classifiers[0].interval,
        of="Classifier",
        step=Step("For the probability that one is better, use scores.compare."),
    )


def posterior_page(scores: xr.Dataset) -> Document:
    """The page on `labels.posterior`, which knows no numbers of items."""
    a, facts = scores.attrs, label_facts(scores)
    rows = [(name, *cells) for name, cells in _scored(scores)]
    sentences = label_sentences(facts)
    table = Table(("Label", "Precision", "Recall", facts.measure), rows, _caption(facts))
    signature = [
        f"betterthan {betterthan.__version__}",
        f"{a['model']}, {a['draws']} draws, seed {a['seed']}",
        f"prior={np.atleast_1d(a['prior'])[0]:g}",
        f"interval={facts.interval}",
    ]
    return Document(
        "A classifier by its labels",
        _QUESTION,
        [Part("Labels", tables=[table], notes=[_AVERAGES])],
        _LIMITS,
        [" | ".join(signature)],
        sentences,
        screen=_screen(scores, facts, sentences),
    )


def _part(scores: xr.Dataset, matrix: xr.DataArray, facts: LabelFacts) -> Part:
    """Scores of every label of one system, with intervals, and what its errors are."""
    sizes = items_by_label(matrix)
    items = [*sizes, *[sizes.sum()] * scores.sizes["average"]]
    scored = zip(items, _scored(scores), strict=True)
    rows = [(label, f"{int(n):,}", *cells) for n, (label, cells) in scored]
    table = Table(("Label", "Items", "Precision", "Recall", facts.measure), rows, _caption(facts))
    errors, of = _errors(matrix), f" of {facts.system}" if facts.system else ""
    lost, total = int(sizes.sum() - matrix.values.sum()), int(sizes.sum())
    baseline = float("nan") if facts.baseline is None else facts.baseline
    notes = [
        f"{lost:,} of {total:,} items were left unclassified; they count in recall.",
        f"For comparison, always predicting {facts.majority} gives macro F1 {baseline:.3f}.",
    ]
    return Part(
        f"Labels{of}",
        tables=[table, *([errors] if errors.rows else [])],
        notes=[*notes, _AVERAGES, *_few(matrix, sizes)],
        figures=[Figure(f"Confusions{of}", plotted("confusion", matrix))],
    )


def _caption(facts: LabelFacts) -> str:
    return f"Score and {facts.interval} of each label"


def _scored(scores: xr.Dataset) -> list[tuple[str, list[str]]]:
    """Every label, then every average: scores and intervals of precision, recall and F."""
    labels = labels_on_one_line(scores[names.LABEL].values)
    averages = [f"({_MICRO.get(str(k), str(k))})" for k in scores["average"].values]
    values = [*scores["by_label"].values, *scores["averaged"].values]
    return list(zip([*labels, *averages], map(_cells, values), strict=True))


_MICRO = {"pooled": "micro"}


def _cells(measures: np.ndarray) -> list[str]:
    """Score and interval of precision, recall and F."""
    return [f"{score:.3f} [{low:.3f}, {high:.3f}]" for score, _, low, high, _ in measures]


def _errors(matrix: xr.DataArray) -> Table:
    share = uncertainty.frequencies(matrix)
    labels = labels_on_one_line(share[names.PREDICTED].values)
    order = np.argsort(-share.values, axis=None, kind="stable")[:_CONFUSIONS_LISTED]
    places = [np.unravel_index(place, share.shape) for place in order]
    rows = [
        (labels[p], labels[a], f"{int(matrix.values[p, a]):,}", f"{100 * share.values[p, a]:.1f}%")
        for p, a in places
        if share.values[p, a]  # none of the diagonal, which is correct
    ]
    heads = ("Predicted", "Actual", "Items", "Of all errors")
    return Table(heads, rows, "Most frequent confusions", left=2)


def _few(matrix: xr.DataArray, sizes: np.ndarray) -> list[str]:
    """Labels with too few items for macro averages."""
    labels = matrix[names.ACTUAL].values[sizes < _FEW]
    if not labels.size:
        return []
    named = ", ".join(labels_on_one_line(labels[:_CONFUSIONS_LISTED]))
    left = labels.size - _CONFUSIONS_LISTED
    more = f" and {left} more" if left > 0 else ""
    return [
        f"Fewer than {_FEW} items have the labels {named}{more}, so intervals of macro averages "
        "can be too narrow."
    ]
