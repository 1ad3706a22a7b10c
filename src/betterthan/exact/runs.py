"""Repeated runs of items: pass^k and pass@k without bias, their bounds, and the variance of runs.

With s successes of r runs of an item, C(s, k) / C(r, k) has the expectation p^k for every success
probability p, as the chance that k of the r runs, drawn without replacement, all succeed. The mean
over items is pass^k. Likewise 1 - C(r - s, k) / C(r, k) has the expectation 1 - (1 - p)^k, and its
mean is pass@k.

M. Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374 (pass@k).
S. Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world domains,
arXiv:2406.12045 (pass^k).

Posteriors of these means are weighted sums of Dirichlet shares: D = sum_j w_j c_j, w ~
Dirichlet(alpha), exactly. With independent G_j ~ Gamma(alpha_j), D > x where X = sum_j G_j (c_j -
x) > 0. X has the moment-generating function M(t) = prod_j (1 - t (c_j - x))^-alpha_j, and

    P(X > 0) = 1 / (2 pi i) * integral of M(t) / t dt

along a vertical line right of 0. On the line through the saddle point of M(t) / t no term is larger
than at that point, so a small probability has as many digits as a large one. The density of D at x
is the same integral of M(t) A, A = sum_j alpha_j / (1 - t (c_j - x)); its slope that of
-M(t) t (A^2 + B), with the squares of the denominators in B.

S. B. Provost and Y.-H. Cheong (2000), On the distribution of linear combinations of the components
of a Dirichlet random vector, Canadian Journal of Statistics 28(2), 417-425, doi:10.2307/3315988.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric import limits
from betterthan.exact.numeric.counting import observed_mean
from betterthan.exact.swaps.randomization import monte_carlo_error, monte_carlo_p

_HALVINGS, _LOGIT = 18, 40.0  # of the search for the saddle point
_STEP, _BLOCK, _BLOCKS = 0.08, 16, 60  # nodes are sinh of multiples of the step
_FADED = 1e-17  # of the largest term
_CELLS = 2**20  # numbers at once
_SHORT = 1e-6  # the last step of Newton, in standard deviations
_FEW = 10  # items unlike the others, of which the jackknife says too little
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


_SHUFFLES, _ENOUGH = 256, 20  # permutations at once, and extreme ones after which p is known
_PLACES = 12  # chances that differ by rounding alone are equal


def drawn(successes: np.ndarray, trials: np.ndarray, k: int, kind: str) -> np.ndarray:
    """Chance that of k of the runs of an item all (kind "all") or some ("any") succeed; nan for
    fewer than k runs.

    Examples
    --------
    >>> drawn(np.array([0, 3, 5]), np.array([5, 5, 5]), 3, "all").round(3).tolist()
    [0.0, 0.1, 1.0]
    """
    hits = successes if kind == "all" else trials - successes
    chance = np.ones(np.broadcast(successes, trials).shape)
    for j in range(k):
        chance *= np.maximum(hits - j, 0) / np.maximum(trials - j, 1)
    return np.where(trials >= k, chance if kind == "all" else 1 - chance, np.nan)


def shares_of(chances: np.ndarray, counted: np.ndarray) -> WeightedShares:
    """The posterior of the mean chance of each system, from those of its items (item, system): the
    shares of items with each chance are Dirichlet, with half an item at 0 and half at 1.

    Examples
    --------
    >>> law = shares_of(np.array([[1.0], [1.0], [0.0]]), np.ones((3, 1), bool))
    >>> law.mean.tolist()
    [0.625]
    """
    prior = {0.0: 0.5, 1.0: 0.5}
    return _weighted(np.round(chances, _PLACES), counted, prior)


def differences_of(first: np.ndarray, second: np.ndarray, counted: np.ndarray) -> WeightedShares:
    """The posterior of the difference of each pair, from chances (item, pair): with the three items
    of the default prior, at 1, -1 and 0.
    """
    prior = {-1.0: 1.0, 0.0: 1.0, 1.0: 1.0}
    return _weighted(np.round(first - second, _PLACES), counted, prior)


def _weighted(values: np.ndarray, counted: np.ndarray, prior: dict[float, float]) -> WeightedShares:
    """How many items each column has at each value, with those of the prior."""
    distinct = np.union1d(values[counted], list(prior))
    alpha = np.zeros((values.shape[1], len(distinct)))
    place = np.searchsorted(distinct, np.where(counted, values, 0.0))
    column = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    np.add.at(alpha, (column[counted], place[counted]), 1.0)
    for value, weight in prior.items():
        alpha[:, np.searchsorted(distinct, value)] += weight
    return WeightedShares(alpha, distinct)


def bounds(share: np.ndarray, runs: int, k: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of pass^k (or pass@k) for more than the observed runs, from that of all runs, whatever
    the success probabilities are: by Jensen's inequality.

    Examples
    --------
    >>> [float(limit.round(3)) for limit in bounds(np.array(0.64), 2, 4, "all")]
    [0.41, 0.64]
    """
    if kind == "all":
        return share ** (k / runs), share
    return share, 1 - (1 - share) ** (k / runs)


@dataclass(frozen=True)
class Variances:
    """Of what a mean over items varies with, (column,): a system, or the difference of a pair."""

    items: np.ndarray  # number of items
    total: np.ndarray  # variance of item means
    run: np.ndarray  # variance of one run around the mean of its item, averaged over items
    of_runs: np.ndarray  # the part of `total` that is due to the runs

    @property
    def item(self) -> np.ndarray:
        """Variance of the items themselves; at least 0."""
        return np.maximum(self.total - self.of_runs, 0.0)

    @property
    def error(self) -> np.ndarray:
        """Standard error of the mean for items like these."""
        return np.sqrt(self.total / self.items)

    @property
    def error_of_runs(self) -> np.ndarray:
        """Standard error of the mean on these items alone."""
        return np.sqrt(self.of_runs / self.items)


def spread_of_runs(sums: np.ndarray, squares: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Sample variance of the runs of each item, from their sum and sum of squares; nan for fewer
    than two runs.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.maximum(squares - sums**2 / trials, 0.0) / (trials - 1)
    return np.where(trials > 1, spread, np.nan)


def variances(means: np.ndarray, spread: np.ndarray, of_mean: np.ndarray) -> Variances:
    """Variances of each column, from the mean of the runs of each item, the variance of one run,
    and that of their mean, (item, column); nan where an item does not count.

    Examples
    --------
    >>> right, runs = np.array([[5.0], [2], [0], [4]]), np.full((4, 1), 5.0)
    >>> spread = spread_of_runs(right, right, runs)
    >>> of = variances(right / 5, spread, spread / 5)
    >>> of.total.round(4).tolist(), of.run.round(4).tolist(), of.item.round(4).tolist()
    ([0.1967], [0.125], [0.1717])
    """
    items = (~np.isnan(means)).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(np.isnan(means), 0.0, means - observed_mean(means))
        total = np.where(items > 1, (off**2).sum(0) / np.maximum(items - 1, 1), np.nan)
    return Variances(items, total, observed_mean(spread), observed_mean(of_mean))


def run_effect(
    values: np.ndarray, shuffles: int = 9_999, seed: int = 0
) -> tuple[float, np.ndarray]:
    """Whether whole runs differ: p of the variance of their means under permutations of the runs of
    each item, and these means; from scores (item, run) without gaps.

    For scores of 0 and 1 the statistic is Cochran's Q. Of two runs of 0 and 1, p is exact.
    Otherwise permutations are drawn, at most so many, until 20 are as extreme as the scores, and
    p = (b + 1) / (number + 1). It is 1 if no item has runs that differ.

    W. G. Cochran (1950), The comparison of percentages in matched samples, Biometrika 37(3/4),
    256-266, doi:10.1093/biomet/37.3-4.256.

    Examples
    --------
    >>> bad = np.array([[1.0, 1, 0]] * 6 + [[1, 1, 1]] * 4)
    >>> run_effect(bad)[0] < 0.01, run_effect(bad)[1].tolist()
    (True, [1.0, 1.0, 0.4])
    """
    means = values.mean(0) if len(values) else np.full(values.shape[1], np.nan)
    mixed = values[np.ptp(values, axis=1) > 0] if len(values) else values
    if not len(mixed):
        return 1.0, means
    off = mixed - mixed.mean(1, keepdims=True)
    here = (off.sum(0) ** 2).sum()
    if values.shape[1] == 2 and np.isin(values, (0.0, 1.0)).all():
        n, won = len(mixed), int((mixed[:, 0] > mixed[:, 1]).sum())
        return float(min(1.0, 2 * special.bdtr(min(won, n - won), n, 0.5))), means
    random, number, beyond = np.random.default_rng(seed), 0, 0
    while number < shuffles and beyond < _ENOUGH:
        order = random.random((min(_SHUFFLES, shuffles - number), *off.shape)).argsort(2)
        sums = np.take_along_axis(np.broadcast_to(off, order.shape), order, 2).sum(1)
        beyond += int(((sums**2).sum(1) >= here * (1 - 1e-12)).sum())
        number += len(order)
    return (beyond + 1) / (number + 1), means


def flips(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Probability that a run of each of two sets have different outcomes, from the share of
    successes of each: without bias, because the sets are independent.

    Examples
    --------
    >>> flips(np.array([1.0, 0.5]), np.array([0.0, 0.5])).tolist()
    [1.0, 0.5]
    """
    return first * (1 - second) + second * (1 - first)


def best_runs(item: np.ndarray, run: np.ndarray, cost_item: float, cost_run: float) -> np.ndarray:
    """Runs of each item that give the least variance of a mean at any cost, at least 1; inf where
    items do not vary, nan where a variance is unknown.

    A mean over n items with r runs has the variance (item + run / r) / n, and costs
    n (cost_item + r cost_run).

    Examples
    --------
    >>> best_runs(np.array(0.1), np.array(0.1), 4.0, 1.0).tolist()
    2.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = run * cost_item / (item * cost_run)
    best = np.where(run == 0, 1.0, np.sqrt(np.maximum(ratio, 1.0)))
    return np.where(np.isnan(item), np.nan, best)


def share_of_runs(
    means: np.ndarray, of_mean: np.ndarray, prob: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the share of the runs in the variance of a mean over items, by the jackknife over
    items of its log; takes two of the columns of `variances`. 0 to 1 where nothing is known, as of
    a few items that differ from all others: they decide, and another sample has others.

    Examples
    --------
    >>> means, of_mean = np.arange(8.0)[:, None], np.arange(8.0)[::-1, None] / 4
    >>> lower, upper = share_of_runs(means, of_mean, 0.95)
    >>> lower.round(3).tolist(), upper.round(3).tolist()
    ([0.048], [0.439])
    """
    scored = ~np.isnan(means)
    n = scored.sum(0)
    d, noise = np.where(scored, means, 0.0), np.where(scored, of_mean, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = d.sum(0) - d  # without one item
        total = ((d**2).sum(0) - d**2 - sums**2 / (n - 1)) / (n - 2)
        log = np.where(scored, np.log((noise.sum(0) - noise) / (n - 1) / total), 0.0)
        off = np.where(scored, log - log.sum(0) / n, 0.0)
        spread = np.sqrt((off**2).sum(0) * (n - 1) / n)
        far = special.stdtrit(np.maximum(n - 1, 1), (1 + prob) / 2) * spread
        parts = variances(means, of_mean, of_mean)
        share = np.log(parts.of_runs / parts.total)
    unknown = ~np.isfinite(share) | ~np.isfinite(far)
    unknown |= n - _most_alike(means) < np.minimum(_FEW, n / 2)
    lower, upper = (np.exp(np.minimum(share + side * far, 0.0)) for side in (-1, 1))
    return np.where(unknown, 0.0, lower), np.where(unknown, 1.0, upper)


def _most_alike(values: np.ndarray) -> np.ndarray:
    """How often the commonest value of each column occurs, (n, column) -> (column,)."""
    ordered, place = np.sort(values, axis=0), np.arange(len(values))[:, None]
    new = np.vstack([np.ones_like(ordered[:1], bool), ordered[1:] != ordered[:-1]])
    return (place - np.maximum.accumulate(np.where(new, place, 0), axis=0)).max(0) + 1


def best_runs_range(
    of: Variances, share: Sequence[np.ndarray], ratio: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of `best_runs` for `ratio` = cost_item / cost_run, from that of `share_of_runs`; up
    to inf where items may not vary.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        runs = ratio * of.run / of.of_runs  # of each item; more for a dearer item
        lower, upper = (np.sqrt(np.maximum(runs * s / (1 - s), 1.0)) for s in share)
    return np.nan_to_num(lower, nan=1.0, posinf=np.inf), np.where(np.isnan(upper), np.inf, upper)


_DEALT = 1000  # deals of the runs at a time
_NEAR = 1e-9  # differences of sums of shares that are rounding


def dealt_p(
    hits: np.ndarray, first: np.ndarray, second: np.ndarray, gap: float, shuffles: int, seed: int
) -> tuple[float, float, str]:
    """How often two sets of runs of one system differ as much, if the runs of each item are dealt
    to them at random; its error, and how it was counted.

    Parameters
    ----------
    hits, first, second : numpy.ndarray of int, (item,)
        Successes in both sets, and runs in each.
    gap : float
        What the two sums of shares of successes differ by.
    shuffles, seed : int
        Deals that are drawn, if items have different numbers of runs; else all are counted.

    Examples
    --------
    >>> one = np.ones(4, int)
    >>> dealt_p(one, one, one, 4.0, 100, 1)
    (0.125, 0.0, 'exact')
    """
    if np.ptp(first) or np.ptp(second):
        random, reached = np.random.default_rng(seed), 0
        for start in range(0, shuffles, _DEALT):
            size = (min(_DEALT, shuffles - start), len(hits))
            dealt = random.hypergeometric(hits, first + second - hits, first, size)
            gaps = (dealt / first - (hits - dealt) / second).sum(1)
            reached += int((np.abs(gaps) >= abs(gap) - _NEAR).sum())
        counted = np.array(reached), np.array(shuffles)
        return float(monte_carlo_p(*counted)), float(monte_carlo_error(*counted)), "sampled"
    a, b, law = int(first[0]), int(second[0]), np.ones(1)
    dealt = np.arange(a + 1)
    for k, items in zip(*np.unique(hits, return_counts=True), strict=True):
        own = special.comb(k, dealt) * special.comb(a + b - k, a - dealt) / special.comb(a + b, a)
        for _ in range(items):
            law = np.convolve(law, own)
    total = np.arange(len(law))
    far = np.abs(total / a - (hits.sum() - total) / b) >= abs(gap) - _NEAR
    return min(1.0, float(law[far].sum())), 0.0, "exact"
