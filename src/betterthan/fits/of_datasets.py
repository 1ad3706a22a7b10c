"""Several data sets: who is better over all of them, however they are weighed, and on one not
seen.
"""

import warnings
from collections.abc import Mapping

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import to_square
from betterthan.fits.counted import SAMPLES, by_label, closed_answer, named_pair, to_shape
from betterthan.models import simplex
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit, prior_in
from betterthan.posterior.table import Question


def read_datasets(
    fit: Fit, question: Question, *, weights: Mapping[str, float] | None = None
) -> xr.Dataset:
    """Several data sets, from a fit of the hierarchical model; see `fits.compare`."""
    factors = [str(f) for f in np.atleast_1d(fit.posterior.attrs["factors"])]
    counts = _flat(fit.constant["counts"], factors)
    gap = _ahead(_flat(fit.posterior["theta"], factors))
    _warn_indecisive(counts)
    total = counts.sum(names.DATASET).astype(np.int64)
    n = to_shape(total.sum(names.OUTCOME), fit.square)
    shares = _shares(counts, weights)
    targets = {name: (gap * share).sum(names.DATASET) for name, share in shares.items()}
    result = _by_target(fit, targets | {"new": _ahead(fit.posterior["theta_new"])}, question, n)
    result = result.merge(by_label(gap, names.DATASET, square=fit.square), join="exact")
    if not isinstance(prior_in(fit.posterior.attrs), str):
        result = result.assign(
            _pooled(fit, total, question, n) | _unpooled(fit, counts, question, n)
        )
        result["verdict_changes"] = result["verdict"] != result["verdict_pooled"]
    return result.assign(_correlation(fit)).assign_attrs(factors=factors)


def _correlation(fit: Fit) -> dict[str, xr.DataArray]:
    """That of two examples of a data set; of crossed factors, and where it was held, none."""
    if "correlation" not in fit.posterior:
        return {}
    return {"correlation": to_shape(fit.posterior["correlation"].mean(SAMPLES), fit.square)}


def _by_target(
    fit: Fit, targets: dict[str, xr.DataArray], question: Question, n: xr.DataArray
) -> xr.Dataset:
    """Answers from draws of the difference over each target."""
    tables = [
        table.with_verdicts(
            table.of_differences(d, question, square=fit.square),
            question,
            converged=fit.diagnosis.passed,
            n=n,
        )
        for d in targets.values()
    ]
    labels = xr.DataArray(list(targets), dims="target", name="target")
    return xr.concat(tables, labels, join="exact")


def _unpooled(
    fit: Fit, counts: xr.DataArray, question: Question, n: xr.DataArray
) -> dict[str, xr.DataArray]:
    """Unweighted mean over data sets of their separate answers, by exact draws of the conjugate
    posteriors.
    """
    draws = _averaged(fit, counts)
    result = table.with_verdicts(
        table.of_differences(draws, question, square=fit.square), question, n=n
    )
    renamed = {name: f"{name}_unpooled" for name in ("prob_better", "prob_better_mcse", "verdict")}
    renamed |= {f"difference_{k}": f"difference_unpooled_{k}" for k in ("lower", "upper")}
    renamed["difference_mean"] = "difference_unpooled"
    return {new: result[old] for old, new in renamed.items()}


def _averaged(fit: Fit, counts: xr.DataArray) -> xr.DataArray:
    """Draws (chain, draw, pair) of the mean of the differences of all data sets."""
    random = np.random.default_rng([fit.posterior.attrs["seed"], 2])
    values = counts.transpose(names.DATASET, names.PAIR, names.OUTCOME).values
    shape = tuple(fit.posterior.sizes[k] for k in SAMPLES)
    ahead = np.zeros((*shape, values.shape[1]))
    for parameters in values + np.array(_prior(fit) or checks.prior(None)):
        theta = simplex.draw(random, parameters, shape)
        ahead += (theta[..., 0] - theta[..., 1]) / len(values)
    pairs = {k: counts[k] for k in (names.PAIR, *names.SQUARE)}
    return xr.DataArray(ahead, dims=(*SAMPLES, names.PAIR), coords=pairs)


def _prior(fit: Fit) -> tuple[float, ...] | None:
    """That of a data set by itself; of crossed factors none was given."""
    crossed = np.size(fit.posterior.attrs["factors"]) == 2
    return None if crossed else tuple(np.atleast_1d(fit.posterior.attrs["prior"]))


def _pooled(
    fit: Fit, total: xr.DataArray, question: Question, n: xr.DataArray
) -> dict[str, xr.DataArray]:
    """The closed form on all items pooled."""
    result = closed_answer(to_square(total) if fit.square else total, _prior(fit), question, n)
    return {f"{name}_pooled": result[name] for name in result}


def _ahead(theta: xr.DataArray) -> xr.DataArray:
    win, loss = (theta.sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
    return win - loss


def _flat(values: xr.DataArray, factors: list[str]) -> xr.DataArray:
    """Values over one dim dataset, the first; of crossed factors it holds their cells."""
    values = values.transpose(*factors, ...)
    labels = [str(label) for label in values[factors[0]].values]
    if len(factors) == 2:
        labels = [f"{a} / {b}" for a in labels for b in values[factors[1]].values]
    other_dims = values.dims[len(factors) :]
    flat = values.values.reshape(len(labels), *values.shape[len(factors) :])
    coords_other = {k: c for k, c in values.coords.items() if not set(factors) & set(c.dims)}
    coords = coords_other | {names.DATASET: labels}
    return xr.DataArray(flat, dims=(names.DATASET, *other_dims), coords=coords)


def _shares(counts: xr.DataArray, weights: Mapping[str, float] | None) -> dict[str, xr.DataArray]:
    """How much each data set weighs for each pair, by the name of the target."""
    n = without_attrs(counts.sum(names.OUTCOME))
    equal = xr.ones_like(n) / n.sizes[names.DATASET]
    shares = {"equal": equal, "size": (n / n.sum(names.DATASET)).fillna(equal)}
    if weights is not None:
        checked = _weights(weights, n[names.DATASET].values.tolist())
        shares["given"] = xr.ones_like(n) * xr.DataArray(checked, dims=names.DATASET)
    return shares


def _weights(weights: Mapping[str, float], labels: list[str]) -> np.ndarray:
    if not isinstance(weights, Mapping):
        raise ValueError(
            f"weights are a {type(weights).__name__}; give a mapping from data set to its share"
        )
    named = {str(k): v for k, v in weights.items()}
    unknown, missing = [x for x in named if x not in labels], [x for x in labels if x not in named]
    if unknown or missing:
        problem = f"there is no data set {unknown[0]!r}" if unknown else ""
        problem = problem or f"data set {missing[0]!r} has no weight"
        raise ValueError(f"{problem}; give a weight to each of {', '.join(labels)}")
    values = np.array([float(named[label]) for label in labels])
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise ValueError(f"a weight is {values[bad][0]}; weights are at least 0")
    if abs(values.sum() - 1) > 1e-6:
        raise ValueError(f"weights sum to {values.sum():g}; they are shares and sum to 1")
    return values


def _warn_indecisive(counts: xr.DataArray) -> None:
    decisive = counts.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME)
    none = (decisive == 0).transpose(names.DATASET, names.PAIR).values
    if none.any():
        d, p = np.argwhere(none)[0]
        more = f", and {int(none.sum()) - 1} more" if none.sum() > 1 else ""
        warnings.warn(
            f"data set {counts[names.DATASET].values[d].item()!r} has no win and no loss between "
            f"{named_pair(counts, p)}{more}: what is said of it there comes from the other data "
            "sets and the prior",
            skip_file_prefixes=names.PACKAGE,
        )
