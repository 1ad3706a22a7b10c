"""Weighted sums of Dirichlet shares: D = sum_j w_j c_j, w ~ Dirichlet(alpha), exactly.

With independent G_j ~ Gamma(alpha_j), D > x where X = sum_j G_j (c_j - x) > 0. X has the
moment-generating function M(t) = prod_j (1 - t (c_j - x))^-alpha_j, and

    P(X > 0) = 1 / (2 pi i) * integral of M(t) / t dt

along a vertical line right of 0. On the line through the saddle point of M(t) / t no term is larger
than at that point, so a small probability has as many digits as a large one. The density of D at x
is the same integral of M(t) A, A = sum_j alpha_j / (1 - t (c_j - x)); its slope that of
-M(t) t (A^2 + B), with the squares of the denominators in B.

S. B. Provost and Y.-H. Cheong (2000), On the distribution of linear combinations of the components
of a Dirichlet random vector, Canadian Journal of Statistics 28(2), 417-425, doi:10.2307/3315988.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.exact.numeric import limits

_HALVINGS, _LOGIT = 18, 40.0  # of the search for the saddle point
_STEP, _BLOCK, _BLOCKS = 0.08, 16, 60  # nodes are sinh of multiples of the step
_FADED = 1e-17  # of the largest term
_CELLS = 2**20  # numbers at once
_SHORT, _ROUNDS = 1e-6, 40  # the last step of Newton, in standard deviations, and steps
_GRID, _SEARCHES = 17, 4  # masses below an interval at which the narrowest is looked for


@dataclass(frozen=True)
class WeightedShares:
    """The law of D, one in each row."""

    alpha: np.ndarray  # (row, value), 0 where a row lacks the value
    values: np.ndarray  # (value,), from -1 to 1

    def take(self, rows: Any) -> "WeightedShares":
        """Select rows."""
        return WeightedShares(self.alpha[rows], self.values)

    @property
    def mean(self) -> np.ndarray:
        """Expected D, (row,)."""
        return self.alpha @ self.values / self.alpha.sum(1)

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation, (row,)."""
        total, away = self.alpha.sum(1), self.values - self.mean[:, None]
        return np.sqrt((self.alpha * away**2).sum(1) / (total * (total + 1)))

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest D, (row,)."""
        has = self.alpha > 0
        return (
            np.where(has, self.values, np.inf).min(1),
            np.where(has, self.values, -np.inf).max(1),
        )

    def prob_above(self, x: np.ndarray | float = 0.0) -> np.ndarray:
        """P(D > x), (row,); 1/2 where D is x for certain.

        Examples
        --------
        >>> law = WeightedShares(np.array([[3.0, 12.0, 9.0]]), np.array([-1.0, 0.0, 1.0]))
        >>> law.prob_above().round(12).tolist()  # P(p > 1/2), p ~ Beta(9, 3)
        [0.96728515625]
        """
        tail, _, _, above = self._integrals(x, 1)
        return np.where(above, tail, 1 - tail)

    def prob_below(self, x: np.ndarray | float = 0.0) -> np.ndarray:
        """P(D < x), (row,)."""
        tail, _, _, above = self._integrals(x, 1)
        return np.where(above, 1 - tail, tail)

    def density(self, x: np.ndarray | float) -> np.ndarray:
        """The density of D at x, (row,)."""
        return self._integrals(x, 2)[1]

    def slope(self, x: np.ndarray | float) -> np.ndarray:
        """The slope of the density at x, (row,)."""
        _, _, slope, above = self._integrals(x, 3)
        return np.where(above, slope, -slope)

    def quantile(self, prob: np.ndarray | float) -> np.ndarray:
        """The x with P(D < x) = prob, (row,)."""
        prob = np.broadcast_to(np.asarray(prob, dtype=float), self.alpha.shape[:1])
        lowest, highest = self.ends
        x, sd = np.where(prob < 0.5, lowest, highest), self.sd
        open_ = np.flatnonzero((prob > 0) & (prob < 1) & (sd > 0))

        def below(rows: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            tail, height, _, above = self.take(open_[rows])._integrals(x, 2)
            return np.where(above, 1 - tail, tail), height, _SHORT * sd[open_[rows]]

        start = limits.beta_quantile(self.mean[open_], sd[open_], prob[open_])
        x[open_] = limits.quantile(below, start, prob[open_])
        return x

    def interval(self, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval, (row,)."""
        tail = (1 - prob) / 2
        ends = np.stack([self.quantile(tail), self.quantile(1 - tail)])
        if kind == "hdi":
            self._narrow(ends, prob)
        return ends[0], ends[1]

    def _narrow(self, ends: np.ndarray, prob: float) -> None:
        """From equal tails to equal heights; by search where a density has its top at an end."""
        rows = np.flatnonzero(self.sd > 0)

        def beyond(index: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            law = self.take(rows[index])
            tails, heights, slopes, above = zip(*(law._integrals(end, 3) for end in x), strict=True)
            mass = [np.where(above[0], 1 - tails[0], tails[0])]
            mass.append(np.where(above[1], tails[1], 1 - tails[1]))
            slope = np.where(np.stack(above), slopes, np.negative(slopes))
            return np.stack(mass), np.stack(heights), slope / np.stack(heights)

        start, last = ends[:, rows], _SHORT * self.sd[rows]
        moved, converged = limits.equal_heights(beyond, start, 1 - prob, last)
        narrower = np.ptp(moved, axis=0) < np.ptp(start, axis=0)
        ends[:, rows[converged & narrower]] = moved[:, converged & narrower]
        if not converged.all():
            ends[:, rows[~converged]] = self.take(rows[~converged])._narrowest(prob)

    def _narrowest(self, prob: float) -> np.ndarray:
        """By the mass below the interval, from grids that become finer, (2, row)."""
        number = len(self.alpha)
        every, row = self.take(np.repeat(np.arange(number), _GRID)), np.arange(number)
        low, high = np.zeros(number), np.full(number, 1 - prob)
        ends, best = np.zeros((2, number, _GRID)), np.zeros(number, int)
        for _ in range(_SEARCHES):
            mass = np.linspace(low, high, _GRID, axis=1)
            both = mass.ravel(), np.minimum(mass + prob, 1.0).ravel()
            ends = np.stack([every.quantile(p) for p in both]).reshape(2, number, _GRID)
            best = np.ptp(ends, axis=0).argmin(1)
            low, high = (mass[row, np.clip(best + step, 0, _GRID - 1)] for step in (-1, 1))
        return ends[:, row, best]

    def _integrals(self, x: np.ndarray | float, number: int) -> tuple[np.ndarray, ...]:
        """The first so many of the smaller tail, the density and its slope on that side, the others
        0; and whether that tail is the upper one, (row,).
        """
        x = np.broadcast_to(np.asarray(x, dtype=float), self.alpha.shape[:1])
        above = self.mean <= x
        away = np.where(above[:, None], 1.0, -1.0) * (self.values - x[:, None])
        away[self.alpha == 0] = 0.0
        values = np.zeros((3, len(x)))
        values[0, ~away.any(1)] = 0.5
        rows = np.flatnonzero(away.max(1) > 0)
        step = max(1, _CELLS // (_BLOCK * len(self.values)))
        for k in range(0, len(rows), step):
            some = rows[k : k + step]
            values[:number, some] = _along_line(self.alpha[some], away[some], number)
        return (*values, above)


def _along_line(alpha: np.ndarray, away: np.ndarray, number: int) -> np.ndarray:
    """1 / pi times the real parts of the integrals, by the trapezoid rule, (integral, row)."""
    saddle = _saddle(alpha, away)
    curve = (alpha * (away / (1 - saddle[:, None] * away)) ** 2).sum(1)
    width = 1 / np.sqrt(curve + 1 / saddle**2)
    top = np.exp(-(alpha * np.log1p(-saddle[:, None] * away)).sum(1) - np.log(saddle))
    total = np.zeros((number, len(alpha)))
    for block in range(_BLOCKS):
        u = _STEP * np.arange(block * _BLOCK, (block + 1) * _BLOCK)
        t = saddle[:, None] + 1j * width[:, None] * np.sinh(u)
        terms = _integrands(alpha, away, t, number) * np.cosh(u)
        terms[..., 0] *= 0.5 if block == 0 else 1.0
        total += np.real(terms).sum(2)
        if (np.abs(terms[..., -1]) <= _FADED * np.maximum(np.abs(total), top)).all():
            break
    return total * width * _STEP / np.pi


def _saddle(alpha: np.ndarray, away: np.ndarray) -> np.ndarray:
    """Where M(t) / t is least for t > 0, by halving the logit of t times the largest value."""
    most = away.max(1)
    low, high = np.full(len(most), -_LOGIT), np.full(len(most), _LOGIT)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        t = 1 / (1 + np.exp(-middle)) / most
        rising = (alpha * away / (1 - t[:, None] * away)).sum(1) > 1 / t
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    return 1 / (1 + np.exp(-low)) / most


def _integrands(alpha: np.ndarray, away: np.ndarray, t: np.ndarray, number: int) -> np.ndarray:
    """M / t, M A and -M t (A^2 + B), as many as are needed, at nodes t (row, node)."""
    log, first, second = (np.zeros(t.shape, complex) for _ in range(3))
    for j in range(alpha.shape[1]):
        a, factor = alpha[:, j, None], 1 - t * away[:, j, None]
        log -= a * np.log1p(-t * away[:, j, None])  # log would lose digits of large counts
        if number > 1:
            first += a / factor
        if number > 2:
            second += a / factor**2
    m = np.exp(log)
    return np.stack([m / t, m * first, -m * t * (first**2 + second)][:number])
