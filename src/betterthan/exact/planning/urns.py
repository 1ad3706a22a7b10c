"""How many of the next m items are of one kind: the binomial, or Polya's urn where the share of
that kind is known as well as a Beta distribution.

A term is C(m, j) times weights of j, of m - j and of m, so tables of logarithms of these three give
every term; and a tail at m + 1 items is that at m and a few terms, so that the tails at all m cost
as much as one table.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Urn:
    """Log weights of each number of the kind, of the others and of all, (rows, 0 to n)."""

    kind: np.ndarray
    other: np.ndarray
    total: np.ndarray
    share: np.ndarray  # (rows, 1): P(the next one is of the kind) before any data,
    held: np.ndarray  # (rows, 1): prior weight in items; infinite for a known share

    @classmethod
    def from_beta(cls, a: Any, b: Any, n: int) -> "Urn":
        """Polya's urn of a Beta(a, b) share, up to n items; a and b (rows,)."""
        a, b = (np.asarray(x, float).reshape(-1, 1) for x in (a, b))
        kind, other, total = (_rising(x, n) for x in (a, b, a + b))
        return cls(kind, other, total, a / (a + b), a + b)

    @classmethod
    def from_probability(cls, p: Any, n: int) -> "Urn":
        """The binomial of a known share, (rows,)."""
        p = np.asarray(p, float).reshape(-1, 1)
        j = np.arange(n + 1)
        ways = special.gammaln(j + 1.0)
        kind, other = special.xlogy(j, p) - ways, special.xlog1py(j, -p) - ways
        return cls(kind, other, np.broadcast_to(-ways, p.shape[:1] + ways.shape), p, p + np.inf)

    def swapped(self) -> "Urn":
        """The urn of the other kind."""
        return Urn(self.other, self.kind, self.total, 1 - self.share, self.held)

    def term(self, m: Any, j: Any) -> np.ndarray:
        """P(j of m items), (rows, k), for m and j of that shape or (k,); 0 outside of 0 to m."""
        m, j = np.broadcast_arrays(m, j)
        inside = (j >= 0) & (j <= m)
        j = np.where(inside, j, 0)
        logs = (
            _lookup(self.kind, j)
            + _lookup(self.other, np.where(inside, m - j, 0))
            - _lookup(self.total, m)
        )
        return np.exp(np.where(inside, logs, -np.inf))

    def next_probability(self, m: Any, j: Any) -> np.ndarray:
        """P(the next is of the kind) after j of m."""
        with np.errstate(invalid="ignore"):
            learned = np.where(np.isinf(self.held), 0.0, (j - m * self.share) / (self.held + m))
        return self.share + learned

    def tails(self, least: Any) -> np.ndarray:
        """P(at least `least` of m items), (rows, n + 1), for m = 0 to n."""
        m = np.arange(self.kind.shape[1])
        least = np.clip(np.broadcast_to(least, self.kind.shape), 0, m + 1)
        first = (least[:, :1] <= 0).astype(float)
        before = least[:, :-1] - 1  # one more of the kind, and they are enough
        grown = self.term(m[:-1], before) * self.next_probability(m[:-1], before)
        grown += self._moved(m[1:], least[:, :-1], least[:, 1:])
        return np.clip(np.cumsum(np.concatenate([first, grown], axis=1), axis=1), 0.0, 1.0)

    def _moved(self, m: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Difference of the tails from `after` on and from `before` on."""
        change = after - before
        difference = np.zeros(before.shape)
        for k in range(int(np.abs(change).max(initial=0))):
            difference -= np.where(change > k, self.term(m, before + k), 0.0)
            difference += np.where(-change > k, self.term(m, before - 1 - k), 0.0)
        return difference


def _rising(a: np.ndarray, n: int) -> np.ndarray:
    """Log of a (a + 1) ... (a + j - 1) / j! for j = 0 to n."""
    j = np.arange(n)
    steps = np.log1p((a - 1) / (j + 1))
    return np.concatenate([np.zeros((len(a), 1)), np.cumsum(steps, axis=1)], axis=1)


def _lookup(table: np.ndarray, place: np.ndarray) -> np.ndarray:
    if place.ndim == 1:
        return table[:, place]
    return np.take_along_axis(table, place, axis=1)
