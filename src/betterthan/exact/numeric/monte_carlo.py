"""Random numbers: seeds, Monte Carlo errors, the Bayesian bootstrap, and importance weights.

The Bayesian bootstrap draws the scores of all systems jointly, under random weights of the items.
Weights are Dirichlet(1, ..., 1): independent exponentials over their sum, which cancels in every
ratio of sums (Rubin 1981, Annals of Statistics 9(1), 130-134).

Pareto-smoothed importance sampling weights draws from a proposal to the posterior. It replaces the
largest weights by quantiles of a generalised Pareto distribution, whose shape is k-hat. Up to 0.7,
means converge at a usable rate. Vehtari, Simpson, Gelman, Yao & Gabry (2024), JMLR 25(72); the fit
is that of Zhang & Stephens (2009), Technometrics 51(3), 316-325.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special
from scipy.special import bdtr, bdtrc, betaincinv, ndtr, ndtri

from betterthan import checks

_LIMIT = 2**32  # fits every sampler and a netCDF attribute


def one_seed(rng: Any = None) -> int:
    """An int seed: the one given, or one drawn from the Generator (or from fresh entropy for None).

    Whatever is then drawn from ``np.random.default_rng(seed)`` or handed to a sampler can be
    repeated by passing the recorded seed as `rng`.

    Examples
    --------
    >>> one_seed(7)
    7
    >>> one_seed(np.random.default_rng(7)) == one_seed(np.random.default_rng(7))
    True
    """
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and 0 <= rng < _LIMIT:
        return int(rng)
    try:
        return int(np.random.default_rng(rng).integers(_LIMIT))
    except (TypeError, ValueError):
        raise ValueError(
            f"rng is {checks.quoted(rng)}; give a whole number of at least 0, a numpy Generator or "
            "None"
        ) from None


_FEW = 5  # draws on one side below which the normal approximation is not used


def probability_error(share: np.ndarray, ess: np.ndarray | float) -> np.ndarray:
    """Monte Carlo error of a probability that is a share of draws.

    sqrt(p (1 - p) / ESS), with the ESS of the indicator. Where fewer than 5 of the ESS draws lie on
    one side this fails (it is 0 where all agree); there the error is the distance to the upper
    Clopper-Pearson bound of the rarer side, at the level of one standard normal deviate.

    Parameters
    ----------
    share : array_like of float
    ess : array_like of float
        Effective number of draws.

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26(4), 404-413, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> probability_error(np.array([0.5, 1.0]), 4000).round(6)
    array([0.007906, 0.00046 ])
    """
    p, n = np.broadcast_arrays(np.asarray(share, dtype=float), np.asarray(ess, dtype=float))
    rare = np.minimum(p, 1 - p)
    k = rare * n
    few = k < _FEW * (1 - 1e-9)  # five draws are five, however 1 - p is rounded
    error = np.array(np.sqrt(p * (1 - p) / n))  # also of single numbers
    # there are few such numbers
    if np.ndim(ess):
        (hits, size), back = np.unique(np.stack([k[few], n[few]]), axis=1, return_inverse=True)
    else:
        (hits, back), size = np.unique(k[few], return_inverse=True), ess
    bound = betaincinv(hits + 1, np.maximum(size - hits, np.finfo(float).tiny), ndtr(1.0))
    error[few] = bound[back.ravel()] - rare[few]
    return error[()]


def quantile_error(ordered: np.ndarray, level: np.ndarray, ess: np.ndarray) -> np.ndarray:
    """Monte Carlo error of quantiles at `level` of sorted draws (draw, column).

    Half the distance of the two draws between which the quantile lies with the probability of one
    standard normal deviate to either side.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, Bayesian Analysis 16(2), section 4.4,
    doi:10.1214/20-BA1221.
    """
    draws = len(ordered)
    low, high = (
        betaincinv(ess * level + 1, ess * (1 - level) + 1, ndtr(side)) * draws - 1
        for side in (-1.0, 1.0)
    )
    below = np.floor(np.maximum(low, 0)).astype(int)
    above = np.ceil(np.minimum(high, draws - 1)).astype(int)
    limits = (np.take_along_axis(ordered, index[None], 0)[0] for index in (below, above))
    return np.subtract(*reversed(list(limits))) / 2


def probability_z(exact: np.ndarray, sampled: np.ndarray, ess: np.ndarray) -> np.ndarray:
    """Signed distance of sampled from exact probabilities, in Monte Carlo standard errors.

    The standard error is sqrt(p (1 - p) / ESS) with the exact p. Where fewer than 5 of the ESS
    draws are expected on one side, the normal approximation fails and the distance is the standard
    normal deviate of the exact binomial tail, 0 where the tail is at least one half.

    Examples
    --------
    >>> exact, sampled = np.array([0.5, 1 - 1e-9]), np.array([0.51, 1.0])
    >>> probability_z(exact, sampled, np.array([2500, 4000])).round(6) + 0.0
    array([1., 0.])
    """
    p, share, ess = np.broadcast_arrays(
        *(np.asarray(x, dtype=float) for x in (exact, sampled, ess))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (share - p) / np.sqrt(p * (1 - p) / ess)
    few = ess * np.minimum(p, 1 - p) < _FEW
    return np.where(few, _binomial_z(p, share, ess), z)


def _binomial_z(p: np.ndarray, sampled: np.ndarray, ess: np.ndarray) -> np.ndarray:
    # count on the rarer side, so that its tail is never 1 minus something tiny
    flip = p > 0.5
    rare, share = np.where(flip, 1 - p, p), np.where(flip, 1 - sampled, sampled)
    n = np.maximum(np.round(ess), 1)
    k = np.clip(np.round(share * n), 0, n)
    above = np.where(k > 0, bdtrc(np.maximum(k - 1, 0), n.astype(np.int64), rare), 1.0)  # P(K >= k)
    below = bdtr(k, n.astype(np.int64), rare)  # P(K <= k)
    tiny = np.finfo(float).tiny
    z = np.maximum(-ndtri(np.clip(above, tiny, 1 - 1e-16)), 0) - np.maximum(
        -ndtri(np.clip(below, tiny, 1 - 1e-16)), 0
    )
    return np.where(flip, -z, z)


_ROUNDING = 1e-12  # of a sum of many weights, relative


def weighted_sums(columns: np.ndarray, draws: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks (rows, column) of weighted sums of (item, column); the weights do not depend on the
    chunk.
    """
    source = np.random.default_rng(seed)
    # drawn into again and again: fresh memory would cost more
    buffer = np.empty((min(rows, draws), len(columns)))
    for start in range(0, draws, rows):
        weights = buffer[: draws - start]
        source.standard_exponential(out=weights)
        yield weights @ columns


def widened(draws: np.ndarray, units: int | np.ndarray, seed: int) -> np.ndarray:
    """Draws (draw, system) as far apart as so few units let them be.

    Weights of D units spread by too little, and with tails as if their spread were known. Each draw
    is moved away from the mean by sqrt((D + 1) / (D - 1)), which corrects the spread, times
    sqrt((D - 1) / chi2) of D - 1 degrees of freedom, which makes of a normal Student's t. All
    systems of a draw move by the same. What does not vary stays.

    Parameters
    ----------
    draws : numpy.ndarray, (draw, system)
    units : int, or numpy.ndarray of int (system,)
        D: how many units were weighed, of all systems or of each; below 2 nothing is known.
    seed : int

    Examples
    --------
    >>> drawn = np.random.default_rng(1).normal(size=(4000, 1))
    >>> wide = widened(drawn, 11, seed=1)
    >>> bool(abs(wide.std() / drawn.std() - (12 / 8) ** 0.5) < 0.05)
    True
    """
    k = np.atleast_1d(units)
    chi2 = np.random.default_rng([seed, 1]).chisquare(np.maximum(k - 1, 1), (len(draws), len(k)))
    middle = draws.mean(0)
    deviation = draws - middle
    columns = np.ascontiguousarray(draws.T)  # numpy is slow along the long side of few columns
    low, high = columns.min(1), columns.max(1)
    still = high - low <= _ROUNDING * np.maximum(-low, high)
    factor = np.where(k < 2, 1.0, np.sqrt((k + 1) / chi2))
    return middle + np.where(still, 0.0, deviation * factor)


def has_width(lower: np.ndarray, upper: np.ndarray, size: float | np.ndarray) -> np.ndarray:
    """Whether an interval is wider than the rounding of numbers of this size."""
    return upper - lower > 1e3 * _ROUNDING * size


def ranks(scores: np.ndarray) -> np.ndarray:
    """Probability of each rank, (system, rank), of joint draws (draw, system); equal systems share
    their ranks.
    """
    draws, systems = scores.shape
    shares = np.zeros((systems, systems + 1))
    for k in range(systems):
        above = (scores > scores[:, k : k + 1]).sum(1)
        tied = (scores == scores[:, k : k + 1]).sum(1)
        # 1 / tied on each of the ranks from above to above + tied, as steps up and down
        np.add.at(shares[k], above, 1 / tied)
        np.add.at(shares[k], above + tied, -1 / tied)
    return shares.cumsum(1)[:, :-1] / draws


def with_best_at_most(draws: np.ndarray, most: np.ndarray) -> np.ndarray:
    """As many joint draws (draw, system), in which no system is the best more often than `most`.

    Draws in which a system is the best too often are thinned out evenly; the others are repeated
    in proportion.

    Parameters
    ----------
    draws : numpy.ndarray, (draw, system)
        The highest is the best.
    most : numpy.ndarray, (system,)
        Largest share of draws in which each may be the best.

    Examples
    --------
    >>> drawn = np.array([[1, 0, 0]] * 6 + [[0, 1, 0]] * 3 + [[0, 0, 1]])
    >>> with_best_at_most(drawn, np.array([0.9, 0.2, 0.5])).sum(0).tolist()
    [7, 2, 1]
    """
    best = draws.argmax(1)
    share = np.bincount(best, minlength=draws.shape[1]) / len(draws)
    if (share <= most).all():
        return draws
    target, over = share, np.zeros(len(share), dtype=bool)
    while (target > most + 1e-12).any() and not over.all():
        over |= target > most
        free = share * ~over
        rest = max(1 - most[over].sum(), 0.0)
        target = np.where(over, most, free * rest / max(free.sum(), 1e-300))
    order = np.argsort(best, kind="stable")
    weight = (target / np.maximum(share, 1e-300))[best[order]].cumsum()
    even = (np.arange(len(draws)) + 0.5) / len(draws) * weight[-1]
    return draws[order[np.searchsorted(weight, even)]]


def best_set(prob_best: np.ndarray, prob: float) -> np.ndarray:
    """Whether each system is among the fewest that hold the best one with this probability."""
    order = np.argsort(-prob_best, kind="stable")
    enough = int(np.searchsorted(prob_best[order].cumsum(), prob - 1e-12)) + 1
    inside = np.zeros(len(order), dtype=bool)
    inside[order[:enough]] = True
    return inside


_SURELY = 1.5  # standard errors behind, up to which no system is shown to be worse
_NEVER = 10.0  # from which on every system is
_ENOUGH = 1000  # draws for a quantile


def contenders(
    draws: np.ndarray, prob_best: np.ndarray, rank: np.ndarray, prob: float
) -> np.ndarray:
    """Whether each system may be the best by draws of scores (draw, system) that are not pooled, of
    which more is better: the `best_set`, and all that no other system beats by more than chance.

    If systems are nearly equal, `best_set` favors the luckiest. A system is therefore added if
    its largest standardized distance behind another is below the quantile of that maximum, and so
    is every system with a higher P(best) (J. C. Hsu 1984, Annals of Statistics 12(3), 1136-1144,
    doi:10.1214/aos/1176346732).

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> draws = random.normal([0.9, 0.6, 0.5, -4], 0.3, (2000, 4))
    >>> contenders(draws, np.array([0.72, 0.16, 0.12, 0]), np.arange(4), 0.7)
    array([ True,  True,  True, False])
    """
    centre = draws.mean(0)
    off = draws - centre
    variance = (off**2).mean(0)
    spread = np.sqrt(np.maximum(np.add.outer(variance, variance) - 2 * (off.T @ off) / len(off), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        behind = np.nan_to_num((centre - centre[:, None]) / spread, posinf=np.inf)
    most = behind.max(1)
    held, some = most <= _SURELY, off[:: max(1, len(off) // _ENOUGH)]
    for k in np.flatnonzero(~held & (most < _NEVER)):
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.nan_to_num((some - some[:, [k]]) / spread[k], posinf=0.0).max(1)
        held[k] = most[k] <= np.quantile(largest, prob)
    order = np.lexsort((rank, -prob_best))
    last = int(np.flatnonzero(held[order]).max(initial=0))
    inside = best_set(prob_best, prob)
    inside[order[: last + 1]] = True
    return inside


def interval(draws: np.ndarray, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed or of the narrowest interval of draws along the first axis."""
    return sorted_interval(np.sort(draws, axis=0), prob, kind)


def sorted_interval(ordered: np.ndarray, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """`interval` of draws that are sorted along the first axis."""
    if kind == "eti":
        low, high = np.quantile(ordered, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
        return low, high
    inside = max(1, int(np.ceil(prob * len(ordered))))
    width = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = width.argmin(0)[None]
    return np.take_along_axis(ordered, start, 0)[0], np.take_along_axis(
        ordered, start + inside - 1, 0
    )[0]


def log_probability(counts: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Log probability of counts (pair, outcome) under Dirichlet-multinomials of this shape (...,
    pair, outcome).
    """
    n = counts.sum(-1)
    orders = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(-1)
    total = shape.sum(-1)
    parts = (special.gammaln(shape + counts) - special.gammaln(shape)).sum(-1)
    return orders + special.gammaln(total) - special.gammaln(total + n) + parts


def log_gammas(shape: np.ndarray, size: tuple[int, ...], *sources: Any) -> np.ndarray:
    """Logarithms of standard gamma draws (*size, ...), also of shapes near 0, from one source or
    from two: Gamma(shape) = Gamma(shape + 1) U^(1/shape).
    """
    size = (*size, *shape.shape)
    logs = np.log(sources[0].standard_gamma(shape + 1, size))
    logs -= sources[-1].standard_exponential(size) / shape
    return logs


def log_mean_exp(log: np.ndarray) -> np.ndarray:
    """Log of the mean over the first axis."""
    return np.asarray(special.logsumexp(log, axis=0) - np.log(len(log)))


def level(counts: np.ndarray, theta: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Share of replications whose wins less losses are below those of counts (pair, outcome); equal
    ones count half.
    """
    again = random.multinomial(counts.sum(-1), theta)
    differences = (again[..., 0] - again[..., 1]) - (counts[:, 0] - counts[:, 1])
    return (differences < 0).mean(0) + (differences == 0).mean(0) / 2


_TAIL_LEAST = 5


def smoothed(log_ratio: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights (draw,) that sum to one, the largest of them smoothed, and k-hat.

    Raises
    ------
    ValueError
        If a weight is no number.

    Examples
    --------
    >>> weight, k = smoothed(np.zeros(1000))
    >>> float(weight.sum().round(12)), k
    (1.0, -inf)
    """
    if not np.isfinite(log_ratio.max()):
        raise ValueError("a weight is no number")
    log, number = log_ratio - log_ratio.max(), len(log_ratio)
    if number <= _TAIL_LEAST:  # too few to have a tail
        return np.exp(log) / np.exp(log).sum(), -np.inf
    tail = int(np.ceil(min(0.2 * number, 3 * np.sqrt(number))))
    order = np.argsort(log, kind="stable")
    largest, cut = order[-tail:], np.exp(log[order[-tail - 1]])
    beyond = np.exp(log[largest]) - cut
    weight, k = np.exp(log), -np.inf
    if tail >= _TAIL_LEAST and beyond[0] > 1e-12 * beyond[-1] > 0:
        k, sigma = shape_and_scale(beyond)
        level = (np.arange(tail) + 0.5) / tail
        weight[largest] = np.minimum(cut + _quantile(level, k, sigma), 1.0)
    return weight / weight.sum(), float(k)


def shape_and_scale(x: np.ndarray) -> tuple[float, float]:
    """Of the generalised Pareto distribution of x, ascending and above 0; the shape drawn to 0.5 as
    by ten observations of it.
    """
    n = len(x)
    count = 30 + int(np.sqrt(n))
    theta = 1 / x[-1] + (1 - np.sqrt(count / (np.arange(1, count + 1) - 0.5))) / (
        3 * x[int(n / 4 + 0.5) - 1]
    )
    shape = np.log1p(-theta[:, None] * x).mean(1)
    profile = n * (np.log(-theta / shape) - shape - 1)
    weight = 1 / np.exp(profile - profile[:, None]).sum(1)
    weight = np.where(weight >= 10 * np.finfo(float).eps, weight, 0.0)
    best = float(theta @ weight / weight.sum())
    k = float(np.log1p(-best * x).mean())
    return (n * k + 10 * 0.5) / (n + 10), -k / best


def effective(weight: np.ndarray) -> float:
    """How many draws of equal weight say as much."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def evenly(weight: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """Indices of `number` draws of equal weight, in random order, by systematic resampling: each
    is repeated in proportion to its weight, rounded up or down.
    """
    steps = (np.arange(number) + random.random()) / number
    order = random.permutation(len(weight))
    chosen = order[np.searchsorted(weight[order].cumsum() / weight.sum(), steps, side="right")]
    return random.permutation(chosen)


def _quantile(level: np.ndarray, k: float, sigma: float) -> np.ndarray:
    if abs(k) < 1e-12:
        return -sigma * np.log1p(-level)
    return sigma * np.expm1(-k * np.log1p(-level)) / k
