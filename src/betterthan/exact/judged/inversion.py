"""P(d > x) and the density of d = sum_y m_y g_y, by inverting a moment generating function.

With G_y ~ Gamma(A_y) in place of the shares m_y of the signals, d > x where T = sum_y G_y (g_y - x)
is above 0, and M(t) = E exp(t T) = prod_y E (1 - t (g_y - x))^(-A_y). P(T > 0) is the integral of
M(t) / (2 pi i t) along any vertical line right of 0: Gil-Pelaez's integral, moved off the axis. On
the line through the lowest M(t) / t nothing cancels, so a small mass has as many digits as a large
one.

J. Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38(3-4), 481-482,
doi:10.1093/biomet/38.3-4.481.
"""

import numpy as np

from betterthan.exact.judged.law import Law
from betterthan.exact.judged.line import Line
from betterthan.exact.judged.series import factors

# (step, reach) of tau, where s = 2 width sinh(tau), tried in turn by the rows not yet settled; M
# falls off slowly where hardly any label decides
SCHEDULE = ((0.2, 3.0), (0.1, 3.4), (0.05, 6.0), (0.025, 10.0), (0.0125, 14.0), (0.00625, 18.0))
CLOSE = 1e-8  # relative gap between a rule and that of half its nodes; the error is far smaller
LOOSE = 1e-3  # while a root is far
_END = 1.6  # power of the gap that the last node has to be below
_WORK = 1_000_000  # complex numbers at once: bounds the memory


def above(
    law: Law, x: np.ndarray, close: float = CLOSE, need: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """P(d > x), the density of d, its slope, P(d < x), (row, 4); and whether each row is settled.

    Parameters
    ----------
    law : Law
    x : numpy.ndarray, one for each pair of the law
    close : float
        Relative gap between the rule and that of half its nodes; the error is far smaller.
    need : {1, 2}
        Whether P alone has to settle, or the density too.
    """
    # the smaller tail is the integral; on the larger side the line would be too near the pole
    turn = law.mean_and_sd()[0] > x
    side = np.where(turn, -1.0, 1.0)
    integrals, converged = _beyond(law.mirrored(turn), side * x, close, need)
    tail, height, slope = integrals.T
    tail = np.maximum(tail, 0)  # what is left of one below 1e-20 may be noise
    complement = 1 - tail
    above_, below = np.where(turn, complement, tail), np.where(turn, tail, complement)
    return np.stack([above_, height, slope * side, below], axis=1), converged


def _beyond(law: Law, x: np.ndarray, close: float, need: int) -> tuple[np.ndarray, np.ndarray]:
    """P(d > x), density and slope, and convergence, for x above the mean."""
    integrals, converged = np.zeros((x.size, 3)), np.abs(x) >= 1
    rows = np.flatnonzero(~converged)
    line, parts = Line.through_saddle(law.select(rows), x[rows]), np.empty((rows.size, 3, 0))
    for step, reach in SCHEDULE:
        open_ = ~converged[rows]
        if not open_.any():
            break
        rows, line = rows[open_], line.select(open_)
        parts = _node_values(law.select(rows), line, step, reach, parts[open_])
        estimate, converged[rows] = _by_rule(parts, step, close, need)
        integrals[rows] = estimate * np.exp(line.log[:, None]) / np.pi
    return integrals, converged


def _node_values(law: Law, line: Line, step: float, reach: float, coarse: np.ndarray) -> np.ndarray:
    """Integrands at the nodes of a rule; every second node may come from the rule of twice the
    step, in `coarse`.
    """
    count = 2 * int(np.ceil(reach / step / 2)) + 1
    parts = np.empty((len(law.unlabeled), 3, count))
    fresh = np.ones(count, dtype=bool)
    fresh[: 2 * coarse.shape[-1] : 2] = False
    parts[..., ~fresh] = coarse
    tau = step * np.flatnonzero(fresh)
    block = max(1, _WORK // (tau.size * law.cells[0].size))
    for rows in np.split(np.arange(len(parts)), range(block, len(parts), block)):
        parts[rows[:, None], :, np.flatnonzero(fresh)] = np.swapaxes(
            _integrands(law.select(rows), line.select(rows), tau), 1, 2
        )
    return parts


def _by_rule(
    parts: np.ndarray, step: float, close: float, need: int
) -> tuple[np.ndarray, np.ndarray]:
    """The three integrals of each row by the trapezoid rule, and whether they converged."""
    first = parts[..., 0] / 2
    estimate = (parts.sum(-1) - first) * step
    half = (parts[..., ::2].sum(-1) - first) * 2 * step
    scale = np.abs(estimate[:, :need])
    gap, end = np.abs(estimate - half)[:, :need], np.abs(parts[:, :need, -1]) * step
    return estimate, ((gap <= close * scale) & (end <= close**_END * scale)).all(1)


def _integrands(law: Law, line: Line, tau: np.ndarray) -> np.ndarray:
    """Integrands of P, density and slope at the nodes of each row: (row, 3, node)."""
    t = line.cross[:, None] + 2j * line.width[:, None] * np.sinh(tau)
    log, first, second = factors(law.cells, law.unlabeled, line.x, t)
    value, total = np.exp(log.sum(1) - line.log[:, None]), first.sum(1)
    bent = total**2 + (second - first**2).sum(1)
    parts = np.stack([value / t, value * total, -value * t * bent], 1).real
    return parts * (2 * line.width[:, None] * np.cosh(tau))[:, None, :]
