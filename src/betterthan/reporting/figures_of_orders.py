"""The figures of orders and of their taus."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.reporting.page import Figure

_JUDGES_DRAWN = 12
_ITEMS_DRAWN = 60
_ITEMS_OF_CHANCE = 200
_MARKED = 6  # systems in the figure of chance


def tau_figures(taus: xr.Dataset) -> list[Figure]:
    """Tau of every document; of one, tau and chance."""
    if names.DOCUMENT in taus.dims:
        return [Figure("Tau of every document", lambda: _documents(taus))]
    items = np.unique(taus["n_items"].values)
    if names.REFERENCE in taus.dims or len(items) > 1 or items[0] > _ITEMS_OF_CHANCE:
        return []
    return [Figure("Tau and chance", lambda: _chance(taus, int(items[0])))]


def order_figures(orders: xr.DataArray) -> list[Figure]:
    """The orders side by side, where they are few and short."""
    items = orders.sizes.get(names.POSITION, orders.sizes.get(names.ITEM, 0))
    if names.DOCUMENT in orders.dims or items > _ITEMS_DRAWN:
        return []
    return [Figure("Orders side by side", lambda: _side_by_side(orders))]


def _documents(taus: xr.Dataset) -> Any:
    from betterthan.plot.of_orders import tau

    return tau(taus["tau"].mean(names.REFERENCE) if names.REFERENCE in taus.dims else taus["tau"])


def _chance(taus: xr.Dataset, items: int) -> Any:
    from betterthan.plot.of_orders import tau_distribution

    shown = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:_MARKED]})
    systems = map(str, shown[names.SYSTEM].values)
    marks = dict(zip(systems, shown["tau"].values.tolist(), strict=True))
    return tau_distribution(items, marks)


def _side_by_side(orders: xr.DataArray) -> Any:
    from betterthan.plot.of_orders import orders as draw

    return draw(orders, [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]])
