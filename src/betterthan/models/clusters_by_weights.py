"""The model of clusters as two posteriors of each pair, of two parameters each: wins among decisive
examples, and decisive ones among all.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.laplace import tables
from betterthan.exact.laplace.nested import Drawn
from betterthan.exact.laplace.shares import Shares
from betterthan.exact.laplace.tables import Alike
from betterthan.exact.wins import clusters
from betterthan.models import cluster_likelihood, log_priors, simplex
from betterthan.models.forward import Values, Variable

CORRELATIONS = ("win_correlation", "decisive_correlation")
_PAIR = (names.PAIR,)


@dataclass(frozen=True)
class Clusters:
    """Counts of clusters and their prior; the parameters are log odds of p of every pair and then
    of s, the spreads how alike clusters are, in the same order.
    """

    values: np.ndarray  # (cluster, pair, outcome)
    prior: tuple[float, ...]  # of win, loss and tie
    correlation: float | None  # where it is held

    @property
    def priors(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Beta priors of p and s."""
        win, loss, tie = self.prior
        return (win, loss), (win + loss, tie)

    @property
    def alike(self) -> Alike:
        """How alike clusters are."""
        held = None if self.correlation is None else 1 / self.correlation - 1
        return Alike(clusters.CORRELATION, clusters.STRETCH, held)

    @property
    def shares(self) -> tuple[Shares, Shares]:
        """Wins among decisive examples, decisive ones among all."""
        win, loss, tie = np.moveaxis(self.values, -1, 0)
        first, second = self.priors
        return (
            Shares.from_counts(win, loss, first, self.alike),
            Shares.from_counts(win + loss, tie, second, self.alike),
        )

    def draws(self, number: int, random: np.random.Generator) -> Drawn:
        """Of equal weight; k-hat and what they are worth are those of the worst pair."""
        both = [tables.draws(half, number, random) for half in self.shares]
        return Drawn(
            v=np.hstack([half.r for half in both]),
            x=np.hstack([half.x[..., 0] for half in both]),
            k_hat=float(max(half.k_hat.max() for half in both)),
            effective=float(min(half.effective.min() for half in both)),
            proposed=max(half.proposed for half in both),
        )

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of correlations and shares, (draw, half and pair)."""
        size = number, self.values.shape[1]
        odds = [simplex.draw_log_odds(*prior, random, size) for prior in self.priors]
        alike = simplex.draw_log_odds(*clusters.CORRELATION, random, (number, 2 * size[1]))
        return np.arcsinh(alike / clusters.STRETCH), np.hstack(odds)

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihood of each cluster of each pair, (draw, cluster, pair)."""
        win, loss, tie = np.moveaxis(self.values, -1, 0)
        parts = [(win, loss), (win + loss, tie)]
        halves = zip(parts, self.shares, np.hsplit(x, 2), np.hsplit(v, 2), strict=True)
        log_density = sum(
            cluster_likelihood.pointwise(*counts, t, half.alike.kappa(r))
            for counts, half, t, r in halves
        )
        return log_density + cluster_likelihood.orders(self.values)

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw."""
        (p, s), (q, tie) = (np.split(special.expit(sign * x), 2, axis=1) for sign in (1, -1))
        theta = np.stack([s * p, s * q, tie], axis=-1)
        variables: dict[str, Variable] = {
            "p": (_PAIR, p),
            "s": (_PAIR, s),
            "theta": ((*_PAIR, names.OUTCOME), theta),
        }
        if self.correlation is None:
            for name, raw in zip(CORRELATIONS, np.hsplit(v, 2), strict=True):
                variables[f"{name}_raw"] = (_PAIR, raw)
                variables[name] = (_PAIR, special.expit(self.alike.logit(raw)))
        return variables

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of shares, and of the coordinates of correlations, of each draw."""
        shares = zip(("p", "s"), self.priors, strict=True)
        densities = {name: log_priors.beta(values[name], *prior) for name, prior in shares}
        raw = [f"{k}_raw" for k in CORRELATIONS] if self.correlation is None else []
        return densities | {name: self.alike.log_prior(values[name]) for name in raw}

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Counts of clusters drawn anew, (draw, cluster, pair, outcome)."""
        n = self.values.sum(-1)
        alike = [values[k] if k in values else np.array(self.correlation) for k in CORRELATIONS]
        share = [
            _shares(values[mean], correlation, len(n), random)
            for mean, correlation in zip(("p", "s"), alike, strict=True)
        ]
        some = random.binomial(n, share[1])
        wins = random.binomial(some, share[0])
        return np.stack([wins, some - wins, n - some], axis=-1)


def _shares(
    mean: np.ndarray, correlation: np.ndarray, count: int, random: np.random.Generator
) -> np.ndarray:
    """Of so many clusters, (draw, cluster, pair)."""
    with np.errstate(divide="ignore"):
        kappa = np.clip(1 / correlation - 1, *clusters.KAPPA)
    a, b = (np.maximum(part * kappa, 1e-12)[:, None] for part in (mean, 1 - mean))
    return random.beta(a, b, (len(mean), count, mean.shape[1]))
