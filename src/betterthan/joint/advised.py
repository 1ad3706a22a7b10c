"""The model that `advise` names, fitted, as one engine of a comparison."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.joint.abilities import compare_abilities
from betterthan.joint.advice import Advice, advise
from betterthan.joint.clusters import compare_clusters
from betterthan.joint.datasets import compare_datasets
from betterthan.joint.graded import compare_graded
from betterthan.outcomes.clusters import count_clusters
from betterthan.outcomes.scoring import count_outcomes
from betterthan.outcomes.shapes import to_square

_COLUMNS = (
    "prob_better", "prob_better_mcse", "difference_mean", "difference_mean_mcse", "difference_lower",
    "difference_lower_mcse", "difference_upper", "difference_upper_mcse", "mass", "mass_mcse", "verdict", "also_ahead",
)  # fmt: skip
_SQUARE = (names.SYSTEM_A, names.SYSTEM_B)
_BY_SYSTEM = ("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set")


def advised_table(
    data: Any, *, rope: float, prob: float, kind: str, prior: Any, draws: int, chains: int, rng: int
) -> tuple[Advice, xr.Dataset | None]:
    """Fit the advised model; None where the closed form is what is advised.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        As for `advise`.
    rope, prob, kind, prior, draws, chains, rng
        See `betterthan.compare`.

    Returns
    -------
    tuple of Advice and xarray.Dataset or None
        Over (system_a, system_b): the variables of an engine of `betterthan.compare`; over system, where the model
        ranks them, ``prob_best``, ``expected_rank`` and ``in_best_set``. ``attrs`` say how it was sampled.

    Raises
    ------
    ValueError
        If a rope is asked for graded scores, whose differences have other units.
    """
    from betterthan.models import clustered, davidson, graded, hierarchical, item_response

    advice = advise(data)
    sampled: dict[str, Any] = {"draws": draws, "chains": chains, "rng": rng, "predictive": False}
    asked: dict[str, Any] = {"rope": rope, "prob": prob, "kind": kind}
    if advice.model == "hierarchical":
        counts = _square(data) if names.OUTCOME in data.dims else count_outcomes(data, by=names.DATASET)
        crossed = sum(d not in (*_SQUARE, names.PAIR, names.OUTCOME) for d in counts.dims) == 2
        tree = hierarchical.fit(counts, prior=None if crossed else prior, **sampled)
        found = compare_datasets(tree, **asked).sel(target="equal", drop=True)
    elif advice.model == "clustered":
        ready = not isinstance(data, xr.Dataset) and names.OUTCOME in data.dims
        tree = clustered.fit(_square(data) if ready else count_clusters(data), prior=prior, **sampled)
        found = compare_clusters(tree, **asked)
    elif advice.model == "davidson":
        one_by_one = isinstance(data, xr.Dataset)
        judges = one_by_one and "judge" in data.coords and len(set(data["judge"].values.tolist())) > 1
        found = compare_abilities(davidson.fit(data, position=one_by_one, judges=judges, **sampled), **asked)
    elif advice.model == "item_response":
        found = compare_abilities(item_response.fit(data, **sampled), **asked)
    elif advice.model == "graded":
        if rope:
            raise ValueError(
                f"rope={rope:g} is a difference of probabilities, and the advised model measures in units of the "
                "score; use method='exact', or compare_graded(tree, rope=...)"
            )
        found = compare_graded(graded.fit(data, **sampled), **asked)
    else:
        return advice, None
    return advice, _as_engine(found, advice)


def _square(counts: Any) -> xr.DataArray:
    return to_square(counts) if names.PAIR in counts.dims else counts


def _as_engine(found: xr.Dataset, advice: Advice) -> xr.Dataset:
    """The columns of an engine; an error that was not computed is nan."""
    nothing = xr.full_like(found["prob_better"], np.nan)
    table = xr.Dataset({key: found.get(key, nothing) for key in _COLUMNS})
    table = table.assign({key: found[key] for key in _BY_SYSTEM if key in found})
    a = found.attrs
    table.attrs = {
        "method": advice.model, "model": advice.model, "seed": a["seed"], "draws": a["draws"], "chains": a["chains"],
        "inference_library": a["inference_library"], "rhat_max": a["rhat_max"], "ess_min": a["ess_min"],
        "divergences": a["divergences"], "mcmc_failures": "\n".join(a["failures"]),
    }  # fmt: skip
    return table.drop_vars([c for c in table.coords if c not in table.dims])
