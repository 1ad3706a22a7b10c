"""Means of differences that are known only to lie between two numbers: the least and the most that
Student's t can say of them, whatever the missing scores are.
"""

from dataclasses import dataclass

import numpy as np

from betterthan.exact.joint.jackknife import Shares, leave_out
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import summed


@dataclass(frozen=True)
class Spans:
    """Of each pair, between which numbers the mean difference lies, and its standard error.

    No values of the missing scores lead to less than the least, or to more than the most: each
    takes the worst mean and the worst spread that there can be, which no one set of values need
    have both of. Bounds are of Student's t, without the correction for skewness.
    """

    low: np.ndarray
    high: np.ndarray
    least_error: np.ndarray
    most_error: np.ndarray
    units: int
    df: float
    most: float = np.inf

    def least_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or more."""
        return self._least(self.low, delta)

    def most_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or less."""
        return 1 - self._least(-self.high, -delta)

    def least_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or more."""
        return self._least(-self.high, -delta)

    def most_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or less."""
        return 1 - self._least(self.low, delta)

    def _least(self, mean: np.ndarray, delta: float) -> np.ndarray:
        """The least that Student's t of these means gives to what is above delta."""
        if self.units < 2:
            return np.zeros_like(mean)
        least = np.ones_like(mean)
        sure = np.where(mean == delta, 0.5, mean > delta)  # without a spread
        for error in (self.least_error, self.most_error):
            df = np.full_like(mean, self.df)
            with np.errstate(invalid="ignore"):
                t = Student(mean, error, df, -self.most, self.most).prob_above(delta)
            least = np.minimum(least, np.where(error > 0, t, sure))
        return least


def spans(low: np.ndarray, high: np.ndarray, unit: np.ndarray, *, most: float = np.inf) -> Spans:
    """Of differences on items that each lie between two numbers.

    Parameters
    ----------
    low, high : numpy.ndarray, (item, pair)
    unit : numpy.ndarray of int, (item,)
    most : float, default infinite
        The largest mean that there can be.

    Examples
    --------
    >>> ends = np.array([[0.1, 0.1], [0.2, 0.2], [-1, 1]])[..., None]
    >>> of = spans(ends[:, 0], ends[:, 1], np.arange(3))
    >>> of.low.round(3).tolist(), of.high.round(3).tolist()
    ([-0.233], [0.433])
    """
    first, last = low.mean(0), high.mean(0)
    size = summed(np.ones((len(low), 1)), unit)
    # of each unit, how far its sum may and must be from as many times the mean, which moves too
    above, below = summed(high, unit) - size * first, size * last - summed(low, unit)
    furthest = np.maximum(above, below)
    nearest = np.maximum(0.0, np.maximum(-above, -below))
    k, shares = len(size), Shares.of(size)

    def error(far: np.ndarray) -> np.ndarray:
        if k < 2:
            return np.zeros(far.shape[1])
        left_out = far / leave_out(size)
        return np.sqrt((left_out**2).sum(0) / shares.constant)

    df = float(shares.df[0]) if k > 1 else 1.0
    return Spans(first, last, error(nearest), error(furthest), k, df, most)
