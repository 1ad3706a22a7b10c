"""Draws from the prior, data drawn anew and log likelihoods, in the groups that PyMC makes of them;
without PyMC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names

_BLOCK = 130_000  # outcomes drawn at a time
_FEW = 4  # judgments of a row, up to which they are drawn one by one

Variable = tuple[tuple[str, ...], np.ndarray]  # dims, and values (draw, ...)
Values = Mapping[str, np.ndarray]  # (draw, ...), by name


@dataclass(frozen=True, kw_only=True)
class Forward:
    """A model forward, and what it has seen."""

    prior: Callable[[int, np.random.Generator], dict[str, Variable]]  # so many draws
    outcomes: Callable[[Values, np.random.Generator], np.ndarray]  # of each draw, as observed
    # log densities of what has a prior, of each draw
    log_prior: Callable[[Values], Mapping[str, np.ndarray]]
    log_likelihood: np.ndarray  # (draw, *dims of the observed less the last)
    observed: xr.DataArray
    labels: Mapping[str, Any]  # of dims of the variables


def dataset(
    variables: Mapping[str, Variable], shape: tuple[int, int], labels: Mapping[str, Any]
) -> xr.Dataset:
    """Variables over (chain, draw, ...), with the labels of their dims."""
    data = {
        name: (("chain", "draw", *dims), values.reshape(shape + values.shape[1:]))
        for name, (dims, values) in variables.items()
    }
    used = {d for dims, _ in variables.values() for d in dims}
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    return xr.Dataset(data, coords | {d: labels[d] for d in used})


def groups(
    model: Forward, posterior: Mapping[str, Variable], shape: tuple[int, int], seed: int
) -> dict[str, xr.Dataset]:
    """Groups prior, prior_predictive, posterior_predictive, log_likelihood and log_prior.

    Parameters
    ----------
    model : Forward
    posterior : mapping
        Variables of each draw.
    shape : pair of int
        Chains, and draws of each.
    seed : int
    """
    random = np.random.default_rng([seed, 2])
    prior, once = model.prior(names.DRAWS, random), (1, names.DRAWS)
    y_dims = model.observed.dims
    densities = model.log_prior({name: values for name, (_, values) in posterior.items()})
    log_prior = {k: (posterior[k][0][: v.ndim - 1], v) for k, v in densities.items()}
    labels = {str(d): model.observed[d].values for d in y_dims}

    def group(dims: tuple[Any, ...], values: np.ndarray, sizes: tuple[int, int]) -> xr.Dataset:
        return dataset({"y": (dims, values)}, sizes, labels)

    return {
        "prior": dataset(prior, once, model.labels),
        "prior_predictive": group(y_dims, _again(model, prior, random), once),
        "posterior_predictive": group(y_dims, _again(model, posterior, random), shape),
        "log_likelihood": group(y_dims[:-1], model.log_likelihood, shape),
        "log_prior": dataset(log_prior, shape, model.labels),
    }


def _again(
    model: Forward, variables: Mapping[str, Variable], random: np.random.Generator
) -> np.ndarray:
    """Replicated data of each draw, some draws at a time."""
    values = {name: value for name, (_, value) in variables.items()}
    number = len(next(iter(values.values())))
    outcomes = np.empty((number, *model.observed.shape), np.int64)
    size = max(1, _BLOCK // max(1, model.observed.size))
    for k in range(0, number, size):
        some = {name: value[k : k + size] for name, value in values.items()}
        outcomes[k : k + size] = model.outcomes(some, random)
    return outcomes


def tables(
    win: np.ndarray, loss: np.ndarray, n: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Multinomial tables (draw, row, outcome) of n (row,), at chances of win and loss (draw, row);
    a uniform number each, where there are few.
    """
    counts = np.zeros((*win.shape, 3), np.int64)
    few = n <= _FEW
    for j in range(int(n[few].max(initial=0))):
        some = np.flatnonzero(few & (n > j))
        u = random.random((len(win), len(some)))
        first = win[:, some]
        fell = (u >= first).astype(np.int8) + (u >= first + loss[:, some])
        for outcome in range(3):
            counts[:, some, outcome] += fell == outcome
    many = np.flatnonzero(~few)
    both = win[:, many], loss[:, many]
    chances = np.stack([*both, np.maximum(1 - both[0] - both[1], 0.0)], axis=-1)
    counts[:, many] = random.multinomial(n[many], chances)
    return counts
