"""Sentences on the labels of classifiers: F-scores, the most frequent error, and baselines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.labels.measures import frequencies, majority_baseline, precision_recall_f
from betterthan.results import numbers
from betterthan.results.cells import interval_of
from betterthan.results.escapes import labels_on_one_line, on_one_line


@dataclass(frozen=True, kw_only=True)
class LabelFacts:
    """Facts of `labels.posterior`, and of the confusions if they are known."""

    measure: str = "F1"  # or "F2", if recall counts twice as much as precision
    macro: float  # mean of the F-scores of all labels
    macro_lower: float
    macro_upper: float
    interval: str  # such as "95% HDI"
    highest: str  # the label with the highest F-score
    high: float
    lowest: str  # the label with the lowest F-score
    low: float
    # from the confusions
    system: str = ""  # empty if there is only one
    n_items: int | None = None
    majority: str = ""  # the label of most items
    baseline: float | None = None  # macro F1 of always predicting the majority label
    predicted: str = ""  # in the most frequent error; empty without errors
    actual: str = ""
    n_errors: int = 0  # items with the most frequent error
    proportion: float = 0.0  # of all errors


def label_facts(posterior: xr.Dataset) -> LabelFacts:
    """Facts from the result of `labels.posterior`."""
    labels = labels_on_one_line(posterior[names.LABEL].values)
    scores = posterior["by_label"].sel(measure="f", estimate="score").values
    macro = posterior["averaged"].sel(average="macro", measure="f")
    high, low = int(np.nanargmax(scores)), int(np.nanargmin(scores))
    return LabelFacts(
        measure=f"F{posterior.attrs.get('beta', 1):g}",
        macro=macro.sel(estimate="score").item(),
        macro_lower=macro.sel(estimate="lower").item(),
        macro_upper=macro.sel(estimate="upper").item(),
        interval=interval_of(posterior.attrs),
        highest=labels[high],
        high=float(scores[high]),
        lowest=labels[low],
        low=float(scores[low]),
    )


def with_confusions(facts: LabelFacts, confusions: xr.DataArray) -> LabelFacts:
    """The facts with those of the confusions (predicted, actual) of the same classifier."""
    sizes = items_by_label(confusions)
    majority = on_one_line(str(confusions[names.ACTUAL].values[int(sizes.argmax())]))
    averaged = precision_recall_f(majority_baseline(confusions))["averaged"]
    baseline = averaged.sel(average="macro", measure="f").item()
    system = confusions.coords.get(names.SYSTEM)
    facts = replace(
        facts,
        system="" if system is None else on_one_line(str(system.item())),
        n_items=int(sizes.sum()),
        majority=majority,
        baseline=None if np.isnan(baseline) else baseline,
    )
    proportions = frequencies(confusions)
    predicted, actual = np.unravel_index(int(proportions.values.argmax()), proportions.shape)
    if not proportions.values[predicted, actual] > 0:
        return facts
    return replace(
        facts,
        predicted=on_one_line(str(confusions[names.PREDICTED].values[predicted])),
        actual=on_one_line(str(confusions[names.ACTUAL].values[actual])),
        n_errors=int(confusions.values[predicted, actual]),
        proportion=float(proportions.values[predicted, actual]),
    )


def items_by_label(confusions: xr.DataArray) -> np.ndarray:
    """Number of items of every label, with those that were left unclassified if known."""
    known = "n_actual" in confusions.coords
    return confusions["n_actual"].values if known else confusions.sum(names.PREDICTED).values


def label_sentences(facts: LabelFacts) -> list[str]:
    """The macro F-score, the labels with the highest and lowest one, and the main error."""
    of_system = f" of {facts.system}" if facts.system else ""
    interval = f"{facts.interval} {numbers.score_range(facts.macro_lower, facts.macro_upper)}"
    items = f" on {_items(facts.n_items)}" if facts.n_items is not None else ""
    macro = f"Macro {facts.measure}{of_system} is {numbers.score(facts.macro)} ({interval}){items}."
    if facts.baseline is not None:
        macro += f" Always predicting {facts.majority} gives {numbers.score(facts.baseline)}."
    sentences = [macro]
    if facts.high > facts.low:
        sentences.append(
            f"{facts.measure}{of_system} is highest for label {facts.highest} "
            f"({numbers.score(facts.high)}) and lowest for {facts.lowest} "
            f"({numbers.score(facts.low)})."
        )
    if facts.predicted:
        sentences.append(
            f"The most frequent error{of_system} is predicting {facts.predicted} instead of "
            f"{facts.actual} ({_items(facts.n_errors)}, {facts.proportion:.0%} of all "
            "errors)."
        )
    return sentences


def _items(n: int) -> str:
    return f"{n:,} item{'' if n == 1 else 's'}"


@dataclass(frozen=True, kw_only=True)
class ClassifierFacts:
    """Facts of several classifiers, by their macro F-scores."""

    n_systems: int
    measure: str = "F1"
    best: str
    high: float
    worst: str
    low: float


def classifier_facts(classifiers: Sequence[LabelFacts]) -> ClassifierFacts:
    """Facts from those of each classifier."""
    ranked = sorted(classifiers, key=lambda facts: -facts.macro)
    best, worst = ranked[0], ranked[-1]
    return ClassifierFacts(
        n_systems=len(ranked),
        measure=best.measure,
        best=best.system,
        high=best.macro,
        worst=worst.system,
        low=worst.macro,
    )


def classifier_sentences(facts: ClassifierFacts) -> list[str]:
    """Which classifier has the highest macro F-score, and which the lowest."""
    return [
        f"Of {facts.n_systems:,} classifiers, {facts.best} has the highest macro {facts.measure} "
        f"({numbers.score(facts.high)}) and {facts.worst} the lowest ({numbers.score(facts.low)}). "
        "To find the probability that one is better, use scores.compare."
    ]
