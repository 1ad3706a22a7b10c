"""Simulated data as `build` and `fit` take them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names


@dataclass(frozen=True)
class Given:
    """Arguments of `build`."""

    data: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)


def as_drawn(data: xr.Dataset) -> Given:
    """Counts, or all that was drawn."""
    return Given((data.get("counts", data),))


def as_counts(data: xr.Dataset) -> Given:
    """Of wins and losses that were drawn apart: more than there are examples make no counts."""
    ties = (data["n"] - data["decisive"].sum(names.OUTCOME)).clip(min=0)
    third = ties.expand_dims({names.OUTCOME: ["tie"]})
    whole = xr.concat([data["decisive"], third], names.OUTCOME, join="outer")
    return Given((whole.transpose(names.PAIR, names.OUTCOME),))


def as_scores(data: xr.Dataset) -> Given:
    """Scores whose differences to a last system are those drawn, to one decimal: some items tie."""
    y = np.round(data["difference"].values, 1)
    coords: dict[str, Any] = {names.SYSTEM: [f"s{k}" for k in range(y.shape[1] + 1)]}
    if "dataset_of" in data:
        coords[names.DATASET] = (names.ITEM, data["dataset_of"].values.astype(str))
    values = np.column_stack([y, np.zeros(len(y))])
    return Given((xr.DataArray(values, dims=(names.ITEM, names.SYSTEM), coords=coords),))


def as_features(data: xr.Dataset) -> Given:
    """Features, the response, and groups if there are any."""
    groups = data["group_of"].values if "group_of" in data else None
    return Given((data["features"], data["response"]), {"by": groups})


def as_repeated(data: xr.Dataset) -> Given:
    """A table with a row for each text that a subject saw."""
    columns = {column: data[column].values for column in ("response", "predictor")}
    of = {k: data[f"{k}_of"].values for k in ("subject", "text") if f"{k}_of" in data}
    table = pd.DataFrame(columns | of)
    return Given((table, "response", "predictor"))
