"""Posterior answers of judged counts: by a judge that errs, corrected by labels of people.

Every answer is over (pair,), from the side of the system named first. The prior is that of win,
loss and tie, a third of it on the cells of each signal, whatever their number: with three signals
the labels have that prior by themselves, so an answer that ignores the judge is the usual one.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact import judged as exact_draws
from betterthan.exact.judged import JudgedPairs, correlation_ratio, effective_gold, ratio_range
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.judged.dataset import GOLD, JUDGED, SIGNAL, judged_counts
from betterthan.posterior.from_draws import draws_of_pairs
from betterthan.signed import Signature

_THIRD = 3.0  # of the prior goes to the cells of one signal


def cells_prior(prior: Any) -> np.ndarray:
    """Of each truth, what every cell of a signal has: a third of the prior of win, loss, tie."""
    return np.array(checks.prior(prior))[:, None] / _THIRD


def judged_posterior(data: xr.Dataset, prior: Any) -> JudgedPairs:
    """The posterior of checked judged counts."""
    alpha = np.broadcast_to(cells_prior(prior), (3, data.sizes[SIGNAL]))
    return JudgedPairs.from_counts(data[GOLD].values, data[JUDGED].values, alpha)


def checked_pairs(
    data: Any, prior: Any, ties: str, model: str = "dirichlet"
) -> tuple[Any, JudgedPairs]:
    """Judged counts, checked, and their posterior; choices that are not for them are refused."""
    if ties != "third" or model != "dirichlet":
        wrong = f"ties={ties!r}" if ties != "third" else f"model={model!r}"
        raise ValueError(
            f"{wrong} does not apply to judged counts: ties are an outcome of the labels and of "
            "the judge"
        )
    checked = judged_counts(data)
    return checked, judged_posterior(checked, prior)


def better(data: Any, prior: Any, ties: str, model: str) -> xr.DataArray:
    """P(A better than B) of each pair."""
    checked, pairs = checked_pairs(data, prior, ties, model)
    return _wrapped(checked, pairs.above(0.0), "prob_better", prior)


def beyond(data: Any, delta: float, prior: Any, ties: str) -> xr.DataArray:
    """P(d > delta) of each pair."""
    checked, pairs = checked_pairs(data, prior, ties)
    return _wrapped(checked, pairs.above(delta), "prob_above", prior)


def size(data: Any, ci_prob: float, ci_kind: str, prior: Any, ties: str) -> xr.Dataset:
    """Mean, standard deviation and interval of d of each pair."""
    checked, pairs = checked_pairs(data, prior, ties)
    parts = interval_summary(pairs, ci_prob, ci_kind)
    variables = {name: _wrapped(checked, values, name, prior) for name, values in parts.items()}
    attrs = variables["mean"].attrs | {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return xr.Dataset(variables, attrs=attrs)


def masses(data: Any, rope: float, prior: Any, ties: str) -> xr.DataArray:
    """Mass of d below, within and above the rope, of each pair."""
    checked, pairs = checked_pairs(data, prior, ties)
    plain = _wrapped(checked, pairs.above(0.0), "mass", prior)
    regions = plain.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
    return regions.copy(data=region_masses(pairs, rope)).assign_attrs(plain.attrs | {"rope": rope})


def interval_summary(pairs: JudgedPairs, ci_prob: float, ci_kind: str) -> dict[str, np.ndarray]:
    """``mean``, ``sd``, ``lower`` and ``upper``; a density of several modes gets equal tails."""
    mean, sd = pairs.mean_and_sd()
    lower, upper, narrow = pairs.interval(ci_prob, ci_kind)
    if not narrow.all():
        checks.warn(
            "one interval hides modes, and it is equal-tailed: "
            f"{int((~narrow).sum())} of the posteriors have more than one, because a judge output "
            "with many items has hardly a human label; label items of that output"
        )
    return {"mean": mean, "sd": sd, "lower": lower, "upper": upper}


def region_masses(pairs: JudgedPairs, rope: float) -> np.ndarray:
    """Mass below, within and above the rope, (pair, region)."""
    if not rope:
        above, below = pairs.tails(0.0)
        return np.stack([below, np.zeros(len(below)), above], axis=-1)
    return np.stack([pairs.below(-rope), pairs.within(rope), pairs.above(rope)], axis=-1)


def label_worth(data: xr.Dataset, pairs: JudgedPairs) -> dict[str, np.ndarray]:
    """``n``, ``n_gold``, ``r2`` of truth and signals, ``effective_gold`` with its bounds (95%),
    and ``unlabelled``: the share of items whose signal has no label.
    """
    gold, judged = data[GOLD].values, data[JUDGED].values
    n, m = judged.sum(1), gold.sum((1, 2))
    r2 = correlation_ratio(pairs.cells, pairs.size)
    bare = np.where(gold.sum(1) == 0, judged, 0).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        worth = {"effective_gold": effective_gold(r2, m, n), "unlabelled": bare / n}
        bounds = ratio_range(pairs.cells, pairs.size, names.CI_PROB)
        for name, end in zip(("lower", "upper"), bounds, strict=True):
            worth[f"effective_gold_{name}"] = effective_gold(end, m, n)
    return {"n": n, "n_gold": m, "r2": r2} | {k: np.nan_to_num(v) for k, v in worth.items()}


def judged_draws(data: Any, prior: Any, draws: int, chains: int, rng: Any) -> xr.DataTree:
    """Independent draws from the exact posterior, in the shape of an MCMC fit."""
    checked, pairs = checked_pairs(data, prior, "third")
    shape = (checks.whole(chains, "chains"), checks.whole(draws, "draws"))
    seed = one_seed(rng)
    random = np.random.default_rng(seed)
    theta = exact_draws.draws(pairs.cells, pairs.size, shape[0] * shape[1], random)
    theta = theta.reshape(*shape, *theta.shape[1:])
    variables = {"theta": theta, "difference": theta[..., 0] - theta[..., 1]}
    provenance = Signature(model="judge", seed=seed, inference_library="betterthan").to_attrs()
    more = {"prior": list(checks.prior(prior)), "square": 0}
    attrs = provenance | more | {"inference_library_version": __version__}
    posterior = draws_of_pairs(variables, checked).assign_attrs(attrs)
    return xr.DataTree.from_dict({"posterior": posterior})


def _wrapped(data: xr.Dataset, values: np.ndarray, name: str, prior: Any) -> xr.DataArray:
    coords = {k: data[k] for k in (names.PAIR, *names.SQUARE)}
    attrs = {"version": __version__, "prior": list(checks.prior(prior)), "ties": "third"}
    sources = {k: data.attrs[k] for k in ("labels_by", "judge", "source") if k in data.attrs}
    return xr.DataArray(values, coords, (names.PAIR,), name, attrs | sources)
