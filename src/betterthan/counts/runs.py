"""Repeated runs: successes of each system on each item, pass^k and pass@k, and run noise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.judgments import unconnected_systems
from betterthan.counts.shapes import Arrays, origin, pair_indices
from betterthan.counts.units import (
    CLUSTER,
    LACKING,
    LEAST,
    MOST,
    ids_of,
    item_ids,
    one_unit_an_item,
    planned_runs,
    sums_by_unit,
    unit_of,
)
from betterthan.exact.joint import units
from betterthan.exact.runs import Variances, drawn, share_of_runs, spread_of_runs, variances
from betterthan.io.problems import listed, require_columns

SUCCESSES, TRIALS, PLANNED = "successes", "trials", "planned"
_CELL = (names.ITEM, names.SYSTEM)


@checks.one_system()
def trials(scores: xr.DataArray) -> xr.Dataset:
    """Count the successes of every system on repeated runs of each item.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores of 0 and 1, with NaN for a missing one. Rows of one item (and dataset) in several
        epochs are its trials.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), with the coordinates dataset and cluster of the
        items; where runs have no score, also ``planned``, the trials there were to be.

    Raises
    ------
    ValueError
        If the data are not scores, or not all 0 and 1.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 1], [0, 0], [1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"item": ["q1", "q1", "q2", "q2"], "system": ["A", "B"]},
    ... ).assign_coords(epoch=("item", [1, 2, 1, 2]))
    >>> trials(scores)["successes"].values.tolist()
    [[2, 1], [1, 0]]
    """
    scores = schemas.scores(scores)
    values = scores.values.astype(float)
    odd = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if odd.any():
        raise ValueError(
            f"a score is {values[odd][0]:g}; successes are 0 or 1 (of graded scores, see "
            "betterthan.models.graded)"
        )
    values = values if scores.attrs.get("higher_is_better", True) else 1 - values
    place, distinct = pd.factorize(item_ids(scores))
    right, tried = sums_by_unit(values, place, len(distinct))
    if CLUSTER in scores.coords:
        one_unit_an_item(item_ids(scores), ids_of(scores, CLUSTER), CLUSTER)
    first = np.unique(place, return_index=True)[1]
    coords: dict[str, Any] = {names.SYSTEM: [str(s) for s in scores[names.SYSTEM].values]}
    for key in (names.ITEM, names.DATASET, CLUSTER):
        if key in scores.coords:
            coords[key] = (names.ITEM, scores[key].values[first])
    planned = planned_runs(scores)[2]
    if (planned > tried).any():
        coords[PLANNED] = _CELL, planned
    cells = {SUCCESSES: (_CELL, right.astype(np.int64)), TRIALS: (_CELL, tried.astype(np.int64))}
    return xr.Dataset(cells, coords=coords, attrs=origin(scores))


@checks.one_system()
def trials_from_table(
    table: pd.DataFrame,
    *,
    item: str = names.ITEM,
    system: str = names.SYSTEM,
    successes: str = SUCCESSES,
    trials: str = TRIALS,
) -> xr.Dataset:
    """Read successes of trials from a table with one row for each system and item.

    Parameters
    ----------
    table : pandas.DataFrame
        Table of successes and trials.
    item, system, successes, trials : str
        Names of its columns. A system without a row for an item has no trial of it.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), with the columns cluster and dataset, if there
        are, as coordinates of the items.

    Raises
    ------
    ValueError
        If a column is missing, a number is negative or not whole, successes exceed trials, a row
        is there twice, or an item is in two clusters or data sets.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     {"system": ["A", "B"], "item": ["q1", "q1"], "successes": [4, 2], "trials": [5, 5]}
    ... )
    >>> trials_from_table(table)["successes"].values.tolist()
    [[4, 2]]
    """
    checks.of_type(table, pd.DataFrame, "table is", "pandas.DataFrame")
    columns = (item, system, successes, trials)
    require_columns(table, columns)
    groups = [k for k in (CLUSTER, names.DATASET) if k in table.columns and k not in columns]
    for column in (*columns, *groups):
        blank = np.flatnonzero(table[column].isna().to_numpy())
        if len(blank):
            raise ValueError(f"column {column!r}, row {table.index[blank[0]]}: blank; give a value")
    ids = pd.DataFrame({k: table[k].astype(str).str.strip() for k in (item, system)})
    again = np.flatnonzero(ids.duplicated().to_numpy())
    if len(again):
        row: Any = ids.iloc[again[0]]
        raise ValueError(
            f"row {ids.index[again[0]]}: system {row[system]!r} has a row for item "
            f"{row[item]!r} already"
        )
    labelled = ids.rename(columns={item: names.ITEM, system: names.SYSTEM})
    result = _arranged(labelled, {SUCCESSES: table[successes], TRIALS: table[trials]})
    trials_of(result)
    _, first = np.unique(pd.factorize(ids[item])[0], return_index=True)
    for group in groups:
        labels = table[group].astype(str).str.strip().to_numpy()
        one_unit_an_item(ids[item].to_numpy(), labels, group)
        result = result.assign_coords({group: (names.ITEM, labels[first])})
    items, systems = (result.sizes[dim] for dim in (names.ITEM, names.SYSTEM))
    read = f"DataFrame read as trials: {items} items x {systems} systems, successes of trials"
    read += "".join(f", {group} from column {group!r}" for group in groups)
    ignored = [str(k) for k in table.columns if k not in (*columns, *groups)]
    read += f", ignored columns {listed(ignored)}" if ignored else ""
    return result.assign_attrs(source="DataFrame", reading=read)


def _arranged(ids: pd.DataFrame, columns: dict[str, Any]) -> xr.Dataset:
    """Arrange numbers (item, system), with zeros for absent rows."""
    (item_codes, items), (system_codes, systems) = (pd.factorize(ids[key]) for key in _CELL)
    variables = {}
    for key, column in columns.items():
        values = np.zeros((len(items), len(systems)), dtype=np.int64)
        numbers = checks.nonnegative_integers(column.to_numpy(), str(column.name))
        values[item_codes, system_codes] = numbers
        variables[key] = (_CELL, values)
    return xr.Dataset(variables, coords={names.ITEM: list(items), names.SYSTEM: list(systems)})


def trials_of(data: Any) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Successes and trials (item, system), the items and the systems of scores or of a Dataset of
    trials.

    Raises
    ------
    ValueError
        If the data are neither, successes exceed trials, or systems are not connected by items.
    """
    if not isinstance(data, xr.Dataset | xr.DataArray):
        raise ValueError(
            f"data is {checks.quoted(data)}; give scores (item, system), see betterthan.read, or "
            f"betterthan.counts.trials"
        )
    if isinstance(data, xr.Dataset):
        if not {SUCCESSES, TRIALS} <= set(data.data_vars):
            raise ValueError(
                "expected successes and trials (item, system); see betterthan.counts.trials"
            )
        table = data
    else:
        table = trials(data)
    successes, tried = (
        checks.nonnegative_integers(table[k].transpose(*_CELL).values, k)
        for k in (SUCCESSES, TRIALS)
    )
    systems = [str(s) for s in table[names.SYSTEM].values]
    checks.several_systems(systems)
    items = item_ids(table).tolist()
    checks.unique(items, "item")
    _need_possible(successes, tried, items, systems)
    return successes, tried, items, systems


def _need_possible(
    successes: np.ndarray, tried: np.ndarray, items: list[str], systems: list[str]
) -> None:
    """Refuse more successes than trials, and systems that no item connects with the others."""
    if (successes > tried).any():
        i, s = np.argwhere(successes > tried)[0]
        raise ValueError(
            f"{systems[s]!r} has {successes[i, s]} successes of {tried[i, s]} trials on item "
            f"{items[i]!r}; successes cannot exceed trials"
        )
    unconnected = unconnected_systems((tried > 0).T.astype(float) @ (tried > 0), systems)
    if unconnected:
        raise ValueError(
            f"{unconnected} shares no item with the other systems, so they cannot be compared; "
            "check the item ids"
        )


_NAME = re.compile(r"pass\s*([\^@])\s*(\d+)")
_KINDS = {"^": "all", "@": "any"}
ONE_RUN = "one run per item says nothing about run-to-run noise; run each item twice or more"


@dataclass(frozen=True)
class Reliability:
    """Whether all of k runs of an item succeed (pass^k), or any (pass@k)."""

    k: int
    kind: str = "all"

    @classmethod
    def parse(cls, quantity: Any) -> Self | None:
        """Of a quantity's name, such as "pass^3"; None for another quantity."""
        match = _NAME.fullmatch(quantity.strip()) if isinstance(quantity, str) else None
        if match is None:
            return None
        return cls(checks.whole(int(match[2]), "k of pass^k"), _KINDS[match[1]])

    @property
    def name(self) -> str:
        """Such as "pass^3"."""
        return f"pass{'^' if self.kind == 'all' else '@'}{self.k}"

    def scores(self, data: xr.Dataset, at_least: int = 1) -> xr.DataArray:
        """Chance of each item that k of its runs succeed, (item, system), without bias; nan for
        fewer than `at_least`, or k, runs.

        Raises
        ------
        ValueError
            If a system has no item with so many runs.
        """
        successes, tried = (data[key].transpose(*_CELL).values for key in (SUCCESSES, TRIALS))
        values = drawn(successes, tried, self.k, self.kind)
        values[tried < at_least] = np.nan
        none = np.isnan(values).all(0)
        if none.any():
            needed, system = max(self.k, at_least), str(data[names.SYSTEM].values[none][0])
            raise ValueError(
                f"{self.name} needs {needed} runs of an item, and {system!r} has at most "
                f"{int(tried[:, none].max())}; pass a smaller k, or see bt.runs.reliability for "
                "bounds"
            )
        attrs = data.attrs | {"reliability": self.name}
        chances = xr.DataArray(values, dims=_CELL, coords=data.coords, attrs=attrs)
        if PLANNED not in data.coords:
            return chances
        lacking = np.maximum(data[PLANNED].transpose(*_CELL).values - tried, 0)
        least, most = (
            drawn(successes + more, tried + lacking, self.k, self.kind) for more in (0, lacking)
        )
        few = np.isnan(least)  # planned runs, too
        ends = {LEAST: np.where(few, 0.0, least), MOST: np.where(few, 1.0, most)}
        ends[LACKING] = np.maximum(lacking, np.isnan(values))
        return chances.drop_vars(PLANNED).assign_coords({k: (_CELL, v) for k, v in ends.items()})


def _are_trials(data: Any) -> bool:
    """Whether these are successes of trials, or else scores (item, system)."""
    if isinstance(data, xr.Dataset) and {SUCCESSES, TRIALS} <= set(data.data_vars):
        return True
    if not isinstance(data, xr.DataArray) or set(data.dims) != set(_CELL):
        raise ValueError(
            "data are no scores (item, system); give those of repeated runs, or successes and "
            "trials of each item, see betterthan.counts.trials_from_table"
        )
    return False


BINARY_RUNS = "write each run as 1 or 0"  # where success= is no option


def successes_of(
    data: Any,
    success: float | None = None,
    right: str = "pass success=, the least score that is a success,",
) -> xr.Dataset:
    """Successes and trials (item, system) of scores with runs, or as they are.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system), or successes and trials.
    success : float, optional
        The least score that is a success (the largest, where lower is better).
    right : str
        What the caller advises where it is needed.

    Raises
    ------
    ValueError
        If scores are not 0 and 1 and `success` is not passed, or data are of another kind.
    """
    if _are_trials(data):
        if success is not None:
            raise ValueError("success= is for scores, and these are successes; leave it out")
        return data
    data = schemas.without_codes(data)
    values = data.values.astype(float)
    if success is not None:
        success = checks.real(success, "success")
        higher = data.attrs.get("higher_is_better", True)
        passed = np.where(
            np.isnan(values), np.nan, values >= success if higher else values <= success
        )
        data = data.copy(data=passed).assign_attrs(origin(data) | {"higher_is_better": True})
    odd = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if success is None and odd.any():
        item, system = np.argwhere(odd)[0]
        raise ValueError(
            f"the score of {str(data[names.SYSTEM].values[system])!r} in row {item + 1} is "
            f"{values[item, system]:g}; runs succeed or fail: {right} or compare means"
        )
    return trials(data)


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
        if _are_trials(data):
            cells = (data[key].transpose(*_CELL) for key in (SUCCESSES, TRIALS))
            sums, trials = (cell.values.astype(float) for cell in cells)
            spread, first = spread_of_runs(sums, sums, trials), np.arange(len(sums))
        else:
            data = schemas.scores(data)
            values = data.values.astype(float)
            place, distinct = pd.factorize(item_ids(data))
            sums, trials = sums_by_unit(values, place, len(distinct))
            spread = _spread(values, place, sums, trials)
            first = np.unique(place, return_index=True)[1]
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
        of = self._without_rounding(variances(self.means, self.spread, self.of_mean))
        if self.unit is None:
            return of, of.error
        sums = units.summed(np.nan_to_num(self.means), self.unit)
        sizes = units.summed((self.trials > 0).astype(float), self.unit)
        every = units.means(sums, sizes, limits=(-np.inf, np.inf))
        return of, np.where(every.scored > 1, np.sqrt(np.diag(every.covariance)), np.nan)

    def of_pairs(self) -> tuple[Variances, np.ndarray]:
        """The same of the differences of all pairs, on the items that both systems have."""
        parts = [variances(*columns) for columns in self._differences()]
        columns = {k: np.concatenate([getattr(p, k) for p in parts]) for k in vars(parts[0])}
        of = self._without_rounding(Variances(**columns))
        if self.unit is None:
            return of, of.error
        counted = (self.trials > 0).astype(float)
        pairs = units.pair_means(np.nan_to_num(self.means), counted, self.unit, most=np.inf)
        return of, pairs.error

    def _without_rounding(self, variances: Variances) -> Variances:
        """Variances, those that rounding of the scores alone leaves as 0."""
        size = np.nanmax(np.abs(self.means), initial=0.0)
        least = (names.SCORE_ULPS * np.finfo(float).eps * size) ** 2
        total = np.where(variances.total <= least, 0.0, variances.total)
        return replace(variances, total=total)

    def shares_of_runs(self, prob: float, *, pairs: bool) -> list[np.ndarray]:
        """Limits of the share of the runs in the variance of each mean, or of the difference of
        each pair, over independent items.
        """
        parts: Any = self._differences() if pairs else [(self.means, self.spread, self.of_mean)]
        limits = [share_of_runs(means, of_mean, prob) for means, _, of_mean in parts]
        return [np.concatenate(ends) for ends in zip(*limits, strict=True)]

    def _differences(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The differences of all pairs, some at a time."""
        first, second = pair_indices(len(self.systems))
        step = max(1, _HELD // max(len(self.sums), 1))
        for k in range(0, len(first), step):
            yield self.differences(first[k : k + step], second[k : k + step])


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
