"""Log likelihood of abilities from judgments of two at a time, of many parameters at once.

Of a row, the difference d of what both are worth and the tie parameter are sums of parameters;
d counts the advantage of the first place in, and the tie parameter what a judge adds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse, special

from betterthan.exact.laplace.newton import Curved

_BLOCK = 1_000_000  # numbers held at a time
_WHOLE = 20_000_000  # products, up to which all points are summed at once

# log likelihood of rows, two first and three second derivatives: of d, of tie; d d, d tie, tie tie
Bent = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Judgments:
    """Rows of judgments, and which parameters are summed in each."""

    counts: np.ndarray  # (outcome, row): wins, losses, ties
    of_d: sparse.csr_array  # (row, parameter)
    of_tie: sparse.csr_array
    netted: tuple[slice, ...]  # parameters of which each counts less their mean
    log_of: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    bent_of: Callable[[np.ndarray, np.ndarray, np.ndarray], Bent]

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        return np.concatenate([rows.sum(1) for rows in self._rows(x)])

    def apart(self, x: np.ndarray) -> np.ndarray:
        """(point, row), with the number of orders in which the judgments of a row may stand."""
        orders = special.gammaln(self.counts.sum(0) + 1) - special.gammaln(self.counts + 1).sum(0)
        return np.concatenate([rows + orders for rows in self._rows(x)])

    def _rows(self, x: np.ndarray) -> Iterator[np.ndarray]:
        """Log likelihood (point, row), up to a constant, some points at a time."""
        size = max(1, _BLOCK // self.counts.shape[1])
        for k in range(0, len(x), size):
            yield self.log_of(self.counts, *self._sums(x[k : k + size]))

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature."""
        height, by_d, by_tie, *second = self.bent_of(self.counts, *self._sums(x))
        slope = by_d @ self.of_d + by_tie @ self.of_tie
        bend = self._dense(second) if self._small(x) else self._sparse(second)
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

    def _small(self, x: np.ndarray) -> bool:
        return x.size * x.shape[1] * self.counts.shape[1] < _WHOLE

    def _dense(self, second: list[np.ndarray]) -> np.ndarray:
        """Second derivatives (point, parameter, parameter), all points at once."""
        d, tie = self.of_d.toarray(), self.of_tie.toarray()
        of_d, both, of_tie = (weight[:, None, :] for weight in second)
        found = np.matmul(d.T * of_d, d) + np.matmul(tie.T * of_tie, tie)
        beside = np.matmul(d.T * both, tie)
        return found + beside + beside.swapaxes(1, 2)

    def _sparse(self, second: list[np.ndarray]) -> np.ndarray:
        """The same, point by point."""
        d, tie = self.of_d, self.of_tie
        found = []
        for of_d, both, of_tie in zip(*second, strict=True):
            beside = d.T @ (sparse.diags_array(both) @ tie)
            own = d.T @ (sparse.diags_array(of_d) @ d) + tie.T @ (sparse.diags_array(of_tie) @ tie)
            found.append((own + beside + beside.T).toarray())
        return np.stack(found)


def davidson(counts: np.ndarray, d: np.ndarray, tie: np.ndarray) -> np.ndarray:
    """Log likelihood of rows (point, row): win : loss : tie = exp(d / 2) : exp(-d / 2) :
    exp(tie).
    """
    win, loss, tied = counts
    return (win - loss) * d / 2 + tied * tie - counts.sum(0) * _log_sum(d, tie)


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
    size = np.abs(d) / 2
    top = np.maximum(size, tie)
    return top + np.log(np.exp(size - top) + np.exp(-size - top) + np.exp(tie - top))
