"""Average scores by unit: an item with all its runs, or a cluster of items."""

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.units import item_ids


def unit_means(scores: xr.DataArray, units: np.ndarray) -> np.ndarray:
    """The mean of each unit's scores, (unit, system), units as they first appear; nan where a
    system has none.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    units : numpy.ndarray, shape (item,)
        Which unit each row belongs to, such as `units.ids_of`.
    """
    place, labels = pd.factorize(units)
    values = scores.values.astype(float)
    observed = ~np.isnan(values)
    if len(labels) == len(values):
        return values
    sums, number = (np.zeros((len(labels), values.shape[1])) for _ in range(2))
    np.add.at(sums, place, np.where(observed, values, 0.0))
    np.add.at(number, place, observed)
    return np.where(number > 0, sums / np.maximum(number, 1), np.nan)


def mean_of_runs(scores: xr.DataArray) -> xr.DataArray:
    """Scores of which each item stands once, with the mean of its runs, for runs have no common
    order.
    """
    ids = item_ids(scores)
    first = np.sort(np.unique(ids, return_index=True)[1])
    means = scores.isel({names.ITEM: first}).drop_vars("epoch").astype(float)
    means = means.copy(data=unit_means(scores, ids))
    means.attrs = {k: v for k, v in scores.attrs.items() if k != "n_items"}  # that counted runs
    return means
