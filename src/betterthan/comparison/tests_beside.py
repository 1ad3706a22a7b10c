"""The frequentist tests beside a comparison: p-values of every pair, corrected for how many there
are.
"""

import xarray as xr

from betterthan import names
from betterthan.signed import Signature
from betterthan.significance.corrections import adjust
from betterthan.significance.roster import Beside, TestSpec
from betterthan.significance.signs import sign_test


def p_values_beside(
    data: xr.DataArray, raw: xr.DataArray, specs: tuple[TestSpec, ...], choices: Beside
) -> xr.Dataset:
    """Two-sided p-values over (test, system_a, system_b) of the counts `raw`, or for randomization
    of the data.
    """
    tests = choices.tests
    found = [spec.of(data, raw, choices) for spec in specs]
    each = [one["p_value"] for one in found]
    table = xr.merge(
        [one.drop_vars("p_value") for one in found], join="exact", combine_attrs="no_conflicts"
    )
    table["p_value"] = _stacked(each, specs)
    table["p_adjusted"] = _stacked([adjust(p, correction=tests.correction) for p in each], specs)
    signs = sign_test(raw, ties=choices.sign_ties, alpha=tests.alpha)
    table["smallest_p"] = signs["smallest_p"]
    if choices.ties == "all":
        every = sign_test(raw, ties="all", alpha=tests.alpha)
        table["p_value_by_ties"], table["p_flips"] = every["p_value"], every["flips"]
    made = Signature(alpha=tests.alpha, correction=tests.correction, sign_ties=choices.sign_ties)
    said = {"tests": ", ".join(spec.name for spec in specs)}
    return table.drop_attrs().assign_attrs(made.to_attrs() | table.attrs | said)


def _stacked(each: list[xr.DataArray], specs: tuple[TestSpec, ...]) -> xr.DataArray:
    labels = xr.DataArray([spec.name for spec in specs], dims=names.TEST, name=names.TEST)
    stacked = xr.concat(
        [p.drop_attrs() for p in each], labels, join="exact", coords="minimal", compat="override"
    )
    return stacked.transpose(names.TEST, *names.SQUARE)
