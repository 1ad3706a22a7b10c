"""Sentences on the units of an answer: what unequal clusters are worth, and where another
reasonable answer differs.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.student import too_skewed
from betterthan.results import numbers
from betterthan.significance.on_clusters import OnClusters

HALF = 0.5  # a unit with so much of the items dominates the answer
UNEQUAL = 1.25  # sizes are unequal where there are so many times more units than they are worth
_DISAGREE = 0.1  # two-sided p-values above this do not support a verdict at 0.95
_NAMED = 3  # pairs that are listed


def worth(result: xr.Dataset) -> tuple[float, int]:
    """The effective number of units, df + 1, and how many units there are, of the pair whose
    units are worth the least for their number.
    """
    at = pair_indices(result.sizes[names.SYSTEM_A])
    df, units = (result[k].values[at] for k in ("difference_df", "n_units"))
    some = units > 1
    if not some.any():
        return float("nan"), int(units.max(initial=0))
    least = int(np.where(some, (df + 1) / np.maximum(units, 1), np.inf).argmin())
    return float(df[least] + 1), int(units[least])


def unequal(result: xr.Dataset) -> bool:
    """Whether the units are worth clearly less than as many of equal size."""
    if "difference_df" not in result:
        return False
    effective, units = worth(result)
    return bool(UNEQUAL * effective < units)


def unit_notes(
    result: xr.Dataset, given: Given, asked: Asked, clusters: OnClusters | None
) -> tuple[str, ...]:
    """The sentences that stand under the answer; none where units are single items of a count."""
    if "difference_df" not in result:
        return ()
    unit = given.unit if clusters is not None else "item"
    lines = [_skewed(result)]
    if unequal(result):
        lines += [
            _sizes(result, given, asked, clusters, f"{unit}s"),
            _each_once(result, unit, asked),
        ]
    if clusters is not None:
        lines += [_smallest(clusters, asked), _chance(result, asked)]
    return tuple(filter(None, lines))


def _sizes(
    result: xr.Dataset, given: Given, asked: Asked, clusters: OnClusters | None, units: str
) -> str:
    """How much of the data the largest units hold, and what they are worth."""
    effective, number = worth(result)
    digits = 1 if effective < 100 else 0
    told = f"the data are worth {effective:,.{digits}f} {units} of {number:,}"
    if asked.weight == "unit":
        return ""
    share = np.sort(_shares(given, clusters))[::-1]
    largest = int(np.searchsorted(share.cumsum(), HALF - 1e-12)) + 1
    held = f"{100 * share[:largest].sum():.0f}% of the items"
    if largest == 1:
        return f"One {units[:-1]} holds {held}; {told}."
    return f"The {units} are of unequal size: the {largest:,} largest hold {held}; {told}."


def _shares(given: Given, clusters: OnClusters | None) -> np.ndarray:
    """The share of each unit in the items."""
    if clusters is None:
        total = np.bincount(given.scores.unit, weights=given.scores.sizes.sum(1))
    else:
        total = np.sum([(size_a + size_b).sum(1) for _, size_a, _, size_b in clusters.sums()], 0)
    return total / total.sum()


def _each_once(result: xr.Dataset, unit: str, asked: Asked) -> str:
    """The answer of units that each count once."""
    if "unit_verdict" not in result:
        return ""
    if result.sizes[names.SYSTEM_A] == 2:
        return _once_of_two(result, unit, asked)
    at = pair_indices(result.sizes[names.SYSTEM_A])
    now, then = (result[k].values[at].astype(str) for k in ("verdict", "unit_verdict"))
    changed = np.flatnonzero(now != then)
    if not len(changed):
        return f"If each {unit} counts once, every pairwise verdict is the same."
    which = _pairs(result, changed)
    return (
        f"If each {unit} counts once, {len(changed):,} of {len(now):,} pairwise verdicts change: "
        f"{which}."
    )


def _once_of_two(result: xr.Dataset, unit: str, asked: Asked) -> str:
    """The same of two systems, the one ahead first."""
    better = result["unit_prob_better"].values
    a, b = (0, 1) if better[0, 1] >= 0.5 else (1, 0)
    first, second = (str(result[names.SYSTEM_A].values[k]) for k in (a, b))
    sizes = (result[f"unit_difference_{k}"].values[a, b] for k in ("mean", "lower", "upper"))
    mean, _, ends = numbers.difference(*map(float, sizes)).partition(" [")
    interval = f"{100 * asked.question.ci_prob:g}% {asked.question.ci_kind.upper()}"
    return (
        f"If each {unit} counts once, {first} is better than {second} with probability "
        f"{numbers.probability(better[a, b])} (difference {mean}, {interval} [{ends})."
    )


def _smallest(clusters: OnClusters, asked: Asked) -> str:
    """Where no test on clusters can reach its level."""
    number = clusters.most_decisive
    least = min(1.0, 2.0 * 0.5**number)
    if least <= asked.tests.alpha or least == 1:
        return ""
    return (
        f"{number} clusters differ, so that no test on clusters can have a p-value below "
        f"{least:.3g}."
    )


def _chance(result: xr.Dataset, asked: Asked) -> str:
    """Where swaps of whole clusters do not support a verdict."""
    tests = result[names.TEST].values.tolist() if "p_value" in result else []
    if "randomization" not in tests:
        return ""
    at = pair_indices(result.sizes[names.SYSTEM_A])
    p = result["p_value"].values[tests.index("randomization")][at]
    sided = np.isin(result["verdict"].values[at].astype(str), ("a_better", "b_better"))
    reachable = result["smallest_p"].values[at] <= _DISAGREE
    against = np.flatnonzero(sided & reachable & (p > _DISAGREE))
    if not len(against):
        return ""
    p_of = ", ".join(f"{p[k]:.2g}" for k in against[:_NAMED])
    return (
        f"Swapping whole clusters does as well by chance (p = {p_of}): {_pairs(result, against)}."
    )


def _skewed(result: xr.Dataset) -> str:
    """Pairs whose differences are too skewed for so few items."""
    if "difference_skewness" not in result:
        return ""
    at = pair_indices(result.sizes[names.SYSTEM_A])
    held: dict[str, Any] = {k: result[k].values[at] for k in ("difference_skewness", "n_units")}
    differ = result["counts"].isel({names.OUTCOME: slice(2)}).sum(names.OUTCOME).values[at]
    there = result["difference_error"].values[at] > 0
    skewed = too_skewed(held["difference_skewness"], held["n_units"], differ) & there
    found = np.flatnonzero(skewed)
    if not len(found):
        return ""
    pairs = f"in {len(found):,} of {len(skewed):,} pairs" if len(skewed) > 1 else "here"
    which = f" ({_pairs(result, found)})" if len(skewed) > 1 else ""
    return (
        f"Differences of so few items are too skewed for Student's t {pairs}{which}: verdicts and "
        "intervals are wrong more often than stated."
    )


def _pairs(result: xr.Dataset, at: np.ndarray) -> str:
    """Names of pairs, the first few."""
    systems = [str(s) for s in result[names.SYSTEM_A].values]
    first, second = pair_indices(len(systems))
    said = [f"{systems[first[k]]} and {systems[second[k]]}" for k in at[:_NAMED].tolist()]
    more = f" and {len(at) - _NAMED:,} more" if len(at) > _NAMED else ""
    return "; ".join(said) + more
