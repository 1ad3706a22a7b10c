"""Student's t probabilities from unit means: as observed, and in the extreme cases of missing
scores.
"""

import numpy as np

from betterthan import names
from betterthan.exact.joint.spans import spans
from betterthan.exact.joint.units import PairMeans, pair_means
from betterthan.exact.wins import dirichlet
from betterthan.gating.ends import Paired
from betterthan.gating.rule import Chance, Chances


def mean_chances(pairs: Paired, margin: float, threshold: float) -> Chances:
    """Compute P(d > -margin) and P(d < 0) of the mean difference, and their bounds from `spans`."""
    means = observed(pairs)
    now = Chance.at_threshold(*_as_observed(pairs, means, margin), threshold)
    if np.array_equal(pairs.low, pairs.high):
        return Chances(now, now, now)
    low, high = pairs.low[:, 1:] - pairs.high[:, :1], pairs.high[:, 1:] - pairs.low[:, :1]
    bounds = spans(low, high, pairs.unit, most=1.0 if pairs.binary else np.inf)
    worst = bounds.least_above(-margin), bounds.most_below(0.0)
    best = bounds.most_above(-margin), bounds.least_below(0.0)
    worst, best = (
        Chance.at_threshold(*(float(p[0]) for p in case), threshold) for case in (worst, best)
    )
    return Chances(now, worst, best)


def observed(pairs: Paired) -> PairMeans:
    """Compute candidate - baseline on the items that both sides scored."""
    scored = pairs.scored
    values = np.where(scored[:, None], pairs.mean, 0.0)[:, ::-1]
    sizes = np.repeat(scored[:, None], 2, axis=1).astype(float)
    return pair_means(
        values,
        sizes,
        pairs.unit,
        most=1.0 if pairs.binary else np.inf,
        skewed=pairs.per == names.ITEM,
    )


def _as_observed(pairs: Paired, means: PairMeans, margin: float) -> tuple[float, float]:
    if means.units[0] > 1 and means.error[0] == 0:
        return all_alike(float(means.difference[0]), int(means.units[0]), pairs.limits, margin)
    return float(means.prob_above(-margin)[0]), float(means.prob_below()[0])


def all_alike(
    difference: float, units: int, limits: tuple[float, float], margin: float
) -> tuple[float, float]:
    """The two probabilities where every unit shows the same difference, so that there is no spread
    to go by: other units may differ from it by as much as scores can, and so many have not.

    Examples
    --------
    >>> [round(all_alike(0.0, units, (0, 1), 0.05)[0], 3) for units in (10, 60)]
    [0.73, 0.979]
    """
    width = limits[1] - limits[0]
    if not width:
        return np.nan, np.nan
    ties = 1.0 + units
    above = dirichlet.prob_above(1.0, 1.0, ties, -(margin + difference) / width)
    return float(above), float(dirichlet.prob_below(1.0, 1.0, ties, -difference / width))
