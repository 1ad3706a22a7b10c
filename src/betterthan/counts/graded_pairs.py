"""Pairwise differences of graded scores in one array, as models need them."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import need_shared_items, oriented
from betterthan.counts.shapes import pair_coords, pair_indices
from betterthan.exact.numeric import counting
from betterthan.io.texts import text_array

NEAR, MANY = 0.01, 0.1  # of the 90th percentile of a pair, and of its differences


@dataclass(frozen=True)
class Differences:
    """Differences that are no ties (row), of which pair and data set each is, and what stands for
    the pair.
    """

    y: np.ndarray  # (row,) in units of `unit` of its pair; positive where A is better
    pair: np.ndarray  # (row,)
    dataset: np.ndarray  # (row,)
    datasets: list[str]  # none where there is one alone
    unit: np.ndarray  # (pair,) root mean square of the differences that are not 0
    n: np.ndarray  # (pair,) items that both systems have
    n_tied: np.ndarray  # (pair,)
    near_ties: np.ndarray  # (pair,) share of the differences that are all but ties
    rows: np.ndarray  # (dataset, pair) differences
    middle: np.ndarray  # (dataset, pair) their median
    names_of_pairs: xr.DataArray  # (pair,) with coordinates system_a and system_b
    higher_is_better: int


def differences_of(
    scores: xr.DataArray, *, standardise: bool = True, resolution: float = 0.0
) -> Differences:
    """Differences of all pairs; those up to `resolution` are ties.

    Raises
    ------
    ValueError
        If the scores are no scores, two systems share no item, there are too many pairs, or the
        resolution is no finite number of at least 0.
    """
    scores, resolution = schemas.scores(scores), checks.margin(resolution, "resolution")
    systems = [str(s) for s in scores[names.SYSTEM].values]
    a, b = pair_indices(len(systems))
    d, shared, differs = _pair_differences(scores, systems, a, b, resolution)
    unit = _units(d, differs) if checks.flag(standardise, "standardise") else np.ones(len(a))
    pair, item = np.nonzero(differs.T)
    y = d[item, pair] / unit[pair]
    datasets, dataset_index = _datasets(scores)
    dataset_index = dataset_index[item]
    rows, middle = _by_dataset(y, pair, dataset_index, (max(len(datasets), 1), len(a)))
    coords = pair_coords(systems, a, b)
    # the share of differences that are below a hundredth of what nine of ten are below
    near_ties = np.zeros(len(a))
    for k, column in enumerate(np.where(differs, np.abs(d), np.nan).T):
        observed = column[~np.isnan(column)]
        if len(observed):
            near_ties[k] = (observed < NEAR * np.quantile(observed, 0.9)).mean()
    return Differences(
        y,
        pair,
        dataset_index,
        datasets,
        unit,
        n=shared.sum(0),
        n_tied=(shared & ~differs).sum(0),
        near_ties=near_ties,
        rows=rows,
        middle=middle,
        names_of_pairs=xr.DataArray(np.arange(len(a)), dims=names.PAIR, coords=coords),
        higher_is_better=int(scores.attrs.get("higher_is_better", True)),
    )


def _pair_differences(
    scores: xr.DataArray, systems: list[str], a: np.ndarray, b: np.ndarray, resolution: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences (item, pair), positive where A is better; where both have a score, and where
    they differ by more than the resolution, and rounding.
    """
    values = oriented(scores)
    observed = ~np.isnan(values)
    need_shared_items(observed.T.astype(float) @ observed, systems)
    checks.sampled_pairs(len(a), "take fewer")
    d = values[:, a] - values[:, b]
    shared = np.isfinite(d)
    differs = shared & (np.abs(np.where(shared, d, 0)) > counting.slack(values, resolution))
    _warn_few(differs, shared, [(systems[i], systems[j]) for i, j in zip(a, b, strict=True)])
    return d, shared, differs


def _warn_few(differs: np.ndarray, common: np.ndarray, pairs: list[tuple[str, str]]) -> None:
    """Warn of pairs that differ on fewer than two items."""
    differ, shared = differs.sum(0), common.sum(0)
    few = np.flatnonzero(differ < 2)
    if not len(few):
        return
    k = few[0]
    more = f" (and of {len(few) - 1} more pairs)" if len(few) > 1 else ""
    checks.warn(
        f"the size of the difference of {pairs[k][0]!r} and {pairs[k][1]!r}{more} is mostly the "
        f"prior: they differ on {int(differ[k])} of {int(shared[k])} items"
    )


def _by_dataset(
    y: np.ndarray, pair: np.ndarray, dataset: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Differences (dataset, pair) and their median; zeros where there is one data set alone."""
    rows, middle = np.zeros(shape), np.zeros(shape)
    if shape[0] > 1:
        np.add.at(rows, (dataset, pair), 1.0)
        for j, k in zip(*np.nonzero(rows), strict=True):
            middle[j, k] = np.median(y[(dataset == j) & (pair == k)])
    return rows, middle


def _units(d: np.ndarray, differs: np.ndarray) -> np.ndarray:
    """Root mean square of each pair's differences; of a pair that has none, that of all."""
    count, squares = differs.sum(0), (np.where(differs, d, 0.0) ** 2).sum(0)
    if not count.any():
        return np.ones(len(count))
    return np.sqrt(np.where(count > 0, squares / np.maximum(count, 1), squares.sum() / count.sum()))


def _datasets(scores: xr.DataArray) -> tuple[list[str], np.ndarray]:
    if names.DATASET not in scores.coords:
        return [], np.zeros(scores.sizes[names.ITEM], dtype=int)
    labels, dataset_index = np.unique(text_array(scores[names.DATASET].values), return_inverse=True)
    return ([str(x) for x in labels] if len(labels) > 1 else []), dataset_index
