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

from betterthan.exact.laplace.nested import Curved

_BLOCK = 100_000  # numbers held at a time

# log likelihood of rows, two first and three second derivatives: of d, of tie; d d, d tie, tie tie
Bent = tuple[np.ndarray, ...]


class RowModel(NamedTuple):
    """A model of ties, from counts, differences and tie parameters."""

    log: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (point, row)
    total: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (point,)
    bent: Callable[[np.ndarray, np.ndarray, np.ndarray], Bent]


@dataclass(frozen=True)
class Judgments:
    """Rows of judgments, and which parameters are summed in each."""

    counts: np.ndarray  # (outcome, row): wins, losses, ties
    d_design: sparse.csr_array  # (row, parameter)
    tie_design: sparse.csr_array
    netted: tuple[slice, ...]  # parameters of which each counts less their mean
    model: RowModel

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        return np.concatenate([self.model.total(self.counts, *sums) for sums in self._blocks(x)])

    def pointwise(self, x: np.ndarray) -> np.ndarray:
        """(point, row), with the number of orders in which the judgments of a row may stand."""
        orders = special.gammaln(self.counts.sum(0) + 1) - special.gammaln(self.counts + 1).sum(0)
        rows = [self.model.log(self.counts, *sums) for sums in self._blocks(x)]
        return np.concatenate(rows) + orders

    def _blocks(self, x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Differences and tie parameters of some points at a time."""
        size = max(1, _BLOCK // self.counts.shape[1])
        return (self._sums(x[k : k + size]) for k in range(0, len(x), size))

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature."""
        height, by_d, by_tie, *second = self.model.bent(self.counts, *self._sums(x))
        slope = by_d @ self.d_design + by_tie @ self.tie_design
        size, flat = x.shape[1], np.ascontiguousarray(np.concatenate(second, axis=1).T)
        bend = (self.bends @ flat).T.reshape(-1, size, size)
        for block in self.netted:
            slope[:, block] -= slope[:, block].mean(1, keepdims=True)
            bend[:, block] -= bend[:, block].mean(1, keepdims=True)
            bend[:, :, block] -= bend[:, :, block].mean(2, keepdims=True)
        return Curved(height.sum(1), slope, -bend)

    def _sums(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Differences and tie parameters, (point, row)."""
        if self.netted:
            x = x.copy()
        for block in self.netted:
            x[:, block] -= x[:, block].mean(1, keepdims=True)
        return (self.d_design @ x.T).T, (self.tie_design @ x.T).T

    @cached_property
    def bends(self) -> sparse.csr_array:
        """What second derivatives of rows (d d, d tie, tie tie) add to those in two parameters,
        (parameter and parameter, derivative and row).
        """
        d, tie = self.d_design, self.tie_design
        size = (d.T @ np.zeros(self.counts.shape[1])).size
        parts = [
            _crossed(d, d, size),
            _crossed(d, tie, size) + _crossed(tie, d, size),
            _crossed(tie, tie, size),
        ]
        return sparse.csr_array(sparse.hstack(parts))


def _crossed(first: sparse.csr_array, second: sparse.csr_array, size: int) -> sparse.csr_array:
    """Products of what stands in a row of one table and of another, of so many columns, (column and
    column, row); each row has as many numbers as the next.
    """
    rows = len(first.indptr) - 1
    (i, p), (j, q) = (
        (table.indices.reshape(rows, -1).astype(np.int64), table.data.reshape(rows, -1))
        for table in (first, second)
    )
    place = i[:, :, None] * size + j[:, None, :]
    value = p[:, :, None] * q[:, None, :]
    row = np.broadcast_to(np.arange(rows)[:, None, None], place.shape)
    index = place.ravel(), row.ravel()
    return sparse.csr_array((value.ravel(), index), shape=(size * size, rows))


def davidson(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log likelihood of rows (point, row): win : loss : tie = exp(d / 2) : exp(-d / 2) :
    exp(tie).
    """
    win, loss, tied = counts
    return (win - loss) * d / 2 + tied * tie - counts.sum(0) * log_sum(d, tie)


def davidson_total(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Of all rows, (point,)."""
    win, loss, tied = counts
    linear = d @ ((win - loss) / 2) + tie @ tied
    total = linear - _log_sum_within(d, tie) @ counts.sum(0)
    if np.isfinite(total).all():
        return total
    return linear - _log_sum_anywhere(d, tie) @ counts.sum(0)


def davidson_bent(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> Bent:
    """The same with its derivatives."""
    (win, loss, ties), n, total = counts, counts.sum(0), log_sum(d, tie)
    net, tied = net_and_tied(d, tie, total)
    return (
        (win - loss) * d / 2 + ties * tie - n * total,
        (win - loss - n * net) / 2,
        ties - n * tied,
        -n * (1 - tied - net**2) / 4,
        n * tied * net / 2,
        -n * tied * (1 - tied),
    )


def net_and_tied(
    d: np.ndarray, tie: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P(win) - P(loss), and P(tie), in each row, of Davidson's model; `total` is `log_sum`."""
    return np.exp(d / 2 - total) - np.exp(-d / 2 - total), np.exp(tie - total)


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
    by_d = win * down - loss * up + tied * (down - up)
    by_free = -win * down - loss * up + tied * (wide + (1 - up) + (1 - down))
    by_both = (win + tied) * down_bend - (loss + tied) * up_bend
    bend = -(win + tied) * down_bend - (loss + tied) * up_bend
    # wide = 2 / (e^2t - 1) has the slope -wide (wide + 2)
    free_free = bend - tied * wide * (wide + 2)
    return (
        rao_kupper(counts, d, tie),
        by_d,
        free * by_free,
        bend,
        free * by_both,
        free**2 * free_free + free * by_free,
    )


def log_sum(d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log of the sum of the weights of win, loss and tie."""
    total = _log_sum_within(d, tie)
    return total if np.isfinite(total.sum()) else _log_sum_anywhere(d, tie)


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


DAVIDSON = RowModel(davidson, davidson_total, davidson_bent)
RAO_KUPPER = RowModel(rao_kupper, rao_kupper_total, rao_kupper_bent)
