"""The model of data sets as a posterior of each pair, of three parameters: wins among decisive
examples, decisive ones among all, and how alike data sets are.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.laplace import tables
from betterthan.exact.laplace.nested import Drawn
from betterthan.exact.laplace.tables import Alike
from betterthan.exact.laplace.thirds import Thirds, mean_probabilities
from betterthan.exact.wins.clusters import log_gamma_beyond
from betterthan.models import cluster_likelihood, log_priors, simplex
from betterthan.models.forward import Values, Variable


@dataclass(frozen=True)
class DataSets:
    """Counts of data sets and their prior; the parameters are log odds of both shares of each pair,
    the spread is how alike data sets are.
    """

    values: np.ndarray  # (dataset, pair, outcome)
    prior: tuple[float, ...]  # of win, loss and tie
    alike: Alike

    @property
    def thirds(self) -> Thirds:
        """Their density."""
        return Thirds.from_counts(self.values, self.prior, self.alike)

    def draws(self, number: int, random: np.random.Generator) -> Drawn:
        """Of equal weight; k-hat and what they are worth are those of the worst pair."""
        drawn = tables.draws(self.thirds, number, random)
        worst = float(drawn.k_hat.max()), float(drawn.effective.min())
        return Drawn(drawn.r, drawn.x, *worst, drawn.proposed)

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of correlations (draw, pair), and of shares (draw, pair, share)."""
        win, loss, tie = self.prior
        size = number, self.values.shape[1]
        priors = (win, loss), (win + loss, tie)
        odds = [simplex.draw_log_odds(*prior, random, size) for prior in priors]
        alike = simplex.draw_log_odds(*self.alike.prior, random, size)
        return np.arcsinh(alike / self.alike.stretch), np.stack(odds, axis=-1)

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihood of each data set of each pair, (draw, dataset, pair)."""
        kappa, mu = self.alike.kappa(v), mean_probabilities(x)
        log_density = np.empty((len(x), *self.values.shape[:2]))
        for k, counts in enumerate(self.values):
            rising = log_gamma_beyond(kappa[..., None] * mu, counts) + special.xlogy(counts, mu)
            log_density[:, k] = rising.sum(-1) - log_gamma_beyond(kappa, counts.sum(-1))
        return log_density + cluster_likelihood.orders(self.values)

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw."""
        variables: dict[str, Variable] = {
            "mu": ((names.PAIR, names.OUTCOME), mean_probabilities(x))
        }
        if self.alike.held is None:
            variables["correlation"] = ((names.PAIR,), special.expit(self.alike.logit(v)))
        return variables

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the mean, and of how alike data sets are, of each draw."""
        densities = {"mu": log_priors.dirichlet(values["mu"], self.prior)}
        if self.alike.held is None:
            densities["correlation"] = log_priors.beta(values["correlation"], *self.alike.prior)
        return densities

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Counts of data sets drawn anew, (draw, dataset, pair, outcome)."""
        kappa = self.alike.held
        if kappa is None:
            kappa = (1 / values["correlation"] - 1)[..., None]
        theta = [simplex.draw(random, kappa * values["mu"]) for _ in self.values]
        return random.multinomial(self.values.sum(-1), np.stack(theta, axis=1))
