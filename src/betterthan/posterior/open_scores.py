"""Scores of which some are missing: between which numbers each of them lies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks
from betterthan.counts.scoring import oriented
from betterthan.counts.units import item_ids

PER = ("item", "run")


@dataclass(frozen=True)
class ScoreBounds:
    """Bounds of the score of each item, (item, system); more is better."""

    low: np.ndarray
    high: np.ndarray
    observed: np.ndarray  # NaN where missing
    missing: np.ndarray  # how many scores are

    @property
    def open(self) -> np.ndarray:
        """Items with some score that is not fixed by the data, (item,)."""
        return (self.low < self.high).any(1) | np.isnan(self.observed).any(1)


def score_limits(scores: xr.DataArray, limits: Sequence[float] | None) -> tuple[float, float, str]:
    """Smallest and largest possible score, and where they come from."""
    values = scores.values.astype(float)
    if np.isnan(values).all():
        raise ValueError("scores hold not one score; there is nothing to bound")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if limits is None:
        share = low >= 0 and high <= 1
        return (0.0, 1.0, "scores within 0 and 1") if share else (low, high, "the scores there are")
    try:
        first, last = (checks.real(x, "limits") for x in limits)
    except (TypeError, ValueError):
        raise ValueError(f"limits is {checks.shown(limits)}; give two numbers") from None
    if not (np.isfinite([first, last]).all() and first <= low and high <= last):
        raise ValueError(
            f"limits are {first:g} and {last:g}, but the scores run from {low:g} to {high:g}; give "
            "the smallest and the largest score that there can be"
        )
    return first, last, "given"


def item_bounds(
    scores: xr.DataArray, limits: tuple[float, float], per: str, runs: int | None
) -> ScoreBounds:
    """Bounds of each item, of which several rows may be runs.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    limits : two float
        As the scores stand.
    per : {"item", "run"}
        What may be missing: items without any score, or each of the planned runs.
    runs : int or None
        How many were planned, where that is known.
    """
    checks.one_of(per, PER, "per")
    values = oriented(scores)
    better = scores.attrs.get("higher_is_better", True)
    low, high = limits if better else (-limits[1], -limits[0])
    place, labels = pd.factorize(item_ids(scores))
    ids = np.asarray(labels)
    if per == "item" and len(ids) == len(values):
        gone = np.isnan(values)
        first, last = np.where(gone, low, values), np.where(gone, high, values)
        return ScoreBounds(first, last, values, gone.astype(np.int64))
    sums, number = summed(values, place, len(ids))
    rows = np.bincount(place) if per == "run" else None
    return run_bounds(sums, number, (low, high), _planned(ids, rows, number, runs))


def planned_bounds(
    scores: xr.DataArray, limits: tuple[float, float]
) -> tuple[ScoreBounds, np.ndarray, np.ndarray]:
    """The ends of each item, of whose runs each may be missing, as many as anybody made of it, but
    no more than the system makes of any; how many these are, (item, system); and which item each
    row is of, numbered from 0.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    limits : two float
        As the scores stand.
    """
    better = scores.attrs.get("higher_is_better", True)
    values = oriented(scores).astype(float)
    place, labels = pd.factorize(item_ids(scores))
    sums, number = summed(values, place, len(labels))
    planned = np.minimum(np.bincount(place)[:, None], np.maximum(number.max(0, initial=1), 1))
    limits = limits if better else (-limits[1], -limits[0])
    return run_bounds(sums, number, limits, planned), planned, place


def run_bounds(
    sums: np.ndarray, number: np.ndarray, limits: tuple[float, float], planned: np.ndarray
) -> ScoreBounds:
    """The ends of items from the sums of their runs; where no run is planned, they are those there
    are. Where nothing is missing both ends are the mean, to the digit.
    """
    mean = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
    gone = np.where(planned > 0, planned - number, number == 0)
    size = np.where(planned > 0, planned, 1)
    first, last = (np.where(gone > 0, (sums + end * gone) / size, mean) for end in limits)
    return ScoreBounds(first, last, mean, gone.astype(np.int64))


def summed(values: np.ndarray, place: np.ndarray, items: int) -> tuple[np.ndarray, np.ndarray]:
    """The sum of the scores of each item, and their number."""
    sums, number = (np.zeros((items, values.shape[1])) for _ in range(2))
    present = ~np.isnan(values)
    np.add.at(sums, place, np.where(present, values, 0.0))
    np.add.at(number, place, present)
    return sums, number


def _planned(
    ids: np.ndarray, rows: np.ndarray | None, number: np.ndarray, runs: int | None
) -> np.ndarray:
    """How many runs each item was to have, (item, 1); 0 where that does not matter."""
    if rows is None:
        return np.zeros((len(ids), 1))
    if runs is None:
        return rows[:, None]
    over = (number > checks.whole(runs, "runs")).any(1)
    if over.any():
        k = int(over.argmax())
        most = int(number[k].max())
        raise ValueError(f"item {str(ids[k])!r} has {most} runs, but runs={runs}")
    return np.full((len(ids), 1), runs)
