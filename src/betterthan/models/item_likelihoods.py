"""Log probability of an item's row of successes, its difficulty integrated out: once tried,
repeatedly tried, and items that differ in how well they tell systems apart.

Each is made for the numbers of trials (item, system) and the nodes of the integral, and is a
function of successes, trials and parameters, which come with a dim of items.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from betterthan.exact.wins import rasch

Tensors = Callable[..., Any]


def once(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """The Rasch model."""
    import pymc as pm
    import pytensor.tensor as pt

    vectors, item_vector = np.unique(trials, axis=0, return_inverse=True)
    item_vector = item_vector.ravel()
    totals = np.arange(int(trials.sum(1).max()) + 1)

    def items(y: Any, _: Any, ability: Any, mean: Any, spread: Any, __: Any) -> Any:
        ability, (mean, spread) = ability[-1], (z.flatten()[0] for z in (mean, spread))
        eta: Any = mean + ability[:, None] - spread * x
        not_solved: Any = pt.dot(vectors.astype(float), pt.softplus(eta))
        # given the total of an item, its difficulty does not depend on who solved it
        solved = totals[:, None] * (mean - spread * x)
        table: Any = pm.math.logsumexp(solved[None] - not_solved[:, None] + log_weight, axis=-1)
        return pt.dot(y.astype("float64"), ability) + table[item_vector, y.sum(-1)]

    return items


def repeatedly(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """Beta-binomial successes of the trials of a system on an item."""
    import pymc as pm
    import pytensor.tensor as pt

    most = int(trials.max())
    order = np.arange(most, dtype=float)

    def items(y: Any, n: Any, ability: Any, mean: Any, spread: Any, rho: Any) -> Any:
        ability, (mean, spread, rho) = ability[-1], (z.flatten()[0] for z in (mean, spread, rho))
        eta: Any = mean + ability[:, None] - spread * x
        kappa = 1 / rho - 1
        total: Any = 0.0
        for successes, share in ((y, pt.sigmoid(eta)), (trials - y, pt.sigmoid(-eta))):
            # a product over the trials of one kind, then of the other
            for j in range(most):
                some: Any = pt.gt(successes, j)
                total = total + pt.dot(some.astype("float64"), pt.log(kappa * share + j))
        below: Any = pt.concatenate([pt.zeros(1), pt.cumsum(pt.log(kappa + order))])
        log_density: Any = pm.math.logsumexp(total + log_weight, axis=-1)
        return log_density - below[trials].sum(-1)

    return items


def discriminating(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """The 2PL: the slope of an item is integrated out, too."""
    import pymc as pm
    import pytensor.tensor as pt

    z, w = rasch.hermite(9)
    weight = (w[:, None] + log_weight).ravel()

    def items(y: Any, _: Any, ability: Any, mean: Any, spread: Any, sd: Any) -> Any:
        ability, (mean, spread, sd) = ability[-1], (v.flatten()[0] for v in (mean, spread, sd))
        eta: Any = mean + ability[:, None] - spread * x
        slope: Any = pt.exp(sd * z)
        steep: Any = (slope[None, :, None] * eta[:, None]).reshape((len(trials[0]), -1))
        total: Any = pt.dot(y.astype("float64"), steep) - pt.dot(
            trials.astype(float), pt.softplus(steep)
        )
        return pm.math.logsumexp(total + weight, axis=-1)

    return items
