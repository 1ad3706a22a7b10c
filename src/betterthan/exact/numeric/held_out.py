"""How well counts that were held out are foreseen: Dirichlet-multinomial probabilities."""

import numpy as np
from scipy import special


def log_probability(counts: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Log probability of counts (pair, outcome) under Dirichlet-multinomials of this shape (...,
    pair, outcome).
    """
    n = counts.sum(-1)
    orders = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(-1)
    total = shape.sum(-1)
    parts = (special.gammaln(shape + counts) - special.gammaln(shape)).sum(-1)
    return orders + special.gammaln(total) - special.gammaln(total + n) + parts


def log_mean_exp(log: np.ndarray) -> np.ndarray:
    """Log of the mean over the first axis."""
    return np.asarray(special.logsumexp(log, axis=0) - np.log(len(log)))


def level(counts: np.ndarray, theta: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Share of replications whose wins less losses are below those of counts (pair, outcome); equal
    ones count half.
    """
    again = random.multinomial(counts.sum(-1), theta)
    differences = (again[..., 0] - again[..., 1]) - (counts[:, 0] - counts[:, 1])
    return (differences < 0).mean(0) + (differences == 0).mean(0) / 2
