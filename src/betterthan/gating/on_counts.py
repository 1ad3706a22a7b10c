"""What wins, losses and ties say, in closed form: as observed, and whatever is missing."""

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


def cases_of(of: Paired) -> Cases:
    """The counts of items; a missing score may be 0 or 1.

    Examples
    --------
    >>> import xarray as xr
    >>> from betterthan.gating.ends import paired
    >>> values = [[1, 0], [1, np.nan], [0, 1], [np.nan, 1]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["old", "new"]})
    >>> cases_of(paired(scores))
    Cases(observed=(1, 1, 0), worst=(1, 2, 1), best=(2, 1, 1))
    """
    worst, best = of.low[:, 1] - of.high[:, 0], of.high[:, 1] - of.low[:, 0]
    return Cases(*(_counts(apart) for apart in (of.apart[of.scored], worst, best)))


def _counts(apart: np.ndarray) -> Counts:
    won, lost = int((apart > 0).sum()), int((apart < 0).sum())
    return won, lost, len(apart) - won - lost


def chances_of_counts(of: Cases, margin: float, threshold: float) -> Chances:
    """P(d > -margin) and P(d < 0), prior uniform."""

    def chance(counts: Counts) -> Chance:
        won, lost, tied = map(np.asarray, counts)
        passes, behind = chance_to_pass(won, lost, tied, margin), chance_behind(won, lost)
        return Chance.of(float(passes), float(behind), threshold)

    return each(of, chance)


def each(of: Cases, chance: Callable[[Counts], Chance]) -> Chances:
    """What each case says."""
    if of.observed == of.worst == of.best:
        found = chance(of.observed)
        return Chances(found, found, found)
    return Chances(chance(of.observed), chance(of.worst), chance(of.best))
