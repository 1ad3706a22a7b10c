"""The ways of computing the answers for all pairs: closed forms, and PyMC."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.fits.checking import cross_check
from betterthan.posterior import closed, differences
from betterthan.posterior.gate import diagnose
from betterthan.posterior.parameters import settled
from betterthan.posterior.sampled import draws_difference, draws_masses, draws_prob_better
from betterthan.posterior.verdicts import decide


@dataclass(frozen=True)
class Engine:
    """Answers over (system_a, system_b), computed in one way."""

    name: str  # exact, mcmc, or the model that was advised
    table: xr.Dataset
    beside: xr.Dataset = field(default_factory=xr.Dataset)  # over system, or data set
    signed: dict[str, Any] = field(default_factory=dict)

    @property
    def converged(self) -> bool:
        """Whether its verdicts may be given."""
        return not self.signed.get("failures")


def exact_answers(given: Given, asked: Asked) -> Engine:
    """Probabilities, differences, masses and verdicts in closed form."""
    of = settled(given.counts, asked.prior)
    better = closed.better(of)
    table = xr.Dataset({"prob_better": better})
    within: Any = 0.0
    if given.ties_known:
        size = differences.size(of, asked.ci_prob, asked.ci_kind)
        for key in ("mean", "lower", "upper"):
            table[f"difference_{key}"] = size[key]
        table["mass"] = differences.masses(of, asked.rope)
        within = table["mass"].sel({names.REGION: "rope"}, drop=True).values
    exactly = {f"{name}_mcse": xr.zeros_like(value) for name, value in table.data_vars.items()}
    behind = better.transpose(names.SYSTEM_B, names.SYSTEM_A).values
    return Engine("exact", _with_verdicts(table.assign(exactly), given, asked, behind, within, True))


def sampled_answers(given: Given, asked: Asked) -> Engine:
    """The same from PyMC, each number with its Monte Carlo error."""
    from betterthan.models import beta_binomial, dirichlet_multinomial

    three = given.counts.sizes[names.OUTCOME] == 3
    model = dirichlet_multinomial if three else beta_binomial
    tree = model.fit(
        given.counts, prior=asked.prior, sampling=asked.sampling, rng=asked.seed, predictive=False
    )
    better = draws_prob_better(tree)
    table = _sampled(better.drop_vars(["mcse", "ess"]), better["mcse"].values, "prob_better")
    within: Any = 0.0
    if three:
        size = draws_difference(tree, ci_prob=asked.ci_prob, ci_kind=asked.ci_kind)
        for key in ("mean", "lower", "upper"):
            table |= _sampled(size[key], size[f"mcse_{key}"].values, f"difference_{key}")
        mass = draws_masses(tree, asked.rope)
        table |= _sampled(mass.drop_vars("mcse"), mass["mcse"].values, "mass")
        within = table["mass"].sel({names.REGION: "rope"}, drop=True).values
    elif given.ties_known:
        table |= _nothing(better)
    diagnosis = diagnose(tree)
    signed = _signed(tree["posterior"].attrs) | {
        "rhat_max": diagnosis.rhat_max,
        "ess_min": diagnosis.ess_min,
        "divergences": diagnosis.divergences,
        "failures": tuple(diagnosis.failures),
    }
    whole = _with_verdicts(
        xr.Dataset(table), given, asked, 1 - better.values, within, diagnosis.passed
    )
    beside = xr.Dataset({"z": cross_check(given.counts, tree)["z"].drop_attrs()})
    return Engine("mcmc", whole, beside, signed)


def _sampled(value: xr.DataArray, error: np.ndarray, name: str) -> dict[str, xr.DataArray]:
    return {name: value, f"{name}_mcse": value.copy(data=error)}


def _nothing(better: xr.DataArray) -> dict[str, xr.DataArray]:
    """A two-way model has no draws of the difference."""
    nothing = xr.full_like(better.drop_vars(["mcse", "ess"]), np.nan)
    regions = nothing.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
    table = _sampled(regions, regions.values, "mass")
    for key in ("mean", "lower", "upper"):
        table |= _sampled(nothing, nothing.values, f"difference_{key}")
    return table


def _signed(attrs: dict[str, Any]) -> dict[str, Any]:
    kept = ("seed", "draws", "chains", "inference_library", "model")
    return {k: attrs[k] for k in kept if k in attrs}


def _with_verdicts(
    table: xr.Dataset, given: Given, asked: Asked, behind: np.ndarray, within: Any, converged: bool
) -> xr.Dataset:
    p = table["prob_better"].values
    verdict, also_ahead = decide(p, behind, np.asarray(within), asked.rope, asked.threshold)
    if given.counts.sizes[names.OUTCOME] == 3:  # two outcomes: none that was decisive is no lack
        empty = given.counts.sum(names.OUTCOME).values == 0
        verdict = np.where(empty & ~np.eye(len(verdict), dtype=bool), "no_data", verdict)
    if not converged:
        verdict, also_ahead = np.full(verdict.shape, "no_verdict"), np.zeros_like(also_ahead)
    table["verdict"], table["also_ahead"] = (names.SQUARE, verdict), (names.SQUARE, also_ahead)
    return table.drop_attrs()
