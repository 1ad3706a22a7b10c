"""Pareto-smoothed importance sampling: weights, k-hat, and draws of equal weight.

Draws from something near, weighted to what is meant: whether to trust them, and draws of equal
weight.

The largest weights are replaced by quantiles of a generalised Pareto distribution, whose shape is
k-hat: up to 0.7 means converge at a usable rate. Vehtari, Simpson, Gelman, Yao & Gabry (2024),
JMLR 25(72); the fit is that of Zhang & Stephens (2009), Technometrics 51(3), 316-325.
"""

import numpy as np

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
