"""Counting, whatever was given: scores, judgments, or successes of trials."""

from typing import Any

import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.arrays import labelled
from betterthan.counts.clusters import count_clusters
from betterthan.counts.judgments import count_judgments
from betterthan.counts.picking import picked
from betterthan.counts.scoring import count_outcomes
from betterthan.counts.units import CLUSTER

_UNITS = (CLUSTER, names.ITEM)


def count_data(
    data: Any,
    *,
    systems: Any = None,
    by: str | None = None,
    margin: float = 0.0,
    missing: str = "pairwise",
) -> xr.DataArray:
    """Wins, losses and ties of scores, judgments or trials in memory; see `betterthan.count`."""
    labelled(data, "data", "scores (item, system) from betterthan.read, judgments or trials")
    data = picked(data, systems)
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
