"""Repeated runs as sums on items, and how much of an error is due to the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names, schemas
from betterthan.counts.reliability import ONE_RUN
from betterthan.counts.shapes import Arrays, pair_indices
from betterthan.counts.successes import SUCCESSES, TRIALS
from betterthan.counts.units import CLUSTER, ids_of, item_ids, sums_by_unit, unit_of
from betterthan.exact.joint import units
from betterthan.exact.runs import Variances, spread_of_runs, variances

_HELD = 2**22  # numbers (item, pair) at once


@dataclass(frozen=True)
class RunSums:
    """The runs of every item, (item, system)."""

    sums: np.ndarray
    spread: np.ndarray  # their variance; nan for fewer than two
    trials: np.ndarray  # their number
    items: list[str]
    systems: list[str]
    unit: np.ndarray | None  # the cluster of each item, numbered from 0

    @classmethod
    def of(cls, data: Any) -> Self:
        """Of scores with runs, or of successes of trials.

        Raises
        ------
        ValueError
            If they are neither.
        """
        if isinstance(data, xr.Dataset) and {SUCCESSES, TRIALS} <= set(data.data_vars):
            cells = (data[key].transpose(names.ITEM, names.SYSTEM) for key in (SUCCESSES, TRIALS))
            sums, trials = (cell.values.astype(float) for cell in cells)
            spread, first = spread_of_runs(sums, sums, trials), np.arange(len(sums))
        elif isinstance(data, xr.DataArray) and set(data.dims) == {names.ITEM, names.SYSTEM}:
            data = schemas.scores(data)
            values = data.values.astype(float)
            place, distinct = pd.factorize(item_ids(data))
            sums, trials = sums_by_unit(values, place, len(distinct))
            spread = _spread(values, place, sums, trials)
            first = np.unique(place, return_index=True)[1]
        else:
            raise ValueError(
                "data are no scores (item, system); give those of repeated runs, or successes and "
                "trials of each item, see betterthan.counts.trials_from_table"
            )
        rows = data.isel({names.ITEM: first})
        unit = pd.factorize(ids_of(rows, CLUSTER))[0] if unit_of(rows) == CLUSTER else None
        systems = [str(s) for s in data[names.SYSTEM].values]
        return cls(sums, spread, trials, item_ids(rows).tolist(), systems, unit)

    @property
    def repeated(self) -> bool:
        """Whether an item was run twice."""
        return bool(self.trials.max(initial=0) > 1)

    @property
    def means(self) -> np.ndarray:
        """Mean of the runs of each item; nan without one."""
        return np.where(self.trials > 0, self.sums / np.maximum(self.trials, 1), np.nan)

    @property
    def of_mean(self) -> np.ndarray:
        """Variance of the mean of the runs of each item; of one run by the variance of others."""
        spread = self.spread
        several = ~np.isnan(spread)
        average = np.nansum(spread, 0) / np.maximum(several.sum(0), 1)
        average = np.where(several.any(0), average, np.nan)
        filled = np.where(several, spread, average)
        return np.where(self.trials > 0, filled / np.maximum(self.trials, 1), np.nan)

    @property
    def mixed(self) -> np.ndarray:
        """Whether the runs of an item differ, (item, system)."""
        return np.nan_to_num(self.spread) > 0

    @property
    def identical(self) -> np.ndarray:
        """Systems whose runs agree on every item, while items differ, (system,)."""
        alike = ~self.mixed.any(0) & (self.trials > 1).any(0)
        with np.errstate(invalid="ignore"):
            return alike & (np.nanmax(self.means, 0) > np.nanmin(self.means, 0))

    def differences(
        self, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of pairs the differences of means, the variance of one run of both systems, and that of
        the difference, (item, pair); nan where a system has no run.
        """
        means, spread, of_mean = self.means, self.spread, self.of_mean
        noise = of_mean[:, first] + of_mean[:, second]
        runs = np.where(np.isnan(noise), np.nan, spread[:, first] + spread[:, second])
        return means[:, first] - means[:, second], runs, noise

    def of_systems(self) -> tuple[Variances, np.ndarray]:
        """Variances of each system, and the standard errors of its mean for items like these."""
        of = variances(self.means, self.spread, self.of_mean)
        if self.unit is None:
            return of, of.error
        sums = units.summed(np.nan_to_num(self.means), self.unit)
        sizes = units.summed((self.trials > 0).astype(float), self.unit)
        every = units.means(sums, sizes, limits=(-np.inf, np.inf))
        return of, np.where(every.scored > 1, np.sqrt(np.diag(every.covariance)), np.nan)

    def of_pairs(self) -> tuple[Variances, np.ndarray]:
        """The same of the differences of all pairs, on the items that both systems have."""
        first, second = pair_indices(len(self.systems))
        step = max(1, _HELD // max(len(self.sums), 1))
        parts = [
            variances(*self.differences(first[k : k + step], second[k : k + step]))
            for k in range(0, len(first), step)
        ]
        columns = {k: np.concatenate([getattr(p, k) for p in parts]) for k in vars(parts[0])}
        of = Variances(**columns)
        if self.unit is None:
            return of, of.error
        counted = (self.trials > 0).astype(float)
        pairs = units.pair_means(np.nan_to_num(self.means), counted, self.unit, most=np.inf)
        return of, pairs.error


def _spread(
    values: np.ndarray, place: np.ndarray, sums: np.ndarray, trials: np.ndarray
) -> np.ndarray:
    """Variance of the runs of each item; 0 where they differ by rounding alone."""
    with np.errstate(invalid="ignore", divide="ignore"):
        off = values - (sums / trials)[place]
        rounding = names.SCORE_ULPS * np.finfo(float).eps * np.abs(values)
        off = np.where(np.abs(off) <= rounding, 0.0, off)
        squares, _ = sums_by_unit(off**2, place, len(sums))
        return np.where(trials > 1, squares / (trials - 1), np.nan)


def repeated_runs(data: Any) -> RunSums:
    """Runs of which some items have two or more.

    Raises
    ------
    ValueError
        If every item has one run.
    """
    runs = RunSums.of(data)
    if not runs.repeated:
        raise ValueError(ONE_RUN)
    return runs


def columns_of_runs(data: Any) -> Arrays:
    """Of each system ``run_number``, ``run_mixed``, ``run_error`` and ``run_error_of_runs``: mean
    runs of an item, the proportion of items whose runs differ, and the standard errors of its mean
    for items like these and for these only; nothing of single runs.
    """
    runs = RunSums.of(data)
    if not runs.repeated:
        return {}
    of, error = runs.of_systems()
    several = np.maximum((runs.trials > 1).sum(0), 1)
    columns = {
        "run_number": runs.trials.sum(0) / np.maximum(of.items, 1),
        "run_mixed": runs.mixed.sum(0) / several,
        "run_error": error,
        "run_error_of_runs": of.error_of_runs,
    }
    return {name: ((names.SYSTEM,), values) for name, values in columns.items()}
