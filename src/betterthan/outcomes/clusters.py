"""Wins, losses and ties of each cluster: of its items, or of all trials of one item against each other."""

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import counting
from betterthan.outcomes.scoring import count_outcomes, need_shared_items
from betterthan.outcomes.shapes import pair_indices, square_array
from betterthan.outcomes.trials import EPOCH, TRIALS, trials_of

CLUSTER = "cluster"


def count_clusters(data: xr.DataArray | xr.Dataset, *, by: str | None = None, margin: float = 0.0) -> xr.DataArray:
    """Count wins, losses and ties of every pair within each cluster.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system); or successes of trials from `count_trials`.
    by : str, optional
        The item coordinate that says which items belong together. Default: ``cluster`` where there is one, else each
        item with its repeated runs (``epoch``, or trials).
    margin : float, default 0
        Scores no further apart than this tie, in units of the score.

    Returns
    -------
    xarray.DataArray, dims (cluster, system_a, system_b, outcome), int64
        Items are paired by their ids. Repeated runs have no common order, so every run of A meets every run of B on
        the same item: an item with k runs counts k x k times, which `betterthan.models.clustered` takes into account.

    Raises
    ------
    ValueError
        If the data are no scores, there is nothing to group by, an item has no cluster, two systems share no item, or
        there is one cluster.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 1], [0, 0], [1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"item": ["q1", "q1", "q2", "q2"], "system": ["A", "B"], "epoch": ("item", [1, 2, 1, 2])},
    ... )
    >>> count_clusters(scores).sel(system_a="A", system_b="B").values.tolist()
    [[2, 0, 2], [2, 0, 2]]
    """
    if isinstance(data, xr.Dataset):
        return _of_trials(data, by)
    scores = checks.scores(data)
    if by is None and CLUSTER not in scores.coords and EPOCH not in scores.coords:
        raise ValueError("scores have no item coordinate 'cluster' or 'epoch'; name the one to group by, by='...'")
    chosen = by or (CLUSTER if CLUSTER in scores.coords else names.ITEM)
    if chosen not in scores.coords or scores[chosen].dims != (names.ITEM,):
        raise ValueError(f"scores have no item coordinate {chosen!r}; found {', '.join(map(str, scores.coords))}")
    _need_clusters(scores[chosen].values, chosen)
    if EPOCH in scores.coords:
        return _of_runs(scores, chosen, checks.margin(margin))
    counts = count_outcomes(
        scores.rename({chosen: CLUSTER}) if chosen != CLUSTER else scores, margin=margin, by=CLUSTER
    )
    return counts


def _of_runs(scores: xr.DataArray, chosen: str, margin: float) -> xr.DataArray:
    """All runs of A against all runs of B on the same item, summed over the items of a cluster."""
    values = scores.values.astype(float) * (1 if scores.attrs.get("higher_is_better", True) else -1)
    systems = [str(s) for s in scores[names.SYSTEM].values]
    keys = [scores[k].values.astype(str) for k in (names.DATASET, names.ITEM) if k in scores.coords]
    items = np.array(["\0".join(row) for row in zip(*keys, strict=True)])
    clusters = scores[chosen].values.astype(str)
    labels = list(dict.fromkeys(clusters.tolist()))
    square = np.zeros((len(labels), len(systems), len(systems), 3), dtype=np.int64)
    first, second = pair_indices(len(systems))
    slack = counting.slack(values, margin)
    for item in dict.fromkeys(items.tolist()):
        rows = items == item
        a, b = values[rows][:, None, first], values[rows][None, :, second]
        apart = a - b
        some = ~np.isnan(apart)
        wins, losses = (np.where(some, sign * apart > slack, False).sum((0, 1)) for sign in (1, -1))
        found = np.stack([wins, losses, some.sum((0, 1)) - wins - losses], axis=-1)
        square[labels.index(str(clusters[rows][0])), first, second] += found
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    return _as_counts(square, systems, labels)


def _of_trials(data: xr.Dataset, by: str | None) -> xr.DataArray:
    """The same from numbers of successes."""
    successes, trials, items, systems = trials_of(data)
    labels = items
    if by is not None or CLUSTER in data.coords:
        chosen = by or CLUSTER
        if chosen not in data.coords:
            raise ValueError(f"the trials have no item coordinate {chosen!r}; found {', '.join(map(str, data.coords))}")
        labels = [str(x) for x in data[chosen].values]
    _need_clusters(np.array(labels), by or CLUSTER)
    failures = trials - successes
    win = successes[:, :, None] * failures[:, None, :]
    total = trials[:, :, None] * trials[:, None, :]
    each = np.stack([win, win.swapaxes(1, 2), total - win - win.swapaxes(1, 2)], axis=-1)
    each[:, np.arange(len(systems)), np.arange(len(systems))] = 0
    distinct = list(dict.fromkeys(labels))
    square = np.zeros((len(distinct), *each.shape[1:]), dtype=np.int64)
    np.add.at(square, np.array([distinct.index(x) for x in labels]), each)
    return _as_counts(square, systems, distinct)


def _as_counts(square: np.ndarray, systems: list[str], labels: list[str]) -> xr.DataArray:
    need_shared_items(square.sum((0, -1)), systems)
    return square_array(square, systems, {CLUSTER: labels}).assign_attrs(unit=names.ITEM, ties="third", runs=TRIALS)


def _need_clusters(labels: np.ndarray, what: str) -> None:
    """Refuse items without a cluster, and clusters that are one."""
    blank = [k for k, v in enumerate(labels.tolist()) if v is None or v != v or str(v).strip() == ""]
    if blank:
        raise ValueError(
            f"{len(blank)} of {len(labels)} items have no {what}, the first at place {blank[0] + 1}; give each item one"
        )
    if len(set(labels.tolist())) < 2:
        raise ValueError(
            f"all items have the same {what}, {str(labels[0])!r}; two or more are needed to see them differ"
        )
