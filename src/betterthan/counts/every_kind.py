"""Counting, whatever was given: scores, judgments, or successes of trials."""

import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.arrays import labelled
from betterthan.counts.clusters import count_clusters
from betterthan.counts.judgments import count_judgments
from betterthan.counts.scoring import count_outcomes
from betterthan.counts.units import CLUSTER

_UNITS = (CLUSTER, names.ITEM)


def count(
    data: xr.DataArray | xr.Dataset,
    *,
    by: str | None = None,
    margin: float = 0.0,
    missing: str = "pairwise",
) -> xr.DataArray:
    """Count wins, losses and ties of every pair of systems.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system), of which NaN is missing and ``attrs["higher_is_better"]`` (default
        True) gives the direction; judgments from `io.read_judgments`; or successes of trials from
        `counts.trials`. Scores may be held by dask in blocks of items, of which each is read once
        and none is kept; of whole numbers ``attrs["missing_value"]`` then names the code of a
        missing score.
    by : str, optional
        Count within each value of this item coordinate, such as ``"dataset"``; of judgments,
        ``"cluster"`` or ``"judge"``. ``"cluster"`` and ``"item"`` keep together what is alike: the
        items of a cluster (``"cluster"`` without clusters takes the items), or the runs of an item.
        Runs have no common order, so every run of A meets every run of B on the same item, and an
        item of k runs counts k x k times, which `betterthan.models.clustered` takes into account.
    margin : float, default 0
        Scores no further apart than this tie, in units of the score. A difference of a few units in
        the last place is rounding and always ties.
    missing : {"pairwise", "complete", "wrong", "error"}, default "pairwise"
        What to do with an item that lacks a score. ``pairwise``: leave it out of the pairs it
        concerns; ``complete``: leave it out of all pairs; ``wrong``: count it as the worst score
        (scores must lie in [0, 1]); ``error``: refuse.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        With `by`, a leading dim of that name; ``cluster`` for clusters, items and judges.
        Of scores, coordinates ``n_used`` and ``n_dropped`` (system_a, system_b) say how many items
        were counted and left out; ``attrs`` hold the policies and the ``unit``, item or judgment.

    Raises
    ------
    ValueError
        If the data are none of these, an argument is not one of its choices or not for such data, a
        score is missing under ``missing="error"``, there is nothing to group by, or no two
        systems have an item in common (a pair that has none has no data).

    Examples
    --------
    >>> import numpy as np, xarray as xr, betterthan as bt
    >>> scores = xr.DataArray(
    ...     [[1, 0, 1], [1, 1, np.nan], [0, 1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> counts = bt.count(scores)
    >>> counts.sel(system_a="A", system_b="B").values.tolist()
    [1, 1, 1]
    >>> int(counts.n_dropped.sel(system_a="A", system_b="C"))
    1
    """
    labelled(data, "data", "scores (item, system) from betterthan.read, judgments or trials")
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
                f"missing={missing!r} is for counting without by={by!r}; say missing='pairwise'"
            )
        return count_clusters(data, by=None if by == CLUSTER else by, margin=margin)
    if isinstance(data, xr.Dataset):
        checks.for_scores_only(missing=missing, margin=margin)
        if "trials" in data:
            raise ValueError("trials are counted within their items: by='item', or by='cluster'")
        return count_judgments(data, by=by)
    return count_outcomes(data, margin=margin, missing=missing, by=by)
