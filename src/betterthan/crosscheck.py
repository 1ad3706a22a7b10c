"""Closed form against sampling, in units of the Monte Carlo error."""

import numpy as np
import xarray as xr

from betterthan import checks
from betterthan.bayes.closed import prob_better
from betterthan.bayes.draws import draws_prob_better
from betterthan.exact.agreement import probability_z

_FAR = 4.0  # distance, in Monte Carlo errors, that two right answers keep only once in 16,000


def cross_check(counts: xr.DataArray, tree: xr.DataTree) -> xr.Dataset:
    """How far the sampled P(A better) lies from the exact one.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        What the posterior was drawn for.
    tree : xarray.DataTree
        Draws, from `exact_draws` or from a model's ``fit``; it knows its own model and prior.

    Returns
    -------
    xarray.Dataset
        ``exact``, ``sampled``, ``mcse``, ``ess``, ``z`` and ``agrees`` (z from -4 to 4). z is the distance in Monte
        Carlo standard errors sqrt(p (1 - p) / ESS) with the exact p; where fewer than 5 draws are expected on
        one side, the normal deviate of the exact binomial tail.

    Raises
    ------
    ValueError
        If the counts and the draws do not name the same systems.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.datasets.contingency_case("b")
    >>> checked = bt.cross_check(counts, bt.exact_draws(counts, rng=1))
    >>> bool(checked["agrees"].all())
    True
    """
    sampled = draws_prob_better(tree)
    counts = checks.counts(counts)
    if any(d not in counts.dims or list(counts[d].values) != list(sampled[d].values) for d in sampled.dims):
        raise ValueError("the counts and the draws do not name the same systems in the same order")
    attrs = tree["posterior"].attrs
    prior = tuple(np.atleast_1d(attrs["prior"]).tolist())
    model = "independent" if attrs["model"] == "independent_betas" else "dirichlet"
    ties = "drop" if attrs["model"] == "beta_binomial" else "third"
    exact = prob_better(counts, model=model, prior=prior, ties=ties)
    z = probability_z(exact.values, sampled.values, np.where(sampled["ess"].values > 0, sampled["ess"].values, 1))
    z = np.where(exact.values == sampled.values, 0.0, z)
    parts = {
        "exact": exact.values,
        "sampled": sampled.values,
        "mcse": sampled["mcse"].values,
        "ess": sampled["ess"].values,
        "z": z,
        "agrees": np.abs(z) <= _FAR,
    }
    plain = sampled.drop_vars(["mcse", "ess"])
    return xr.Dataset({k: (plain.dims, v) for k, v in parts.items()}, coords=plain.coords, attrs={"model": model})
