"""Wins, losses and ties of scores, judgments, trials or clusters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.judgments import count_judgments
from betterthan.counts.scoring import count_outcomes, need_shared_items, oriented
from betterthan.counts.shapes import labelled, pair_indices, picked, square_array
from betterthan.counts.successes import TRIALS, trials_of
from betterthan.counts.units import CLUSTER, EPOCH, default_unit, ids_of, item_ids, one_unit_an_item
from betterthan.exact.numeric import counting


def count_clusters(
    data: xr.DataArray | xr.Dataset, *, by: str | None = None, margin: float = 0.0
) -> xr.DataArray:
    """Wins, losses and ties within each cluster, or each item with its runs; see `count`."""
    if isinstance(data, xr.Dataset):
        if checks.margin(margin):
            raise ValueError(
                f"margin={margin:g} is for scores; of trials a success beats a failure"
            )
        return _count_trials(data, by)
    scores = schemas.scores(data)
    chosen = by or default_unit(scores) or (CLUSTER if CLUSTER in scores.coords else None)
    if chosen is None:
        raise ValueError(
            "scores have no item coordinate 'cluster', nor 'epoch' with two values; give the one "
            "to group by that name, or pass by='item'"
        )
    labels = _labels(scores, chosen)
    if EPOCH in scores.coords:
        return _count_runs(scores, labels, chosen, checks.margin(margin))
    scores = scores.drop_vars(CLUSTER, errors="ignore").assign_coords(
        {CLUSTER: (names.ITEM, labels)}
    )
    return count_outcomes(scores, margin=margin, by=CLUSTER)


def _count_runs(
    scores: xr.DataArray, clusters: np.ndarray, chosen: str, margin: float
) -> xr.DataArray:
    """All runs of A against all runs of B on the same item, summed over the items of a cluster."""
    values = oriented(scores)
    systems = [str(s) for s in scores[names.SYSTEM].values]
    items = item_ids(scores)
    one_unit_an_item(items, clusters, chosen)
    labels = list(dict.fromkeys(clusters.tolist()))
    square = np.zeros((len(labels), len(systems), len(systems), 3), dtype=np.int64)
    first, second = pair_indices(len(systems))
    slack = counting.slack(values, margin)
    for item in dict.fromkeys(items.tolist()):
        rows = items == item
        differences = values[rows][:, first][:, None] - values[rows][:, second][None]
        n_comparisons = (~np.isnan(differences)).sum((0, 1))
        # a missing run neither wins nor loses
        wins, losses = ((side > slack).sum((0, 1)) for side in (differences, -differences))
        outcomes = np.stack([wins, losses, n_comparisons - wins - losses], axis=-1)
        square[labels.index(str(clusters[rows][0])), first, second] += outcomes
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    return _as_counts(square, systems, labels)


def _count_trials(data: xr.Dataset, by: str | None) -> xr.DataArray:
    """Count from numbers of successes."""
    successes, trials, _, systems = trials_of(data)
    labels = _labels(data, by or default_unit(data) or names.ITEM)
    failures = trials - successes
    win = successes[:, :, None] * failures[:, None, :]
    total = trials[:, :, None] * trials[:, None, :]
    outcomes = np.stack([win, win.swapaxes(1, 2), total - win - win.swapaxes(1, 2)], axis=-1)
    outcomes[:, np.arange(len(systems)), np.arange(len(systems))] = 0
    distinct = list(dict.fromkeys(labels.tolist()))
    square = np.zeros((len(distinct), *outcomes.shape[1:]), dtype=np.int64)
    np.add.at(square, np.array([distinct.index(x) for x in labels.tolist()]), outcomes)
    return _as_counts(square, systems, distinct)


def _as_counts(square: np.ndarray, systems: list[str], labels: list[str]) -> xr.DataArray:
    need_shared_items(square.sum((0, -1)), systems)
    return square_array(square, systems, {CLUSTER: labels}).assign_attrs(
        unit=names.ITEM, ties="third", runs=TRIALS
    )


def _labels(data: Any, chosen: str) -> np.ndarray:
    """The clusters of the items; there are two at least."""
    labels = ids_of(data, chosen)
    if len(set(labels.tolist())) < 2:
        raise ValueError(
            f"all items have the same {chosen}, {str(labels[0])!r}; two or more are needed to see "
            "them differ"
        )
    return labels


_UNITS = (CLUSTER, names.ITEM)


def count_data(
    data: Any,
    *,
    systems: Any = None,
    by: str | Sequence[str] | None = None,
    margin: float = 0.0,
    missing: str = "pairwise",
) -> xr.DataArray:
    """Wins, losses and ties of scores, judgments or trials in memory; see `betterthan.count`."""
    labelled(data, "data", "scores (item, system) from betterthan.read, judgments or trials")
    data = picked(data, systems)
    if isinstance(by, list | tuple) and len(by) == 1:
        by = by[0]
    several = () if by is None or isinstance(by, str) else checks.labels(by, "by")
    if by is not None and not isinstance(by, str) and (isinstance(data, xr.Dataset) or not several):
        raise ValueError(f"by={checks.quoted(by)} is for scores; give one name")
    if in_blocks(data):
        if by is not None:
            raise ValueError(
                f"by={by!r} needs scores in memory, and these are in blocks; select one value of "
                f"{by} and count that, or load the data with .compute()"
            )
        from betterthan.counts.in_blocks import count_blocks

        return count_blocks(data, margin=margin, missing=missing)
    if by in _UNITS and not (isinstance(data, xr.Dataset) and "trials" not in data):
        if missing != "pairwise":
            raise ValueError(
                f"missing={missing!r} is for counting without by={by!r}; pass missing='pairwise'"
            )
        return count_clusters(data, by=None if by == CLUSTER else by, margin=margin)
    if isinstance(data, xr.Dataset):
        checks.for_scores_only(missing=missing, margin=margin)
        if "trials" in data:
            raise ValueError("trials are counted within their items: by='item', or by='cluster'")
        return count_judgments(data, by=by if isinstance(by, str) else None)
    return count_outcomes(data, margin=margin, missing=missing, by=by)
