"""The questions of `posterior` put to draws: each answer is a share or a quantile of draws, with
its Monte Carlo error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.numeric.monte_carlo import probability_error, quantile_error
from betterthan.posterior import from_draws
from betterthan.posterior.from_draws import SAMPLES
from betterthan.posterior.parameters import real_numbers
from betterthan.posterior.sampled import counted, difference_draws

_KERNEL_POINTS = 512


def refuse_choices(prior: Any = None, ties: str = "third", model: str = "dirichlet") -> None:
    """Refuse to pass over what was asked: the draws were made under choices of their own."""
    chosen = {"prior": prior is not None, "ties": ties != "third", "model": model != "dirichlet"}
    for name in (name for name, changed in chosen.items() if changed):
        raise ValueError(
            f"{name} is for counts; a posterior knows its own: leave {name} out, or give counts"
        )


def refuse(data: Any, answer: str, why: str) -> None:
    """Refuse a posterior where only counts can answer."""
    if isinstance(data, xr.DataTree):
        raise ValueError(f"{answer} needs counts, not a posterior: {why}; give the counts")


def above(tree: xr.DataTree, delta: float) -> xr.DataArray:
    """P(difference > delta); see `sf`."""
    return _over_points(
        _differences(tree), delta, "delta", lambda d, x: _share(d > x, d), "prob_above"
    )


def cdf(tree: xr.DataTree, x: Any) -> xr.DataArray:
    """P(difference < x); equal draws count half."""
    below = lambda d, point: _share((d < point) + 0.5 * (d == point), d)  # noqa: E731
    return _over_points(_differences(tree), x, "x", below, "cdf")


def ppf(tree: xr.DataTree, q: Any) -> xr.DataArray:
    """Quantiles of the difference."""
    return _over_points(_differences(tree), q, "quantile", _quantile, "quantile")


def pdf(tree: xr.DataTree, x: Any) -> xr.DataArray:
    """Density of the difference by a kernel, without a Monte Carlo error."""
    return _over_points(_differences(tree), x, "x", _height, "density")


def decisive(tree: xr.DataTree) -> xr.Dataset:
    """``mean`` and ``sd`` of p, the probability that A wins an example that is not a tie, and
    ``mcse_mean``: draws have no parameters of a Beta.
    """
    p = _shares(tree)
    values = p.values.reshape(*p.shape[:2], -1)
    flat = values.reshape(-1, values.shape[-1])
    parts = {"mean": flat.mean(0), "sd": flat.std(0), "mcse_mean": from_draws.mean_error(values)}
    like = p.isel(chain=0, draw=0, drop=True)
    return xr.Dataset(
        {k: (like.dims, v.reshape(like.shape)) for k, v in parts.items()}, like.coords
    )


def decisive_density(tree: xr.DataTree, p: Any) -> xr.DataArray:
    """Density of p by a kernel."""
    return _over_points(_shares(tree), p, "p", _height, "density")


def kernel(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and density of draws (draw,) by ArviZ's kernel, with corrected ends."""
    from arviz_stats.base.array import array_stats

    x, y, _ = array_stats.kde(draws, axis=-1, grid_len=_KERNEL_POINTS)
    return x, y


def by_pair(posterior: xr.Dataset, name: str, *more: str) -> bool:
    """Whether the posterior has the variable over pair, and `more`, and nothing else."""
    return name in posterior and set(posterior[name].dims) == {*SAMPLES, names.PAIR, *more}


Answer = tuple[np.ndarray, np.ndarray | None]  # (column,), and its Monte Carlo error


def _differences(tree: xr.DataTree) -> xr.DataArray:
    """Draws of the difference of A and B, both ways round where pairs came as a square."""
    posterior = counted(tree)
    d = difference_draws(posterior, "the size of the difference")
    return _both_ways(d, np.negative, 0.0, square=bool(posterior.attrs["square"]))


def _shares(tree: xr.DataTree) -> xr.DataArray:
    """Draws of p, the same way."""
    posterior = counted(tree)
    if by_pair(posterior, "p"):
        p = posterior["p"]
    elif by_pair(posterior, "theta", names.OUTCOME):
        win, loss = (posterior["theta"].sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
        p = (win / (win + loss)).fillna(0.5)
    else:
        raise ValueError(
            f"a decisive example needs p or theta over pair, which {posterior.attrs['model']} does "
            "not have; ask for the difference"
        )
    p = p.transpose(*SAMPLES, names.PAIR)
    return _both_ways(p, lambda x: 1 - x, 0.5, square=bool(posterior.attrs["square"]))


def _both_ways(
    draws: xr.DataArray,
    mirror: Callable[[np.ndarray], np.ndarray],
    diagonal: float,
    *,
    square: bool,
) -> xr.DataArray:
    """Draws over (chain, draw, system_a, system_b), or (chain, draw, pair)."""
    if not square:
        return draws
    a, b = (draws[side].values.astype(str).tolist() for side in names.SQUARE)
    systems = list(dict.fromkeys(s for both in zip(a, b, strict=True) for s in both))
    first, second = ([systems.index(s) for s in side] for side in (a, b))
    full = np.full((*draws.shape[:2], len(systems), len(systems)), diagonal)
    full[..., first, second], full[..., second, first] = draws.values, mirror(draws.values)
    return xr.DataArray(full, dict.fromkeys(names.SQUARE, systems), (*SAMPLES, *names.SQUARE))


def _over_points(
    draws: xr.DataArray,
    numbers: Any,
    dim: str,
    answer: Callable[[np.ndarray, float], Answer],
    name: str,
) -> xr.DataArray:
    """An answer at one number, or at many, which then are a last dim."""
    points = real_numbers(numbers, dim)
    if points.ndim > 1:
        raise ValueError(f"{dim} has {points.ndim} dims; give one number or a list of numbers")
    like = draws.isel(chain=0, draw=0, drop=True)
    columns = draws.values.reshape(*draws.shape[:2], -1)
    answers, errors = zip(*(answer(columns, x) for x in points.ravel()), strict=True)
    shape = (*like.shape, *points.shape)
    dims = (*like.dims, dim) if points.ndim else like.dims
    coords = {k: (v.dims, v.values) for k, v in like.coords.items() if k != names.OUTCOME}
    coords |= {dim: points} if points.ndim else {}
    if errors[0] is not None:
        coords["mcse"] = (dims, np.stack(errors, axis=-1).reshape(shape))
    return xr.DataArray(np.stack(answers, axis=-1).reshape(shape), coords, dims, name)


def _share(indicator: np.ndarray, behind: np.ndarray) -> Answer:
    p, number = from_draws.share(indicator, behind)
    constant = behind.min((0, 1)) == behind.max((0, 1))  # a system against itself
    return p, np.where(constant, 0.0, probability_error(p, number))


def _quantile(d: np.ndarray, level: float) -> Answer:
    ordered = np.sort(d.reshape(-1, d.shape[-1]), axis=0)
    end = np.quantile(ordered, level, axis=0)
    share, number = from_draws.share(d <= end, d)
    return end, quantile_error(ordered, share, number)


def _height(d: np.ndarray, x: float) -> Answer:
    columns = d.reshape(-1, d.shape[-1]).T
    return np.array([_density_height(column, x) for column in columns]), None


def _density_height(column: np.ndarray, x: float) -> float:
    if column.min() == column.max():  # a system against itself
        return np.inf if x == column[0] else 0.0
    return float(np.interp(x, *kernel(column), left=0.0, right=0.0))
