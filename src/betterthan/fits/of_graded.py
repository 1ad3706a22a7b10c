"""Graded scores: the typical difference of two systems, from a fit of the paired differences."""

import warnings

import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.graded_pairs import MANY, NEAR
from betterthan.counts.shapes import to_square
from betterthan.fits.counted import SAMPLES, better_only, by_label
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit
from betterthan.posterior.table import Question


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
        more = f", and so for {int(flat.sum()) - 1} more pairs" if flat.sum() > 1 else ""
        warnings.warn(
            f"{near_ties.values[k]:.0%} of the differences of {a!r} and {b!r} are below {NEAR:.0%} "
            f"of their 90th percentile{more}: no verdict there, for the typical difference would "
            "be one of all but ties; say with resolution= up to where differences are ties",
            skip_file_prefixes=names.PACKAGE,
        )
    few = to_square(near_ties.copy(data=flat.astype(float)), mirror="same") == 0
    mask = without_attrs(few).reset_coords(drop=True)
    return {
        "verdict": result["verdict"].where(mask, "no_verdict"),
        "also_ahead": result["also_ahead"] & mask,
    }
