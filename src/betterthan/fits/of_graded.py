"""Graded scores: the typical difference of two systems, from a fit of the paired differences."""

import warnings

import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.graded_pairs import MANY, NEAR
from betterthan.counts.shapes import to_square
from betterthan.fits.counted import SAMPLES, better_alone, by_label
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit
from betterthan.posterior.table import Question


def of_graded(fit: Fit, asked: Question) -> xr.Dataset:
    """Graded scores, from a fit of the graded model; see `fits.compare`."""
    posterior = fit.posterior
    found = table.of_differences(posterior["difference"], asked, square=True)
    found = table.with_verdicts(found, asked, converged=fit.diagnosis.passed)
    found = found.assign(_withheld(fit, found))
    size = without_attrs(posterior["effect_size"].mean(SAMPLES))
    found["effect_size"] = to_square(size, mirror="difference")
    for key in ("n", "n_tied", "near_ties"):
        found[key] = to_square(fit.constant[key], mirror="same")
    if "dataset_difference" in posterior:
        new = better_alone(posterior["new_difference"], "new", square=True)
        each = by_label(posterior["dataset_difference"], names.DATASET, square=True)
        found = found.merge(new, join="exact").merge(each, join="exact")
    return found.assign_attrs(n_rows=int(posterior.attrs["n_rows"]))


def _withheld(fit: Fit, found: xr.Dataset) -> dict[str, xr.DataArray]:
    """Verdicts, but not where differences next to nothing would be the typical ones."""
    near = fit.constant["near_ties"]
    flat = near.values > MANY
    if flat.any():
        k = int(flat.argmax())
        a, b = (str(near[side].values[k]) for side in names.SQUARE)
        more = f", and so for {int(flat.sum()) - 1} more pairs" if flat.sum() > 1 else ""
        warnings.warn(
            f"{near.values[k]:.0%} of the differences of {a!r} and {b!r} are below {NEAR:.0%} of "
            f"their 90th percentile{more}: no verdict there, for the typical difference would be "
            "one of all but ties; say with resolution= up to where differences are ties",
            skip_file_prefixes=names.PACKAGE,
        )
    few = to_square(near.copy(data=flat.astype(float)), mirror="same") == 0
    kept = without_attrs(few).reset_coords(drop=True)
    return {
        "verdict": found["verdict"].where(kept, "no_verdict"),
        "also_ahead": found["also_ahead"] & kept,
    }
