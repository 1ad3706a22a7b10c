"""What means on units say, by Student's t: as observed, and whatever the missing scores are."""

import numpy as np

from betterthan import names
from betterthan.exact.joint.spans import spans
from betterthan.exact.joint.units import PairMeans, pair_means
from betterthan.exact.wins import dirichlet
from betterthan.gating.ends import Paired
from betterthan.gating.rule import Chance, Chances


def chances_of_means(of: Paired, margin: float, threshold: float) -> Chances:
    """P(d > -margin) and P(d < 0) of the mean difference, and the bounds of `spans`."""
    found = observed(of)
    now = Chance.of(*_as_observed(of, found, margin), threshold)
    if np.array_equal(of.low, of.high):
        return Chances(now, now, now)
    low, high = of.low[:, 1:] - of.high[:, :1], of.high[:, 1:] - of.low[:, :1]
    ends = spans(low, high, of.unit, most=1.0 if of.binary else np.inf)
    worst = ends.least_above(-margin), ends.most_below(0.0)
    best = ends.most_above(-margin), ends.least_below(0.0)
    worst, best = (Chance.of(*(float(p[0]) for p in case), threshold) for case in (worst, best))
    return Chances(now, worst, best)


def observed(of: Paired) -> PairMeans:
    """Candidate - baseline on the items that both have a score on."""
    seen = of.scored
    values = np.where(seen[:, None], of.mean, 0.0)[:, ::-1]
    sizes = np.repeat(seen[:, None], 2, axis=1).astype(float)
    return pair_means(
        values,
        sizes,
        of.unit,
        most=1.0 if of.binary else np.inf,
        skewed=of.per == names.ITEM,
    )


def _as_observed(of: Paired, found: PairMeans, margin: float) -> tuple[float, float]:
    if found.units[0] > 1 and found.error[0] == 0:
        return all_alike(float(found.difference[0]), int(found.units[0]), of.limits, margin)
    return float(found.prob_above(-margin)[0]), float(found.prob_below()[0])


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
