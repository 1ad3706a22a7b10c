"""Scores of units of unequal size, such as F1 of documents, by leaving out one unit at a time.

Random weights of the units say too little of the error where a few units hold most of what the
score counts. The sharp jackknife with Student's t answers then (`exact.joint.jackknife`): the size
of a unit is its share of the score's denominator.
"""

from dataclasses import dataclass

import numpy as np

from betterthan.counts.responses import Responses
from betterthan.exact.joint.jackknife import Shares
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import PairMeans, joined
from betterthan.scores.weighted import scored, unit_columns

DF_MAX = 30.0  # from here on random weights of the units say the same


@dataclass(frozen=True)
class LeftOut:
    """Scores of all systems, more is better, and their changes when a unit is left out."""

    score: np.ndarray  # (system,)
    change: np.ndarray  # (unit, system); nan where nothing is left to score
    size: np.ndarray  # (unit, system)
    unit_score: np.ndarray  # (unit, system): the score of each unit by itself
    low: float  # the range of a score
    high: float

    @property
    def df(self) -> float:
        """Degrees of freedom of all systems together."""
        return float(self._shares.df[0])

    @property
    def single(self) -> np.ndarray:
        """Systems whose score counts a single unit, (system,)."""
        return np.isnan(self.change).any(0)

    @property
    def _shares(self) -> Shares:
        return Shares.from_sizes((self.size / self.size.sum(0)).mean(1, keepdims=True))

    def systems(self) -> Student:
        """The posterior of each score."""
        shares = Shares.from_sizes(self.size)
        estimable = (shares.units > 1) & np.isfinite(self.change).all(0)
        error = np.sqrt((self.change**2).sum(0) / shares.constant)
        df = np.where(estimable, shares.df, 1.0)
        return Student(self.score, np.where(estimable, error, 0.0), df, self.low, self.high)

    def pairs(self) -> PairMeans:
        """The posterior of the difference of each pair; no error where it cannot be had."""
        return joined([self._against(k) for k in range(len(self.score) - 1)])

    def _against(self, k: int) -> PairMeans:
        """One system against those after it."""
        others = slice(k + 1, None)
        shares = Shares.from_sizes(self.size[:, k : k + 1] + self.size[:, others])
        change = self.change[:, k : k + 1] - self.change[:, others]
        estimable = np.isfinite(change).all(0)
        error = np.sqrt((change**2).sum(0) / shares.constant)
        difference = self.unit_score[:, k : k + 1] - self.unit_score[:, others]
        return PairMeans(
            difference=self.score[k] - self.score[others],
            error=np.where(estimable, error, 0.0),
            units=shares.units,
            won=(difference > 0).sum(0),
            lost=(difference < 0).sum(0),
            df=shares.df,
            most=self.high - self.low,
        )

    def draws(self, number: int, seed: int) -> np.ndarray:
        """Joint draws (draw, system): of every pair about Student's t with its error."""
        random = np.random.default_rng(seed)
        z = random.standard_normal((number, len(self.change)))
        chi2 = random.chisquare(self.df, (number, 1))
        moved = z @ np.nan_to_num(self.change) / np.sqrt(self._shares.constant[0])
        return self.score + np.sqrt(self.df / chi2) * moved


def left_out(responses: Responses, limits: tuple[float, float]) -> LeftOut | None:
    """The scores with each unit left out; None where random weights of the units do as well.

    That is where units have one size, where many share the denominator, and of averages over
    labels and functions of your own.
    """
    if responses.kind == "ratio":
        size = responses.k * responses.values[..., 0] + responses.values[..., 1]
        size = size.astype(float)
    elif responses.kind == "sum":
        size = np.broadcast_to(responses.seen, responses.values.shape).astype(float)
    else:
        return None
    low, high = limits if responses.higher_is_better else (-limits[1], -limits[0])
    columns = unit_columns(responses)
    total = columns.sum(0)
    side = 1.0 if responses.higher_is_better else -1.0
    score = side * scored(responses, total[None])[0]
    present = size > 0
    remaining = size.sum(0) - size
    with np.errstate(invalid="ignore", divide="ignore"):
        without = side * scored(responses, total - columns)
        unit_score = side * scored(responses, columns)
    change = np.where(present & (remaining <= 0), np.nan, np.where(present, without - score, 0.0))
    result = LeftOut(score, change, size, np.where(present, unit_score, np.nan), low, high)
    shares = Shares.from_sizes(size)
    if shares.equal.all() or not result.df < DF_MAX:
        return None
    return result
