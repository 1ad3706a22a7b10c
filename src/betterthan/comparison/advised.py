"""The model that `advise` names, fitted, as one engine of a comparison."""

from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks
from betterthan.comparison.advice import Advice
from betterthan.comparison.asked import Asked
from betterthan.comparison.engines import Engine
from betterthan.comparison.given import Given
from betterthan.counts.arrays import without_attrs
from betterthan.counts.units import UNIT, default_unit, in_units
from betterthan.model_registry import BOOTSTRAP, Spec
from betterthan.scores.resampling import bootstrap
from betterthan.signed import Signature

_EITHER = ("", "_mcse")
_COLUMNS = (
    *(f"prob_better{end}" for end in _EITHER),
    *(f"difference_{of}{end}" for of in ("mean", "lower", "upper") for end in _EITHER),
    *(f"mass{end}" for end in _EITHER),
    *("verdict", "also_ahead"),
)
BESIDE = (
    *(f"prob_better_{of}{end}" for of in ("dataset", "new") for end in _EITHER),
    *("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set"),
    "prob_rank",
)


def advised_answers(given: Given, asked: Asked, advice: Advice) -> Engine | None:
    """Fit the advised model; None where the closed form is what is advised.

    Raises
    ------
    ValueError
        If something is asked that the model does not know.
    """
    spec = advice.spec
    refuse_unknown(spec, asked)
    asked_of = vars(asked.question)
    found: Any
    if spec.fitted:
        return fitted_answers(spec, given, asked)
    if spec.name == BOOTSTRAP:
        unit = default_unit(given.found.data) or "item"
        together = in_units(given.found.data, unit)
        found = bootstrap(together, unit=UNIT, rng=asked.seed, **asked_of)
    elif spec.door:
        answer = attrgetter(spec.door)(betterthan)
        found = answer(
            given.found.data, **spec.options(given.found), **asked_of, rng=asked.seed
        ).data
    else:
        return None
    return _as_engine(found, spec)


def fitted_answers(spec: Spec, given: Given, asked: Asked) -> Engine:
    """The answers of a fitted model."""
    from betterthan.fits.comparing import compare as compare_fit

    prior = {} if _prior(asked) is None else {"prior": asked.prior}
    ready = spec.prepare(given.found)
    choices = spec.options(given.found) | prior
    tree = spec.fit(ready, **choices, sampling=asked.sampling, rng=asked.seed, predictive=False)
    found = compare_fit(tree, **vars(asked.question)).data
    found = _equally_weighed(found) if "target" in found.dims else found
    return replace(_as_engine(found, spec), fit=tree)


def refuse_unknown(spec: Spec, asked: Asked) -> None:
    """What a model does not know is not passed over in silence."""
    if asked.question.rope and spec.rope_unit == "score":
        raise ValueError(
            f"rope={asked.question.rope:g} is a difference of probabilities, and the advised "
            f"{spec.name} "
            "measures in units of the score; use method='exact', or its own call"
        )
    if asked.margin and not spec.knows_margin:
        raise ValueError(
            f"margin={asked.margin:g} is for counting wins; the advised {spec.name} does not; use "
            "method='exact'"
        )
    if spec.own_prior and _prior(asked) is not None:
        raise ValueError(
            f"a prior of win, loss and tie says nothing of the advised {spec.name}; use "
            "method='exact'"
        )


def _prior(asked: Asked) -> Any:
    """The prior, if it is another one than the default."""
    if asked.prior is None or checks.prior(asked.prior) == checks.prior(None):
        return None
    return asked.prior


def _equally_weighed(found: xr.Dataset) -> xr.Dataset:
    """The answer over data sets that weigh the same, with that on a new one beside it."""
    new = found.sel(target="new", drop=True)
    beside = {f"prob_better_new{end}": new[f"prob_better{end}"] for end in _EITHER}
    return found.sel(target="equal", drop=True).assign(beside)


def _as_engine(found: xr.Dataset, spec: Spec) -> Engine:
    """The columns of an engine; an error that was not computed is nan."""
    nothing = xr.full_like(found["prob_better"], np.nan)
    table = xr.Dataset({key: found.get(key, nothing) for key in _COLUMNS})
    if "also_ahead" not in found:
        table["also_ahead"] = xr.zeros_like(nothing, dtype=bool)
    table = without_attrs(table.drop_vars([c for c in table.coords if c not in table.dims]))
    beside = without_attrs(found[[key for key in BESIDE if key in found]])
    beside = beside.drop_vars([c for c in beside.coords if c not in beside.dims])
    made = Signature.from_attrs(found.attrs)
    also = [k for k in ("position", "judges") if found.attrs.get(k)]
    signed = {k: getattr(made, k) for k in _SAMPLED if getattr(made, k) is not None}
    signed |= {"model": spec.name, "modelled": ", ".join(also) or None}
    return Engine(spec.name, table, beside, signed)


_SAMPLED = (
    *("seed", "draws", "chains", "inference_library"),
    *("rhat_max", "pareto_k", "ess_min", "divergences", "failures"),
)
