"""Outcomes by a judge that errs, with labels of people on some: the corrected answer, beside labels
alone, the judge alone, and the prediction-powered mean.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.judged import JudgedPairs
from betterthan.exact.wins import dirichlet
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, of_verdicts, rate

CORRECTED, LABELS, ALONE = "corrected", "labels alone", "judge alone"
POWERED = "prediction-powered mean"
_WIDE = 2 * special.ndtri((1 + names.CI_PROB) / 2)
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
        pairs = JudgedPairs.from_counts(gold, judged)
        better = pairs.above(0.0)
        found = {"better": better, "worse": 1 - better, "level": pairs.below(self.d)}
        found |= {"width": _WIDE * pairs.mean_and_sd()[1]}
        found |= _closed("labels", gold.sum(2), self.d) | _closed("judge", _said(judged), self.d)
        return found | _powered(gold, judged, self.d)

    def rates(self, values: Values) -> list[Rate]:
        """Coverage, verdicts and widths."""
        told = []
        for short, answer in (("", CORRECTED), ("labels ", LABELS), ("judge ", ALONE)):
            told += _interval(answer, values[f"{short}level"], values[f"{short}width"])
            better, worse = values[f"{short}better"], values[f"{short}worse"]
            told += of_verdicts(answer, better, self.d, worse=worse)[:-1]
        return [*told, *_interval(POWERED, values["powered level"], values["powered width"])]

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
            block=200,
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


def _interval(answer: str, level: np.ndarray, width: np.ndarray) -> list[Rate]:
    """How often the equal-tailed interval holds d, and how wide a normal one of that spread is."""
    holds = np.abs(level - 0.5) <= names.CI_PROB / 2
    says = f"{names.CI_PROB:.0%} interval holds d".replace("%", " %")
    return [rate(answer, says, holds, names.CI_PROB), rate(answer, "width", width)]


def _closed(short: str, counts: np.ndarray, d: float) -> Values:
    """Of counts that are taken for the truth."""
    a, b, t = (counts + 1.0).T
    return {
        f"{short} better": dirichlet.prob_above(a, b, t, 0.0),
        f"{short} worse": dirichlet.prob_below(a, b, t, 0.0),
        f"{short} level": dirichlet.prob_below(a, b, t, d),
        f"{short} width": _WIDE * dirichlet.sd_difference(a, b, t),
    }


def _powered(gold: np.ndarray, judged: np.ndarray, d: float) -> Values:
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
    shift = (other - f) ** 2 / (spread * n / (n - 1))
    few = left / m * (m - 1) / (m - 2) * (1 + shift)
    se = np.sqrt(few + weight**2 * (rest @ says**2 / more - other**2) / more)
    level = special.stdtr(m - 2, (d - mean) / se)
    wide = 2 * special.stdtrit(m - 2, (1 + names.CI_PROB) / 2)
    return {"powered level": level, "powered width": wide * se}


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
