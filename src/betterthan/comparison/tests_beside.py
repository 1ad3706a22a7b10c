"""The frequentist tests beside a comparison: p-values of every pair, corrected for how many there
are.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.arrays import without_attrs
from betterthan.counts.picking import systems_of
from betterthan.counts.shapes import labels
from betterthan.signed import Signature
from betterthan.significance.corrections import adjusted_square
from betterthan.significance.on_clusters import OnClusters
from betterthan.significance.roster import TestContext
from betterthan.significance.signs import p_values, sign_tests


def tests_beside(given: Given, asked: Asked, clusters: OnClusters | None) -> xr.Dataset:
    """Two-sided p-values over (test, system_a, system_b), and what each test says beside.

    Where clusters are the unit of the answer, tests look at whole clusters.
    """
    plain = given.plain
    specs = asked.tests.on(plain, clustered=clusters is not None)
    raw = given.raw if clusters is None else clusters.counts
    ties = asked.ties if clusters is None else "third"  # a policy for items has been followed
    choices = TestContext(
        asked.tests, ties=ties, missing="pairwise", rng=asked.seed, clusters=clusters
    )
    signs = p_values(raw, choices.sign_ties)
    choices = replace(choices, signs=signs)
    found, met = [spec.run(plain, raw, choices) for spec in specs], _met(raw)
    p = [np.where(met, one["p_value"].transpose(*names.SQUARE).values, np.nan) for one in found]
    corrected = [adjusted_square(one, asked.tests.correction).values for one in p]
    favours = [one["favours"].transpose(*names.SQUARE).values for one in found]
    parts = {"p_value": p, "p_adjusted": corrected, "favours": favours}
    told: dict[Any, Any] = {
        name: ((names.TEST, *names.SQUARE), np.stack(values)) for name, values in parts.items()
    }
    told |= {k: v.variable for one in found for k, v in one.items() if k not in told}
    told["smallest_p"] = (names.SQUARE, signs["smallest_p"])
    if asked.ties == "all":
        every = sign_tests(given.raw, "all", alpha=asked.tests.alpha)
        told |= {"p_value_by_ties": every["p_value"], "p_flips": every["flips"]}
        told["favours_by_ties"] = every["favours"]
    systems, tests = systems_of(raw), tuple(spec.name for spec in specs)
    table = xr.Dataset(told, labels(tuple(systems), *names.SQUARE, test=tests))
    said = {k: v for one in found for k, v in one.attrs.items()}
    on = {} if clusters is None else {"tests_on": "clusters"}
    return without_attrs(table).assign_attrs(_signed(tests, asked, choices) | said | on)


def _met(raw: xr.DataArray) -> np.ndarray | bool:
    """Pairs that share something: of others there is no hypothesis, and p is nan."""
    if raw.sizes[names.OUTCOME] == 2:  # ties are unknown, and may be all there is
        return True
    n = raw.transpose(*names.SQUARE, names.OUTCOME).values.sum(-1)
    return (n > 0) | np.eye(len(n), dtype=bool)


def _signed(tests: tuple[str, ...], asked: Asked, choices: TestContext) -> dict[str, Any]:
    return Signature(
        tests=tests,
        alpha=asked.tests.alpha,
        correction=asked.tests.correction,
        sign_ties=choices.sign_ties,
    ).to_attrs()
