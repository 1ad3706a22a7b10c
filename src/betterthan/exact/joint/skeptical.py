"""Differences of means of pairs under a normal prior about 0.

Means of differences under a normal prior about 0: Student's t times a normal density.

The density is integrated piece by piece, by Gauss-Legendre nodes between bounds that follow both of
its factors, for all pairs at once.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np

from betterthan.exact.joint.units import PairMeans
from betterthan.exact.numeric.quadrature import legendre
from betterthan.exact.wins.beta import prob_above_half

_NODES = 16
_POSITIVE_STEPS = np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 14, 20, 40, 100])
_STEPS = np.concatenate([-_POSITIVE_STEPS[::-1], [0.0], _POSITIVE_STEPS])
_FAR = 12.0  # standard deviations of the prior, beyond which it is 0
_HALVINGS = 45
_SHARES, _ROUNDS = 8, 6  # of the search for the narrowest interval
_TOGETHER = 100  # pairs up to which it tries all shares at once


@dataclass(frozen=True)
class Shrunk:
    """Posterior of differences, one number a pair: ``mean`` + ``error`` times Student's t of ``df``
    degrees of freedom, times a normal density of standard deviation ``prior_sd``; between -``most``
    and ``most``.
    """

    mean: np.ndarray
    error: np.ndarray  # above 0
    df: np.ndarray
    prior_sd: float
    most: float = np.inf

    @cached_property
    def _bounds(self) -> np.ndarray:
        """Bounds of the pieces, (pair, bound), ascending."""
        data = self.mean[:, None] + self.error[:, None] * _STEPS
        prior = np.broadcast_to(self.prior_sd * _STEPS, data.shape)
        limit = np.full((len(data), 1), min(self.most, _FAR * self.prior_sd))
        bounds = np.concatenate([data, prior, -limit, limit], axis=1)
        return np.sort(np.clip(bounds, -limit, limit), axis=1)

    def _log(self, d: np.ndarray) -> np.ndarray:
        """Log density (pair, ...), without its constant."""
        more = (slice(None),) + (None,) * (d.ndim - 1)
        mean, error, df = (x[more] for x in (self.mean, self.error, self.df))
        t = np.log1p(((d - mean) / error) ** 2 / df) * (df + 1) / 2
        return -t - (d / self.prior_sd) ** 2 / 2

    @cached_property
    def _top(self) -> np.ndarray:
        return self._log(self._bounds).max(1)

    def _masses(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Integrals (pair, piece) between bounds (pair, piece), in units of the top."""
        x, weight = legendre(_NODES)
        half = (high - low)[..., None] / 2
        points = low[..., None] + half * (x + 1)
        heights = np.exp(self._log(points) - self._top[:, None, None])
        return (heights * half * weight).sum(-1)

    @cached_property
    def _pieces(self) -> np.ndarray:
        return self._masses(self._bounds[:, :-1], self._bounds[:, 1:])

    @cached_property
    def _total(self) -> np.ndarray:
        return self._pieces.sum(1)

    def prob_above(self, delta: float) -> np.ndarray:
        """P(d > delta), precise in the tail where it is small."""
        low, high = np.maximum(self._bounds[:, :-1], delta), np.maximum(self._bounds[:, 1:], delta)
        return np.minimum(self._masses(low, high).sum(1) / self._total, 1.0)

    def prob_below(self, delta: float) -> np.ndarray:
        """P(d < delta), as precise in its tail."""
        low, high = np.minimum(self._bounds[:, :-1], delta), np.minimum(self._bounds[:, 1:], delta)
        return np.minimum(self._masses(low, high).sum(1) / self._total, 1.0)

    def expected(self) -> np.ndarray:
        """The mean of the posterior."""
        x, weight = legendre(_NODES)
        low, high = self._bounds[:, :-1, None], self._bounds[:, 1:, None]
        points = low + (high - low) / 2 * (x + 1)
        heights = np.exp(self._log(points) - self._top[:, None, None])
        return (points * heights * (high - low) / 2 * weight).sum((1, 2)) / self._total

    def quantile(self, prob: float | np.ndarray) -> np.ndarray:
        """The difference below which the posterior probability is `prob`."""
        return self._quantiles(np.broadcast_to(prob, (1, *self.mean.shape)))[0]

    def _quantiles(self, probs: np.ndarray) -> np.ndarray:
        """Those of several probabilities of each pair, (prob, pair)."""
        wanted = probs.T * self._total[:, None]
        reached = np.cumsum(self._pieces, axis=1)
        piece = (reached[:, None] < wanted[..., None]).sum(2)
        piece = np.minimum(piece, reached.shape[1] - 1)
        rows = np.arange(len(piece))[:, None]
        low, high = self._bounds[rows, piece], self._bounds[rows, piece + 1]
        start, left = low, wanted - (reached[rows, piece] - self._pieces[rows, piece])
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self._masses(start, middle) < left
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return ((low + high) / 2).T

    def interval(self, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval."""
        tail = np.full(self.mean.shape, (1 - prob) / 2)
        if kind == "hdi":
            tail = self._narrowest(prob)
        return self.quantile(tail), self.quantile(tail + prob)

    def _narrowest(self, prob: float) -> np.ndarray:
        """Probability below the narrowest interval, by a grid search that is refined."""
        width = (1 - prob) / _SHARES
        best = np.full(self.mean.shape, (1 - prob) / 2)
        for _ in range(_ROUNDS):
            shares = best + width * np.arange(-_SHARES, _SHARES + 1)[:, None]
            shares = np.clip(shares, 0.0, 1 - prob)
            parts = np.array_split(shares, min(len(shares), 1 + len(best) // _TOGETHER))
            widths = np.concatenate(
                [self._quantiles(part + prob) - self._quantiles(part) for part in parts]
            )
            best = np.take_along_axis(shares, np.argmin(widths, axis=0)[None], 0)[0]
            width /= _SHARES / 2
        return best


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
        sides = np.stack([prob, super().prob_above(delta), np.full(len(prob), 0.5)])
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
