"""What was given to compare, looked at once."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.judgments import count_judgments
from betterthan.counts.successes import trials_of
from betterthan.counts.units import item_ids


def plain_data(data: Any) -> Any:
    """Judgments as counts, and trials as the share of successes: what counting wins needs."""
    if isinstance(data, xr.Dataset) and "trials" in data:
        trials_of(data)
        with np.errstate(invalid="ignore"):
            share = data["successes"] / data["trials"].where(data["trials"] > 0)
        return share.transpose(names.ITEM, names.SYSTEM).assign_attrs(data.attrs)
    return count_judgments(data) if isinstance(data, xr.Dataset) else data


def mean_of_runs(scores: xr.DataArray) -> xr.DataArray:
    """Scores of which each item stands once, with the mean of its runs, for runs have no common
    order.
    """
    place, ids = pd.factorize(item_ids(scores))
    values = scores.values.astype(float)
    seen = ~np.isnan(values)
    sums, number = (np.zeros((len(ids), values.shape[1])) for _ in range(2))
    np.add.at(sums, place, np.where(seen, values, 0.0))
    np.add.at(number, place, seen)
    first = np.unique(place, return_index=True)[1]
    kept = scores.isel({names.ITEM: first}).drop_vars("epoch").astype(float)
    kept = kept.copy(data=np.where(number > 0, sums / np.maximum(number, 1), np.nan))
    kept.attrs = {k: v for k, v in scores.attrs.items() if k != "n_items"}  # that counted runs
    return kept
