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
from functools import partial

import numpy as np

from betterthan.exact.judged.inversion import CLOSE, LOOSE, Law, above
from betterthan.exact.numeric import limits

# precision of the integral, and the last step in sd, of a coarse root and of the root
_STAGES = ((LOOSE, 1e-3), (CLOSE, 1e-4))


def eti(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal-tailed interval of each row."""
    both = law.mirrored().joined(law)
    lower, upper = _upper_quantile(both, (1 - prob) / 2).reshape(2, -1)
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
        beyond = partial(_beyond, law, close)
        both, converged = limits.equal_heights(beyond, both, 1 - prob, step * sd)
    return both, converged


def _beyond(
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
