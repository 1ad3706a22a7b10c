"""Draws of a difference for each pair, as the answers that every comparison gives."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.posterior.closed import prob_better
from betterthan.posterior.differences import prob_equivalent
from betterthan.posterior.gate import Diagnosis, diagnose
from betterthan.posterior.sampled import draws_difference, draws_prob_better, masses_in_any_unit
from betterthan.posterior.verdicts import decide


def model_of(tree: Any, known: tuple[str, ...]) -> str:
    """The model a tree is a fit of.

    Raises
    ------
    ValueError
        If it is no fit, or of a model that is not known here.
    """
    found = (
        tree["posterior"].attrs.get("model")
        if isinstance(tree, xr.DataTree) and "posterior" in tree.children
        else None
    )
    if found not in known:
        what = f"a fit of {found}" if found else type(tree).__name__
        raise ValueError(f"tree is {what}; give a fit of betterthan.models, of {', '.join(known)}")
    return found


def of_model(tree: Any, *known: str) -> xr.Dataset:
    """The posterior of a fit of one of these models; see `model_of`."""
    model_of(tree, known)
    return tree["posterior"].to_dataset()


def answers(
    difference: xr.DataArray,
    attrs: dict[str, Any],
    rope: float,
    ci_prob: float,
    ci_kind: str,
    converged: bool,
) -> xr.Dataset:
    """Answers over (system_a, system_b), or (pair,) where the data came by pair.

    Parameters
    ----------
    difference : xarray.DataArray, dims (chain, draw, pair)
    attrs : dict
        Of the posterior.
    rope, ci_prob : float
    ci_kind : {"hdi", "eti"}
    converged : bool
        Whether a verdict may be given.

    Returns
    -------
    xarray.Dataset
        ``prob_better``, ``difference_mean``, ``difference_lower``, ``difference_upper``, ``mass``
        (region), each with its ``_mcse``, ``verdict`` and ``also_ahead``.
    """
    tree = _tree(difference, attrs)
    better = draws_prob_better(tree)
    size, mass = (
        draws_difference(tree, ci_prob=ci_prob, ci_kind=ci_kind),
        masses_in_any_unit(tree, rope),
    )
    table = xr.Dataset({"prob_better": better.drop_vars(["mcse", "ess"])})
    table["prob_better_mcse"] = (better.dims, better["mcse"].values)
    for key in ("mean", "lower", "upper"):
        table[f"difference_{key}"], table[f"difference_{key}_mcse"] = size[key], size[f"mcse_{key}"]
    table["mass"], table["mass_mcse"] = mass.drop_vars("mcse"), (mass.dims, mass["mcse"].values)
    within = table["mass"].sel({names.REGION: "rope"}).values
    verdict, ahead = decide(better.values, 1 - better.values, within, rope)
    if not converged:
        itself = (
            np.eye(len(verdict), dtype=bool)
            if verdict.ndim == 2
            else np.zeros(verdict.shape, dtype=bool)
        )
        verdict, ahead = np.where(itself, verdict, "no_verdict"), np.zeros_like(ahead)
    table["verdict"], table["also_ahead"] = (better.dims, verdict), (better.dims, ahead)
    return table.drop_attrs()


def judged(tree: xr.DataTree) -> Diagnosis:
    """The diagnosis of a fit, with a warning where it has not converged."""
    found = diagnose(tree)
    if not found.passed:
        warnings.warn("no verdict: " + " ".join(found.failures), stacklevel=3)
    return found


def say_no_data(verdict: xr.DataArray, n: xr.DataArray) -> xr.DataArray:
    """Verdicts, but "no_data" on pairs without a single example; `n` counts examples, of pairs or
    as a square.
    """
    empty = n == 0
    if names.SYSTEM_A in n.dims:
        empty &= n[names.SYSTEM_A] != n[names.SYSTEM_B]
    empty = empty.broadcast_like(verdict).transpose(*verdict.dims)
    return verdict.copy(data=np.where(empty.values, "no_data", verdict.values))


def closed_answer(counts: xr.DataArray, prior: Any, rope: float) -> tuple[xr.DataArray, np.ndarray]:
    """P(A better) and verdicts by the closed form: all examples alike and independent."""
    better = prob_better(counts, prior=prior).drop_attrs()
    within: Any = 0.0
    if rope:
        within = prob_equivalent(counts, rope, prior=prior).sel({names.REGION: "rope"}).values
    return better, decide(better.values, 1 - better.values, within, rope)[0]


def choices(rope: float, ci_prob: float, ci_kind: str) -> tuple[float, float, str]:
    """Rope, mass and kind of the interval, checked."""
    return (
        checks.rope(rope),
        checks.probability(ci_prob, "ci_prob"),
        checks.one_of(ci_kind, names.CI_KINDS, "ci_kind"),
    )


def signed(
    posterior: xr.Dataset, diagnosis: Diagnosis, rope: float, ci_prob: float, ci_kind: str
) -> dict[str, Any]:
    """Attrs that say how an answer was made."""
    kept = {
        k: posterior.attrs[k]
        for k in ("model", "prior", "seed", "draws", "chains", "inference_library")
    }
    return kept | {
        "version": betterthan.__version__,
        "rope": rope,
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
        "verdict_prob": names.VERDICT_PROB,
        "rhat_max": diagnosis.rhat_max,
        "ess_min": diagnosis.ess_min,
        "divergences": diagnosis.divergences,
        "failures": list(diagnosis.failures),
    }


def _tree(difference: xr.DataArray, attrs: dict[str, Any]) -> xr.DataTree:
    kept = {k: attrs[k] for k in ("model", "prior", "seed", "inference_library") if k in attrs}
    data = xr.Dataset(
        {"difference": difference, "margin": difference}, attrs=kept | {"square": attrs["square"]}
    )
    return xr.DataTree.from_dict({"posterior": data})
