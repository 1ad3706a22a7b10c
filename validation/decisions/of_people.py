"""Answers on people and judges where nothing is to be found: slopes over texts that all read,
correlations of few texts, two groups of people, pairs of conditions that vary unlike each other,
judges who are alike.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import names
from betterthan.exact.numeric.monte_carlo import interval
from betterthan.orders.references import agreement
from betterthan.people.correlations import MEASURES, correlation
from betterthan.people.experiments import anova, mann_whitney, slopes
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

LEVEL = 0.05
_OWN, _SLOPES = 0.5, 0.1  # spreads of subjects' intercepts and slopes, the noise being 1


@dataclass(frozen=True)
class Texts:
    """People who all read the same texts, which differ by so much."""

    subjects: int
    texts: int
    sd: float

    def table(self, random: np.random.Generator) -> pd.DataFrame:
        """Nothing follows from the score."""
        shape = (self.subjects, self.texts)
        x, own, steep = (random.standard_normal(n) for n in (self.texts, *[self.subjects] * 2))
        mean = _OWN * own[:, None] + _SLOPES * steep[:, None] * x
        y = mean + self.sd * random.standard_normal(self.texts) + random.standard_normal(shape)
        subject, text = (np.ravel(k) for k in np.indices(shape))
        columns = {"subject": subject, "text": text, "x": np.tile(x, self.subjects)}
        return pd.DataFrame(columns | {"y": y.ravel()})

    def play(self, random: np.random.Generator) -> dict[str, float]:
        """Both p of one study."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of people alone: that is what is counted here
            found = slopes(self.table(random), "y", "x")
        return {k: found[k].item() for k in ("p_value", "by_text_p_value")}

    def rates(self, values: Values) -> list[Rate]:
        """Slopes found, with either sample."""
        by_subject, by_text = (values[k] <= LEVEL for k in ("p_value", "by_text_p_value"))
        says = "p <= .05 of a slope of 0"
        return [
            rate("by subjects", says, by_subject, LEVEL),
            rate("by texts", says, by_text, LEVEL),
            rate("both", says, by_subject & by_text, LEVEL),
        ]

    def cell(self) -> Cell:
        """Its row."""
        return _cell(
            f"slope, {self.subjects} people, {self.texts} texts, text sd {self.sd:g}",
            f"{self.subjects} people read the same {self.texts} texts, which differ by sd "
            f"{self.sd:g} (residual 1), people by {_OWN:g} and their slopes by {_SLOPES:g} "
            f"around 0",
            self,
            500,
        )


@dataclass(frozen=True)
class Few:
    """A few pairs of normal values."""

    pairs: int
    rho: float

    def play(self, random: np.random.Generator) -> dict[str, np.ndarray]:
        """Intervals and p of the three measures."""
        x, e = random.standard_normal((2, self.pairs))
        found = correlation(x, self.rho * x + np.sqrt(1 - self.rho**2) * e)
        return {k: found[k].values for k in ("lower", "upper", "p_value")}

    def rates(self, values: Values) -> list[Rate]:
        """Whether intervals hold what the whole population has; tests where there is nothing."""
        true = [self.rho, 6 / np.pi * np.arcsin(self.rho / 2), 2 / np.pi * np.arcsin(self.rho)]
        ends = np.stack([values["lower"], values["upper"]])
        rows = [
            coverage(measure, ends[0, :, k], ends[1, :, k], true[k], of="the correlation")
            for k, measure in enumerate(MEASURES)
        ]
        if self.rho:
            return rows
        named = values["p_value"] <= LEVEL
        return rows + [rate(m, "p <= .05", named[:, k], LEVEL) for k, m in enumerate(MEASURES)]

    def cell(self) -> Cell:
        """Its row."""
        truth = f"{self.pairs} pairs of normal values whose correlation is {self.rho:g}"
        return _cell(f"correlation {self.rho:g}, {self.pairs} pairs", truth, self, 1000)


@dataclass(frozen=True)
class Groups:
    """Two groups of different people: values of each, drawn by their quantiles."""

    people: tuple[int, int]
    kind: str
    quantiles: tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]
    superiority: float  # of the first group

    def play(self, random: np.random.Generator) -> dict[str, Any]:
        """The answer of the package, and that of the Bayesian bootstrap of both groups."""
        first, second = (
            quantile(random.random(n))
            for quantile, n in zip(self.quantiles, self.people, strict=True)
        )
        groups = np.repeat(["a", "b"], self.people)
        table = pd.DataFrame({"group": groups, "y": np.concatenate([first, second])})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where all are the same: no interval
            found = mann_whitney(table, "y", "group", unit=None)
        x, y = (random.dirichlet(np.ones(n), _BOOTSTRAPS) for n in self.people)
        wins = (np.sign(first[:, None] - second) + 1) / 2
        draws = np.einsum("di,ij,dj->d", x, wins, y, optimize=True)
        low, high = interval(draws[:, None], names.CI_PROB, names.CI_KIND)
        better = (draws > 0.5).mean() + (draws == 0.5).mean() / 2
        keys = ("prob_better", "lower", "upper", "p_value")
        return {k: found[k].item() for k in keys} | {
            "bootstrap": better,
            "bootstrap_lower": low[0],
            "bootstrap_upper": high[0],
        }

    def rates(self, values: Values) -> list[Rate]:
        """Verdicts, intervals, and the test where groups are equal."""
        answers = [("t of placements", "prob_better", ""), ("bootstrap", "bootstrap", "bootstrap_")]
        found = []
        for answer, better, prefix in answers:
            found += of_verdicts(answer, values[better], self.superiority - 0.5)[:-1]
            bounds = values[f"{prefix}lower"], values[f"{prefix}upper"]
            found.append(coverage(answer, *bounds, self.superiority, of="the probability"))
        if self.superiority == 0.5:
            found.append(rate("Mann-Whitney", "p <= .05", values["p_value"] <= LEVEL, LEVEL))
        return found

    def cell(self) -> Cell:
        """Its row."""
        m, n = self.people
        truth = (
            f"{m} and {n} people, {self.kind}; one of the first is above one of the second with "
            f"probability {self.superiority:.3g}, ties half"
        )
        name = f"groups, {m} and {n} people, {self.kind}, {self.superiority:.2g}"
        return _cell(name, truth, self, 1000)


_BOOTSTRAPS = 1000


def _ratings(*shares: float) -> Callable[[np.ndarray], np.ndarray]:
    """Ratings from 1 to 5 with these shares."""
    return partial(np.searchsorted, np.cumsum(shares)[:-1])


def _normal(mean: float, sd: float = 1.0) -> Callable[[np.ndarray], np.ndarray]:
    return partial(_normal_values, mean, sd)


def _normal_values(mean: float, sd: float, u: np.ndarray) -> np.ndarray:
    return mean + sd * special.ndtri(u)


def _skewed_values(u: np.ndarray) -> np.ndarray:
    return -np.log1p(-u)


def _groups(*people: int) -> tuple[Groups, ...]:
    """Equal groups of five kinds, and two that differ."""
    m, n = people
    most, few = (0.1, 0.2, 0.4, 0.2, 0.1), (0.03, 0.07, 0.1, 0.3, 0.5)
    wide, narrow = (0.3, 0.2, 0.0, 0.2, 0.3), (0.0, 0.2, 0.6, 0.2, 0.0)
    high, low = (0.02, 0.08, 0.2, 0.3, 0.4), (0.15, 0.25, 0.3, 0.2, 0.1)
    far = special.ndtri(0.9) * np.sqrt(2), special.ndtri(0.9) * np.sqrt(10)
    kinds = [
        ("normal", _normal(0), _normal(0), 0.5),
        ("skewed", _skewed_values, _skewed_values, 0.5),
        ("sd 3 and 1", _normal(0, 3), _normal(0), 0.5),
        ("ratings", _ratings(*most), _ratings(*most), 0.5),
        ("ratings, mostly 5", _ratings(*few), _ratings(*few), 0.5),
        ("ratings, sd 1.7 and 0.6", _ratings(*wide), _ratings(*narrow), 0.5),
        ("normal", _normal(special.ndtri(0.7) * np.sqrt(2)), _normal(0), 0.7),
        ("ratings", _ratings(*high), _ratings(*low), _above(high, low)),
        ("normal", _normal(far[0]), _normal(0), 0.9),
        ("sd 3 and 1", _normal(far[1], 3), _normal(0), 0.9),
    ]
    return tuple(Groups((m, n), kind, (one, two), true) for kind, one, two, true in kinds)


def _above(high: tuple[float, ...], low: tuple[float, ...]) -> float:
    below = np.cumsum(low) - np.array(low) / 2
    return float(high @ below)


@dataclass(frozen=True)
class Conditions:
    """People under four conditions that are equal on average, one of which varies four times as
    much.
    """

    subjects: int

    def play(self, random: np.random.Generator) -> dict[str, float]:
        """The smallest p of a pair, and that of the analysis of variance."""
        values = random.standard_normal((self.subjects, 4)) * np.array([1, 1, 1, 4.0])
        subject, level = (np.ravel(k) for k in np.indices(values.shape))
        table = pd.DataFrame({"subject": subject, "level": level, "y": values.ravel()})
        found = anova(table, "y", "level")
        return {"pair": float(found["p_pairwise"].min()), "f": found["p_corrected"].item()}

    def rates(self, values: Values) -> list[Rate]:
        """Anything found."""
        return [
            rate(answer, "any p <= .05", values[key] <= LEVEL, LEVEL)
            for key, answer in (("pair", "paired t, Holm"), ("f", "F, Greenhouse & Geisser"))
        ]

    def cell(self) -> Cell:
        """Its row."""
        truth = f"{self.subjects} people under four equal conditions, one with four times the sd"
        return _cell(f"conditions, {self.subjects} people", truth, self, 500)


@dataclass(frozen=True)
class Alike:
    """Judges who order the items of some documents, all with the same noise."""

    judges: int
    documents: int
    items: int

    def play(self, random: np.random.Generator) -> dict[str, float]:
        """The smallest p of a judge."""
        quality = random.standard_normal((self.documents, 1, self.items))
        seen = quality + random.standard_normal((self.documents, self.judges, self.items))
        orders = {
            f"d{d}": {f"j{j}": np.argsort(-one).astype(str).tolist() for j, one in enumerate(each)}
            for d, each in enumerate(seen)
        }
        given = orders if len(orders) > 1 else orders["d0"]
        return {"p": float(agreement(given)["outlier_p"].min())}

    def rates(self, values: Values) -> list[Rate]:
        """Anybody named."""
        return [rate("outlier p", "names any of the judges", values["p"] <= LEVEL, LEVEL)]

    def cell(self) -> Cell:
        """Its row."""
        what = "one document" if self.documents == 1 else f"{self.documents} documents"
        truth = f"{self.judges} judges, all alike, who order the {self.items} items of {what}"
        return _cell(f"{self.judges} judges, {what} of {self.items} items", truth, self, 400)


def _cell(name: str, truth: str, of: Any, sets: int) -> Cell:
    play = partial(_play, of.play)
    return Cell(name=f"people/{name}", truth=truth, play=play, rates=of.rates, sets=sets, block=100)


def _play(
    one: Callable[[np.random.Generator], dict[str, Any]], sets: int, random: np.random.Generator
) -> Values:
    found = [one(random) for _ in range(sets)]
    return {k: np.array([each[k] for each in found]) for k in found[0]}


_SHAPES = ((5, 5), (10, 10), (17, 17), (40, 40), (5, 40))
CELLS = (
    *(Texts(20, 24, sd).cell() for sd in (0.0, 0.3, 0.5)),
    *(Few(pairs, rho).cell() for pairs in (4, 5, 6, 10) for rho in (0.0, 0.9)),
    *(of.cell() for shape in _SHAPES for of in _groups(*shape)),
    *(Conditions(n).cell() for n in (6, 12, 30)),
    *(Alike(*shape).cell() for shape in ((4, 5, 8), (8, 6, 6), (15, 4, 8), (4, 1, 8), (15, 1, 12))),
)
