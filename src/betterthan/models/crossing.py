"""Crossed factors of the hierarchical model: theta = softmax(mean + row + column + cell), effects
sum to zero.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.models import made_up, of_pairs
from betterthan.models.of_groups import Groups

MEAN_SD = 1.5  # of the normal prior of the mean, on the scale of logits that sum to zero
SPREAD = 0.5  # of the half-normal priors of the standard deviations of effects
FACTORS = ("row", "column", "cell")


def simulate(
    levels: tuple[int, int], n: Any, random: np.random.Generator, coords: dict[str, Any]
) -> xr.Dataset:
    """Truth and counts, as `hierarchical.simulate` returns them for two factors."""
    shape, size = [checks.whole(k, "datasets", 2) for k in levels], int(np.max(n))
    pairs = len(coords[names.PAIR])
    sigma = np.abs(random.normal(scale=SPREAD, size=(3, pairs)))
    mean = _zero_sum(MEAN_SD * random.normal(size=(pairs, 3)), (-1,))
    row, column, cell = (
        _zero_sum(
            random.normal(size=(pairs, *group_shape, 3)), range(-1, -2 - len(group_shape), -1)
        )
        for group_shape in (shape[:1], shape[1:], shape)
    )
    theta = np.moveaxis(_softmax(_logits(mean, sigma, row, column, cell)), 0, 2)
    dims = ("row", "column", names.PAIR, names.OUTCOME)
    variables = {
        "counts": (dims, random.multinomial(checks.whole(size, "n"), theta)),
        "theta": (dims, theta),
        "mu": (dims[2:], mean),
        "sigma": (("factor", names.PAIR), sigma),
    }
    labels = made_up.labels(dims[:2], shape) | {"factor": list(FACTORS)}
    return xr.Dataset(variables, coords=coords | labels)


def build(groups: Groups) -> Any:
    """The PyMC model; effects sum to zero over outcomes and over the levels of their factor."""
    import pymc as pm

    (first, second), out, dims = tuple(groups.levels), names.OUTCOME, groups.dims
    coords = of_pairs.coords(groups.pairs) | groups.levels | {"factor": list(FACTORS)}
    with pm.Model(coords=coords) as model:
        of_pairs.name_systems(model, groups.pairs)
        data = pm.Data("counts", groups.values, dims=dims)
        mean: Any = pm.ZeroSumNormal("mu", MEAN_SD, dims=(names.PAIR, out))
        sigma: Any = pm.HalfNormal("sigma", SPREAD, dims=("factor", names.PAIR))
        row, column, cell = (
            pm.ZeroSumNormal(
                f"{k}_raw", 1.0, n_zerosum_axes=len(factor_dims), dims=(names.PAIR, *factor_dims)
            )
            for k, factor_dims in zip(
                FACTORS, ((first, out), (second, out), (first, second, out)), strict=True
            )
        )
        shaped: Any = pm.math.softmax(_logits(mean, sigma, row, column, cell), axis=-1)
        theta = pm.Deterministic("theta", shaped.dimshuffle(1, 2, 0, 3), dims=dims)
        pm.Multinomial("y", n=pm.math.sum(data, axis=-1), p=theta, observed=data, dims=dims)
    return model


def _logits(mean: Any, sigma: Any, row: Any, column: Any, cell: Any) -> Any:
    """The sum of the effects, (pair, row, column, outcome)."""
    wide = sigma[:, :, None, None, None]
    return (
        mean[:, None, None] + wide[0] * row[:, :, None] + wide[1] * column[:, None] + wide[2] * cell
    )


def new_theta(posterior: xr.Dataset, random: np.random.Generator) -> dict[str, Any]:
    """Probabilities at a new level of both factors, whose effects have the same standard
    deviations.
    """
    dims = ("chain", "draw", names.PAIR, names.OUTCOME)
    mean = posterior["mu"].transpose(*dims).values
    sigma = posterior["sigma"].transpose(*dims[:2], "factor", names.PAIR).values
    wide = np.sqrt((sigma**2).sum(2))[..., None]
    return {
        "theta_new": (
            dims,
            _softmax(mean + wide * _zero_sum(random.normal(size=mean.shape), (-1,))),
        )
    }


def _zero_sum(x: np.ndarray, axes: Iterable[int]) -> np.ndarray:
    """What a standard normal becomes when its means over each of the axes are taken out."""
    for axis in axes:
        x = x - x.mean(axis, keepdims=True)
    return x


def _softmax(eta: np.ndarray) -> np.ndarray:
    top = np.exp(eta - eta.max(-1, keepdims=True))
    return top / top.sum(-1, keepdims=True)
