"""By how much: the posterior of d = theta_win - theta_loss, in closed form."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import Work, run_locally
from betterthan.exact.wins import dirichlet, intervals
from betterthan.exact.wins.repeated import Distinct
from betterthan.judged.dataset import is_judged
from betterthan.posterior import sampled
from betterthan.posterior.parameters import Parameters, across, parameters, real_numbers


def difference(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    *,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    prior: Any = None,
    ties: str = "third",
) -> xr.Dataset:
    """Estimate the difference d = theta_win - theta_loss: mean, SD, and credible interval.

    The result for counts is exact; nothing is sampled.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts with ties (or under a `ties` policy that removes them), judged counts, or a
        posterior; see `prob_better`.
    ci_prob : float, default 0.95
        Level of the credible interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density (narrowest) or equal-tailed.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``sd``, ``lower``, and ``upper``, with the dims of the counts without ``outcome``.
        The bounds are accurate to 1e-10. For a posterior also ``mcse_mean``, ``mcse_lower``, and
        ``mcse_upper``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Warns
    -----
    UserWarning
        If a density has more than one mode, which a single interval hides.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> bt.difference(counts).sel(system_a="A", system_b="B").to_array().values.round(4).tolist()
    [0.01, 0.004, 0.0024, 0.018]
    """
    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.draws_difference(counts, ci_prob=ci_prob, ci_kind=ci_kind)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.size(counts, ci_prob, ci_kind, prior, ties)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    sizes = size(posterior, ci_prob, ci_kind)
    parts = {name: posterior.wrap(values, name) for name, values in sizes.items()}
    return xr.Dataset(parts, attrs=posterior.attrs | {"ci_prob": ci_prob, "ci_kind": ci_kind})


def size(
    posterior: Parameters, ci_prob: float, ci_kind: str, at_work: Work = run_locally
) -> dict[str, np.ndarray]:
    """``mean``, ``sd``, ``lower`` and ``upper`` of counts that were checked, in their shape without
    outcome.
    """
    a, b, t = posterior.pairs
    lower, upper = _interval(a, b, t, ci_prob, ci_kind, at_work)
    mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
    both = {"mean": (mean, -mean), "sd": (sd, sd)}
    both |= {"lower": (lower, -upper), "upper": (upper, -lower)}
    return {key: posterior.square_of(*triangles, diagonal=0.0) for key, triangles in both.items()}


def _interval(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, ci_prob: float, ci_kind: str, at_work: Work
) -> tuple[np.ndarray, np.ndarray]:
    ends = partial(intervals.eti if ci_kind == "eti" else intervals.hdi, prob=ci_prob)
    distinct = Distinct(a, b, t)
    lower, upper, *modes = distinct.at_work(at_work, ends, outputs=2 if ci_kind == "eti" else 3)
    lower, upper = distinct.turned(lower, -upper), distinct.turned(upper, -lower)
    hidden = int((np.asarray(modes) > 1).sum())
    if hidden:
        warnings.warn(
            f"one interval hides modes: {hidden} of the posteriors have more than one; look at "
            "posterior.pdf, or use a prior of at least 1",
            skip_file_prefixes=names.PACKAGE,
        )
    return lower, upper


def prob_equivalent(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    rope: float = names.ROPE,
    *,
    prior: Any = None,
    ties: str = "third",
) -> xr.DataArray:
    """Return the posterior probabilities below, within, and above the ROPE.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts with ties (or under a `ties` policy that removes them), judged counts, or a
        posterior; see `prob_better`.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE), as a difference of probabilities:
        0.01 is one point of accuracy. For an adopted difference, any number from 0 on, in its unit.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities of d = theta_win - theta_loss, with the dims of the counts and ``region``
        (b_beyond, rope, a_beyond) in place of ``outcome``. Each is integrated separately, accurate
        to 1e-9 relative however small. For a posterior, the coordinate ``mcse`` holds the Monte
        Carlo standard errors.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> bt.prob_equivalent(counts, 0.01).sel(system_a="A", system_b="B").values.round(4).tolist()
    [0.0, 0.5245, 0.4755]
    """
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.draws_masses(counts, rope)
    rope = checks.rope(rope)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.masses(counts, rope, prior, ties)
    posterior = parameters(counts, prior, ties, question="the probability within a rope")
    wrapped = [posterior.wrap(mass, "mass") for mass in np.moveaxis(masses(posterior, rope), -1, 0)]
    regions = xr.DataArray(np.array(names.REGIONS), dims=names.REGION, name=names.REGION)
    stacked = xr.concat(wrapped, regions, join="exact").transpose(..., names.REGION)
    return stacked.assign_attrs(posterior.attrs | {"rope": rope})


def _masses(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, rope: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Below, within and above the rope."""
    within = dirichlet.prob_within(a, b, t, rope) if rope else np.zeros(np.shape(a))
    below, above = dirichlet.prob_below(a, b, t, -rope), dirichlet.prob_above(a, b, t, rope)
    return np.asarray(below), np.asarray(within), np.asarray(above)


def masses(posterior: Parameters, rope: float, at_work: Work = run_locally) -> np.ndarray:
    """The same of counts that were checked, in their shape with the region in place of outcome."""
    distinct = Distinct(*posterior.pairs)
    below, within, above = distinct.at_work(at_work, partial(_masses, rope=rope), outputs=3)
    below, above = distinct.turned(below, above), distinct.turned(above, below)
    parts = [(below, above), (within, within), (above, below)]
    diagonal = (0.0, 1.0, 0.0) if rope else (0.5, 0.0, 0.5)
    squares = [posterior.square_of(*both, d) for both, d in zip(parts, diagonal, strict=True)]
    return np.stack(squares, axis=-1)


def sf(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    delta: float,
    *,
    prior: Any = None,
    ties: str = "third",
) -> xr.DataArray:
    """Return the posterior probability P(theta_win - theta_loss > delta).

    It is accurate to 1e-9 relative however small.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts, judged counts, or a posterior; for the latter, the proportion of draws.
    delta : float
        Difference of probabilities, from -1 to 1.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> float(bt.posterior.sf(counts, 0.01).sel(system_a="A", system_b="B").round(4))
    0.4755
    """
    at = checks.real(delta, "delta")
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.along(counts, at, "delta", "prob_above")
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.beyond(counts, at, prior, ties)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    above = posterior.with_diagonal(dirichlet.prob_above(*posterior.values, at), float(at < 0))
    return posterior.wrap(above, "prob_above")


def cdf(
    counts: xr.DataArray | xr.DataTree, x: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return the posterior probability P(theta_win - theta_loss < x).

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    x : float or array_like of float
        One or many differences of probabilities, from -1 to 1. An array adds a last dim ``x``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.cdf(nothing_yet, [-0.5, 0, 0.5]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [0.125, 0.5, 0.875]
    """
    return _along(counts, x, "x", "cdf", dirichlet.prob_below, prior, ties)


def pdf(
    counts: xr.DataArray | xr.DataTree, x: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return the posterior density of d = theta_win - theta_loss.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    x : float or array_like of float
        One or many differences of probabilities, from -1 to 1. An array adds a last dim ``x``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Densities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.pdf(nothing_yet, [-0.5, 0.0]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [0.5, 1.0]
    """
    return _along(counts, x, "x", "density", dirichlet.density, prior, ties)


def ppf(
    counts: xr.DataArray | xr.DataTree, q: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return posterior quantiles of d = theta_win - theta_loss, accurate to 1e-10.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    q : float or array_like of float in [0, 1]
        One or many probabilities. An array adds a last dim ``quantile``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Quantiles, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.ppf(nothing_yet, [0.125, 0.98]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [-0.5, 0.8]
    """
    levels = real_numbers(q, "q")
    if not ((levels >= 0) & (levels <= 1)).all():
        wrong = levels[~((levels >= 0) & (levels <= 1))].flat[0]
        raise ValueError(f"q holds {wrong:g}; give numbers from 0 to 1")
    return _along(counts, levels, "quantile", "quantile", intervals.quantile, prior, ties)


def _along(
    counts: xr.DataArray | xr.DataTree,
    points: Any,
    dim: str,
    name: str,
    answer: Callable[..., np.ndarray],
    prior: Any,
    ties: str,
) -> xr.DataArray:
    """An answer on the difference at one point or along many, of counts exactly, or of draws."""
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.along(counts, points, dim, name)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    return across(posterior, points, dim, answer, name)
