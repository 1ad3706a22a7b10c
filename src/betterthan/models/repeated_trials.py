"""Successes of repeated trials: Beta-binomial for a system on an item, the difficulty of the item
integrated out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan.exact.wins import rasch

Tensors = Callable[..., Any]


def log_probability(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """A function from successes (item, system) and parameters, which come with a dim of items, to
    the log probability of each item's row.

    Parameters
    ----------
    trials : numpy.ndarray, (item, system)
    x, log_weight : numpy.ndarray
        Nodes of standard normal difficulties.

    Notes
    -----
    The correlation of trials is one number, or one for each system.
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    # a factor for each trial: the successes of a cell first, and then its failures
    trial = np.arange(int(trials.max()))[:, None, None]
    tried = (trials > trial).astype(float)

    def items(y: Any, _: Any, ability: Any, mean: Any, spread: Any, correlation: Any) -> Any:
        ability, (mean, spread) = ability[-1], (z.flatten()[0] for z in (mean, spread))
        eta: Any = mean + ability[:, None] - spread * x
        kappa: Any = (1 / correlation[-1] - 1) * np.ones(trials.shape[1])
        sides: Any = [pt.sigmoid(eta), pt.sigmoid(-eta)]
        share: Any = pt.stack(sides)
        factors: Any = pt.log(kappa[:, None] * share[:, None] + trial)  # (2, trial, system, node)
        both: Any = pt.stack([y, trials - y])
        some: Any = pt.gt(both[:, None], trial)  # (2, trial, item, system)
        by_item: Any = some.transpose(2, 0, 1, 3).reshape((y.shape[0], -1)).astype("float64")
        total: Any = pt.dot(by_item, factors.reshape((-1, len(x))))
        below: Any = (tried * pt.log(kappa + trial)).sum((0, 2))
        return pm.math.logsumexp(total + log_weight, axis=-1) - below

    return items


def draw(
    trials: Any,
    ability: Any,
    mean: Any,
    spread: Any,
    correlation: Any,
    rng: Any = None,
    size: Any = None,
) -> np.ndarray:
    """Successes of the same, as PyMC draws them."""
    shape = size if size is not None else trials.shape[:-1]
    eta = np.asarray(mean)[..., None] + ability - (spread * rng.normal(size=shape))[..., None]
    alike = np.asarray(correlation)
    alike = alike if alike.ndim == np.ndim(ability) else alike[..., None]
    return rasch.draw_successes(eta, np.asarray(trials), alike, rng)


def expected_score(posterior: xr.Dataset) -> xr.DataArray:
    """Share of all such items that each system solves."""
    ability, mean, spread = (posterior[k].values for k in ("ability", "mean", "difficulty_sd"))
    slope = posterior["discrimination_sd"].values if "discrimination_sd" in posterior else None
    return posterior["ability"].copy(data=rasch.expected_score(ability, mean, spread, slope))
