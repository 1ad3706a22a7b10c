"""Outcomes of a judge that errs, corrected by the few that people labelled: closed forms.

For each pair, phi (truth z, signal y) ~ Dirichlet(alpha). The gold items have both, N[z, y]; of all
judged items, n[y], the signal is known. By signal everything is conjugate: the shares of signals
are m ~ Dirichlet(alpha[., y] + n[y]), the truth under a signal r_y ~ Dirichlet(alpha[., y] + N[.,
y]), all independent, and theta = sum_y m_y r_y. A. Tenenbein (1970), A double sampling scheme for
estimating from binomial data with misclassifications, JASA 65(331), 1350-1361,
doi:10.1080/01621459.1970.10481170.

P(d > x) and the density of d = sum_y m_y g_y come from a moment generating function. With G_y ~
Gamma(A_y) in place of the shares m_y of the signals, d > x where T = sum_y G_y (g_y - x) is above
0, and M(t) = E exp(t T) = prod_y E (1 - t (g_y - x))^(-A_y). P(T > 0) is the integral of M(t) /
(2 pi i t) along any vertical line right of 0: Gil-Pelaez's integral, moved off the axis. On the
line through the lowest M(t) / t nothing cancels, so a small mass has as many digits as a large one.
J. Gil-Pelaez (1951), Note on the inversion theorem, Biometrika 38(3-4), 481-482,
doi:10.1093/biomet/38.3-4.481.

E (1 - t h)^-A of a signal, h = g - x, is a coefficient of a power series. With b the cells of the
signal, R their sum, n its items that have no label, A = R + n, and z_i = 1 - t (g_i - x), where g
is 1, -1, 0 for win, loss, tie,

    E (1 - t h)^-A = n! Gamma(R) / Gamma(R + n) prod_i z_i^(-b_i) c_n,

and c_n belongs to w^n in f = prod_i (1 - w / z_i)^(-b_i): B. C. Carlson (1977), Special Functions
of Applied Mathematics, chapter 6. The recurrence is one of sums alone and takes n steps. No rule of
quadrature does as well: where few of many labels decide, the kernel turns too fast for it.
"""

from dataclasses import dataclass
from functools import partial, reduce
from typing import Self

import numpy as np
from scipy import special

from betterthan.exact.numeric import limits
from betterthan.exact.numeric.monte_carlo import interval, log_gammas


def mean_and_sd(cells: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of d, where the truth under signal y is Dirichlet(cells), and the signals Dirichlet(size).

    Parameters
    ----------
    cells : numpy.ndarray, (..., signal, truth), of win, loss, tie
    size : numpy.ndarray, (..., signal)

    Examples
    --------
    >>> import numpy as np
    >>> mean, sd = mean_and_sd(np.full((3, 3), 1 / 3), np.array([211.0, 121.0, 171.0]))
    >>> float(mean), round(float(sd), 9)
    (0.0, 0.341905154)
    """
    mean, spread = signal_moments(cells)
    total = size.sum(-1)
    centre = (size * mean).sum(-1) / total
    # E d^2 - centre^2, as a sum of positive terms
    around = size * (mean - centre[..., None]) ** 2 + size * (size + 1) * spread
    return centre, np.sqrt(around.sum(-1) / (total * (total + 1)))


def signal_moments(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of g = r_w - r_l under each signal, (..., signal)."""
    win, loss, total = cells[..., 0], cells[..., 1], cells.sum(-1)
    mean = (win - loss) / total
    return mean, ((win + loss) / total - mean**2) / (total + 1)


@dataclass(frozen=True)
class Law:
    """Of each pair the cells of win, loss, tie, (pair, signal, truth), and how many items have no
    label, (pair, signal).
    """

    cells: np.ndarray
    unlabeled: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """A of each signal: its cells, and what has no label."""
        return self.cells.sum(-1) + self.unlabeled

    def select(self, rows: np.ndarray) -> Self:
        """The law of these pairs."""
        return type(self)(self.cells[rows], self.unlabeled[rows])

    def mirrored(self, where: np.ndarray | None = None) -> Self:
        """The law of -d, of all pairs or of those in `where`."""
        other = self.cells[..., [1, 0, 2]]
        cells = other if where is None else np.where(where[:, None, None], other, self.cells)
        return type(self)(cells, self.unlabeled)

    def joined(self, other: Self) -> Self:
        """Concatenate the pairs of two laws."""
        return type(self)(
            np.concatenate([self.cells, other.cells]),
            np.concatenate([self.unlabeled, other.unlabeled]),
        )

    def mean_and_sd(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of d of each pair."""
        return mean_and_sd(self.cells, self.size)

    def signal_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the g of each signal, (pair, signal)."""
        return signal_moments(self.cells)


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


_NEWTON_STEPS = 30  # of Newton, on the way to the lowest point
_TOLERANCE = 3e-2  # relative; the line need not go through it


@dataclass(frozen=True)
class Line:
    """Of each row: x, where the line crosses the axis, the width of the hump on it, log M there."""

    x: np.ndarray
    cross: np.ndarray
    width: np.ndarray
    log: np.ndarray

    def select(self, rows: np.ndarray) -> "Line":
        """Select rows."""
        return Line(self.x[rows], self.cross[rows], self.width[rows], self.log[rows])

    @classmethod
    def through_saddle(cls, law: Law, x: np.ndarray) -> Self:
        """The line through the saddle point of each row, by bracketed Newton."""
        end = 1 / (1 - x)
        t, low, high = np.minimum(_normal(law, x), end / 2), np.zeros(x.size), end
        slope, bend, log = _hollow(law, x, t)
        for _ in range(_NEWTON_STEPS):
            low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
            moved = t - slope / bend
            moved = np.where((moved <= low) | (moved >= high), (low + high) / 2, moved)
            if (np.abs(moved - t) < _TOLERANCE * t).all():
                break
            t = moved
            slope, bend, log = _hollow(law, x, t)
        return cls(x, t, 1 / np.sqrt(bend), log)


def _hollow(law: Law, x: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second derivative of log M(t) / t, and log M."""
    slope, bend, log = cumulants(law.cells, law.unlabeled, x, t)
    return slope - 1 / t, bend + 1 / t**2, log


def _normal(law: Law, x: np.ndarray) -> np.ndarray:
    """Where it would be lowest if T = sum_y G_y (g_y - x) were normal."""
    size, (mean, spread) = law.size, law.signal_moments()
    mean = mean - x[:, None]
    square = mean**2 + spread
    mu = (size * mean).sum(-1)
    var = (size * square + size**2 * spread).sum(-1)
    return 2 / (np.hypot(mu, 2 * np.sqrt(var)) + mu)


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


# precision of the integral, and the last step in sd, of a coarse root and of the root
_STAGES = ((LOOSE, 1e-3), (CLOSE, 1e-4))


def eti(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal-tailed interval of each row."""
    lower, upper = _upper_quantile(law.mirrored().joined(law), (1 - prob) / 2).reshape(2, -1)
    return -lower, upper


def hdi(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Narrowest interval of each row and whether it converged; else the equal-tailed one.

    The search is limited to rows whose density has one mode on a grid of heights.
    """
    converged = unimodal(law)
    both = np.zeros((2, converged.size))
    rows = np.flatnonzero(converged)
    both[:, rows], converged[rows] = _equal_heights(law.select(rows), prob)
    failed = np.flatnonzero(~converged)
    if failed.size:
        both[:, failed] = eti(law.select(failed), prob)
    return both[0], both[1], converged


def unimodal(law: Law) -> np.ndarray:
    """Whether the density rises once and falls once; looked at where most of the spread
    is that of a signal with hardly a label, for only then can it have more modes.
    """
    spread = law.signal_moments()[1]
    part = law.size * (law.size + 1) * spread
    part /= part.sum(-1, keepdims=True)
    rows = np.flatnonzero(((part > 0.25) & (spread > 0.2)).any(-1))
    single = np.ones(len(law.unlabeled), dtype=bool)
    centre, sd = law.mean_and_sd()
    for row in rows:
        x = np.clip(centre[row] + np.linspace(-4, 4, 49) * sd[row], -0.999, 0.999)
        heights = above(law.select(np.full(x.size, row)), x, LOOSE, 1)[0][:, 1]
        turns = np.sign(np.diff(heights) * (np.abs(np.diff(heights)) > 1e-6 * heights.max()))
        turns = turns[turns != 0]
        single[row] = ((turns[:-1] < 0) & (turns[1:] > 0)).sum() == 0
    return single


def _guess(law: Law, prob: float) -> np.ndarray:
    return np.clip(limits.beta_quantile(*law.mean_and_sd(), prob), -1 + 1e-12, 1 - 1e-12)


def _upper_quantile(law: Law, prob: float) -> np.ndarray:
    """The x of each row with P(d > x) = prob: minus the quantile of -d."""
    root, sd = -_guess(law, 1 - prob), law.mean_and_sd()[1]
    for close, step in _STAGES:
        below = partial(_below, law, close, step * sd)
        root = limits.quantile(below, root, np.full(root.shape, prob))
    return -root


def _below(
    law: Law, close: float, last: np.ndarray, rows: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P(-d < x), the density of -d there, and how long the last step may be."""
    mass, height, *_ = above(law.select(rows), -x, close, 1)[0].T
    return mass, height, last[rows]


def _equal_heights(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Limits (2, row) of equal height, and whether each row converged."""
    tail, sd = (1 - prob) / 2, law.mean_and_sd()[1]
    both, converged = np.stack([_guess(law, tail), _guess(law, 1 - tail)]), sd > 0
    for close, step in _STAGES:
        beyond = partial(_mass_beyond, law, close)
        both, converged = limits.equal_heights(beyond, both, 1 - prob, step * sd)
    return both, converged


def _mass_beyond(
    law: Law, close: float, rows: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass beyond both points, height there, and slope of the log height: (2, row)."""
    some = law.select(rows)
    both = some.mirrored().joined(some)
    answers, _ = above(both, np.concatenate([-points[0], points[1]]), close, 1)
    mass, height, slope, _ = answers.T.reshape(4, 2, -1)
    return mass, height, slope / height * np.array([[-1], [1]])


CELL = 1 / 3  # prior of a cell: with three signals the margin is Dirichlet(1, 1, 1)
_LEGENDRE = np.polynomial.legendre.leggauss(10)


@dataclass(frozen=True)
class JudgedPairs(Law):
    """Posterior of pairs, and what it says of d."""

    @classmethod
    def from_counts(
        cls, gold: np.ndarray, judged: np.ndarray, prior: float | np.ndarray = CELL
    ) -> "JudgedPairs":
        """From counts: gold (pair, truth, signal), and judged (pair, signal), gold items included.

        Parameters
        ----------
        prior : float or numpy.ndarray, (truth, signal)
            Of each cell.

        Examples
        --------
        >>> import numpy as np
        >>> gold = np.array([[[18, 2, 5], [3, 9, 4], [4, 3, 12]]])
        >>> pairs = JudgedPairs.from_counts(gold, np.array([[210, 120, 170]]))
        >>> round(float(pairs.above(0.0)[0]), 12)
        0.947146441983
        """
        alpha = np.broadcast_to(np.asarray(prior, dtype=float), gold.shape[1:])
        return cls(np.swapaxes(gold + alpha, 1, 2), judged - gold.sum(1))

    def above(self, x: float | np.ndarray) -> np.ndarray:
        """P(d > x) of each pair, at one x or at one for each.

        The relative error is below 1e-9 for probabilities down to 1e-12; below 1e-6 of a single
        item under a prior of less than 1/3 a cell.
        """
        return self._tails(x)[:, 0]

    def below(self, x: float | np.ndarray) -> np.ndarray:
        """P(d < x) of each pair; the smaller of the tails is the one that is integrated."""
        return self._tails(x)[:, 3]

    def tails(self, x: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P(d > x) and P(d < x), from one integral."""
        answers = self._tails(x)
        return answers[:, 0], answers[:, 3]

    def density(self, x: float | np.ndarray) -> np.ndarray:
        """Density of d at x, of each pair."""
        return self._tails(x, need=2)[:, 1]

    def within(self, rope: float) -> np.ndarray:
        """P(-rope < d < rope): where the rope is so narrow that tails cancel, an integral of the
        density, which may have a corner at 0; else the difference of the tails that are small.
        """
        mean, sd = self.mean_and_sd()
        if rope < sd.min() / 100:
            node, weight = _LEGENDRE
            return rope * (weight @ np.stack([self.density(rope * z) for z in node]))
        left = self.below(rope) - self.below(-rope)
        right = self.above(-rope) - self.above(rope)
        return np.where(mean > 0, left, right)

    def interval(self, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lower and upper end, and where the narrowest interval was found (else it is
        equal-tailed).
        """
        if kind == "hdi":
            return hdi(self, prob)
        lower, upper = eti(self, prob)
        return lower, upper, np.ones(lower.shape, dtype=bool)

    def _tails(self, x: float | np.ndarray, *, need: int = 1) -> np.ndarray:
        """The answers of `above`, (pair, answer)."""
        return above(self, np.broadcast_to(x, len(self.unlabeled)), need=need)[0]


def draws(cells: np.ndarray, size: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """theta, (draw, pair, truth), from cells (pair, signal, truth) and size (pair, signal).

    Examples
    --------
    >>> import numpy as np
    >>> theta = draws(np.ones((1, 3, 3)), np.full((1, 3), 5.0), 4, np.random.default_rng(1))
    >>> theta.shape, theta.sum(-1).round(12).tolist()
    ((4, 1, 3), [[1.0], [1.0], [1.0], [1.0]])
    """
    share = dirichlet(size, number, rng)
    theta = np.zeros((number, len(size), cells.shape[-1]))
    for y in range(size.shape[-1]):  # signals are few, draws are many
        theta += share[..., y, None] * dirichlet(cells[:, y], number, rng)
    return theta


def dirichlet(shape: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Dirichlet over the last dim, draws first."""
    logs = log_gammas(shape, (number,), rng)
    heights = np.exp(logs - _over_last(np.maximum, logs)[..., None])
    return heights / _over_last(np.add, heights)[..., None]


def _over_last(combine: np.ufunc, values: np.ndarray) -> np.ndarray:
    """`combine.reduce` over the last dim, which as a rule has few places: a fifth of the time."""
    if values.shape[-1] >= 8:  # from which on numpy adds in another order
        return combine.reduce(values, axis=-1)
    return reduce(combine, np.moveaxis(values, -1, 0))


_DRAWS, _SEED = 4_000, 0
_HELD = 2**23  # numbers held at once


def correlation_ratio(cells: np.ndarray, size: np.ndarray) -> np.ndarray:
    """R2 = Var E(x | y) / Var x of x = 1, -1, 0 (win, loss, tie), at the posterior mean of phi.

    Parameters
    ----------
    cells : numpy.ndarray, (..., signal, truth)
    size : numpy.ndarray, (..., signal)

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.array([[332.0, 71, 19], [86, 360, 26], [42, 45, 18]]).T
    >>> round(float(correlation_ratio(cells[..., [0, 1, 2]], cells.sum(-1))), 4)
    0.3425
    """
    share = size / _over_last(np.add, size)[..., None]
    truth = cells / _over_last(np.add, cells)[..., None]
    mean, decisive = truth[..., 0] - truth[..., 1], truth[..., 0] + truth[..., 1]
    centre = _over_last(np.add, share * mean)
    explained = _over_last(np.add, share * (mean - centre[..., None]) ** 2)
    return explained / (_over_last(np.add, share * decisive) - centre**2)


def ratio_range(cells: np.ndarray, size: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of R2 from draws of its posterior, whose seed is fixed: those of the narrowest and the
    equal-tailed interval together, for either alone holds too little.

    Parameters
    ----------
    cells : numpy.ndarray, (pair, signal, truth)
    size : numpy.ndarray, (pair, signal)
    prob : float
        Between the bounds.
    """
    cells, size = _canonical_order(cells, size)
    limits = np.empty((2, len(cells)))
    step = max(1, _HELD // (_DRAWS * max(cells[0].size, 1))) if len(cells) else 1
    for start in range(0, len(cells), step):
        block = slice(start, start + step)
        rng = np.random.default_rng(_SEED)
        drawn = dirichlet(cells[block], _DRAWS, rng), dirichlet(size[block], _DRAWS, rng)
        r2 = correlation_ratio(*drawn)
        both = [interval(r2, prob, kind) for kind in ("hdi", "eti")]
        limits[:, block] = np.minimum(*(b[0] for b in both)), np.maximum(*(b[1] for b in both))
    return limits[0], limits[1]


def _canonical_order(cells: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort cells so that draws, like R2, do not depend on which system of a pair comes first."""
    lost = cells[..., 1].sum(1) > cells[..., 0].sum(1)
    mirrored = cells[..., [1, 0, *range(2, cells.shape[-1])]]
    cells = np.where(lost[:, None, None], mirrored, cells)
    order = np.lexsort((*np.moveaxis(cells, -1, 0), size), axis=-1)
    return np.take_along_axis(cells, order[..., None], 1), np.take_along_axis(size, order, 1)


def effective_gold(r2: np.ndarray, gold: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """As many gold items as would say the same alone, of `gold` among `judged` items.

    Examples
    --------
    >>> [round(float(effective_gold(r2, 50, 1000)), 1) for r2 in (0.25, 0.35, 0.5, 0.7)]
    [65.6, 74.9, 95.2, 149.3]
    """
    return gold / (1 - r2 + r2 * gold / judged)


def best_ratio(r2: np.ndarray, cost_human: float, cost_judge: float) -> np.ndarray:
    """Judged items for each gold one at which a budget says most; 1 where gold items alone do."""
    alone = np.sqrt(cost_human * (1 - r2)) + np.sqrt(cost_judge * r2) >= np.sqrt(cost_human)
    return np.where(alone, 1.0, np.sqrt(r2 / (1 - r2) * cost_human / cost_judge))
