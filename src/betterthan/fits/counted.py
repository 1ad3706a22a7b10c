"""What answers from fits of counts share: draws by pair, the closed form beside, pairs without
data.
"""

from typing import Any

import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import to_square
from betterthan.posterior import closed, differences, table
from betterthan.posterior.from_draws import SAMPLES as SAMPLES
from betterthan.posterior.parameters import settled
from betterthan.posterior.table import Question


def by_label(difference: xr.DataArray, dim: str, *, square: bool) -> xr.Dataset:
    """P(A better) of each label of `dim`, as ``prob_better_<dim>`` with its error, from draws
    (chain, draw, pair, `dim`) of differences.
    """
    labels = xr.DataArray(difference[dim].values.tolist(), dims=dim, name=dim)
    each = [
        better_alone(difference.isel({dim: k}, drop=True), dim, square=square)
        for k in range(labels.size)
    ]
    return xr.concat(each, labels, join="exact")


def better_alone(difference: xr.DataArray, ending: str, *, square: bool) -> xr.Dataset:
    """P(A better) alone, as ``prob_better_<ending>`` with its error."""
    found = table.of_signs(difference, square=square).drop_vars("ess")
    return found.rename({name: str(name).replace("better", f"better_{ending}") for name in found})


def closed_answer(counts: xr.DataArray, prior: Any, asked: Question, n: xr.DataArray) -> xr.Dataset:
    """P(A better) and verdicts by the closed form: all examples alike and independent."""
    of = settled(counts, prior)
    answers = xr.Dataset({"prob_better": of.wrap(closed.better(of))})
    if asked.rope:
        mass = differences.masses(of, asked.rope)
        answers = answers.assign_coords({names.REGION: list(names.REGIONS)})
        answers["mass"] = (*answers["prob_better"].dims, names.REGION), mass
    return table.with_verdicts(without_attrs(answers), asked, n=n)[["prob_better", "verdict"]]


def as_asked(values: xr.DataArray, square: bool) -> xr.DataArray:
    """Numbers by pair that are the same of (A, B) and (B, A), in the shape of the answers."""
    plain = without_attrs(values)
    return to_square(plain, mirror="same") if square else plain


def named_pair(counts: xr.DataArray, k: int) -> str:
    """The two systems of a pair, in words."""
    return f"{counts[names.SYSTEM_A].values[k]} and {counts[names.SYSTEM_B].values[k]}"
