"""Examples in clusters: the answer for the population of clusters, beside the one as if examples
were independent.
"""

import warnings

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import to_square
from betterthan.fits.counted import SAMPLES, closed_answer, named_pair, to_shape
from betterthan.models import clustered
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit, prior_in
from betterthan.posterior.table import Question


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
            f"{named_pair(total, int(none.argmax()))} have no win and no loss{more}: who is "
            "better there is the prior alone",
            skip_file_prefixes=names.PACKAGE,
        )
