"""Errors and degrees of freedom of means on units of unequal size.

A unit c, such as a cluster of items, has a size s_c and a share w_c = s_c / sum s. Leaving it out
moves the mean by r_c. The sharp jackknife estimates the variance of the mean by sum r_c^2 / J,
where J is the largest constant with which it is never too small on average, whatever the variances
of independent units. Units of equal size give the variance of a mean, and K - 1 degrees of freedom.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Shares:
    """Shares of K units in a mean, each array (unit, column)."""

    share: np.ndarray
    others: np.ndarray  # 1 - share, without loss of digits where one unit has nearly all
    equal: np.ndarray  # (column,): all units have one size
    units: np.ndarray  # (column,): units of a size above 0

    @classmethod
    def from_sizes(cls, sizes: np.ndarray) -> Self:
        """From sizes (unit, column); a unit of size 0 does not count.

        Examples
        --------
        >>> shares = Shares.from_sizes(np.array([[3.0], [5], [1], [8], [4], [2]]))
        >>> shares.constant.round(11).tolist(), shares.df.round(11).tolist()
        ([1.15511823395], [2.86235372765])
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            total = sizes.sum(0)
            share, others = sizes / total, leave_out(sizes) / total
        present = sizes > 0
        smallest = np.where(present, sizes, np.inf).min(0, initial=np.inf)
        equal = sizes.max(0, initial=0.0) <= smallest
        return cls(share, others, equal, present.sum(0))

    def averaged(self, other: "Shares") -> "Shares":
        """The mean of the shares in two systems whose units have sizes of their own."""
        share, others = (self.share + other.share) / 2, (self.others + other.others) / 2
        return Shares(share, others, self.equal & other.equal, self.units)

    @property
    def constant(self) -> np.ndarray:
        """J (column,): 1 + sum over all but the largest unit of (w / (1 - w))^2."""
        small, _ = _split(self._over(self.share), self.share)
        even = self.units / np.maximum(self.units - 1, 1)
        return np.where(self.equal, even, 1 + (small**2).sum(0))

    @property
    def df(self) -> np.ndarray:
        """Degrees of freedom (column,): K - 1 for units of one size, else at least 1.

        The harmonic mean of those of Bell and McCaffrey for independent items, and the smaller of
        these and those for units whose items are all alike.
        """
        independent, alike = self._df_independent(), self._df_alike()
        between = 2 / (1 / independent + 1 / np.minimum(independent, alike))
        df = np.where(self.equal, self.units - 1.0, np.maximum(between, 1.0))
        return np.where(self.units > 1, df, np.nan)

    def _over(self, values: np.ndarray) -> np.ndarray:
        """Values divided by 1 - w."""
        return np.divide(values, self.others, out=np.zeros_like(values), where=self.others > 0)

    def _df_independent(self) -> np.ndarray:
        w = self.share
        small, large = _split(self._over(w**2), w)
        sums = small.sum(0)
        with np.errstate(divide="ignore"):
            return 1 / ((w**2).sum(0) + 2 * large * sums + sums**2 - (small**2).sum(0))

    def _df_alike(self) -> np.ndarray:
        """tr(M)^2 / tr(M^2) for totals whose variances are as the squares of the sizes."""
        w = self.share
        small, large = _split(w, w)
        a, a_large = _split(self._over(w**2), w)
        others = (small**2).sum(0)  # squares of all but the largest
        q = others + large**2
        without = np.where(np.arange(len(w))[:, None] == w.argmax(0), others, q - w**2)  # than c
        diagonal = self._over(w**2) * (self.others**2 + without)
        gap = others - large * (1 - large) - small  # q - w_c - w_d for d the largest
        sums = [(a * small**k).sum(0) for k in range(3)]
        across = 2 * a_large * (a * gap**2).sum(0)
        across += q**2 * sums[0] ** 2 - 4 * q * sums[0] * sums[1]
        across += 2 * sums[0] * sums[2] + 2 * sums[1] ** 2 - (a**2 * (q - 2 * small) ** 2).sum(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return diagonal.sum(0) ** 2 / ((diagonal**2).sum(0) + across)


def leave_out(values: np.ndarray) -> np.ndarray:
    """The sum of all other units, (unit, column); of the largest without cancellation."""
    others = values.sum(0) - values
    if len(values):
        top, column = values.argmax(0), np.arange(values.shape[1])
        others[top, column] = _without(values, top).sum(0)
    return others


def changes(totals: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How far the mean moves when each unit is left out, (unit, column); 0 for a unit of size 0.

    Parameters
    ----------
    totals, sizes : numpy.ndarray, (unit, column)

    Examples
    --------
    >>> changes(np.array([[2.0], [1.0]]), np.array([[2.0], [2.0]])).tolist()
    [[-0.25], [0.25]]
    """
    number = sizes.sum(0)
    others = leave_out(sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals.sum(0) / number
        moved = -(totals - sizes * mean) / others
        top, column = sizes.argmax(0), np.arange(sizes.shape[1])
        # from the other units: its own total would leave few digits
        moved[top, column] = _without(totals, top).sum(0) / others[top, column] - mean
    return np.where(sizes > 0, moved, 0.0)


def _without(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The values with one of each column, at `place` (column,), set to 0."""
    others = values.copy()
    others[place, np.arange(values.shape[1])] = 0.0
    return others


def _split(values: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values with that of the largest unit set to 0, and that of the largest, (column,)."""
    place = share.argmax(0)
    return _without(values, place), values[place, np.arange(values.shape[1])]
