"""Outcomes by a judge that errs, with labels of people on some: the corrected answer, beside labels
alone, the judge alone, and the prediction-powered mean.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.evidence.decisions.cells import Cell, Values
from betterthan.evidence.decisions.rates import Rate, coverage, of_verdicts, rate
from betterthan.exact.judged.pairs import JudgedPairs
from betterthan.exact.wins import dirichlet, intervals

CORRECTED, LABELS, ALONE = "corrected", "labels alone", "judge alone"
POWERED = "prediction-powered mean"
_X = np.array([1.0, -1.0, 0.0])
# P(the judge says win, loss, tie | truth), a row for each truth
JUDGES = {
    "good": ((0.82, 0.06, 0.12), (0.06, 0.82, 0.12), (0.2, 0.2, 0.6)),
    "favours A": ((0.9, 0.03, 0.07), (0.25, 0.6, 0.15), (0.4, 0.05, 0.55)),
    "poor": ((0.5, 0.3, 0.2), (0.3, 0.5, 0.2), (0.4, 0.4, 0.2)),
    "seldom decides": ((0.45, 0.1, 0.45), (0.05, 0.3, 0.65), (0.1, 0.05, 0.85)),
}


@dataclass(frozen=True)
class Judged:
    """Items whose truth has so large a d, a judge of them, and how many have labels."""

    judge: str
    d: float
    items: int
    labels: int
    first: float = 0.0  # share of items on which it picks the one shown first; asked both ways then

    def table(self) -> np.ndarray:
        """P(truth, signal), (3, 3) or, asked in both orders, (3, 9)."""
        truth = np.array([0.35 + self.d / 2, 0.35 - self.d / 2, 0.3])
        says = np.array(JUDGES[self.judge])
        if not self.first:
            return truth[:, None] * says
        ahead, behind = ((1 - self.first) * says + self.first * np.eye(3)[k] for k in (0, 1))
        both = ahead[:, :, None] * behind[:, None, :]
        return truth[:, None] * both.reshape(3, 9)

    def play(self, sets: int, random: np.random.Generator) -> Values:
        """What each answer says of so many sets."""
        phi = self.table()
        gold = random.multinomial(self.labels, phi.ravel(), size=sets).reshape(sets, 3, -1)
        rest = random.multinomial(self.items - self.labels, phi.ravel(), size=sets)
        judged = gold.sum(1) + rest.reshape(sets, 3, -1).sum(1)
        pairs = JudgedPairs.of(gold, judged)
        lower, upper, _ = pairs.interval(names.CI_PROB, names.CI_KIND)
        found = {"better": pairs.above(0.0), "worse": pairs.below(0.0)}
        found |= {"lower": lower, "upper": upper}
        found |= _closed("labels", gold.sum(2)) | _closed("judge", _said(judged))
        return found | _powered(gold, judged)

    def rates(self, values: Values) -> list[Rate]:
        """Coverage, verdicts and widths."""
        told = []
        for short, answer in (("", CORRECTED), ("labels ", LABELS), ("judge ", ALONE)):
            ends = values[f"{short}lower"], values[f"{short}upper"]
            told.append(coverage(answer, *ends, self.d))
            sides = values[f"{short}better"], values[f"{short}worse"]
            told += of_verdicts(answer, sides[0], self.d, worse=sides[1])[:-1]
            told.append(rate(answer, "width of the interval", ends[1] - ends[0]))
        ends = values["powered lower"], values["powered upper"]
        told.append(coverage(POWERED, *ends, self.d))
        return [*told, rate(POWERED, "width of the interval", ends[1] - ends[0])]

    def cell(self, sets: int = 400) -> Cell:
        """Its row."""
        both = f", asked in both orders, of which it picks the first on {self.first:.0%}"
        which = f"d = {self.d:g}; a judge that is {self.judge!r}{both if self.first else ''}"
        name = f"{self.judge}{' both orders' if self.first else ''}, d {self.d:g}"
        return Cell(
            name=f"judged/{name}, {self.items} items, {self.labels} labels",
            truth=f"{which}; {self.items} items, {self.labels} of them with labels",
            play=self.play,
            rates=self.rates,
            sets=sets,
            block=100,
            key_sets=2,
        )


def _said(judged: np.ndarray) -> np.ndarray:
    """(set, outcome): what the judge says; of two answers that differ, a tie."""
    if judged.shape[1] == 3:
        return judged
    square = judged.reshape(-1, 3, 3)
    win = square[:, 0, 0] + square[:, 0, 2] + square[:, 2, 0]
    loss = square[:, 1, 1] + square[:, 1, 2] + square[:, 2, 1]
    return np.stack([win, loss, judged.sum(1) - win - loss], axis=1)


def _closed(short: str, counts: np.ndarray) -> Values:
    """Of counts that are taken for the truth."""
    a, b, t = (counts + 1.0).T
    lower, upper, _ = intervals.hdi(a, b, t, names.CI_PROB)
    sides = dirichlet.prob_above(a, b, t, 0.0), dirichlet.prob_below(a, b, t, 0.0)
    ends = ("better", "worse", "lower", "upper")
    return {f"{short} {k}": v for k, v in zip(ends, (*sides, lower, upper), strict=True)}


def _powered(gold: np.ndarray, judged: np.ndarray) -> Values:
    """Interval of the mean as `judged.prediction_powered` has it, from the counts."""
    says = _X if gold.shape[2] == 3 else np.sign(_X[:, None] + _X[None, :]).ravel()
    m, more = gold[0].sum(), (judged - gold.sum(1))[0].sum()
    rest = judged - gold.sum(1)
    y, f = (gold.sum(2) @ _X / m, gold.sum(1) @ says / m)
    cross = (gold * np.outer(_X, says)).sum((1, 2)) / m - y * f
    total = judged @ says / (m + more)
    spread = judged @ says**2 / (m + more) - total**2
    n = m + more
    weight = cross * m / (m - 1) / ((1 + m / more) * spread * n / (n - 1))
    other = rest @ says / more
    mean = y + weight * (other - f)
    left = (gold * (_X[:, None] - weight[:, None, None] * says) ** 2).sum((1, 2)) / m
    left = (left - (y - weight * f) ** 2) * m / (m - 1)
    se = np.sqrt(left / m + weight**2 * (rest @ says**2 / more - other**2) / more)
    half = special.stdtrit(m - 1, (1 + names.CI_PROB) / 2) * se
    return {"powered lower": mean - half, "powered upper": mean + half}


CELLS = (
    Judged("good", 0.0, 1000, 20).cell(),
    Judged("good", 0.1, 1000, 20).cell(),
    Judged("good", 0.1, 1000, 50).cell(),
    Judged("favours A", 0.0, 200, 20).cell(),
    Judged("favours A", 0.0, 1000, 50).cell(),
    Judged("poor", 0.1, 1000, 50).cell(),
    Judged("good", 0.0, 1000, 20, first=0.3).cell(),
    Judged("seldom decides", 0.0, 500, 20).cell(),
    Judged("seldom decides", 0.25, 500, 20, first=0.3).cell(),
    Judged("seldom decides", 0.25, 500, 50).cell(),
)
