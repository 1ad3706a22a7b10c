"""Importance sampling of clusters and data sets: Beta-binomials of each pair.

The model of clusters as two posteriors of each pair, of two parameters each: wins among decisive
examples, and decisive ones among all.

The model of data sets as a posterior of each pair, of three parameters: wins among decisive
examples, decisive ones among all, and how alike data sets are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.laplace import tables
from betterthan.exact.laplace.nested import Drawn
from betterthan.exact.laplace.tables import Alike, Shares, Thirds, mean_probabilities
from betterthan.exact.wins import clusters
from betterthan.exact.wins.clusters import log_gamma_beyond
from betterthan.models import log_priors, simplex
from betterthan.models.importance import Values, Variable
from betterthan.models.sampling import held

Tensors = Callable[..., Any]


def log_probability(values: np.ndarray) -> Tensors:
    """A function from counts and parameters to the log probability of each cluster of each pair."""
    rising, pairs = _rising(values), values.shape[1]
    # in how many orders the data could have come: a constant, computed once
    constant = held("orders", orders(values))

    def log_probability(counts: Any, n: Any, theta: Any, win: Any, decisive: Any) -> Any:
        wins, losses, ties = (counts[..., k] for k in range(3))
        theta, win, decisive = (
            _pair_parameter(z, pairs, d) for z, d in ((theta, 2), (win, 1), (decisive, 1))
        )
        s: Any = theta[:, 0] + theta[:, 1]
        p = theta[:, 0] / s
        won = _beta_binomial(rising, wins, losses, p, win)
        return constant + won + _beta_binomial(rising, wins + losses, ties, s, decisive)

    return log_probability


def orders(values: np.ndarray) -> np.ndarray:
    """Log of the number of orders in which the examples of each cluster may stand."""
    return special.gammaln(values.sum(-1) + 1) - special.gammaln(values + 1).sum(-1)


def pointwise(k: np.ndarray, others: np.ndarray, t: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Beta-binomial log probability of k and others (cluster, pair), without the binomial
    coefficient, (draw, cluster, pair), at log odds t of its mean and kappa, (draw, pair).
    """
    log_density = np.zeros((len(t), *k.shape))
    p, q = special.expit(t), special.expit(-t)
    for count, other in np.unique(np.stack([k, others], axis=-1).reshape(-1, 2), axis=0):
        cluster, pair = ((k == count) & (others == other)).nonzero()
        some, back = np.unique(pair, return_inverse=True)
        log = count * special.log_expit(t[:, some]) + other * special.log_expit(-t[:, some])
        log += log_gamma_beyond((p * kappa)[:, some], count)
        log += log_gamma_beyond((q * kappa)[:, some], other)
        log -= log_gamma_beyond(kappa[:, some], count + other)
        log_density[:, cluster, pair] = log[:, back]
    return log_density


def random_counts(
    n: Any, theta: Any, win: Any, decisive: Any, rng: Any = None, size: Any = None
) -> np.ndarray:
    """Counts of clusters."""
    s = theta[..., 0] + theta[..., 1]
    p = theta[..., 0] / s
    some = rng.binomial(n, rng.beta(s * decisive, (1 - s) * decisive, size=size))
    wins = rng.binomial(some, rng.beta(p * win, (1 - p) * win, size=size))
    return np.stack([wins, some - wins, n - some], axis=-1)


def _rising(values: np.ndarray) -> Tensors:
    """A function from x (pair) and k (cluster, pair) to log (x (x + 1) ... (x + k - 1)).

    It looks them up in a table of each pair: clusters are many, sizes and parameters few.
    """
    import pytensor.tensor as pt

    largest, pairs = int(values.sum(-1).max(initial=0)), values.shape[1]
    steps = held("steps", np.arange(largest, dtype=float))
    start = held("start", np.arange(pairs) * (largest + 1))

    def rising(x: Any, k: Any) -> Any:
        logs: Any = pt.log(x[:, None] + steps)
        table: Any = pt.concatenate([pt.zeros((pairs, 1)), pt.cumsum(logs, axis=1)], axis=1)
        index = pt.cast(k + start, "int64")
        return table.flatten()[index.flatten()].reshape(index.shape)

    return rising


def _beta_binomial(rising: Tensors, k: Any, others: Any, mean: Any, kappa: Any) -> Any:
    """Log B(k + kappa mean, others + kappa (1 - mean)) / B(kappa mean, kappa (1 - mean)): the log
    probability of k of k + others, without the binomial coefficient.
    """
    return rising(kappa * mean, k) + rising(kappa * (1 - mean), others) - rising(kappa, k + others)


def _pair_parameter(parameter: Any, pairs: int, dims: int) -> Any:
    """A parameter without the broadcast over clusters."""
    import pytensor.tensor as pt

    while parameter.ndim > dims:
        parameter = parameter[0]
    if dims == 1:
        return pt.broadcast_to(parameter, (pairs,))
    return pt.broadcast_to(parameter, (pairs, 3))


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
            pointwise(*counts, t, half.alike.kappa(r)) for counts, half, t, r in halves
        )
        return log_density + orders(self.values)

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
        return log_density + orders(self.values)

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
