"""Weighted averages of independent differences, one of each data set, by characteristic functions.

With d = sum_t w_t d_t, E exp(i s d) is the product of E exp(i s w_t d_t). One integral inverts it:

    P(d > x)     = 1/2 + 1/pi * integral over s > 0 of Im(exp(-i s x) E exp(i s d)) / s ds,
    density at x =       1/pi * integral over s > 0 of Re(exp(-i s x) E exp(i s d)) ds.

The difference of a data set is theta_win - theta_loss under a Dirichlet distribution. It is
bounded: with nodes at odd multiples of half a step h the midpoint rule errs by P(|d - x| > 2 pi /
h) alone.

The characteristic function of a Dirichlet(a, b, t), with n = a + b + t, is

    E exp(i s d) = Gamma(n) / (2 pi i) * integral of exp(z) (z - i s)^-a (z + i s)^-b z^-t dz

along any vertical line right of 0, here through n. Where s is so large that the singularities 0,
i s and -i s lie far apart, the line is bent around each of them by itself, along the paths of A.
Talbot (1979), Journal of the Institute of Mathematics and its Applications 23(1), 97-120,
doi:10.1093/imamat/23.1.97.

J. Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38(3-4), 481-482,
doi:10.1093/biomet/38.3-4.481.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import special

from betterthan.exact.numeric import limits
from betterthan.exact.wins.beta import stirling
from betterthan.exact.wins.dirichlet import sd_difference

_FADED = 1e-12  # of the characteristic function, at which a rule ends
_NODES = 8192  # at which it ends at last
_BLOCK = 32  # nodes that are added at once


@dataclass(frozen=True)
class Counts:
    """theta_win - theta_loss under Dirichlet(cells)."""

    cells: np.ndarray  # (pair, dataset, outcome), of win, loss and tie; ties may be 0

    @classmethod
    def from_suite(cls, counts: np.ndarray, prior: np.ndarray, weights: np.ndarray) -> Self:
        """Posterior of counts (pair, dataset, outcome) whose average has this prior (outcome,).

        Examples
        --------
        >>> Counts.from_suite(np.array([[[2, 0, 1], [0, 1, 2]]]), np.ones(3), np.full(2, 0.5)).cells
        array([[[1.1       , 0.36666667, 0.73333333],
                [0.36666667, 0.73333333, 1.1       ]]])
        """
        share, worth, wider = shares(counts.sum(-1, keepdims=True), weights[:, None])
        cells = counts * worth + prior * share
        total = cells.sum(-1, keepdims=True)
        return cls(cells * (((total + 1) / wider - 1) / total))

    def take(self, rows: np.ndarray) -> Self:
        """Select pairs."""
        return type(self)(self.cells[rows])

    @property
    def mean(self) -> np.ndarray:
        """Expected differences, (pair, dataset)."""
        return (self.cells[..., 0] - self.cells[..., 1]) / self.cells.sum(-1)

    @property
    def sd(self) -> np.ndarray:
        """Standard deviations, (pair, dataset)."""
        return sd_difference(*np.moveaxis(self.cells, -1, 0))

    def rule(self, first: int, level: int, sd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes s and their weights ds, (pair, node), from one on."""
        step = 2 * np.pi / np.minimum(_REACH * 2.0**level * sd, _WIDEST)[:, None]
        step = 2.0 ** (np.floor(2 * np.log2(step)) / 2)  # few steps, that pairs share nodes
        return (np.arange(first, first + _BLOCK) + 0.5) * step, step

    def characteristic(self, s: np.ndarray) -> np.ndarray:
        """E exp(i s d), (pair, dataset, node)."""
        rows, at = self.cells.reshape(-1, 3), s.reshape(-1, s.shape[-1])
        # once for data sets of the same counts and nodes, of which there are many small ones
        _, index, same = np.unique(
            np.column_stack([rows, at[:, :1]]), axis=0, return_index=True, return_inverse=True
        )
        rows, at = rows[index], at[index]
        values, near = np.empty(at.shape, complex), np.empty(at.shape, bool)
        for begin in range(0, len(rows), _ROWS):
            block = slice(begin, begin + _ROWS)
            values[block], near[block] = _by_moments(rows[block], at[block])
        if (two := rows.sum(1) < _NORMAL).any():
            values[two], near[two] = _by_normal(rows[two], at[two]), True
        scale, few = np.maximum(rows, _LEAST_SCALE), rows.sum(1) < _FEW
        separate = ~near & (at > (np.pi * scale.max(1) + _APART)[:, None])
        for k in np.flatnonzero(few & ~(near | separate).all(1)):
            some = ~(near | separate)[k]
            values[k, some] = _by_gauss(rows[k], at[k, some])
        for part, function in (
            (separate, _by_paths),
            (~near & ~separate & ~few[:, None], _by_line),
        ):
            row, node = np.nonzero(part)
            for block in range(0, len(row), _HELD):
                r, k = row[block : block + _HELD], node[block : block + _HELD]
                values[r, k] = function(rows[r], at[r, k])
        return values[same].reshape(s.shape)


def shares(items: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each data set its share of the prior of the average, what an item counts next to it, and
    how much wider the posterior is than one of so many items.

    With a prior of its own, each of many small data sets would draw the average further away, while
    the average gets more precise. The shares are the weights, which sum to 1. A posterior from n
    items varies by p (1 - p) / (n + 1) around the observed p, on average (n - 1) / (n + 1) times
    what p varies by: an item counts so much, lest the average of many be too certain. A posterior
    from n (n - 1) / (n + 1) items then varies by (n^2 - 1) / (n^2 + 1) of it.
    """
    if len(weights) == 1:  # the prior of one is what it would be by itself
        return np.ones_like(weights), *np.ones((2, *np.shape(items)))
    n = np.asarray(items, dtype=float)
    wider = (n**2 + 1) / np.where(n > 1, n**2 - 1, n**2 + 1)
    return np.where(weights > 0, weights, 1.0), np.maximum(n - 1, 0) / (n + 1), wider


_REACH, _WIDEST = 34.0, 2.0  # standard deviations, and at most, that the rule resolves
_LEAST_SCALE, _APART = 8.0, 5.0  # of a path, and of the paths from each other
_NORMAL = 1.0  # a sum of parameters, of two items, below which a normal of their moments stands in
_FEW = 12.0  # a sum of parameters below which the integrand falls off too slowly for the line
_HELD = 2048  # values of s at once
_SIDES = np.array([1.0, -1.0, 0.0])  # d of a win, a loss, a tie
_LOG_SMALL = 34.0  # the integrand is left out where it is smaller by exp of this
_SPACING = 0.5  # of nodes along the line, in widths of a hump
_CELLS = 2**18  # numbers at once
_FRACTION, _WIDTHS = (np.arange(64) + 0.5) / 32 - 1, 14.0  # nodes of a path, and its reach


_ROWS = 512  # pairs of data sets at once, which stay in the processor's cache
_TERMS, _LARGEST, _LAST_TERM, _MORE = 56, 1e3, 1e-17, 8.0  # of the sum of moments


def _by_moments(cells: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum of E (i s d)^j / j! about the mean m, (row, node), and where it has its digits.

    E (d - m)^j / j! = h_j / (n (n + 1) ... (n + j - 1)), where the product of (1 - c_k x)^-a_k,
    c = (1, -1, 0) - m, is the sum of h_j x^j.
    """
    n, mean, sd = cells.sum(1), (cells[:, 0] - cells[:, 1]) / cells.sum(1), sd_difference(*cells.T)
    scale = n + _MORE  # of the moments, lest they overflow
    c, z = (_SIDES - mean[:, None]) / (scale * sd)[:, None], s * sd[:, None]
    order = np.arange(1, _TERMS)[:, None]
    powers = (np.broadcast_to(c, (_TERMS - 1, *c.shape)).cumprod(0) * cells).sum(2)
    powers[0] = 0.0
    moments = np.ones((_TERMS, len(n)))
    for j in range(1, _TERMS):
        moments[j] = (powers[:j] * moments[j - 1 :: -1]).sum(0) / j
    moments[1:] /= ((n + order - 1) / scale).cumprod(0)
    largest = np.where(order < _TERMS - 2, _LARGEST, _LAST_TERM)
    with np.errstate(divide="ignore"):
        near = z <= ((largest / np.abs(moments[1:])) ** (1 / order)).min(0)[:, None]
    z = np.where(near, z, 0.0)
    square, even, odd = z**2, np.zeros(z.shape), np.zeros(z.shape)
    for j in range(_TERMS - 2, -1, -2):
        even = moments[j, :, None] - even * square
        odd = moments[j + 1, :, None] - odd * square
    return (even + 1j * z * odd) * np.exp(1j * s * mean[:, None]), near


def _by_normal(cells: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Of two items, whose density under a Dirichlet distribution has a peak at each outcome."""
    mean, sd = (cells[:, 0] - cells[:, 1]) / cells.sum(1), sd_difference(*cells.T)
    return np.exp(1j * s * mean[:, None] - 0.5 * (s * sd[:, None]) ** 2)


def _by_gauss(cells: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Of few items: d = q (2 p - 1), q ~ Beta(a + b, t), p ~ Beta(a, b), by Gauss-Jacobi rules."""
    win, loss, tie = cells
    p, p_weight = special.roots_jacobi(30 + int(0.55 * s.max()), loss - 1, win - 1)
    q, q_weight = np.ones(1), np.ones(1)
    if tie > 0:
        q, q_weight = special.roots_jacobi(30 + int(0.28 * s.max()), tie - 1, win + loss - 1)
    d = np.outer((q + 1) / 2, p).ravel()
    weight = np.outer(q_weight / q_weight.sum(), p_weight / p_weight.sum()).ravel()
    return np.exp(1j * s[:, None] * d) @ weight


def _by_line(cells: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The integral along the line through n, where no term is larger than without s, (node,)."""
    n, centers = cells.sum(1), s[:, None] * _SIDES
    with np.errstate(over="ignore", divide="ignore"):
        reach = n[:, None] * np.sqrt(np.expm1(2 * _LOG_SMALL / np.append(cells, n[:, None], 1)))
    low = np.maximum((centers - reach[:, :3]).max(1), -s - reach[:, 3])
    high = np.minimum((centers + reach[:, :3]).min(1), s + reach[:, 3])
    length, width = np.maximum(high - low, 0.0), _SPACING * np.sqrt(n)
    number = 1 + 2 ** np.ceil(np.log2(np.maximum(length / width, 1.0))).astype(int)
    values = np.empty(len(s), complex)
    for nodes in np.unique(number):
        index = np.flatnonzero(number == nodes)
        for rows in np.split(index, range(step := max(1, _CELLS // nodes), len(index), step)):
            y = low[rows, None] + length[rows, None] * np.linspace(0, 1, nodes)
            log = 1j * y
            for k in range(3):
                turned = 1 + 1j * (y - centers[rows, k, None]) / n[rows, None]
                log = log - cells[rows, k, None] * np.log(turned)
            values[rows] = np.exp(log).sum(1) * length[rows] / (nodes - 1)
    return values * np.exp(-_log_norm(n)) / (2 * np.pi)


def _by_paths(cells: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The sum of the integrals around the three singularities, (node,)."""
    law, index = np.unique(cells, axis=0, return_inverse=True)  # paths depend on cells alone
    n, total = law.sum(1)[:, None], np.zeros(len(s), complex)
    for k in range(3):
        scale = np.maximum(law[:, k, None], _LEAST_SCALE)
        angle = np.minimum(np.pi, _WIDTHS / np.sqrt(scale)) * _FRACTION
        path = scale * (angle / np.tan(angle) + 1j * angle)
        turn = 1 / np.tan(angle) - angle / np.sin(angle) ** 2 + 1j
        turn = turn * scale * (angle[:, 1:2] - angle[:, :1]) / (2j * np.pi)
        factor = path - n - _log_norm(n) - law[:, k, None] * np.log(path / n)
        rows = np.flatnonzero(cells[:, k] > 0)
        center, row = 1j * s[rows, None] * _SIDES[k], index[rows]
        log, z = factor[row] + center, path[row] + center
        for j in {0, 1, 2} - {k}:
            other = 1j * s[rows, None] * _SIDES[j]
            log -= cells[rows, j, None] * np.log((z - other) / n[row])
        total[rows] += (np.exp(log) * turn[row]).sum(1)
    return total


def _log_norm(n: np.ndarray) -> np.ndarray:
    """Log of n^n exp(-n) / Gamma(n)."""
    return np.log(n / (2 * np.pi)) / 2 - stirling(n)


@dataclass(frozen=True)
class Average:
    """The posterior of the weighted average of each pair."""

    differences: Counts
    weights: np.ndarray  # (dataset,), which sum to 1

    @cached_property
    def mean(self) -> np.ndarray:
        """(pair,)."""
        return self.differences.mean @ self.weights

    @cached_property
    def sd(self) -> np.ndarray:
        """Standard deviation, (pair,)."""
        return np.sqrt(self.differences.sd**2 @ self.weights**2)

    def take(self, rows: np.ndarray) -> Self:
        """Select pairs."""
        law = replace(self, differences=self.differences.take(rows))
        law._spectra.update({level: known.take(rows) for level, known in self._spectra.items()})
        return law

    def expected(self) -> np.ndarray:
        """The difference that is reported next to the interval."""
        return self.mean

    def prob_above(self, x: float | np.ndarray = 0.0) -> np.ndarray:
        """P(d > x), (pair,); the error is below 1e-9.

        Examples
        --------
        >>> cells = np.array([[[14, 2, 14], [120, 140, 340], [30, 20, 40], [9, 4, 7]]]) + 1.0
        >>> average = Average(Counts(cells), np.full(4, 0.25))
        >>> average.prob_above(0.0).round(9).tolist(), average.prob_above(0.05).round(9).tolist()
        ([0.998752447], [0.983085437])
        """
        return self.above(np.broadcast_to(np.asarray(x, dtype=float), self.mean.shape))

    def prob_below(self, x: float | np.ndarray = 0.0) -> np.ndarray:
        """P(d < x), (pair,)."""
        return 1 - self.prob_above(x)

    def interval(self, prob: float, kind: str = "hdi") -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval."""
        tail = (1 - prob) / 2
        equal = self.quantile(tail), self.quantile(1 - tail)
        return self._equal_heights(np.stack(equal), prob) if kind == "hdi" else equal

    def quantile(self, prob: float | np.ndarray) -> np.ndarray:
        """The difference below which the posterior probability is `prob`, (pair,)."""
        low, high = self.ends
        middle, half = (low + high) / 2, (high - low) / 2
        start = special.ndtri(prob) * self.sd + self.mean

        def below(rows: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x = middle[rows] + half[rows] * u
            height = self.density(x, rows) * half[rows]
            return 1 - self.above(x, rows), height, _SHORT * self.sd[rows] / half[rows]

        start = np.clip((start - middle) / half, -0.999, 0.999)
        return middle + half * limits.quantile(below, start, np.broadcast_to(prob, start.shape))

    def heights(self, x: np.ndarray, rows: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """The density at x and its slope, of some of the pairs."""
        return self.density(x, rows), self._by_level(x, rows, Spectrum.slope)

    def density(self, x: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """The density at x, of some of the pairs."""
        return self._by_level(x, rows, Spectrum.density)

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Between which the average lies, or far enough from its mean."""
        far = _FURTHEST * self.sd
        return np.maximum(self.mean - far, -1.0), np.minimum(self.mean + far, 1.0)

    def _equal_heights(self, start: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
        """The narrowest interval; the equal-tailed one where no narrower one is known."""

        def beyond(rows: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            mass = np.stack([1 - self.above(ends[0], rows), self.above(ends[1], rows)])
            height, slope = map(np.stack, zip(*(self.heights(x, rows) for x in ends), strict=True))
            return mass, height, slope / height

        both, converged = limits.equal_heights(beyond, start, 1 - prob, _SHORT * self.sd, _TURNS)
        lower, upper = np.where(converged, both, start)
        return lower, upper

    def above(self, x: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """P(d > x) of some of the pairs."""
        rows = np.arange(len(self.mean))[rows]
        away = x - self.mean[rows]
        values = (away < 0).astype(float)  # so far out that the rule does not resolve it
        near = np.abs(away) <= _FURTHEST * self.sd[rows]
        if near.any():
            values[near] = self._by_level(x[near], rows[near], Spectrum.above)
        return np.clip(values, 0.0, 1.0)

    def _by_level(self, x: np.ndarray, rows: Any, function: Any) -> np.ndarray:
        """A function of the spectrum at x: the further x is from the mean, the finer the rule."""
        rows = np.arange(len(self.mean))[rows]
        away = np.minimum(np.abs(x - self.mean[rows]) / self.sd[rows], _FURTHEST)
        level = np.ceil(np.log2(np.maximum(away / _NEAR, 1.0))).astype(int)
        values = np.empty(len(x))
        for k in np.unique(level).tolist():
            some = np.flatnonzero(level == k)
            if k not in self._spectra:
                self._spectra[k] = self.transform(k)
            values[some] = function(self._spectra[k].take(rows[some]), x[some])
        return values

    @cached_property
    def _spectra(self) -> dict[int, "Spectrum"]:
        """Those that were computed, by level."""
        return {}

    def transform(self, level: int = 0) -> "Spectrum":
        """The characteristic function at nodes of a rule, until it has faded."""
        open_, parts, first = np.arange(len(self.mean)), [], 0
        while len(open_) and first < _NODES:
            s, weight = self.differences.rule(first, level, self.sd)
            values = np.zeros(s.shape, complex)
            laws = self.differences.take(open_)
            at = s[open_, None, :] * self.weights[:, None]
            values[open_] = laws.characteristic(at).prod(1)
            parts.append((s, np.broadcast_to(weight, s.shape), values))
            open_ = np.flatnonzero((np.abs(values[:, -_LAST:]) > _FADED).any(1))
            first += _BLOCK
        return Spectrum(*(np.concatenate(part, axis=1) for part in zip(*parts, strict=True)))


_NEAR, _FURTHEST = 4.0, 64.0  # standard deviations that the first rule resolves, and any
_SHORT, _TURNS = 1e-5, 30  # the last step of Newton, in standard deviations, and steps
_LAST = 8  # nodes that must have faded


@dataclass(frozen=True)
class AveragedPairs:
    """Averages in the form that the joint model uses (`joint.mixture.PairPosterior`)."""

    law: Average
    df = None
    skewed = False

    @property
    def z(self) -> np.ndarray:
        """How many errors the middle lies above d = 0."""
        return -self.score(0.0)

    def take(self, index: Any) -> "AveragedPairs":
        """Select pairs."""
        return AveragedPairs(self.law.take(index))

    def score(self, d: float | np.ndarray) -> np.ndarray:
        """The u of one difference, from the smaller tail."""
        return self._score(np.asarray(d, dtype=float), self.law.prob_above(d))

    def outside(self, rope: float) -> tuple[np.ndarray, np.ndarray]:
        """P(d < -rope) and P(d > rope)."""
        return self.law.prob_below(-rope), self.law.prob_above(rope)

    def place(self, u: np.ndarray, *, hall: bool = False) -> np.ndarray:
        """The difference at u."""
        return self.law.quantile(special.ndtr(u))

    def chart(self, d: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """u, du/dd, and the slope of its log."""
        above, (height, slope) = self.law.above(d), self.law.heights(d)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = self._score(d, above)
            steep = height * np.sqrt(2 * np.pi) * np.exp(0.5 * u * u)
            return u, steep, slope / height + u * steep

    def guess(self, middle: np.ndarray, sd: np.ndarray, prob: float) -> np.ndarray:
        """As of a normal."""
        far = special.ndtri((1 + prob) / 2) * sd
        ends = self.law.mean + self.law.sd * np.stack([middle - far, middle + far])
        low, high = self.law.ends
        return np.clip(ends, 0.95 * low + 0.05 * self.law.mean, 0.95 * high + 0.05 * self.law.mean)

    def inside(self, limits: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Within the range of the average."""
        low, high = self.law.ends
        return np.clip(moved, (limits + low) / 2, (limits + high) / 2)

    def mean(self, middle: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Mean of the differences, where u has this mean."""
        low, high = self.law.ends
        return np.clip(self.law.mean + self.law.sd * middle, low, high)

    def _score(self, d: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Normal score of P(difference < d); as of a normal where P has no digits."""
        tail = np.minimum(above, 1 - above)
        u = -special.ndtri(np.maximum(tail, _NO_DIGITS))
        far = np.abs(d - self.law.mean) / self.law.sd
        u = np.where(tail > _NO_DIGITS, u, np.maximum(u, far))
        return np.where(above < 0.5, u, np.where(above > 0.5, -u, 0.0))


_NO_DIGITS = 1e-11  # a tail that the rule does not resolve


@dataclass(frozen=True)
class Spectrum:
    """A characteristic function at nodes s, (pair, node), each with its weight ds."""

    s: np.ndarray
    weight: np.ndarray
    values: np.ndarray

    def take(self, rows: np.ndarray) -> "Spectrum":
        """Select pairs."""
        return Spectrum(self.s[rows], self.weight[rows], self.values[rows])

    def above(self, x: np.ndarray) -> np.ndarray:
        """P(d > x)."""
        return 0.5 + (self._turned(x).imag / self.s * self.weight).sum(1) / np.pi

    def density(self, x: np.ndarray) -> np.ndarray:
        """At x."""
        return (self._turned(x).real * self.weight).sum(1) / np.pi

    def slope(self, x: np.ndarray) -> np.ndarray:
        """Of the density at x."""
        return (self._turned(x).imag * self.s * self.weight).sum(1) / np.pi

    def _turned(self, x: np.ndarray) -> Any:
        return np.exp(-1j * self.s * x[:, None]) * self.values


_LOG_NODES = np.arange(-40.0, 12.0, 0.01)


def prob_above_0(values: np.ndarray) -> float:
    """P(a weighted mean of the values is above 0), weights Dirichlet(1, ..., 1), as of the Bayesian
    bootstrap: the sign of a sum of exponential variables, by its characteristic function.

    With the least possible value added it bounds what units that were not seen may change.

    References
    ----------
    N. Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of
    a nonnegative variable, Mathematical Methods of Statistics 14(4), 451-467.

    Examples
    --------
    >>> values = np.array([0.05] * 20 + [-0.95])  # the last weight, Beta(1, 20), is below 0.05
    >>> round(prob_above_0(values), 6), round(1 - 0.95**20, 6)
    (0.641514, 0.641514)
    """
    values, number = np.unique(values / np.abs(values).max(), return_counts=True)
    nodes = np.exp(_LOG_NODES)
    logs = sum(-n * np.log1p(-1j * nodes * x) for x, n in zip(values, number, strict=True))
    step = _LOG_NODES[1] - _LOG_NODES[0]
    return float(np.clip(0.5 + np.exp(logs).imag.sum() * step / np.pi, 0, 1))
