"""Answers from fits of clusters, of several data sets, and of graded scores."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.graded_pairs import MANY, NEAR
from betterthan.counts.shapes import to_square, without_attrs
from betterthan.models import clustered, simplex
from betterthan.posterior import closed, differences, table
from betterthan.posterior.from_draws import SAMPLES as SAMPLES
from betterthan.posterior.pairwise import Fit, prior_in
from betterthan.posterior.parameters import posterior_parameters
from betterthan.posterior.table import Question


def by_label(difference: xr.DataArray, dim: str, *, square: bool) -> xr.Dataset:
    """P(A better) of each label of `dim`, as ``prob_better_<dim>`` with its error, from draws
    (chain, draw, pair, `dim`) of differences.
    """
    labels = xr.DataArray(difference[dim].values.tolist(), dims=dim, name=dim)
    answers = [
        better_only(difference.isel({dim: k}, drop=True), dim, square=square)
        for k in range(labels.size)
    ]
    return xr.concat(answers, labels, join="exact")


def better_only(difference: xr.DataArray, ending: str, *, square: bool) -> xr.Dataset:
    """P(A better), as ``prob_better_<ending>`` with its error."""
    signs = table.of_signs(difference, square=square).drop_vars("ess")
    return signs.rename({name: str(name).replace("better", f"better_{ending}") for name in signs})


def closed_answer(
    counts: xr.DataArray, prior: Any, question: Question, n: xr.DataArray
) -> xr.Dataset:
    """P(A better) and verdicts by the closed form: all examples alike and independent."""
    of = posterior_parameters(counts, prior)
    answers = xr.Dataset({"prob_better": of.wrap(closed.better(of))})
    if question.rope:
        mass = differences.masses(of, question.rope)
        answers = answers.assign_coords({names.REGION: list(names.REGIONS)})
        answers["mass"] = (*answers["prob_better"].dims, names.REGION), mass
    return table.with_verdicts(without_attrs(answers), question, n=n)[["prob_better", "verdict"]]


def to_shape(values: xr.DataArray, square: bool) -> xr.DataArray:
    """Reshape numbers by pair, equal for (A, B) and (B, A), to the shape of the answers."""
    plain = without_attrs(values)
    return to_square(plain, mirror="same") if square else plain


def named_pair(counts: xr.DataArray, k: int) -> str:
    """The two systems of a pair, in words."""
    return f"{counts[names.SYSTEM_A].values[k]} and {counts[names.SYSTEM_B].values[k]}"


def read_clusters(fit: Fit, question: Question) -> xr.Dataset:
    """The population of clusters, from a fit of the clustered model; see `fits.compare`."""
    counts = fit.constant["counts"]
    total = counts.sum("cluster")
    _warn_indecisive(total)
    sizes = _sizes(fit, total, question.ci_prob)
    result = table.of_differences(fit.posterior["difference"], question, square=fit.square)
    result = table.with_verdicts(result, question, converged=fit.diagnosis.passed, n=sizes["n"])
    result = result.merge(sizes, join="exact", compat="no_conflicts")
    result = result.assign_attrs(n_clusters=counts.sizes["cluster"])
    prior = prior_in(fit.posterior.attrs)
    if prior is None or isinstance(prior, str):  # of which there is no closed form beside
        return result
    shaped = to_square(total) if fit.square else total
    independent = closed_answer(shaped.astype(np.int64), prior, question, sizes["n"])
    result = result.assign({f"{name}_independent": independent[name] for name in independent})
    if "correlation" not in fit.posterior.attrs:
        result["prob_better_exact"] = _exactly(counts, prior, fit.square)
    return result


def _exactly(counts: xr.DataArray, prior: tuple[float, ...], square: bool) -> xr.DataArray:
    exact = without_attrs(clustered.closed_form(counts, prior=prior))  # by pair
    # mirrored, P(B better) is 1 - P(A better): of tails below 1e-16 closed_form itself says more
    return to_square(exact, mirror="probability", diagonal=0.5) if square else exact


def _sizes(fit: Fit, total: xr.DataArray, ci_prob: float) -> xr.Dataset:
    """Number of items, and effective sample size."""
    parts = {"n": total.sum(names.OUTCOME)}
    for key in ("design_effect", "correlation"):
        values = fit.posterior[key]
        bounds = values.quantile([(1 - ci_prob) / 2, (1 + ci_prob) / 2], dim=SAMPLES)
        parts[key] = values.mean(SAMPLES)
        for k, end in enumerate(("lower", "upper")):
            parts[f"{key}_{end}"] = bounds.isel(quantile=k, drop=True)
    parts["n_effective"] = parts["n"] / parts["design_effect"]
    return xr.Dataset({key: to_shape(value, fit.square) for key, value in parts.items()})


def _warn_indecisive(total: xr.DataArray) -> None:
    none = total.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME).values == 0
    if none.any():
        more = f", and {int(none.sum()) - 1} more pairs" if none.sum() > 1 else ""
        warnings.warn(
            f"only the prior decides who is better of {named_pair(total, int(none.argmax()))}"
            f"{more}: no win and no loss",
            skip_file_prefixes=names.PACKAGE,
        )


def read_datasets(
    fit: Fit, question: Question, *, weights: Mapping[str, float] | None = None
) -> xr.Dataset:
    """Several data sets, from a fit of the hierarchical model; see `fits.compare`."""
    factors = [str(f) for f in np.atleast_1d(fit.posterior.attrs["factors"])]
    counts = _flat(fit.constant["counts"], factors)
    gap = _ahead(_flat(fit.posterior["theta"], factors))
    _warn_indecisive_datasets(counts)
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


def _warn_indecisive_datasets(counts: xr.DataArray) -> None:
    decisive = counts.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME)
    none = (decisive == 0).transpose(names.DATASET, names.PAIR).values
    if none.any():
        d, p = np.argwhere(none)[0]
        more = f", and {int(none.sum()) - 1} more" if none.sum() > 1 else ""
        warnings.warn(
            f"the result of {named_pair(counts, p)} in data set "
            f"{counts[names.DATASET].values[d].item()!r}{more} comes from the other data sets and "
            "the prior: no win and no loss there",
            skip_file_prefixes=names.PACKAGE,
        )


def read_graded(fit: Fit, question: Question) -> xr.Dataset:
    """Graded scores, from a fit of the graded model; see `fits.compare`."""
    posterior = fit.posterior
    result = table.of_differences(posterior["difference"], question, square=True)
    result = table.with_verdicts(result, question, converged=fit.diagnosis.passed)
    result = result.assign(_withheld(fit, result))
    size = without_attrs(posterior["effect_size"].mean(SAMPLES))
    result["effect_size"] = to_square(size, mirror="difference")
    for key in ("n", "n_tied", "near_ties"):
        result[key] = to_square(fit.constant[key], mirror="same")
    if "dataset_difference" in posterior:
        new = better_only(posterior["new_difference"], "new", square=True)
        by_dataset = by_label(posterior["dataset_difference"], names.DATASET, square=True)
        result = result.merge(new, join="exact").merge(by_dataset, join="exact")
    return result.assign_attrs(n_rows=int(posterior.attrs["n_rows"]))


def _withheld(fit: Fit, result: xr.Dataset) -> dict[str, xr.DataArray]:
    """Withhold verdicts where most differences are close to 0."""
    near_ties = fit.constant["near_ties"]
    flat = near_ties.values > MANY
    if flat.any():
        k = int(flat.argmax())
        a, b = (str(near_ties[side].values[k]) for side in names.SQUARE)
        more = f" (and {int(flat.sum()) - 1} more pairs)" if flat.sum() > 1 else ""
        warnings.warn(
            f"no verdict for {a!r} and {b!r}{more}: {near_ties.values[k]:.0%} of their differences "
            f"are below {NEAR:.0%} of the 90th percentile, so the typical difference would be one "
            "of all but ties; pass resolution= with the largest difference that is a tie",
            skip_file_prefixes=names.PACKAGE,
        )
    few = to_square(near_ties.copy(data=flat.astype(float)), mirror="same") == 0
    mask = without_attrs(few).reset_coords(drop=True)
    return {
        "verdict": result["verdict"].where(mask, "no_verdict"),
        "also_ahead": result["also_ahead"] & mask,
    }
