"""Intervals of agreement: kappa of two raters and alpha of four whose true agreement is known, with
even and with skewed categories, next to the intervals that are usual.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from betterthan.exact import labels
from betterthan.people.raters import alpha, kappa
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage

MARGINS = {
    "even": {2: [0.5, 0.5], 5: [0.2] * 5},
    "skewed": {2: [0.9, 0.1], 5: [0.6, 0.2, 0.1, 0.06, 0.04]},
}
RESAMPLED = ("posterior", "bootstrap")
ANSWERS = ("posterior", "jackknife t", "normal")
_DRAWS = 1000


@dataclass(frozen=True)
class Two:
    """Two raters who agree on a share of the items, and choose by the margins on the others."""

    categories: int
    margins: str
    kappa: float
    items: int
    weights: str | None = None

    @property
    def joint(self) -> np.ndarray:
        """Probabilities (category, category)."""
        margin = np.array(MARGINS[self.margins][self.categories])
        return self.kappa * np.diag(margin) + (1 - self.kappa) * np.outer(margin, margin)

    def play(self, random: np.random.Generator) -> dict[str, np.ndarray]:
        """Bounds of three intervals of one set; NaN where there is none."""
        k = self.categories
        counts = random.multinomial(self.items, self.joint.ravel())
        rated = np.array([np.repeat(v.ravel(), counts) for v in np.indices((k, k))])
        every = range(k)
        cost = labels.disagreement(np.arange(k, dtype=float), self.weights)
        table = counts.reshape(k, k).astype(float)
        if len(np.unique(rated)) < 2:  # no kappa, and no answer
            return {answer: np.full(2, np.nan) for answer in ANSWERS}
        found = kappa(rated, weights=self.weights, categories=every, draws=_DRAWS, rng=1)
        pair = found.isel(rater_a=0, rater_b=1)
        estimate = pair["kappa"].item()
        reach = stats.t.ppf(0.975, self.items - 1) * _jackknife(table, cost)
        wide = stats.norm.ppf(0.975) * _delta(table, cost)
        return {
            "posterior": np.array([pair["lower"].item(), pair["upper"].item()]),
            "jackknife t": estimate + np.array([-reach, reach]),
            "normal": estimate + np.array([-wide, wide]),
        }

    def rates(self, values: Values) -> list[Rate]:
        """How often each interval holds the truth."""
        return [
            coverage(answer, values[answer][:, 0], values[answer][:, 1], self.kappa, of="kappa")
            for answer in ANSWERS
        ]

    def cell(self) -> Cell:
        """Its row."""
        how = f", {self.weights} weights" if self.weights else ""
        whose = f"{self.categories} {self.margins} categories{how}"
        return Cell(
            name=f"raters/{whose}, kappa {self.kappa:g}, {self.items} items",
            truth=f"{self.items} items in {whose}; two raters agree on {self.kappa:g} of them "
            "and choose independently on the others, so that this is kappa",
            play=partial(_play, self),
            rates=self.rates,
            sets=1000,
            block=250,
        )


@dataclass(frozen=True)
class Several:
    """Raters who copy the category of an item with a probability, and choose by the margins else;
    of more than two raters a quarter of the ratings are missing.
    """

    level: str
    categories: int
    margins: str
    raters: int
    alpha: float
    items: int

    def play(self, random: np.random.Generator) -> dict[str, np.ndarray]:
        """Bounds of two intervals of one set; NaN where there is none."""
        k, shape = self.categories, (self.raters, self.items)
        margin = MARGINS[self.margins][k]
        copied = random.random(shape) < np.sqrt(self.alpha)
        rated = np.where(
            copied, random.choice(k, self.items, p=margin), random.choice(k, shape, p=margin)
        )
        missing = random.random(shape) < (0.25 if self.raters > 2 else 0.0)
        counts = ((rated[..., None] == np.arange(k)) & ~missing[..., None]).sum(0).astype(float)
        counts = counts[counts.sum(1) > 1]
        if (counts.sum(0) > 0).sum() < 2:
            return {answer: np.full(2, np.nan) for answer in RESAMPLED}
        table = np.where(missing, np.nan, rated)
        found = alpha(table, level=self.level, draws=_DRAWS, rng=1)
        weights = random.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), _DRAWS)
        values = np.arange(k, dtype=float)
        resampled = labels.alpha(weights.astype(float), counts, values, self.level)
        return {
            "posterior": np.array([found["lower"].item(), found["upper"].item()]),
            "bootstrap": np.nanquantile(resampled, [0.025, 0.975]),
        }

    def rates(self, values: Values) -> list[Rate]:
        """How often each interval holds the truth."""
        return [
            coverage(answer, values[answer][:, 0], values[answer][:, 1], self.alpha, of="alpha")
            for answer in RESAMPLED
        ]

    def cell(self) -> Cell:
        """Its row."""
        whose = f"{self.level}, {self.categories} {self.margins} categories, {self.raters} raters"
        return Cell(
            name=f"raters/{whose}, alpha {self.alpha:g}, {self.items} items",
            truth=f"{self.items} items, {whose} that copy the category of an item or choose "
            f"independently, two of them alike by copying in {self.alpha:g}; that is alpha",
            play=partial(_play, self),
            rates=self.rates,
            sets=500,
            block=250,
        )


def _jackknife(table: np.ndarray, cost: np.ndarray) -> float:
    """Standard error of kappa from leaving each item out."""
    n, cells = table.sum(), np.argwhere(table > 0)
    times = table[tuple(cells.T)]
    left = np.array([labels.kappa(_without(table, cell), cost) for cell in cells])
    mean = (times * left).sum() / n
    return float(np.sqrt((n - 1) / n * (times * (left - mean) ** 2).sum()))


def _without(table: np.ndarray, cell: np.ndarray) -> np.ndarray:
    fewer = table.copy()
    fewer[tuple(cell)] -= 1
    return fewer


def _delta(table: np.ndarray, cost: np.ndarray) -> float:
    """Standard error of kappa for many items (Fleiss, Cohen and Everitt 1969, Psychological
    Bulletin 72).
    """
    p = table / table.sum()
    rows, columns = p.sum(1), p.sum(0)
    observed, by_chance = (p * cost).sum(), rows @ cost @ columns
    if not by_chance:
        return float("nan")
    margins = (cost @ columns)[:, None] + cost.T @ rows
    slope = (observed - cost) / by_chance
    slope += observed / by_chance**2 * (margins - 2 * by_chance)
    return float(np.sqrt((p * slope**2).sum() / table.sum()))


def _play(of: Any, sets: int, random: np.random.Generator) -> Values:
    found = [of.play(random) for _ in range(sets)]
    return {k: np.array([each[k] for each in found]) for k in found[0]}


CELLS = (
    *(
        Two(categories, margins, true, items, weights).cell()
        for categories, weights in ((2, None), (5, None), (5, "quadratic"))
        for margins in MARGINS
        for true in (0.0, 0.3, 0.6, 0.9)
        for items in (20, 50, 200)
    ),
    *(
        Several(level, categories, margins, 4, true, items).cell()
        for level, categories in (("nominal", 2), ("nominal", 5), ("ordinal", 5), ("interval", 5))
        for margins in MARGINS
        for true in (0.0, 0.3, 0.6, 0.9)
        for items in (20, 50)
    ),
    *(
        Several("nominal", 2, "skewed", 10, true, items).cell()
        for true in (0.0, 0.3, 0.6, 0.9)
        for items in (20, 50)
    ),
)
