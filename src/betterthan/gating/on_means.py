"""What means on units say, by Student's t: as observed, and whatever the missing scores are."""

from dataclasses import dataclass

import numpy as np

from betterthan import names
from betterthan.exact.joint.jackknife import Shares, leave_out
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import PairMeans, pair_means, summed
from betterthan.exact.wins import dirichlet
from betterthan.gating.ends import Paired
from betterthan.gating.rule import Chance, Chances


def chances_of_means(of: Paired, margin: float, threshold: float) -> Chances:
    """P(d > -margin) and P(d < 0) of the mean difference.

    No values of the missing scores lead to less than the worst case, or to more than the best: each
    takes the worst mean and the worst spread that there can be, which no one set of values need
    have both of. Bounds are of Student's t, without the correction for skewness.
    """
    found = observed(of)
    now = Chance.of(*_as_observed(of, found, margin), threshold)
    if np.array_equal(of.low, of.high):
        return Chances(now, now, now)
    low, high = of.low[:, 1] - of.high[:, 0], of.high[:, 1] - of.low[:, 0]
    ends = spans(low, high, of.unit, most=1.0 if of.binary else np.inf)
    worst = Chance.of(ends.least_above(-margin), ends.most_below(0.0), threshold)
    best = Chance.of(ends.most_above(-margin), ends.least_below(0.0), threshold)
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


@dataclass(frozen=True)
class Spans:
    """Between which numbers the mean of the differences lies, and its standard error."""

    low: float
    high: float
    least_error: float
    most_error: float
    units: int
    df: float
    most: float = np.inf

    def least_above(self, delta: float) -> float:
        """P(d > delta) is this or more."""
        return self._t(self.low, delta)

    def most_above(self, delta: float) -> float:
        """P(d > delta) is this or less."""
        return 1 - self._t(-self.high, -delta)

    def least_below(self, delta: float) -> float:
        """P(d < delta) is this or more."""
        return self._t(-self.high, -delta)

    def most_below(self, delta: float) -> float:
        """P(d < delta) is this or less."""
        return 1 - self._t(self.low, delta)

    def _t(self, mean: float, delta: float) -> float:
        """The least that Student's t of a mean gives to what is above delta."""
        if self.units < 2:
            return 0.0
        least = 1.0
        for error in (self.least_error, self.most_error):
            if not error:
                least = min(least, 0.5 if mean == delta else float(mean > delta))
                continue
            mean_, error_, df = np.array([[mean], [error], [self.df]])
            of = Student(mean_, error_, df, -self.most, self.most)
            least = min(least, float(of.prob_above(delta)[0]))
        return least


def spans(low: np.ndarray, high: np.ndarray, unit: np.ndarray, *, most: float = np.inf) -> Spans:
    """Of differences on items that each lie between two numbers.

    Parameters
    ----------
    low, high : numpy.ndarray, (item,)
    unit : numpy.ndarray of int, (item,)
    most : float, default infinite
        The largest mean that there can be.

    Examples
    --------
    >>> found = spans(np.array([0.1, 0.2, -1]), np.array([0.1, 0.2, 1]), np.arange(3))
    >>> round(found.low, 3), round(found.high, 3)
    (-0.233, 0.433)
    """
    first, last = float(low.mean()), float(high.mean())
    sums = summed(np.stack([low, high, np.ones(len(low))], axis=1), unit)
    # of each unit, how far its sum may and must be from as many times the mean, which moves too
    above, below = sums[:, 1] - sums[:, 2] * first, sums[:, 2] * last - sums[:, 0]
    furthest = np.maximum(above, below)
    nearest = np.maximum(0.0, np.maximum(-above, -below))
    size, k = sums[:, 2:], len(sums)
    shares = Shares.of(size)

    def error(far: np.ndarray) -> float:
        if k < 2:
            return 0.0
        left_out = far / leave_out(size)[:, 0]
        return float(np.sqrt((left_out**2).sum() / shares.constant[0]))

    df = float(shares.df[0]) if k > 1 else 1.0
    return Spans(first, last, error(nearest), error(furthest), k, df, most)
