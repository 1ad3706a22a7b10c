"""Two Beta-binomials of each cluster: how many of its examples are decisive, and how many of these
are won.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.wins.clusters import log_gamma_beyond
from betterthan.models.compiling import held

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


def random(
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
