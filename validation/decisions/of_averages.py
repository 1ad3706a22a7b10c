"""Two systems on several data sets of unequal size, averaged: ``compare(scores, over="dataset")``.

The truth of each data set is a point: an item is a win, a loss or a tie with probabilities of that
data set, or a difference of scores around its mean.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan import names
from betterthan.comparison.averages import average_of_means
from betterthan.exact.averages import Average, Counts
from betterthan.exact.joint.units import PairMeans, differences
from validation.decisions import of_graded, of_pairs, of_units
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts

AVERAGE = "average, each data set once"
SETS = 2000
SIZES = {
    3: (20, 60, 300),
    5: (20, 30, 60, 120, 400),
    10: (20, 20, 20, 30, 40, 60, 80, 120, 200, 400),
}
SMALL = (10,) * 10, (5,) * 57, (2,) * 150  # of right and wrong items alone
CLUSTER, CORRELATION = 5, 0.5  # items of a cluster, such as translations, and how they correlate


@dataclass(frozen=True)
class Truth:
    """P(win) - P(loss), or the mean difference, of each data set; and how many items it has."""

    d: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def mean(self) -> float:
        """What the average is of."""
        return round(float(np.mean(self.d)), 12)


Posterior = Callable[[Truth, int, np.random.Generator], Average | PairMeans]


def items(truth: Truth, sets: int, random: np.random.Generator) -> Average:
    """Of items that are wins, losses or ties."""
    counts = [
        of_pairs.Truth(d, 1 - of_units.DECISIVE, n).counts(sets, random)
        for d, n in zip(truth.d, truth.sizes, strict=True)
    ]
    weights = _weights(truth)
    law = Counts.from_suite(np.stack(counts, axis=1), np.array(names.PRIOR), weights)
    return Average(law, weights)


def clusters(truth: Truth, sets: int, random: np.random.Generator) -> PairMeans:
    """Of the same in clusters."""
    parts = []
    for d, n in zip(truth.d, truth.sizes, strict=True):
        sizes = (CLUSTER,) * (n // CLUSTER)
        outcome = of_units.Truth(d, sizes).outcomes(CORRELATION, sets, random)
        parts.append(of_units.on_units(outcome, sizes))
    return average_of_means(parts, _weights(truth))


def graded(
    noise: of_graded.Noise, truth: Truth, sets: int, random: np.random.Generator
) -> PairMeans:
    """Of graded scores."""
    scored = [
        d + (1 + k % 3) / 2 * noise.draw(random, (n, sets))
        for k, (d, n) in enumerate(zip(truth.d, truth.sizes, strict=True))
    ]
    return average_of_means([_means(x, skewed=True) for x in scored], _weights(truth))


def graded_clusters(truth: Truth, sets: int, random: np.random.Generator) -> PairMeans:
    """Of graded scores of items in clusters, with normal effects."""
    parts = []
    for d, n in zip(truth.d, truth.sizes, strict=True):
        effect = np.repeat(random.standard_normal((n // CLUSTER, sets)), CLUSTER, axis=0)
        own = random.standard_normal(effect.shape)
        scored = d + np.sqrt(CORRELATION) * effect + np.sqrt(1 - CORRELATION) * own
        totals = scored.reshape(-1, CLUSTER, sets).sum(1)
        parts.append(_means(totals, size=CLUSTER))
    return average_of_means(parts, _weights(truth))


def _means(totals: np.ndarray, size: int = 1, *, skewed: bool = False) -> PairMeans:
    sizes = np.full(totals.shape, float(size))
    return differences(totals, sizes, np.zeros_like(totals), sizes, skewed=skewed)


def _weights(truth: Truth) -> np.ndarray:
    return np.full(len(truth.d), 1 / len(truth.d))


def _play(posterior: Posterior, truth: Truth, sets: int, random: np.random.Generator) -> Values:
    law = posterior(truth, sets, random)
    lower, upper = law.interval(names.CI_PROB)
    return {"better": law.prob_above(), "worse": law.prob_below(), "lower": lower, "upper": upper}


def _rates(truth: Truth, values: Values) -> list[Rate]:
    better, worse, lower, upper = (values[k] for k in ("better", "worse", "lower", "upper"))
    held = coverage(AVERAGE, lower, upper, truth.mean, of="the average")
    return [*of_verdicts(AVERAGE, better, truth.mean, worse=worse)[:-1], held]


def _cell(kind: str, posterior: Posterior, truth: Truth, how: str) -> Cell:
    number, sizes = len(truth.sizes), ", ".join(map(str, truth.sizes))
    differences_named = f"differences {', '.join(f'{d:+g}' for d in truth.d)}"
    small = f" of {truth.sizes[0]} items" if truth.sizes in SMALL else ""
    if small:
        sizes, differences_named = f"{truth.sizes[0]}", f"difference {truth.d[0]:+g} on each"
    return Cell(
        name=f"averages/{number} data sets{small}, {kind}, {how}",
        truth=f"two systems on {number} data sets of {sizes} items, {kind}: {how}; "
        f"{differences_named}",
        play=partial(_play, posterior, truth),
        rates=partial(_rates, truth),
        sets=SETS,
        block=250,
        key_sets=3,
    )


_NOISE = {noise.name: noise for noise in of_graded.NOISES}
_KINDS: dict[str, Posterior] = {
    "right or wrong": items,
    "right or wrong in clusters": clusters,
    "graded": partial(graded, _NOISE["normal"]),
    "graded, skewed": partial(graded, _NOISE["skewed"]),
    "graded in clusters": graded_clusters,
}


def _truths(sizes: tuple[int, ...]) -> dict[str, Truth]:
    """Equal on each data set; equal on average, and not on any; one system better."""
    number = len(sizes)
    last = -0.1 * (number - 1) if number == 3 else -0.05 * (number - 1)
    part = -last / (number - 1)
    apart = (*(part,) * (number - 1), last)
    if number > 5:
        apart = tuple(0.1 * (-1) ** k for k in range(number))
    return {
        "equal": Truth((0.0,) * number, sizes),
        "equal on average": Truth(apart, sizes),
        "better by 0.1": Truth((0.1,) * number, sizes),
    }


CELLS = tuple(
    _cell(kind, posterior, truth, how)
    for sizes in SIZES.values()
    for kind, posterior in _KINDS.items()
    for how, truth in _truths(sizes).items()
)
CELLS += tuple(
    _cell("right or wrong", items, Truth((d,) * len(sizes), sizes), how)
    for sizes in SMALL
    for how, d in {"equal": 0.0, "better by 0.35": 0.35}.items()
)
