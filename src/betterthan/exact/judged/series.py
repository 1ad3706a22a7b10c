"""E (1 - t h)^-A of a signal, h = g - x, as a coefficient of a power series.

With b the cells of the signal, R their sum, n its items that have no label, A = R + n, and z_i =
1 - t (g_i - x), where g is 1, -1, 0 for win, loss, tie,

    E (1 - t h)^-A = n! Gamma(R) / Gamma(R + n) prod_i z_i^(-b_i) c_n,

and c_n belongs to w^n in f = prod_i (1 - w / z_i)^(-b_i): B. C. Carlson (1977), Special Functions
of Applied Mathematics, chapter 6. The recurrence is one of sums alone and takes n steps. No rule of
quadrature does as well: where few of many labels decide, the kernel turns too fast for it.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import special

SIDES = np.array([1.0, -1.0, 0.0])  # g of win, loss, tie
_STEPS = 24  # after which numbers are scaled, so that none overflows


def factors(
    cells: np.ndarray, unlabeled: np.ndarray, x: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each signal: log E (1 - t h)^-A, and A E (1 - t h)^(-A - 1) and A (A + 1) E (1 - t h)^(-A
    - 2) over E (1 - t h)^-A; all (row, signal, node).

    Parameters
    ----------
    cells : numpy.ndarray, (row, signal, truth)
    unlabeled : numpy.ndarray of int, (row, signal)
        Items without a label.
    x : numpy.ndarray, (row,)
    t : numpy.ndarray, real or complex, (row, node)
    """
    z = 1 - t * (SIDES[:, None, None] - x[:, None])  # (truth, row, node)
    n, total = unlabeled[..., None], cells.sum(-1)[..., None]
    log, first, second = _coefficients(cells, unlabeled, 1 / z)
    norm = special.betaln(total, n + 1) + np.log(total + n)
    log += norm - np.einsum("rsk,krn->rsn", cells, np.log(z))
    return log, (n + 1) * first, (n + 1) * (n + 2) * second


def cumulants(
    cells: np.ndarray, unlabeled: np.ndarray, x: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second derivative of log M at real t of each row, and log M, of all signals."""
    log, first, second = (part[..., 0] for part in factors(cells, unlabeled, x, t[:, None]))
    size, t = cells.sum(-1) + unlabeled, t[:, None]
    slope = (first - size) / t
    bend = (second - 2 * (size + 1) * first + size * (size + 1)) / t**2 - slope**2
    return slope.sum(-1), bend.sum(-1), log.sum(-1)


def _coefficients(
    cells: np.ndarray, unlabeled: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The log of c_n, c_(n+1) / c_n, c_(n+2) / c_n at y = 1 / z, of each signal with its own n."""
    coefficients = np.empty((3, *unlabeled.shape, y.shape[-1]), y.dtype)
    scale = np.abs(y).max(0)
    row, signal = np.unravel_index(np.argsort(unlabeled, axis=None), unlabeled.shape)
    orders, done = unlabeled[row, signal], 0
    run = _Series.start((y / scale)[:, row], cells[row, signal].T)
    for n, count in zip(*np.unique(orders, return_counts=True), strict=True):
        run.go_to(n)
        part = slice(done, done := done + count)
        by = scale[row[part]]
        value, first, second = run.leave(count)
        logs = value + n * np.log(by)
        coefficients[:, row[part], signal[part]] = logs, first * by, second * by**2
    return coefficients[0], coefficients[1], coefficients[2]


@dataclass
class _Series:
    """The coefficient c of several series, as far as they have come; arrays (truth, series, node).

    f' = f sum_i b_i y_i / (1 - w y_i): with h_i the coefficients of f / (1 - w y_i), m c_m is the
    sum of b_i y_i h_i before, and h_i goes on as y_i h_i + c_m.
    """

    y: np.ndarray
    pull: np.ndarray  # b y
    h: np.ndarray
    c: np.ndarray
    grown: np.ndarray  # log of what c and h were divided by
    step: int = 0

    @classmethod
    def start(cls, y: np.ndarray, cells: np.ndarray) -> Self:
        """The coefficient of w^0."""
        ones = np.ones_like(y[0])
        return cls(y, y * cells[..., None], np.ones_like(y), ones, np.zeros(ones.shape))

    def go_to(self, n: int) -> None:
        """On to the coefficient of w^n."""
        while self.step < n:
            self.step += 1
            self.c = np.einsum("ksn,ksn->sn", self.pull, self.h) / self.step
            self.h *= self.y
            self.h += self.c
            if self.step % _STEPS == 0:
                size = np.abs(self.h).max(0)
                self.c, self.grown = self.c / size, self.grown + np.log(size)
                self.h /= size

    def leave(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the first series log c, and the next two coefficients over it; the others go on."""
        (y, self.y), (pull, self.pull), (h, self.h) = (
            (part[:, :count], part[:, count:]) for part in (self.y, self.pull, self.h)
        )
        c, self.c = self.c[:count], self.c[count:]
        grown, self.grown = self.grown[:count], self.grown[count:]
        first = (pull * h).sum(0) / (self.step + 1)
        second = (pull * (y * h + first)).sum(0) / (self.step + 2)
        return np.log(c) + grown, first / c, second / c
