"""P(d > x) and the density of d = sum_y m_y g_y, by inverting a moment generating function.

With G_y ~ Gamma(A_y) in place of the shares m_y of the signals, d > x where T = sum_y G_y (g_y - x)
is above 0, and M(t) = E exp(t T) = prod_y E (1 - t (g_y - x))^(-A_y). P(T > 0) is the integral of
M(t) / (2 pi i t) along any vertical line right of 0: Gil-Pelaez's integral, moved off the axis. On
the line through the lowest M(t) / t nothing cancels, so a small mass has as many digits as a large
one.

J. Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38(3-4), 481-482,
doi:10.1093/biomet/38.3-4.481.
"""

from dataclasses import dataclass

import numpy as np

from betterthan.exact.judged.line import Line, tilted

# (step, reach) of tau, where s = 2 width sinh(tau), tried in turn by the rows not yet settled
SCHEDULE = (
    *((0.2, 2.2), (0.1, 2.6), (0.05, 3.0), (0.025, 3.5)),
    *((0.0125, 4.0), (0.00625, 4.5), (0.003125, 5.0)),
)
CLOSE = 5e-7  # gap between a rule and that of half its nodes; the error is about its square
LOOSE = 1e-3  # while a root is far
_WORK = 1_000_000  # complex numbers at once: bounds the memory


@dataclass(frozen=True)
class Law:
    """Pairs: the sizes A (pair, signal) and the rule of each g (pair, signal, point).

    ``tries`` is how many steps of the schedule the rule is good for.
    """

    size: np.ndarray
    node: np.ndarray
    weight: np.ndarray
    tries: int = len(SCHEDULE)

    def of(self, rows: np.ndarray) -> "Law":
        """The law of these pairs."""
        return Law(self.size[rows], self.node[rows], self.weight[rows], self.tries)

    def turned(self) -> "Law":
        """The law of -d."""
        return Law(self.size, -self.node, self.weight, self.tries)

    def beside(self, other: "Law") -> "Law":
        """The pairs of both, those of the other behind."""
        size, node, weight = (
            np.concatenate([getattr(self, k), getattr(other, k)])
            for k in ("size", "node", "weight")
        )
        return Law(size, node, weight, self.tries)


def above(
    law: Law, x: np.ndarray, close: float = CLOSE, need: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """P(d > x), the density of d, its slope, P(d < x), (row, 4); and whether each row is settled.

    Parameters
    ----------
    law : Law
    x : numpy.ndarray, one for each pair of the law
    close : float
        Relative gap between the rule and that of half its nodes, about the root of the error.
    need : {1, 2}
        Whether P alone has to settle, or the density too.
    """
    # the smaller tail is the integral; on the larger side the line would be too near the pole
    turn = _mean(law) > x
    side = np.where(turn, -1.0, 1.0)
    small = Law(law.size, law.node * side[:, None, None], law.weight, law.tries)
    told, settled = _beyond(small, side * x, close, need)
    tail, height, slope = told.T
    rest = 1 - tail
    above_, below = np.where(turn, rest, tail), np.where(turn, tail, rest)
    return np.stack([above_, height, slope * side, below], axis=1), settled


def _mean(law: Law) -> np.ndarray:
    """Of d."""
    return (law.size * (law.weight * law.node).sum(-1)).sum(-1) / law.size.sum(-1)


def _beyond(law: Law, x: np.ndarray, close: float, need: int) -> tuple[np.ndarray, np.ndarray]:
    """The same, where x is above the mean."""
    found, settled = np.zeros((x.size, 3)), np.abs(x) >= 1
    rows = np.flatnonzero(~settled)
    line, parts = Line.of(law.of(rows), x[rows]), np.empty((rows.size, 3, 0))
    for step, reach in SCHEDULE[: law.tries]:
        open_ = ~settled[rows]
        if not open_.any():
            break
        rows, line = rows[open_], line.at(open_)
        parts = _at_nodes(law.of(rows), line, step, reach, parts[open_])
        whole, settled[rows] = _by_rule(parts, step, close, need)
        found[rows] = whole * np.exp(line.log[:, None]) / np.pi
    return found, settled


def _at_nodes(law: Law, line: Line, step: float, reach: float, known: np.ndarray) -> np.ndarray:
    """The integrands at the nodes of a rule, of which every second one may be known from the rule
    of twice the step.
    """
    count = 2 * int(np.ceil(reach / step / 2)) + 1
    parts = np.empty((len(law.size), 3, count))
    fresh = np.ones(count, dtype=bool)
    fresh[: 2 * known.shape[-1] : 2] = False
    parts[..., ~fresh] = known
    tau = step * np.flatnonzero(fresh)
    block = max(1, _WORK // (tau.size * law.node[0].size))
    for at in np.split(np.arange(len(law.size)), range(block, len(law.size), block)):
        parts[at[:, None], :, np.flatnonzero(fresh)] = np.swapaxes(
            _integrands(law.of(at), line.at(at), tau), 1, 2
        )
    return parts


def _by_rule(
    parts: np.ndarray, step: float, close: float, need: int
) -> tuple[np.ndarray, np.ndarray]:
    """The three integrals of each row by the trapezoid rule, and whether they are settled."""
    first = parts[..., 0] / 2
    whole = (parts.sum(-1) - first) * step
    half = (parts[..., ::2].sum(-1) - first) * 2 * step
    scale = np.abs(whole[:, :need])
    gap, end = np.abs(whole - half)[:, :need], np.abs(parts[:, :need, -1]) * step
    return whole, ((gap <= close * scale) & (end <= close**2 * scale)).all(1)


def _integrands(law: Law, line: Line, tau: np.ndarray) -> np.ndarray:
    """Those of P, density and slope at the nodes of each row: (row, 3, node)."""
    s = 2 * line.width[:, None] * np.sinh(tau)
    phi, first, second = _factors(law, line, s)
    whole, total = phi.prod(1), first.sum(1)
    t = line.cross[:, None] + 1j * s
    bent = total**2 + (second - first**2).sum(1)
    parts = np.stack([whole / t, whole * total, -whole * t * bent], 1).real
    return parts * (2 * line.width[:, None] * np.cosh(tau))[:, None, :]


def _factors(law: Law, line: Line, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each signal, over (row, signal, node): E (1 - t h)^-A over its value on the axis, and A E
    (1 - t h)^(-A - 1), A (A + 1) E (1 - t h)^(-A - 2) over itself.
    """
    h = law.node - line.x[:, None, None]
    factor = 1 - line.cross[:, None, None] * h
    weight = tilted(law, factor)[0][:, :, None, :]
    ratio = (h / factor)[:, :, None, :] * s[:, None, :, None]
    size = law.size[..., None]
    power = np.exp(size[..., None] * (1j * np.arctan(ratio) - np.log1p(ratio**2) / 2)) * weight
    inverse = (1 + 1j * ratio) / (1 + ratio**2) / factor[:, :, None, :]
    phi = power.sum(-1)
    power *= inverse
    first = size * power.sum(-1) / phi
    power *= inverse
    return phi, first, size * (size + 1) * power.sum(-1) / phi
