"""Scores of cross-validation folds and of data sets: Student's t of folds, and shares of signs.

Folds share training data. Nadeau & Bengio (2003), Inference for the generalization error, Machine
Learning 52, 239-281; Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated
algorithms on multiple data sets, Machine Learning 100, 285-304.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import eased
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half


@dataclass(frozen=True)
class Folds:
    """The posterior of mean differences (...) on correlated folds: Student's t, flat prior."""

    centre: np.ndarray
    scale: np.ndarray  # 0 where all folds differ alike, but for rounding
    df: int
    worth: float  # how many independent folds these are worth

    @classmethod
    def from_differences(
        cls, differences: np.ndarray, correlation: float, largest: float = 0.0
    ) -> Self:
        """From the differences (fold, ...) of scores of which the `largest` is known."""
        n = len(differences)
        variance = 1 / n + correlation / (1 - correlation)
        spread = differences.std(axis=0, ddof=1)
        rounding = _ULPS * np.finfo(float).eps * np.abs(differences).max(0, initial=largest)
        scale = np.where(spread > rounding, spread * np.sqrt(variance), 0.0)
        centre = differences.mean(axis=0)
        centre = np.where(np.abs(centre) > rounding, centre, 0.0)
        return cls(centre, scale, n - 1, 1 / variance)

    def masses(self, rope: float, width: float = 1.0) -> np.ndarray:
        """Probability below, within and above the region, (..., 3).

        Folds that differ alike do not show how they vary: they count as won, lost or tied; with a
        region, differences lie within `width`, and as many folds as these are worth are at the
        centre, of a Dirichlet distribution whose prior is 1 at each end and at the centre.
        """
        centre, scale = self.centre, self.scale
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = ((edge - centre) / scale for edge in (-rope, rope))
            below, above = special.stdtr(self.df, low), special.stdtr(self.df, -high)
        if (alike := scale == 0).any():
            below[alike], above[alike] = self._alike(centre[alike], rope, width)
        return np.stack([below, np.clip(1 - below - above, 0, 1), above], axis=-1)

    def _alike(
        self, centre: np.ndarray, rope: float, width: float
    ) -> tuple[np.ndarray, np.ndarray]:
        if rope and not width > 0:  # all scores are one number, of a scale that is not known
            return np.full_like(centre, np.nan), np.full_like(centre, np.nan)
        if rope:
            at = 1.0, 1.0, 1.0 + self.worth
            low, high = (np.clip((edge - centre) / width, -1, 1) for edge in (-rope, rope))
            return dirichlet.prob_below(*at, low), dirichlet.prob_above(*at, high)
        won, lost = (1.0 + self.worth * side for side in (centre > 0, centre < 0))
        return prob_above_half(lost, won), prob_above_half(won, lost)


_ULPS = 8  # of the largest number, by which folds differ that differ alike


def prob_largest(parameters: np.ndarray, points: int = 400) -> np.ndarray:
    """Probability that each share of a Dirichlet is the largest, from parameters (..., outcome); 0
    where one is 0.

    Shares are independent gammas over their sum, so the largest gamma is the largest share: an
    integral of its density times the distribution functions of the others, taken over its
    quantiles.
    """
    u, weight = eased(points)
    positive, safe = parameters > 0, np.where(parameters > 0, parameters, 1.0)
    probabilities = np.empty(parameters.shape)
    for k in range(parameters.shape[-1]):
        x = special.gammaincinv(safe[..., k, None], u)[..., None, :]
        others, counted = (np.delete(v, k, axis=-1)[..., None] for v in (safe, positive))
        probabilities[..., k] = (
            np.where(counted, special.gammainc(others, x), 1.0).prod(-2) @ weight
        )
    probabilities = np.where(positive, probabilities, 0.0)
    return probabilities / probabilities.sum(-1, keepdims=True)
