"""The ways of computing the answers for all pairs: closed forms, and PyMC."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.fits.checking import cross_check
from betterthan.posterior import closed, differences
from betterthan.posterior.gate import diagnose
from betterthan.posterior.sampled import draws_difference, draws_masses, draws_prob_better
from betterthan.posterior.verdicts import decide


def exact_answers(
    counts: xr.DataArray, *, rope: float, prior: Any, ci_prob: float, ci_kind: str
) -> xr.Dataset:
    """Probabilities, differences, masses and verdicts over (system_a, system_b) in closed form."""
    better = closed.prob_better(counts, prior=prior)
    table = xr.Dataset({"prob_better": better, "prob_better_mcse": xr.zeros_like(better)})
    within: Any = 0.0
    if _ties_known(counts):
        size = differences.difference(counts, ci_prob=ci_prob, ci_kind=ci_kind, prior=prior)
        for key, value in {
            "mean": size["mean"],
            "lower": size["lower"],
            "upper": size["upper"],
        }.items():
            table[f"difference_{key}"] = value
            table[f"difference_{key}_mcse"] = xr.zeros_like(value)
        table["mass"] = differences.prob_equivalent(counts, rope, prior=prior)
        table["mass_mcse"] = xr.zeros_like(table["mass"])
        within = table["mass"].sel({names.REGION: "rope"}, drop=True)
    behind = better.transpose(names.SYSTEM_B, names.SYSTEM_A).values
    return _with_verdicts(table, counts, behind, within, rope, {"method": "exact"})


def sampled_answers(
    counts: xr.DataArray,
    *,
    rope: float,
    prior: Any,
    ci_prob: float,
    ci_kind: str,
    draws: int,
    chains: int,
    rng: Any,
) -> xr.Dataset:
    """The same from PyMC, each number with its Monte Carlo error; ``attrs`` say how it was
    sampled.
    """
    from betterthan.models import Sampling, beta_binomial, dirichlet_multinomial

    three = counts.sizes[names.OUTCOME] == 3
    model = dirichlet_multinomial if three else beta_binomial
    sampling = Sampling(draws=draws, chains=chains)
    tree = model.fit(counts, prior=prior, sampling=sampling, rng=rng, predictive=False)
    diagnosis = diagnose(tree)
    better = draws_prob_better(tree)
    table = xr.Dataset(
        {
            "prob_better": better.drop_vars(["mcse", "ess"]),
            "prob_better_mcse": (better.dims, better["mcse"].values),
        }
    )
    within: Any = 0.0
    if three:
        size = draws_difference(tree, ci_prob=ci_prob, ci_kind=ci_kind)
        for key in ("mean", "lower", "upper"):
            table[f"difference_{key}"], table[f"difference_{key}_mcse"] = (
                size[key],
                size[f"mcse_{key}"],
            )
        mass = draws_masses(tree, rope)
        table["mass"], table["mass_mcse"] = mass.drop_vars("mcse"), (mass.dims, mass["mcse"].values)
        within = table["mass"].sel({names.REGION: "rope"}, drop=True)
    elif _ties_known(counts):  # a two-way model has no draws of the difference
        nothing = xr.full_like(better.drop_vars(["mcse", "ess"]), np.nan)
        for key in ("mean", "lower", "upper"):
            table[f"difference_{key}"], table[f"difference_{key}_mcse"] = nothing, nothing
        table["mass"] = nothing.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
        table["mass_mcse"] = table["mass"]
    record = tree["posterior"].attrs
    attrs = {"method": "mcmc"} | {
        k: record[k] for k in ("seed", "draws", "chains", "inference_library", "model")
    }
    attrs |= {
        "rhat_max": diagnosis.rhat_max,
        "ess_min": diagnosis.ess_min,
        "divergences": diagnosis.divergences,
        "mcmc_failures": "\n".join(diagnosis.failures),
    }
    table["z"] = cross_check(counts, tree)["z"]
    return _with_verdicts(table, counts, 1 - better.values, within, rope, attrs)


def _with_verdicts(
    table: xr.Dataset,
    counts: xr.DataArray,
    behind: np.ndarray,
    within: Any,
    rope: float,
    attrs: dict[str, Any],
) -> xr.Dataset:
    verdict, also_ahead = decide(table["prob_better"].values, behind, np.asarray(within), rope)
    empty = (counts.sum(names.OUTCOME).values == 0) & _three_or_policy(counts)
    verdict = np.where(empty & ~np.eye(len(verdict), dtype=bool), "no_data", verdict)
    if attrs.get("mcmc_failures"):
        verdict = np.full(verdict.shape, "no_verdict")
        also_ahead = np.zeros_like(also_ahead)
    table["verdict"] = (names.SQUARE, verdict)
    table["also_ahead"] = (names.SQUARE, also_ahead)
    table = table.drop_attrs()
    table.attrs = attrs
    return table


def _ties_known(counts: xr.DataArray) -> bool:
    return counts.sizes[names.OUTCOME] == 3 or counts.attrs.get("ties", "unknown") != "unknown"


def _three_or_policy(counts: xr.DataArray) -> bool:
    """Whether an empty row means that there are no examples, rather than none that was decisive."""
    return counts.sizes[names.OUTCOME] == 3
