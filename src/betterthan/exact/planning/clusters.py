"""Power of a comparison on clusters before any data, from their sizes and how alike items are.

Items of one cluster correlate by rho, so the variance of a mean difference is
sd^2 sum((1 - rho) s + rho s^2) / (sum s)^2 for sizes s (Kish 1965, Survey Sampling, chapter 5). The
verdict is by Student's t with the degrees of freedom of these sizes (`exact.joint.jackknife`).
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.joint.jackknife import Shares


@dataclass(frozen=True)
class Power:
    """What clusters of these sizes are worth, and how often they give a verdict."""

    error: float  # standard error of the mean difference
    effective_items: float  # as many independent items have this error
    df: float
    better: float  # P(verdict for the better system)
    worse: float


def power(
    sizes: np.ndarray, difference: float, sd: float, correlation: float, threshold: float
) -> Power:
    """Of clusters with these sizes, (cluster,).

    Examples
    --------
    >>> found = power(np.full(10, 20.0), 0.15, 0.6, 0.1, 0.95)
    >>> round(found.error, 10), round(found.effective_items, 7), found.df, round(found.better, 9)
    (0.0722495675, 68.9655172, 9.0, 0.607213364)
    """
    items = sizes.sum()
    effect = 1 + ((sizes**2).sum() / items - 1) * correlation
    error = sd * np.sqrt(effect / items)
    df = float(Shares.from_sizes(sizes[:, None]).df[0])
    far, needed = difference / error, special.stdtrit(df, threshold)
    better, worse = (1 - float(special.nctdtr(df, side * far, needed)) for side in (1, -1))
    return Power(float(error), float(items / effect), df, better, worse)


def spread_sizes(clusters: int, mean: float, variation: float) -> np.ndarray:
    """Sizes of clusters with this mean and coefficient of variation: quantiles of a gamma
    distribution at evenly spaced probabilities, moved to the mean.

    Examples
    --------
    >>> spread_sizes(5, 20.0, 0.5).round(1).tolist()
    [7.2, 13.2, 18.5, 24.9, 36.2]
    """
    if not variation:
        return np.full(clusters, float(mean))
    shape = 1 / variation**2
    probs = (np.arange(clusters) + 0.5) / clusters
    sizes = special.gammaincinv(shape, probs)
    # quantiles vary less than the distribution: spread them to the wanted variation
    deviation = sizes / sizes.mean() - 1
    deviation = deviation * variation / np.sqrt((deviation**2).mean())
    return mean * np.maximum(1 + deviation, 1e-3)
