"""Graded scores: by how much a system exceeds another, from a fit of the paired differences."""

import xarray as xr

from betterthan import names
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
    size = posterior["effect_size"].mean(SAMPLES).drop_attrs()
    found["effect_size"] = to_square(size, mirror="difference")
    for key in ("n", "n_tied"):
        found[key] = to_square(fit.constant[key], mirror="same")
    if "dataset_difference" in posterior:
        new = better_alone(posterior["new_difference"], "new", square=True)
        each = by_label(posterior["dataset_difference"], names.DATASET, square=True)
        found = found.merge(new, join="exact").merge(each, join="exact")
    return found.assign_attrs(n_rows=int(posterior.attrs["n_rows"]))
