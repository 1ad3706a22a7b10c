"""The frequentist tests beside a comparison: p-values of every pair, corrected for how many there
are.
"""

from typing import Any

import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.signed import Signature
from betterthan.significance.corrections import adjust
from betterthan.significance.roster import Beside
from betterthan.significance.signs import signs_of


def tests_beside(given: Given, asked: Asked) -> xr.Dataset:
    """Two-sided p-values over (test, system_a, system_b), and what each test says beside."""
    plain = given.plain
    specs = asked.tests.on(plain)
    choices = Beside(asked.tests, ties=asked.ties, missing="pairwise", rng=asked.seed)
    found = [spec.of(plain, given.raw, choices) for spec in specs]
    labels = xr.DataArray([spec.name for spec in specs], dims=names.TEST, name=names.TEST)
    p = _stacked([one["p_value"] for one in found], labels)
    table = xr.Dataset({"p_value": p.transpose(names.TEST, *names.SQUARE)})
    corrected = [adjust(one["p_value"], correction=asked.tests.correction) for one in found]
    table["p_adjusted"] = _stacked(corrected, labels)
    table["favours"] = _stacked([one["favours"] for one in found], labels)
    table = table.assign({k: v for one in found for k, v in one.items() if k not in table})
    table["smallest_p"] = signs_of(given.raw, choices.sign_ties)["smallest_p"]
    if asked.ties == "all":
        every = signs_of(given.raw, "all", alpha=asked.tests.alpha)
        table["p_value_by_ties"], table["p_flips"] = every["p_value"], every["flips"]
        table["favours_by_ties"] = every["favours"]
    said = {k: v for one in found for k, v in one.attrs.items()}
    tests = tuple(spec.name for spec in specs)
    return table.drop_attrs().assign_attrs(_signed(tests, asked, choices) | said)


def _signed(tests: tuple[str, ...], asked: Asked, choices: Beside) -> dict[str, Any]:
    return Signature(
        tests=tests,
        alpha=asked.tests.alpha,
        correction=asked.tests.correction,
        sign_ties=choices.sign_ties,
    ).to_attrs()


def _stacked(found: list[xr.DataArray], labels: xr.DataArray) -> xr.DataArray:
    plain = [one.drop_attrs() for one in found]
    return xr.concat(plain, labels, join="exact", coords="minimal", compat="override")
