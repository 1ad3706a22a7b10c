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
    def of(cls, found: PairMeans, prior_sd: float) -> Self:
        """With a prior of this standard deviation."""
        return cls(
            **{one.name: getattr(found, one.name) for one in fields(PairMeans)}, prior_sd=prior_sd
        )

    @property
    def _known(self) -> np.ndarray:
        return (self.units > 1) & (self.error > 0)

    def _shrunk(self) -> Shrunk:
        at = self._known
        held = self.difference[at], self.error[at], self.df[at]
        return Shrunk(*held, self.prior_sd, self.most)

    def _placed(self, values: np.ndarray) -> np.ndarray:
        full = np.full(len(self.difference), np.nan)
        full[self._known] = values
        return full

    def prob_above(self, delta: float = 0.0) -> np.ndarray:
        """P(d > delta); nan for fewer than two units, or without error beside a delta."""
        found = self._placed(self._shrunk().prob_above(delta))
        flat = super().prob_above(delta)
        sides = np.stack([found, flat, np.full(len(found), 0.5)])
        found = np.where(self._known, np.median(sides, axis=0), found) if delta == 0 else found
        if delta:
            return found
        share = max(1.0, (1 / self.prior_sd**2 - 1) / 2)  # of Beta(s, s)
        none = prob_above_half(share + self.won, share + self.lost)
        return np.where(self._known, found, np.where(self.units > 1, none, np.nan))

    def prob_below(self, delta: float = 0.0) -> np.ndarray:
        """P(d < delta), as exact in its tail."""
        skewness = None if self.skewness is None else -self.skewness
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        held |= {"difference": -self.difference, "skewness": skewness}
        held |= {"won": self.lost, "lost": self.won}
        return type(self)(**held).prob_above(-delta if delta else 0.0)

    def expected(self) -> np.ndarray:
        """The mean of the posterior; where there is no error the difference."""
        return np.where(self._known, self._placed(self._shrunk().expected()), self.difference)

    def interval(self, prob: float, kind: str = "hdi") -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest or the equal-tailed interval; nan where none can be told."""
        low, high = self._shrunk().interval(prob, kind)
        return self._placed(low), self._placed(high)
