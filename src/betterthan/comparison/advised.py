"""The model that `advise` names, fitted, as one engine of a comparison."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.comparison.advice import Advice
from betterthan.comparison.given import plain_data
from betterthan.comparison.signature import PRIORS_OF_THEIR_OWN
from betterthan.counts.clusters import count_clusters
from betterthan.counts.scoring import apply_missing, count_outcomes
from betterthan.counts.shapes import to_square
from betterthan.counts.units import CLUSTER, UNIT, default_unit, in_units, several
from betterthan.fits.comparing import compare as compare_fit
from betterthan.scores.resampling import bootstrap as bayesian_bootstrap

_COLUMNS = (
    "prob_better",
    "prob_better_mcse",
    "difference_mean",
    "difference_mean_mcse",
    "difference_lower",
    "difference_lower_mcse",
    "difference_upper",
    "difference_upper_mcse",
    "mass",
    "mass_mcse",
    "verdict",
    "also_ahead",
)
BY_DATASET = (
    "prob_better_dataset",
    "prob_better_dataset_mcse",
    "prob_better_new",
    "prob_better_new_mcse",
)
_BY_SYSTEM = ("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set")


def advised_table(
    data: Any,
    advice: Advice,
    *,
    missing: str,
    margin: float,
    rope: float,
    ci_prob: float,
    ci_kind: str,
    prior: Any,
    draws: int,
    chains: int,
    rng: int,
) -> xr.Dataset | None:
    """Fit the advised model; None where the closed form is what is advised.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        As for `advise`.
    advice : Advice
        On these data.
    missing, margin, rope, ci_prob, ci_kind, prior, draws, chains, rng
        See `betterthan.compare`.

    Returns
    -------
    xarray.Dataset or None
        Over (system_a, system_b): the variables of an engine of `betterthan.compare`; over system,
        where the model ranks them, ``prob_best``, ``expected_rank`` and ``in_best_set``. ``attrs``
        say how it was sampled.

    Raises
    ------
    ValueError
        If something is asked that the model does not know.
    """
    from betterthan.models import clustered, davidson, graded, hierarchical, item_response

    prior = None if prior is None or checks.prior(prior) == checks.prior(None) else prior
    _refuse_unknown(advice.model, rope=rope, margin=margin, prior=prior)
    ready: Any = _prepared(data, advice.model, missing)
    sampled: dict[str, Any] = {"draws": draws, "chains": chains, "rng": rng, "predictive": False}
    asked: dict[str, Any] = {"rope": rope, "ci_prob": ci_prob, "ci_kind": ci_kind}
    counted = not isinstance(data, xr.Dataset) and names.OUTCOME in data.dims
    if advice.model == "hierarchical":
        counts = (
            _square(ready) if counted else count_outcomes(ready, by=names.DATASET, margin=margin)
        )
        found = _equally_weighed(
            compare_fit(hierarchical.fit(counts, prior=prior, **sampled), **asked)
        )
    elif advice.model == "clustered":
        counts = _square(ready) if counted else count_clusters(ready, margin=margin)
        found = compare_fit(clustered.fit(counts, prior=prior, **sampled), **asked)
    elif advice.model == "davidson":
        one_by_one = isinstance(data, xr.Dataset)
        judges = one_by_one and several(ready, "judge")
        found = compare_fit(
            davidson.fit(ready, position=one_by_one, judges=judges, **sampled), **asked
        )
    elif advice.model == "item_response":
        found = compare_fit(item_response.fit(ready, **sampled), **asked)
    elif advice.model == "graded":
        found = compare_fit(graded.fit(ready, **sampled), **asked)
    elif advice.model == "bayesian_bootstrap":
        together = in_units(ready, default_unit(ready) or names.ITEM)
        found = bayesian_bootstrap(together, unit=UNIT, rng=rng, **asked)
    else:
        return None
    return _as_engine(found, advice)


def _equally_weighed(found: xr.Dataset) -> xr.Dataset:
    """The answer over data sets that weigh the same, with that on a new one beside it."""
    new = found.sel(target="new", drop=True)
    beside = {f"prob_better_new{end}": new[f"prob_better{end}"] for end in ("", "_mcse")}
    return found.sel(target="equal", drop=True).assign(beside)


def _refuse_unknown(model: str, *, rope: float, margin: float, prior: Any) -> None:
    """What a model does not know is not passed over in silence."""
    if rope and model in ("graded", "bayesian_bootstrap"):
        raise ValueError(
            f"rope={rope:g} is a difference of probabilities, and the advised {model} measures in "
            f"units of the score; "
            "use method='exact', or its own call"
        )
    if margin and model not in ("hierarchical", "clustered", "dirichlet_multinomial"):
        raise ValueError(
            f"margin={margin:g} is for counting wins; the advised {model} does not; use "
            f"method='exact'"
        )
    if prior is not None and model in PRIORS_OF_THEIR_OWN:
        raise ValueError(
            f"a prior of win, loss and tie says nothing of the advised {model}; use method='exact'"
        )


def _prepared(data: Any, model: str, missing: str) -> Any:
    """Scores under the policy for missing ones; shares of successes for models that know no
    trials.
    """
    if isinstance(data, xr.Dataset):
        if missing != "pairwise":
            raise ValueError(
                f"missing={missing!r} is for scores; a trial that was not made is no failure"
            )
        return plain_data(data) if model in ("hierarchical", "graded") else data
    if names.ITEM in data.dims:
        return data if names.TALLY in data.dims else apply_missing(checks.scores(data), missing)
    extra = [d for d in data.dims if d not in (*names.SQUARE, names.PAIR, names.OUTCOME)]
    pooled = [d for d in extra if data.sizes[d] == 1 or (model == "clustered" and d != CLUSTER)]
    return data.sum(pooled, keep_attrs=True)


def _square(counts: Any) -> xr.DataArray:
    return to_square(counts) if names.PAIR in counts.dims else counts


def _as_engine(found: xr.Dataset, advice: Advice) -> xr.Dataset:
    """The columns of an engine; an error that was not computed is nan."""
    nothing = xr.full_like(found["prob_better"], np.nan)
    table = xr.Dataset({key: found.get(key, nothing) for key in _COLUMNS})
    if "also_ahead" not in found:
        table["also_ahead"] = xr.zeros_like(nothing, dtype=bool)
    table = table.assign({key: found[key] for key in (*_BY_SYSTEM, *BY_DATASET) if key in found})
    a = found.attrs
    sampled = ("seed", "draws", "chains", "inference_library", "rhat_max", "ess_min", "divergences")
    table.attrs = {k: a[k] for k in sampled if k in a} | {
        "method": advice.model,
        "model": advice.model,
    }
    table.attrs["modelled"] = ", ".join(k for k in ("position", "judges") if a.get(k))
    table.attrs["mcmc_failures"] = a.get("failures", "")
    return table.drop_vars([c for c in table.coords if c not in table.dims])
