"""Who is better, and by how much, of pairs whose outcomes a judge gave and people checked in part.

Of each pair phi (truth z, signal y) ~ Dirichlet(alpha). The gold items have both, N[z, y]; of all
judged items, n[y], the signal is known. By signal everything is conjugate: the shares of signals
are m ~ Dirichlet(alpha[., y] + n[y]), the truth under a signal r_y ~ Dirichlet(alpha[., y] + N[.,
y]), all independent, and theta = sum_y m_y r_y.

References
----------
A. Tenenbein (1970), A double sampling scheme for estimating from binomial data with
misclassifications, JASA 65(331), 1350-1361, doi:10.1080/01621459.1970.10481170.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from betterthan.exact.judged import intervals
from betterthan.exact.judged.inversion import Law, above
from betterthan.exact.judged.moments import mean_and_sd
from betterthan.exact.judged.rules import rules

CELL = 1 / 3  # prior of a cell: with three signals the margin is Dirichlet(1, 1, 1)
# points of a rule, and how many steps of the schedule tell that it is too coarse; the last is of
# hardly any labels
_LEVELS = ((32, 4), (48, 5), (72, 6), (108, 7), (162, 7))
_LEGENDRE = np.polynomial.legendre.leggauss(10)


@dataclass(frozen=True)
class JudgedPairs:
    """Posterior of pairs: ``cells`` (pair, signal, truth) and ``size`` (pair, signal), and their
    laws, each with the places of its pairs.
    """

    cells: np.ndarray
    size: np.ndarray
    laws: tuple[tuple[np.ndarray, Law], ...]

    @classmethod
    def of(
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
        >>> pairs = JudgedPairs.of(gold, np.array([[210, 120, 170]]))
        >>> round(float(pairs.above(0.0)[0]), 12)
        0.947146441983
        """
        alpha = np.broadcast_to(np.asarray(prior, dtype=float), gold.shape[1:])
        cells = np.swapaxes(gold + alpha, 1, 2)
        size = judged + alpha.sum(0)
        return cls(cells, size, tuple(_laws(cells, size)))

    def mean_and_sd(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of d of each pair."""
        return mean_and_sd(self.cells, self.size)

    def above(self, x: float | np.ndarray) -> np.ndarray:
        """P(d > x) of each pair, at one x or at one for each.

        The relative error is below 1e-9 for probabilities down to 1e-12, of up to a million items;
        1e-7 where fewer than five are gold.
        """
        return self._at(x, [0])[0]

    def below(self, x: float | np.ndarray) -> np.ndarray:
        """P(d < x) of each pair; the smaller of the tails is the one that is integrated."""
        return self._at(x, [3])[0]

    def tails(self, x: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P(d > x) and P(d < x), from one integral."""
        above_, below = self._at(x, [0, 3])
        return above_, below

    def density(self, x: float | np.ndarray) -> np.ndarray:
        """Density of d at x, of each pair."""
        return self._at(x, [1], need=2)[0]

    def within(self, rope: float) -> np.ndarray:
        """P(-rope < d < rope): where the rope is narrow an integral of the density, else the
        difference of the tails that are small.
        """
        mean, sd = self.mean_and_sd()
        if rope < sd.min() / 2:
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
            lower, upper, narrow = self._each(lambda law: intervals.hdi(law, prob))
            return lower, upper, narrow.astype(bool)
        lower, upper = self._each(lambda law: intervals.eti(law, prob))
        return lower, upper, np.ones(lower.shape, dtype=bool)

    def _at(self, x: float | np.ndarray, which: list[int], *, need: int = 1) -> np.ndarray:
        """Some of the answers of `above`, (answer, pair), with more points where it has not
        settled.
        """
        found, at = np.empty((len(which), len(self.size))), np.broadcast_to(x, len(self.size))
        for rows, law in self.laws:
            left, points = rows, law.node.shape[-1]
            for more, tries in (level for level in _LEVELS if level[0] >= points):
                part = law if more == points else self._with(left, more, tries)
                told, settled = above(part, at[left], need=need)
                found[:, left] = told[:, which].T
                left = left[~settled]
                if not left.size:
                    break
        return found

    def _with(self, rows: np.ndarray, points: int, tries: int) -> Law:
        return _law(self.cells[rows], self.size[rows], points, tries)

    def _each(self, answer: Callable[[Law], tuple[np.ndarray, ...]]) -> np.ndarray:
        """Answers of all laws, (answer, pair)."""
        parts = [np.asarray(answer(law), dtype=float) for _, law in self.laws]
        whole = np.empty((len(parts[0]), len(self.size)))
        for (rows, _), part in zip(self.laws, parts, strict=True):
            whole[:, rows] = part
        return whole


def _laws(cells: np.ndarray, size: np.ndarray) -> list[tuple[np.ndarray, Law]]:
    """Laws of pairs by how many points their rules need: the fewest on which the integrals of P and
    of the density settle.
    """
    found, left = [], np.arange(len(size))
    for points, tries in _LEVELS:
        if not left.size:
            break
        law = _law(cells[left], size[left], points, tries)
        middle = mean_and_sd(cells[left], size[left])[0]
        last = points == _LEVELS[-1][0]
        enough = np.ones(left.size, dtype=bool) if last else above(law, middle)[1]
        if enough.any():
            found.append((left[enough], law.of(np.flatnonzero(enough))))
        left = left[~enough]
    return found


def _law(cells: np.ndarray, size: np.ndarray, points: int, tries: int) -> Law:
    node, weight = rules(cells.reshape(-1, 3), points)
    shape = (*size.shape, points)
    return Law(size, node.reshape(shape), weight.reshape(shape), tries)
