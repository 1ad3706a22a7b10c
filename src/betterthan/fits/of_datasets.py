"""Several data sets: who is better over all of them, however they are weighed, and on one not
seen.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import to_square
from betterthan.exact.numeric import held_out
from betterthan.exact.numeric.seeds import one_seed
from betterthan.fits.pairs import (
    answers,
    choices,
    closed_answer,
    judged,
    of_model,
    say_no_data,
    signed,
)
from betterthan.models import hierarchical, of_groups, refit, sampling, simplex
from betterthan.progress import with_bar

_SAMPLES = ("chain", "draw")


def compare_datasets(
    tree: xr.DataTree,
    *,
    weights: Mapping[str, float] | None = None,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Several data sets, from a fit of the hierarchical model; see `fits.compare`."""
    posterior = of_model(tree, "hierarchical")
    rope, ci_prob, ci_kind = choices(rope, ci_prob, ci_kind)
    counts = tree["constant_data"].to_dataset()["counts"]
    factors = [str(f) for f in np.atleast_1d(posterior.attrs["factors"])]
    labels, counts, theta = _flat(counts, posterior["theta"], factors)
    _warn_indecisive(counts, labels)
    diagnosis = judged(tree)
    gap = theta.sel({names.OUTCOME: "win"}, drop=True) - theta.sel(
        {names.OUTCOME: "loss"}, drop=True
    )
    new = posterior["theta_new"]
    n = counts.sum(names.OUTCOME)
    equal = xr.ones_like(n) / len(labels)
    shares = {"equal": equal, "size": (n / n.sum(names.DATASET)).fillna(equal)}
    if weights is not None:
        shares["given"] = xr.ones_like(n) * xr.DataArray(
            _weights(weights, labels), dims=names.DATASET
        )
    parts = {k: (gap * share.drop_attrs()).sum(names.DATASET) for k, share in shares.items()}
    parts["new"] = new.sel({names.OUTCOME: "win"}, drop=True) - new.sel(
        {names.OUTCOME: "loss"}, drop=True
    )
    order = (*_SAMPLES, names.PAIR)
    tables = [
        answers(d.transpose(*order), posterior.attrs, rope, ci_prob, ci_kind, diagnosis.passed)
        for d in parts.values()
    ]
    result = xr.concat(
        tables, xr.DataArray(list(parts), dims="target", name="target"), join="exact"
    )
    each = [
        answers(
            gap.isel({names.DATASET: k}, drop=True).transpose(*order),
            posterior.attrs,
            0.0,
            ci_prob,
            ci_kind,
            True,
        )
        for k in range(len(labels))
    ]
    named = xr.DataArray(labels, dims=names.DATASET, name=names.DATASET)
    for key in ("prob_better", "prob_better_mcse"):
        result[key.replace("better", "better_dataset")] = xr.concat(
            [t[key] for t in each], named, join="exact"
        )
    return _beside(result, counts, posterior, rope).assign_attrs(
        signed(posterior, diagnosis, rope, ci_prob, ci_kind) | {"factors": factors}
    )


def leave_one_dataset_out(
    counts: xr.DataArray, *, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Predict each data set from the others: does partial pooling foresee a new one better than
    pooling?

    Parameters
    ----------
    counts : xarray.DataArray
        Dims (dataset, system_a, system_b, outcome) or (dataset, pair, outcome), with ties; two data
        sets or more.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, tie.
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.Dataset
        Over (dataset, pair): ``elpd``, the log probability of the data set's counts given the
        others, ``elpd_pooled``, the same were all alike, and ``level``: the probability that the
        model gives to fewer wins less losses than were seen (equal ones count half), which is
        uniform over data sets when the model is right.

    Raises
    ------
    ValueError
        If the counts are no counts of several data sets of one factor.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.models.hierarchical.simulate(3, n=40, rng=1)["counts"]
    >>> bt.fits.leave_one_dataset_out(counts, rng=1)["elpd"].sizes
    Frozen({'dataset': 3, 'pair': 1})
    """
    import nutpie

    groups = of_groups.by_dataset(counts)
    values, pairs, levels = groups.values, groups.pairs, groups.levels
    if len(levels) != 1 or len(values) < 2:
        raise ValueError("leaving one out takes two data sets or more, of one factor")
    seed, numbers = one_seed(rng), np.array(checks.prior(prior))
    (dim, labels), *_ = levels.items()
    with sampling.steady_arithmetic():
        compiled: Any = nutpie.compile_pymc_model(hierarchical.build(counts, prior=prior))
    found = {k: np.zeros(values.shape[:2]) for k in ("elpd", "elpd_pooled", "level")}
    worst = 0
    for k in with_bar(range(len(values)), len(values), "data sets", long=True):
        others = values.copy()
        others[k] = 0  # without examples a data set has likelihood one
        tree = refit.sampled(compiled.with_data(counts=others), seed + k)
        worst += int(tree["sample_stats"].to_dataset()["diverging"].sum())
        posterior = tree["posterior"].to_dataset()
        mu = posterior["mu"].values.reshape(-1, *values.shape[1:])
        kappa = 1 / posterior["correlation"].values.reshape(-1, values.shape[1]) - 1
        shape = kappa[..., None] * mu
        found["elpd"][k] = held_out.log_mean_exp(held_out.log_probability(values[k], shape))
        found["elpd_pooled"][k] = held_out.log_probability(values[k], numbers + others.sum(0))
        random = np.random.default_rng([seed, k])
        found["level"][k] = held_out.level(values[k], simplex.draw(random, shape), random)
    labelled = {c: pairs[c] for c in (names.PAIR, names.SYSTEM_A, names.SYSTEM_B)}
    return xr.Dataset(
        {k: ((str(dim), names.PAIR), v) for k, v in found.items()},
        coords=labelled | {str(dim): labels},
        attrs={
            "model": "hierarchical",
            "seed": seed,
            "divergences": worst,
            "prior": numbers.tolist(),
        },
    )


def _flat(
    counts: xr.DataArray, theta: xr.DataArray, factors: list[str]
) -> tuple[list[str], xr.DataArray, xr.DataArray]:
    """Counts and theta over one dim dataset; of crossed factors it holds their cells."""
    if len(factors) == 1:
        labels = [str(v) for v in counts[factors[0]].values]
    else:
        labels = [
            f"{a} / {b}" for a in counts[factors[0]].values for b in counts[factors[1]].values
        ]
    pair = [names.PAIR, names.OUTCOME]
    counts = counts.transpose(*factors, *pair)
    flat = counts.values.reshape(len(labels), *counts.shape[len(factors) :])
    coords = {k: counts[k] for k in (names.PAIR, names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)}
    one = xr.DataArray(flat, dims=(names.DATASET, *pair), coords=coords)
    theta = theta.transpose(*_SAMPLES, *factors, *pair)
    shape = (*theta.shape[:2], len(labels), *theta.shape[2 + len(factors) :])
    return (
        labels,
        one,
        xr.DataArray(theta.values.reshape(shape), dims=(*_SAMPLES, *one.dims), coords=coords),
    )


def _beside(
    result: xr.Dataset, counts: xr.DataArray, posterior: xr.Dataset, rope: float
) -> xr.Dataset:
    """The pooled closed form, and where a verdict differs from it."""
    square = bool(posterior.attrs["square"])
    pooled = counts.sum(names.DATASET).astype(np.int64)
    crossed = len(np.atleast_1d(posterior.attrs["factors"])) == 2
    prior = None if crossed else tuple(np.atleast_1d(posterior.attrs["prior"]))
    better, verdict = closed_answer(to_square(pooled) if square else pooled, prior, rope)
    n = pooled.sum(names.OUTCOME).drop_attrs()
    n = to_square(n, mirror="same") if square else n
    result["prob_better_pooled"], result["verdict_pooled"] = (
        better,
        say_no_data(better.copy(data=verdict), n),
    )
    result["verdict"] = say_no_data(result["verdict"], n)
    result["verdict_changes"] = (
        result["verdict"].dims,
        result["verdict"].values != result["verdict_pooled"].values,
    )
    if "correlation" in posterior:
        mean = posterior["correlation"].mean(_SAMPLES).drop_attrs()
        result["correlation"] = to_square(mean, mirror="same") if square else mean
    return result


def _weights(weights: Mapping[str, float], labels: list[str]) -> np.ndarray:
    if not isinstance(weights, Mapping):
        raise ValueError(f"weights are {weights!r}; give a mapping from data set to its share")
    named = {str(k): v for k, v in weights.items()}
    unknown, missing = sorted(set(named) - set(labels)), [x for x in labels if x not in named]
    if unknown or missing:
        what = (
            f"there is no data set {unknown[0]!r}"
            if unknown
            else f"data set {missing[0]!r} has no weight"
        )
        raise ValueError(f"{what}; give a weight to each of {', '.join(labels)}")
    values = np.array([float(named[x]) for x in labels])
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(
            f"a weight is {values[~(np.isfinite(values) & (values >= 0))][0]}; weights are at "
            f"least 0"
        )
    if abs(values.sum() - 1) > 1e-6:
        raise ValueError(f"weights sum to {values.sum():g}; they are shares and sum to 1")
    return values


def _warn_indecisive(counts: xr.DataArray, labels: list[str]) -> None:
    decisive = counts.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME).values == 0
    if decisive.any():
        d, p = np.argwhere(decisive)[0]
        more = f", and {int(decisive.sum()) - 1} more" if decisive.sum() > 1 else ""
        pair = f"{counts[names.SYSTEM_A].values[p]} and {counts[names.SYSTEM_B].values[p]}"
        warnings.warn(
            f"data set {labels[d]!r} has no decisive outcome between {pair}{more}: what is said "
            f"of it there comes from "
            "the other data sets and the prior",
            stacklevel=3,
        )
