"""Log likelihood of abilities from judgments of two at a time, of many parameters at once.

Of a row, the difference d of what both are worth and the tie parameter are sums of parameters;
d counts the advantage of the first place in, and the tie parameter what a judge adds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse, special

from betterthan.exact.laplace.newton import Curved

_BLOCK = 100_000  # numbers held at a time

# log likelihood of rows, two first and three second derivatives: of d, of tie; d d, d tie, tie tie
Bent = tuple[np.ndarray, ...]


class OfRows(NamedTuple):
    """A model of ties, from counts, differences and tie parameters."""

    log: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (point, row)
    total: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (point,)
    bent: Callable[[np.ndarray, np.ndarray, np.ndarray], Bent]


@dataclass(frozen=True)
class Judgments:
    """Rows of judgments, and which parameters are summed in each."""

    counts: np.ndarray  # (outcome, row): wins, losses, ties
    of_d: sparse.csr_array  # (row, parameter)
    of_tie: sparse.csr_array
    netted: tuple[slice, ...]  # parameters of which each counts less their mean
    of: OfRows

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        return np.concatenate([self.of.total(self.counts, *sums) for sums in self._blocks(x)])

    def apart(self, x: np.ndarray) -> np.ndarray:
        """(point, row), with the number of orders in which the judgments of a row may stand."""
        orders = special.gammaln(self.counts.sum(0) + 1) - special.gammaln(self.counts + 1).sum(0)
        rows = [self.of.log(self.counts, *sums) for sums in self._blocks(x)]
        return np.concatenate(rows) + orders

    def _blocks(self, x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Differences and tie parameters of some points at a time."""
        size = max(1, _BLOCK // self.counts.shape[1])
        return (self._sums(x[k : k + size]) for k in range(0, len(x), size))

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature."""
        height, by_d, by_tie, *second = self.of.bent(self.counts, *self._sums(x))
        slope = by_d @ self.of_d + by_tie @ self.of_tie
        size, flat = x.shape[1], np.ascontiguousarray(np.concatenate(second, axis=1).T)
        bend = (self.bends @ flat).T.reshape(-1, size, size)
        for own in self.netted:
            slope[:, own] -= slope[:, own].mean(1, keepdims=True)
            bend[:, own] -= bend[:, own].mean(1, keepdims=True)
            bend[:, :, own] -= bend[:, :, own].mean(2, keepdims=True)
        return Curved(height.sum(1), slope, -bend)

    def _sums(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Differences and tie parameters, (point, row)."""
        if self.netted:
            x = x.copy()
        for own in self.netted:
            x[:, own] -= x[:, own].mean(1, keepdims=True)
        return (self.of_d @ x.T).T, (self.of_tie @ x.T).T

    @cached_property
    def bends(self) -> sparse.csr_array:
        """What second derivatives of rows (d d, d tie, tie tie) add to those in two parameters,
        (parameter and parameter, derivative and row).
        """
        d, tie = self.of_d, self.of_tie
        size = (d.T @ np.zeros(self.counts.shape[1])).size
        parts = [
            _crossed(d, d, size),
            _crossed(d, tie, size) + _crossed(tie, d, size),
            _crossed(tie, tie, size),
        ]
        return sparse.csr_array(sparse.hstack(parts))


def _crossed(one: sparse.csr_array, other: sparse.csr_array, size: int) -> sparse.csr_array:
    """Products of what stands in a row of one table and of another, of so many columns, (column and
    column, row); each row has as many numbers as the next.
    """
    rows = len(one.indptr) - 1
    (i, p), (j, q) = (
        (table.indices.reshape(rows, -1).astype(np.int64), table.data.reshape(rows, -1))
        for table in (one, other)
    )
    place = i[:, :, None] * size + j[:, None, :]
    value = p[:, :, None] * q[:, None, :]
    row = np.broadcast_to(np.arange(rows)[:, None, None], place.shape)
    at = place.ravel(), row.ravel()
    return sparse.csr_array((value.ravel(), at), shape=(size * size, rows))


def davidson(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log likelihood of rows (point, row): win : loss : tie = exp(d / 2) : exp(-d / 2) :
    exp(tie).
    """
    win, loss, tied = counts
    return (win - loss) * d / 2 + tied * tie - counts.sum(0) * _log_sum(d, tie)


def davidson_total(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Of all rows, (point,)."""
    win, loss, tied = counts
    found = d @ ((win - loss) / 2) + tie @ tied
    total = found - _log_sum_within(d, tie) @ counts.sum(0)
    if np.isfinite(total).all():
        return total
    return found - _log_sum_anywhere(d, tie) @ counts.sum(0)


def davidson_bent(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> Bent:
    """The same with its derivatives."""
    n = counts.sum(0)
    total = _log_sum(d, tie)
    apart = np.exp(d / 2 - total) - np.exp(-d / 2 - total)
    tied = np.exp(tie - total)
    return (
        davidson(counts, d, tie),
        (counts[0] - counts[1] - n * apart) / 2,
        counts[2] - n * tied,
        -n * (1 - tied - apart**2) / 4,
        n * tied * apart / 2,
        -n * tied * (1 - tied),
    )


def rao_kupper(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log likelihood of rows: a difference is seen only above the threshold exp(tie)."""
    win, loss, tied = counts
    free = np.exp(tie)
    both = np.log(-np.expm1(-2 * free)) + special.log_expit(free + d) + special.log_expit(free - d)
    won, lost = special.log_expit(d - free), special.log_expit(-d - free)
    return win * won + loss * lost + tied * both


def rao_kupper_total(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Of all rows, (point,)."""
    return rao_kupper(counts, d, tie).sum(1)


def rao_kupper_bent(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> Bent:
    """The same with its derivatives."""
    win, loss, tied = counts
    free = np.exp(tie)
    up, down = special.expit(free + d), special.expit(free - d)  # not lost, not won
    up_bend, down_bend = up * (1 - up), down * (1 - down)
    wide = 2 / np.expm1(2 * free)
    of_d = win * down - loss * up + tied * (down - up)
    of_free = -win * down - loss * up + tied * (wide + (1 - up) + (1 - down))
    of_both = (win + tied) * down_bend - (loss + tied) * up_bend
    bend = -(win + tied) * down_bend - (loss + tied) * up_bend
    # wide = 2 / (e^2t - 1) has the slope -wide (wide + 2)
    free_free = bend - tied * wide * (wide + 2)
    return (
        rao_kupper(counts, d, tie),
        of_d,
        free * of_free,
        bend,
        free * of_both,
        free**2 * free_free + free * of_free,
    )


def _log_sum(d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log of what win, loss and tie sum to."""
    found = _log_sum_within(d, tie)
    return found if np.isfinite(found.sum()) else _log_sum_anywhere(d, tie)


def _log_sum_within(d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """The same; infinite where a sum is no number."""
    with np.errstate(over="ignore", divide="ignore"):
        won = np.exp(d / 2)
        total = np.divide(1, won)
        total += won
        total += np.exp(tie)
    return np.log(total, out=total)


def _log_sum_anywhere(d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    size = np.abs(d) / 2
    top = np.maximum(size, tie)
    return top + np.log(np.exp(size - top) + np.exp(-size - top) + np.exp(tie - top))


DAVIDSON = OfRows(davidson, davidson_total, davidson_bent)
RAO_KUPPER = OfRows(rao_kupper, rao_kupper_total, rao_kupper_bent)
