"""Whether a fit can be trusted: its diagnosis, its summary, and the closed form beside it."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.models import mallows
from betterthan.posterior.closed import prob_better
from betterthan.posterior.gate import diagnose as diagnose
from betterthan.posterior.joint_draws import effective, pairs_of_draws
from betterthan.posterior.sampled import draws_prob_better
from betterthan.posterior.sampled import summary as summary

_FAR = 4.0  # distance, in Monte Carlo errors, that two right answers keep only once in 16,000


def cross_check(counts: Any, tree: xr.DataTree) -> xr.Dataset:
    """How far the sampled P(A better) lies from the exact one.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        What the posterior was drawn for; for a fit of ``models.mallows`` with complete pooling, the
        Dataset of `orders.kendall_tau` that it was fitted to, and P(theta of A > theta of B) is
        checked.
    tree : xarray.DataTree
        Draws, from `posterior.draws` or from a model's ``fit``; it knows its own model and prior.

    Returns
    -------
    xarray.Dataset
        ``exact``, ``sampled``, ``mcse``, ``ess``, ``z`` and ``agrees`` (z from -4 to 4). z is the
        distance in Monte Carlo standard errors sqrt(p (1 - p) / ESS) with the exact p; where fewer
        than 5 draws are expected on one side, the normal deviate of the exact binomial tail.

    Raises
    ------
    ValueError
        If the counts and the draws do not name the same systems, or the model has no closed form.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.datasets.contingency_case("b")
    >>> checked = bt.fits.cross_check(counts, bt.posterior.draws(counts, rng=1))
    >>> bool(checked["agrees"].all())
    True
    """
    if tree["posterior"].attrs.get("model") == "mallows":
        return _dispersions(counts, tree)
    sampled = draws_prob_better(tree)
    counts = schemas.counts(counts)
    if any(
        d not in counts.dims or list(counts[d].values) != list(sampled[d].values)
        for d in sampled.dims
    ):
        raise ValueError("the counts and the draws do not name the same systems in the same order")
    attrs = tree["posterior"].attrs
    prior = tuple(np.atleast_1d(attrs["prior"]).tolist())
    model = "independent" if attrs["model"] == "independent_betas" else "dirichlet"
    ties = "drop" if attrs["model"] == "beta_binomial" else "third"
    exact = prob_better(counts, model=model, prior=prior, ties=ties)
    return _checked(exact, sampled, model)


def _dispersions(data: Any, tree: xr.DataTree) -> xr.Dataset:
    """The Mallows model of one theta a system, against quadrature."""
    attrs = tree["posterior"].attrs
    if attrs["pooling"] != "complete":
        raise ValueError(
            "partial pooling has no closed form; fit with pooling='complete' to check the sampler"
        )
    prior_sd = float(np.atleast_1d(attrs["prior"])[0])
    exact = mallows.closed_form(data, tied=attrs["tied"], prior_sd=prior_sd)["prob_better"]
    theta = tree["posterior"]["theta"].transpose("chain", "draw", names.SYSTEM)
    if theta[names.SYSTEM].values.tolist() != exact[names.SYSTEM_A].values.tolist():
        raise ValueError("the data and the draws do not name the same systems in the same order")
    draws = theta.values
    flat = draws.reshape(-1, draws.shape[-1])
    found = pairs_of_draws(
        flat, flat, 0.0, names.CI_PROB, "eti", lambda d: effective(d, draws.shape[:2])
    )
    p, mcse = found["prob_better"], found["prob_better_mcse"]
    share = np.clip(p, 0.5 / len(flat), 1 - 0.5 / len(flat))
    known = np.where(mcse > 0, mcse, np.inf)
    ess = np.where(mcse > 0, share * (1 - share) / known**2, len(flat)).clip(max=len(flat))
    sampled = exact.copy(data=p).assign_coords(mcse=(exact.dims, mcse), ess=(exact.dims, ess))
    return _checked(exact, sampled, "mallows")


def _checked(exact: xr.DataArray, sampled: xr.DataArray, model: str) -> xr.Dataset:
    z = probability_z(
        exact.values, sampled.values, np.where(sampled["ess"].values > 0, sampled["ess"].values, 1)
    )
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
    return xr.Dataset(
        {k: (plain.dims, v) for k, v in parts.items()}, coords=plain.coords, attrs={"model": model}
    )
