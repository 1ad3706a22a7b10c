"""How much the verdict owes to the prior."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import without_attrs
from betterthan.counts.ties import mirror_of
from betterthan.exact.numeric.limits import fewest
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import sampled
from betterthan.posterior.closed import prob_better, prob_equivalent
from betterthan.posterior.parameters import Parameters, parameters
from betterthan.posterior.verdicts import decide

_MOST = 2**40  # pseudo-examples beyond which nobody would go


def prior_sweep(
    counts: xr.DataArray,
    *,
    priors: Mapping[str, Any] | None = None,
    rope: float = names.ROPE,
    ties: str = "third",
    threshold: float = names.VERDICT_PROB,
) -> xr.Dataset:
    """Compare the results under several priors, and report whether a verdict changes.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome)
        Counts; ties must be known if you pass a ROPE.
    priors : mapping of name to Dirichlet parameters, optional
        Priors, the first of which is the reference. Default: `names.PRIORS` (uniform, jeffreys,
        haldane) and "skeptical"; see `prob_better`.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE).
    ties
        Policy for ties; see `counts.apply_ties`.
    threshold : float, default 0.95
        Posterior probability needed for a verdict.

    Returns
    -------
    xarray.Dataset
        - ``prob_better``, ``verdict`` (prior, ...)
        - ``flips``: whether some verdict differs from the first
        - ``pseudo_even``: fewest pseudo-items, half wins and half losses, that would overturn a
          verdict "A better" or "B better" of the first prior; NaN for other verdicts
        - ``pseudo_against``: the same, with all pseudo-items for the system that is behind

    Raises
    ------
    ValueError
        If an argument is not valid, or a ROPE is passed and ties are unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> swept = bt.posterior.prior_sweep(bt.datasets.contingency_case("a"))
    >>> swept = swept.sel(system_a="A", system_b="B")
    >>> bool(swept["flips"]), float(swept["pseudo_even"]), float(swept["pseudo_against"])
    (False, 23.0, 4.0)
    """
    sampled.refuse(counts, "a sweep over priors", "its draws have one prior")
    rope, threshold = checks.rope(rope), checks.threshold(threshold)
    every = {**names.PRIORS, names.SKEPTICAL: names.SKEPTICAL}
    if priors is not None:
        checks.of_type(priors, Mapping, "priors is", "mapping from labels to priors")
    chosen = dict(priors) if priors is not None else every
    if not chosen:
        raise ValueError("priors is empty; give at least one prior")
    answers = [_prior_answers(counts, prior, rope, ties, threshold) for prior in chosen.values()]
    labels = xr.DataArray(list(chosen), dims="prior", name="prior")
    swept = xr.concat(answers, labels, join="exact")
    first = swept["verdict"].isel(prior=0, drop=True)
    swept["flips"] = (swept["verdict"] != first).any("prior")
    first_parameters = parameters(counts, next(iter(chosen.values())), ties)
    return swept.assign(_pseudo(first_parameters, first, threshold)).assign_attrs(
        rope=rope, threshold=threshold, ties=ties
    )


def _prior_answers(
    counts: xr.DataArray, prior: Any, rope: float, ties: str, threshold: float
) -> xr.Dataset:
    """P(A better) and the verdict under one prior."""
    better = without_attrs(prob_better(counts, prior=prior, ties=ties))
    order = [names.OUTCOMES[k] for k in (1, 0, 2)[: counts.sizes[names.OUTCOME]]]
    exchanged = counts.sel({names.OUTCOME: order}).transpose(*counts.dims).values
    exchanged = counts.copy(data=exchanged)
    behind = prob_better(exchanged, prior=_exchanged_prior(prior), ties=mirror_of(ties))
    within: Any = 0.0
    if rope:
        masses = prob_equivalent(counts, rope, prior=prior, ties=ties)
        within = masses.sel({names.REGION: "rope"}, drop=True).values
    verdict = decide(better.values, behind.values, within, rope, threshold)[0]
    return xr.Dataset({"prob_better": better, "verdict": better.copy(data=verdict)})


def _pseudo(
    posterior: Parameters, verdict: xr.DataArray, threshold: float
) -> dict[str, xr.DataArray]:
    """The fewest examples that would undo a verdict for one side: half of them for the side that
    is behind, and all of them.
    """
    a, b, _ = posterior.values
    ahead, behind = np.maximum(a, b), np.minimum(a, b)
    decided = np.isin(verdict.values, ["a_better", "b_better"])

    def needed(share: float) -> xr.DataArray:
        def undone(m: np.ndarray) -> np.ndarray:
            prob = prob_above_half(ahead + share * m, behind + (1 - share) * m)
            return ~decided | (prob < threshold)

        number, _ = fewest(undone, np.zeros(decided.shape), np.ones(decided.shape), _MOST)
        return verdict.copy(data=np.where(decided, number, np.nan))

    return {"pseudo_even": needed(0.5), "pseudo_against": needed(0.0)}


def _exchanged_prior(prior: Any) -> Any:
    if isinstance(prior, str) and prior == names.SKEPTICAL:
        return prior
    numbers = checks.prior(prior, 3 if prior is None or isinstance(prior, str) else len(prior))
    return (numbers[1], numbers[0], *numbers[2:])
