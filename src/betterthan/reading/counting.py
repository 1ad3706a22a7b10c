"""Counting, whatever is given: data in memory, or what is read first."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import xarray as xr

from betterthan.counts.counting import count_data
from betterthan.reading.inputs import data_of
from betterthan.reading.options import ReadOptions


def count(
    data: Any,
    *,
    systems: Sequence[str] | Mapping[str, str] | None = None,
    by: str | None = None,
    margin: float = 0.0,
    missing: str = "pairwise",
    **options: Unpack[ReadOptions],
) -> xr.DataArray:
    """Count wins, losses and ties of every pair of systems.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset, dict or numpy.ndarray
        Scores (item, system), of which NaN is missing and ``attrs["higher_is_better"]`` (default
        True) gives the direction; judgments from `io.read_judgments`; or successes of trials from
        `counts.trials`. Scores may be held by dask in blocks of items, of which each is read once
        and none is kept; of whole numbers ``attrs["missing_value"]`` then names the code of a
        missing score. Of a path, a folder, a DataFrame, or what `read_logs` returns, `read` reads
        the scores. A dict holds the scores of each system, or its path; the rows of an array are
        items, its columns systems, named by `systems`.
    systems : sequence of str, or mapping of str to str, optional
        A list picks systems and orders them; a mapping renames them. Of a NumPy array a list names
        the columns.
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
    **options
        Options of `read`, for data that are read, such as ``metric``, ``task`` or ``item``.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        With `by`, a leading dim of that name; ``cluster`` for clusters, items and judges.
        Of scores, coordinates ``n_used`` and ``n_dropped`` (system_a, system_b) say how many items
        were counted and left out; ``attrs`` hold the policies and the ``unit``, item or judgment.

    Raises
    ------
    ValueError
        If the data are none of these, an option of `read` is given and nothing is read, an
        argument is not one of its choices or not for such data, a score is missing under
        ``missing="error"``, there is nothing to group by, or no two systems have an item in common
        (a pair that has none has no data).

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
    >>> bt.count({"A": [1, 1, 0, 1], "B": [1, 0, 0, 0]}).sel(system_a="A", system_b="B").values
    array([2, 0, 2])
    """
    data = data_of(data, systems, options, "count")
    return count_data(data, systems=systems, by=by, margin=margin, missing=missing)
