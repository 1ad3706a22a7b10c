"""Repeated runs of two systems: pass^k by Student's t on items, which gives verdicts, and by the
Dirichlet model; intervals of single systems; and the test of whole runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.runs import differences_of, drawn, run_effect, shares_of
from validation.decisions.cells import Cell, Values
from validation.decisions.of_graded import on_items
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

T, DIRICHLET = "Student's t on items", "Dirichlet"
RUNS, KS, WORSE = 5, (1, 3, 5), 0.9
_SETS = 1000


@dataclass(frozen=True)
class Population:
    """How success probabilities of items are distributed."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
    moment: Callable[[int], float]  # E p^k


def _mixed(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """In .3 of the items never, in .3 always, else anything."""
    kind = random.random(shape)
    return np.where(kind < 0.3, 0.0, np.where(kind < 0.6, 1.0, random.random(shape)))


POPULATIONS = (
    Population(
        "Beta(.5, .5)",
        lambda random, shape: random.beta(0.5, 0.5, shape),
        lambda k: float(special.beta(0.5 + k, 0.5) / special.beta(0.5, 0.5)),
    ),
    Population(".3 never, .3 always", _mixed, lambda k: 0.3 + 0.4 / (k + 1)),
    Population(
        "Beta(8, 2)",
        lambda random, shape: random.beta(8, 2, shape),
        lambda k: float(special.beta(8 + k, 2) / special.beta(8, 2)),
    ),
)


def _play(
    population: Population, n: int, fewer: bool, sets: int, random: np.random.Generator
) -> Values:
    first, own = (population.draw(random, (n, sets)) for _ in range(2))
    # half of the items are as difficult for both systems, the others independent
    second = np.where(random.random((n, sets)) < 0.5, first, own)
    trials = random.integers(3, RUNS + 1, (2, n, sets)) if fewer else np.full((2, n, sets), RUNS)
    right = random.binomial(trials[0], first)
    values: Values = {}
    for k in KS[:2] if fewer else KS:
        a = drawn(right, trials[0], k, "all")
        law = shares_of(np.nan_to_num(a), ~np.isnan(a))
        for kind in names.CI_KINDS:
            values[f"{k} {kind} lower"], values[f"{k} {kind} upper"] = law.interval(0.95, kind)
    for factor in (1.0, WORSE):
        other = random.binomial(trials[1], second * factor)
        for k in KS[:2] if fewer else KS:
            a, b = (drawn(x, t, k, "all") for x, t in zip((right, other), trials, strict=True))
            values |= {f"{k} {factor:g} {name}": v for name, v in _answers(a, b).items()}
    return values


def _answers(a: np.ndarray, b: np.ndarray) -> Values:
    """By both methods, from chances (item, set)."""
    t = on_items((a - b).T)
    law = differences_of(a, b, np.ones(a.shape, dtype=bool))
    found = {}
    for answer, of in ((T, t), (DIRICHLET, law)):
        lower, upper = of.interval(names.CI_PROB, names.CI_KIND)
        found |= {f"{answer} better": of.prob_above(), f"{answer} worse": of.prob_below()}
        found |= {f"{answer} lower": lower, f"{answer} upper": upper}
    return found


def _rates(population: Population, fewer: bool, values: Values) -> list[Rate]:
    rows = []
    for k in KS[:2] if fewer else KS:
        for factor in (1.0, WORSE):
            truth = population.moment(k) * (1 - factor**k)
            for answer in (T, DIRICHLET):
                of = {
                    name: values[f"{k} {factor:g} {answer} {name}"]
                    for name in ("better", "worse", "lower", "upper")
                }
                label = f"{answer}, pass^{k}, {'equal' if factor == 1 else 'apart'}"
                rows += of_verdicts(label, of["better"], truth, worse=of["worse"])[
                    : 1 if factor == 1 else 2
                ]
                rows.append(coverage(label, of["lower"], of["upper"], truth))
        for kind in names.CI_KINDS:
            lower, upper = (values[f"{k} {kind} {end}"] for end in ("lower", "upper"))
            label = f"one system, pass^{k}, {kind.upper()}"
            rows.append(coverage(label, lower, upper, population.moment(k), of="pass^k"))
    return rows


def _cell(population: Population, n: int, fewer: bool = False) -> Cell:
    runs = "3 to 5 runs" if fewer else f"{RUNS} runs"
    return Cell(
        name=f"runs/{population.name}, {n} items" + (", 3 to 5 runs" if fewer else ""),
        truth=f"{runs} of each of {n} items, success probabilities {population.name}, the same of "
        f"both systems in half of the items; equal systems, and one {WORSE:g} times as good",
        play=partial(_play, population, n, fewer),
        rates=partial(_rates, population, fewer),
        sets=_SETS,
        key_sets=2,
    )


def _play_days(n: int, day: float, sets: int, random: np.random.Generator) -> Values:
    """P of the test of whole runs: independent runs, and one run of each set that is worse."""
    p = random.beta(0.5, 0.5, (sets, n, 1)) * np.array([1.0, 1.0, 1.0, 1.0, 1 - day])
    scores = (random.random(p.shape) < p).astype(float)
    return {"p": np.array([run_effect(of_set, seed=k)[0] for k, of_set in enumerate(scores)])}


def _rates_of_days(day: float, values: Values) -> list[Rate]:
    level = 0.05 if day == 0 else None
    return [rate("permutation of runs", "p at most 0.05", values["p"] <= 0.05, level)]


def _cell_of_days(n: int, day: float) -> Cell:
    truth = "independent runs" if day == 0 else f"one of them has {1 - day:g} of the successes"
    return Cell(
        name=f"runs/whole runs, {n} items, {'equal' if day == 0 else 'a bad day'}",
        truth=f"5 runs of {n} items with success probabilities Beta(.5, .5), {truth}",
        play=partial(_play_days, n, day),
        rates=partial(_rates_of_days, day),
        sets=_SETS,
        key_sets=2,
    )


CELLS = (
    *(_cell(population, n) for population in POPULATIONS for n in (10, 20, 50, 100)),
    *(_cell(population, n, fewer=True) for population in POPULATIONS for n in (20, 50)),
    *(_cell_of_days(n, day) for n in (20, 50) for day in (0.0, 0.3)),
)
