"""Who is better, and by how much, of pairs that a judge compared and people labelled in part.

Who is better, and by how much, of pairs whose outcomes a judge gave and people checked in part.

Of each pair phi (truth z, signal y) ~ Dirichlet(alpha). The gold items have both, N[z, y]; of all
judged items, n[y], the signal is known. By signal everything is conjugate: the shares of signals
are m ~ Dirichlet(alpha[., y] + n[y]), the truth under a signal r_y ~ Dirichlet(alpha[., y] + N[.,
y]), all independent, and theta = sum_y m_y r_y.

References
----------
A. Tenenbein (1970), A double sampling scheme for estimating from binomial data with
misclassifications, JASA 65(331), 1350-1361, doi:10.1080/01621459.1970.10481170.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.judged.inversion import CLOSE, LOOSE, Law, above

_COARSE, _FINE = 1e-3, 1e-4  # steps in sd at which the coarse and the fine iteration stop
_ROUNDS = 60


def eti(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal-tailed interval of each row."""
    both = law.mirrored().joined(law)
    lower, upper = upper_quantile(both, (1 - prob) / 2).reshape(2, -1)
    return -lower, upper


def hdi(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Narrowest interval of each row and whether it converged; else the equal-tailed one.

    The search is limited to rows whose density has one mode on a grid of heights.
    """
    converged = unimodal(law)
    limits = np.zeros((2, converged.size))
    rows = np.flatnonzero(converged)
    limits[:, rows], converged[rows] = _equal_heights(law.select(rows), prob)
    failed = np.flatnonzero(~converged)
    if failed.size:
        limits[:, failed] = eti(law.select(failed), prob)
    return limits[0], limits[1], converged


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
    """Quantile of the scaled Beta with the mean and spread of d."""
    mean, sd = law.mean_and_sd()
    centre, spread = (1 + mean) / 2, sd / 2
    weight = centre * (1 - centre) / spread**2 - 1
    guess = 2 * special.betaincinv(centre * weight, (1 - centre) * weight, prob) - 1
    return np.clip(np.where(np.isfinite(guess), guess, mean), -1 + 1e-12, 1 - 1e-12)


def upper_quantile(law: Law, prob: float) -> np.ndarray:
    """The x of each row with P(d > x) = prob: Newton on log P, bracketed."""
    root, sd = _guess(law, 1 - prob), law.mean_and_sd()[1]
    for close, enough in ((LOOSE, _COARSE), (CLOSE, _FINE)):  # a coarse root, and the root
        low, high, open_ = np.full(root.size, -1.0), np.ones(root.size), np.arange(root.size)
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            x = root[open_]
            mass, height, *_ = above(law.select(open_), x, close, 1)[0].T
            short = mass > prob
            low[open_[short]], high[open_[~short]] = x[short], x[~short]
            root[open_] = _newton(x, mass, height, prob, low[open_], high[open_])
            open_ = open_[np.abs(root[open_] - x) / sd[open_] > enough]
    return root


def _newton(
    x: np.ndarray,
    mass: np.ndarray,
    height: np.ndarray,
    prob: float,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """A step on log P, or to the middle of the bracket."""
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = x + np.log(mass / prob) * mass / height
    inside = (moved > low) & (moved < high)
    return np.where(inside, moved, (low + high) / 2)


def _equal_heights(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Newton for "the mass is prob, the heights are equal", and whether each row converged."""
    tail, sd = (1 - prob) / 2, law.mean_and_sd()[1]
    limits = np.stack([_guess(law, tail), _guess(law, 1 - tail)])
    converged = np.zeros(sd.size, dtype=bool)
    for close, enough in ((LOOSE, _COARSE), (CLOSE, _FINE)):  # a coarse root, and the root
        open_ = np.arange(sd.size)
        converged[:] = False
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            now = limits[:, open_]
            move = _move(now, *_tails_and_slopes(law.select(open_), now, close), 1 - prob)
            limits[:, open_] = np.clip(now + move, (now - 1) / 2, (now + 1) / 2)
            converged[open_] = np.abs(move).max(0) / sd[open_] < enough
            open_ = open_[~converged[open_] & np.isfinite(move).all(0)]
    return limits, converged


def _tails_and_slopes(
    law: Law, limits: np.ndarray, close: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass beyond each bound, height there, and slope of the log height: (bound, row)."""
    both = law.mirrored().joined(law)
    answers, _ = above(both, np.concatenate([-limits[0], limits[1]]), close, 1)
    mass, height, slope, _ = answers.T.reshape(4, 2, -1)
    return mass, height, slope / height * np.array([[-1], [1]])


def _move(
    limits: np.ndarray, mass: np.ndarray, height: np.ndarray, slope: np.ndarray, outside: float
) -> np.ndarray:
    """The Newton step of both ends."""
    (f, g), (low, up) = height, slope
    miss, gap = mass.sum(0) - outside, np.log(g) - np.log(f)
    # solve  f dx - g dy = -miss ;  up dy - low dx = -gap
    scale = f * up - g * low
    dx, dy = (-miss * up - g * gap) / scale, (-f * gap - low * miss) / scale
    limit = 0.5 * (limits[1] - limits[0])
    return np.stack([np.clip(dx, -limit, limit / 2), np.clip(dy, -limit / 2, limit)])


CELL = 1 / 3  # prior of a cell: with three signals the margin is Dirichlet(1, 1, 1)
_LEGENDRE = np.polynomial.legendre.leggauss(10)


@dataclass(frozen=True)
class JudgedPairs:
    """Posterior of pairs: ``cells`` (pair, signal, truth), and the law of d that they make."""

    law: Law

    @property
    def cells(self) -> np.ndarray:
        """Parameters of the truth under each signal, (pair, signal, truth)."""
        return self.law.cells

    @property
    def size(self) -> np.ndarray:
        """Parameters of the signals, (pair, signal)."""
        return self.law.size

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
        return cls(Law(np.swapaxes(gold + alpha, 1, 2), judged - gold.sum(1)))

    def mean_and_sd(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of d of each pair."""
        return self.law.mean_and_sd()

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
            heights = np.stack([self.density(rope * z) for z in node])
            return rope * (weight @ heights)
        left = self.below(rope) - self.below(-rope)
        right = self.above(-rope) - self.above(rope)
        return np.where(mean > 0, left, right)

    def interval(self, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lower and upper end, and where the narrowest interval was found (else it is
        equal-tailed).
        """
        if kind == "hdi":
            return hdi(self.law, prob)
        lower, upper = eti(self.law, prob)
        return lower, upper, np.ones(lower.shape, dtype=bool)

    def _tails(self, x: float | np.ndarray, *, need: int = 1) -> np.ndarray:
        """The answers of `above`, (pair, answer)."""
        return above(self.law, np.broadcast_to(x, len(self.law.unlabeled)), need=need)[0]
