"""Scores of a classifier: averages over labels, one label by itself, and F of counts."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from betterthan import names
from betterthan.exact import f_measure, labels
from betterthan.labels.matrices import from_table
from betterthan.labels.uncertainty import posterior
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, rate

_DRAWS = 1000
_TOLD = (
    *(("pooled", "f"), ("weighted", "f"), ("macro", "f"), ("macro", "recall")),
    *(("macro", "precision"), ("weighted", "precision")),
)


@dataclass(frozen=True)
class Truth:
    """A classifier that is right on some share of every label, and wrong alike on all others."""

    labels: int
    items: int
    right: float = 0.9

    def shares(self) -> np.ndarray:
        """Of the cells (predicted, actual)."""
        own = np.eye(self.labels, dtype=bool)
        return np.where(own, self.right, (1 - self.right) / (self.labels - 1)) / self.labels

    def averages(self) -> np.ndarray:
        """(average, measure)."""
        cells = self.shares()
        return labels.from_margins(np.diagonal(cells), cells.sum(1), cells.sum(0), 1.0)

    def matrix(self, random: np.random.Generator) -> np.ndarray:
        """Counts in which every label has an item."""
        while True:
            drawn = random.multinomial(self.items, self.shares().ravel())
            cells = drawn.reshape(self.labels, self.labels)
            if cells.any(0).all():
                return cells


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    each = [_answered(truth.matrix(random), seed) for seed in range(sets)]
    score, low, high = np.moveaxis(np.array(each), -1, 0)
    return {"score": score, "lower": low, "upper": high}


def _answered(cells: np.ndarray, seed: int) -> np.ndarray:
    """Score and ends (average, measure, 3)."""
    label = [f"c{k}" for k in range(len(cells))]
    matrix = from_table(pd.DataFrame(cells, label, label))
    found = posterior(matrix, rng=seed, draws=_DRAWS)["averaged"]
    return found.sel(estimate=["score", "lower", "upper"]).values


def _rates(truth: Truth, values: Values) -> list[Rate]:
    true, found = truth.averages(), []
    for average, measure in _TOLD:
        at = names.AVERAGES.index(average), names.MEASURES.index(measure)
        low, high = values["lower"][:, *at], values["upper"][:, *at]
        found.append(coverage(f"{average} {measure}", low, high, true[at], of="the truth"))
    outside = (values["score"] < values["lower"]) | (values["score"] > values["upper"])
    return [*found, rate("all averages", "score outside its interval", outside.any((1, 2)), 0.0)]


def _cell(labels: int, items: int, sets: int) -> Cell:
    truth = Truth(labels, items)
    return Cell(
        name=f"labels/{labels} labels, {items} items",
        truth=f"{items} items of {labels} equally frequent labels, {truth.right:g} of each right, "
        "errors spread evenly",
        play=partial(_play, truth),
        rates=partial(_rates, truth),
        sets=sets,
        block=50,
        key_sets=6 if labels < 20 else 1,
    )


@dataclass(frozen=True)
class Share:
    """How many of so many items are right: of a label, or tp of tp + fp + fn behind an F."""

    value: float  # of the score
    items: int
    statistic: str

    @property
    def share(self) -> float:
        """Of right items."""
        return self.value / (2 - self.value) if self.statistic == "f1" else self.value


def _shares(truth: Share, sets: int, random: np.random.Generator) -> Values:
    k = random.binomial(truth.items, truth.share, sets)
    found: Values = {}
    for prior, (right, wrong) in _made_up(truth.statistic).items():
        a, b = np.arange(truth.items + 1) + right, np.arange(truth.items + 1)[::-1] + wrong
        for kind in names.CI_KINDS:
            ends = f_measure.interval(a, b, truth.statistic, names.CI_PROB, kind)
            found[f"{prior}, {kind}"] = np.stack(ends, axis=-1)[k]
    return found


def _made_up(statistic: str) -> dict[str, tuple[float, float]]:
    """Right and wrong items of each prior."""
    if statistic == "f1":
        return {"(1, .5, .5)": (1.0, 1.0), "(1, 1, 1)": (1.0, 2.0)}
    return {"uniform": (1.0, 1.0), "Jeffreys": (0.5, 0.5)}


def _of_shares(truth: Share, values: Values) -> list[Rate]:
    return [
        coverage(name, ends[:, 0], ends[:, 1], truth.value, of=truth.statistic)
        for name, ends in values.items()
    ]


def _share_cell(statistic: str, value: float, items: int) -> Cell:
    truth = Share(value, items, statistic)
    of = "tp, fp and fn together" if statistic == "f1" else "items of a label"
    return Cell(
        name=f"label_scores/{statistic} {value:g}, {items} items",
        truth=f"a {statistic} of {value:g}, {items} {of}",
        play=partial(_shares, truth),
        rates=partial(_of_shares, truth),
        block=4000,
    )


_AVERAGED = [
    *((2, 20, 400), (2, 100, 400), (3, 30, 400), (5, 15, 400), (5, 50, 400)),
    *((10, 100, 300), (20, 100, 200), (20, 500, 200), (77, 500, 60), (77, 3080, 60)),
]
_RECALLS = ((0.2, 5), (0.5, 5), (0.1, 10), (0.9, 10), (0.9, 25), (0.9, 100), (0.9, 500))
_SINGLE = [
    *(("recall", share, n) for share, n in _RECALLS),
    *(("f1", f, n) for f in (0.8, 0.95) for n in (10, 20, 50, 100)),
]
CELLS = (
    *(_cell(labels, items, sets) for labels, items, sets in _AVERAGED),
    *(_share_cell(*single) for single in _SINGLE),
)
