"""Bounds on each item's mean score, of both sides, when some of its runs are missing."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.units import CLUSTER, ids_of, item_ids, unit_of
from betterthan.posterior.open_scores import planned_bounds, score_limits


@dataclass(frozen=True)
class Paired:
    """Both sides on all items that either has; column 0 is the baseline, 1 the candidate.

    Attributes
    ----------
    ids : list of str
        Of the items, in the order of the baseline.
    low, high, mean : numpy.ndarray, (item, side)
        The least and the most that the mean of an item's runs can be, and the mean of those that
        are scored, nan where none is; more is better.
    unit : numpy.ndarray of int, (item,)
        Which unit of evidence each item belongs to.
    per : {"item", "cluster"}
        What a unit is.
    runs : int
        The most runs that an item has.
    gone : int
        Scores that are missing, of both sides.
    binary : bool
        Whether every score is 0 or 1.
    limits : two float
        The smallest and the largest score there can be, more being better.
    higher_is_better : bool
    """

    ids: list[str]
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    unit: np.ndarray
    per: str
    runs: int
    gone: int
    binary: bool
    limits: tuple[float, float]
    higher_is_better: bool

    @property
    def units(self) -> int:
        """Their number."""
        return int(self.unit.max(initial=-1)) + 1

    @property
    def scored(self) -> np.ndarray:
        """Items that both sides have a score on, (item,)."""
        return ~np.isnan(self.mean).any(1)

    @property
    def differences(self) -> np.ndarray:
        """Candidate - baseline on each item, nan where a score is missing."""
        return self.mean[:, 1] - self.mean[:, 0]

    @property
    def counted(self) -> bool:
        """Whether items are wins, losses and ties: scored 0 or 1, once, and standing alone."""
        return self.binary and self.runs == 1 and self.per == names.ITEM

    @property
    def shares(self) -> bool:
        """Whether every score lies within 0 and 1, so that a margin is a share."""
        return set(map(abs, self.limits)) == {0.0, 1.0}


def paired(scores: xr.DataArray) -> Paired:
    """Scores of two systems, baseline and candidate in this order, as ends.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        NaN is missing. Of items that were run several times each run may be.

    Examples
    --------
    >>> values = [[1, 0], [1, np.nan], [0, 1]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["old", "new"]})
    >>> found = paired(scores)
    >>> found.low[1].tolist(), found.high[1].tolist(), found.differences.tolist()
    ([1.0, 0.0], [1.0, 1.0], [-1.0, nan, 1.0])
    """
    low, high, _ = score_limits(scores, None)
    better = bool(scores.attrs.get("higher_is_better", True))
    limits = (low, high) if better else (-high, -low)
    bounds, planned, place = planned_bounds(scores, (low, high))
    values = scores.values.astype(float)
    return Paired(
        [str(i) for i in pd.unique(item_ids(scores))],
        bounds.low,
        bounds.high,
        bounds.observed,
        unit=_units(scores, place),
        per=unit_of(scores, None),
        runs=int(planned.max()),
        gone=int(bounds.missing.sum()),
        binary=bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()),
        limits=limits,
        higher_is_better=better,
    )


def _units(scores: xr.DataArray, place: np.ndarray) -> np.ndarray:
    """The unit of evidence of each item: its cluster, where they come in clusters."""
    first = np.unique(place, return_index=True)[1]
    if unit_of(scores, None) != CLUSTER:
        return np.arange(len(first))
    return np.asarray(pd.factorize(ids_of(scores, CLUSTER)[first])[0])
