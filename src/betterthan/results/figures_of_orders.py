"""The figures of orders and of their taus."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.document import Figure, plotted

_JUDGES_DRAWN = 12
_ITEMS_DRAWN = 60
_ITEMS_OF_CHANCE = 200
_MARKED = 6  # systems in the figure of chance


def tau_figures(taus: xr.Dataset) -> list[Figure]:
    """Tau of every document; of one, tau and chance."""
    if names.DOCUMENT in taus.dims:
        return [Figure("Tau of every document", plotted("tau", _mean_taus(taus)))]
    items = np.unique(taus["n_items"].values)
    if names.REFERENCE in taus.dims or len(items) > 1 or items[0] > _ITEMS_OF_CHANCE:
        return []
    return [Figure("Tau and chance", _chance(taus, int(items[0])))]


def order_figures(orders: xr.DataArray) -> list[Figure]:
    """The orders side by side, where they are few and short."""
    items = orders.sizes.get(names.POSITION, orders.sizes.get(names.ITEM, 0))
    if names.DOCUMENT in orders.dims or items > _ITEMS_DRAWN:
        return []
    systems = [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]]
    return [Figure("Orders side by side", plotted("orders", orders, systems))]


def _mean_taus(taus: xr.Dataset) -> xr.DataArray:
    return taus["tau"].mean(names.REFERENCE) if names.REFERENCE in taus.dims else taus["tau"]


def _chance(taus: xr.Dataset, items: int) -> Callable[[], Any]:
    highest = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:_MARKED]})
    systems = map(str, highest[names.SYSTEM].values)
    marks = dict(zip(systems, highest["tau"].values.tolist(), strict=True))
    return plotted("tau_distribution", items, marks)
