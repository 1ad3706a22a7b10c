"""Differences of means of pairs under a normal prior about 0."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from betterthan.exact.joint.shrunk import Shrunk
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.wins.beta import prob_above_half


@dataclass(frozen=True)
class Skeptical(PairMeans):
    """Means of pairs whose posterior is Student's t times a normal density.

    Skewness is not corrected for, but no probability is more certain than without the prior. Where
    all units show the same difference, units won and lost are counted, with a Beta prior whose
    difference of win and loss has the same standard deviation.
    """

    prior_sd: float = 0.0

    @classmethod
    def from_means(cls, means: PairMeans, prior_sd: float) -> Self:
        """Pair means with a normal prior of this standard deviation."""
        return cls(
            **{field.name: getattr(means, field.name) for field in fields(PairMeans)},
            prior_sd=prior_sd,
        )

    @property
    def _has_error(self) -> np.ndarray:
        return (self.units > 1) & (self.error > 0)

    def _shrunk(self) -> Shrunk:
        mask = self._has_error
        held = self.difference[mask], self.error[mask], self.df[mask]
        return Shrunk(*held, self.prior_sd, self.most)

    def _placed(self, values: np.ndarray) -> np.ndarray:
        full = np.full(len(self.difference), np.nan)
        full[self._has_error] = values
        return full

    def prob_above(self, delta: float = 0.0) -> np.ndarray:
        """P(d > delta); nan for fewer than two units, or without error beside a delta."""
        prob = self._placed(self._shrunk().prob_above(delta))
        flat = super().prob_above(delta)
        sides = np.stack([prob, flat, np.full(len(prob), 0.5)])
        prob = np.where(self._has_error, np.median(sides, axis=0), prob) if delta == 0 else prob
        if delta:
            return prob
        share = max(1.0, (1 / self.prior_sd**2 - 1) / 2)  # of Beta(s, s)
        none = prob_above_half(share + self.won, share + self.lost)
        return np.where(self._has_error, prob, np.where(self.units > 1, none, np.nan))

    def prob_below(self, delta: float = 0.0) -> np.ndarray:
        """P(d < delta), as exact in its tail."""
        skewness = None if self.skewness is None else -self.skewness
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        held |= {"difference": -self.difference, "skewness": skewness}
        held |= {"won": self.lost, "lost": self.won}
        return type(self)(**held).prob_above(-delta if delta else 0.0)

    def expected(self) -> np.ndarray:
        """The mean of the posterior; where there is no error the difference."""
        return np.where(self._has_error, self._placed(self._shrunk().expected()), self.difference)

    def interval(self, prob: float, kind: str = "hdi") -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest or the equal-tailed interval; nan where there is none."""
        low, high = self._shrunk().interval(prob, kind)
        return self._placed(low), self._placed(high)
