"""Examples in clusters: the answer for the population of clusters, beside the one as if examples
were independent.
"""

import warnings

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import to_square
from betterthan.fits.counted import SAMPLES, as_asked, closed_answer, named_pair
from betterthan.models import clustered
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit, prior_in
from betterthan.posterior.table import Question


def of_clusters(fit: Fit, asked: Question) -> xr.Dataset:
    """The population of clusters, from a fit of the clustered model; see `fits.compare`."""
    counts = fit.constant["counts"]
    total = counts.sum("cluster")
    _warn_indecisive(total)
    beside = _sizes(fit, total, asked.ci_prob)
    found = table.of_differences(fit.posterior["difference"], asked, square=fit.square)
    found = table.with_verdicts(found, asked, converged=fit.diagnosis.passed, n=beside["n"])
    found = found.merge(beside, join="exact", compat="no_conflicts")
    found = found.assign_attrs(n_clusters=counts.sizes["cluster"])
    prior = prior_in(fit.posterior.attrs)
    if prior is None or isinstance(prior, str):  # of which there is no closed form beside
        return found
    shaped = to_square(total) if fit.square else total
    alone = closed_answer(shaped.astype(np.int64), prior, asked, beside["n"])
    found = found.assign({f"{name}_independent": alone[name] for name in alone})
    if "correlation" not in fit.posterior.attrs:
        found["prob_better_exact"] = _exactly(counts, prior, fit.square)
    return found


def _exactly(counts: xr.DataArray, prior: tuple[float, ...], square: bool) -> xr.DataArray:
    exact = without_attrs(clustered.closed_form(counts, prior=prior))  # by pair
    # mirrored, P(B better) is 1 - P(A better): of tails below 1e-16 closed_form itself says more
    return to_square(exact, mirror="probability", diagonal=0.5) if square else exact


def _sizes(fit: Fit, total: xr.DataArray, ci_prob: float) -> xr.Dataset:
    """How many examples, and as how many independent ones they say."""
    parts = {"n": total.sum(names.OUTCOME)}
    for key in ("design_effect", "correlation"):
        values = fit.posterior[key]
        ends = values.quantile([(1 - ci_prob) / 2, (1 + ci_prob) / 2], dim=SAMPLES)
        parts[key] = values.mean(SAMPLES)
        for k, end in enumerate(("lower", "upper")):
            parts[f"{key}_{end}"] = ends.isel(quantile=k, drop=True)
    parts["n_effective"] = parts["n"] / parts["design_effect"]
    return xr.Dataset({key: as_asked(value, fit.square) for key, value in parts.items()})


def _warn_indecisive(total: xr.DataArray) -> None:
    none = total.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME).values == 0
    if none.any():
        more = f", and {int(none.sum()) - 1} more pairs" if none.sum() > 1 else ""
        warnings.warn(
            f"{named_pair(total, int(none.argmax()))} have no win and no loss{more}: who is "
            "better there is the prior alone",
            skip_file_prefixes=names.PACKAGE,
        )
