"""One path downstream for posterior draws, exact or from PyMC: gate, summary, answers with their
error.

A posterior is an `xarray.DataTree` whose group ``posterior`` has dims (chain, draw, pair),
coordinates ``system_a`` and ``system_b`` on pair, and attrs ``model``, ``prior``, ``square``,
``seed``. Its variables: ``theta`` and ``difference`` (dirichlet_multinomial), ``p``
(beta_binomial), ``p_win``, ``p_loss`` and ``difference`` (independent_betas).
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.pairing import as_given
from betterthan.posterior.gate import parameters

SAMPLES = ("chain", "draw")


def summary(
    tree: xr.DataTree, *, ci_prob: float = names.CI_PROB, ci_kind: str = names.CI_KIND
) -> Any:
    """Table of the posterior: mean, sd, interval, Monte Carlo error and diagnostics, unrounded.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior, from `posterior.draws` or a model's ``fit``.
    ci_prob : float, default 0.95
        Mass of the interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Highest density or equal-tailed interval.

    Returns
    -------
    pandas.DataFrame
        One row for each scalar, as made by ``arviz.summary``.

    Raises
    ------
    ValueError
        If ci_prob is not within 0 and 1, or ci_kind is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (18, 9, 13)}), rng=1)
    >>> table = summary(tree)
    >>> bool(abs(table.loc["difference[A vs B]", "mean"] - 9 / 43) < 0.01)
    True
    """
    import arviz as az

    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    return az.summary(tree, ci_prob=ci_prob, ci_kind=ci_kind, round_to="none")


def draws_prob_better(tree: xr.DataTree) -> xr.DataArray:
    """P(A better than B) from draws, with its Monte Carlo standard error.

    Equal draws count half. The error is sqrt(q (1 - q) / ESS), where q is the share of draws shrunk
    by half a draw towards each side, so that it is not 0 when all draws agree; ESS is that of the
    indicator, or of the parameter when the indicator is constant.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior, from `posterior.draws` or a model's ``fit``.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,), with coordinates ``mcse`` and ``ess`` on
    the same dims
        A system against itself: 0.5, without error.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> answer = draws_prob_better(tree).sel(system_a="A", system_b="B")
    >>> bool(abs(answer - 0.9963) < 4 * answer.mcse)
    True
    """
    posterior = _posterior(tree)
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    share, mcse, ess = _share((margin > 0) + 0.5 * (margin == 0), margin)
    square = bool(posterior.attrs["square"])
    answer = as_given(share, square, mirror="probability", diagonal=0.5)
    beside = {
        "mcse": as_given(mcse, square, mirror="same"),
        "ess": as_given(ess, square, mirror="same"),
    }
    answer = answer.assign_coords(
        {key: (answer.dims, value.values) for key, value in beside.items()}
    )
    return answer.rename("prob_better").assign_attrs(_signed(posterior))


def draws_difference(
    tree: xr.DataTree, *, ci_prob: float = names.CI_PROB, ci_kind: str = names.CI_KIND
) -> xr.Dataset:
    """Mean and interval of theta_win - theta_loss from draws, each with its Monte Carlo error.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior of a model that has ``difference``.
    ci_prob : float, default 0.95
        Mass of the interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Highest density or equal-tailed interval.

    Returns
    -------
    xarray.Dataset, dims (system_a, system_b) or (pair,)
        ``mean``, ``lower``, ``upper`` and ``mcse_mean``, ``mcse_lower``, ``mcse_upper``. The error
        of an end is that of the quantile found there; a highest density interval as a whole may
        slide by more.

    Raises
    ------
    ValueError
        If ci_prob or ci_kind is not valid, or the posterior has no difference because ties are
        unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> float(draws_difference(tree)["mean"].sel(system_a="B", system_b="A").round(3))
    -0.01
    """
    import arviz as az

    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    posterior = _posterior(tree)
    d = _difference(posterior, "the size of the difference")
    ends = (az.hdi if ci_kind == "hdi" else az.eti)(d, prob=ci_prob, dim=list(SAMPLES))
    lower, upper = (ends.sel(ci_bound=b, drop=True) for b in ("lower", "upper"))
    errors = {
        "mcse_mean": az.mcse(d, method="mean"),
        "mcse_lower": _mcse_at(d, lower),
        "mcse_upper": _mcse_at(d, upper),
    }
    parts = {"mean": d.mean(SAMPLES), "lower": lower, "upper": upper, **errors}
    if posterior.attrs["square"]:
        parts = _square_interval(parts)
    choice = {"ci_kind": ci_kind, "ci_prob": ci_prob}
    return xr.Dataset(
        {k: v.drop_attrs() for k, v in parts.items()}, attrs=_signed(posterior) | choice
    )


def draws_masses(tree: xr.DataTree, rope: float) -> xr.DataArray:
    """Posterior mass of "B better", "within the rope" and "A better" from draws, with its error.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior of a model that has ``difference``.
    rope : float
        Half width of the region of practical equivalence, as a difference of probabilities.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, region) or (pair, region), with a coordinate
    ``mcse``
        A system against itself lies within the rope, without error.

    Raises
    ------
    ValueError
        If the rope is not within 0 and 1, or the posterior has no difference because ties are
        unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> draws_masses(tree, 0.05).sel(system_a="A", system_b="B").round(2).values.tolist()
    [0.0, 1.0, 0.0]
    """
    return masses_in_any_unit(tree, checks.rope(rope))


def masses_in_any_unit(tree: xr.DataTree, rope: float) -> xr.DataArray:
    """The same where the difference, and so the rope, is in units of a score."""
    posterior = _posterior(tree)
    d = _difference(posterior, "the mass within a rope")
    regions = (d < -rope, abs(d) <= rope, d > rope)
    shares = [_share(region.astype(float), d) for region in regions]
    square = bool(posterior.attrs["square"])
    masses = _regions([share for share, *_ in shares], square, diagonal=1.0)
    errors = _regions([mcse for _, mcse, _ in shares], square, diagonal=0.0)
    return masses.assign_coords(mcse=(masses.dims, errors.values)).assign_attrs(
        _signed(posterior) | {"rope": rope}
    )


def _posterior(tree: xr.DataTree) -> xr.Dataset:
    posterior = tree["posterior"].to_dataset()
    missing = {"model", "square"} - set(posterior.attrs)
    if missing or not parameters(posterior):
        raise ValueError(
            "expected a posterior from betterthan.posterior.draws or a model's fit; its attrs are "
            "missing"
        )
    return posterior


def _difference(posterior: xr.Dataset, question: str) -> xr.DataArray:
    if "difference" not in posterior:
        raise ValueError(
            f"{question} needs the number of ties, which {posterior.attrs['model']} does not know; "
            "give counts with ties"
        )
    return posterior["difference"]


def _share(
    indicator: xr.DataArray, parameter: xr.DataArray
) -> tuple[xr.DataArray, xr.DataArray, xr.DataArray]:
    """Mean of an indicator over the draws, its Monte Carlo standard error, and its effective sample
    size.
    """
    import arviz as az

    constant = indicator.min(SAMPLES) == indicator.max(SAMPLES)
    ess = az.ess(parameter.where(constant, indicator), method="mean")
    # no credit for lucky chains
    ess = ess.clip(max=parameter.sizes["chain"] * parameter.sizes["draw"])
    share = indicator.mean(SAMPLES)
    shrunk = (share * ess + 0.5) / (ess + 1)
    return share.drop_attrs(), np.sqrt(shrunk * (1 - shrunk) / ess), ess


def _mcse_at(d: xr.DataArray, ends: xr.DataArray) -> xr.DataArray:
    """Error of the quantile of each pair's draws at the level where its interval ends."""
    import arviz as az

    levels = (d <= ends).mean(SAMPLES).values
    draws = d.transpose(*SAMPLES, names.PAIR).values
    errors = [
        az.mcse(draws[..., k], method="quantile", prob=level) for k, level in enumerate(levels)
    ]
    return ends.copy(data=np.array(errors, dtype=float))


def _square_interval(parts: dict[str, xr.DataArray]) -> dict[str, xr.DataArray]:
    """Of (B, A): the mean changes sign, and the ends change sign and place."""
    mirrors = {k: "same" if k.startswith("mcse") else "difference" for k in parts}
    full = {k: as_given(v, True, mirror=mirrors[k]) for k, v in parts.items()}
    given = as_given(xr.ones_like(parts["mean"]), True, mirror="difference") >= 0
    for lower, upper in (("lower", "upper"), ("mcse_lower", "mcse_upper")):
        low, high = full[lower], full[upper]
        full |= {lower: low.where(given, high), upper: high.where(given, low)}
    return full


def _regions(parts: list[xr.DataArray], square: bool, *, diagonal: float) -> xr.DataArray:
    if square:
        b_better, rope, a_better = (as_given(part, True, mirror="same") for part in parts)
        given = as_given(xr.ones_like(parts[0]), True, mirror="difference") >= 0
        itself = xr.DataArray(np.eye(rope.shape[0], dtype=bool), coords=rope.coords, dims=rope.dims)
        parts = [
            b_better.where(given, a_better),
            rope.where(~itself, diagonal),
            a_better.where(given, b_better),
        ]
    regions = xr.DataArray(list(names.REGIONS), dims=names.REGION, name=names.REGION)
    return xr.concat(parts, dim=regions).transpose(..., names.REGION).rename("mass")


def _signed(posterior: xr.Dataset) -> dict[str, Any]:
    """What an answer must say about the posterior it came from; netCDF turns lists into arrays."""
    kept = {
        k: v
        for k, v in posterior.attrs.items()
        if k in ("model", "prior", "seed", "inference_library")
    }
    return {k: v.tolist() if hasattr(v, "tolist") else v for k, v in kept.items()}
