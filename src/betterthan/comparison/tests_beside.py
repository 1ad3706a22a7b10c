"""The frequentist tests beside a comparison: p-values of every pair, corrected for how many there
are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.scoring import apply_missing
from betterthan.significance.corrections import adjust
from betterthan.significance.randomizing import randomization_test
from betterthan.significance.signs import sign_test

_TWO_VALUED = 2  # scores of two values: randomizing their mean is the sign test


def chosen_tests(tests: Sequence[str] | None, data: xr.DataArray) -> tuple[str, ...]:
    """The tests asked for; by default the sign test, and randomization where it can say something
    else.
    """
    scored = names.ITEM in data.dims
    if tests is None:
        graded = names.TALLY in data.dims or (
            scored and np.unique(data.values[~np.isnan(data.values)]).size > _TWO_VALUED
        )
        return ("sign", "randomization") if graded else ("sign",)
    tests = (tests,) if isinstance(tests, str) else tuple(tests)
    for test in tests:
        checks.one_of(test, names.TESTS, "tests")
    checks.unique(tests, "test")
    if "randomization" in tests and not scored:
        raise ValueError(
            "randomization swaps the responses to single items; these are counts, so ask for sign "
            "alone"
        )
    return tests


def p_values_beside(
    data: xr.DataArray,
    raw: xr.DataArray,
    *,
    tests: Sequence[str],
    ties: str,
    missing: str,
    alpha: float,
    correction: str,
    shuffles: int,
    rng: Any,
) -> xr.Dataset:
    """Two-sided p-values over (test, system_a, system_b) of the counts `raw`, or for randomization
    of the data.
    """
    policy = "drop" if ties in ("third", "all") else ties
    found: list[xr.DataArray] = []
    table, attrs = xr.Dataset(), {"alpha": alpha, "correction": correction, "sign_ties": policy}
    signs = sign_test(raw, ties=policy, alpha=alpha)
    for test in tests:
        if test == "randomization":
            swapped = randomization_test(
                apply_missing_to(data, missing), shuffles=shuffles, rng=rng
            )
            attrs |= {
                f"randomization_{k}": swapped.attrs[k] for k in ("method", "reason", "statistic")
            }
            if swapped.attrs["sampled"]:
                attrs |= {"shuffles": shuffles, "shuffle_seed": swapped.attrs["seed"]}
                table["exceedances"], table["p_value_mcse"] = (
                    swapped["exceedances"],
                    swapped["p_value_mcse"],
                )
            table["swapped_difference"] = swapped["difference"]
            found.append(swapped["p_value"])
        elif test == "trinomial":
            schemas.ties_known(raw, "the trinomial test")
            found.append(sign_test(raw, ties="third", alpha=alpha)["p_value"])
        else:
            found.append(signs["mid_p" if test == "mid_p" else "p_value"])
    labels = xr.DataArray(list(tests), dims=names.TEST, name=names.TEST)
    p = xr.concat(
        [f.drop_attrs() for f in found], labels, join="exact", coords="minimal", compat="override"
    )
    table["p_value"] = p.transpose(names.TEST, *names.SQUARE)
    adjusted = [adjust(p.isel({names.TEST: k}), correction=correction) for k in range(len(tests))]
    table["p_adjusted"] = xr.concat(
        adjusted, labels, join="exact", coords="minimal", compat="override"
    )
    table["smallest_p"] = signs["smallest_p"]
    if ties == "all":
        every = sign_test(raw, ties="all", alpha=alpha)
        table["p_value_by_ties"], table["p_flips"] = every["p_value"], every["flips"]
    table = table.drop_attrs()
    table.attrs = attrs | {"tests": ", ".join(tests)}
    return table


def apply_missing_to(data: xr.DataArray, missing: str) -> xr.DataArray:
    """Scores under the policy for missing ones; tallies as they are, as none can be missing."""
    return data if names.TALLY in data.dims else apply_missing(schemas.scores(data), missing)
