"""Two systems on n items: the closed form of the pair, and the sign test beside it."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan import names
from betterthan.exact.wins import beta, dirichlet, intervals, sign
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

ALONE, SIGN = "the pair alone", "sign test"


@dataclass(frozen=True)
class Truth:
    """P(win) - P(loss), the probability of a tie, and how many items."""

    d: float
    ties: float
    n: int

    def counts(self, sets: int, random: np.random.Generator) -> np.ndarray:
        """Wins, losses and ties, (set, outcome)."""
        decisive = 1 - self.ties
        lost = max((decisive - self.d) / 2, 0.0)  # not -1e-17
        return random.multinomial(self.n, [decisive - lost, lost, self.ties], sets)


def answered(counts: np.ndarray) -> Values:
    """The closed forms of counts (set, outcome) under the default prior, each computed once."""
    distinct, of = np.unique(counts, axis=0, return_inverse=True)
    win, loss, tie = (distinct + np.array(names.PRIOR)).T
    lower, upper, _ = intervals.hdi(win, loss, tie, names.CI_PROB)
    found = {
        "better": beta.prob_above_half(win, loss),
        "worse": beta.prob_above_half(loss, win),
        "lower": lower,
        "upper": upper,
        "p": sign.sign_p(distinct[:, 0], distinct[:, 1]),
    }
    return {k: v[of.ravel()] for k, v in found.items()}


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    return answered(truth.counts(sets, random))


def _rates(truth: Truth, values: Values) -> list[Rate]:
    rejected = rate(SIGN, f"p <= {names.ALPHA}", values["p"] <= names.ALPHA, _level(truth.d))
    return [
        *of_verdicts(ALONE, values["better"], truth.d, worse=values["worse"]),
        coverage(ALONE, values["lower"], values["upper"], truth.d),
        rejected,
    ]


def _level(d: float) -> float | None:
    return None if d else names.ALPHA


def _cell(d: float, ties: float, n: int) -> Cell:
    truth = Truth(d, ties, n)
    kind = f"A better by {d:g}" if d else "equal"
    return Cell(
        name=f"pairs/{kind}, ties {ties:g}, {n} items",
        truth=f"two systems on {n} items, {_told(d)}, a tie with probability {ties:g}",
        play=partial(_play, truth),
        rates=partial(_rates, truth),
        block=4000,
    )


def _told(d: float) -> str:
    return f"P(A wins) - P(B wins) = {d:g}" if d else "equal"


def _rope_play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    counts = truth.counts(sets, random)
    distinct, of = np.unique(counts, axis=0, return_inverse=True)
    win, loss, tie = (distinct + np.array(names.PRIOR)).T
    found = {
        "within": dirichlet.prob_within(win, loss, tie, truth.d),
        "beyond": dirichlet.prob_above(win, loss, tie, truth.d),
    }
    return {k: v[of.ravel()] for k, v in found.items()}


def _rope_rates(values: Values) -> list[Rate]:
    sure = names.VERDICT_PROB
    return [
        rate(ALONE, f"{what} the rope", values[key] >= sure, round(1 - sure, 9))
        for what, key in (("equivalent, within", "within"), ("better, beyond", "beyond"))
    ]


def _rope_cell(rope: float, ties: float, n: int) -> Cell:
    truth = Truth(rope, ties, n)
    return Cell(
        name=f"rope/d at the edge of a rope of {rope:g}, ties {ties:g}, {n} items",
        truth=f"two systems on {n} items, {_told(rope)}, which is the rope; a tie with probability "
        f"{ties:g}",
        play=partial(_rope_play, truth),
        rates=_rope_rates,
        block=4000,
    )


def _looks_play(n: int, sets: int, random: np.random.Generator) -> Values:
    wins = (random.random((sets, n)) < 0.5).cumsum(1)
    losses = np.arange(1, n + 1) - wins
    better, worse = (
        beta.prob_above_half(1 + wins, 1 + losses),
        beta.prob_above_half(1 + losses, 1 + wins),
    )
    sure = np.maximum(better, worse)
    return {"last": sure[:, -1], "any": sure.max(1)}


def _looks_rates(values: Values) -> list[Rate]:
    sure, says = names.VERDICT_PROB, "names one of two equal systems"
    return [
        rate(f"{ALONE}, {when}", says, values[key] >= sure, round(2 - 2 * sure, 9))
        for when, key in (("one look", "last"), ("a look after each item", "any"))
    ]


def _looks_cell(n: int) -> Cell:
    return Cell(
        name=f"looks/{n} decisive items",
        truth=f"two equal systems, a verdict looked for after each of {n} decisive items",
        play=partial(_looks_play, n),
        rates=_looks_rates,
        sets=40_000,  # a set is quick, and the rates are known exactly
        block=1000,
    )


_EQUAL = [(0.0, n) for n in (5, 10, 20, 50, 200, 1000)] + [
    (ties, n) for ties in (0.6, 0.9) for n in (20, 50, 200)
]
_APART = [
    (0.3, 0.6, 5),
    (0.3, 0.6, 10),
    (0.3, 0.6, 20),
    (0.1, 0.0, 50),
    (0.1, 0.6, 50),
    (0.1, 0.9, 50),
    (0.1, 0.6, 200),
    (0.05, 0.6, 50),
    (0.05, 0.9, 200),
    (0.02, 0.6, 200),
    (0.02, 0.9, 1000),
]
CELLS = (
    *(_cell(0.0, ties, n) for ties, n in _EQUAL),
    *(_cell(d, ties, n) for d, ties, n in _APART),
    *(_rope_cell(rope, 0.6, n) for rope, n in ((0.05, 50), (0.05, 1000))),
    *(_looks_cell(n) for n in (20, 100)),
)
