"""Wins, losses and ties of scores, judgments, trials or clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.judgments import count_judgments
from betterthan.counts.runs import TRIALS, trials_of
from betterthan.counts.shapes import (
    labelled,
    origin,
    pair_coords,
    pair_indices,
    picked,
    square_array,
)
from betterthan.counts.units import (
    CLUSTER,
    EPOCH,
    LACKING,
    LEAST,
    MOST,
    default_unit,
    ids_of,
    item_ids,
    one_unit_an_item,
    planned_runs,
    refuse_unlabelled,
    several,
    unit_means,
    unit_of,
    unlabelled,
)
from betterthan.exact.numeric import counting
from betterthan.signed import Signature


def item_outcomes(scores: xr.DataArray, *, margin: float = 0.0) -> xr.Dataset:
    """Compare every pair of systems on every item: win, tie, or loss.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one. ``attrs["higher_is_better"]`` (default True) gives the
        direction.
    margin : float, default 0
        Largest difference of scores that is a tie, in units of the score.

    Returns
    -------
    xarray.Dataset
        - ``outcome`` (item, pair), int8: 1 if ``system_a`` wins, 0 for a tie, -1 if it loses
        - ``observed`` (item, pair), bool: whether both systems have a score; if not, the outcome is
          0 and has no meaning

    Raises
    ------
    ValueError
        If the scores are not scores, or the margin is negative.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 1]], dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> item_outcomes(scores)["outcome"].values.tolist()
    [[1], [0]]
    """
    scores = schemas.scores(scores)
    margin = checks.margin(margin)
    values = oriented(scores)
    first, second = pair_indices(values.shape[1])
    a, b = values[:, first], values[:, second]
    observed = ~(np.isnan(a) | np.isnan(b))
    slack = counting.slack(values, margin)
    outcome = (a - b > slack).astype(np.int8) - (b - a > slack).astype(np.int8)
    dims = (names.ITEM, names.PAIR)
    coords = {name: coord for name, coord in scores.coords.items() if coord.dims == (names.ITEM,)}
    coords |= pair_coords([str(s) for s in scores[names.SYSTEM].values], first, second)
    return xr.Dataset({"outcome": (dims, outcome), "observed": (dims, observed)}, coords=coords)


def count_outcomes(
    scores: xr.DataArray,
    *,
    margin: float = 0.0,
    missing: str = "pairwise",
    by: str | Sequence[str] | None = None,
) -> xr.DataArray:
    """Wins, losses and ties of scores; see `count`."""
    scores = schemas.scores(scores)
    margin = checks.margin(margin)
    checks.one_of(missing, names.MISSING, "missing")
    scores = apply_missing(scores, missing)
    refuse_margin_of_all(scores, margin)
    return counted(scores, margin, by).assign_attrs(missing=missing)


def refuse_margin_of_all(scores: xr.DataArray, margin: float) -> None:
    """Refuse a margin up to which any two of these scores tie."""
    if not margin:
        return
    low, high = float(np.nanmin(scores.values)), float(np.nanmax(scores.values))
    if margin >= high - low > 0:
        raise ValueError(
            f"margin={margin:g} makes a tie of every item: scores run from {low:g} to {high:g}; "
            "give a smaller one, in units of the score"
        )


_ALIKE = {CLUSTER: "items of a cluster", EPOCH: "runs of an item"}
_TOO_CERTAIN = (
    "count as independent, so the answer is too certain; compare scores, not counts of them"
)


def counted(
    scores: xr.DataArray, margin: float, by: str | Sequence[str] | None = None
) -> xr.DataArray:
    """The same of scores that are checked, and under their policy for missing ones, already."""
    counts, used = counts_and_used(scores, margin, by)
    dropped = counts.attrs["n_items"] - used
    graded = not (np.isnan(scores.values) | np.isin(scores.values, (0, 1))).all()
    units = [unit for k, unit in _ALIKE.items() if by is None and several(scores, k)]
    if not unlabelled(scores, CLUSTER) and unit_of(scores) != CLUSTER:  # a cluster for each item
        units = [unit for unit in units if unit != _ALIKE[CLUSTER]]
    counts.attrs |= {"graded": 1} if graded else {}
    counts.attrs |= (
        {"dependent": f"{' and '.join(units).capitalize()} {_TOO_CERTAIN}"} if units else {}
    )
    return counts.assign_coords(n_used=(names.SQUARE, used), n_dropped=(names.SQUARE, dropped))


def counts_and_used(
    scores: xr.DataArray, margin: float, by: str | Sequence[str] | None = None
) -> tuple[xr.DataArray, np.ndarray]:
    """The same counts, and how many items each two systems share."""
    systems = [str(s) for s in scores[names.SYSTEM].values]
    leading_coords: dict[str, Any] = {}
    if by is None:
        square = counting.count(oriented(scores), margin)
    else:
        leading_coords, square = _by_group(scores, margin, by)
    used = square.sum((*range(len(leading_coords)), -1))
    need_a_shared_item(used, systems)
    n_items = int(scores.attrs.get("n_items", scores.sizes[names.ITEM]))
    counts = square_array(square, systems, leading_coords)
    provenance = Signature(
        unit=names.ITEM, n_items=n_items, margin=margin, missing="pairwise", ties="third"
    )
    grouped = by is not None and by != CLUSTER and unit_of(scores) == CLUSTER
    # what takes the items of a group as independent refuses these
    clusters = {"clusters": len(set(scores[CLUSTER].values.tolist()))} if grouped else {}
    counts.attrs |= origin(scores, "higher_is_better") | provenance.to_attrs() | clusters
    return counts, used


def _by_group(
    scores: xr.DataArray, margin: float, by: str | Sequence[str]
) -> tuple[dict[str, Any], np.ndarray]:
    """The values of item coordinates as leading dims, and the counts within each combination."""
    factors = checks.labels(by, "by")
    checks.unique(factors, "by")
    for name in factors:
        if name not in scores.coords or scores[name].dims != (names.ITEM,):
            raise ValueError(
                f"scores have no item coordinate {checks.quoted(name)} for by; found "
                f"{', '.join(map(str, scores.coords))}"
            )
        refuse_unlabelled(scores, name)
    values, labels = oriented(scores), [scores[name].values for name in factors]
    groups = {n: list(dict.fromkeys(x.tolist())) for n, x in zip(factors, labels, strict=True)}
    counts_by_group = [
        counting.count(values[np.all([x == k for x, k in zip(labels, of, strict=True)], 0)], margin)
        for of in product(*groups.values())
    ]
    square = np.stack(counts_by_group)
    return groups, square.reshape(*map(len, groups.values()), *square.shape[1:])


def oriented(scores: xr.DataArray) -> np.ndarray:
    """Scores as floats of which more is better."""
    values = scores.values
    if values.dtype.kind != "f":
        values = values.astype(float)
    return values if scores.attrs.get("higher_is_better", True) else -values


def apply_missing(scores: xr.DataArray, missing: str) -> xr.DataArray:
    """Scores under a policy for missing ones; see `count`."""
    if missing == "pairwise" or not np.isnan(scores.values).any():
        return scores
    complete = missing == "complete" and several(scores, EPOCH)
    gaps = _without_a_run(scores) if complete else gaps_in(scores)
    if LACKING in scores.coords:  # of a chance that is known some runs may be missing
        gaps = np.isnan(scores.values)
    if not gaps.any():
        return scores
    if missing == "error":
        raise ValueError(
            f"{first_gap(scores, gaps)} ({int(gaps.sum())} missing in all); "
            "complete it, or pass missing='pairwise', 'complete' or 'wrong'"
        )
    return _complete(scores, gaps) if missing == "complete" else _as_wrong(scores, gaps)


def gaps_in(scores: xr.DataArray) -> np.ndarray:
    """Whether each score is missing, (item, system); of several runs of an item those that a system
    lacks, and of a chance whether a run is.
    """
    if LACKING in scores.coords:
        return scores[LACKING].values > 0
    gaps = np.isnan(scores.values.astype(float))
    return _of_planned_runs(scores, gaps) if gaps.any() and several(scores, EPOCH) else gaps


def with_gaps_filled(
    scores: xr.DataArray, limits: tuple[float, float], best: Any = False
) -> xr.DataArray:
    """Scores with the worst number in the gaps, or the best for the systems that have it, of the
    limits as the scores stand; (system,).
    """
    low, high = limits if scores.attrs.get("higher_is_better", True) else limits[::-1]
    if LEAST in scores.coords:
        low, high = scores[LEAST].values, scores[MOST].values
    filled = np.where(np.asarray(best), high, low)
    complete = np.where(gaps_in(scores), filled, scores.values.astype(float))
    return scores.copy(data=complete).drop_vars((LEAST, MOST, LACKING), errors="ignore")


def _without_a_run(scores: xr.DataArray) -> np.ndarray:
    """All rows of the items of which a system has no score; runs have no common order."""
    ids = item_ids(scores)
    return np.isnan(unit_means(scores, ids))[pd.factorize(ids)[0]]


def _of_planned_runs(scores: xr.DataArray, gaps: np.ndarray) -> np.ndarray:
    """The gaps that are runs which a system lacks, the first ones of each item."""
    place, number, planned = planned_runs(scores)
    lacks, rows = planned - number, np.bincount(place)
    order = np.argsort(place, kind="stable")
    before = np.cumsum(gaps[order], axis=0) - gaps[order]  # gaps of rows before, item by item
    before -= np.repeat(before[np.cumsum(rows) - rows], rows, axis=0)
    lacked = np.empty_like(gaps)
    lacked[order] = before < lacks[place[order]]
    return gaps & lacked


def first_gap(scores: xr.DataArray, gaps: np.ndarray) -> str:
    """Which score is missing first, in words."""
    row, column = np.argwhere(gaps)[0]
    item, system = scores[names.ITEM].values[row], scores[names.SYSTEM].values[column]
    return f"item {str(item)!r} has no score for {str(system)!r}"


def _complete(scores: xr.DataArray, gaps: np.ndarray) -> xr.DataArray:
    """Keep the items that every system has a score for."""
    complete_items = scores.isel({names.ITEM: ~gaps.any(1)})
    if not complete_items.sizes[names.ITEM]:
        fewest = str(scores[names.SYSTEM].values[gaps.sum(0).argmax()])
        raise ValueError(
            f"no item has a score for every system; {fewest!r} has the fewest "
            f"({int((~gaps).sum(0).min())}), leave it out, or use missing='pairwise'"
        )
    return complete_items.assign_attrs(scores.attrs | {"n_items": scores.sizes[names.ITEM]})


def _as_wrong(scores: xr.DataArray, gaps: np.ndarray) -> xr.DataArray:
    """The worst score in the gaps."""
    low, high = float(np.nanmin(scores.values)), float(np.nanmax(scores.values))
    if low < 0 or high > 1:
        raise ValueError(
            f"missing='wrong' needs scores within 0 and 1; these run from {low:g} to {high:g}"
        )
    return scores.where(~gaps, 0.0 if scores.attrs.get("higher_is_better", True) else 1.0)


def need_a_shared_item(used: np.ndarray, systems: list[str]) -> None:
    """Refuse systems of which no two share an item; a pair that shares none has no data, and does
    not keep the others from being answered.
    """
    if not np.triu(used, 1).any():
        need_shared_items(used, systems)


def need_shared_items(used: np.ndarray, systems: list[str]) -> None:
    """Refuse systems that share no item; `used` counts the shared items of every pair."""
    empty = np.argwhere(np.triu(used == 0, 1))
    if len(empty):
        i, j = empty[0]
        for k in (i, j):
            if used.diagonal().any() and not used[k, k]:
                raise ValueError(f"{systems[k]!r} has no score; leave it out with systems=")
        raise ValueError(
            f"{systems[i]!r} and {systems[j]!r} have no item in common; check the item ids, or "
            "leave one of them out"
        )


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
    place, distinct = pd.factorize(labels)
    square = np.zeros((len(distinct), *outcomes.shape[1:]), dtype=np.int64)
    np.add.at(square, place, outcomes)
    return _as_counts(square, systems, distinct.tolist())


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
