"""Wins that come in clusters: Beta-binomial, its correlation integrated out on a grid."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import eased

# Beta prior of the correlation of two examples of one cluster: U-shaped, for runs of one item are
# all but the same and items of one document all but independent
CORRELATION = (0.3, 0.2)
STRETCH = 6.0  # its logit is so many times a hyperbolic sine, where it is drawn
LEAST = 1e-300  # what a parameter that is 0 to all digits is taken for
KAPPA = (1e-9, 1e6)  # clusters are of one kind, or alike, beyond
_NODES = 200
_LOGS = 20  # logarithms take as long as a gamma function and its difference
_STIRLING = 1e4  # from here on its first terms leave less than rounding
_LOGIT_MAX = 37  # of the logit of the correlation: beyond, the likelihood is what it is there
_NEGLIGIBLE = 40.0  # log of how much less likely what is left out is


def outcome_correlation(p: Any, s: Any, win: Any, decisive: Any) -> Any:
    """Correlation of the outcomes (1, 0, -1) of two examples of one cluster.

    Parameters
    ----------
    p, s : array
        Share of wins among decisive examples, and of decisive examples.
    win, decisive : array
        Correlations of a win given that both are decisive, and of being decisive.
    """
    ahead = (2 * p - 1) ** 2
    between = (s**2 + s * (1 - s) * decisive) * (ahead + 4 * p * (1 - p) * win) - s**2 * ahead
    return between / (s - s**2 * ahead)


def design_effect(outcome: np.ndarray, present: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """How many times the variance of the mean outcome is that of independent items, for each pair.

    Parameters
    ----------
    outcome : numpy.ndarray, (item, pair)
        1, 0, -1; 0 where `present` is False.
    present : numpy.ndarray of bool, (item, pair)
    cluster : numpy.ndarray of int, (item,)

    Returns
    -------
    numpy.ndarray, (pair,)
        From sums of clusters; nan for a pair without variance, and of one cluster.
    """
    size, sums = (np.zeros((int(cluster.max()) + 1, present.shape[1])) for _ in range(2))
    np.add.at(size, cluster, present)
    np.add.at(sums, cluster, outcome)
    return design_effect_of_sums(size, sums, np.square(outcome.astype(float)).sum(0))


def design_effect_of_sums(size: np.ndarray, sums: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The same from the number of examples and the sum of outcomes of clusters, (cluster, pair),
    and of all squares.
    """
    count, n = len(size), size.sum(0)
    if count < 2:
        return np.full(len(n), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(0) / n
        between = ((sums - size * mean) ** 2).sum(0) * count / (count - 1)
        independent = (squares - n * mean**2) * n / (n - 1)
        return between / np.where(independent > 1e-9 * n, independent, np.nan)


def draw_shares(
    mean: np.ndarray, correlation: np.ndarray, count: int, random: np.random.Generator
) -> np.ndarray:
    """Shares of `count` clusters (..., cluster, pair), Beta with means and correlations
    (..., pair).
    """
    with np.errstate(divide="ignore"):
        kappa = np.clip(1 / correlation - 1, *KAPPA)
    a, b = (np.maximum(part * kappa, 1e-12)[..., None, :] for part in (mean, 1 - mean))
    return random.beta(a, b, (*mean.shape[:-1], count, mean.shape[-1]))


def prob_above_half(
    wins: np.ndarray, losses: np.ndarray, a: float, b: float
) -> tuple[float, float]:
    """P(p > 1/2) and P(p < 1/2) given wins and losses of clusters.

    Parameters
    ----------
    wins, losses : numpy.ndarray, (cluster,)
    a, b : float
        Beta prior of p.

    Notes
    -----
    Over p and the correlation by Gauss-Legendre nodes: of the logit of the correlation where the
    mass is, and of p between 0, 1/2 and 1, around its mass and closer near the ends.
    """
    rows = np.stack([wins, losses], axis=1)
    rows, repeats = np.unique(rows[rows.sum(1) > 0], axis=0, return_counts=True)
    won, lost = repeats @ rows
    centre, width = _hump(a + won, b + lost)
    halves = [_gathered(low, high, centre, width) for low, high in ((0.5, 1.0), (0.0, 0.5))]
    log_density = _log_density(rows, repeats, a, b)
    few = np.concatenate([p[::5] for p, _ in halves])
    kappa, mass = _correlations(lambda kappa: log_density(few, kappa))
    logs = [log_density(p, kappa) for p, _ in halves]
    top = max(log.max() for log in logs)
    above, below = (
        float(dp @ np.exp(log - top) @ mass) for log, (_, dp) in zip(logs, halves, strict=True)
    )
    return above / (above + below), below / (above + below)


def _log_density(
    rows: np.ndarray, repeats: np.ndarray, a: float, b: float
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function of p and kappa, (p, kappa): log likelihood and log prior of p."""

    def log_density(p: np.ndarray, kappa: np.ndarray) -> np.ndarray:
        prior = special.xlogy(a - 1, p) + special.xlog1py(b - 1, -p) - special.betaln(a, b)
        return prior[:, None] + _log_likelihood(p[:, None], kappa, rows, repeats)

    return log_density


def _correlations(log_density: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, ...]:
    """Kappa and prior mass of nodes where the posterior of the correlation has its mass.

    `log_density` of a few p and any kappa shows where that is. The ends stand for all beyond them.
    """
    coarse = np.arange(-_LOGIT_MAX, _LOGIT_MAX + 1.0)
    log = log_density(np.exp(-coarse)).max(0) + _log_prior(coarse)
    massive = np.flatnonzero(log > log.max() - _NEGLIGIBLE)
    low = coarse[max(massive[0] - 1, 0)]
    high = coarse[min(massive[-1] + 1, len(coarse) - 1)]
    u, du = eased(_NODES)
    logit = low + (high - low) * u
    mass = (high - low) * du * np.exp(_log_prior(logit))
    tails = (
        special.betainc(*CORRELATION, special.expit(low)),
        special.betainc(*CORRELATION[::-1], special.expit(-high)),
    )
    return np.exp(-np.concatenate([logit, [low, high]])), np.concatenate([mass, tails])


def _log_prior(logit: np.ndarray) -> np.ndarray:
    """Log density of the logit of the correlation."""
    a, b = CORRELATION
    return a * special.log_expit(logit) + b * special.log_expit(-logit) - special.betaln(a, b)


def _log_likelihood(
    p: np.ndarray, kappa: np.ndarray, rows: np.ndarray, repeats: np.ndarray
) -> np.ndarray:
    """Of wins and losses of clusters, `rows`: Beta-binomial, p of mean and kappa of precision."""
    won, lost = rows.T
    x, y = p * kappa, (1 - p) * kappa
    independent = repeats @ won * np.log(p) + repeats @ lost * np.log1p(-p)
    return (
        independent
        + _beyond(x, won, repeats)
        + _beyond(y, lost, repeats)
        - _beyond(kappa, won + lost, repeats)
    )


def _hump(a: float, b: float) -> tuple[float, float]:
    """Mean and standard deviation of p ~ Beta(a, b), what wins and losses say if independent.

    The posterior is never narrower than that; where its mass is elsewhere, the nodes reach to both
    ends all the same.
    """
    mean = a / (a + b)
    return mean, np.sqrt(mean * (1 - mean) / (a + b + 1))


def _gathered(low: float, high: float, centre: float, width: float) -> tuple[np.ndarray, ...]:
    """Nodes and weights of p in [low, high], denser around the center."""
    breaks = [centre + k * width for k in (-12, -3, 3, 12)]
    cuts = np.clip([low, *breaks, high], low, high)
    pieces = [(left, right - left) for left, right in itertools.pairwise(cuts) if right > left]
    u, du = eased(_NODES)
    p = np.concatenate([left + size * u for left, size in pieces])
    return p, np.concatenate([size * du for _, size in pieces])


def _beyond(x: np.ndarray, k: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Sum over clusters of log (x (x + 1) ... (x + k - 1) / x^k), each as often as it repeats.

    For large x it goes to 0 without cancellation: all clusters are then alike.
    """
    total = np.zeros_like(x)
    distinct, index = np.unique(k, return_inverse=True)
    times = np.bincount(index.ravel(), weights=repeats)
    if len(k) and distinct[-1] > _LOGS * len(distinct):
        for number, many in zip(distinct, times, strict=True):
            total += many * log_gamma_beyond(x, number)
        return total
    factor = np.empty_like(x)  # one array for all: fresh ones take as long as the logarithms
    for j in range(1, int(distinct[-1]) if len(k) else 0):  # x + j is a factor where k is above j
        np.log1p(np.divide(j, x, out=factor), out=factor)
        factor *= times[distinct > j].sum()
        total += factor
    return total


def log_gamma_beyond(x: np.ndarray, k: float) -> np.ndarray:
    """Log Gamma(x + k) / Gamma(x) less k log x."""
    x, large = np.maximum(x, LEAST), np.maximum(x, _STIRLING)
    series = (large + k - 0.5) * np.log1p(k / large) - k + (1 / (large + k) - 1 / large) / 12
    exact = special.gammaln(x + k) - special.gammaln(x) - k * np.log(x)
    return np.where(x < _STIRLING, exact, series)


def log_orders(values: np.ndarray) -> np.ndarray:
    """Log of the number of orders in which the examples of each cluster may stand."""
    return special.gammaln(values.sum(-1) + 1) - special.gammaln(values + 1).sum(-1)
