"""Means of differences that are known only to lie between two numbers: the least and the most that
Student's t can say of them, whatever the missing scores are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from betterthan.exact.joint.jackknife import Shares, leave_out
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import summed


@dataclass(frozen=True)
class Spans:
    """Of each pair, between which numbers the mean difference lies, and its standard error.

    No values of the missing scores lead to less than the least, or to more than the most: each
    takes the worst mean and the worst spread that there can be, which no one set of values need
    have both of. With bounds of the skewness they hold for Hall's t, too, which rises with t and
    is quadratic in the skewness.
    """

    low: np.ndarray
    high: np.ndarray
    least_error: np.ndarray
    most_error: np.ndarray
    units: int
    df: float
    most: float = np.inf
    skewness: tuple[np.ndarray, np.ndarray] | None = None  # of the items; infinite without a spread

    def least_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or more."""
        return self._least(self.low, delta, self.skewness)

    def most_above(self, delta: float) -> np.ndarray:
        """P(d > delta) is this or less."""
        return 1 - self.least_below(delta)

    def least_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or more."""
        mirrored = None if self.skewness is None else (-self.skewness[1], -self.skewness[0])
        return self._least(-self.high, -delta, mirrored)

    def most_below(self, delta: float) -> np.ndarray:
        """P(d < delta) is this or less."""
        return 1 - self.least_above(delta)

    def _least(
        self, mean: np.ndarray, delta: float, skewness: tuple[np.ndarray, np.ndarray] | None
    ) -> np.ndarray:
        """Smallest P(d > delta) by Student's t of these means."""
        if self.units < 2:
            return np.zeros_like(mean)
        least = np.ones_like(mean)
        # where all units show one difference, they are counted as won
        alike = np.where(mean == delta, 0.5, np.where(mean > delta, 1 - _HALF**self.units / 2, 0.0))
        for error in (self.least_error, self.most_error):
            t = self._above(mean, error, delta, None)
            for value in () if skewness is None else self._skewnesses(mean, error, delta, skewness):
                t = np.minimum(t, self._above(mean, error, delta, value))
            least = np.minimum(least, np.where(error > 0, t, alike))
        return least

    def _above(
        self, mean: np.ndarray, error: np.ndarray, delta: float, skewness: np.ndarray | None
    ) -> np.ndarray:
        df, units = np.full_like(mean, self.df), np.full_like(mean, self.units)
        law = Student(mean, error, df, -self.most, self.most, skewness, units)
        with np.errstate(invalid="ignore"):
            return law.prob_above(delta)

    def _skewnesses(
        self,
        mean: np.ndarray,
        error: np.ndarray,
        delta: float,
        limits: tuple[np.ndarray, np.ndarray],
    ) -> Iterator[np.ndarray]:
        """Both bounds of the skewness, and the value between that minimizes Hall's t."""
        with np.errstate(invalid="ignore", divide="ignore"):
            t = (mean - delta) / error
            lowest = -(t**2 / 3 + 1 / 6) * 27 * np.sqrt(self.units) / (2 * t**3)
        low, high = (np.clip(end, -_FAR, _FAR) for end in limits)
        yield low
        yield high
        yield np.clip(np.nan_to_num(lowest), low, high)


_HALF, _FAR = 0.5, 1e3  # a skewness: further out is as far


def spans(
    low: np.ndarray,
    high: np.ndarray,
    unit: np.ndarray,
    *,
    most: float = np.inf,
    skewed: bool = False,
) -> Spans:
    """Of differences on items that each lie between two numbers.

    Parameters
    ----------
    low, high : numpy.ndarray, (item, pair)
    unit : numpy.ndarray of int, (item,)
    most : float, default infinite
        The largest mean that there can be.
    skewed : bool, default False
        Whether skewed units are corrected for, where they have one size.

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
    k, shares = len(size), Shares.from_sizes(size)

    def error(far: np.ndarray) -> np.ndarray:
        if k < 2:
            return np.zeros(far.shape[1])
        left_out = far / leave_out(size)
        return np.sqrt((left_out**2).sum(0) / shares.constant)

    df = float(shares.df[0]) if k > 1 else 1.0
    result = Spans(first, last, error(nearest), error(furthest), k, df, most)
    equal = k > 1 and (size == size[0]).all()
    return replace(result, skewness=_skewness(result, low, high)) if skewed and equal else result


def _skewness(bounds: Spans, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the skewness of the items."""
    third = ((low - bounds.high) ** 3).mean(0), ((high - bounds.low) ** 3).mean(0)
    least, most = (
        (error * np.sqrt(bounds.units - 1)) ** 3
        for error in (bounds.least_error, bounds.most_error)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        lower = third[0] / np.where(third[0] < 0, least, most)
        upper = third[1] / np.where(third[1] > 0, least, most)
    return np.nan_to_num(lower, neginf=-_FAR), np.nan_to_num(upper, posinf=_FAR)
