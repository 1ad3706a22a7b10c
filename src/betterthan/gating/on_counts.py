"""Closed-form probabilities from wins, losses and ties: as observed, and in the extreme cases of
missing scores.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from betterthan.gating.boundaries import chance_behind, chance_to_pass
from betterthan.gating.ends import Paired
from betterthan.gating.rule import Chance, Chances

Counts = tuple[int, int, int]


@dataclass(frozen=True)
class Cases:
    """Wins, losses and ties of the candidate: as observed, in the worst and in the best case."""

    observed: Counts
    worst: Counts
    best: Counts


def count_cases(pairs: Paired) -> Cases:
    """Count wins, losses and ties of the items; a missing score may be 0 or 1.

    Examples
    --------
    >>> import xarray as xr
    >>> from betterthan.gating.ends import paired
    >>> values = [[1, 0], [1, np.nan], [0, 1], [np.nan, 1]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["old", "new"]})
    >>> count_cases(paired(scores))
    Cases(observed=(1, 1, 0), worst=(1, 2, 1), best=(2, 1, 1))
    """
    worst, best = pairs.low[:, 1] - pairs.high[:, 0], pairs.high[:, 1] - pairs.low[:, 0]
    return Cases(
        *(_counts(differences) for differences in (pairs.differences[pairs.scored], worst, best))
    )


def _counts(differences: np.ndarray) -> Counts:
    won, lost = int((differences > 0).sum()), int((differences < 0).sum())
    return won, lost, len(differences) - won - lost


def count_chances(cases: Cases, margin: float, threshold: float) -> Chances:
    """Compute P(d > -margin) and P(d < 0) under a uniform prior."""

    def chance(counts: Counts) -> Chance:
        won, lost, tied = map(np.asarray, counts)
        passes, behind = chance_to_pass(won, lost, tied, margin), chance_behind(won, lost)
        return Chance.at_threshold(float(passes), float(behind), threshold)

    return evaluate_cases(cases, chance)


def evaluate_cases(cases: Cases, chance: Callable[[Counts], Chance]) -> Chances:
    """Evaluate `chance` for each case."""
    if cases.observed == cases.worst == cases.best:
        result = chance(cases.observed)
        return Chances(result, result, result)
    return Chances(chance(cases.observed), chance(cases.worst), chance(cases.best))
